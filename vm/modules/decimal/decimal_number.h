// Numbers of the module decimal, and what can be computed with them: no values of the language.
//
//     number = coefficient * 10^exponent, with a sign       FINITE: 1.20 is 120 * 10^-2
//     infinity, NaN, signalling NaN                         the coefficient of a NaN is its payload
//
// The operations are those of the General Decimal Arithmetic Specification (speleotrove.com), with
// the results and flags that libmpdec has, which CPython's _decimal is made of. Each has the shape
//
//     bool number_add(Number *result, const Number *a, const Number *b, Context *context);
//
// and rounds the result to the context. What happened is added to context->status. False: no
// memory, or Ctrl-C, with the exception pending. `result` is begun, and is none of the operands
// unless the line says "in place".
#pragma once

#include "vm/modules/decimal/decimal_limbs.h"

#include <string.h>

typedef enum NumberKind { FINITE, INFINITE, QUIET_NAN, SIGNALING_NAN } NumberKind;

#define FEW_LIMBS 8 // of a product of two numbers of the default precision

// Do not copy a Number: `limbs` may point into it.
typedef struct Number {
    NumberKind kind;
    bool negative;
    int64_t exponent;
    size_t size;     // limbs in use: normal, so zero has none
    size_t capacity; // 0 = the limbs belong to somebody else
    Limb9 *limbs;
    Limb9 few[FEW_LIMBS];
} Number;

typedef enum Rounding {
    ROUND_UP,
    ROUND_DOWN,
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_UP,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_05UP,
    ROUNDING_COUNT
} Rounding;

// Conditions: bits of `status` and `traps`.
typedef enum Condition {
    CLAMPED = 1 << 0,
    CONVERSION_SYNTAX = 1 << 1,
    DIVISION_BY_ZERO = 1 << 2,
    DIVISION_IMPOSSIBLE = 1 << 3,
    DIVISION_UNDEFINED = 1 << 4,
    INEXACT = 1 << 6,
    INVALID_CONTEXT = 1 << 7,
    INVALID_OPERATION = 1 << 8,
    FLOAT_OPERATION = 1 << 10,
    OVERFLOWED = 1 << 11,
    ROUNDED = 1 << 12,
    SUBNORMAL = 1 << 13,
    UNDERFLOWED = 1 << 14,
    // What the signal InvalidOperation stands for.
    ANY_INVALID = CONVERSION_SYNTAX | DIVISION_IMPOSSIBLE | DIVISION_UNDEFINED | INVALID_CONTEXT |
                  INVALID_OPERATION,
    ANY_ERROR = ANY_INVALID | DIVISION_BY_ZERO,
} Condition;

// The limits are the same on all machines (those of CPython where pointers have 64 bits).
#define MAX_PREC 999999999999999999
#define MAX_EMAX 999999999999999999
#define MIN_EMIN (-999999999999999999)
#define MIN_ETINY (MIN_EMIN - (MAX_PREC - 1))

typedef struct Context {
    int64_t prec, emax, emin;
    uint32_t status; // what has happened
    uint32_t traps;  // what raises an exception
    uint8_t rounding;
    bool clamp, capitals;
} Context;

static inline int64_t context_etiny(const Context *context)
{
    return context->emin - (context->prec - 1);
}
static inline int64_t context_etop(const Context *context)
{
    return context->emax - (context->prec - 1);
}
// The largest limits, with this precision, rounding half to even: for steps of a calculation.
Context context_for_work(int64_t prec);
// The largest limits, which no exact result is rounded to.
#define context_for_exact() context_for_work(MAX_PREC)

// ---- decimal_number.c: the storage of a number
static inline void number_begin(Number *number)
{
    number->kind = FINITE;
    number->negative = false;
    number->exponent = 0;
    number->size = 0;
    number->capacity = FEW_LIMBS;
    number->limbs = number->few;
}
void number_free(Number *number);
static inline void number_end(Number *number)
{
    if (number->capacity > FEW_LIMBS) number_free(number);
}
// Room for so many limbs; what was in them is lost. In int64_t, as sizes come from exponents.
bool number_reserve(Number *number, int64_t limbs);
// The same, but the limbs stay.
bool number_grow(Number *number, int64_t limbs);
static inline void number_normalize(Number *number)
{
    number->size = limbs_normal_size(number->limbs, number->size);
}
bool number_copy(Number *result, const Number *a);
void number_swap(Number *a, Number *b);
// Another number with the same limbs: it ends before `a` does.
static inline void number_share(Number *view, const Number *a)
{
    view->kind = a->kind;
    view->negative = a->negative;
    view->exponent = a->exponent;
    view->size = a->size;
    view->capacity = 0;
    view->limbs = a->limbs;
}
void number_set_special(Number *number, NumberKind kind, bool negative);
void number_set_small(Number *number, uint64_t coefficient, int64_t exponent); // below BASE^3
void number_set_int(Number *number, int64_t integer);
static inline void number_set_zero(Number *number, bool negative, int64_t exponent)
{
    number_set_small(number, 0, exponent);
    number->negative = negative;
}
// 10^(prec - 1) * 10^(1 - prec), that is 1.000: a one with all digits.
bool number_set_padded_one(Number *number, int64_t digits);
bool number_set_nines(Number *number, int64_t digits, int64_t exponent);

