// Bessel functions of orders 0 and 1, and Airy's function. By the rules of scalar_math.h, which
// this file continues; errors of double are below 1e-13, of airy_ai below 1e-10.
//
// Each has a form for arguments near 0 (a series, or a recurrence downwards) and the asymptotic
// one, whose terms are added until they grow. At infinity they give the limit.
// (Abramowitz and Stegun, chapters 9 and 10)
#pragma once

#include "vm/modules/torch/kernels/scalar_polynomials.h"

#define M_PI_DOUBLE 0x1.921fb54442d18p1
#define M_EULER 0x1.2788cfc6fb619p-1

// ---- J and Y

typedef struct m_Bessel {
    double j0, j1, y0, y1;
} m_Bessel;

// 1e-8 <= x < 25: all J at once, by the recurrence from a high order downwards, up to a factor,
// which the sum J0 + 2 J2 + 2 J4 + ... = 1 gives; Y is a sum of them (Neumann's series).
M_CALLED m_Bessel m_bessel_near(double x)
{
    double above = 0, now = 1e-300, sum = 0, even = 0, odd = 0;
    for (int k = 2 * (int)(x / 2 + 25); k > 0; k--) {
        double below = 2 * k / x * now - above;
        above = now;
        now = below; // of order k - 1
        int half = (k - 1) / 2, sign = half % 2 ? -1 : 1;
        if (k % 2 == 0 && k > 2) odd += sign * (2 * half + 1) / ((double)half * (half + 1)) * now;
        if (k % 2 == 1) sum += (k > 1 ? 2 : 1) * now;
        if (k % 2 == 1 && k > 1) even += sign * now / half;
        if (m_abs_double(now) < 1e250) continue;
        above *= 1e-250, now *= 1e-250, sum *= 1e-250, even *= 1e-250, odd *= 1e-250;
    }
    double j0 = now / sum, j1 = above / sum, logarithm = m_log_double(x / 2) + M_EULER;
    return (m_Bessel){j0, j1, 2 / M_PI_DOUBLE * (logarithm * j0 - 2 * even / sum),
                      2 / M_PI_DOUBLE * ((logarithm - 1) * j1 - j0 / x - odd / sum)};
}

// The sums of Hankel's expansion for an order: terms 0, 2, 4 ... into *even, 1, 3, 5 ... into *odd,
// every second one of each with the other sign if `alternate`.
static inline void m_hankel_sums(double x, double order, bool alternate, double *even, double *odd)
{
    double square = 4 * order * order, term = 1, sums[2] = {1, 0};
    for (int k = 1; k < 120; k++) {
        double next = term * (square - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * k * x);
        if (m_abs_double(next) >= m_abs_double(term) || m_abs_double(next) < 1e-18) break;
        term = next;
        sums[k % 2] += alternate && k / 2 % 2 ? -term : term;
    }
    *even = sums[0];
    *odd = sums[1];
}

M_CALLED m_Bessel m_bessel_far(double x)
{
    double even, odd, s = m_sin_any_double(x), c = m_cos_any_double(x);
    double size = sqrt(1 / (M_PI_DOUBLE * x)); // c + s is sqrt(2) times the cosine of x - pi / 4
    m_Bessel bessel;
    m_hankel_sums(x, 0, true, &even, &odd);
    bessel.j0 = size * (even * (c + s) - odd * (s - c));
    bessel.y0 = size * (even * (s - c) + odd * (c + s));
    m_hankel_sums(x, 1, true, &even, &odd);
    bessel.j1 = size * (even * (s - c) + odd * (c + s));
    bessel.y1 = size * (odd * (s - c) - even * (c + s));
    return bessel;
}

static inline m_Bessel m_bessel(double x)
{
    if (x < 1e-8) {
        double logarithm = m_log_double(x / 2) + M_EULER;
        return (m_Bessel){1, x / 2, 2 / M_PI_DOUBLE * logarithm, -2 / (M_PI_DOUBLE * x)};
    }
    if (x == (double)INFINITY) return (m_Bessel){0, 0, 0, 0};
    return x < 25 ? m_bessel_near(x) : m_bessel_far(x);
}

