// Factorisations of one row-major matrix of doubles, in place: for kernel_factor.c and emitted
// programs (vm/modules/torch/inductor/plain.h).
//
//     factor_cholesky   a = l l'                 row by row
//     factor_lu         p a = l u                by columns, the largest element as pivot
//     factor_qr         a = q r                  one reflection (Householder) for each column
//     factor_eigh       a = v diag(w) v'         rotations (Jacobi) until a is diagonal
//     factor_svd        a = u diag(s) v'         rotations of the columns (one-sided Jacobi) until
//                                                they are at right angles; s are their lengths
//
// The signs of the reflections are LAPACK's, so q and r are PyTorch's; those of eigenvectors and
// singular vectors are free, and may differ. The rotations stop when nothing changes any more, at
// the latest after FACTOR_SWEEPS passes. (Golub and Van Loan, Matrix Computations, 3.4, 5.2, 8.5)
#pragma once

#include "vm/modules/torch/kernels/rotation.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FACTOR_SWEEPS 60

// to (n x m) = from (m x n), turned. In place for a square matrix.
static void matrix_transpose(int64_t m, int64_t n, const double *from, double *to)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = from == to ? i : 0; j < n; j++) {
            double lower = to == from ? to[j * m + i] : 0;
            to[j * m + i] = from[i * n + j];
            if (to == from) to[i * n + j] = lower;
        }
}

// ---- Cholesky

// Fills in l below and on the diagonal, zeros above. 0, or the order of the first leading minor
// that is not positive.
static int64_t factor_cholesky(int64_t n, double *a)
{
    int64_t failed = 0;
    for (int64_t i = 0; i < n && !failed; i++)
        for (int64_t j = 0; j <= i && !failed; j++) {
            double sum = a[i * n + j];
            for (int64_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0)) failed = i + 1;
            a[i * n + j] = i == j ? (failed ? sum : sqrt(sum)) : sum / a[j * n + j];
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) a[i * n + j] = 0;
    return failed;
}

// ---- LU

static void swap_rows(int64_t n, double *first, double *second)
{
    for (int64_t j = 0; j < n; j++) {
        double kept = first[j];
        first[j] = second[j];
        second[j] = kept;
    }
}

static int64_t largest_below(int64_t m, int64_t n, const double *a, int64_t column)
{
    int64_t found = column;
    for (int64_t i = column + 1; i < m; i++)
        if (fabs(a[i * n + column]) > fabs(a[found * n + column])) found = i;
    return found;
}

// pivots[i]: the row, counted from 1, that row i was exchanged with. 0, or the index of the first
// zero on the diagonal of u.
static int64_t factor_lu(int64_t m, int64_t n, double *a, int32_t *pivots)
{
    int64_t zero = 0;
    for (int64_t k = 0; k < m && k < n; k++) {
        int64_t row = largest_below(m, n, a, k);
        pivots[k] = (int32_t)row + 1;
        if (row != k) swap_rows(n, a + row * n, a + k * n);
        double divisor = a[k * n + k];
        if (divisor == 0) {
            if (!zero) zero = k + 1;
            continue;
        }
        for (int64_t i = k + 1; i < m; i++) {
            double factor = a[i * n + k] /= divisor;
            for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return zero;
}

// b (n x columns) becomes x with a x = b, of a triangle a, whose diagonal is 1 if `unit`.
static void factor_solve(int64_t n, int64_t columns, const double *a, double *b, bool upper,
                         bool unit)
{
    for (int64_t step = 0; step < n; step++) {
        int64_t row = upper ? n - 1 - step : step;
        for (int64_t k = upper ? row + 1 : 0; k < (upper ? n : row); k++)
            for (int64_t j = 0; j < columns; j++)
                b[row * columns + j] -= a[row * n + k] * b[k * columns + j];
        for (int64_t j = 0; !unit && j < columns; j++) b[row * columns + j] /= a[row * n + row];
    }
}

// ---- QR

// Turns column k, from its diagonal down, into (beta, 0 ... 0): the reflection is 1 - tau v v',
// with v = (1, what is kept below the diagonal).
static double make_reflection(int64_t m, int64_t n, double *a, int64_t k)
{
    double below = 0, alpha = a[k * n + k];
    for (int64_t i = k + 1; i < m; i++) below = hypot(below, a[i * n + k]);
    if (below == 0) return 0;
    double beta = alpha >= 0 ? -hypot(alpha, below) : hypot(alpha, below);
    for (int64_t i = k + 1; i < m; i++) a[i * n + k] /= alpha - beta;
    a[k * n + k] = beta;
    return (beta - alpha) / beta;
}

// Applies reflection k, kept in `a`, to a column of b (m x columns).
static void reflect(int64_t m, int64_t n, const double *a, int64_t k, double tau, int64_t columns,
                    double *b, int64_t column)
{
    double sum = b[k * columns + column];
    for (int64_t i = k + 1; i < m; i++) sum += a[i * n + k] * b[i * columns + column];
    b[k * columns + column] -= tau * sum;
    for (int64_t i = k + 1; i < m; i++) b[i * columns + column] -= tau * sum * a[i * n + k];
}

// r on and above the diagonal, the reflections below it and in tau.
static void factor_qr(int64_t m, int64_t n, double *a, double *tau)
{
    for (int64_t k = 0; k < m && k < n; k++) {
        tau[k] = make_reflection(m, n, a, k);
        for (int64_t j = k + 1; j < n; j++) reflect(m, n, a, k, tau[k], n, a, j);
    }
}

// The first columns of q: the reflections, the last one first, of the columns of 1.
static void factor_qr_q(int64_t m, int64_t n, const double *a, const double *tau, int64_t columns,
                        double *q)
{
    memset(q, 0, (size_t)(m * columns) * sizeof *q);
    for (int64_t j = 0; j < columns; j++) q[j * columns + j] = 1;
    for (int64_t k = m < n ? m : n; k-- > 0;)
        for (int64_t j = 0; j < columns; j++) reflect(m, n, a, k, tau[k], columns, q, j);
}

// ---- rotations

// (x, y) = (c x - s y, s x + c y) for `count` pairs, `step` apart.
static void rotate(Rotation r, int64_t count, int64_t step, double *x, double *y)
{
    for (int64_t i = 0; i < count * step; i += step) {
        double kept = x[i];
        x[i] = r.cosine * kept - r.sine * y[i];
        y[i] = r.sine * kept + r.cosine * y[i];
    }
}

static void identity(int64_t n, double *a)
{
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    for (int64_t i = 0; i < n; i++) a[i * n + i] = 1;
}

// Exchanges columns i and j of a matrix of `rows` rows.
static void swap_columns(int64_t rows, int64_t n, double *a, int64_t i, int64_t j)
{
    for (int64_t row = 0; row < rows; row++) swap_rows(1, a + row * n + i, a + row * n + j);
}

// ---- symmetric eigenvalues

// One pass over all pairs: whether something was rotated.
static bool eigh_sweep(int64_t n, double *a, double *vectors)
{
    bool rotated = false;
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = p + 1; q < n; q++) {
            double off = a[p * n + q], around = fabs(a[p * n + p]) + fabs(a[q * n + q]);
            if (!(fabs(off) > DBL_MIN && fabs(off) > DBL_EPSILON * 0.01 * around)) continue;
            Rotation r = rotation_for(a[p * n + p], a[q * n + q], off);
            rotate(r, n, n, a + p, a + q);
            rotate(r, n, 1, a + p * n, a + q * n);
            rotate(r, n, n, vectors + p, vectors + q);
            rotated = true;
        }
    return rotated;
}

// The values in ascending order, the vectors as columns. `a` is symmetric.
static void factor_eigh(int64_t n, double *a, double *values, double *vectors)
{
    identity(n, vectors);
    for (int sweep = 0; sweep < FACTOR_SWEEPS && eigh_sweep(n, a, vectors); sweep++) continue;
    for (int64_t i = 0; i < n; i++) values[i] = a[i * n + i];
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++)
            if (values[j] < values[least]) least = j;
        swap_rows(1, values + i, values + least);
        swap_columns(n, n, vectors, i, least);
    }
}

