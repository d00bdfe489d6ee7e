// Distances of points from each other, and cross products: shortcuts of cdist, pdist, linalg.cross.
//
//     points [n, m]  ->  turned over, [m, n]: one point is compared with some others at a time
//
// The terms of a sum are added in the order of linalg_vector_norm along neighbours (ordered.h): for
// p = 1 one after another; for p = 2 the squares in as many partial sums as a vector of 32 bytes
// has numbers, which are added from the left, and then the terms that are left over.
#include "objects/tensor/convert.h"
#include "objects/tensor/storage.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_math.h"

#if HAS_SHORTCUTS

#define VECTORS 4             // of sums, in registers
#define BEYOND (VECTORS * 32) // bytes that may be read after the last of `others`

// What is asked: `count` distances of a point from others, whose k-th coordinates are neighbours,
// `stride` elements after those before them.
typedef struct Distances {
    const void *point, *others;
    void *to;
    int64_t count, stride, m;
    bool squares; // p = 2
} Distances;

#define REAL float
#define WORD uint32_t
#define NAME(x) float32_##x
#include "vm/modules/torch/kernels/distance_element.h"
#undef REAL
#undef WORD
#undef NAME

#define REAL double
#define WORD uint64_t
#define NAME(x) float64_##x
#include "vm/modules/torch/kernels/distance_element.h"
#undef REAL
#undef WORD
#undef NAME

// ---- points

static void add(Dtype dtype, const Distances *work)
{
    if (dtype == DTYPE_float32)
        float32_add(work);
    else
        float64_add(work);
}

// Are these points whose distances from others have one order of terms, whatever the strides?
static bool are_points(const Tensor *points)
{
    Dtype dtype = tensor_dtype(points);
    return points->ndim >= 2 && points->numel && tensor_is(points, TENSOR_CONTIGUOUS) &&
           (dtype == DTYPE_float32 || dtype == DTYPE_float64);
}

static bool read_power(const OpCall *call, int slot, double *p)
{
    return call_double(call, slot, p) && (*p == 1 || *p == 2);
}

// Of single coordinates no square is taken.
static bool takes_squares(double p, int64_t m)
{
    return p == 2 && m > 1;
}

// The points of each batch turned over: a row for each coordinate. Owned.
static Value turned_over(const Tensor *points)
{
    size_t size = dtype_size(tensor_dtype(points)), bytes = (size_t)points->numel * size;
    int64_t n = tensor_size(points, points->ndim - 2), m = tensor_size(points, points->ndim - 1);
    Value memory = storage_new(bytes + BEYOND);
    if (!memory) return VALUE_ERROR;
    char *to = as_storage(memory)->data, *from = tensor_data(points);
    memset(to + bytes, 0, BEYOND);
    for (int64_t i = 0; i < points->numel / n; i++)
        elements_gather(size, n, to + (size_t)(i * n) * size,
                        from + (size_t)(i / m * n * m + i % m) * size, m);
    return memory;
}

// ---- cdist

// Do the batches have the same sizes, and the points as many coordinates?
static bool are_alike(const Tensor *x1, const Tensor *x2)
{
    if (x1->ndim != x2->ndim || tensor_dtype(x1) != tensor_dtype(x2)) return false;
    for (int i = 0; i < x1->ndim; i++)
        if (i != x1->ndim - 2 && tensor_size(x1, i) != tensor_size(x2, i)) return false;
    return true;
}

// p = 2 may be wanted as a product of matrices.
static bool is_product(const OpCall *call, int64_t n1, int64_t n2)
{
    int64_t mode = 0;
    bool read = !call_has(call, 3) || call_int(call, 3, &mode);
    return !read || mode == 1 || (mode == 0 && (n1 > 25 || n2 > 25));
}

static Value new_distances(const Tensor *x1, const Tensor *x2)
{
    Dim sizes[TENSOR_MAX_DIMS];
    memcpy(sizes, tensor_sizes(x1), sizeof *sizes * x1->ndim);
    sizes[x1->ndim - 1] = tensor_sizes(x2)[x2->ndim - 2];
    return tensor_new(tensor_dtype(x1), x1->ndim, sizes);
}

// The distances of all points of x1 from those of x2 in the same batch, which are turned over.
static void add_pairs(const Tensor *x1, const char *turned, bool squares, Tensor *result)
{
    int64_t n1 = tensor_size(x1, x1->ndim - 2), m = tensor_size(x1, x1->ndim - 1);
    int64_t n2 = tensor_size(result, result->ndim - 1), points = x1->numel / m;
    int64_t size = (int64_t)dtype_size(tensor_dtype(x1));
    for (int64_t i = 0; i < points; i++) {
        Distances work = {.point = tensor_data(x1) + i * m * size,
                          .others = turned + i / n1 * m * n2 * size,
                          .to = tensor_data(result) + i * n2 * size,
                          .count = n2,
                          .stride = n2,
                          .m = m,
                          .squares = squares};
        add(tensor_dtype(x1), &work);
    }
}

bool KERNEL(shortcut_cdist)(OpCall *call)
{
    Tensor *x1 = call_tensor(call, 0), *x2 = call_tensor(call, 1);
    double p;
    if (!are_points(x1) || !are_points(x2) || !are_alike(x1, x2)) return true;
    int64_t m = tensor_size(x1, x1->ndim - 1);
    if (!read_power(call, 2, &p)) return true;
    if (p == 2 && is_product(call, tensor_size(x1, x1->ndim - 2), tensor_size(x2, x2->ndim - 2)))
        return true;
    Value turned = turned_over(x2);
    Value result = turned ? new_distances(x1, x2) : VALUE_ERROR;
    if (result) add_pairs(x1, as_storage(turned)->data, takes_squares(p, m), as_tensor(result));
    drop(turned);
    call->value = result;
    return result != VALUE_ERROR;
}

// ---- pdist

// Of each point from those after it.
static void add_later(const Tensor *points, const char *turned, bool squares, Tensor *result)
{
    int64_t n = tensor_size(points, 0), m = tensor_size(points, 1);
    int64_t size = (int64_t)dtype_size(tensor_dtype(points));
    char *to = tensor_data(result);
    for (int64_t i = 0; i + 1 < n; i++) {
        Distances work = {.point = tensor_data(points) + i * m * size,
                          .others = turned + (i + 1) * size,
                          .to = to,
                          .count = n - i - 1,
                          .stride = n,
                          .m = m,
                          .squares = squares};
        add(tensor_dtype(points), &work);
        to += work.count * size;
    }
}

bool KERNEL(shortcut_pdist)(OpCall *call)
{
    Tensor *points = call_tensor(call, 0);
    double p;
    if (!are_points(points) || points->ndim != 2 || !read_power(call, 1, &p)) return true;
    int64_t n = tensor_size(points, 0), m = tensor_size(points, 1);
    if (n < 2 || n > 1 << 24) return true; // no pairs, or perhaps too many for a Dim
    Dim pairs = from_small(n * (n - 1) / 2);
    Value turned = turned_over(points);
    Value result = turned ? tensor_new(tensor_dtype(points), 1, &pairs) : VALUE_ERROR;
    if (result) add_later(points, as_storage(turned)->data, takes_squares(p, m), as_tensor(result));
    drop(turned);
    call->value = result;
    return result != VALUE_ERROR;
}

#endif
