// sin, cos and tan of kernels, by the rules of scalar_math.h, which this file continues.
//
//     m_sin(x)        |x| < 2^31; without a branch, so that a loop over it is vectorised
//     m_sin_any(x)    every x, the same bits where both serve
//
// A loop asks first whether an argument is far: pointwise_loops.c all that it reads, the C text of
// the backend what it has come by, and then it runs once more.
//
// The method: x = n * pi / 2 + r, |r| <= pi / 4; n tells which of sin(r) and cos(r) it is.
#pragma once

#include "vm/modules/torch/kernels/scalar_math.h"

static inline bool m_is_far_float(float x)
{
    return m_abs_float(x) >= 0x1p31f;
}
static inline bool m_is_far_double(double x)
{
    return m_abs_double(x) >= 0x1p31;
}
#define m_is_far(x) M_REAL(m_is_far, x)

// ---- double. Nothing is lost below 2^31: pi / 2 is subtracted in four parts, and the products of
// n with the first three are exact. r + rest is the angle.

static inline double m_reduce_near(double x, int32_t *n, double *rest)
{
    double inside = m_is_far_double(x) ? 0 * x : x;
    double count = m_near_double(inside * 0x1.45f306dc9c883p-1);
    double a = (inside - count * 0x1.921fbp0) - count * 0x1.5110bp-22;
    double b = count * 0x1.184698p-44, c = count * 0x1.3198a2e037073p-69;
    double near = a - b, r = near - c;
    *rest = ((near - r) - c) + ((a - near) - b);
    *n = (int32_t)count;
    return r;
}
static inline double m_sin_near_double(double r, double rest)
{
    double z = r * r, p = 0x1.5d8a1900fbef8p-33;
    p = p * z - 0x1.ae5e48632b1d6p-26;
    p = p * z + 0x1.71de3552d3198p-19;
    p = p * z - 0x1.a01a019be89d3p-13;
    p = p * z + 0x1.111111110f740p-7;
    p = p * z - 0x1.5555555555548p-3;
    return r + (p * (z * r) + rest * (1 - 0.5 * z));
}
static inline double m_cos_near_double(double r, double rest)
{
    double z = r * r, p = -0x1.8fa4da7725e14p-37;
    p = p * z + 0x1.1ee9d9a2b6635p-29;
    p = p * z - 0x1.27e4f7eff4926p-22;
    p = p * z + 0x1.a01a019c8f1edp-16;
    p = p * z - 0x1.6c16c16c1502ap-10;
    p = p * z + 0x1.555555555554bp-5;
    double half = 0.5 * z, head = 1 - half;
    return head + (((1 - head) - half) + (p * (z * z) - r * rest));
}
static inline double m_sin_reduced(double x, double r, double rest, int32_t n)
{
    double s = m_sin_near_double(r, rest), c = m_cos_near_double(r, rest), result = n & 1 ? c : s;
    result = n & 2 ? -result : result;
    return x == 0 ? x : result;
}
static inline double m_cos_reduced(double x, double r, double rest, int32_t n)
{
    (void)x;
    double s = m_sin_near_double(r, rest), c = m_cos_near_double(r, rest), result = n & 1 ? s : c;
    return (n + 1) & 2 ? -result : result;
}
static inline double m_tan_reduced(double x, double r, double rest, int32_t n)
{
    double s = m_sin_near_double(r, rest), c = m_cos_near_double(r, rest);
    return x == 0 ? x : n & 1 ? -c / s : s / c;
}

// ---- far angles (Payne and Hanek): x = mantissa * 2^exponent is multiplied with those bits of
// 2 / pi that matter. Those above make multiples of 4, so of whole turns; 224 from there on leave
// 130 and more after the point, and a double comes no nearer to a multiple of pi / 2 than 2^-62.

#define M_WORDS 7
static const uint32_t m_two_over_pi[] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
    0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
    0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F,
    0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B,
    0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046,
};

// mantissa * the words from `first` on; the lowest word of the product is the first.
static inline void m_multiply_words(uint64_t mantissa, int first, uint32_t *product)
{
    for (int i = 0; i < M_WORDS; i++) {
        uint64_t word = m_two_over_pi[first + M_WORDS - 1 - i];
        uint64_t low = product[i] + (mantissa & 0xFFFFFFFF) * word;
        uint64_t high = (low >> 32) + product[i + 1] + (mantissa >> 32) * word;
        product[i] = (uint32_t)low;
        product[i + 1] = (uint32_t)high;
        product[i + 2] = (uint32_t)(high >> 32);
    }
}
// 64 bits of words, from a bit on.
static inline uint64_t m_bits_at(const uint32_t *words, int bit)
{
    const uint32_t *at = words + bit / 32;
    uint64_t low = at[0] | (uint64_t)at[1] << 32;
    return bit % 32 ? low >> bit % 32 | (uint64_t)at[2] << (64 - bit % 32) : low;
}

