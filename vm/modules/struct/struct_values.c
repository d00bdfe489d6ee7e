// Values to bytes and back. Packing may run script code, which must not change the Struct
// meanwhile: `busy` says so to __init__.
#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/float_formats.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/tensor/element.h"
#include "vm/modules/struct/struct.h"

#include <math.h>

// ---- from bytes to values

static inline uint64_t turned(const Struct *self, uint64_t bits, ssize_t size)
{
    bool big_here = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    return self->big == big_here ? bits : __builtin_bswap64(bits) >> (64 - 8 * size);
}

static inline uint64_t read_bits(const Struct *self, const unsigned char *at, ssize_t size)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1: return *at;
    case 2: memcpy(&two, at, 2); return turned(self, two, 2);
    case 4: memcpy(&four, at, 4); return turned(self, four, 4);
    default: memcpy(&eight, at, 8); return turned(self, eight, 8);
    }
}

static double read_real(uint64_t bits, ssize_t size)
{
    double number;
    if (size == 2) return half_to_float((uint16_t)bits);
    if (size == 4) return float_from_word((uint32_t)bits);
    memcpy(&number, &bits, sizeof number);
    return number;
}

static Value unpack_value(const Struct *self, const Field *field, const unsigned char *at)
{
    ssize_t size = field->size;
    switch (field->letter->kind) {
    case CHARACTER:
    case TEXT: return bytes_new(at, (size_t)size);
    case PASCAL:
        if (!size) return bytes_new("", 0);
        return bytes_new(at + 1, (size_t)(at[0] < size ? at[0] : size - 1));
    case TRUTH: return from_bool(read_bits(self, at, size) != 0);
    case SIGNED: {
        int unused = (int)(64 - 8 * size);
        return int_new((int64_t)(read_bits(self, at, size) << unused) >> unused);
    }
    case UNSIGNED: return int_from_uint64(read_bits(self, at, size));
    default: {
        double number = read_real(read_bits(self, at, size), size);
        bool is_read = self->native || float_may_be_read(number, size);
        return is_read ? float_new(number) : VALUE_ERROR;
    }
    }
}

Value unpack_all(const Struct *self, const char *bytes)
{
    Value tuple = tuple_new(self->items);
    ssize_t filled = 0;
    for (const Field *field = self->fields; field < self->fields + self->field_count; field++)
        for (ssize_t i = 0; tuple && i < field->count; i++) {
            const unsigned char *at =
                (const unsigned char *)bytes + field->offset + i * field->size;
            Value value = as_tuple(tuple)->items[filled++] = unpack_value(self, field, at);
            if (!value) drop_slot(&tuple);
        }
    return tuple;
}

// ---- from values to bytes

static inline void write_bits(const Struct *self, uint64_t bits, char *at, ssize_t size)
{
    uint64_t eight = turned(self, bits, size);
    uint32_t four = (uint32_t)eight;
    uint16_t two = (uint16_t)eight;
    switch (size) {
    case 1: *at = (char)bits; break;
    case 2: memcpy(at, &two, 2); break;
    case 4: memcpy(at, &four, 4); break;
    default: memcpy(at, &eight, 8);
    }
}

// Of the errors of ints only that of an int itself becomes one of struct.
static bool raise_wide(const Struct *self, const Field *field, ValueRef value, bool negative)
{
    bool is_pointer = field->letter->letter == 'P', is_far = self->big && field->size == 8;
    if (!is_pointer && !is_far) return raise_struct("argument out of range");
    if (int_check(value)) return raise_struct("int too large to convert");
    if (is_pointer)
        return raise_error(OverflowError, "Python int too large to convert to C %s",
                           negative ? "long" : "unsigned long");
    return raise_error(OverflowError, negative && field->letter->kind == UNSIGNED
                                          ? "can't convert negative int to unsigned"
                                          : "int too big to convert");
}

// The number fits 64 bits, but not the field. CPython has a function for each letter, which words
// it in its own way; where the bytes are as in this machine, the one of `@`.
static bool raise_range(const Struct *self, const Field *field, ValueRef value, bool negative)
{
    char letter = field->letter->letter;
    int width = (int)(8 * field->size);
    if (width == 8)
        return letter == 'b' ? raise_struct("byte format requires -128 <= number <= 127")
                             : raise_struct("ubyte format requires 0 <= number <= 255");
    if (width == 16 && !self->big)
        return letter == 'h'
                   ? raise_struct("short format requires (-0x7fff - 1) <= number <= 0x7fff")
                   : raise_struct("ushort format requires 0 <= number <= (0x7fff * 2 + 1)");
    if (width == 64 || (negative && field->letter->kind == UNSIGNED))
        return raise_wide(self, field, value, negative);
    if (field->letter->kind == UNSIGNED)
        return raise_struct("'%c' format requires 0 <= number <= %lld", letter, (1LL << width) - 1);
    return raise_struct("'%c' format requires %lld <= number <= %lld", letter,
                        -(1LL << (width - 1)), (1LL << (width - 1)) - 1);
}

// Is the number one of so many bits?
static bool fits_bits(ValueRef number, int64_t width, bool is_signed)
{
    int64_t bits, small;
    if (is_small(number)) {
        small = small_value(number);
        int64_t beyond = is_signed ? small >> (width - 1) : small >> (width - 1) >> 1;
        return beyond == 0 || (is_signed && beyond == -1);
    }
    bits = int_bit_length(number);
    if (!is_signed) return bits <= width && int_sign(number) >= 0;
    return bits < width ||
           (int_as_int64_clamped(number, &small) == 0 && small == INT64_MIN >> (64 - width));
}

