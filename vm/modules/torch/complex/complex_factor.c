// Factorisations of matrices of complex numbers, in double: what kernels/kernel_factor.c does for
// real ones, by the same methods, and eigenvalues of any matrix.
//
// A matrix is an array of `rows` rows; `a` is overwritten. Where a real rotation or a real length
// serves, the entry that it is made for is turned to the real axis first. The reflections are
// LAPACK's (zlarfg), so R has a real diagonal. Eigenvalues: reflections make the matrix a
// Hessenberg matrix, shifted QR steps a triangle, from which the vectors follow.
// (Golub and Van Loan, Matrix Computations, 7.4, 7.5)
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/iterate.h"
#include "objects/text/str.h"
#include "vm/modules/torch/complex/complex_math.h"
#include "vm/modules/torch/complex/complex_ops.h"
#include "vm/modules/torch/kernels/rotation.h"

#include <float.h>

#define SWEEPS 60 // that rotations or QR steps may take, for each column

typedef Complex128 C;

static const C zero = {0, 0}, one = {1, 0};

static C times(C a, C b)
{
    return c_mul_128(a, b);
}
// a - b c
static C minus(C a, C b, C c)
{
    return c_sub_128(a, c_mul_128(b, c));
}
static double square_of(C a)
{
    return a.re * a.re + a.im * a.im;
}

// ---- a batch of matrices

typedef struct Batch {
    int64_t rows, columns, count;
    Value input; // a copy, which is overwritten
    Value made[OP_RESULTS];
} Batch;

typedef bool (*Factor)(const OpCall *call, const Batch *batch, C *a, void **out);

static Dtype made_dtype(const Tensor *result)
{
    if (tensor_dtype(result) == DTYPE_int32) return DTYPE_int32;
    return dtype_is_complex(tensor_dtype(result)) ? DTYPE_complex128 : DTYPE_float64;
}

static bool batch_open(Batch *batch, const OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    batch->rows = tensor_size(self, self->ndim - 2);
    batch->columns = tensor_size(self, self->ndim - 1);
    batch->count = 1;
    for (int i = 0; i < self->ndim - 2; i++) batch->count *= tensor_size(self, i);
    batch->input = tensor_new(DTYPE_complex128, self->ndim, tensor_sizes(self));
    bool done = batch->input && iterate_copy(as_tensor(batch->input), self);
    for (int i = 0; i < call->result_count; i++) {
        const Tensor *result = call->results[i].tensor;
        batch->made[i] =
            done ? tensor_new(made_dtype(result), result->ndim, tensor_sizes(result)) : VALUE_ERROR;
        done = batch->made[i] != VALUE_ERROR;
    }
    return done;
}

static bool factor_all(OpCall *call, Factor factor)
{
    Batch batch = {0};
    bool done = batch_open(&batch, call);
    for (int64_t i = 0; done && i < batch.count; i++) {
        void *out[OP_RESULTS];
        for (int j = 0; j < call->result_count; j++) {
            const Tensor *made = as_tensor(batch.made[j]);
            int64_t bytes = made->numel / batch.count * (int64_t)dtype_size(tensor_dtype(made));
            out[j] = tensor_data(made) + i * bytes;
        }
        C *a = tensor_elements(batch.input);
        done = factor(call, &batch, a + i * batch.rows * batch.columns, out);
    }
    for (int i = 0; i < call->result_count; i++) {
        done = done && iterate_copy(call->results[i].tensor, as_tensor(batch.made[i]));
        drop(batch.made[i]);
    }
    drop(batch.input);
    return done;
}

// to (n x m) = the conjugates of from (m x n), turned.
static void turn(int64_t m, int64_t n, const C *from, C *to)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            C x = from[i * n + j];
            to[j * m + i] = (C){x.re, x.im == 0 ? 0 : -x.im};
        }
}

static void identity(int64_t n, C *a)
{
    for (int64_t i = 0; i < n * n; i++) a[i] = i % (n + 1) ? zero : one;
}

static void swap(C *a, C *b)
{
    C kept = *a;
    *a = *b;
    *b = kept;
}

