// int: integers of 49 bits are in the word itself, larger ones are heap objects (bigint.c); a
// script sees one type. bool is here as well: True and False are immediates and count as 1 and 0 in
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
// The same number as exactly an int; `value` may be a bool or an instance of a subclass.
Value int_exact(ValueRef value);
// int(text, base) for a str, bytes or bytearray and a base of 2..36; 0 = the prefix gives it.
// ValueError as in CPython.
Value int_from_text(ValueRef text, int base);
// Digits the tokenizer has checked: no underscores, no prefix. `size` in bytes.
Value int_from_digits(const char *digits, size_t size, int base);
Value int_from_bytes(const unsigned char *bytes, size_t size, bool little_endian, bool is_signed);
bool int_to_bytes(ValueRef number, unsigned char *bytes, size_t size, bool little_endian,
                  bool is_signed);

// The number as a C type: `value` must pass int_check(). OverflowError "Python int too large to
// convert to C long". int_as_ssize() takes any value: TypeError if it is no int.
bool int_as_ssize(ValueRef value, ssize_t *number);
bool int_as_int64(ValueRef value, int64_t *number);
// The same without an error: clamped. Returns -1 if the number is too small, 0 if exact, 1 if too
// large.
int int_as_int64_clamped(ValueRef value, int64_t *number);
int int_as_ssize_clamped(ValueRef value, ssize_t *number);
// Clamps an int64_t to ssize_t in the same way; with 64-bit pointers it is always exact.
static inline int ssize_clamped(int64_t wide, ssize_t *number)
{
    *number = (ssize_t)wide;
    if (*number == wide) return 0;
    *number = wide < 0 ? PTRDIFF_MIN : PTRDIFF_MAX;
    return wide < 0 ? -1 : 1;
}
bool int_as_uint64(ValueRef value, uint64_t *number);
uint64_t int_as_uint64_mask(ValueRef value); // the lowest 64 bits in two's complement; no error
bool int_as_double(ValueRef value,
                   double *number); // OverflowError "int too large to convert to float"
int int_sign(ValueRef value);       // -1, 0, 1
bool int_is_odd(ValueRef value);
int64_t int_bit_length(ValueRef value);
int64_t int_hash(ValueRef value);
Value int_to_text(ValueRef value, int base, bool prefix); // 2, 8, 10, 16

// sys.set_int_max_str_digits(): in bases that are no power of two, texts of more digits raise
// ValueError in both directions, because their conversion takes more than linear time. 0 = no
// limit. Any other limit is at least INT_STR_DIGITS_THRESHOLD.
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