static inline bool is_special(const Number *a)
{
    return a->kind != FINITE;
}
static inline bool is_nan(const Number *a)
{
    return a->kind >= QUIET_NAN;
}
static inline bool is_zero(const Number *a)
{
    return a->kind == FINITE && !a->size;
}
// Digits of the coefficient; a zero has one.
static inline int64_t number_digits(const Number *a)
{
    int64_t digits = limbs_digits(a->limbs, a->size);
    return digits ? digits : 1;
}
// The exponent of the first digit.
static inline int64_t number_adjusted(const Number *a)
{
    return a->exponent + number_digits(a) - 1;
}
bool number_is_integer(const Number *a); // finite, and without a fraction
bool number_is_odd(const Number *a);     // of an integer
// 1 where the coefficient is a power of ten (1, 10, 100, ...).
bool number_is_power_of_ten(const Number *a);
// The number as an int64_t; false if it is no integer or does not fit.
bool number_as_int64(const Number *a, int64_t *integer);
// coefficient * 10^digits, the exponent as it is; in place. The second cuts digits off, and returns
// what limbs_shift_right() does.
bool number_shift_left(Number *number, int64_t digits);
int number_shift_right(Number *number, int64_t digits);
void number_increment(Number *number); // the coefficient; there is room for one limb more

// ---- decimal_rounding.c
// Does the coefficient grow by one where digits were cut off? `cut` is as limbs_shift_right() says.
bool rounds_up(const Number *number, int cut, Rounding rounding);
// Rounds to the precision and the limits of the context. In place.
bool number_finish(Number *number, Context *context);
// The same for a number that is only copied: the result of the operation `plus`.
bool number_round(Number *result, const Number *a, Context *context);
// NaN, with the condition in the status.
bool number_invalid(Number *result, Condition condition, Context *context);
// True: an operand is a NaN, and so is the result (b may be NULL). *done is what the operation
// returns then.
bool takes_nan(Number *result, const Number *a, const Number *b, Context *context, bool *done);

// ---- decimal_arithmetic.c
typedef bool (*UnaryOperation)(Number *result, const Number *a, Context *context);
typedef bool (*BinaryOperation)(Number *result, const Number *a, const Number *b, Context *context);
#define UNARY(name) bool number_##name(Number *result, const Number *a, Context *context);
#define BINARY(name)                                                                               \
    bool number_##name(Number *result, const Number *a, const Number *b, Context *context);
BINARY(add)
BINARY(subtract)
BINARY(multiply)
UNARY(plus)
UNARY(minus)
UNARY(abs)
bool number_fma(Number *result, const Number *a, const Number *b, const Number *c,
                Context *context);
// |a| * |b| and the sum of the exponents, exactly.
bool number_multiply_exactly(Number *result, const Number *a, const Number *b);
bool number_scale(Number *number, uint32_t factor); // number * factor, exactly; in place
bool number_multiply_by_power(Number *number, uint32_t base, int64_t power); // exactly; in place

// ---- decimal_division.c
BINARY(divide)
BINARY(divide_int)
BINARY(remainder)
BINARY(remainder_near)
UNARY(sqrt)
bool number_divmod(Number *quotient, Number *remainder, const Number *a, const Number *b,
                   Context *context);
// coefficient / divisor, cut off; in place. Returns the remainder.
uint32_t number_divide_small(Number *number, uint32_t divisor);
bool number_divide_by_int(Number *number, uint32_t divisor, Context *context); // in place

// ---- decimal_exponential.c, decimal_power.c
UNARY(exp)
UNARY(ln)
UNARY(log10)
BINARY(power)
bool number_power_modulo(Number *result, const Number *base, const Number *exponent,
                         const Number *modulus, Context *context);
void logarithms_finish(void); // forgets the ln(10) that is kept

// ---- decimal_compare.c
int number_order(const Number *a, const Number *b);           // of numbers that are no NaN
int number_order_of_sizes(const Number *a, const Number *b);  // |a| and |b|
int number_order_total(const Number *a, const Number *b);     // compare_total()
int number_order_total_mag(const Number *a, const Number *b); // compare_total_mag()
BINARY(compare)
BINARY(compare_signal)
BINARY(max)
BINARY(max_mag)
BINARY(min)
BINARY(min_mag)
UNARY(next_minus)
UNARY(next_plus)
BINARY(next_toward)
const char *number_class(const Number *a, const Context *context);
bool number_is_normal(const Number *a, const Context *context);
bool number_is_subnormal(const Number *a, const Context *context);
bool number_same_quantum(const Number *a, const Number *b);

// ---- decimal_digits.c
BINARY(quantize)
UNARY(to_integral_exact)
UNARY(to_integral_value)
UNARY(reduce) // normalize()
UNARY(logb)
BINARY(scaleb)
BINARY(rotate)
BINARY(shift)
BINARY(logical_and)
BINARY(logical_or)
BINARY(logical_xor)
UNARY(logical_invert)
// With this exponent, rounded; the precision does not matter. In place.
bool number_rescale(Number *number, int64_t exponent, Context *context);
bool number_truncate(Number *result, const Number *a); // the integer part, with an exponent >= 0

// ---- decimal_text.c
// Reads a number; INVALID_OPERATION | CONVERSION_SYNTAX in the status where it is none. The text is
// ASCII. `exact`: nothing is rounded, and what is beyond the limits is invalid.
bool number_from_text(Number *result, const char *text, size_t size, bool exact, Context *context);
// What `number` becomes where a result must be exact: invalid beyond the largest limits.
bool number_finish_exactly(Number *number, Context *context);
// In scientific or engineering notation, NUL-terminated, by memory_alloc(); NULL = no memory.
char *number_to_text(const Number *a, bool engineering, bool capitals, size_t *size);
// The same with the point after so many digits, and an exponent, if it needs one.
char *number_lay_out(const Number *a, int64_t point, char letter, size_t *size);
// All digits of a coefficient, without a NUL.
void write_digits(char *text, const Limb9 *limbs, size_t size, int64_t digits);
