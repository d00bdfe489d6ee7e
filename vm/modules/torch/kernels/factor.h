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
// The first three, and the solution of triangles, work on tiles, strips and blocks that stay in
// registers or in a cache, in the order of a plain loop.
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

// ---- products
//
// From each element one product after the other is subtracted, that of the first k first, as a
// plain loop does it, and nothing is contracted: so tiles and vectors do not show in the bits.

typedef double __attribute__((vector_size(32), aligned(8), may_alias)) Four;

#define FOUR(x) ((Four){x, x, x, x})
#define TILE_ROWS 4
#define TILE_FOURS 4
#define BLOCK_ROWS 64 // of a, which stay in the cache
#define STRIP 16      // columns whose rows stay in the cache

// c -= a b, where b and c are parts of matrices with rows of `step` numbers.
typedef struct Product {
    int64_t m, n, depth;
    const double *a;
    int64_t row, along; // steps of a: from row to row, and along k
    const double *b;
    double *c;
    int64_t step;
} Product;

// A tile of it, `rows` high and `fours` wide, at row i and column j: its sums stay in registers.
static inline __attribute__((always_inline)) void subtract_tile(const Product *p, int rows,
                                                                int fours, int64_t i, int64_t j)
{
    Four sums[TILE_ROWS][TILE_FOURS];
    const double *a = p->a + i * p->row, *b = p->b + j;
    double *c = p->c + i * p->step + j;
    for (int x = 0; x < rows; x++)
        for (int y = 0; y < fours; y++) sums[x][y] = ((Four *)(c + x * p->step))[y];
    for (int64_t k = 0; k < p->depth; k++, a += p->along, b += p->step)
        for (int x = 0; x < rows; x++) {
            Four number = FOUR(a[x * p->row]);
            for (int y = 0; y < fours; y++) sums[x][y] -= number * ((const Four *)b)[y];
        }
    for (int x = 0; x < rows; x++)
        for (int y = 0; y < fours; y++) ((Four *)(c + x * p->step))[y] = sums[x][y];
}

// The same for a single column.
static inline __attribute__((always_inline)) void subtract_column(const Product *p, int rows,
                                                                  int64_t i, int64_t j)
{
    double sums[TILE_ROWS];
    const double *a = p->a + i * p->row, *b = p->b + j;
    double *c = p->c + i * p->step + j;
    for (int x = 0; x < rows; x++) sums[x] = c[x * p->step];
    for (int64_t k = 0; k < p->depth; k++, a += p->along, b += p->step)
        for (int x = 0; x < rows; x++) sums[x] -= a[x * p->row] * *b;
    for (int x = 0; x < rows; x++) c[x * p->step] = sums[x];
}

static void subtract_row(const Product *p, int64_t i)
{
    int64_t j = 0;
    for (; j + 16 <= p->n; j += 16) subtract_tile(p, 1, 4, i, j);
    for (; j + 4 <= p->n; j += 4) subtract_tile(p, 1, 1, i, j);
    for (; j < p->n; j++) subtract_column(p, 1, i, j);
}

// The rows `first` to `last`, a multiple of TILE_ROWS.
static void subtract_rows(const Product *p, int64_t first, int64_t last)
{
    int64_t j = 0;
    for (; j + 8 <= p->n; j += 8)
        for (int64_t i = first; i < last; i += TILE_ROWS) subtract_tile(p, TILE_ROWS, 2, i, j);
    for (; j + 4 <= p->n; j += 4)
        for (int64_t i = first; i < last; i += TILE_ROWS) subtract_tile(p, TILE_ROWS, 1, i, j);
    for (; j < p->n; j++)
        for (int64_t i = first; i < last; i += TILE_ROWS) subtract_column(p, TILE_ROWS, i, j);
}

static void subtract_product(const Product *p)
{
    int64_t whole = p->m / TILE_ROWS * TILE_ROWS;
    for (int64_t first = 0, last; first < whole; first = last) {
        last = whole - first < BLOCK_ROWS ? whole : first + BLOCK_ROWS;
        subtract_rows(p, first, last);
    }
    for (int64_t i = whole; i < p->m; i++) subtract_row(p, i);
}

static __attribute__((noinline)) void subtract_multiple(int64_t n, double factor,
                                                        const double *other, double *row)
{
    for (int64_t j = 0; j < n; j++) row[j] -= factor * other[j];
}

static __attribute__((noinline)) void divide_row(int64_t n, double divisor, double *row)
{
    for (int64_t j = 0; j < n; j++) row[j] /= divisor;
}

// ---- triangles

typedef struct Triangle {
    const double *data;
    int64_t step; // from row to row
    bool upper, unit;
} Triangle;

