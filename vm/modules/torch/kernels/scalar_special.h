// The special functions of kernels: erf and its relatives, gamma functions, distances. By the rules
// of scalar_math.h, which this file continues.
#pragma once

#include "vm/modules/torch/kernels/scalar_angles.h"

// ---- erf(x) = 1 - erfc(x); near 0 by a polynomial of its own

static inline double m_erf_near_double(double x)
{
    double z = x * x, p = -0x1.d32bb0847fed3p-31;
    p = p * z + 0x1.e2dcfeab54fdep-27;
    p = p * z - 0x1.5d8af025bb3b7p-23;
    p = p * z + 0x1.b9b866a819804p-20;
    p = p * z - 0x1.f4cf6f9e271bbp-17;
    p = p * z + 0x1.f9a307605bac0p-14;
    p = p * z - 0x1.c02db31efd183p-11;
    p = p * z + 0x1.565bcd0a6eef0p-8;
    p = p * z - 0x1.b82ce312736cfp-6;
    p = p * z + 0x1.ce2f21a042835p-4;
    p = p * z - 0x1.812746b0379e3p-2;
    p = p * z + 0x1.06eba8214db69p-3;
    return p * x + x;
}

// erfc(x) = exp(-x^2) * p(t) / (1 + 2 x), t = (x - 2) / (x + 2), for x >= 0.8. x^2 is split, so
// that its rounding does not show in the exponential.
static inline double m_erfc_far_double(double x)
{
    double t = (x - 2) / (x + 2), p = -0x1.651de92a0bcc0p-22;
    p = p * t + 0x1.69d6dae8c22afp-20;
    p = p * t - 0x1.38a749e851f3fp-20;
    p = p * t - 0x1.2ebabcb068b91p-20;
    p = p * t + 0x1.ad3b88c87630bp-24;
    p = p * t + 0x1.4e24c403e43f3p-20;
    p = p * t + 0x1.501d55a7e9760p-18;
    p = p * t + 0x1.035086e9b34a2p-18;
    p = p * t - 0x1.c4306f197cefbp-17;
    p = p * t - 0x1.31d7c9e82ea8fp-15;
    p = p * t - 0x1.947b9426b1c91p-20;
    p = p * t + 0x1.3cc3067ac1715p-13;
    p = p * t + 0x1.b0c81f892299cp-13;
    p = p * t - 0x1.dc69486754b7fp-12;
    p = p * t - 0x1.7de51fba70a6ap-10;
    p = p * t + 0x1.4d461d6613283p-10;
    p = p * t + 0x1.1dd2ec8ebf3ddp-7;
    p = p * t - 0x1.07423404a7a83p-7;
    p = p * t - 0x1.bc2b956195e65p-5;
    p = p * t + 0x1.4ffa1e14e27f5p-3;
    p = p * t - 0x1.5407bebf3245cp-3;
    p = p * t - 0x1.7bf5ec1700632p-4;
    p = p * t + 0x1.46e80e2277953p+0;
    double head = m_double_from(m_bits_of_double(x) & ~(uint64_t)0x7FFFFFF),
           tail = (x - head) * (x + head);
    return m_exp_double(-head * head) * (1 - tail + 0.5 * tail * tail) * (p / (1 + 2 * x));
}

static inline double m_erf_double(double x)
{
    double a = m_abs_double(x), far = 1 - m_erfc_far_double(a > 6 ? 6 : a);
    return x != x ? x : a < 0.85 ? m_erf_near_double(x) : m_copysign_double(far, x);
}
static inline double m_erfc_double(double x)
{
    double a = m_abs_double(x), far = m_erfc_far_double(a > 28 ? 28 : a);
    double result = x < 0 ? 2 - far : far;
    return x != x ? x : a < 0.85 ? 1 - m_erf_near_double(x) : result;
}

// erf(x) = 1 - exp(-q(x)) beyond 0.9.
static inline float m_erf_float(float x)
{
    float a = m_abs_float(x), z = x * x, t = a > 4 ? 4 : a;
    float p = 0x1.66251cp-14f;
    p = p * z - 0x1.acf7fap-11f;
    p = p * z + 0x1.5513f2p-8f;
    p = p * z - 0x1.b8162ap-6f;
    p = p * z + 0x1.ce2e6p-4f;
    p = p * z - 0x1.812744p-2f;
    p = p * z + 0x1.06eba8p-3f;
    float q = 0x1.5ecd7ep-16f;
    q = q * t - 0x1.c54d32p-12f;
    q = q * t + 0x1.10a9fcp-8f;
    q = q * t - 0x1.9b195p-6f;
    q = q * t + 0x1.bb564ep-4f;
    q = q * t + 0x1.444b42p-1f;
    q = q * t + 0x1.212698p+0f;
    q = q * t - 0x1.65ab92p-13f;
    float far = m_copysign_float(1 - m_exp_float(-q), x);
    return x != x ? x : a < 0.9f ? p * x + x : far;
}
M_ROUNDED(m_erfc)
#define m_erf(x) M_REAL(m_erf, x)
#define m_erfc(x) M_REAL(m_erfc, x)