// ---- linalg_cholesky_ex: (self, upper, check_errors) -> L, info

static int64_t cholesky_in_place(int64_t n, C *a)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            C sum = a[i * n + j];
            for (int64_t k = 0; k < j; k++)
                sum = minus(sum, a[i * n + k], c_conj_128(a[j * n + k]));
            if (i == j && !(sum.re > 0)) return i + 1;
            a[i * n + j] = i == j ? (C){sqrt(sum.re), 0} : c_scale(sum, 1 / a[j * n + j].re);
        }
    return 0;
}

static bool cholesky(const OpCall *call, const Batch *batch, C *a, void **out)
{
    int64_t n = batch->rows;
    C *to = out[0];
    bool upper = call_bool(call, 1);
    if (upper) {
        turn(n, n, a, to);
        memcpy(a, to, (size_t)(n * n) * sizeof *a);
    }
    *(int32_t *)out[1] = (int32_t)cholesky_in_place(n, a);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) a[i * n + j] = zero;
    if (upper)
        turn(n, n, a, to);
    else
        memcpy(to, a, (size_t)(n * n) * sizeof *a);
    return true;
}

bool complex_cholesky(OpCall *call)
{
    return factor_all(call, cholesky);
}

// ---- linalg_lu_factor_ex: (A, pivot, check_errors) -> LU, pivots, info

// LAPACK compares |re| + |im|.
static double rough_size(C a)
{
    return fabs(a.re) + fabs(a.im);
}

static void eliminate(int64_t m, int64_t n, C *a, int64_t k)
{
    for (int64_t i = k + 1; i < m; i++) {
        C factor = a[i * n + k] = c_div_128(a[i * n + k], a[k * n + k]);
        for (int64_t j = k + 1; j < n; j++)
            a[i * n + j] = minus(a[i * n + j], factor, a[k * n + j]);
    }
}

static bool lu(const OpCall *call, const Batch *batch, C *a, void **out)
{
    (void)call;
    int64_t m = batch->rows, n = batch->columns;
    int32_t *pivots = out[1], singular = 0;
    for (int64_t k = 0; k < m && k < n; k++) {
        int64_t row = k;
        for (int64_t i = k + 1; i < m; i++)
            if (rough_size(a[i * n + k]) > rough_size(a[row * n + k])) row = i;
        pivots[k] = (int32_t)row + 1;
        for (int64_t j = 0; row != k && j < n; j++) swap(a + row * n + j, a + k * n + j);
        if (c_truth_128(a[k * n + k]))
            eliminate(m, n, a, k);
        else if (!singular)
            singular = (int32_t)k + 1;
    }
    *(int32_t *)out[2] = singular;
    memcpy(out[0], a, (size_t)(m * n) * sizeof *a);
    return true;
}

bool complex_lu(OpCall *call)
{
    return factor_all(call, lu);
}

// ---- reflections: 1 - tau v v', v = (1, what is kept below), which turns x into (beta, 0 ... 0)

// Of column `column` of `a` (m x n) from row k on.
static C make_reflection(int64_t m, int64_t n, C *a, int64_t k, int64_t column)
{
    double below = 0;
    C alpha = a[k * n + column];
    for (int64_t i = k + 1; i < m; i++) below += square_of(a[i * n + column]);
    if (below == 0 && alpha.im == 0) return zero;
    double length = sqrt(below + square_of(alpha)), beta = alpha.re >= 0 ? -length : length;
    C gap = {alpha.re - beta, alpha.im};
    for (int64_t i = k + 1; i < m; i++) a[i * n + column] = c_div_128(a[i * n + column], gap);
    a[k * n + column] = (C){beta, 0};
    return (C){(beta - alpha.re) / beta, -alpha.im / beta};
}