// Some rows at a time.
static void solve_lower(int64_t n, int64_t columns, const Triangle *a, double *b, int64_t step)
{
    for (int64_t i = 0; i < n; i += TILE_ROWS) {
        const double *rows = a->data + i * a->step;
        double *x = b + i * step;
        int64_t count = n - i < TILE_ROWS ? n - i : TILE_ROWS;
        subtract_product(&(Product){count, columns, i, rows, a->step, 1, b, x, step});
        for (int64_t k = 0; k < count; k++, rows += a->step) {
            for (int64_t j = 0; j < k; j++)
                subtract_multiple(columns, rows[i + j], x + j * step, x + k * step);
            if (!a->unit) divide_row(columns, rows[i + k], x + k * step);
        }
    }
}

// Row by row: the first product of each is that of the row below it.
static void solve_upper(int64_t n, int64_t columns, const Triangle *a, double *b, int64_t step)
{
    for (int64_t row = n - 1; row >= 0; row--) {
        const double *diagonal = a->data + row * a->step + row;
        double *x = b + row * step;
        subtract_row(&(Product){1, columns, n - 1 - row, diagonal + 1, 0, 1, x + step, x, step}, 0);
        if (!a->unit) divide_row(columns, *diagonal, x);
    }
}

// b (n x columns, rows of `step`) becomes x with a x = b. A strip of columns stays in the cache.
static void solve_strips(int64_t n, int64_t columns, const Triangle *a, double *b, int64_t step)
{
    for (int64_t j = 0; j < columns; j += STRIP) {
        int64_t width = columns - j < STRIP ? columns - j : STRIP;
        (a->upper ? solve_upper : solve_lower)(n, width, a, b + j, step);
    }
}

// b (n x columns) becomes x with a x = b, of a triangle a, whose diagonal is 1 if `unit`.
static void factor_solve(int64_t n, int64_t columns, const double *a, double *b, bool upper,
                         bool unit)
{
    solve_strips(n, columns, &(Triangle){a, n, upper, unit}, b, columns);
}

// ---- Cholesky: l is made as the turned matrix l', above the diagonal, where its columns are rows

#define CHOLESKY_ROWS 16 // of a block: the rows above it are read once for all of them

// Subtracts the products of the rows from .. first of l' from the rows first .. last.
static void cholesky_product(int64_t n, double *a, int64_t from, int64_t first, int64_t last)
{
    const double *above = a + from * n + first;
    double *rows = a + first * n + first;
    subtract_product(
        &(Product){last - first, n - first, first - from, above, 1, n, above, rows, n});
}

// Some rows, from which those above have been subtracted. 0, or 1 + the row of a diagonal element
// that is not positive.
static int64_t cholesky_rows(int64_t n, double *a, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last; i++) {
        double *row = a + i * n;
        if (!(row[i] > 0)) return i + 1;
        row[i] = sqrt(row[i]);
        divide_row(n - i - 1, row[i], row + i + 1);
        for (int64_t j = i + 1; j < last; j++)
            subtract_multiple(n - j, row[j], row + j, a + j * n + j);
    }
    return 0;
}

static int64_t cholesky_block(int64_t n, double *a, int64_t first, int64_t last)
{
    cholesky_product(n, a, 0, first, last);
    for (int64_t i = first, end, failed; i < last; i = end) {
        end = last - i < TILE_ROWS ? last : i + TILE_ROWS;
        cholesky_product(n, a, first, i, end);
        if ((failed = cholesky_rows(n, a, i, end))) return failed;
    }
    return 0;
}

// Fills in l below and on the diagonal, zeros above. 0, or the order of the first leading minor
// that is not positive: rows below it stay as they are.
static int64_t factor_cholesky(int64_t n, double *a)
{
    int64_t failed = 0;
    double kept[CHOLESKY_ROWS][CHOLESKY_ROWS]; // of the block on the diagonal
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) a[j * n + i] = a[i * n + j];
    for (int64_t first = 0, last; first < n && !failed; first = last) {
        last = n - first < CHOLESKY_ROWS ? n : first + CHOLESKY_ROWS;
        size_t bytes = (size_t)(last - first) * sizeof(double);
        for (int64_t k = first; k < last; k++) memcpy(kept[k - first], a + k * n + first, bytes);
        failed = cholesky_block(n, a, first, last);
        for (int64_t k = failed; failed && k < last; k++)
            memcpy(a + k * n + first, kept[k - first], (size_t)(k - first + 1) * sizeof(double));
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) {
            if (!failed || j < failed) a[j * n + i] = a[i * n + j];
            a[i * n + j] = 0;
        }
    return failed;
}

// ---- LU

#define LU_COLUMNS 8 // that are eliminated one by one

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
    double most = fabs(a[column * n + column]);
    for (int64_t i = column + 1; i < m; i++)
        if (fabs(a[i * n + column]) > most) { // seldom
            found = i;
            most = fabs(a[found * n + column]);
        }
    return found;
}

