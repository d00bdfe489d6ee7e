// Items of native formats: one table gives for each letter its C type and the conversion to a
// value.
#include "objects/bytes/item_format.h"
#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"

#include <wchar.h>

// FORMAT(letter, C type, class): SIGNED, UNSIGNED, REAL, or a class of its own. The items of an
// OPAQUE one can be moved, but a memoryview makes no values of them.
#define FORMATS                                                                                    \
    FORMAT('b', signed char, SIGNED)                                                               \
    FORMAT('B', unsigned char, UNSIGNED)                                                           \
    FORMAT('c', char, CHARACTER)                                                                   \
    FORMAT('h', short, SIGNED)                                                                     \
    FORMAT('H', unsigned short, UNSIGNED)                                                          \
    FORMAT('i', int, SIGNED)                                                                       \
    FORMAT('I', unsigned int, UNSIGNED)                                                            \
    FORMAT('l', long, SIGNED)                                                                      \
    FORMAT('L', unsigned long, UNSIGNED)                                                           \
    FORMAT('q', long long, SIGNED)                                                                 \
    FORMAT('Q', unsigned long long, UNSIGNED)                                                      \
    FORMAT('n', ssize_t, SIGNED)                                                                   \
    FORMAT('N', size_t, UNSIGNED)                                                                  \
    FORMAT('f', float, REAL)                                                                       \
    FORMAT('d', double, REAL)                                                                      \
    FORMAT('?', bool, TRUTH)                                                                       \
    FORMAT('P', void *, UNSIGNED)                                                                  \
    FORMAT('w', wchar_t, OPAQUE)

enum { SIGNED, UNSIGNED, REAL, CHARACTER, TRUTH, OPAQUE };

// By letter.
#define FORMAT(letter, type, class) [letter] = {(char[]){letter, 0}, letter, class, sizeof(type)},
const ItemFormat item_formats[128] = {FORMATS};
#undef FORMAT
#define FORMAT(letter, type, class)                                                                \
    [letter] = {(char[]){'@', letter, 0}, letter, class, sizeof(type)},
static const ItemFormat native[128] = {FORMATS};
#undef FORMAT

const ItemFormat *item_format(const char *text)
{
    const ItemFormat *table = text[0] == '@' ? native : item_formats;
    if (text[0] == '@') text++;
    const ItemFormat *format = &table[text[0] & 127];
    return text[0] && format->letter == text[0] && text[1] == 0 ? format : NULL;
}

// ---- the bits of an item

static inline uint64_t read_bits(const ItemFormat *format, const char *bytes)
{
    uint64_t bits = 0;
    item_copy(&bits, bytes, format->size);
    return bits;
}

static inline int64_t sign_extended(const ItemFormat *format, uint64_t bits)
{
    int shift = 64 - 8 * (int)format->size;
    return (int64_t)(bits << shift) >> shift;
}

static double read_real(const ItemFormat *format, const char *bytes)
{
    float single;
    double number;
    if (format->size == sizeof number) {
        memcpy(&number, bytes, sizeof number);
        return number;
    }
    memcpy(&single, bytes, sizeof single);
    return single;
}

static Value raise_opaque(const ItemFormat *format)
{
    return raise_error(NotImplementedError, "memoryview: format %s not supported", format->text);
}

bool item_is_opaque(const ItemFormat *format)
{
    return format->class == OPAQUE;
}

Value item_unpack(const ItemFormat *format, const char *bytes)
{
    switch (format->class) {
    case SIGNED: {
        int64_t number = sign_extended(format, read_bits(format, bytes));
        return fits_small(number) ? from_small(number) : int_new(number);
    }
    case UNSIGNED: {
        uint64_t bits = read_bits(format, bytes);
        return bits <= SMALL_MAX ? from_small((int64_t)bits) : int_from_uint64(bits);
    }
    case REAL: return float_new(read_real(format, bytes));
    case CHARACTER: return bytes_new(bytes, 1);
    case OPAQUE: return raise_opaque(format);
    default: return from_bool(*bytes != 0);
    }
}

// ---- packing

static Value bad_type(const ItemFormat *format)
{
    return raise_error(TypeError, "memoryview: invalid type for format '%c'", format->letter);
}

static Value bad_value(const ItemFormat *format)
{
    return raise_error(ValueError, "memoryview: invalid value for format '%c'", format->letter);
}

// Words the pending error as one of this format, where it says the same.
static Value reworded(const ItemFormat *format)
{
    bool type = error_is(TypeError), value = error_is(OverflowError) || error_is(ValueError);
    if (!type && !value) return VALUE_ERROR;
    error_clear();
    return type ? bad_type(format) : bad_value(format);
}

static bool integer_bits(const ItemFormat *format, ValueRef index, uint64_t *bits)
{
    int width = 8 * (int)format->size;
    bool has_sign = format->letter == 'P' && int_sign(index) < 0; // a pointer's bits
    if (format->class == UNSIGNED && !has_sign) {
        if (int_sign(index) < 0 || !int_as_uint64(index, bits)) return false;
        return width == 64 || *bits >> width == 0;
    }
    int64_t number;
    if (int_as_int64_clamped(index, &number) != 0) return false;
    *bits = (uint64_t)number;
    return sign_extended(format, *bits) == number;
}

static bool pack_integer(const ItemFormat *format, ValueRef value, char *bytes)
{
    uint64_t bits;
    if (format->letter == 'P' && !int_check(value)) return bad_type(format);
    Value index = object_index(value);
    if (!index) return reworded(format);
    bool fits = integer_bits(format, index, &bits);
    drop(index);
    if (!fits) {
        error_clear();
        return bad_value(format);
    }
    item_copy(bytes, &bits, format->size);
    return true;
}

static bool pack_real(const ItemFormat *format, ValueRef value, char *bytes)
{
    double number;
    if (!float_from_value(value, &number)) return reworded(format);
    float single = (float)number;
    memcpy(bytes, format->size == sizeof number ? (const void *)&number : &single,
           (size_t)format->size);
    return true;
}

bool item_pack(const ItemFormat *format, ValueRef value, char *bytes)
{
    bool truth;
    switch (format->class) {
    case REAL: return pack_real(format, value, bytes);
    case CHARACTER:
        if (!bytes_check(value)) return bad_type(format);
        if (as_bytes(value)->size != 1) return bad_value(format);
        *bytes = as_bytes(value)->data[0];
        return true;
    case OPAQUE: return raise_opaque(format);
    case TRUTH:
        if (!object_truth(value, &truth)) return false;
        *bytes = truth;
        return true;
    default: return pack_integer(format, value, bytes);
    }
}

// ---- comparing

bool item_bits_decide(const ItemFormat *a, const ItemFormat *b)
{
    return a->letter == b->letter && a->class != REAL && !item_is_opaque(a);
}

bool item_format_equal(const ItemFormat *a, const char *a_bytes, const ItemFormat *b,
                       const char *b_bytes, bool *equal)
{
    *equal = false;
    if (item_is_opaque(a) || item_is_opaque(b)) return true;
    if (a->letter == b->letter) {
        if (a->class == REAL)
            *equal = read_real(a, a_bytes) == read_real(b, b_bytes);
        else
            *equal = read_bits(a, a_bytes) == read_bits(b, b_bytes);
        return true;
    }
    Value left = item_unpack(a, a_bytes);
    Value right = left ? item_unpack(b, b_bytes) : VALUE_ERROR;
    bool done = right && object_equal(left, right, equal);
    drop(right);
    drop(left);
    return done;
}
