// Arithmetic and elementary functions of complex numbers, for the loops of ops/complex.def.
//
//     c_mul(a, b)     Complex64 -> c_mul_64(a, b), Complex128 -> c_mul_128(a, b)
//     c_exp(a)        a Complex64 is widened first, and the result rounded
//
// Sums, products and quotients of Complex64 are computed in float, as PyTorch does; functions in
// double, so there is one text of each. They are made of those of kernels/scalar_math.h: the same
// bits on every machine. Square roots and the inverse functions avoid cancellation by the formulas
// of W. Kahan, "Branch Cuts for Complex Elementary Functions", which CPython's cmath has as well.
#pragma once

#include "objects/tensor/dtype.h"
#include "vm/modules/torch/kernels/scalar_angles.h"

static inline Complex128 c_wide(Complex64 a)
{
    return (Complex128){(double)a.re, (double)a.im};
}
static inline Complex128 c_same(Complex128 a)
{
    return a;
}
static inline Complex64 c_narrow(Complex128 a)
{
    return (Complex64){(float)a.re, (float)a.im};
}

#define C_CHOOSE(name, x) _Generic((x), Complex64: name##_64, default: name##_128)
#define C_SEEN static __attribute__((unused))

// ---- arithmetic

#define C_ARITHMETIC(T, R, bits, fabs_of)                                                          \
    C_SEEN inline T c_make_##bits(T like, double re, double im)                                    \
    {                                                                                              \
        (void)like;                                                                                \
        return (T){(R)re, (R)im};                                                                  \
    }                                                                                              \
    C_SEEN inline T c_add_##bits(T a, T b)                                                         \
    {                                                                                              \
        return (T){a.re + b.re, a.im + b.im};                                                      \
    }                                                                                              \
    C_SEEN inline T c_sub_##bits(T a, T b)                                                         \
    {                                                                                              \
        return (T){a.re - b.re, a.im - b.im};                                                      \
    }                                                                                              \
    C_SEEN inline T c_mul_##bits(T a, T b)                                                         \
    {                                                                                              \
        return (T){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};                          \
    }                                                                                              \
    C_SEEN inline T c_div_##bits(T a, T b)                                                         \
    {                                                                                              \
        R size_re = fabs_of(b.re), size_im = fabs_of(b.im);                                        \
        if (size_re == 0 && size_im == 0) return (T){a.re / size_re, a.im / size_im};              \
        if (size_re >= size_im) {                                                                  \
            R ratio = b.im / b.re, scale = 1 / (b.re + b.im * ratio);                              \
            return (T){(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};              \
        }                                                                                          \
        R ratio = b.re / b.im, scale = 1 / (b.im + b.re * ratio);                                  \
        return (T){(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};                  \
    }                                                                                              \
    C_SEEN inline T c_neg_##bits(T a)                                                              \
    {                                                                                              \
        return (T){-a.re, -a.im};                                                                  \
    }                                                                                              \
    C_SEEN inline T c_conj_##bits(T a)                                                             \
    {                                                                                              \
        return (T){a.re, -a.im};                                                                   \
    }                                                                                              \
    C_SEEN inline bool c_eq_##bits(T a, T b)                                                       \
    {                                                                                              \
        return a.re == b.re && a.im == b.im;                                                       \
    }                                                                                              \
    C_SEEN inline bool c_truth_##bits(T a)                                                         \
    {                                                                                              \
        return a.re != 0 || a.im != 0;                                                             \
    }
C_ARITHMETIC(Complex64, float, 64, m_abs_float)
C_ARITHMETIC(Complex128, double, 128, m_abs_double)

#define c_make(like, re, im) C_CHOOSE(c_make, like)(like, re, im)
#define c_add(a, b) C_CHOOSE(c_add, a)(a, b)
#define c_sub(a, b) C_CHOOSE(c_sub, a)(a, b)
#define c_mul(a, b) C_CHOOSE(c_mul, a)(a, b)
#define c_div(a, b) C_CHOOSE(c_div, a)(a, b)
#define c_neg(a) C_CHOOSE(c_neg, a)(a)
#define c_conj(a) C_CHOOSE(c_conj, a)(a)
#define c_eq(a, b) C_CHOOSE(c_eq, a)(a, b)
#define c_truth(a) C_CHOOSE(c_truth, a)(a)
#define c_reciprocal(a) c_div(c_make(a, 1, 0), a)

// A real factor: scalar parameters such as alpha, and constants.
static inline Complex128 c_scale(Complex128 a, double factor)
{
    return (Complex128){a.re * factor, a.im * factor};
}

// ---- functions of double parts

// A function is called, not copied into each loop: its own cost is many times that of a call.
#define C_CALLED static __attribute__((noinline, unused))

C_CALLED double c_size(Complex128 a)
{
    double x = m_abs_double(a.re), y = m_abs_double(a.im);
    double large = x > y ? x : y, small = x > y ? y : x;
    if (x - x != 0 || y - y != 0) return x == HUGE_VAL || y == HUGE_VAL ? HUGE_VAL : x + y;
    if (large > 0x1p500 || small < 0x1p-500) {
        double ratio = large > 0 ? small / large : 0;
        return large * sqrt(1 + ratio * ratio);
    }
    return sqrt(x * x + y * y);
}
C_CALLED double c_angle(Complex128 a)
{
    return m_atan2_double(a.im, a.re);
}
static double c_sin_of(double x)
{
    return m_is_far(x) ? m_sin_any(x) : m_sin(x);
}
static double c_cos_of(double x)
{
    return m_is_far(x) ? m_cos_any(x) : m_cos(x);
}

// e ** re at the angle im; a real number stays real.
C_CALLED Complex128 c_exp_128(Complex128 a)
{
    double size = m_exp_double(a.re);
    if (a.im == 0) return (Complex128){size, a.im};
    bool far = a.im - a.im != 0; // no angle
    if (size == 0 && far) return (Complex128){0, m_copysign_double(0, a.im)};
    if (size == HUGE_VAL && far) return (Complex128){size, NAN};
    return (Complex128){size * c_cos_of(a.im), size * c_sin_of(a.im)};
}

C_CALLED Complex128 c_log_128(Complex128 a)
{
    double x = m_abs_double(a.re), y = m_abs_double(a.im), size = c_size(a);
    double large = x > y ? x : y, small = x > y ? y : x;
    bool near = size > 0.5 && size < 3; // then the logarithm of the size would cancel
    double re =
        near ? m_log1p_double((large - 1) * (large + 1) + small * small) / 2 : m_log_double(size);
    return (Complex128){re, c_angle(a)};
}

C_CALLED Complex128 c_log1p_128(Complex128 a)
{
    double small = a.re * (2 + a.re) + a.im * a.im;
    Complex128 whole = {1 + a.re, a.im};
    if (!(small < 0.5 && small > -0.5)) return c_log_128(whole);
    return (Complex128){m_log1p_double(small) / 2, c_angle(whole)};
}

C_CALLED Complex128 c_expm1_128(Complex128 a)
{
    double half = c_sin_of(a.im / 2), size = m_exp_double(a.re);
    return (Complex128){m_expm1_double(a.re) * c_cos_of(a.im) - 2 * half * half,
                        size * c_sin_of(a.im)};
}

C_CALLED Complex128 c_sqrt_128(Complex128 a)
{
    double x = m_abs_double(a.re), y = m_abs_double(a.im);
    if (x == 0 && y == 0) return (Complex128){0, a.im};
    if (y == HUGE_VAL) return (Complex128){HUGE_VAL, a.im};
    double part = sqrt((x + c_size(a)) / 2);
    if (x > 0x1p1000) part = 2 * sqrt(x / 8 + c_size(c_scale(a, 0.125)));
    double other = y / (2 * part);
    if (a.re >= 0) return (Complex128){part, m_copysign_double(other, a.im)};
    return (Complex128){other, m_copysign_double(part, a.im)};
}

C_CALLED Complex128 c_pow_128(Complex128 a, Complex128 b)
{
    return c_exp_128(c_mul_128(b, c_log_128(a)));
}

C_CALLED Complex128 c_sinh_128(Complex128 a)
{
    if (a.im == 0) return (Complex128){m_sinh_double(a.re), a.im};
    return (Complex128){m_sinh_double(a.re) * c_cos_of(a.im), m_cosh_double(a.re) * c_sin_of(a.im)};
}
C_CALLED Complex128 c_cosh_128(Complex128 a)
{
    return (Complex128){m_cosh_double(a.re) * c_cos_of(a.im), m_sinh_double(a.re) * c_sin_of(a.im)};
}
C_CALLED Complex128 c_tanh_128(Complex128 a)
{
    double sine = c_sin_of(a.im), cosine = c_cos_of(a.im);
    if (m_abs_double(a.re) > 22) {
        double small = m_exp_double(-2 * m_abs_double(a.re));
        return (Complex128){m_copysign_double(1, a.re), 4 * sine * cosine * small};
    }
    double tangent = sine / cosine, height = 1 + tangent * tangent, s = m_sinh_double(a.re);
    double below = 1 + height * s * s;
    return (Complex128){height * sqrt(1 + s * s) * s / below, tangent / below};
}

// sin(a) = -i sinh(i a), and so for the other pairs.
static inline Complex128 c_turn(Complex128 a)
{
    return (Complex128){-a.im, a.re};
}
static inline Complex128 c_turn_back(Complex128 a)
{
    return (Complex128){a.im, -a.re};
}
C_SEEN Complex128 c_sin_128(Complex128 a)
{
    return c_turn_back(c_sinh_128(c_turn(a)));
}
C_SEEN Complex128 c_cos_128(Complex128 a)
{
    return c_cosh_128(c_turn(a));
}
C_SEEN Complex128 c_tan_128(Complex128 a)
{
    return c_turn_back(c_tanh_128(c_turn(a)));
}

C_CALLED Complex128 c_asinh_128(Complex128 a)
{
    Complex128 below = c_sqrt_128((Complex128){1 + a.im, -a.re});
    Complex128 above = c_sqrt_128((Complex128){1 - a.im, a.re});
    return (Complex128){m_asinh_double(below.re * above.im - above.re * below.im),
                        m_atan2_double(a.im, below.re * above.re - below.im * above.im)};
}
C_CALLED Complex128 c_acosh_128(Complex128 a)
{
    Complex128 below = c_sqrt_128((Complex128){a.re - 1, a.im});
    Complex128 above = c_sqrt_128((Complex128){a.re + 1, a.im});
    return (Complex128){m_asinh_double(below.re * above.re + below.im * above.im),
                        2 * m_atan2_double(below.im, above.re)};
}
C_CALLED Complex128 c_acos_128(Complex128 a)
{
    Complex128 below = c_sqrt_128((Complex128){1 - a.re, -a.im});
    Complex128 above = c_sqrt_128((Complex128){1 + a.re, a.im});
    return (Complex128){2 * m_atan2_double(below.re, above.re),
                        m_asinh_double(above.re * below.im - above.im * below.re)};
}
C_CALLED Complex128 c_atanh_128(Complex128 a)
{
    double sign = m_copysign_double(1, a.re), x = m_abs_double(a.re), y = sign * a.im;
    if (x == 1 && y == 0) return (Complex128){sign * HUGE_VAL, a.im};
    double re = m_log1p_double(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
    double im = -m_atan2_double(-2 * y, (1 - x) * (1 + x) - y * y) / 2;
    return (Complex128){sign * re, sign * im};
}
C_SEEN Complex128 c_asin_128(Complex128 a)
{
    return c_turn_back(c_asinh_128(c_turn(a)));
}
C_SEEN Complex128 c_atan_128(Complex128 a)
{
    return c_turn_back(c_atanh_128(c_turn(a)));
}

// ---- what is made of them

C_SEEN Complex128 c_log2_128(Complex128 a)
{
    return c_scale(c_log_128(a), 1.4426950408889634);
}
C_SEEN Complex128 c_log10_128(Complex128 a)
{
    return c_scale(c_log_128(a), 0.4342944819032518);
}
C_SEEN Complex128 c_exp2_128(Complex128 a)
{
    return c_exp_128(c_scale(a, 0.6931471805599453));
}
C_SEEN Complex128 c_rsqrt_128(Complex128 a)
{
    return c_div_128((Complex128){1, 0}, c_sqrt_128(a));
}
C_SEEN Complex128 c_sigmoid_128(Complex128 a)
{
    return c_div_128((Complex128){1, 0}, c_add_128((Complex128){1, 0}, c_exp_128(c_neg_128(a))));
}
C_SEEN Complex128 c_sinc_128(Complex128 a)
{
    Complex128 angle = c_scale(a, 3.141592653589793);
    return c_truth_128(a) ? c_div_128(c_sin_128(angle), angle) : (Complex128){1, 0};
}
C_SEEN Complex128 c_sgn_128(Complex128 a)
{
    return c_truth_128(a) ? c_scale(a, 1 / c_size(a)) : (Complex128){0, 0};
}
// log(exp(a) + exp(b)), from the one with the larger real part.
C_SEEN Complex128 c_logaddexp_128(Complex128 a, Complex128 b)
{
    Complex128 large = a.re >= b.re ? a : b, small = a.re >= b.re ? b : a;
    if (c_eq_128(a, b) && a.re - a.re != 0) return a;
    return c_add_128(large, c_log1p_128(c_exp_128(c_sub_128(small, large))));
}

// ---- by dtype

#define C_ROUNDED(name)                                                                            \
    C_SEEN Complex64 name##_64(Complex64 a)                                                        \
    {                                                                                              \
        return c_narrow(name##_128(c_wide(a)));                                                    \
    }
#define C_ROUNDED2(name)                                                                           \
    C_SEEN Complex64 name##_64(Complex64 a, Complex64 b)                                           \
    {                                                                                              \
        return c_narrow(name##_128(c_wide(a), c_wide(b)));                                         \
    }
C_ROUNDED(c_exp)
C_ROUNDED(c_log)
C_ROUNDED(c_log1p)
C_ROUNDED(c_expm1)
C_ROUNDED(c_sqrt)
C_ROUNDED(c_sinh)
C_ROUNDED(c_cosh)
C_ROUNDED(c_tanh)
C_ROUNDED(c_sin)
C_ROUNDED(c_cos)
C_ROUNDED(c_tan)
C_ROUNDED(c_asinh)
C_ROUNDED(c_acosh)
C_ROUNDED(c_acos)
C_ROUNDED(c_atanh)
C_ROUNDED(c_asin)
C_ROUNDED(c_atan)
C_ROUNDED(c_log2)
C_ROUNDED(c_log10)
C_ROUNDED(c_exp2)
C_ROUNDED(c_rsqrt)
C_ROUNDED(c_sigmoid)
C_ROUNDED(c_sinc)
C_ROUNDED(c_sgn)
// Each step is rounded: 2j ** 1 has a real part.
C_SEEN Complex64 c_pow_64(Complex64 a, Complex64 b)
{
    return c_exp_64(c_mul_64(b, c_log_64(a)));
}
C_ROUNDED2(c_logaddexp)

#define c_exp(a) C_CHOOSE(c_exp, a)(a)
#define c_log(a) C_CHOOSE(c_log, a)(a)
#define c_log1p(a) C_CHOOSE(c_log1p, a)(a)
#define c_expm1(a) C_CHOOSE(c_expm1, a)(a)
#define c_sqrt(a) C_CHOOSE(c_sqrt, a)(a)
#define c_sinh(a) C_CHOOSE(c_sinh, a)(a)
#define c_cosh(a) C_CHOOSE(c_cosh, a)(a)
#define c_tanh(a) C_CHOOSE(c_tanh, a)(a)
#define c_sin(a) C_CHOOSE(c_sin, a)(a)
#define c_cos(a) C_CHOOSE(c_cos, a)(a)
#define c_tan(a) C_CHOOSE(c_tan, a)(a)
#define c_asinh(a) C_CHOOSE(c_asinh, a)(a)
#define c_acosh(a) C_CHOOSE(c_acosh, a)(a)
#define c_acos(a) C_CHOOSE(c_acos, a)(a)
#define c_atanh(a) C_CHOOSE(c_atanh, a)(a)
#define c_asin(a) C_CHOOSE(c_asin, a)(a)
#define c_atan(a) C_CHOOSE(c_atan, a)(a)
#define c_log2(a) C_CHOOSE(c_log2, a)(a)
#define c_log10(a) C_CHOOSE(c_log10, a)(a)
#define c_exp2(a) C_CHOOSE(c_exp2, a)(a)
#define c_rsqrt(a) C_CHOOSE(c_rsqrt, a)(a)
#define c_sigmoid(a) C_CHOOSE(c_sigmoid, a)(a)
#define c_sinc(a) C_CHOOSE(c_sinc, a)(a)
#define c_sgn(a) C_CHOOSE(c_sgn, a)(a)
#define c_pow(a, b) C_CHOOSE(c_pow, a)(a, b)
#define c_logaddexp(a, b) C_CHOOSE(c_logaddexp, a)(a, b)
#define c_abs(a) c_size(_Generic((a), Complex64: c_wide, default: c_same)(a))
#define c_arg(a) c_angle(_Generic((a), Complex64: c_wide, default: c_same)(a))
#define m_isinf(x) ((x) == (x) && (x) - (x) != 0)
