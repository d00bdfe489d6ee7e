// Kernels of the factorisations of matrices: Cholesky, LU, QR, symmetric eigenvalues, singular
// values.
//
// A kernel takes the first argument as a batch of row-major matrices of doubles, factors each with
// one of the functions of factor.h, which work in place, and stores the factors in the results:
// numbers of float32 are computed in double too. There is one loop for all, over a table of what a
// row does with one matrix.
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/iterate.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/factor.h"
#include "vm/modules/torch/kernels/kernels.h"

// The results of a call as doubles (or int32) that a factorisation fills in, one after the other.
typedef struct Factors {
    int64_t rows, columns, count; // of the matrices
    int results;
    Value input;            // a copy, which is overwritten
    Value made[OP_RESULTS]; // one for each result, dense
} Factors;

// What is done with one matrix: `a` is overwritten, out[i] is the matrix in the i-th result that it
// fills. False with MemoryError pending.
typedef bool (*Factor)(const OpCall *call, const Factors *factors, double *a, void **out);

static Value dense_like(const Tensor *result)
{
    Dtype dtype = tensor_dtype(result) == DTYPE_int32 ? DTYPE_int32 : DTYPE_float64;
    return tensor_new(dtype, result->ndim, tensor_sizes(result));
}

static bool factors_open(Factors *factors, const OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    factors->rows = tensor_size(self, self->ndim - 2);
    factors->columns = tensor_size(self, self->ndim - 1);
    factors->count = 1;
    for (int i = 0; i < self->ndim - 2; i++) factors->count *= tensor_size(self, i);
    factors->results = call->result_count;
    factors->input = tensor_new(DTYPE_float64, self->ndim, tensor_sizes(self));
    bool done = factors->input && iterate_copy(as_tensor(factors->input), self);
    for (int i = 0; i < factors->results; i++) {
        factors->made[i] = done ? dense_like(call->results[i].tensor) : VALUE_ERROR;
        done = done && factors->made[i];
    }
    return done;
}

// Stores what was made in the results, and frees it.
static bool factors_close(Factors *factors, const OpCall *call, bool done)
{
    for (int i = 0; i < factors->results; i++) {
        done = done && iterate_copy(call->results[i].tensor, as_tensor(factors->made[i]));
        drop(factors->made[i]);
    }
    drop(factors->input);
    return done;
}

static __attribute__((noinline)) bool factor_all(OpCall *call, Factor factor) // one copy
{
    Factors factors;
    bool done = factors_open(&factors, call);
    for (int64_t i = 0; done && i < factors.count; i++) {
        void *out[OP_RESULTS];
        for (int j = 0; j < factors.results; j++) {
            const Tensor *made = as_tensor(factors.made[j]);
            int64_t bytes = made->numel / factors.count * (int64_t)dtype_size(tensor_dtype(made));
            out[j] = tensor_data(made) + i * bytes;
        }
        double *a = tensor_elements(factors.input);
        done = factor(call, &factors, a + i * factors.rows * factors.columns, out);
    }
    return factors_close(&factors, call, done);
}

// ---- linalg_cholesky_ex: (self, upper, check_errors) -> L, info

static bool cholesky(const OpCall *call, const Factors *factors, double *a, void **out)
{
    int64_t n = factors->rows;
    bool upper = call_bool(call, 1);
    if (upper) matrix_transpose(n, n, a, a);
    *(int32_t *)out[1] = (int32_t)factor_cholesky(n, a);
    double *l = out[0];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) l[i * n + j] = upper ? a[j * n + i] : a[i * n + j];
    return true;
}

bool KERNEL(kernel_cholesky)(OpCall *call)
{
    return factor_all(call, cholesky);
}

// ---- linalg_lu_factor_ex: (A, pivot, check_errors) -> LU, pivots, info

static bool lu(const OpCall *call, const Factors *factors, double *a, void **out)
{
    (void)call; // the rule has seen that `pivot` is true
    int64_t m = factors->rows, n = factors->columns;
    *(int32_t *)out[2] = (int32_t)factor_lu(m, n, a, out[1]);
    memcpy(out[0], a, (size_t)(m * n) * sizeof *a);
    return true;
}

bool KERNEL(kernel_lu_factor)(OpCall *call)
{
    return factor_all(call, lu);
}

// ---- linalg_qr: (A, mode) -> Q, R