// The x with erf(x) = a and erfc(x) = q: a first guess (Winitzki's), then steps of Halley's method,
// which triple the digits. Both are given, for where one is small the other one has lost digits.
static inline double m_erf_inverse_step(double x, double a, double q)
{
    double error = a < 0.5 ? m_erf_near_double(x) - a : q - m_erfc_double(x);
    double step = error / (0x1.20dd750429b6dp0 * m_exp_double(-x * x));
    return x - step / (1 + x * step);
}
static inline double m_erf_inverse(double a, double q)
{
    double tail = m_log_double(q * (1 + a)), half = 4.3307467508 + tail / 2;
    double x = sqrt(sqrt(half * half - tail / 0.147) - half);
    x = m_erf_inverse_step(x, a, q);
    x = m_erf_inverse_step(x, a, q);
    return m_erf_inverse_step(x, a, q);
}
M_CALLED_BY_VECTORS double m_erfinv_double(double y)
{
    double a = m_abs_double(y), x = m_copysign_double(m_erf_inverse(a, 1 - a), y);
    double edge = a == 1 ? m_copysign_double((double)INFINITY, y) : (double)NAN;
    double result = a < 1 ? x : edge;
    return y == 0 ? y : result;
}
M_ROUNDED(m_erfinv)
#define m_erfinv(x) M_REAL(m_erfinv, x)

// exp(x^2) erfc(x), which does not vanish.
M_CALLED double m_erfcx_double(double x)
{
    double z = x * x, t = 0.5 / z;
    if (x > 25) return (1 - t * (1 - t * (3 - t * (15 - t * 105)))) / (x * 0x1.c5bf891b4ef6bp0);
    return m_exp_double(z) * m_erfc_double(x);
}
M_ROUNDED(m_erfcx)
#define m_erfcx(x) M_REAL(m_erfcx, x)

// The inverse of the normal distribution, and the logarithm of that distribution.
M_CALLED double m_ndtri_double(double p)
{
    double infinity = (double)INFINITY, root = 0x1.6a09e667f3bcdp0;
    if (!(p > 0 && p < 1)) return p == 0 ? -infinity : p == 1 ? infinity : (double)NAN;
    if (p == 0.5) return 0;
    return p < 0.5 ? -root * m_erf_inverse(1 - 2 * p, 2 * p)
                   : root * m_erf_inverse(2 * p - 1, 2 * (1 - p));
}
M_CALLED double m_log_ndtr_double(double x)
{
    double t = x * 0x1.6a09e667f3bcdp-1;
    return x < -1 ? m_log_double(m_erfcx_double(-t) / 2) - t * t
                  : m_log1p_double(-m_erfc_double(t) / 2);
}
M_ROUNDED(m_ndtri)
M_ROUNDED(m_log_ndtr)
#define m_ndtri(x) M_REAL(m_ndtri, x)
#define m_log_ndtr(x) M_REAL(m_log_ndtr, x)

// ---- gamma functions

// sin(pi x), exact at whole numbers.
static inline double m_sinpi_double(double x)
{
    double n = m_near_double(m_abs_double(x) < 0x1p50 ? x : 0), odd = n - 2 * m_floor_double(n / 2);
    double s = m_sin_double((x - n) * 0x1.921fb54442d18p1);
    return odd != 0 ? -s : s;
}

// Stirling's series from 15 on; below, x is raised by lgamma(x) = lgamma(x + 1) - log(x).
static inline double m_lgamma_raised(double x, double product)
{
    double z = 1 / (x * x);
    double series = (((((-691.0 / 360360 * z + 1.0 / 1188) * z - 1.0 / 1680) * z + 1.0 / 1260) * z -
                      1.0 / 360) *
                         z +
                     1.0 / 12) /
                    x;
    return (x - 0.5) * m_log_double(x) - x + 0x1.d67f1c864beb5p-1 + series - m_log_double(product);
}
static inline double m_lgamma_positive(double x)
{
    double product = 1;
    for (; x < 15; x += 1) product *= x;
    return m_lgamma_raised(x, product);
}
M_CALLED double m_lgamma_double(double x)
{
    double infinity = (double)INFINITY;
    if (x != x || m_abs_double(x) == infinity) return x != x ? x : infinity;
    if (x == 1 || x == 2) return 0;
    if (x > 0) return m_lgamma_positive(x);
    if (m_floor_double(x) == x) return infinity;
    return 0x1.250d048e7a1bdp0 - m_log_double(m_abs_double(m_sinpi_double(x))) -
           m_lgamma_positive(1 - x);
}
M_ROUNDED(m_lgamma)
#define m_lgamma(x) M_REAL(m_lgamma, x)

