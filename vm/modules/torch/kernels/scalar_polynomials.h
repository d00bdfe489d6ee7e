// The orthogonal polynomials of torch.special: p(x, n) of degree n at x, by their recurrences, from
// degree 0 (1) and degree 1 on. By the rules of scalar_math.h, which this file continues.
#pragma once

#include "vm/modules/torch/kernels/scalar_special.h"

// Beyond it a recurrence is neither quick nor exact: the result is a NaN.
#define M_MOST_DEGREES 1e6

// A fraction of a degree does not count. `next` gives degree k + 1 of `now` (k) and `before`.
#define M_POLYNOMIAL(name, first, next)                                                            \
    M_CALLED double name##_double(double x, double n)                                              \
    {                                                                                              \
        double before = 1, now = (first);                                                          \
        if (n >= M_MOST_DEGREES) return (double)NAN;                                               \
        if (!(n >= 1)) return n > -1 ? 1 : 0;                                                      \
        for (double k = 1; k + 1 <= n && now == now; k++) {                                        \
            double after = (next);                                                                 \
            before = now;                                                                          \
            now = after;                                                                           \
        }                                                                                          \
        return now;                                                                                \
    }                                                                                              \
    M_ROUNDED2(name)

// The four kinds of Chebyshev differ in degree 1 only; the shifted ones are stretched to 0 .. 1.
#define M_CHEBYSHEV(name, first) M_POLYNOMIAL(name, first, 2 * x * now - before)
#define M_SHIFTED(name, kind)                                                                      \
    static inline double name##_double(double x, double n)                                         \
    {                                                                                              \
        return kind##_double(2 * x - 1, n);                                                        \
    }                                                                                              \
    M_ROUNDED2(name)

M_CHEBYSHEV(m_chebyshev_t, x)
M_CHEBYSHEV(m_chebyshev_u, 2 * x)
M_CHEBYSHEV(m_chebyshev_v, 2 * x - 1)
M_CHEBYSHEV(m_chebyshev_w, 2 * x + 1)
M_SHIFTED(m_shifted_chebyshev_t, m_chebyshev_t)
M_SHIFTED(m_shifted_chebyshev_u, m_chebyshev_u)
M_SHIFTED(m_shifted_chebyshev_v, m_chebyshev_v)
M_SHIFTED(m_shifted_chebyshev_w, m_chebyshev_w)
M_POLYNOMIAL(m_hermite_h, 2 * x, 2 * (x * now - k * before))
M_POLYNOMIAL(m_hermite_he, x, x *now - k * before)
M_POLYNOMIAL(m_laguerre, 1 - x, ((2 * k + 1 - x) * now - k * before) / (k + 1))
M_POLYNOMIAL(m_legendre, x, ((2 * k + 1) * x * now - k * before) / (k + 1))

#define m_chebyshev_t(x, n) M_REAL2(m_chebyshev_t, x, n)
#define m_chebyshev_u(x, n) M_REAL2(m_chebyshev_u, x, n)
#define m_chebyshev_v(x, n) M_REAL2(m_chebyshev_v, x, n)
#define m_chebyshev_w(x, n) M_REAL2(m_chebyshev_w, x, n)
#define m_shifted_chebyshev_t(x, n) M_REAL2(m_shifted_chebyshev_t, x, n)
#define m_shifted_chebyshev_u(x, n) M_REAL2(m_shifted_chebyshev_u, x, n)
#define m_shifted_chebyshev_v(x, n) M_REAL2(m_shifted_chebyshev_v, x, n)
#define m_shifted_chebyshev_w(x, n) M_REAL2(m_shifted_chebyshev_w, x, n)
#define m_hermite_h(x, n) M_REAL2(m_hermite_h, x, n)
#define m_hermite_he(x, n) M_REAL2(m_hermite_he, x, n)
#define m_laguerre(x, n) M_REAL2(m_laguerre, x, n)
#define m_legendre(x, n) M_REAL2(m_legendre, x, n)
