// Functions of floats that are computed in double, in half the time: for the loops of vectors of
// 512 bits (pointwise_loops.c), where a block of elements that is in doubt is computed once more.
//
//     m_Doubt doubt = M_NO_DOUBT;
//     for (...) out[i] = m_exp2_quick(in[i], &doubt);
//     if (m_is_doubtful(doubt))       some may differ from m_exp2(x): take that
//
// The method: m_exp2() of a float is m_exp2_double(x), rounded. Here `near` is less exact, by
// 2^-42 of itself at most; the double that is rounded is as close. A border between two roundings
// (the middle of two floats) is seldom between them, and if not, both become the same float:
//
//     float        |---------------------middle----------------------|
//     near          . . . . . . . . . . (......) . . . . . . . . . .    () = in doubt, 2^-17
//
// So the bits are those of the exact function, whatever is multiplied, added or fused on the way.
// Special values and results that are no normal floats are in doubt as well ("edges"), except
// where the formula gives them by itself. tests/unit/test_loops.c compares some; functions of one
// argument were compared for 2^24 to 2^28 floats of all sizes when they were written.
#pragma once

#include "vm/modules/torch/kernels/scalar_special.h"

typedef struct m_Doubt {
    uint64_t nearest; // of all results, the least distance from the lower end of the doubtful part
    uint32_t edges;   // not 0 = there was an argument that this file does not know
} m_Doubt;

// As bits of a double, whose last 29 are not in the float: 2^11 of them on each side of the middle.
#define M_BAND ((uint64_t)1 << 11)
#define M_NO_DOUBT {UINT64_MAX, 0}

static inline bool m_is_doubtful(m_Doubt doubt)
{
    return doubt.nearest < 2 * M_BAND << 35 || doubt.edges != 0;
}
static inline void m_doubt_if(bool is_edge, m_Doubt *doubt)
{
    doubt->edges |= is_edge ? 1 : 0;
}
// Rounds what is wrong by 2^-42 of itself at most, and a normal float, or 0, or exact.
static inline float m_settle(double near, m_Doubt *doubt)
{
    uint64_t distance = (m_bits_of_double(near) + ((uint64_t)1 << 28) + M_BAND) << 35;
    doubt->nearest = distance < doubt->nearest ? distance : doubt->nearest;
    return (float)near;
}

// ---- exponentials

#define M_ROUND_HERE 0x1.8p52 // added to a number: the last bits are its integer

// exp(x) - 1 = scale * (exp(r) - 1) + (scale - 1), for -700 < x < 700.
static inline double m_expm1_reduced(double x, double *scale)
{
    double shifted = m_fma_double(x, 0x1.71547652b82fep0, M_ROUND_HERE), k = shifted - M_ROUND_HERE;
    double r = m_fma_double(k, -0x1.62e42fefa39efp-1, x), p = 0x1.72f56eaf10503p-19;
    p = m_fma_double(p, r, 0x1.a1560292669fdp-16);
    p = m_fma_double(p, r, 0x1.a01982a99f552p-13);
    p = m_fma_double(p, r, 0x1.6c1651deb68f9p-10);
    p = m_fma_double(p, r, 0x1.111111285f9c2p-7);
    p = m_fma_double(p, r, 0x1.5555557207008p-5);
    p = m_fma_double(p, r, 0x1.555555554fd03p-3);
    p = m_fma_double(p, r, 0x1.fffffffff8686p-2);
    *scale = m_double_from((m_bits_of_double(shifted) + 1023) << 52);
    return r * m_fma_double(p, r, 1);
}
static inline double m_exp_near(double x)
{
    double scale, near = m_expm1_reduced(x, &scale);
    return m_fma_double(scale, near, scale);
}
static inline double m_expm1_near(double x)
{
    double scale, near = m_expm1_reduced(x, &scale);
    return m_fma_double(scale, near, -(1 - scale)); // of 0 it is that 0
}
static inline float m_expm1_quick(float x, m_Doubt *doubt)
{
    m_doubt_if(!(x < 88), doubt);
    return m_settle(m_expm1_near(x < -40 ? -40 : x), doubt);
}

