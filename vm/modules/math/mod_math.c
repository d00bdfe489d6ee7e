// The module math, as in CPython 3.9: the functions of one or two real numbers are here, the others
// in mod_math_integers.c, mod_math_sums.c and mod_math_gamma.c.
//
// The C library calculates. Errors are found from the result, never from errno. A NaN result
// without a NaN argument is "math domain error". An infinite result of finite arguments is "math
// range error", or a domain error if the function has a pole there.
#include "vm/modules/math/mod_math.h"

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"

#include <limits.h>
#include <math.h>

static const double pi = 3.141592653589793238462643383279502884;
static const double euler = 2.718281828459045235360287471352662498;

Value raise_math_domain(void)
{
    return raise_error(ValueError, "math domain error");
}

Value raise_math_range(void)
{
    return raise_error(OverflowError, "math range error");
}

// ---- functions of one number

static inline Value call_one(ValueRef argument, double (*function)(double), bool can_overflow)
{
    double x;
    if (!float_from_value(argument, &x)) return VALUE_ERROR;
    double result = function(x);
    if (isfinite(result)) return from_double(result);
    if (isnan(result)) return isnan(x) ? float_new(result) : raise_math_domain();
    if (isinf(x)) return from_double(result);
    return can_overflow ? raise_math_range() : raise_math_domain();
}

// name in the module, function in C, whether it can overflow (else an infinity means a pole)
#define REAL_FUNCTIONS(ROW)                                                                        \
    ROW(acos, acos, false)                                                                         \
    ROW(acosh, acosh, false)                                                                       \
    ROW(asin, asin, false)                                                                         \
    ROW(asinh, asinh, false)                                                                       \
    ROW(atan, atan, false)                                                                         \
    ROW(atanh, atanh, false)                                                                       \
    ROW(cos, cos, false)                                                                           \
    ROW(cosh, cosh, true)                                                                          \
    ROW(erf, erf, false)                                                                           \
    ROW(erfc, erfc, false)                                                                         \
    ROW(exp, exp, true)                                                                            \
    ROW(expm1, expm1, true)                                                                        \
    ROW(fabs, fabs, false)                                                                         \
    ROW(log1p, log1p, false)                                                                       \
    ROW(radians, to_radians, false)                                                                \
    ROW(sin, sin, false)                                                                           \
    ROW(sinh, sinh, true)                                                                          \
    ROW(sqrt, sqrt, false)                                                                         \
    ROW(tan, tan, false)                                                                           \
    ROW(tanh, tanh, false)

static double to_radians(double x)
{
    return x * (pi / 180.0);
}

// Overflows without an error.
static Value math_degrees(FUNCTION_ARGS)
{
    double x;
    return float_from_value(args[0], &x) ? float_new(x * (180.0 / pi)) : VALUE_ERROR;
}

#define DEFINE(name, function, can_overflow)                                                       \
    static Value math_##name(FUNCTION_ARGS)                                                        \
    {                                                                                              \
        return call_one(args[0], function, can_overflow);                                          \
    }
REAL_FUNCTIONS(DEFINE)
#undef DEFINE

static Value raise_failure(MathFailure failure)
{
    return failure == MATH_DOMAIN ? raise_math_domain() : raise_math_range();
}

static Value math_gamma(FUNCTION_ARGS)
{
    double x;
    if (!float_from_value(args[0], &x)) return VALUE_ERROR;
    MathFailure failure = MATH_FINE;
    double result = math_gamma_of(x, &failure);
    return failure ? raise_failure(failure) : float_new(result);
}

static Value math_lgamma(FUNCTION_ARGS)
{
    double x;
    if (!float_from_value(args[0], &x)) return VALUE_ERROR;
    MathFailure failure = MATH_FINE;
    double result = math_lgamma_of(x, &failure);
    return failure ? raise_failure(failure) : float_new(result);
}

// ---- logarithms

// An int too large for a double has a logarithm all the same: log(m * 2^e) = log(m) + log(2) * e.
static Value log_of_int(ValueRef argument, double (*function)(double))
{
    if (int_sign(argument) <= 0) return raise_math_domain();
    if (int_bit_length(argument) < 1024) {
        double x;
        return int_as_double(argument, &x) ? from_double(function(x)) : VALUE_ERROR;
    }
    int64_t exponent;
    double mantissa = int_frexp(argument, &exponent);
    return from_double(function(mantissa) + function(2.0) * (double)exponent);
}