// ---- singular values

static double dot_columns(int64_t m, int64_t n, const double *a, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t row = 0; row < m; row++) sum += a[row * n + i] * a[row * n + j];
    return sum;
}

static bool svd_sweep(int64_t m, int64_t n, double *a, double *v)
{
    bool rotated = false;
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = p + 1; q < n; q++) {
            double first = dot_columns(m, n, a, p, p), second = dot_columns(m, n, a, q, q);
            double off = dot_columns(m, n, a, p, q);
            if (!(fabs(off) > DBL_MIN && fabs(off) > DBL_EPSILON * sqrt(first) * sqrt(second)))
                continue;
            Rotation r = rotation_for(first, second, off);
            rotate(r, m, n, a + p, a + q);
            rotate(r, n, n, v + p, v + q);
            rotated = true;
        }
    return rotated;
}

// Takes from column k of u its parts along the columns before it: the length that is left.
static double straighten(int64_t m, int64_t columns, double *u, int64_t k)
{
    for (int64_t j = 0; j < 2 * k; j++) { // twice: the first time leaves a rounding error
        double part = dot_columns(m, columns, u, j % k, k);
        for (int64_t i = 0; i < m; i++) u[i * columns + k] -= part * u[i * columns + j % k];
    }
    return sqrt(dot_columns(m, columns, u, k, k));
}

// Makes column k of u a unit vector at right angles to those before: from one of 1's columns, at
// least one of which keeps a length of 1 / sqrt(m) or more.
static void complete_column(int64_t m, int64_t columns, double *u, int64_t k)
{
    double length = 0;
    for (int64_t axis = 0; axis < m && length < 0.5 / sqrt((double)m); axis++) {
        for (int64_t i = 0; i < m; i++) u[i * columns + k] = i == axis;
        length = straighten(m, columns, u, k);
    }
    for (int64_t i = 0; i < m; i++) u[i * columns + k] /= length;
}

// The columns of `a`, which are at right angles, in the order of their lengths.
static void sort_columns(int64_t m, int64_t n, double *a, double *values, double *v)
{
    for (int64_t i = 0; i < n; i++) values[i] = sqrt(dot_columns(m, n, a, i, i));
    for (int64_t i = 0; i < n; i++) {
        int64_t most = i;
        for (int64_t j = i + 1; j < n; j++)
            if (values[j] > values[most]) most = j;
        swap_rows(1, values + i, values + most);
        swap_columns(m, n, a, i, most);
        swap_columns(n, n, v, i, most);
    }
}

// Of a matrix with m >= n: u gets `columns` columns, n or more; v is n x n. Both have the vectors
// as columns, the values are in descending order.
static void factor_svd(int64_t m, int64_t n, int64_t columns, double *a, double *values, double *u,
                       double *v)
{
    identity(n, v);
    for (int sweep = 0; sweep < FACTOR_SWEEPS && svd_sweep(m, n, a, v); sweep++) continue;
    sort_columns(m, n, a, values, v);
    for (int64_t k = 0; k < columns; k++) {
        bool has_length = k < n && values[k] > DBL_EPSILON * (double)m * values[0];
        for (int64_t i = 0; has_length && i < m; i++) u[i * columns + k] = a[i * n + k] / values[k];
        if (!has_length) complete_column(m, columns, u, k);
    }
}
