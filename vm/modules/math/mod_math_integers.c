// The functions of math that are about integers: factorial, perm, comb, gcd, lcm, isqrt, and
// rounding to an integer.
//
// A long product is split into halves recursively, so that both factors of each multiplication have
// about the same length.
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/upcalls.h"
#include "vm/modules/math/mod_math.h"

#include <math.h>

// ---- products

static Value multiply_and_drop(Value a, Value b)
{
    Value product = a && b ? int_multiply(a, b) : VALUE_ERROR;
    if (a) drop(a);
    if (b) drop(b);
    return product;
}

// first * (first + 1) * ... * last, for 1 <= first and last below 2^48.
static Value range_product(int64_t first, int64_t last)
{
    if (first > last) return from_small(1);
    int bits = 64 - __builtin_clzll((uint64_t)last);
    if ((last - first + 1) * bits < 63) {
        int64_t product = first;
        while (first < last) product *= ++first;
        return int_new(product);
    }
    if (first == last) return int_new(first);
    if (!poll_signals()) return VALUE_ERROR;
    int64_t middle = first + (last - first) / 2;
    Value low = range_product(first, middle);
    if (!low) return VALUE_ERROR;
    return multiply_and_drop(low, range_product(middle + 1, last));
}

// n * (n - 1) * ... * (n - count + 1) for an n of any size; count > 0.
static Value falling_product(ValueRef n, int64_t count)
{
    int64_t last;
    if (is_small(n)) {
        last = small_value(n);
        return range_product(last - count + 1, last);
    }
    if (count == 1) return int_exact(n);
    int64_t half = count / 2;
    Value high = falling_product(n, half);
    if (!high) return VALUE_ERROR;
    Value rest = int_subtract(n, from_small(half)), low = VALUE_ERROR;
    if (rest) {
        low = falling_product(rest, count - half);
        drop(rest);
    }
    return multiply_and_drop(high, low);
}

static Value factorial_of(int order, int64_t number)
{
    if (order > 0)
        return raise_error(OverflowError, "factorial() argument should not exceed %lld", INT64_MAX);
    if (order < 0 || number < 0)
        return raise_error(ValueError, "factorial() not defined for negative values");
    if (number > SMALL_MAX) return raise_memory_error();
    return range_product(2, number);
}

Value math_factorial(FUNCTION_ARGS)
{
    Value integer;
    if (float_check(args[0])) {
        if (!warn(DeprecationWarning, 1, "Using factorial() with floats is deprecated"))
            return VALUE_ERROR;
        double number = float_value(args[0]);
        if (!isfinite(number) || number != floor(number))
            return raise_error(ValueError, "factorial() only accepts integral values");
        integer = int_from_double(number);
    } else {
        integer = object_index(args[0]);
    }
    if (!integer) return VALUE_ERROR;
    int64_t number;
    int order = int_as_int64_clamped(integer, &number);
    drop(integer);
    return factorial_of(order, number);
}

// ---- perm and comb

// The arguments of both: ints of any kind, owned. False with an exception pending.
static bool read_n_and_k(const ValueRef *args, Value *n, Value *k)
{
    *k = VALUE_ERROR;
    *n = object_index(args[0]);
    if (!*n) return false;
    *k = object_index(args[1]);
    if (*k && int_sign(*n) < 0) raise_error(ValueError, "n must be a non-negative integer");
    if (*k && int_sign(*n) >= 0 && int_sign(*k) < 0)
        raise_error(ValueError, "k must be a non-negative integer");
    if (*k && int_sign(*n) >= 0 && int_sign(*k) >= 0) return true;
    drop_slot(n);
    if (*k) drop_slot(k);
    return false;
}

static Value perm_of(ValueRef n, ValueRef k)
{
    int64_t count;
    if (int_compare(n, k) < 0) return from_small(0);
    if (int_as_int64_clamped(k, &count))
        return raise_error(OverflowError, "k must not exceed %lld", (long long)INT64_MAX);
    return count ? falling_product(n, count) : from_small(1);
}

Value math_perm(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (nargs < 2 || args[1] == NONE) return math_factorial(self, args, 1, kwnames);
    Value n, k;
    if (!read_n_and_k(args, &n, &k)) return VALUE_ERROR;
    Value result = perm_of(n, k);
    drop(n);
    drop(k);
    return result;
}