static inline double m_reduce_far(double x, int32_t *n, double *rest)
{
    uint64_t bits = m_bits_of_double(x), one = (uint64_t)1 << 52;
    int exponent = (int)(bits >> 52 & 0x7FF) - 1075, first = exponent < 2 ? 0 : (exponent - 2) / 32;
    int point = 32 * (M_WORDS + first) - exponent;
    uint32_t product[M_WORDS + 3] = {0};
    m_multiply_words((bits & (one - 1)) | one, first, product);
    uint64_t fraction = m_bits_at(product, point - 64), behind = m_bits_at(product, point - 128);
    bool above = fraction >> 63; // a half and more: the next n, and a negative rest
    int32_t count = (int32_t)(m_bits_at(product, point) & 3) + above;
    double low = (double)(fraction & 0x7FF) * 0x1p-64 + (double)behind * 0x1p-128;
    double high = (double)(fraction >> 11) * 0x1p-53 - above, near = high + low,
           sign = x < 0 ? -1 : 1;
    low -= near - high;
    double r = near * 0x1.921fb54442d18p0, lost = fma(near, 0x1.921fb54442d18p0, -r);
    *rest = sign * (lost + (near * 0x1.1a62633145c07p-54 + low * 0x1.921fb54442d18p0));
    *n = x < 0 ? -count : count;
    return sign * r;
}

#define M_ANGLE(name)                                                                              \
    static inline double name##_double(double x)                                                   \
    {                                                                                              \
        int32_t n;                                                                                 \
        double rest, r = m_reduce_near(x, &n, &rest);                                              \
        return name##_reduced(x, r, rest, n);                                                      \
    }                                                                                              \
    M_CALLED double name##_any_double(double x)                                                    \
    {                                                                                              \
        int32_t n;                                                                                 \
        double rest, r;                                                                            \
        if (!m_is_far_double(x) || !m_isfinite(x)) return name##_double(x);                        \
        r = m_reduce_far(x, &n, &rest);                                                            \
        return name##_reduced(x, r, rest, n);                                                      \
    }
M_ANGLE(m_sin)
M_ANGLE(m_cos)
M_ANGLE(m_tan)

// ---- float: reduced in double, then computed in float.

static inline float m_reduce_near_float(float x, int32_t *n, float *rest)
{
    double inside = m_is_far_float(x) ? 0 * x : x;
    double count = m_near_double(inside * 0x1.45f306dc9c883p-1);
    *n = (int32_t)count;
    double r =
        ((inside - count * 0x1.921fbp0) - count * 0x1.5110bp-22) - count * 0x1.18469898cc517p-44;
    *rest = (float)(r - (float)r);
    return (float)r;
}
static inline float m_sin_near_float(float r, float rest)
{
    float z = r * r, p = (-0x1.993d72p-13f * z + 0x1.11072ep-7f) * z - 0x1.555546p-3f;
    return (p * (z * r) + rest) + r;
}
static inline float m_cos_near_float(float r, float rest)
{
    float z = r * r, p = (0x1.99f2dep-16f * z - 0x1.6c0c58p-10f) * z + 0x1.55554ap-5f;
    float half = 0.5f * z, head = 1 - half;
    return head + (((1 - head) - half) + (p * (z * z) - r * rest));
}
static inline float m_sin_float(float x)
{
    int32_t n;
    float rest, r = m_reduce_near_float(x, &n, &rest);
    float s = m_sin_near_float(r, rest), c = m_cos_near_float(r, rest);
    float result = n & 1 ? c : s;
    result = n & 2 ? -result : result;
    return x == 0 ? x : result;
}
static inline float m_cos_float(float x)
{
    int32_t n;
    float rest, r = m_reduce_near_float(x, &n, &rest);
    float s = m_sin_near_float(r, rest), c = m_cos_near_float(r, rest);
    float result = n & 1 ? s : c;
    return (n + 1) & 2 ? -result : result;
}
M_ROUNDED(m_tan)

#define M_ANY(name)                                                                                \
    M_CALLED float name##_any_float(float x)                                                       \
    {                                                                                              \
        return m_is_far_float(x) ? (float)name##_any_double(x) : name##_float(x);                  \
    }
M_ANY(m_sin)
M_ANY(m_cos)
M_ANY(m_tan)

#define m_sin(x) M_REAL(m_sin, x)
#define m_cos(x) M_REAL(m_cos, x)
#define m_tan(x) M_REAL(m_tan, x)
#define m_sin_any(x) M_REAL(m_sin_any, x)
#define m_cos_any(x) M_REAL(m_cos_any, x)
#define m_tan_any(x) M_REAL(m_tan_any, x)