// b -= tau v (v' b), for a column of b (m x columns); v is kept in a column of `a`.
static void reflect(int64_t m, int64_t n, const C *a, int64_t k, int64_t kept, C tau,
                    int64_t columns, C *b, int64_t column)
{
    C sum = b[k * columns + column];
    for (int64_t i = k + 1; i < m; i++)
        sum = c_add_128(sum, times(c_conj_128(a[i * n + kept]), b[i * columns + column]));
    sum = times(tau, sum);
    b[k * columns + column] = c_sub_128(b[k * columns + column], sum);
    for (int64_t i = k + 1; i < m; i++)
        b[i * columns + column] = minus(b[i * columns + column], sum, a[i * n + kept]);
}

// ---- linalg_qr: (A, mode) -> Q, R

static bool qr(const OpCall *call, const Batch *batch, C *a, void **out)
{
    const Tensor *q = call->results[0].tensor, *r = call->results[1].tensor;
    int64_t m = batch->rows, n = batch->columns, least = m < n ? m : n;
    int64_t columns = q->numel ? tensor_size(q, q->ndim - 1) : 0;
    C *tau = memory_alloc((size_t)(least + 1) * sizeof *tau), *to = out[0], *upper = out[1];
    if (!tau) return raise_memory_error();
    for (int64_t k = 0; k < least; k++) {
        tau[k] = make_reflection(m, n, a, k, k);
        for (int64_t j = k + 1; j < n; j++) reflect(m, n, a, k, k, c_conj_128(tau[k]), n, a, j);
    }
    for (int64_t i = 0; i < m * columns; i++) to[i] = i / columns == i % columns ? one : zero;
    for (int64_t k = least; k-- > 0;)
        for (int64_t j = 0; j < columns; j++) reflect(m, n, a, k, k, tau[k], columns, to, j);
    for (int64_t i = 0; i < tensor_size(r, r->ndim - 2); i++)
        for (int64_t j = 0; j < n; j++) upper[i * n + j] = j < i ? zero : a[i * n + j];
    memory_free(tau);
    return true;
}

bool complex_qr(OpCall *call)
{
    return factor_all(call, qr);
}

// ---- rotations

static void rotate(Rotation r, int64_t count, int64_t step, C *x, C *y)
{
    for (int64_t i = 0; i < count * step; i += step) {
        C kept = x[i];
        x[i] = c_sub_128(c_scale(kept, r.cosine), c_scale(y[i], r.sine));
        y[i] = c_add_128(c_scale(kept, r.sine), c_scale(y[i], r.cosine));
    }
}

static void multiply(C factor, int64_t count, int64_t step, C *x)
{
    for (int64_t i = 0; i < count * step; i += step) x[i] = times(factor, x[i]);
}

static void swap_columns(int64_t rows, int64_t n, C *a, int64_t i, int64_t j)
{
    for (int64_t row = 0; row < rows; row++) swap(a + row * n + i, a + row * n + j);
}

// ---- _linalg_eigh: (A, UPLO, compute_v) -> eigenvalues, eigenvectors

static bool eigh_sweep(int64_t n, C *a, C *vectors)
{
    bool rotated = false;
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = p + 1; q < n; q++) {
            double off = c_size(a[p * n + q]);
            double around = fabs(a[p * n + p].re) + fabs(a[q * n + q].re);
            if (!(off > DBL_MIN && off > DBL_EPSILON * 0.01 * around)) continue;
            C phase = c_scale(a[p * n + q], 1 / off), back = c_conj_128(phase);
            multiply(back, n, n, a + q);
            multiply(phase, n, 1, a + q * n);
            multiply(back, n, n, vectors + q);
            Rotation r = rotation_for(a[p * n + p].re, a[q * n + q].re, off);
            rotate(r, n, n, a + p, a + q);
            rotate(r, n, 1, a + p * n, a + q * n);
            rotate(r, n, n, vectors + p, vectors + q);
            rotated = true;
        }
    return rotated;
}

static void sort_values(int64_t n, double *values, C *vectors)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++)
            if (values[j] < values[least]) least = j;
        double kept = values[i];
        values[i] = values[least];
        values[least] = kept;
        swap_columns(n, n, vectors, i, least);
    }
}