static Value logarithm(ValueRef argument, double (*function)(double))
{
    if (int_check(argument)) return log_of_int(argument, function);
    return call_one(argument, function, false);
}

static Value math_log(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self, (void)kwnames;
    if (nargs < 1 || nargs > 2) return raise_error(TypeError, "math.log requires 1 to 2 arguments");
    Value above = logarithm(args[0], log);
    if (!above || nargs == 1) return above;
    Value below = logarithm(args[1], log), result = VALUE_ERROR;
    if (below) {
        result = float_type.true_divide(above, below);
        drop(below);
    }
    drop(above);
    return result;
}

static Value math_log2(FUNCTION_ARGS)
{
    return logarithm(args[0], log2);
}

static Value math_log10(FUNCTION_ARGS)
{
    return logarithm(args[0], log10);
}

// ---- functions of two numbers

static bool read_two(const ValueRef *args, double *x, double *y)
{
    return float_from_value(args[0], x) && float_from_value(args[1], y);
}

static Value call_two(const ValueRef *args, double (*function)(double, double))
{
    double x, y;
    if (!read_two(args, &x, &y)) return VALUE_ERROR;
    double result = function(x, y);
    if (isnan(result) && !isnan(x) && !isnan(y)) return raise_math_domain();
    if (isinf(result) && isfinite(x) && isfinite(y)) return raise_math_range();
    return float_new(result);
}

static Value math_atan2(FUNCTION_ARGS)
{
    return call_two(args, atan2);
}

static Value math_copysign(FUNCTION_ARGS)
{
    return call_two(args, copysign);
}

static Value math_remainder(FUNCTION_ARGS)
{
    return call_two(args, remainder);
}

static Value math_fmod(FUNCTION_ARGS)
{
    return call_two(args, fmod);
}

static Value math_nextafter(FUNCTION_ARGS)
{
    double x, y;
    return read_two(args, &x, &y) ? float_new(nextafter(x, y)) : VALUE_ERROR;
}

static Value math_pow(FUNCTION_ARGS)
{
    double x, y;
    if (!read_two(args, &x, &y)) return VALUE_ERROR;
    double result = pow(x, y);
    if (isfinite(result)) return from_double(result);
    if (isnan(result)) return isnan(x) || isnan(y) ? float_new(result) : raise_math_domain();
    if (x == 0.0) return raise_math_domain();
    return isfinite(x) && isfinite(y) ? raise_math_range() : from_double(result);
}

static Value math_isclose(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self;
    static const char *const names[] = {"a", "b", "rel_tol", "abs_tol", NULL};
    static const Signature signature = {"isclose", names, 2, 2};
    ValueRef slots[4];
    double a, b, relative = 1e-09, absolute = 0.0;
    if (!args_bind(&signature, args, nargs, kwnames, slots) || !read_two(slots, &a, &b) ||
        (slots[2] && !float_from_value(slots[2], &relative)) ||
        (slots[3] && !float_from_value(slots[3], &absolute))) {
        return VALUE_ERROR;
    }
    if (relative < 0.0 || absolute < 0.0)
        return raise_error(ValueError, "tolerances must be non-negative");
    if (a == b) return TRUE;
    if (isinf(a) || isinf(b)) return FALSE;
    double apart = fabs(b - a);
    return from_bool(apart <= fabs(relative * b) || apart <= fabs(relative * a) ||
                     apart <= absolute);
}

// ---- the bits of a double

static Value math_ulp(FUNCTION_ARGS)
{
    double x;
    if (!float_from_value(args[0], &x)) return VALUE_ERROR;
    x = fabs(x);
    if (!isfinite(x)) return float_new(x);
    double next = nextafter(x, INFINITY);
    return from_double(isinf(next) ? x - nextafter(x, 0.0) : next - x);
}

static Value pair_of(Value first, Value second)
{
    Value pair[2] = {first, second};
    if (first && second) return tuple_from_owned(pair, 2);
    if (first) drop(first);
    if (second) drop(second);
    return VALUE_ERROR;
}

static Value math_frexp(FUNCTION_ARGS)
{
    double x;
    int exponent = 0;
    if (!float_from_value(args[0], &x)) return VALUE_ERROR;
    if (isfinite(x) && x != 0.0) x = frexp(x, &exponent);
    return pair_of(float_new(x), from_small(exponent));
}

