// Inline arithmetic of the loop, on numbers that are stored in the Value itself.
//
// Each function takes any two values. It returns true if both are small ints (or both floats, for
// some operators) and the result is one as well; else it has done nothing. No reference is counted,
// nothing is allocated. Small ints have 49 bits: shifted left by 15, they overflow exactly when the
// machine's 64-bit operation does.
#pragma once

#include "compiler/opcode.h"
#include "objects/value.h"

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

static inline int64_t raised(ValueRef small)
{
    return (int64_t)(bits_of(small) << 15);
}
static inline Value lowered(int64_t bits)
{
    return from_bits(INT_TAG | (uint64_t)bits >> 15);
}

static inline bool float_result(double number, Value *result)
{
    *result = from_double(number);
    return number == number; // a NaN is an object
}

static inline bool both_doubles(ValueRef a, ValueRef b)
{
    return is_double(a) && is_double(b);
}

static inline bool number_add(ValueRef a, ValueRef b, Value *result)
{
    if (are_small(a, b)) {
        int64_t sum;
        if (__builtin_add_overflow(raised(a), raised(b), &sum)) return false;
        *result = lowered(sum);
        return true;
    }
    return both_doubles(a, b) && float_result(double_value(a) + double_value(b), result);
}

static inline bool number_subtract(ValueRef a, ValueRef b, Value *result)
{
    if (are_small(a, b)) {
        int64_t difference;
        if (__builtin_sub_overflow(raised(a), raised(b), &difference)) return false;
        *result = lowered(difference);
        return true;
    }
    return both_doubles(a, b) && float_result(double_value(a) - double_value(b), result);
}

static inline bool number_multiply(ValueRef a, ValueRef b, Value *result)
{
    if (are_small(a, b)) {
        int64_t product;
        if (__builtin_mul_overflow(raised(a), small_value(b), &product)) return false;
        *result = lowered(product);
        return true;
    }
    return both_doubles(a, b) && float_result(double_value(a) * double_value(b), result);
}

// Division of 32 bits takes half the time of one of 64.
static inline bool both_short(int64_t x, int64_t y)
{
    return ((uint64_t)x | (uint64_t)y) >> 32 == 0;
}

static inline bool number_remainder(ValueRef a, ValueRef b, Value *result)
{
    if (unlikely(!are_small(a, b) || small_value(b) == 0)) return false;
    int64_t x = small_value(a), y = small_value(b);
    if (both_short(x, y)) {
        *result = from_small((int64_t)((uint32_t)x % (uint32_t)y));
        return true;
    }
    int64_t rest = x % y;
    if (rest && (rest ^ y) < 0) rest += y;
    *result = from_small(rest);
    return true;
}

static inline bool number_floor_divide(ValueRef a, ValueRef b, Value *result)
{
    if (unlikely(!are_small(a, b) || small_value(b) == 0)) return false;
    int64_t x = small_value(a), y = small_value(b);
    if (both_short(x, y)) {
        *result = from_small((int64_t)((uint32_t)x / (uint32_t)y));
        return true;
    }
    int64_t quotient = x / y;
    if (x % y && (x ^ y) < 0) quotient--;
    *result = from_small(quotient);
    return fits_small(quotient);
}

static inline bool number_true_divide(ValueRef a, ValueRef b, Value *result)
{
    double x, y;
    if (both_doubles(a, b)) {
        x = double_value(a);
        y = double_value(b);
    } else if (are_small(a, b)) {
        x = (double)small_value(a);
        y = (double)small_value(b);
    } else {
        return false;
    }
    return y != 0 && float_result(x / y, result);
}

// An int and a float: a small int is exact as a double. `op`: the opcode, which may be any.
static inline bool number_mixed(int op, ValueRef a, ValueRef b, Value *result)
{
    if (is_small(a) ? !is_double(b) : !is_double(a) || !is_small(b)) return false;
    double x = is_small(a) ? (double)small_value(a) : double_value(a);
    double y = is_small(b) ? (double)small_value(b) : double_value(b);
    switch (op) {
    case BINARY_ADD:
    case INPLACE_ADD: return float_result(x + y, result);
    case BINARY_SUBTRACT:
    case INPLACE_SUBTRACT: return float_result(x - y, result);
    case BINARY_MULTIPLY:
    case INPLACE_MULTIPLY: return float_result(x * y, result);
    case BINARY_TRUE_DIVIDE:
    case INPLACE_TRUE_DIVIDE: return y != 0 && float_result(x / y, result);
    default: return false;
    }
}

static inline bool number_and(ValueRef a, ValueRef b, Value *result)
{
    *result = from_bits(bits_of(a) & bits_of(b));
    return are_small(a, b);
}

static inline bool number_or(ValueRef a, ValueRef b, Value *result)
{
    *result = from_bits(bits_of(a) | bits_of(b));
    return are_small(a, b);
}

static inline bool number_xor(ValueRef a, ValueRef b, Value *result)
{
    *result = from_bits((bits_of(a) ^ bits_of(b)) | INT_TAG);
    return are_small(a, b);
}

static inline bool number_lshift(ValueRef a, ValueRef b, Value *result)
{
    if (!are_small(a, b)) return false;
    int64_t number = small_value(a), count = small_value(b);
    if ((uint64_t)count >= SMALL_BITS - 1) return false;
    if (number > SMALL_MAX >> count || number < SMALL_MIN >> count) return false;
    *result = from_small((int64_t)((uint64_t)number << count));
    return true;
}

static inline bool number_rshift(ValueRef a, ValueRef b, Value *result)
{
    if (!are_small(a, b) || small_value(b) < 0) return false;
    int64_t count = small_value(b);
    *result = from_small(small_value(a) >> (count > 63 ? 63 : count));
    return true;
}

// Comparisons: 0 or 1; -1 = not both such numbers.
#define NUMBER_COMPARE(name, operator)                                                             \
    static inline int number_##name(ValueRef a, ValueRef b)                                        \
    {                                                                                              \
        if (are_small(a, b)) return raised(a) operator raised(b);                                  \
        if (both_doubles(a, b)) return double_value(a) operator double_value(b);                   \
        return -1;                                                                                 \
    }
NUMBER_COMPARE(lt, <)
NUMBER_COMPARE(le, <=)
NUMBER_COMPARE(eq, ==)
NUMBER_COMPARE(ne, !=)
NUMBER_COMPARE(gt, >)
NUMBER_COMPARE(ge, >=)
#undef NUMBER_COMPARE