// Takes the multiples of row k from what the columns first .. last have below it.
static void eliminate(int64_t m, int64_t n, double *a, int64_t k, int64_t first, int64_t last)
{
    for (int64_t i = k + 1; i < m; i++)
        subtract_multiple(last - first, a[i * n + k], a + k * n + first, a + i * n + first);
}

static void lu_few_columns(int64_t m, int64_t n, double *a, int64_t first, int64_t last,
                           int32_t *pivots)
{
    for (int64_t k = first; k < last; k++) {
        int64_t row = largest_below(m, n, a, k);
        pivots[k] = (int32_t)row + 1;
        if (row != k) swap_rows(n, a + row * n, a + k * n);
        double divisor = a[k * n + k];
        if (divisor == 0) continue;
        for (int64_t i = k + 1; i < m; i++) a[i * n + k] /= divisor;
        eliminate(m, n, a, k, k + 1, last);
    }
}

static int64_t first_zero(int64_t n, const double *a, int64_t first, int64_t last)
{
    while (first < last && a[first * n + first] != 0) first++;
    return first;
}

// Columns middle .. last, once those from `first` to `middle` are factors. Where the diagonal is
// zero nothing was divided, and nothing is taken.
static void lu_update(int64_t m, int64_t n, double *a, int64_t first, int64_t middle, int64_t last)
{
    double *top = a + first * n + middle;
    if (first_zero(n, a, first, middle) < middle) {
        for (int64_t k = first; k < middle; k++)
            if (a[k * n + k] != 0) eliminate(m, n, a, k, middle, last);
        return;
    }
    Triangle lower = {a + first * n + first, n, false, true};
    solve_strips(middle - first, last - middle, &lower, top, n);
    subtract_product(&(Product){m - middle, last - middle, middle - first, a + middle * n + first,
                                n, 1, top, a + middle * n + middle, n});
}

static void lu_columns(int64_t m, int64_t n, double *a, int64_t first, int64_t last,
                       int32_t *pivots)
{
    if (last - first <= LU_COLUMNS) {
        lu_few_columns(m, n, a, first, last, pivots);
        return;
    }
    int64_t middle = first + (last - first + LU_COLUMNS) / (2 * LU_COLUMNS) * LU_COLUMNS;
    lu_columns(m, n, a, first, middle, pivots);
    lu_update(m, n, a, first, middle, last);
    lu_columns(m, n, a, middle, last, pivots);
}

// pivots[i]: the row, counted from 1, that row i was exchanged with. 0, or the index of the first
// zero on the diagonal of u.
static int64_t factor_lu(int64_t m, int64_t n, double *a, int32_t *pivots)
{
    int64_t least = m < n ? m : n;
    lu_columns(m, n, a, 0, least, pivots);
    lu_update(m, n, a, 0, least, n);
    int64_t zero = first_zero(n, a, 0, least);
    return zero < least ? zero + 1 : 0;
}

// ---- QR

// Reflection k is 1 - tau[k] v v', where v is row k of `vectors` from its k-th number on, a 1.
typedef struct Reflections {
    int64_t m; // numbers of a row
    double *vectors, *tau;
} Reflections;

// The squares are added up where their sum neither overflows nor vanishes.
static double length_of(int64_t n, const double *x)
{
    double sum = 0, length = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * x[i];
    if (sum > 1e-280 && sum < 1e280) return sqrt(sum);
    for (int64_t i = 0; i < n; i++) length = hypot(length, x[i]);
    return length;
}

// The reflection that turns a column, row k of `vectors`, into (beta, 0 ... 0) from its k-th number
// on: returns beta.
static double make_reflection(const Reflections *r, int64_t k)
{
    double *v = r->vectors + k * r->m, alpha = v[k];
    int64_t below = k + 1;
    while (below < r->m && v[below] == 0) below++;
    double length = below < r->m ? length_of(r->m - k, v + k) : 0;
    double beta = alpha >= 0 ? -length : length;
    v[k] = 1;
    r->tau[k] = 0;
    if (below == r->m) return alpha;
    divide_row(r->m - k - 1, alpha - beta, v + k + 1);
    r->tau[k] = (beta - alpha) / beta;
    return beta;
}

