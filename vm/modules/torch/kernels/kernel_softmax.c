// softmax and log_softmax along a dimension, and their gradients.
#include "objects/tensor/element.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_math.h"

#define PARTS 64 // of a row, in which the largest element is looked for
#define LARGER_HALF(half)                                                                          \
    for (int j = 0; j < half; j++)                                                                 \
        parts[j] = parts[j + half] > parts[j] ? parts[j + half] : parts[j];

#define REAL float
#define NAME(x) float32_##x
#include "vm/modules/torch/kernels/softmax_element.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) float64_##x
#include "vm/modules/torch/kernels/softmax_element.h"
#undef REAL
#undef NAME

// ---- rows of a tensor

typedef void (*FloatRow)(const float *from, int64_t n, bool last, float *restrict to);
typedef void (*DoubleRow)(const double *from, int64_t n, bool last, double *restrict to);

// The length of the rows along a dimension; a tensor without dimensions is one row of one element.
static int64_t row_length(const Tensor *tensor, int64_t dim)
{
    return tensor->ndim ? tensor_size(tensor, (int)dim) : 1;
}

// How many elements are beside each other in memory that belong to as many rows.
static int64_t row_distance(const Tensor *tensor, int64_t dim)
{
    int64_t beside = 1;
    for (int i = (int)dim + 1; i < tensor->ndim; i++) beside *= tensor_size(tensor, i);
    return beside;
}

// PyTorch takes 32 rows of halves at a time. Of those that are left over, beside each other in the
// memory of a tensor whose dimension `dim` is not the last, it stores the exps as halves.
static bool is_left_over(const Tensor *tensor, int64_t dim, int64_t row)
{
    int64_t beside = row_distance(tensor, dim);
    return dtype_size(tensor_dtype(tensor)) == 2 && row % beside >= beside / 32 * 32;
}

static void softmax_left_over(const float *from, int64_t n, Dtype dtype, float *restrict to)
{
    float sum = float32_row_exp(from, n, float32_row_max(from, n), false, to);
    for (int64_t i = 0; i < n; i++) to[i] = float_as_stored(to[i], dtype) / sum;
}

// Are they enough for vectors, and as the loops want them?
static bool has_columns(const Tensor *self, const Tensor *result, int64_t dim, Dtype computed)
{
    bool plain = tensor_is(self, TENSOR_CONTIGUOUS) && tensor_is(result, TENSOR_CONTIGUOUS);
    return plain && tensor_dtype(self) == computed && tensor_dtype(result) == computed &&
           row_distance(self, dim) >= 16;
}

static void in_columns(const Tensor *self, const Tensor *result, int64_t dim, bool logarithm)
{
    int64_t n = row_length(self, dim), width = row_distance(self, dim);
    const void *from = tensor_data(self);
    void *to = tensor_data(result);
    for (int64_t i = 0; i < self->numel; i += n * width)
        if (tensor_dtype(self) == DTYPE_float64)
            float64_columns((const double *)from + i, n, width, logarithm, (double *)to + i);
        else
            float32_columns((const float *)from + i, n, width, logarithm, (float *)to + i);
}

static bool along_dim(OpCall *call, FloatRow for_floats, DoubleRow for_doubles)
{
    Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    Dtype computed = dtype_computed(tensor_dtype(result));
    int64_t dim;
    Rows from, to;
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    if (has_columns(self, result, dim, computed))
        return in_columns(self, result, dim, for_floats == float32_log_softmax), true;
    if (!rows_read(&from, self, (int)dim, computed)) return false;
    if (!rows_write(&to, result, (int)dim, computed)) return rows_drop(&from);
    int64_t n = row_length(self, dim), all = self->numel;
    bool last = dim == self->ndim - 1;
    for (int64_t i = 0; i < all; i += n)
        if (computed == DTYPE_float64)
            for_doubles((double *)from.data + i, n, last, (double *)to.data + i);
        else if (for_floats == float32_softmax && !last && is_left_over(result, dim, i / n))
            softmax_left_over((float *)from.data + i, n, tensor_dtype(result),
                              (float *)to.data + i);
        else
            for_floats((float *)from.data + i, n, last, (float *)to.data + i);
    rows_drop(&from);
    return rows_store(&to);
}

bool KERNEL(kernel_softmax)(OpCall *call)
{
    return along_dim(call, float32_softmax, float64_softmax);
}

bool KERNEL(kernel_log_softmax)(OpCall *call)
{
    return along_dim(call, float32_log_softmax, float64_log_softmax);
}

// ---- gradients: (grad_output, output, dim, input_dtype)

typedef void (*FloatBackward)(const float *grad, const float *result, int64_t n, bool last,
                              float *restrict to);
typedef void (*DoubleBackward)(const double *grad, const double *result, int64_t n, bool last,
                               double *restrict to);

static bool read_two(OpCall *call, int dim, Dtype computed, Rows *grad, Rows *output)
{
    if (!rows_read(grad, call_tensor(call, 0), dim, computed)) return false;
    return rows_read(output, call_tensor(call, 1), dim, computed) || rows_drop(grad);
}

static bool backward(OpCall *call, FloatBackward for_floats, DoubleBackward for_doubles)
{
    Tensor *result = call->results[0].tensor;
    Dtype computed = dtype_computed(tensor_dtype(result));
    int64_t dim;
    Rows grad, output, to;
    if (!call_dim(call, 2, result->ndim, &dim) ||
        !read_two(call, (int)dim, computed, &grad, &output))
        return false;
    bool done = rows_write(&to, result, (int)dim, computed);
    int64_t n = row_length(result, dim), all = done ? result->numel : 0;
    bool last = dim == result->ndim - 1;
    for (int64_t i = 0; i < all; i += n)
        if (computed == DTYPE_float32)
            for_floats((float *)grad.data + i, (float *)output.data + i, n, last,
                       (float *)to.data + i);
        else
            for_doubles((double *)grad.data + i, (double *)output.data + i, n, last,
                        (double *)to.data + i);
    rows_drop(&grad);
    rows_drop(&output);
    return done && rows_store(&to);
}

bool KERNEL(kernel_softmax_backward)(OpCall *call)
{
    return backward(call, float32_softmax_backward, float64_softmax_backward);
}

bool KERNEL(kernel_log_softmax_backward)(OpCall *call)
{
    return backward(call, float32_log_softmax_backward, float64_log_softmax_backward);
}
