// int: 49-bit integers in the word itself, larger ones as heap objects (bigint.c), one type
// to the script. bool is here as well: True and False are immediates and count as 1 and 0 in
// arithmetic.
#pragma once

#include "objects/object.h"

extern Type int_type, bool_type;

// Any int: small, large, bool, instance of a subclass.
static inline bool int_check(ValueRef value)
{
    return is_small(value) || is_bool(value) || has_flag(value, TYPE_INT);
}
// Exactly an int, small or large.
static inline bool int_check_exact(ValueRef value)
{
    return is_small(value) || is_exactly(value, &int_type);
}

Value int_new(int64_t number);
Value int_from_uint64(uint64_t number);
Value int_from_double(double number); // truncates; OverflowError / ValueError for infinity and NaN
// The same number as exactly an int, for what may be a bool or an instance of a subclass.
Value int_exact(ValueRef value);
// Text (str, bytes or bytearray) in the base 2..36, or 0 = by prefix, as int(text, base) reads it.
// ValueError as there.
Value int_from_text(ValueRef text, int base);
// Digits the tokenizer has checked: no underscores, no prefix. `size` in bytes.
Value int_from_digits(const char *digits, size_t size, int base);
Value int_from_bytes(const unsigned char *bytes, size_t size, bool little_endian, bool is_signed);
bool int_to_bytes(ValueRef number, unsigned char *bytes, size_t size, bool little_endian,
                  bool is_signed);

// The number in C: `value` must pass int_check(). OverflowError "Python int too large to convert to
// C long".
// As __setstate__ and __sizeof__ take an int: TypeError for what is none, OverflowError.
bool int_as_ssize(ValueRef value, ssize_t *number);
bool int_as_int64(ValueRef value, int64_t *number);
// The same without an error: clamped, and -1, 0 or 1 for too small, exact, too large.
int int_as_int64_clamped(ValueRef value, int64_t *number);
int int_as_ssize_clamped(ValueRef value, ssize_t *number);
// What an int64_t is as an ssize_t, likewise: where that has 64 bits it always is exact.
static inline int ssize_clamped(int64_t wide, ssize_t *number)
{
    *number = (ssize_t)wide;
    if (*number == wide) return 0;
    *number = wide < 0 ? PTRDIFF_MIN : PTRDIFF_MAX;
    return wide < 0 ? -1 : 1;
}
bool int_as_uint64(ValueRef value, uint64_t *number);
bool int_as_double(ValueRef value,
                   double *number); // OverflowError "int too large to convert to float"
int int_sign(ValueRef value);       // -1, 0, 1
bool int_is_odd(ValueRef value);
int64_t int_bit_length(ValueRef value);
int64_t int_hash(ValueRef value);
Value int_to_text(ValueRef value, int base, bool prefix); // 2, 8, 10, 16

// sys.set_int_max_str_digits(): texts of more digits, in a base that is no power of two, are
// refused with ValueError in both directions, since their conversion takes more than linear time. 0
// = no limit; a limit has to be INT_STR_DIGITS_THRESHOLD at least, which is never refused.
#define INT_STR_DIGITS_THRESHOLD 640
#define INT_DEFAULT_MAX_STR_DIGITS 4300
extern int int_max_str_digits;

// Exact arithmetic on ints, whatever their size; the results are exactly int. ZeroDivisionError as
// in CPython.
Value int_add(ValueRef a, ValueRef b);
Value int_subtract(ValueRef a, ValueRef b);
Value int_multiply(ValueRef a, ValueRef b);
Value int_floor_divide(ValueRef a, ValueRef b);
Value int_remainder(ValueRef a, ValueRef b);
Value int_divmod(ValueRef a, ValueRef b);      // a tuple
Value int_true_divide(ValueRef a, ValueRef b); // a float, correctly rounded
Value int_negative(ValueRef a);
Value int_invert(ValueRef a);
Value int_and(ValueRef a, ValueRef b);
Value int_xor(ValueRef a, ValueRef b);
Value int_or(ValueRef a, ValueRef b);
Value int_lshift(ValueRef a, ValueRef b);
Value int_rshift(ValueRef a, ValueRef b);
Value int_power(ValueRef base, ValueRef exponent, ValueRef modulus); // modulus NONE = none
int int_compare(ValueRef a, ValueRef b);                             // <0, 0, >0
Value int_gcd(ValueRef a, ValueRef b);
Value int_isqrt(ValueRef value);
// The number as +-mantissa * 2^exponent with the mantissa rounded half to even to 53 bits
// (math.log, true division).
double int_frexp(ValueRef value, int64_t *exponent);
