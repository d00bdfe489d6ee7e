// Products of pairs: shortcuts of outer and kron, and of linalg.cross.
//
//     outer     to[i][j] = a[i] b[j]
//     kron      to[i][k][j][l] = a[i][j] b[k][l]: for each row of a and of b the same, side by side
//     cross     to[i][0][j] = a[i][1][j] b[i][2][j] - a[i][2][j] b[i][1][j], and so in turns
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"

#if HAS_SHORTCUTS

#define OUTER(type)                                                                                \
    static void outer_##type(const type *restrict a, int64_t n, const type *restrict b,            \
                             int64_t width, type *restrict to)                                     \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++, to += width)                                               \
            for (int64_t j = 0; j < width; j++) to[j] = a[i] * b[j];                               \
    }                                                                                              \
    static void kron_##type(const Kron *work)                                                      \
    {                                                                                              \
        const type *a = work->a, *b = work->b;                                                     \
        type *to = work->to;                                                                       \
        for (int64_t i = 0; i < work->rows_a; i++)                                                 \
            for (int64_t k = 0; k < work->rows_b; k++, to += work->width_a * work->width_b)        \
                outer_##type(a + i * work->width_a, work->width_a, b + k * work->width_b,          \
                             work->width_b, to);                                                   \
    }                                                                                              \
    static void cross_##type(const void *first, const void *second, int64_t rows, int64_t n,       \
                             void *result)                                                         \
    {                                                                                              \
        const type *restrict a = first, *restrict b = second;                                      \
        type *restrict to = result;                                                                \
        for (int64_t i = 0; i < rows; i++, a += 3 * n, b += 3 * n, to += 3 * n)                    \
            for (int64_t j = 0; j < n; j++) {                                                      \
                to[j] = a[n + j] * b[2 * n + j] - a[2 * n + j] * b[n + j];                         \
                to[n + j] = a[2 * n + j] * b[j] - a[j] * b[2 * n + j];                             \
                to[2 * n + j] = a[j] * b[n + j] - a[n + j] * b[j];                                 \
            }                                                                                      \
    }

// Two matrices, and where their products go.
typedef struct Kron {
    const void *a, *b;
    void *to;
    int64_t rows_a, width_a, rows_b, width_b;
} Kron;

OUTER(float)
OUTER(double)

// Are they plain arrays, with elements, of one of the two dtypes?
static bool are_arrays(const Tensor *a, const Tensor *b)
{
    Dtype dtype = tensor_dtype(a);
    return (dtype == DTYPE_float32 || dtype == DTYPE_float64) && tensor_dtype(b) == dtype &&
           a->numel && b->numel && a->flags & b->flags & TENSOR_CONTIGUOUS;
}

// The result, whose sizes are given: owned, left in the call.
static bool multiply(OpCall *call, Kron work, int ndim, const Dim *sizes)
{
    const Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    call->value = tensor_new(tensor_dtype(a), ndim, sizes);
    if (!call->value) return false;
    work.a = tensor_data(a);
    work.b = tensor_data(b);
    work.to = tensor_data(as_tensor(call->value));
    (tensor_dtype(a) == DTYPE_float32 ? kron_float : kron_double)(&work);
    return true;
}

bool KERNEL(shortcut_outer)(OpCall *call)
{
    const Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    if (!are_arrays(a, b) || a->ndim != 1 || b->ndim != 1) return true;
    const Dim sizes[] = {tensor_sizes(a)[0], tensor_sizes(b)[0]};
    Kron work = {.rows_a = 1, .width_a = a->numel, .rows_b = 1, .width_b = b->numel};
    return multiply(call, work, 2, sizes);
}

bool KERNEL(shortcut_kron)(OpCall *call)
{
    const Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    if (!are_arrays(a, b) || a->ndim != 2 || b->ndim != 2) return true;
    if (a->numel > 1 << 23 || b->numel > 1 << 23) return true; // perhaps too large for a Dim
    Kron work = {.rows_a = tensor_size(a, 0),
                 .width_a = tensor_size(a, 1),
                 .rows_b = tensor_size(b, 0),
                 .width_b = tensor_size(b, 1)};
    const Dim sizes[] = {from_small(work.rows_a * work.rows_b),
                         from_small(work.width_a * work.width_b)};
    return multiply(call, work, 2, sizes);
}

// ---- cross products

// Have they the same sizes, and vectors of length 3 along the dimension?
static bool are_triples(const Tensor *a, const Tensor *b, int64_t dim)
{
    if (a->ndim != b->ndim || dim < 0 || dim >= a->ndim || tensor_size(a, (int)dim) != 3)
        return false;
    for (int i = 0; i < a->ndim; i++)
        if (tensor_size(a, i) != tensor_size(b, i)) return false;
    return true;
}

bool KERNEL(shortcut_cross)(OpCall *call)
{
    const Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    int64_t dim, n = 1;
    if (!call_int(call, 2, &dim) || !are_arrays(a, b)) return true;
    if (dim < 0) dim += a->ndim;
    if (!are_triples(a, b, dim)) return true;
    for (int i = (int)dim + 1; i < a->ndim; i++) n *= tensor_size(a, i);
    call->value = tensor_new(tensor_dtype(a), a->ndim, tensor_sizes(a));
    if (!call->value) return false;
    (tensor_dtype(a) == DTYPE_float32 ? cross_float : cross_double)(
        tensor_data(a), tensor_data(b), a->numel / n / 3, n, tensor_data(as_tensor(call->value)));
    return true;
}

#endif