static bool eigh(const OpCall *call, const Batch *batch, C *a, void **out)
{
    int64_t n = batch->rows;
    bool upper = str_equal_ascii(call->slots[1], "U");
    C *vectors = memory_alloc((size_t)(n * n + 1) * sizeof *vectors);
    double *values = out[0];
    if (!vectors) return raise_memory_error();
    for (int64_t i = 0; i < n; i++) {
        a[i * n + i].im = 0;
        for (int64_t j = 0; j < i; j++)
            if (upper)
                a[i * n + j] = c_conj_128(a[j * n + i]);
            else
                a[j * n + i] = c_conj_128(a[i * n + j]);
    }
    identity(n, vectors);
    for (int sweep = 0; sweep < SWEEPS && eigh_sweep(n, a, vectors); sweep++) continue;
    for (int64_t i = 0; i < n; i++) values[i] = a[i * n + i].re;
    sort_values(n, values, vectors);
    if (call_bool(call, 2)) memcpy(out[1], vectors, (size_t)(n * n) * sizeof *vectors);
    memory_free(vectors);
    return true;
}

bool complex_eigh(OpCall *call)
{
    return factor_all(call, eigh);
}

// ---- _linalg_svd: (A, full_matrices, compute_uv, driver) -> U, S, Vh

// The conjugates of column i times column j.
static C dot_columns(int64_t m, int64_t n, const C *a, int64_t i, int64_t j)
{
    C sum = zero;
    for (int64_t row = 0; row < m; row++)
        sum = c_add_128(sum, times(c_conj_128(a[row * n + i]), a[row * n + j]));
    return sum;
}

static bool svd_sweep(int64_t m, int64_t n, C *a, C *v)
{
    bool rotated = false;
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = p + 1; q < n; q++) {
            double first = dot_columns(m, n, a, p, p).re, second = dot_columns(m, n, a, q, q).re;
            C product = dot_columns(m, n, a, p, q);
            double off = c_size(product);
            if (!(off > DBL_MIN && off > DBL_EPSILON * sqrt(first) * sqrt(second))) continue;
            C back = c_scale(c_conj_128(product), 1 / off);
            multiply(back, m, n, a + q);
            multiply(back, n, n, v + q);
            Rotation r = rotation_for(first, second, off);
            rotate(r, m, n, a + p, a + q);
            rotate(r, n, n, v + p, v + q);
            rotated = true;
        }
    return rotated;
}

// Takes from column k of u its parts along the columns before it: the length that is left.
static double straighten(int64_t m, int64_t columns, C *u, int64_t k)
{
    for (int64_t j = 0; j < 2 * k; j++) { // twice: the first time leaves a rounding error
        C part = dot_columns(m, columns, u, j % k, k);
        for (int64_t i = 0; i < m; i++)
            u[i * columns + k] = minus(u[i * columns + k], part, u[i * columns + j % k]);
    }
    return sqrt(dot_columns(m, columns, u, k, k).re);
}

static void complete_column(int64_t m, int64_t columns, C *u, int64_t k)
{
    double length = 0;
    for (int64_t axis = 0; axis < m && length < 0.5 / sqrt((double)m); axis++) {
        for (int64_t i = 0; i < m; i++) u[i * columns + k] = i == axis ? one : zero;
        length = straighten(m, columns, u, k);
    }
    for (int64_t i = 0; i < m; i++) u[i * columns + k] = c_scale(u[i * columns + k], 1 / length);
}

// Of a matrix with m >= n: u gets `columns` columns; v is n x n. Both have the vectors as columns.
static void svd_of_tall(int64_t m, int64_t n, int64_t columns, C *a, double *values, C *u, C *v)
{
    identity(n, v);
    for (int sweep = 0; sweep < SWEEPS && svd_sweep(m, n, a, v); sweep++) continue;
    for (int64_t i = 0; i < n; i++) values[i] = sqrt(dot_columns(m, n, a, i, i).re);
    for (int64_t i = 0; i < n; i++) {
        int64_t most = i;
        for (int64_t j = i + 1; j < n; j++)
            if (values[j] > values[most]) most = j;
        double kept = values[i];
        values[i] = values[most];
        values[most] = kept;
        swap_columns(m, n, a, i, most);
        swap_columns(n, n, v, i, most);
    }
    for (int64_t k = 0; k < columns; k++) {
        bool has_length = k < n && values[k] > DBL_EPSILON * (double)m * values[0];
        for (int64_t i = 0; has_length && i < m; i++)
            u[i * columns + k] = c_scale(a[i * n + k], 1 / values[k]);
        if (!has_length) complete_column(m, columns, u, k);
    }
}

