// Rules of adaptive pooling: the sizes of the output are given, the windows follow from them.
#include "objects/error.h"
#include "vm/modules/torch/call/windows.h"
#include "vm/modules/torch/rules/rules.h"

static bool raise_shape(const Tensor *input, const char *format)
{
    Value text = shape_text(input->ndim, tensor_sizes(input));
    if (text) raise_error(RuntimeError, format, (ValueRef)text);
    drop(text);
    return false;
}

static bool raise_empty(const Tensor *input, const char *name, int dim)
{
    Value text = shape_text(input->ndim, tensor_sizes(input));
    if (text)
        raise_error(RuntimeError,
                    "%s(): Expected input to have non-zero size for non-batch dimensions, but "
                    "input has sizes %S with dimension %d being empty",
                    name, (ValueRef)text, dim);
    drop(text);
    return false;
}

// Images and channels, or channels alone, before the dimensions that are pooled. None is empty.
static bool input_is_sound(const Tensor *input, int dims, const char *name, const char *shapes)
{
    if (input->ndim != dims + 1 && input->ndim != dims + 2) return raise_shape(input, shapes);
    for (int i = 1; i < dims + 1; i++) {
        int dim = input->ndim - dims - 1 + i;
        bool empty;
        if (!dim_is(tensor_sizes(input)[dim], 0, &empty)) return false;
        if (empty) return raise_empty(input, name, dim);
    }
    return true;
}

// The shape of the output: the sizes of the parameter 1 instead of the last ones.
static bool output_shape(OpCall *call, Shape *shape, const Tensor *input, int dims)
{
    Dim sizes[TENSOR_MAX_DIMS];
    int count = call_dims(call, 1, sizes);
    if (count < 0) return false;
    shape_from_sizes(shape, input->ndim - dims, tensor_sizes(input));
    for (int i = 0; i < dims; i++) {
        shape->size[shape->ndim++] = retain(sizes[count == 1 ? 0 : i]);
        shape->symbolic |= !is_small(sizes[count == 1 ? 0 : i]);
    }
    return true;
}

static bool count_is(OpCall *call, int dims, const char *message)
{
    Dim sizes[TENSOR_MAX_DIMS];
    int count = call_dims(call, 1, sizes);
    if (count < 0) return false;
    return count == 1 || count == dims || raise_error(RuntimeError, message);
}

static bool is_floating(const Tensor *tensor, const char *kernel)
{
    Dtype dtype = tensor_dtype(tensor);
    return dtype_is_floating(dtype) || raise_error(RuntimeError, "\"%s\" not implemented for '%s'",
                                                   kernel, dtype_table[dtype].scalar);
}

// A negative size, as the message shows it: "{-1, -1}".
static bool sizes_are_positive(const Shape *shape, int dims, const char *name)
{
    const Dim *sizes = shape->size + shape->ndim - dims;
    bool negative = false;
    for (int i = 0; i < dims; i++) {
        bool less;
        if (!dim_less(sizes[i], dim_of(0), &less)) return false;
        negative |= less;
    }
    if (!negative) return true;
    const char *must = "elements of output_size must be greater than or equal to 0 but received";
    if (dims == 2)
        return raise_error(RuntimeError, "%s: %s {%S, %S}", name, must, (ValueRef)sizes[0],
                           (ValueRef)sizes[1]);
    return raise_error(RuntimeError, "%s: %s {%S, %S,%S}", name, must, (ValueRef)sizes[0],
                       (ValueRef)sizes[1], (ValueRef)sizes[2]);
}

// ---- averages: (self, output_size)

bool rule_adaptive_avg_pool2d(OpCall *call)
{
    const Tensor *input = call_tensor(call, 0);
    Shape *shape = call_result(call, tensor_dtype(input));
    return count_is(call, 2, "adaptive_avg_pool2d: output_size must be 2") &&
           input_is_sound(input, 2, "adaptive_avg_pool2d",
                          "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got %S") &&
           output_shape(call, shape, input, 2) &&
           sizes_are_positive(shape, 2, "adaptive_avg_pool2d") &&
           is_floating(input, "adaptive_avg_pool2d");
}

bool rule_adaptive_avg_pool3d(OpCall *call)
{
    const Tensor *input = call_tensor(call, 0);
    Shape *shape = call_result(call, tensor_dtype(input));
    return count_is(call, 3, "adaptive_avg_pool3d: output_size must be 3") &&
           input_is_sound(input, 3, "adaptive_avg_pool3d",
                          "adaptive_avg_pool3d(): Expected 4D or 5D tensor, but got %S") &&
           output_shape(call, shape, input, 3) &&
           sizes_are_positive(shape, 3, "adaptive_avg_pool3d") &&
           is_floating(input, "adaptive_avg_pool3d_cpu");
}

// ---- maxima

static bool sizes_can_be_made(const Shape *shape)
{
    for (int i = 0; i < shape->ndim; i++) {
        bool less;
        if (!dim_less(shape->size[i], dim_of(0), &less)) return false;
        if (!less) continue;
        Value text = shape_text(shape->ndim, shape->size);
        if (text)
            raise_error(RuntimeError, "Trying to create tensor with negative dimension %S: %S",
                        (ValueRef)shape->size[i], (ValueRef)text);
        drop(text);
        return false;
    }
    return true;
}

bool rule_adaptive_max_pool2d(OpCall *call)
{
    const Tensor *input = call_tensor(call, 0);
    Shape *shape = call_result(call, tensor_dtype(input));
    if (!count_is(call, 2, "adaptive_max_pool2d(): internal error: output_size.size() must be 2") ||
        !input_is_sound(input, 2, "adaptive_max_pool2d",
                        "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: %S") ||
        !output_shape(call, shape, input, 2) || !sizes_can_be_made(shape) ||
        !is_floating(input, "adaptive_max_pool2d"))
        return false;
    shape_copy(call_result(call, DTYPE_int64), &call->results[0].shape);
    return true;
}

// ---- gradients: (grad_output, self), and the indices after

// The gradient has the planes of the input, and any size.
static bool backward(OpCall *call, int dims)
{
    const Tensor *grad = call_tensor(call, 0), *input = call_tensor(call, 1);
    bool equal = grad->ndim == input->ndim && input->ndim > dims;
    for (int i = 0; equal && i < input->ndim - dims; i++)
        if (!dim_equal(tensor_sizes(grad)[i], tensor_sizes(input)[i], &equal)) return false;
    if (!equal)
        return raise_error(RuntimeError,
                           "expected grad_output to have the batch and channels of the input");
    shape_from_sizes(call_result(call, tensor_dtype(input)), input->ndim, tensor_sizes(input));
    return is_floating(input, "adaptive_pool_backward");
}

bool rule_adaptive_avg_pool2d_backward(OpCall *call)
{
    return backward(call, 2);
}

bool rule_adaptive_avg_pool3d_backward(OpCall *call)
{
    return backward(call, 3);
}

bool rule_adaptive_max_pool2d_backward(OpCall *call)
{
    const Tensor *grad = call_tensor(call, 0), *indices = call_tensor(call, 2);
    bool equal = grad->ndim == indices->ndim && tensor_dtype(indices) == DTYPE_int64;
    for (int i = 0; equal && i < grad->ndim; i++)
        if (!dim_equal(tensor_sizes(grad)[i], tensor_sizes(indices)[i], &equal)) return false;
    if (!equal) return raise_error(RuntimeError, "expected sizes of grad and indices to be equal");
    return backward(call, 2);
}
