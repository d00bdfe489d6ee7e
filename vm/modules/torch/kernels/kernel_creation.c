// Kernels of the functions that make tensors.
#include "objects/tensor/convert.h"
#include "objects/tensor/element.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/complex/complex_ops.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_math.h"

// Fills a contiguous tensor with a number.
static bool fill(Tensor *tensor, ValueRef number)
{
    char element[DTYPE_LARGEST];
    if (!element_store_fitting(tensor_dtype(tensor), number, element)) return false;
    elements_gather(dtype_size(tensor_dtype(tensor)), tensor->numel, tensor_data(tensor), element,
                    0);
    return true;
}

bool KERNEL(kernel_empty)(OpCall *call)
{
    // A bool is 0 or 1, so its memory is never left as it is.
    return tensor_dtype(call->results[0].tensor) != DTYPE_bool || KERNEL(kernel_zeros)(call);
}

bool KERNEL(kernel_zeros)(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    memset(tensor_data(result), 0, (size_t)result->numel * dtype_size(tensor_dtype(result)));
    return true;
}

bool KERNEL(kernel_ones)(OpCall *call)
{
    return fill(call->results[0].tensor, from_small(1));
}

// A number, or the only element of a tensor.
static bool fill_from(OpCall *call, ValueRef number)
{
    if (!tensor_check(number)) return fill(call->results[0].tensor, number);
    Value item = tensor_item(as_tensor(number), 0);
    bool done = item && fill(call->results[0].tensor, item);
    drop(item);
    return done;
}

bool KERNEL(kernel_full)(OpCall *call)
{
    return fill_from(call, call->slots[1]);
}

bool KERNEL(kernel_scalar_tensor)(OpCall *call)
{
    return fill_from(call, call->slots[0]);
}

bool KERNEL(kernel_new_full)(OpCall *call)
{
    return fill_from(call, call->slots[2]);
}

// Of the rows that have to do with complex numbers only: op_call() asks complex_compute() before.
bool KERNEL(kernel_complex)(OpCall *call)
{
    return complex_compute(call);
}

// ---- arange: start + i * step, computed in double or in int64
//
// PyTorch's loop takes two vectors of 32 bytes at a time. The first element of a vector is rounded
// to the dtype before the others are counted from it, in the type of the step: float for float16
// and bfloat16, else double. The rest, less than two vectors, is start + i * step. (Under AVX-512
// its vectors have 64 bytes: other elements are rounded twice.)
// (PyTorch: ATen/native/cpu/RangeFactoriesKernel.cpp, Vectorized::arange)

static double count_in_vector(Dtype dtype, double first, double step, int64_t i)
{
    switch (dtype) {
    case DTYPE_float64: return first + step * (double)i;
    case DTYPE_float32: return (double)(float)first + step * (double)i;
    default: return (double)(float_as_stored((float)first, dtype) + (float)step * (float)i);
    }
}

static double count_alone(Dtype dtype, double start, double step, int64_t i)
{
    bool is_short = dtype != DTYPE_float64 && dtype != DTYPE_float32;
    return is_short ? (double)((float)start + (float)step * (float)i) : start + step * (double)i;
}

static void count_double(Tensor *result, double start, double step)
{
    char *to = tensor_data(result);
    double row[256];
    Dtype dtype = tensor_dtype(result);
    int64_t lanes = 32 / (int64_t)dtype_size(dtype); // a power of 2
    int64_t in_vectors = result->numel - result->numel % (2 * lanes);
    for (int64_t done = 0; done < result->numel; done += 256) {
        int64_t n = result->numel - done < 256 ? result->numel - done : 256;
        for (int64_t i = 0; i < n; i++) {
            int64_t at = done + i, lane = at < in_vectors ? at & (lanes - 1) : 0;
            double first = count_alone(dtype, start, step, at - lane);
            row[i] = at < in_vectors ? count_in_vector(dtype, first, step, lane) : first;
        }
        elements_convert(n, to, dtype, row, DTYPE_float64);
        to += (size_t)n * dtype_size(dtype);
    }
}

static void count_int64(Tensor *result, int64_t start, int64_t step)
{
    char *to = tensor_data(result);
    int64_t row[256];
    for (int64_t done = 0; done < result->numel; done += 256) {
        int64_t n = result->numel - done < 256 ? result->numel - done : 256;
        for (int64_t i = 0; i < n; i++) row[i] = start + step * (done + i);
        elements_convert(n, to, tensor_dtype(result), row, DTYPE_int64);
        to += (size_t)n * dtype_size(tensor_dtype(result));
    }
}

bool KERNEL(kernel_arange)(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    if (dtype_is_floating(tensor_dtype(result)))
        count_double(result, 0, 1);
    else
        count_int64(result, 0, 1);
    return true;
}