// Of a wide matrix, the turned one is decomposed, and the two sides are swapped.
static bool svd(const OpCall *call, const Batch *batch, C *a, void **out)
{
    int64_t m = batch->rows, n = batch->columns;
    int64_t longer = m > n ? m : n, shorter = m > n ? n : m;
    bool vectors = call_bool(call, 2);
    int64_t columns = vectors && call_bool(call, 1) ? longer : shorter;
    size_t elements = (size_t)(longer * (columns + shorter) + shorter * shorter + 1);
    C *u = memory_alloc(elements * sizeof *u);
    if (!u) return raise_memory_error();
    C *v = u + longer * columns, *turned = v + shorter * shorter;
    if (m < n) turn(m, n, a, turned);
    svd_of_tall(longer, shorter, columns, m < n ? turned : a, out[1], u, v);
    if (vectors && m >= n) {
        memcpy(out[0], u, (size_t)(longer * columns) * sizeof *u);
        turn(shorter, shorter, v, out[2]);
    } else if (vectors) {
        memcpy(out[0], v, (size_t)(shorter * shorter) * sizeof *v);
        turn(longer, columns, u, out[2]);
    }
    memory_free(u);
    return true;
}

bool complex_svd(OpCall *call)
{
    return factor_all(call, svd);
}

// ---- _triangular_solve: (A, B, upper, unitriangular) -> X, of the same batches

static void solve(int64_t n, int64_t columns, const C *a, C *b, bool upper, bool unit)
{
    for (int64_t step = 0; step < n; step++) {
        int64_t row = upper ? n - 1 - step : step;
        for (int64_t k = upper ? row + 1 : 0; k < (upper ? n : row); k++)
            for (int64_t j = 0; j < columns; j++)
                b[row * columns + j] =
                    minus(b[row * columns + j], a[row * n + k], b[k * columns + j]);
        for (int64_t j = 0; !unit && j < columns; j++)
            b[row * columns + j] = c_div_128(b[row * columns + j], a[row * n + row]);
    }
}

bool complex_triangular_solve(OpCall *call)
{
    Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    Value matrix = tensor_dense(a, DTYPE_complex128);
    Value made = matrix ? tensor_new(DTYPE_complex128, b->ndim, tensor_sizes(b)) : VALUE_ERROR;
    bool done = made && iterate_copy(as_tensor(made), b);
    int64_t n = tensor_size(b, b->ndim - 2), columns = tensor_size(b, b->ndim - 1);
    for (int64_t at = 0; done && at < b->numel / (b->numel ? n * columns : 1); at++)
        solve(n, columns, (C *)tensor_elements(matrix) + at * n * n,
              (C *)tensor_elements(made) + at * n * columns, call_bool(call, 2),
              call_bool(call, 3));
    done = done && iterate_copy(call->results[0].tensor, as_tensor(made));
    drop(matrix);
    drop(made);
    return done;
}

// ---- linalg_eig: (self) -> eigenvalues, eigenvectors