// The next reflection's `sums`, in the pass that takes reflection k's `parts` from the rows.
static inline __attribute__((always_inline)) void reflect_next(const Reflections *r, int64_t k,
                                                               int64_t next, int fours,
                                                               const Four *parts, Four *sums,
                                                               double *b, int64_t step)
{
    const double *v = r->vectors + k * r->m, *after = r->vectors + next * r->m;
    for (int y = 0; y < fours; y++)
        if (next > k) { // its sums begin with the row below
            ((Four *)(b + k * step))[y] -= parts[y];
            sums[y] = FOUR(-0.0);
        } else {
            sums[y] = ((Four *)(b + next * step))[y];
        }
    for (int64_t i = next > k ? next : k; i < r->m; i++) {
        Four number = FOUR(v[i]), other = FOUR(after[i]);
        for (int y = 0; y < fours; y++) {
            Four *row = (Four *)(b + i * step) + y, rest = *row - parts[y] * number;
            sums[y] += rest * other;
            *row = rest;
        }
    }
}

// Applies the reflections k, then k + 1 or k - 1, up to `last`, to a strip of b, whose rows have
// `step` numbers.
static inline __attribute__((always_inline)) void
reflect_fours(const Reflections *r, int64_t k, int64_t last, int fours, double *b, int64_t step)
{
    const double *v = r->vectors + k * r->m;
    Four sums[TILE_FOURS], parts[TILE_FOURS];
    for (int y = 0; y < fours; y++) sums[y] = FOUR(-0.0);
    for (int64_t i = k; i < r->m; i++) {
        Four number = FOUR(v[i]);
        for (int y = 0; y < fours; y++) sums[y] += number * ((Four *)(b + i * step))[y];
    }
    for (int64_t next;; k = next) {
        Four tau = FOUR(r->tau[k]);
        for (int y = 0; y < fours; y++) parts[y] = sums[y] * tau;
        if (k == last) break;
        next = k < last ? k + 1 : k - 1;
        reflect_next(r, k, next, fours, parts, sums, b, step);
    }
    v = r->vectors + k * r->m;
    for (int64_t i = k; i < r->m; i++) {
        Four number = FOUR(v[i]);
        for (int y = 0; y < fours; y++) ((Four *)(b + i * step))[y] -= parts[y] * number;
    }
}

// The same for a single column.
static void reflect_column(const Reflections *r, int64_t k, int64_t last, double *b, int64_t step)
{
    for (int64_t by = k < last ? 1 : -1;; k += by) {
        const double *v = r->vectors + k * r->m;
        double sum = b[k * step];
        for (int64_t i = k + 1; i < r->m; i++) sum += v[i] * b[i * step];
        sum *= r->tau[k];
        for (int64_t i = k; i < r->m; i++) b[i * step] -= sum * v[i];
        if (k == last) return;
    }
}

// Applies them to `columns` columns, STRIP at most.
static void reflect(const Reflections *r, int64_t k, int64_t last, int64_t columns, double *b,
                    int64_t step)
{
    int64_t j = 0;
    for (; j + 16 <= columns; j += 16) reflect_fours(r, k, last, 4, b + j, step);
    for (; j + 8 <= columns; j += 8) reflect_fours(r, k, last, 2, b + j, step);
    for (; j + 4 <= columns; j += 4) reflect_fours(r, k, last, 1, b + j, step);
    for (; j < columns; j++) reflect_column(r, k, last, b + j, step);
}

static int64_t strip_width(int64_t columns)
{
    return columns < STRIP ? columns : STRIP;
}

// r on and above the diagonal of a. A strip of columns stays in the cache while some reflections
// pass by.
static void factor_qr(int64_t n, double *a, const Reflections *r)
{
    int64_t least = r->m < n ? r->m : n;
    for (int64_t first = 0, last; first < least; first = last) {
        last = first + strip_width(least - first);
        for (int64_t k = first; k < last; k++) {
            for (int64_t i = k; i < r->m; i++) r->vectors[k * r->m + i] = a[i * n + k];
            double beta = make_reflection(r, k);
            reflect(r, k, k, last - first, a + first, n); // what is below the diagonal is free
            a[k * n + k] = beta;
        }
        for (int64_t j = last; j < n; j += STRIP)
            reflect(r, first, last - 1, strip_width(n - j), a + j, n);
    }
}

static bool all_finite(int64_t n, const double *x)
{
    while (n && *x - *x == 0) n--, x++;
    return !n;
}

// The first columns of q: the reflections, the last one first, of the columns of 1. Those before
// the reflection's own do not change, but where it is no number.
static void factor_qr_q(int64_t n, const Reflections *r, int64_t columns, double *q)
{
    int64_t last = r->m < n ? r->m : n;
    bool finite = all_finite(last, r->tau);
    memset(q, 0, (size_t)(r->m * columns) * sizeof *q);
    for (int64_t j = 0; j < columns; j++) q[j * columns + j] = 1;
    for (int64_t first; last > 0; last = first) {
        first = (last - 1) / STRIP * STRIP;
        for (int64_t j = finite ? first : 0; j < columns; j += STRIP)
            reflect(r, last - 1, first, strip_width(columns - j), q + j, columns);
    }
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