static Value math_ldexp(FUNCTION_ARGS)
{
    double x;
    int64_t exponent;
    if (!float_from_value(args[0], &x)) return VALUE_ERROR;
    if (!int_check(args[1]))
        return raise_error(TypeError, "Expected an int as second argument to ldexp.");
    int_as_int64_clamped(args[1], &exponent);
    if (x == 0.0 || !isfinite(x)) return float_new(x);
    if (exponent < INT_MIN) return from_double(copysign(0.0, x));
    if (exponent > INT_MAX) return raise_math_range();
    double result = ldexp(x, (int)exponent);
    return isinf(result) ? raise_math_range() : from_double(result);
}

static Value math_modf(FUNCTION_ARGS)
{
    double x, whole;
    if (!float_from_value(args[0], &x)) return VALUE_ERROR;
    double fraction = modf(x, &whole);
    return pair_of(float_new(fraction), float_new(whole));
}

static Value math_isfinite(FUNCTION_ARGS)
{
    double x;
    return float_from_value(args[0], &x) ? from_bool(isfinite(x)) : VALUE_ERROR;
}

static Value math_isinf(FUNCTION_ARGS)
{
    double x;
    return float_from_value(args[0], &x) ? from_bool(isinf(x)) : VALUE_ERROR;
}

static Value math_isnan(FUNCTION_ARGS)
{
    double x;
    return float_from_value(args[0], &x) ? from_bool(isnan(x)) : VALUE_ERROR;
}

// ---- the module

#define TABLE_ROW(name, function, can_overflow) {#name, math_##name, ONE_ARG, NULL},
static const MethodDef math_functions[] = {
    REAL_FUNCTIONS(TABLE_ROW){"atan2", math_atan2, ARGS(2, 2), NULL},
    {"ceil", math_ceil, ONE_ARG, NULL},
    {"comb", math_comb, ARGS(2, 2), NULL},
    {"copysign", math_copysign, ARGS(2, 2), NULL},
    {"degrees", math_degrees, ONE_ARG, NULL},
    {"dist", math_dist, ARGS(2, 2), NULL},
    {"factorial", math_factorial, ONE_ARG, NULL},
    {"floor", math_floor, ONE_ARG, NULL},
    {"fmod", math_fmod, ARGS(2, 2), NULL},
    {"frexp", math_frexp, ONE_ARG, NULL},
    {"fsum", math_fsum, ONE_ARG, NULL},
    {"gamma", math_gamma, ONE_ARG, NULL},
    {"gcd", math_gcd, ARGS(0, -1), NULL},
    {"hypot", math_hypot, ARGS(0, -1), NULL},
    {"isclose", math_isclose, KEYWORD_ARGS, NULL},
    {"isfinite", math_isfinite, ONE_ARG, NULL},
    {"isinf", math_isinf, ONE_ARG, NULL},
    {"isnan", math_isnan, ONE_ARG, NULL},
    {"isqrt", math_isqrt, ONE_ARG, NULL},
    {"lcm", math_lcm, ARGS(0, -1), NULL},
    {"ldexp", math_ldexp, ARGS(2, 2), NULL},
    {"lgamma", math_lgamma, ONE_ARG, NULL},
    {"log", math_log, UNPACKED_ARGS(0, -1), NULL},
    {"log10", math_log10, ONE_ARG, NULL},
    {"log2", math_log2, ONE_ARG, NULL},
    {"modf", math_modf, ONE_ARG, NULL},
    {"nextafter", math_nextafter, ARGS(2, 2), NULL},
    {"perm", math_perm, ARGS(1, 2), NULL},
    {"pow", math_pow, ARGS(2, 2), NULL},
    {"prod", math_prod, KEYWORD_ARGS, NULL},
    {"remainder", math_remainder, ARGS(2, 2), NULL},
    {"trunc", math_trunc, ONE_ARG, NULL},
    {"ulp", math_ulp, ONE_ARG, NULL},
    {0},
};
#undef TABLE_ROW

static bool fill(ValueRef module)
{
    return module_add_owned(module, "pi", from_double(pi)) &&
           module_add_owned(module, "e", from_double(euler)) &&
           module_add_owned(module, "tau", from_double(2.0 * pi)) &&
           module_add_owned(module, "inf", from_double(INFINITY)) &&
           module_add_owned(module, "nan", float_new(NAN));
}

const ModuleDef math_module = {
    .name = "math",
    .doc = "Mathematical functions of real numbers, as the C standard defines them.",
    .functions = math_functions,
    .fill = fill,
};