// Zeros below the first subdiagonal of h: h = z' a z. `tau` has room for n numbers.
static void make_hessenberg(int64_t n, C *h, C *z, C *tau)
{
    identity(n, z);
    for (int64_t k = 0; k < n - 2; k++) {
        tau[k] = make_reflection(n, n, h, k + 1, k);
        for (int64_t j = k + 1; j < n; j++)
            reflect(n, n, h, k + 1, k, c_conj_128(tau[k]), n, h, j);
        for (int64_t row = 0; row < n; row++) { // from the right: row -= tau (row v) v'
            C sum = h[row * n + k + 1];
            for (int64_t i = k + 2; i < n; i++)
                sum = c_add_128(sum, times(h[row * n + i], h[i * n + k]));
            sum = times(tau[k], sum);
            h[row * n + k + 1] = c_sub_128(h[row * n + k + 1], sum);
            for (int64_t i = k + 2; i < n; i++)
                h[row * n + i] = minus(h[row * n + i], sum, c_conj_128(h[i * n + k]));
        }
    }
    for (int64_t k = n - 2; k-- > 0;)
        for (int64_t j = 0; j < n; j++) reflect(n, n, h, k + 1, k, tau[k], n, z, j);
    for (int64_t i = 2; i < n; i++)
        for (int64_t j = 0; j < i - 1; j++) h[i * n + j] = zero;
}

// The eigenvalue of the last two rows and columns up to `last` that is nearer to the last entry.
static C shift_for(int64_t n, const C *h, int64_t last)
{
    const C *row = h + (last - 1) * n + last - 1;
    C a = row[0], b = row[1], c = row[n], d = row[n + 1];
    C half = c_scale(c_sub_128(a, d), 0.5);
    C root = c_sqrt_128(c_add_128(times(half, half), times(b, c)));
    C near = c_sub_128(half, root), far = c_add_128(half, root);
    return c_add_128(d, square_of(near) < square_of(far) ? near : far);
}

// x = c x + s y, y = c y - s' x, where s is complex.
static void turn_pair(double c, C s, int64_t count, int64_t step, C *x, C *y)
{
    for (int64_t i = 0; i < count * step; i += step) {
        C kept = x[i];
        x[i] = c_add_128(c_scale(kept, c), times(s, y[i]));
        y[i] = minus(c_scale(y[i], c), c_conj_128(s), kept);
    }
}

// One QR step on rows first .. last of h, which z follows.
static void qr_step(int64_t n, C *h, C *z, int64_t first, int64_t last, C shift, C *turns)
{
    for (int64_t i = first; i <= last; i++) h[i * n + i] = c_sub_128(h[i * n + i], shift);
    for (int64_t k = first; k < last; k++) {
        C x = h[k * n + k], y = h[(k + 1) * n + k];
        double length = sqrt(square_of(x) + square_of(y)), size = c_size(x);
        double c = length > 0 ? size / length : 1;
        C phase = size > 0 ? c_scale(x, 1 / size) : one;
        C s = length > 0 ? c_scale(times(phase, c_conj_128(y)), 1 / length) : zero;
        turn_pair(c, s, n - k, 1, h + k * n + k, h + (k + 1) * n + k);
        turns[k] = (C){c, 0};
        turns[n + k] = s;
    }
    for (int64_t k = first; k < last; k++) {
        double c = turns[k].re;
        C back = c_conj_128(turns[n + k]);
        turn_pair(c, back, (k + 2 <= last ? k + 2 : last) + 1, n, h + k, h + k + 1);
        turn_pair(c, back, n, n, z + k, z + k + 1);
    }
    for (int64_t i = first; i <= last; i++) h[i * n + i] = c_add_128(h[i * n + i], shift);
}

// Makes h a triangle. `turns` has room for 2 n numbers. False if it does not converge.
static bool make_triangle(int64_t n, C *h, C *z, C *turns)
{
    int64_t last = n - 1;
    for (int64_t steps = 0; last > 0; steps++) {
        int64_t first = last;
        for (; first > 0; first--) {
            double around = rough_size(h[first * n + first]) +
                            rough_size(h[(first - 1) * n + first - 1]);
            if (rough_size(h[first * n + first - 1]) <= DBL_EPSILON * around + DBL_MIN) break;
        }
        if (first > 0) h[first * n + first - 1] = zero;
        if (first == last) {
            last--;
            steps = 0;
            continue;
        }
        if (steps > SWEEPS) return false;
        C shift = shift_for(n, h, last);
        if (steps % 10 == 9) shift = c_add_128(shift, (C){c_size(h[last * n + last - 1]), 0});
        qr_step(n, h, z, first, last, shift, turns);
    }
    return true;
}