// 2^x for -0.5 <= x <= 0.5.
static inline double m_exp2_near(double x)
{
    double p = 0x1.b68fd79ad21c2p-24;
    p = m_fma_double(p, x, 0x1.63e6749ea1cb8p-20);
    p = m_fma_double(p, x, 0x1.ffcb382d53682p-17);
    p = m_fma_double(p, x, 0x1.4308983188286p-13);
    p = m_fma_double(p, x, 0x1.5d87fea6ff24fp-10);
    p = m_fma_double(p, x, 0x1.3b2ab723d4f7cp-7);
    p = m_fma_double(p, x, 0x1.c6b08d70388d1p-5);
    p = m_fma_double(p, x, 0x1.ebfbdff81c241p-3);
    p = m_fma_double(p, x, 0x1.62e42fefa3a23p-1);
    return m_fma_double(p, x, 1);
}
// 2^k is put into the exponent of the float, as the result is a normal one.
static inline float m_exp2_quick(float x, m_Doubt *doubt)
{
    float shifted = x + 0x1.8p23f, rest = x - (shifted - 0x1.8p23f);
    m_doubt_if(!(m_abs_float(x) < 125), doubt);
    float near = m_settle(m_exp2_near(rest), doubt);
    return m_float_from(m_bits_of_float(near) + (m_bits_of_float(shifted) << 23));
}

static inline float m_sinh_quick(float x, m_Doubt *doubt)
{
    float a = m_abs_float(x);
    m_doubt_if(!(a < 88), doubt);
    double t = m_expm1_near(a);
    return m_copysign_float(m_settle(0.5 * (t + t / (t + 1)), doubt), x);
}
static inline float m_cosh_quick(float x, m_Doubt *doubt)
{
    float a = m_abs_float(x);
    m_doubt_if(!(a < 88), doubt);
    double e = 0.5 * m_exp_near(a);
    return m_settle(e + 0.25 / e, doubt);
}

// ---- logarithms

// x = 2^k * m as in m_split_double(), for a normal x.
static inline double m_split_near(double x, double *k)
{
    uint64_t bits = m_bits_of_double(x), off = bits - 0x3FE6A09E667F3BCD;
    *k = (double)((int64_t)off >> 52);
    return m_double_from(bits - (off & 0xFFF0000000000000));
}
// log(1 + f) for 1 + f between sqrt(1/2) and sqrt(2).
static inline double m_log_short(double f)
{
    double s = f / (2 + f), z = s * s, p = 0x1.9114e7cee4178p-3;
    p = m_fma_double(p, z, 0x1.c62b23583b281p-3);
    p = m_fma_double(p, z, 0x1.249411b5ae7dbp-2);
    p = m_fma_double(p, z, 0x1.999996a9f4dfdp-2);
    p = m_fma_double(p, z, 0x1.555555561df04p-1);
    return m_fma_double(p, s * z, s + s);
}
// 1 + x = 2^k * (1 + f), but f is computed of x, as 1 + x may have lost it.
static inline double m_log1p_near(double x)
{
    uint64_t off = m_bits_of_double(1 + x) - 0x3FE6A09E667F3BCD;
    double k = (double)((int64_t)off >> 52);
    double scale = m_double_from(0x3FF0000000000000 - (off & 0xFFF0000000000000)); // 2^-k
    return m_fma_double(k, 0x1.62e42fefa39efp-1, m_log_short(m_fma_double(scale, x, scale - 1)));
}
static inline float m_log1p_quick(float x, m_Doubt *doubt)
{
    m_doubt_if(!(x > -1), doubt);
    float result = m_settle(m_log1p_near(x), doubt);
    return (x == 0) | !(x < INFINITY) ? x : result;
}
// What is no positive finite number, as in m_log_edges_double().
static inline float m_log_edges_quick(float x, float result)
{
    float edge = x == 0 ? -INFINITY : x < 0 ? NAN : x;
    return x > 0 && x < INFINITY ? result : edge;
}
static inline float m_log2_quick(float x, m_Doubt *doubt)
{
    double k, m = m_split_near(x, &k);
    float result = m_settle(m_fma_double(m_log_short(m - 1), 0x1.71547652b82fep0, k), doubt);
    return m_log_edges_quick(x, result);
}
static inline float m_log10_quick(float x, m_Doubt *doubt)
{
    double k, m = m_split_near(x, &k), near = m_log_short(m - 1) * 0x1.bcb7b1526e50ep-2;
    float result = m_settle(m_fma_double(k, 0x1.34413509f79ffp-2, near), doubt);
    return m_log_edges_quick(x, result);
}
static inline float m_atanh_quick(float x, m_Doubt *doubt)
{
    double a = m_abs_float(x);
    m_doubt_if(!(m_abs_float(x) < 1), doubt);
    return m_copysign_float(m_settle(0.5 * m_log1p_near(2 * a / (1 - a)), doubt), x);
}
// A sum near 0 is not as exact, of itself, as its parts: it is wrong by 2^-43, whatever it is.
static inline float m_logaddexp_quick(float x, float y, m_Doubt *doubt)
{
    float large = x > y ? x : y, small = x > y ? y : x;
    double distance = (double)small - large;
    m_doubt_if(!(m_abs_float(x) < 0x1p30f && m_abs_float(y) < 0x1p30f), doubt);
    double near = large + m_log1p_near(m_exp_near(distance < -60 ? -60 : distance));
    float result = (float)(near - 0x1p-43), above = (float)(near + 0x1p-43);
    m_doubt_if(result != above, doubt);
    return result;
}