bool KERNEL(kernel_arange_from)(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    double start, step;
    if (!call_double(call, 0, &start) || !call_double(call, 2, &step)) return false;
    if (dtype_is_floating(tensor_dtype(result)))
        count_double(result, start, step);
    else
        count_int64(result, double_to_int64(start), double_to_int64(step));
    return true;
}

// ---- linspace: from both ends towards the middle, in float for float32, else in double. float16
// and bfloat16 round after each step.

typedef struct Spacing {
    double start, end;
    int64_t steps;
    Dtype dtype;
} Spacing;

// The n numbers from number `at` on. Places are counted in double, of which there are vectors.
#define SPACED(name, type, round)                                                                  \
    static void spaced_##name(const Spacing *spacing, int64_t at, int n, double *row)              \
    {                                                                                              \
        const Dtype dtype = spacing->dtype;                                                        \
        const int64_t steps = spacing->steps;                                                      \
        const type start = round((type)spacing->start, dtype);                                     \
        const type end = round((type)spacing->end, dtype);                                         \
        const type step =                                                                          \
            round(round(end - start, dtype) / round((type)(steps - 1), dtype), dtype);             \
        const double first = (double)at, half = (double)(steps / 2), last = (double)(steps - 1);   \
        for (int i = 0; i < n; i++) {                                                              \
            double place = first + i;                                                              \
            bool near = place < half;                                                              \
            type moved = round(step * round((type)(near ? place : last - place), dtype), dtype);   \
            row[i] = (double)(near ? start + moved : end - moved);                                 \
        }                                                                                          \
    }
#define AS_IT_IS(number, dtype) ((void)(dtype), number)
static __attribute__((noinline)) float as_stored(float number, Dtype dtype)
{
    return float_as_stored(number, dtype);
}
SPACED(float32, float, AS_IT_IS)
SPACED(float64, double, AS_IT_IS)
SPACED(short, float, as_stored)

static void spaced(const Spacing *spacing, int64_t at, int n, double *row)
{
    if (spacing->steps == 1)
        *row = spacing->start;
    else if (spacing->dtype == DTYPE_float32)
        spaced_float32(spacing, at, n, row);
    else if (spacing->dtype == DTYPE_float16 || spacing->dtype == DTYPE_bfloat16)
        spaced_short(spacing, at, n, row);
    else
        spaced_float64(spacing, at, n, row);
}

// logspace computes exponents in double: the ends and their distance are rounded to the dtype.
static double exponent(const Spacing *spacing, int64_t i)
{
    Dtype dtype = spacing->dtype;
    int64_t steps = spacing->steps;
    double start = spacing->start, end = spacing->end, distance = end - start;
    if (dtype_computed(dtype) == DTYPE_float32) {
        start = (double)float_as_stored((float)start, dtype);
        end = (double)float_as_stored((float)end, dtype);
        distance = (double)float_as_stored((float)end - (float)start, dtype);
    }
    double step = steps == 1 ? 0 : distance / (double)(steps - 1);
    bool near = i < steps / 2 || steps == 1;
    return near ? start + step * (double)i : end - step * (double)(steps - i - 1);
}

// `base`: of the powers; NULL = the numbers themselves.
static void space_out(Tensor *result, double start, double end, const double *base)
{
    char *to = tensor_data(result);
    double row[256];
    Spacing spacing = {start, end, result->numel, tensor_dtype(result)};
    for (int64_t done = 0; done < spacing.steps; done += 256) {
        int n = spacing.steps - done < 256 ? (int)(spacing.steps - done) : 256;
        if (!base) spaced(&spacing, done, n, row);
        for (int i = 0; base && i < n; i++)
            row[i] = m_pow_double(*base, exponent(&spacing, done + i));
        elements_convert(n, to, spacing.dtype, row, DTYPE_float64);
        to += (size_t)n * dtype_size(spacing.dtype);
    }
}

bool KERNEL(kernel_linspace)(OpCall *call)
{
    double start, end;
    if (!call_double(call, 0, &start) || !call_double(call, 1, &end)) return false;
    space_out(call->results[0].tensor, start, end, NULL);
    return true;
}

bool KERNEL(kernel_logspace)(OpCall *call)
{
    double start, end, base;
    if (!call_double(call, 0, &start) || !call_double(call, 1, &end) ||
        !call_double(call, 3, &base))
        return false;
    space_out(call->results[0].tensor, start, end, &base);
    return true;
}

bool KERNEL(kernel_eye)(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    size_t size = dtype_size(tensor_dtype(result));
    int64_t rows = tensor_size(result, 0), columns = tensor_size(result, 1);
    _Alignas(16) char one[DTYPE_LARGEST];
    if (!KERNEL(kernel_zeros)(call) || !element_store(tensor_dtype(result), from_small(1), one))
        return false;
    for (int64_t i = 0; i < rows && i < columns; i++)
        memcpy(tensor_data(result) + (size_t)(i * (columns + 1)) * size, one, size);
    return true;
}
