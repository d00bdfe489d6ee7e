// float: a double in the word itself; a NaN and instances of subclasses are heap objects.
#pragma once

#include "objects/object.h"

typedef struct Float {
    Object base;
    double number;
} Float;

extern Type float_type;

static inline bool float_check(ValueRef value)
{
    return is_double(value) || has_flag(value, TYPE_FLOAT);
}
static inline bool float_check_exact(ValueRef value)
{
    return is_double(value) || is_exactly(value, &float_type);
}

Value float_new_nan(double nan);
static inline Value float_new(double number)
{
    return number == number ? from_double(number) : float_new_nan(number);
}

// `value` must pass float_check().
static inline double float_value(ValueRef value)
{
    return is_double(value) ? double_value(value) : ((const Float *)object_of(value))->number;
}
// The double of any real number: a float, an int, or a value with __float__ or __index__. TypeError
// "must be real number, not T".
bool float_from_value(ValueRef value, double *number);
Value float_from_text(ValueRef text); // float("..."): a str or an object that lends a buffer
// Reads decimal text with a sign, point or exponent, but without spaces or underscores, correctly
// rounded (infinity if it is too large); false = not a number.
bool double_from_digits(const char *text, size_t size, double *number);
// Shortest text that reads back as the same double: repr(). At most 32 bytes with the final NUL.
void double_repr(double number, char *text);
// Text by a kind of printf: 'e' 'f' 'g', or 'r' (repr), with `precision`, correctly rounded. The
// flags are those of PyOS_double_to_string. Owned by memory_alloc; NULL with MemoryError pending.
typedef enum DoubleFlag { DOUBLE_SIGN = 1, DOUBLE_DOT_ZERO = 2, DOUBLE_ALT = 4 } DoubleFlag;
char *double_format(double number, char kind, int precision, int flags);
int64_t double_hash(double number);
double double_remainder(double a, double b);     // as Python's %
Value float_power(double base, double exponent); // as Python's **, which may give a complex
// round(number, digits), half to even on the exact value.
double double_round(double number, int digits);