static bool qr(const OpCall *call, const Factors *factors, double *a, void **out)
{
    const Tensor *q = call->results[0].tensor, *r = call->results[1].tensor;
    int64_t m = factors->rows, n = factors->columns;
    int64_t columns = q->numel ? tensor_size(q, q->ndim - 1) : 0;
    int64_t rows = tensor_size(r, r->ndim - 2);
    double *tau = memory_alloc((size_t)((m + 1) * n) * sizeof *tau);
    if (!tau && n) return raise_memory_error();
    Reflections reflections = {m, tau + n, tau};
    factor_qr(n, a, &reflections);
    factor_qr_q(n, &reflections, columns, out[0]);
    double *upper = out[1];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) upper[i * n + j] = j < i ? 0 : a[i * n + j];
    memory_free(tau);
    return true;
}

bool KERNEL(kernel_qr)(OpCall *call)
{
    return factor_all(call, qr);
}

// ---- _linalg_eigh: (A, UPLO, compute_v) -> eigenvalues, eigenvectors

static bool eigh(const OpCall *call, const Factors *factors, double *a, void **out)
{
    int64_t n = factors->rows;
    bool upper = str_equal_ascii(call->slots[1], "U");
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if (upper)
                a[i * n + j] = a[j * n + i];
            else
                a[j * n + i] = a[i * n + j];
    double *vectors = memory_alloc((size_t)(n * n) * sizeof *vectors);
    if (!vectors && n) return raise_memory_error();
    factor_eigh(n, a, out[0], vectors);
    if (call_bool(call, 2)) memcpy(out[1], vectors, (size_t)(n * n) * sizeof *vectors);
    memory_free(vectors);
    return true;
}

bool KERNEL(kernel_eigh)(OpCall *call)
{
    return factor_all(call, eigh);
}

// ---- _linalg_svd: (A, full_matrices, compute_uv, driver) -> U, S, Vh

// u of the longer side is made here and v of the shorter one: of a wide matrix, the turned one is
// decomposed, and the two are swapped.
static bool svd(const OpCall *call, const Factors *factors, double *a, void **out)
{
    int64_t m = factors->rows, n = factors->columns;
    int64_t longer = m > n ? m : n, shorter = m > n ? n : m;
    int64_t columns = call_bool(call, 2) && call_bool(call, 1) ? longer : shorter;
    size_t elements = (size_t)(longer * (columns + shorter) + shorter * shorter);
    double *u = memory_alloc(elements * sizeof *u);
    if (!u && elements) return raise_memory_error();
    double *v = u + longer * columns, *turned = v + shorter * shorter;
    if (m < n) matrix_transpose(m, n, a, turned);
    factor_svd(longer, shorter, columns, m < n ? turned : a, out[1], u, v);
    if (call_bool(call, 2) && m >= n) {
        memcpy(out[0], u, (size_t)(longer * columns) * sizeof *u);
        matrix_transpose(shorter, shorter, v, out[2]);
    } else if (call_bool(call, 2)) {
        memcpy(out[0], v, (size_t)(shorter * shorter) * sizeof *v);
        matrix_transpose(longer, columns, u, out[2]);
    }
    memory_free(u);
    return true;
}

bool KERNEL(kernel_svd)(OpCall *call)
{
    return factor_all(call, svd);
}

// ---- _triangular_solve: (A, B, upper, unitriangular) -> X, of the same batches

bool KERNEL(kernel_triangular_solve)(OpCall *call)
{
    Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    Value matrix = tensor_dense(a, DTYPE_float64);
    Value made = matrix ? tensor_new(DTYPE_float64, b->ndim, tensor_sizes(b)) : VALUE_ERROR;
    bool done = made && iterate_copy(as_tensor(made), b);
    int64_t n = tensor_size(b, b->ndim - 2), columns = tensor_size(b, b->ndim - 1);
    for (int64_t at = 0; done && at < b->numel / (b->numel ? n * columns : 1); at++)
        factor_solve(n, columns, (double *)tensor_elements(matrix) + at * n * n,
                     (double *)tensor_elements(made) + at * n * columns, call_bool(call, 2),
                     call_bool(call, 3));
    done = done && iterate_copy(call->results[0].tensor, as_tensor(made));
    drop(matrix);
    drop(made);
    return done;
}