static Value quotient_and_drop(Value a, Value b)
{
    Value quotient = a && b ? int_floor_divide(a, b) : VALUE_ERROR;
    if (a) drop(a);
    if (b) drop(b);
    return quotient;
}

// n over k where 0 <= k <= n; rest = n - k.
static Value comb_of(ValueRef n, ValueRef k, ValueRef rest)
{
    int64_t count;
    if (int_as_int64_clamped(int_compare(rest, k) < 0 ? rest : k, &count))
        return raise_error(OverflowError, "min(n - k, k) must not exceed %lld",
                           (long long)INT64_MAX);
    if (!count) return from_small(1);
    Value above = falling_product(n, count);
    if (!above) return VALUE_ERROR;
    return quotient_and_drop(above, range_product(2, count));
}

Value math_comb(FUNCTION_ARGS)
{
    Value n, k;
    if (!read_n_and_k(args, &n, &k)) return VALUE_ERROR;
    Value rest = int_subtract(n, k), result = VALUE_ERROR;
    if (rest) result = int_sign(rest) < 0 ? from_small(0) : comb_of(n, k, rest);
    if (rest) drop(rest);
    drop(n);
    drop(k);
    return result;
}

// ---- divisors and roots

static Value absolute(ValueRef value)
{
    return int_sign(value) < 0 ? int_negative(value) : int_exact(value);
}

static Value lcm_of(ValueRef a, ValueRef b)
{
    if (!int_sign(a) || !int_sign(b)) return from_small(0);
    Value divisor = int_gcd(a, b);
    if (!divisor) return VALUE_ERROR;
    Value factor = int_floor_divide(a, divisor);
    drop(divisor);
    Value product = factor ? int_multiply(factor, b) : VALUE_ERROR;
    if (factor) drop(factor);
    if (!product) return VALUE_ERROR;
    Value result = absolute(product);
    drop(product);
    return result;
}

// Combines all arguments by a function, from the left; `none` is the result of no arguments.
static Value fold(const ValueRef *args, size_t nargs, Value none, BinaryFn combine)
{
    if (!nargs) return none;
    Value first = object_index(args[0]);
    Value result = first ? absolute(first) : VALUE_ERROR;
    if (first) drop(first);
    for (size_t i = 1; i < nargs && result; i++) {
        Value next = object_index(args[i]);
        if (next) {
            replace_slot(&result, combine(result, next));
            drop(next);
        } else {
            drop_slot(&result);
        }
    }
    return result;
}

Value math_gcd(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self, (void)kwnames;
    return fold(args, nargs, from_small(0), int_gcd);
}

Value math_lcm(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self, (void)kwnames;
    return fold(args, nargs, from_small(1), lcm_of);
}

Value math_isqrt(FUNCTION_ARGS)
{
    Value number = object_index(args[0]);
    if (!number) return VALUE_ERROR;
    Value root = int_isqrt(number);
    drop(number);
    return root;
}

// ---- rounding

// The special method's result: owned, ABSENT where the type has none.
static Value call_special(ValueRef value, ValueRef name)
{
    Value method = object_special(value, name);
    if (!method || method == ABSENT) return method;
    Value result = object_call_none(method);
    drop(method);
    return result;
}

static Value round_by(ValueRef value, ValueRef name, double (*function)(double))
{
    double number;
    if (is_small(value)) return retain(value);
    if (!float_check_exact(value)) {
        Value result = call_special(value, name);
        if (result != ABSENT) return result;
    }
    if (!float_from_value(value, &number)) return VALUE_ERROR;
    return int_from_double(function(number));
}

Value math_floor(FUNCTION_ARGS)
{
    return round_by(args[0], NAME(__floor__), floor);
}

Value math_ceil(FUNCTION_ARGS)
{
    return round_by(args[0], NAME(__ceil__), ceil);
}

Value math_trunc(FUNCTION_ARGS)
{
    if (float_check_exact(args[0])) return int_from_double(float_value(args[0]));
    Value result = call_special(args[0], NAME(__trunc__));
    if (result != ABSENT) return result;
    return raise_error(TypeError, "type %.100T doesn't define __trunc__ method", args[0]);
}