M_CALLED double m_bessel_j0_double(double x)
{
    return x != x ? x : m_bessel(m_abs_double(x)).j0;
}
M_CALLED double m_bessel_j1_double(double x)
{
    double j1 = m_bessel(m_abs_double(x)).j1;
    return x != x ? x : x < 0 ? -j1 : j1;
}
M_CALLED double m_bessel_y0_double(double x)
{
    return x > 0 ? m_bessel(x).y0 : x == 0 ? -(double)INFINITY : (double)NAN;
}
M_CALLED double m_bessel_y1_double(double x)
{
    return x > 0 ? m_bessel(x).y1 : x == 0 ? -(double)INFINITY : (double)NAN;
}

// ---- I and K, modified; "scaled" = times exp(-|x|) and exp(x)

M_CALLED double m_scaled_i(double x, int n)
{
    double a = m_abs_double(x), even, odd, result;
    if (a != a || a == (double)INFINITY) return a != a ? a : 0;
    if (a < 30) {
        double term = n ? a / 2 : 1, sum = term;
        for (int k = 1; term > sum * 1e-18; k++) sum += term *= a * a / (4.0 * k * (k + n));
        result = sum * m_exp_double(-a);
    } else {
        m_hankel_sums(a, n, false, &even, &odd);
        result = (even - odd) / sqrt(2 * M_PI_DOUBLE * a);
    }
    return n && x < 0 ? -result : result;
}
// In two steps, for exp(x) alone may be too large.
static inline double m_unscaled(double scaled, double x)
{
    if (x == (double)INFINITY) return x;
    double half = m_exp_double(x / 2);
    return scaled * half * half;
}

// Near 0: K0 = -(log(x / 2) + Euler) I0 + ..., K1 = 1 / x + log(x / 2) I1 - ....
static inline double m_k_near(double x, int n)
{
    double logarithm = m_log_double(x / 2), term = n ? x / 2 : 1, i = term, harmonic = 0, sum = 0;
    if (n) sum = term * (1 - 2 * M_EULER) / 2;
    for (int k = 1; k < 30; k++) {
        term *= x * x / (4.0 * k * (k + n));
        harmonic += 1.0 / k;
        i += term;
        sum += term * (n ? harmonic + 0.5 / (k + 1) - M_EULER : harmonic);
    }
    return n ? 1 / x + logarithm * i - sum : -(logarithm + M_EULER) * i + sum;
}
// x > 1, any order: the integral of exp(-x (cosh t - 1)) cosh(order t), by the trapezoid rule,
// which is nearly exact while the peak is wide.
M_CALLED double m_scaled_k_beyond(double x, double order)
{
    double sum = 0.5, step = 0.125, term = 1, even, odd;
    if (x > 30) {
        m_hankel_sums(x, order, false, &even, &odd);
        return (even + odd) * sqrt(M_PI_DOUBLE / (2 * x));
    }
    for (double t = step; term > 1e-18 * sum; t += step) {
        double grown = m_exp_double(t), wide = m_exp_double(order * t);
        term = m_exp_double(-x * (0.5 * (grown + 1 / grown) - 1)) * 0.5 * (wide + 1 / wide);
        sum += term;
    }
    return sum * step;
}
M_CALLED double m_scaled_k(double x, int n)
{
    if (!(x > 0)) return x == 0 ? (double)INFINITY : (double)NAN;
    if (x == (double)INFINITY) return 0;
    return x <= 2 ? m_k_near(x, n) * m_exp_double(x) : m_scaled_k_beyond(x, n);
}

#define M_MODIFIED(name, expression)                                                               \
    static inline double name##_double(double x)                                                   \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    M_ROUNDED(name)