// ---- pow: 2^(y * log2(x)), where 53 bits of the product are enough

static inline double m_log2_near(double x)
{
    double k, f = m_split_near(x, &k) - 1, s = f / (2 + f), z = s * s, p = m_log_near_double(z);
    return m_fma_double(m_fma_double(p, s * z, s + s), 0x1.71547652b82fep0, k);
}
// The power of a negative x has a whole y, that of 0 a positive one.
static inline float m_pow_quick(float x, float y, m_Doubt *doubt)
{
    float a = m_abs_float(x), half = 0.5f * y;
    bool whole = m_near_float(y) == y, odd = whole & (m_near_float(half) != half);
    double product = y * m_log2_near(a), shifted = product + M_ROUND_HERE;
    m_doubt_if(!(m_abs_float(y) < 0x1p22f) | !(a < INFINITY), doubt);
    m_doubt_if(((x < 0) & !whole) | ((x == 0) & !(y > 0)), doubt);
    m_doubt_if((x != 0) & !(m_abs_double(product) < 125), doubt);
    double near = m_exp2_near(product - (shifted - M_ROUND_HERE));
    near = m_double_from(m_bits_of_double(near) + (m_bits_of_double(shifted) << 52));
    return m_copysign_float(m_settle(x == 0 ? 0 : near, doubt), odd ? x : 1);
}

// ---- the angle of a point: of y / x or x / y, or of (b - a) / (b + a), one division

static inline double m_atan_short(double t)
{
    double z = t * t, p = 0x1.fa282b04b3528p-6;
    p = m_fma_double(p, z, -0x1.e296a0f5f3cc6p-5);
    p = m_fma_double(p, z, 0x1.3601a7dfd063ep-4);
    p = m_fma_double(p, z, -0x1.73e1a03172497p-4);
    p = m_fma_double(p, z, 0x1.c715827820f8cp-4);
    p = m_fma_double(p, z, -0x1.24922d5ca05f4p-3);
    p = m_fma_double(p, z, 0x1.9999992d86866p-3);
    p = m_fma_double(p, z, -0x1.555555550d54bp-2);
    return m_fma_double(p, z * t, t);
}
static inline float m_atan2_quick(float y, float x, m_Doubt *doubt)
{
    float a = m_abs_float(x), b = m_abs_float(y);
    double large = a > b ? a : b, small = a > b ? b : a;
    bool middle = small > large * 0x1.a827999fcef32p-2;
    double above = middle ? small - large : small, below = middle ? small + large : large;
    m_doubt_if(!(a < INFINITY && b < INFINITY), doubt);
    below = large == 0 ? 1 : below;
    double angle = m_atan_short(above / below) + (middle ? 0x1.921fb54442d18p-1 : 0);
    angle = a < b ? 0x1.921fb54442d18p0 - angle : angle;
    angle = m_signbit_float(x) ? 0x1.921fb54442d18p1 - angle : angle;
    float result = m_settle(angle, doubt);
    m_doubt_if((result < 0x1p-126f) & (b > 0), doubt);
    return m_copysign_float(result, y);
}

