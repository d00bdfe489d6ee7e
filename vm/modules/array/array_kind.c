// The kinds of items: one row for each typecode, in CPython's order, and how a value becomes the
// bytes of an item. CPython: Modules/arraymodule.c, and Python/getargs.c for the words of its
// errors, of which there are as many as types of C.
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/modules/array/array.h"

#include <limits.h>
#include <wchar.h>

#define SHORT_RANGE {"signed short integer", SHRT_MIN, SHRT_MAX}
#define INT_RANGE {"signed integer", INT_MIN, INT_MAX}
// The code of a machine format is even for little-endian items of two bytes and more.
#define UNSIGNED_FORMAT(type)                                                                      \
    (sizeof(type) == 1 ? 0 : sizeof(type) == 2 ? 2 : sizeof(type) == 4 ? 6 : 10)
#define SIGNED_FORMAT(type) (sizeof(type) == 1 ? 1 : UNSIGNED_FORMAT(type) + 2)
#define SIGNED(letter, type, ...)                                                                  \
    {                                                                                              \
        letter, letter, ITEM_SIGNED, sizeof(type), SIGNED_FORMAT(type),                            \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define UNSIGNED(letter, type, ...)                                                                \
    {                                                                                              \
        letter, letter, ITEM_UNSIGNED, sizeof(type), UNSIGNED_FORMAT(type),                        \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

const ArrayKind array_kinds[] = {
    SIGNED("b", signed char, SHORT_RANGE, {"signed char", SCHAR_MIN, SCHAR_MAX}),
    UNSIGNED("B", unsigned char, {"unsigned byte integer", 0, UCHAR_MAX}),
    {"u", "w", ITEM_CHARACTER, sizeof(wchar_t), sizeof(wchar_t) == 2 ? 18 : 20, {{0}}},
    SIGNED("h", short, SHORT_RANGE),
    UNSIGNED("H", unsigned short, INT_RANGE, {"unsigned short", 0, USHRT_MAX}),
    SIGNED("i", int, INT_RANGE),
    UNSIGNED("I", unsigned int, {0}),
    SIGNED("l", long, {0}),
    UNSIGNED("L", unsigned long, {0}),
    SIGNED("q", long long, {0}),
    UNSIGNED("Q", unsigned long long, {0}),
    {"f", "f", ITEM_REAL, sizeof(float), 14, {{0}}},
    {"d", "d", ITEM_REAL, sizeof(double), 16, {{0}}},
    {0},
};

const ArrayKind *array_kind(uint32_t typecode)
{
    for (const ArrayKind *kind = array_kinds; kind->letter; kind++)
        if (typecode == (uint32_t)kind->letter[0]) return kind;
    return NULL;
}

bool typecode_argument(ValueRef value, const char *function, int number, uint32_t *typecode)
{
    if (!str_check(value) || str_length(value) != 1)
        return raise_error(TypeError, "%s argument %d must be a unicode character, not %T",
                           function, number, value);
    *typecode = str_at(as_str(value), 0);
    return true;
}

// ---- reading

static Value read_character(const char *bytes)
{
    wchar_t point;
    memcpy(&point, bytes, sizeof point);
    if ((uint32_t)point > 0x10FFFF)
        return raise_error(ValueError, "character U+%x is not in range [U+0000; U+10ffff]",
                           (unsigned)point);
    return str_from_code_point((uint32_t)point);
}

Value item_read(const ArrayKind *kind, const char *bytes)
{
    if (kind->class == ITEM_CHARACTER) return read_character(bytes);
    return item_unpack(&item_formats[kind->format[0] & 127], bytes);
}

// ---- writing

// The number of a value that a signed type of C, min..max, can hold.
static bool read_signed(ValueRef value, const char *overflow, int64_t min, int64_t max,
                        int64_t *number)
{
    int outside = 0;
    if (is_small(value)) {
        *number = small_value(value);
    } else {
        if (float_check(value))
            return raise_error(TypeError, "integer argument expected, got float");
        Value index = object_index_or_int(value);
        if (!index) return false;
        outside = int_as_int64_clamped(index, number);
        drop(index);
    }
    if (!outside && *number >= min && *number <= max) return true;
    return raise_error(OverflowError, "%s", overflow);
}

static bool is_in_ranges(const ArrayKind *kind, int64_t number)
{
    for (int i = 0; i < 2 && kind->ranges[i].name; i++) {
        const ItemRange *range = &kind->ranges[i];
        if (number < range->min)
            return raise_error(OverflowError, "%s is less than minimum", range->name);
        if (number > range->max)
            return raise_error(OverflowError, "%s is greater than maximum", range->name);
    }
    return true;
}

static bool write_signed(const ArrayKind *kind, ValueRef value, char *bytes)
{
    int64_t number;
    bool wide = kind->letter[0] == 'q';
    bool read = wide ? read_signed(value, "int too big to convert", INT64_MIN, INT64_MAX, &number)
                     : read_signed(value, "Python int too large to convert to C long", LONG_MIN,
                                   LONG_MAX, &number);
    if (!read || !is_in_ranges(kind, number)) return false;
    item_copy(bytes, &number, kind->size);
    return true;
}

// The errors of an item that does not fit an unsigned long or long long.
static Value raise_unsigned(const ArrayKind *kind, bool negative)
{
    bool wide = kind->letter[0] == 'Q';
    if (negative)
        return raise_error(OverflowError, wide ? "can't convert negative int to unsigned"
                                               : "can't convert negative value to unsigned int");
    return raise_error(OverflowError, wide ? "int too big to convert"
                                           : "Python int too large to convert to C unsigned long");
}

static bool write_unsigned(const ArrayKind *kind, ValueRef value, char *bytes)
{
    if (float_check(value)) return raise_error(TypeError, "array item must be integer");
    Value index = object_index_or_int(value);
    if (!index) return false;
    uint64_t bits = 0;
    bool negative = int_sign(index) < 0, fits = !negative && int_bit_length(index) <= 64;
    if (fits) int_as_uint64(index, &bits);
    drop(index);
    if (!fits) return raise_unsigned(kind, negative);
    if (kind->letter[0] == 'I' && bits <= ULONG_MAX && bits > UINT_MAX)
        return raise_error(OverflowError, "unsigned int is greater than maximum");
    if (kind->size < 8 && bits >> 8 * kind->size) return raise_unsigned(kind, false);
    memcpy(bytes, &bits, kind->size);
    return true;
}

static bool write_real(const ArrayKind *kind, ValueRef value, char *bytes)
{
    double number;
    if (!float_from_value(value, &number)) return false;
    float single = (float)number;
    memcpy(bytes, kind->size == sizeof single ? (const void *)&single : &number, kind->size);
    return true;
}

static bool write_character(ValueRef value, char *bytes)
{
    if (!str_check(value) || str_length(value) != 1)
        return raise_error(TypeError, "array item must be unicode character");
    wchar_t point = (wchar_t)str_at(as_str(value), 0);
    memcpy(bytes, &point, sizeof point);
    return true;
}

bool item_write(const ArrayKind *kind, ValueRef value, char *bytes)
{
    switch ((ItemClass)kind->class) {
    case ITEM_REAL: return write_real(kind, value, bytes);
    case ITEM_CHARACTER: return write_character(value, bytes);
    case ITEM_SIGNED: return write_signed(kind, value, bytes);
    case ITEM_UNSIGNED: break;
    }
    // A short one goes through a signed type of C.
    return kind->ranges[0].name ? write_signed(kind, value, bytes)
                                : write_unsigned(kind, value, bytes);
}
