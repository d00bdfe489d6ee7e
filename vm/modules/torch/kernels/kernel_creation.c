// Kernels of the functions that make tensors.
#include "objects/tensor/convert.h"
#include "objects/tensor/element.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_math.h"

// Fills a contiguous tensor with a number.
static bool fill(Tensor *tensor, ValueRef number)
{
    char element[8];
    size_t size = dtype_size(tensor_dtype(tensor));
    if (tensor->numel == 0) return true;
    if (!element_store(tensor_dtype(tensor), number, element)) return false;
    char *data = tensor_data(tensor);
    memcpy(data, element, size);
    size_t filled = size, all = (size_t)tensor->numel * size;
    for (; filled <= all / 2; filled *= 2) memcpy(data + filled, data, filled);
    memcpy(data + filled, data, all - filled);
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

// ---- arange: start + i * step, computed in double or in int64

static void count_double(Tensor *result, double start, double step)
{
    char *to = tensor_data(result);
    double row[256];
    for (int64_t done = 0; done < result->numel; done += 256) {
        int64_t n = result->numel - done < 256 ? result->numel - done : 256;
        for (int64_t i = 0; i < n; i++) row[i] = start + step * (double)(done + i);
        elements_convert(n, to, tensor_dtype(result), row, DTYPE_float64);
        to += (size_t)n * dtype_size(tensor_dtype(result));
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

// ---- linspace: from both ends towards the middle, in float for float32, else in double

static double spaced_float(float start, float end, int64_t steps, int64_t i)
{
    float step = (end - start) / (float)(steps - 1);
    return i < steps / 2 ? start + step * (float)i : end - step * (float)(steps - i - 1);
}
static double spaced_double(double start, double end, int64_t steps, int64_t i)
{
    double step = (end - start) / (double)(steps - 1);
    return i < steps / 2 ? start + step * (double)i : end - step * (double)(steps - i - 1);
}

static double spaced(Dtype dtype, double start, double end, int64_t steps, int64_t i)
{
    if (steps == 1) return start;
    if (dtype_computed(dtype) == DTYPE_float32)
        return spaced_float((float)start, (float)end, steps, i);
    return spaced_double(start, end, steps, i);
}

static void space_out(Tensor *result, double start, double end, double base, bool powers)
{
    char *to = tensor_data(result);
    double row[256];
    for (int64_t done = 0; done < result->numel; done += 256) {
        int64_t n = result->numel - done < 256 ? result->numel - done : 256;
        for (int64_t i = 0; i < n; i++) {
            row[i] = spaced(tensor_dtype(result), start, end, result->numel, done + i);
            if (powers) row[i] = m_pow_double(base, row[i]);
        }
        elements_convert(n, to, tensor_dtype(result), row, DTYPE_float64);
        to += (size_t)n * dtype_size(tensor_dtype(result));
    }
}

bool KERNEL(kernel_linspace)(OpCall *call)
{
    double start, end;
    if (!call_double(call, 0, &start) || !call_double(call, 1, &end)) return false;
    space_out(call->results[0].tensor, start, end, 0, false);
    return true;
}

bool KERNEL(kernel_logspace)(OpCall *call)
{
    double start, end, base;
    if (!call_double(call, 0, &start) || !call_double(call, 1, &end) ||
        !call_double(call, 3, &base))
        return false;
    space_out(call->results[0].tensor, start, end, base, true);
    return true;
}

bool KERNEL(kernel_eye)(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    size_t size = dtype_size(tensor_dtype(result));
    int64_t rows = tensor_size(result, 0), columns = tensor_size(result, 1);
    _Alignas(8) char one[8];
    if (!KERNEL(kernel_zeros)(call) || !element_store(tensor_dtype(result), from_small(1), one))
        return false;
    for (int64_t i = 0; i < rows && i < columns; i++)
        memcpy(tensor_data(result) + (size_t)(i * (columns + 1)) * size, one, size);
    return true;
}
