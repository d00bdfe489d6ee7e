// The elementary functions of kernels: branch-free, so that a loop over them is vectorised, and
// made of exact operations only (+ - * /, square root, conversions, bits), so that every machine
// and every vector width gives the same bits. The libm of a machine is never called.
//
//     m_exp(x)    float -> m_exp_float, double -> m_exp_double        within 1 ulp (see below)
//
// An expression of ops.def is written with these names. It is compiled into the loops of
// kernels/pointwise.c, and printed into the C text of the backend, which puts this file in front.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define M_BOTH(name, x) _Generic((x), float : name##_float, default : name##_double)(x)

static inline float m_float_from(int32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline double m_double_from(int64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// Rounds to an integer, half to even, where |x| < 2^22 (2^51): by adding a number so large that no
// fraction is left.
static inline float m_near_float(float x)
{
    return (x + 0x1.8p23f) - 0x1.8p23f;
}
static inline double m_near_double(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

// exp(x) = 2^k * exp(r), where k = round(x / ln 2) and |r| <= ln 2 / 2. ln 2 is subtracted in two
// parts, the first of which has trailing zero bits. 2^k is applied in two halves, for subnormals.
static inline float m_exp_float(float x)
{
    float inside = x < -104 ? -104 : x > 89 ? 89 : x;
    float k = m_near_float(inside * 0x1.715476p0f);
    float r = (inside - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
    float p = 0x1.6850e4p-10f;
    p = p * r + 0x1.123bccp-7f;
    p = p * r + 0x1.555b98p-5f;
    p = p * r + 0x1.55548ep-3f;
    p = p * r + 0x1.fffff8p-2f;
    p = (p * (r * r) + r) + 1;
    int32_t half = (int32_t)k >> 1, rest = (int32_t)k - half;
    float result = p * m_float_from((half + 127) << 23) * m_float_from((rest + 127) << 23);
    return x != x ? x : result;
}

static inline double m_exp_double(double x)
{
    double inside = x < -746 ? -746 : x > 710 ? 710 : x;
    double k = m_near_double(inside * 0x1.71547652b82fep0);
    double r = (inside - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
    double p = 0x1.6124613a86d09p-33; // 1/13!, 1/12! ... 1/2!
    p = p * r + 0x1.1eed8eff8d898p-29;
    p = p * r + 0x1.ae64567f544e4p-26;
    p = p * r + 0x1.27e4fb7789f5cp-22;
    p = p * r + 0x1.71de3a556c734p-19;
    p = p * r + 0x1.a01a01a01a01ap-16;
    p = p * r + 0x1.a01a01a01a01ap-13;
    p = p * r + 0x1.6c16c16c16c17p-10;
    p = p * r + 0x1.1111111111111p-7;
    p = p * r + 0x1.5555555555555p-5;
    p = p * r + 0x1.5555555555555p-3;
    p = p * r + 0x1.0000000000000p-1;
    p = (p * (r * r) + r) + 1;
    int32_t whole = (int32_t)k, half = whole >> 1, rest = whole - half;
    double result = p * m_double_from((int64_t)(half + 1023) << 52) *
                    m_double_from((int64_t)(rest + 1023) << 52);
    return x != x ? x : result;
}
#define m_exp(x) M_BOTH(m_exp, x)

// The remainder with the sign of b, as Python's %. Of integers, x % 0 is 0 here: the row's kernel
// has refused it.
static inline float m_remainder_float(float a, float b)
{
    float rest = fmodf(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
static inline double m_remainder_double(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
static inline int64_t m_remainder_int64(int64_t a, int64_t b)
{
    if (b == 0 || b == -1) return 0;
    int64_t rest = a % b;
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
static inline int32_t m_remainder_int32(int32_t a, int32_t b)
{
    return (int32_t)m_remainder_int64(a, b);
}
#define m_remainder(a, b)                                                                          \
    _Generic((a), float                                                                            \
             : m_remainder_float, double                                                           \
             : m_remainder_double, int64_t                                                         \
             : m_remainder_int64, default                                                          \
             : m_remainder_int32)(a, b)