// ---- erfc, as in scalar_special.h, and the inverse of erf; the square of a float is exact

static inline double m_erf_short(double x, double z)
{
    double p = 0x1.3b5622031451fp-20;
    p = m_fma_double(p, z, -0x1.df581d6db4579p-17);
    p = m_fma_double(p, z, 0x1.f7953ca8eb0aep-14);
    p = m_fma_double(p, z, -0x1.c00f714d04ad4p-11);
    p = m_fma_double(p, z, 0x1.565abe0fe16cep-8);
    p = m_fma_double(p, z, -0x1.b82cd7e6875f8p-6);
    p = m_fma_double(p, z, 0x1.ce2f21604bc34p-4);
    p = m_fma_double(p, z, -0x1.812746af9117ep-2);
    p = m_fma_double(p, z, 0x1.06eba82149becp-3);
    return m_fma_double(p, x, x);
}
static inline double m_erfc_long(double x, double z)
{
    double inverse = 1 / ((x + 2) * (1 + 2 * x)), t = (x - 2) * (1 + 2 * x) * inverse;
    double p = -0x1.16d4164f1564ap-15;
    p = m_fma_double(p, t, -0x1.c9cd68fc8b002p-17);
    p = m_fma_double(p, t, 0x1.3e855e78f3ce3p-13);
    p = m_fma_double(p, t, 0x1.b97b62ed04502p-13);
    p = m_fma_double(p, t, -0x1.dd28a8aa5be23p-12);
    p = m_fma_double(p, t, -0x1.7e1234c684b83p-10);
    p = m_fma_double(p, t, 0x1.4d4f45957a774p-10);
    p = m_fma_double(p, t, 0x1.1dd362a1daba1p-7);
    p = m_fma_double(p, t, -0x1.07424ae7d9267p-7);
    p = m_fma_double(p, t, -0x1.bc2b968bb2c40p-5);
    p = m_fma_double(p, t, 0x1.4ffa1e203802bp-3);
    p = m_fma_double(p, t, -0x1.5407bebe0dbcep-3);
    p = m_fma_double(p, t, -0x1.7bf5ec1731498p-4);
    p = m_fma_double(p, t, 0x1.46e80e22777c8p+0);
    return m_exp_near(-z) * (p * ((x + 2) * inverse));
}
static inline float m_erfc_quick(float x, m_Doubt *doubt)
{
    float inside = x < -9 ? -9 : x; // of less, it is 2 as well
    double a = m_abs_float(inside), z = a * a;
    m_doubt_if(!(x < 9), doubt);
    double far = m_erfc_long(a, z), near = 1 - m_erf_short(x, z);
    far = x < 0 ? 2 - far : far;
    return m_settle(a < 0.85 ? near : far, doubt);
}