// The vector of the k-th diagonal entry of the triangle h, times z: column k of `vectors`.
static void find_vector(int64_t n, const C *h, const C *z, int64_t k, C *x, C *vectors)
{
    double length = 0, largest = -1;
    C value = h[k * n + k], phase = one;
    for (int64_t i = k; i >= 0; i--) {
        C sum = i == k ? one : zero;
        for (int64_t j = i + 1; j <= k; j++) sum = minus(sum, h[i * n + j], x[j]);
        C gap = c_sub_128(h[i * n + i], value);
        if (rough_size(gap) < DBL_EPSILON * rough_size(value)) gap = (C){DBL_EPSILON, 0};
        x[i] = i == k ? one : c_div_128(sum, c_truth_128(gap) ? gap : (C){DBL_MIN, 0});
    }
    for (int64_t i = 0; i < n; i++) {
        C sum = zero;
        for (int64_t j = 0; j <= k; j++) sum = c_add_128(sum, times(z[i * n + j], x[j]));
        vectors[i * n + k] = sum;
        length += square_of(sum);
        if (square_of(sum) > largest * (1 + 1e-12)) { // of equal ones the first
            largest = square_of(sum);
            phase = sum;
        }
    }
    C unit = c_scale(c_conj_128(phase), 1 / (c_size(phase) * sqrt(length)));
    for (int64_t i = 0; i < n; i++) vectors[i * n + k] = times(vectors[i * n + k], unit);
}

// The eigenvalues of real numbers are real, or pairs of conjugates, the one above the axis first.
static void pair_conjugates(int64_t n, C *values, C *vectors)
{
    double size = 0;
    for (int64_t i = 0; i < n; i++) size = fmax(size, c_size(values[i]));
    for (int64_t k = 0; k < n; k++) {
        bool pair = k + 1 < n && fabs(values[k].im) > 1e-10 * size &&
                    c_size(c_sub_128(values[k], c_conj_128(values[k + 1]))) < 1e-6 * size;
        if (!pair && fabs(values[k].im) <= 1e-10 * size) {
            values[k].im = 0;
            for (int64_t i = 0; i < n; i++) vectors[i * n + k].im = 0;
        }
        if (!pair) continue;
        if (values[k].im < 0) {
            swap(values + k, values + k + 1);
            swap_columns(n, n, vectors, k, k + 1);
        }
        values[k + 1] = c_conj_128(values[k]);
        for (int64_t i = 0; i < n; i++) vectors[i * n + k + 1] = c_conj_128(vectors[i * n + k]);
        k++;
    }
}

static bool eig(const OpCall *call, const Batch *batch, C *a, void **out)
{
    int64_t n = batch->rows;
    C *z = memory_alloc((size_t)(n * n + 3 * n + 1) * sizeof *z), *values = out[0];
    if (!z) return raise_memory_error();
    C *turns = z + n * n, *x = turns + 2 * n;
    for (int64_t i = 0; i < n * n; i++)
        if (a[i].re - a[i].re != 0 || a[i].im - a[i].im != 0) {
            memory_free(z);
            return raise_error(RuntimeError, "torch.linalg.eig: input tensor should not contain "
                                             "infs or NaNs.");
        }
    make_hessenberg(n, a, z, x);
    bool done = make_triangle(n, a, z, turns) ||
                raise_error(RuntimeError, "linalg.eig: The algorithm failed to converge because "
                                          "the input matrix is ill-conditioned or has too many "
                                          "repeated eigenvalues.");
    for (int64_t k = 0; done && k < n; k++) {
        values[k] = a[k * n + k];
        find_vector(n, a, z, k, x, out[1]);
    }
    bool real = !dtype_is_complex(tensor_dtype(call_tensor(call, 0)));
    if (done && real) pair_conjugates(n, values, out[1]);
    memory_free(z);
    return done;
}

bool complex_eig(OpCall *call)
{
    return factor_all(call, eig);
}