M_MODIFIED(m_i0e, m_scaled_i(x, 0))
M_MODIFIED(m_i1e, m_scaled_i(x, 1))
M_MODIFIED(m_k0e, m_scaled_k(x, 0))
M_MODIFIED(m_k1e, m_scaled_k(x, 1))
M_MODIFIED(m_i0, m_unscaled(m_scaled_i(x, 0), m_abs_double(x)))
M_MODIFIED(m_i1, m_unscaled(m_scaled_i(x, 1), m_abs_double(x)))
M_MODIFIED(m_k0, m_unscaled(m_scaled_k(x, 0), -x))
M_MODIFIED(m_k1, m_unscaled(m_scaled_k(x, 1), -x))

// ---- others

M_CALLED double m_spherical_j0_double(double x)
{
    double z = x * x;
    if (m_abs_double(x) == (double)INFINITY) return 0;
    if (m_abs_double(x) < 0.5)
        return 1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110))));
    return m_sin_any_double(x) / x;
}

// -7 <= x <= 1: the power series of two solutions.
static inline double m_airy_near(double x)
{
    double f = 1, g = x, first = 1, second = x, cube = x * x * x;
    for (int k = 0; k < 60; k++) {
        first *= cube / ((3 * k + 2) * (3 * k + 3));
        second *= cube / ((3 * k + 3) * (3 * k + 4));
        f += first;
        g += second;
    }
    return 0.35502805388781723926 * f - 0.25881940379280679840 * g;
}
M_CALLED double m_airy_ai_double(double x)
{
    if (x != x || m_abs_double(x) == (double)INFINITY) return x != x || x < 0 ? (double)NAN : 0;
    if (x >= -7 && x <= 1) return m_airy_near(x);
    double a = m_abs_double(x), root = sqrt(a), zeta = 2 * a * root / 3;
    if (x > 0)
        return m_exp_double(-zeta) * sqrt(a / 3) * m_scaled_k_beyond(zeta, 1.0 / 3) / M_PI_DOUBLE;
    double term = 1, sums[2] = {1, 0};
    for (int k = 0; k < 60; k++) {
        double ratio = (6.0 * k + 5) * (6 * k + 3) * (6 * k + 1) / (216.0 * (k + 1) * (2 * k + 1));
        double next = term * ratio / zeta;
        if (!(next < term)) break;
        term = next;
        sums[(k + 1) % 2] += (k + 1) / 2 % 2 ? -term : term;
    }
    double s = m_sin_any_double(zeta), c = m_cos_any_double(zeta);
    return ((c + s) * sums[0] + (s - c) * sums[1]) / sqrt(2 * M_PI_DOUBLE * root);
}

M_ROUNDED(m_bessel_j0)
M_ROUNDED(m_bessel_j1)
M_ROUNDED(m_bessel_y0)
M_ROUNDED(m_bessel_y1)
M_ROUNDED(m_spherical_j0)
M_ROUNDED(m_airy_ai)
#define m_bessel_j0(x) M_REAL(m_bessel_j0, x)
#define m_bessel_j1(x) M_REAL(m_bessel_j1, x)
#define m_bessel_y0(x) M_REAL(m_bessel_y0, x)
#define m_bessel_y1(x) M_REAL(m_bessel_y1, x)
#define m_i0(x) M_REAL(m_i0, x)
#define m_i1(x) M_REAL(m_i1, x)
#define m_k0(x) M_REAL(m_k0, x)
#define m_k1(x) M_REAL(m_k1, x)
#define m_i0e(x) M_REAL(m_i0e, x)
#define m_i1e(x) M_REAL(m_i1e, x)
#define m_k0e(x) M_REAL(m_k0e, x)
#define m_k1e(x) M_REAL(m_k1e, x)
#define m_spherical_j0(x) M_REAL(m_spherical_j0, x)
#define m_airy_ai(x) M_REAL(m_airy_ai, x)