// erfinv(x) = x * p(w), w = -log(1 - x^2). There are two polynomials, the other one for a large w
// in its root; the coefficients are chosen, as two multiplications would take longer.
static inline double m_erfinv_part(double w)
{
    bool large = w > 4.5;
    double t = large ? sqrt(w) - 0x1.875d3b7d7e76fp+1 : w - 2.25,
           p = large ? -0x1.2ae29df602badp-23 : 0;
    p = m_fma_double(p, t, large ? -0x1.0193b002aff22p-22 : -0x1.783f2642d3169p-47);
    p = m_fma_double(p, t, large ? 0x1.d185d725d20ecp-20 : -0x1.c957a954b89c0p-47);
    p = m_fma_double(p, t, large ? -0x1.cb1a1efc4e254p-21 : 0x1.b0487082d6834p-41);
    p = m_fma_double(p, t, large ? -0x1.d5d10f7ae2891p-18 : -0x1.dc5817cca4583p-40);
    p = m_fma_double(p, t, large ? 0x1.298048d9b3ab3p-16 : -0x1.0c16a5007b776p-35);
    p = m_fma_double(p, t, large ? -0x1.327241ac271fcp-17 : 0x1.d916425a2dff0p-33);
    p = m_fma_double(p, t, large ? -0x1.dc4d85ccb468bp-15 : 0x1.ece9e78384cc5p-32);
    p = m_fma_double(p, t, large ? 0x1.6fdb96689e776p-13 : -0x1.b161bfa3a127fp-27);
    p = m_fma_double(p, t, large ? -0x1.822e3d8e3280cp-13 : 0x1.57ea0235c3dcdp-25);
    p = m_fma_double(p, t, large ? -0x1.0c42fb3b5044ap-12 : 0x1.c9585d9ef8dd6p-22);
    p = m_fma_double(p, t, large ? 0x1.6f2ed00ed88cfp-10 : -0x1.1aedd25288892p-18);
    p = m_fma_double(p, t, large ? -0x1.910acca5e8d29p-9 : 0x1.8d383cf4b3ce0p-21);
    p = m_fma_double(p, t, large ? 0x1.363e098a24d43p-8 : 0x1.cf8b8bc24ff12p-13);
    p = m_fma_double(p, t, large ? -0x1.a68e240f51684p-8 : -0x1.821fe737497b7p-10);
    p = m_fma_double(p, t, large ? 0x1.0dc3f37a45261p-7 : -0x1.9d94b8d19f856p-9);
    p = m_fma_double(p, t, large ? 0x1.00b050e1fcb12p+0 : 0x1.fce34214bdcf1p-3);
    p = m_fma_double(p, t, large ? 0x1.72005a691fbe6p+1 : 0x1.7083a336cd754p+0);
    return p;
}
static inline float m_erfinv_quick(float x, m_Doubt *doubt)
{
    double w = -m_log1p_near(-((double)x * x));
    m_doubt_if(!(m_abs_float(x) < 1), doubt);
    return m_settle(x * m_erfinv_part(w), doubt);
}

// ---- gamma functions of positive numbers: all steps of scalar_special.h, for vectors

// From 2^-24 on, x + 14 has all bits of x.
static inline float m_lgamma_quick(float x, m_Doubt *doubt)
{
    double product = 1, raised = x < 15 ? x + m_ceil_double(15 - (double)x) : x;
    m_doubt_if(!(x >= 0x1p-24f) | !(x < INFINITY), doubt);
    for (int i = 0; i < 15; i++) product = x + (double)i < 15 ? product * (x + (double)i) : product;
    float result = (float)m_lgamma_raised(raised, product);
    return (x == 1) | (x == 2) ? 0 : result;
}
static inline float m_digamma_quick(float x, m_Doubt *doubt)
{
    double raised = x, sum = 0;
    m_doubt_if(!(x > 0) | !(x < INFINITY), doubt);
    for (int i = 0; i < 10; i++) {
        sum -= raised < 10 ? 1 / raised : 0;
        raised += raised < 10 ? 1 : 0;
    }
    return (float)m_digamma_raised(raised, sum);
}

// ---- the names that an expression has, where a variable `doubt` is (NULL = be exact)

#define M_QUICK(name, x) (doubt ? name##_quick(x, doubt) : name##_float(x))
#define M_QUICK2(name, x, y) (doubt ? name##_quick(x, y, doubt) : name##_float(x, y))
#undef m_exp2
#undef m_expm1
#undef m_sinh
#undef m_cosh
#undef m_log1p
#undef m_log2
#undef m_log10
#undef m_atanh
#undef m_logaddexp
#undef m_atan2
#undef m_erfc
#undef m_erfinv
#undef m_lgamma
#undef m_digamma
#undef m_pow
#define m_exp2(x) M_QUICK(m_exp2, x)
#define m_expm1(x) M_QUICK(m_expm1, x)
#define m_sinh(x) M_QUICK(m_sinh, x)
#define m_cosh(x) M_QUICK(m_cosh, x)
#define m_log1p(x) M_QUICK(m_log1p, x)
#define m_log2(x) M_QUICK(m_log2, x)
#define m_log10(x) M_QUICK(m_log10, x)
#define m_atanh(x) M_QUICK(m_atanh, x)
#define m_erfc(x) M_QUICK(m_erfc, x)
#define m_erfinv(x) M_QUICK(m_erfinv, x)
#define m_lgamma(x) M_QUICK(m_lgamma, x)
#define m_digamma(x) M_QUICK(m_digamma, x)
#define m_pow(x, y) M_QUICK2(m_pow, x, y)
#define m_logaddexp(x, y) M_QUICK2(m_logaddexp, x, y)
#define m_atan2(y, x) M_QUICK2(m_atan2, y, x)