// The asymptotic series from 10 on; below, digamma(x) = digamma(x + 1) - 1 / x.
static inline double m_digamma_raised(double x, double sum)
{
    double z = 1 / (x * x);
    double series =
        ((((((z / 12 - 691.0 / 32760) * z + 1.0 / 132) * z - 1.0 / 240) * z + 1.0 / 252) * z -
          1.0 / 120) *
             z +
         1.0 / 12) *
        z;
    return sum + m_log_double(x) - 0.5 / x - series;
}
static inline double m_digamma_positive(double x)
{
    double sum = 0;
    for (; x < 10; x += 1) sum -= 1 / x;
    return m_digamma_raised(x, sum);
}
M_CALLED double m_digamma_double(double x)
{
    double pi = 0x1.921fb54442d18p1;
    if (x == 0) return m_copysign_double((double)INFINITY, -x);
    if (x != x || x == (double)INFINITY) return x;
    if (x > 0) return m_digamma_positive(x);
    double n = m_near_double(m_abs_double(x) < 0x1p50 ? x : 0);
    if (m_floor_double(x) == x) return (double)NAN;
    return m_digamma_positive(1 - x) - pi / m_tan_double(pi * (x - n));
}
M_ROUNDED(m_digamma)
#define m_digamma(x) M_REAL(m_digamma, x)

// The sum of (q + k) ** -x over all k >= 0: ten terms, and the Euler-Maclaurin formula for the
// others, with the factors (2 j)! / B(2 j).
static inline double m_zeta_tail(double x, double q, double term)
{
    static const double factors[] = {
        12.0,
        -720.0,
        30240.0,
        -1209600.0,
        47900160.0,
        -1307674368000.0 / 691,
        74724249600.0,
        -10670622842880000.0 / 3617,
        5109094217170944000.0 / 43867,
        -802857662698291200000.0 / 174611,
        14101100039391805440000.0 / 77683,
        -1693824136731743669452800000.0 / 236364091,
    };
    double sum = term * q / (x - 1) - 0.5 * term, factor = 1;
    for (int j = 0; j < 12; j++) {
        factor *= x + 2 * j;
        term /= q;
        sum += factor * term / factors[j];
        factor *= x + 2 * j + 1;
        term /= q;
    }
    return sum;
}
M_CALLED double m_zeta_double(double x, double q)
{
    if (x == 1) return (double)INFINITY;
    if (x < 1 || x != x || q != q) return (double)NAN;
    if (q <= 0 && q == m_floor_double(q)) return (double)INFINITY;
    if (q <= 0 && x != m_floor_double(x)) return (double)NAN;
    double sum = 0, term;
    int i = 0;
    do {
        term = m_pow_double(q, -x);
        sum += term;
        q += 1;
    } while (++i < 10 || q <= 10);
    return sum + m_zeta_tail(x, q - 1, term);
}
M_ROUNDED2(m_zeta)
#define m_zeta(x, q) M_REAL2(m_zeta, x, q)

// The incomplete gamma function P(a, x), or Q = 1 - P if `upper`: of the two, one is computed, by a
// series below x = a + 1 and by a continued fraction (Lentz's way) from there on.
static inline double m_gamma_series(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int k = 1; k < 100000 && term > sum * 1e-17; k++) sum += term *= x / (a + k);
    return sum;
}
static inline double m_gamma_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1e300, d = 1 / b, product = d, factor = 0;
    for (int k = 1; k < 100000 && m_abs_double(factor - 1) > 1e-16; k++) {
        double numerator = k * (a - k);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        factor = d * c;
        product *= factor;
    }
    return product;
}
M_CALLED double m_gamma_part(double a, double x, bool upper)
{
    double infinity = (double)INFINITY;
    bool both_end = (a == 0 && x == 0) || (a == infinity && x == infinity);
    if (!(a >= 0 && x >= 0) || both_end) return (double)NAN;
    if (a == 0 || x == infinity) return upper ? 0 : 1;
    if (x == 0 || a == infinity) return upper ? 1 : 0;
    double factor = m_exp_double(a * m_log_double(x) - x - m_lgamma_double(a));
    double part = factor * (x < a + 1 ? m_gamma_series(a, x) : m_gamma_fraction(a, x));
    return (x < a + 1) == upper ? 1 - part : part;
}
static inline double m_igamma_double(double a, double x)
{
    return m_gamma_part(a, x, false);
}
static inline double m_igammac_double(double a, double x)
{
    return m_gamma_part(a, x, true);
}
M_ROUNDED2(m_igamma)
M_ROUNDED2(m_igammac)
#define m_igamma(a, x) M_REAL2(m_igamma, a, x)
#define m_igammac(a, x) M_REAL2(m_igammac, a, x)