static bool pack_integer(const Struct *self, const Field *field, ValueRef value, char *at)
{
    bool is_signed = field->letter->kind == SIGNED;
    if (is_small(value) && fits_bits(value, 8 * field->size, is_signed)) {
        write_bits(self, (uint64_t)small_value(value), at, field->size);
        return true;
    }
    if (!is_index(value)) return raise_struct("required argument is not an integer");
    Value number = object_index(value);
    if (!number) return false;
    bool negative = int_sign(number) < 0;
    if (field->letter->letter == 'P') is_signed = negative; // the same bits
    int64_t with_sign = 0;
    uint64_t bits = 0;
    bool done = fits_bits(number, 8 * field->size, is_signed);
    if (done && is_signed)
        int_as_int64_clamped(number, &with_sign);
    else if (done)
        int_as_uint64(number, &bits);
    else if (fits_bits(number, 64,
                       is_signed || negative || field->size == 1 ||
                           (field->size == 2 && !self->big)))
        raise_range(self, field, value, negative);
    else
        raise_wide(self, field, value, negative);
    drop(number);
    if (done) write_bits(self, is_signed ? (uint64_t)with_sign : bits, at, field->size);
    return done;
}

// Rounded once: the lowest bit of the float tells that there was more.
static uint16_t half_of(double number)
{
    float single = (float)number;
    if (single == number || isnan(number) || isinf(single)) return half_from_float(single);
    uint32_t word = float_to_word(single) - (fabs(single) > fabs(number));
    return half_from_float(float_from_word(word | 1));
}

static bool pack_real(const Struct *self, const Field *field, ValueRef value, char *at)
{
    double number;
    uint64_t bits;
    if (!float_from_value(value, &number)) {
        bool wide = int_check(value) && error_is(OverflowError);
        if (!wide && !error_is(TypeError)) return false;
        error_clear();
        return raise_struct(wide ? "int too large to convert" : "required argument is not a float");
    }
    if (!self->native && !float_may_be_written(&number, field->size)) return false;
    memcpy(&bits, &number, sizeof bits);
    if (field->size == 4) bits = float_to_word((float)number);
    if (field->size == 2) bits = half_of(number);
    bool lost = field->size == 4 ? isinf((float)number) && !self->native
                                 : field->size == 2 && (bits & 0x7FFF) == 0x7C00;
    if (lost && !isinf(number) && int_check(value)) return raise_struct("int too large to convert");
    if (lost && !isinf(number))
        return raise_error(OverflowError, "float too large to pack with %c format",
                           field->letter->letter);
    write_bits(self, bits, at, field->size);
    return true;
}

// The bytes of an 's' or 'p', as many as have room.
static bool pack_text(const Field *field, ValueRef value, char *at)
{
    const char *text;
    ssize_t size;
    if (bytes_check(value)) {
        text = as_bytes(value)->data;
        size = as_bytes(value)->size;
    } else if (bytearray_check(value)) {
        text = as_bytearray(value)->data;
        size = as_bytearray(value)->size;
    } else {
        return raise_struct("argument for '%c' must be a bytes object", field->letter->letter);
    }
    bool counted = field->letter->kind == PASCAL;
    ssize_t room = field->size - counted;
    if (room < 0) return true; // "0p"
    if (size > room) size = room;
    if (counted) *at++ = (char)(size > 255 ? 255 : size);
    memcpy(at, text, (size_t)size);
    return true;
}

static bool pack_value(const Struct *self, const Field *field, ValueRef value, char *at)
{
    bool truth;
    switch (field->letter->kind) {
    case CHARACTER:
        if (!bytes_check(value) || as_bytes(value)->size != 1)
            return raise_struct("char format requires a bytes object of length 1");
        *at = as_bytes(value)->data[0];
        return true;
    case TEXT:
    case PASCAL: return pack_text(field, value, at);
    case TRUTH:
        if (!object_truth(value, &truth)) return false;
        write_bits(self, truth, at, field->size);
        return true;
    case REAL: return pack_real(self, field, value, at);
    default: return pack_integer(self, field, value, at);
    }
}

bool pack_values(Struct *self, const ValueRef *values, char *bytes)
{
    bool done = true;
    memset(bytes, 0, (size_t)self->size);
    self->busy++;
    for (ssize_t f = 0; done && f < self->field_count; f++) {
        const Field *field = &self->fields[f];
        for (ssize_t i = 0; done && i < field->count; i++)
            done = pack_value(self, field, *values++, bytes + field->offset + i * field->size);
    }
    self->busy--;
    return done;
}

bool check_count(const Struct *self, const char *function, size_t count)
{
    if (self->items >= 0 && (ssize_t)count == self->items) return true;
    return raise_struct("%s expected %zd items for packing (got %zd)", function, self->items,
                        (ssize_t)count);
}

Value pack_all(Struct *self, const char *function, const ValueRef *values, size_t count)
{
    if (!check_count(self, function, count)) return VALUE_ERROR;
    Value bytes = bytes_new(NULL, (size_t)self->size);
    if (bytes && !pack_values(self, values, as_bytes(bytes)->data)) drop_slot(&bytes);
    return bytes;
}
