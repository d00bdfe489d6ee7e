// softmax and log_softmax along a dimension, and their gradients.
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_math.h"

#define PARTS 64

// exp(x) for x <= 0: less work than m_exp(), which it equals but below exp(-87), where it is 0.
// 2^k is made of the bits of a sum: to add 1.5 * 2^23 rounds x / ln 2 to the integer k and leaves
// k in the last bits; 127 is the bias of the exponent.
static inline float float32_exp_of_negative(float x)
{
    const float shift = 0x1.8p23f + 127;
    float inside = x < -87 ? -87 : x;
    float shifted = inside * 0x1.715476p0f + shift;
    float k = shifted - shift;
    float r = (inside - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
    float p = 0x1.6850e4p-10f;
    p = p * r + 0x1.123bccp-7f;
    p = p * r + 0x1.555b98p-5f;
    p = p * r + 0x1.55548ep-3f;
    p = p * r + 0x1.fffff8p-2f;
    p = (p * (r * r) + r) + 1;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    p *= m_float_from((int32_t)(bits << 23));
    return x < -87 ? 0 : p;
}

static inline double float64_exp_of_negative(double x)
{
    return m_exp(x);
}

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

typedef void (*FloatRow)(const float *from, int64_t n, float *restrict to);
typedef void (*DoubleRow)(const double *from, int64_t n, double *restrict to);

// The length of the rows along a dimension; a tensor without dimensions is one row of one element.
static int64_t row_length(const Tensor *tensor, int64_t dim)
{
    return tensor->ndim ? tensor_size(tensor, (int)dim) : 1;
}

static bool along_dim(OpCall *call, FloatRow for_floats, DoubleRow for_doubles)
{
    Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    Dtype computed = dtype_computed(tensor_dtype(result));
    int64_t dim;
    Rows from, to;
    if (!call_dim(call, 1, self->ndim, &dim) || !rows_read(&from, self, (int)dim, computed))
        return false;
    if (!rows_write(&to, result, (int)dim, computed)) return rows_drop(&from);
    int64_t n = row_length(self, dim), all = self->numel;
    for (int64_t i = 0; i < all; i += n) {
        if (computed == DTYPE_float32)
            for_floats((float *)from.data + i, n, (float *)to.data + i);
        else
            for_doubles((double *)from.data + i, n, (double *)to.data + i);
    }
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

typedef void (*FloatBackward)(const float *grad, const float *result, int64_t n,
                              float *restrict to);
typedef void (*DoubleBackward)(const double *grad, const double *result, int64_t n,
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
    for (int64_t i = 0; i < all; i += n) {
        if (computed == DTYPE_float32)
            for_floats((float *)grad.data + i, (float *)output.data + i, n, (float *)to.data + i);
        else
            for_doubles((double *)grad.data + i, (double *)output.data + i, n,
                        (double *)to.data + i);
    }
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