// ---- others

static inline double m_hypot_double(double x, double y)
{
    double a = m_abs_double(x), b = m_abs_double(y), large = a > b ? a : b, small = a > b ? b : a;
    double ratio = small / large, result = large * sqrt(1 + ratio * ratio);
    result = large == 0 ? 0 : result;
    if (x != x || y != y) result = (double)NAN;
    return a == (double)INFINITY || b == (double)INFINITY ? (double)INFINITY : result;
}
static inline float m_hypot_float(float x, float y)
{
    double a = x, b = y;
    bool is_far = m_abs_float(x) == INFINITY || m_abs_float(y) == INFINITY; // even from a NaN
    return is_far ? INFINITY : (float)sqrt(a * a + b * b);
}
#define m_hypot(x, y) M_REAL2(m_hypot, x, y)

// log(exp(x) + exp(y)).
static inline double m_logaddexp_double(double x, double y)
{
    double large = x > y ? x : y, small = x > y ? y : x;
    if (x != x || y != y) return x + y;
    return large == small && large - small != 0
               ? large
               : large + m_log1p_double(m_exp_double(small - large));
}
M_ROUNDED2(m_logaddexp)
#define m_logaddexp(x, y) M_REAL2(m_logaddexp, x, y)

// x * log(y), and 0 where x is 0 unless y is a NaN.
#define m_xlogy(x, y) ((y) != (y) ? (y) : (x) == 0 ? 0 : (x) * m_log(y))
#define m_xlog1py(x, y) ((y) != (y) ? (y) : (x) == 0 ? 0 : (x) * m_log1p(y))
// -x log(x), and 0 at 0.
#define m_entr(x) ((x) != (x) ? (x) : (x) > 0 ? -(x) * m_log(x) : (x) == 0 ? 0 : -INFINITY)

static inline int64_t m_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = m_fmod_int64(a, b);
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}
static inline int64_t m_lcm(int64_t a, int64_t b)
{
    int64_t divisor = m_gcd(a, b), product = divisor ? a / divisor * b : 0;
    return product < 0 ? -product : product;
}

static inline double m_logaddexp2_double(double x, double y)
{
    const double ln2 = 0x1.62e42fefa39efp-1;
    return m_logaddexp_double(x * ln2, y * ln2) / ln2;
}
M_ROUNDED2(m_logaddexp2)
#define m_logaddexp2(x, y) M_REAL2(m_logaddexp2, x, y)

// sin(pi x) / (pi x).
static inline double m_sinc_double(double x)
{
    return x == 0 ? 1 : m_sinpi_double(m_abs_double(x)) / (0x1.921fb54442d18p1 * m_abs_double(x));
}
M_ROUNDED(m_sinc)
#define m_sinc(x) M_REAL(m_sinc, x)

// log(x / (1 - x)), of an x that is brought between eps and 1 - eps, unless eps is a NaN.
#define M_LOGIT(type)                                                                              \
    static inline type m_logit_##type(type x, type eps)                                            \
    {                                                                                              \
        type low = eps != eps ? -(type)INFINITY : eps,                                             \
             high = eps != eps ? (type)INFINITY : 1 - eps;                                         \
        type inside = x < low ? low : x > high ? high : x;                                         \
        return m_log(inside / (1 - inside));                                                       \
    }
M_LOGIT(float)
M_LOGIT(double)
#define m_logit(x, eps) M_REAL2(m_logit, x, eps)

// ---- neighbours

// The next number after x towards y: the same bits, read as an integer, and one more or less.
#define NEXT_AFTER(name, type, bits)                                                               \
    static inline type name(type x, type y)                                                        \
    {                                                                                              \
        bits number;                                                                               \
        bool down = x == 0 && y < 0;                                                               \
        if (x != x || y != y) return x + y;                                                        \
        if (x == y) return y;                                                                      \
        memcpy(&number, &x, sizeof number);                                                        \
        if (x == 0)                                                                                \
            number = 1;                                                                            \
        else                                                                                       \
            number += (x < y) == (x > 0) ? 1 : (bits) - 1;                                         \
        memcpy(&x, &number, sizeof number);                                                        \
        return down ? -x : x;                                                                      \
    }
NEXT_AFTER(m_nextafter_float, float, uint32_t)
NEXT_AFTER(m_nextafter_double, double, uint64_t)
#define m_nextafter(x, y) M_REAL2(m_nextafter, x, y)
