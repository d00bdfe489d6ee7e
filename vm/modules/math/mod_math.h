// The parts of the module math, for each other: mod_math.c has the table of functions.
#pragma once

#include "objects/call.h"

// ValueError "math domain error" and OverflowError "math range error".
Value raise_math_domain(void);
Value raise_math_range(void);

// mod_math_gamma.c: on an error both set *failed to what must be raised.
typedef enum MathFailure { MATH_FINE, MATH_DOMAIN, MATH_RANGE } MathFailure;
double math_gamma_of(double x, MathFailure *failure);
double math_lgamma_of(double x, MathFailure *failure);

// mod_math_integers.c
Value math_factorial(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_perm(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_comb(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_gcd(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_lcm(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_isqrt(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_floor(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_ceil(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_trunc(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);

// mod_math_sums.c: of many numbers
Value math_fsum(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_prod(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_hypot(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value math_dist(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
