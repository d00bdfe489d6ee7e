// Rules of softmax and of the normalisations (ATen/native/layer_norm.cpp, Normalization.cpp,
// group_norm.cpp).
#include "objects/error.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

static DimRef size_at(const Tensor *tensor, int dim)
{
    return tensor_sizes(tensor)[dim];
}

static bool is_floating(const Tensor *tensor, const char *kernel)
{
    Dtype dtype = tensor_dtype(tensor);
    return dtype_is_floating(dtype) || raise_error(RuntimeError, "\"%s\" not implemented for '%s'",
                                                   kernel, dtype_table[dtype].scalar);
}

static void like(OpCall *call, const Tensor *tensor)
{
    shape_from_sizes(call_result(call, tensor_dtype(tensor)), tensor->ndim, tensor_sizes(tensor));
}

// Have two tensors the same shape?
static bool same_shape(const Tensor *a, const Tensor *b, bool *same)
{
    *same = a->ndim == b->ndim;
    for (int i = 0; *same && i < a->ndim; i++)
        if (!dim_equal(size_at(a, i), size_at(b, i), same)) return false;
    return true;
}

static bool expect_shape(const Tensor *expected, const Tensor *found, const char *name)
{
    bool same;
    if (!same_shape(expected, found, &same)) return false;
    if (same) return true;
    Value want = shape_text(expected->ndim, tensor_sizes(expected));
    Value have = want ? shape_text(found->ndim, tensor_sizes(found)) : VALUE_ERROR;
    if (have)
        raise_error(RuntimeError, "expected %s of shape %S, but got %S", name, (ValueRef)want,
                    (ValueRef)have);
    drop(want);
    drop(have);
    return false;
}

static bool same_dtype(const Tensor *a, const Tensor *b)
{
    return tensor_dtype(a) == tensor_dtype(b) ||
           raise_error(RuntimeError, "expected scalar type %s but found %s",
                       dtype_table[tensor_dtype(a)].scalar, dtype_table[tensor_dtype(b)].scalar);
}

// ---- softmax: (self, dim, half_to_float)

static bool softmax(OpCall *call, const char *last, const char *other, const char *conversion)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim;
    if (call_bool(call, 2)) return raise_error(RuntimeError, conversion);
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    like(call, self);
    return self->numel == 0 || is_floating(self, dim >= self->ndim - 1 ? last : other);
}

bool rule_softmax(OpCall *call)
{
    return softmax(call, "softmax_lastdim_kernel_impl", "softmax_kernel_impl",
                   "softmax with half to float conversion is not supported on CPU");
}

bool rule_log_softmax(OpCall *call)
{
    return softmax(call, "log_softmax_lastdim_kernel_impl", "softmax_kernel_impl",
                   "softmax with half to float conversion is not supported on CPU");
}

// (grad_output, output, dim, input_dtype)
bool rule_softmax_backward(OpCall *call)
{
    const Tensor *grad = call_tensor(call, 0), *output = call_tensor(call, 1);
    int64_t dim;
    like(call, output);
    return call_dim(call, 2, output->ndim, &dim) && expect_shape(output, grad, "grad_output") &&
           same_dtype(output, grad) && is_floating(output, "softmax_backward");
}

// ---- layer_norm

// A weight or bias must have normalized_shape.
static bool parameter_matches(const Tensor *parameter, int ndim, const Dim *sizes, const char *name)
{
    bool same = !parameter || parameter->ndim == ndim;
    for (int i = 0; parameter && same && i < ndim; i++)
        if (!dim_equal(size_at(parameter, i), sizes[i], &same)) return false;
    if (same) return true;
    Value want = shape_text(ndim, sizes);
    Value have = want ? shape_text(parameter->ndim, tensor_sizes(parameter)) : VALUE_ERROR;
    if (have)
        raise_error(RuntimeError,
                    "Expected %s to be of same shape as normalized_shape, but got %s of shape %S "
                    "and normalized_shape = %S",
                    name, name, (ValueRef)have, (ValueRef)want);
    drop(want);
    drop(have);
    return false;
}

// "[*, 2, 3]": the shapes that end in normalized_shape. Owned.
static Value any_text(int ndim, const Dim *sizes)
{
    Value text = format_text("[*");
    for (int i = 0; text && i < ndim; i++) {
        Value longer = format_text("%S, %S", (ValueRef)text, (ValueRef)sizes[i]);
        drop(text);
        text = longer;
    }
    Value closed = text ? format_text("%S]", (ValueRef)text) : VALUE_ERROR;
    drop(text);
    return closed;
}

static bool input_ends_in(const Tensor *input, int ndim, const Dim *sizes)
{
    bool same = input->ndim >= ndim;
    for (int i = 0; same && i < ndim; i++)
        if (!dim_equal(size_at(input, input->ndim - ndim + i), sizes[i], &same)) return false;
    if (same) return true;
    Value want = shape_text(ndim, sizes), any = want ? any_text(ndim, sizes) : VALUE_ERROR;
    Value have = any ? shape_text(input->ndim, tensor_sizes(input)) : VALUE_ERROR;
    if (have)
        raise_error(RuntimeError,
                    "Given normalized_shape=%S, expected input with shape %S, but got input of "
                    "size%S",
                    (ValueRef)want, (ValueRef)any, (ValueRef)have);
    drop(want);
    drop(any);
    drop(have);
    return false;
}

// Reads normalized_shape and checks the input against it. The number of its dimensions; -1 = an
// exception is pending.
static int normalized(const OpCall *call, int slot, const Tensor *input, Dim *sizes)
{
    int ndim = call_dims(call, slot, sizes);
    if (ndim == 0)
        raise_error(RuntimeError, "Expected normalized_shape to be at least 1-dimensional, i.e., "
                                  "containing at least one element, but got normalized_shape = []");
    return ndim > 0 && input_ends_in(input, ndim, sizes) ? ndim : -1;
}

static bool parameter_dtype(const Tensor *input, const Tensor *parameter)
{
    if (!parameter || tensor_dtype(parameter) == tensor_dtype(input)) return true;
    return raise_error(RuntimeError,
                       "mixed dtype (CPU): expect parameter to have scalar type of Float");
}

// The shape of mean and rstd: the input's with 1 for each dimension of normalized_shape.
static void statistics(OpCall *call, const Tensor *input, int ndim)
{
    Shape *shape = call_result(call, tensor_dtype(input));
    shape_from_sizes(shape, input->ndim, tensor_sizes(input));
    for (int i = input->ndim - ndim; i < input->ndim; i++) {
        drop(shape->size[i]);
        shape->size[i] = dim_of(1);
    }
}

// (input, normalized_shape, weight, bias, eps)
bool rule_layer_norm(OpCall *call)
{
    const Tensor *input = call_tensor(call, 0);
    const Tensor *weight = call_optional(call, 2), *bias = call_optional(call, 3);
    Dim sizes[TENSOR_MAX_DIMS];
    int ndim = call_dims(call, 1, sizes);
    if (ndim < 0 || (ndim > 0 && (!parameter_matches(weight, ndim, sizes, "weight") ||
                                  !parameter_matches(bias, ndim, sizes, "bias"))))
        return false;
    if (normalized(call, 1, input, sizes) < 0 || !is_floating(input, "LayerNormKernelImpl") ||
        !parameter_dtype(input, weight) || !parameter_dtype(input, bias))
        return false;
    like(call, input);
    statistics(call, input, ndim);
    statistics(call, input, ndim);
    return true;
}

// The statistics must have one element for each row.
static bool rows_match(const Tensor *input, int ndim, const Tensor *statistic)
{
    bool same = statistic->ndim == input->ndim;
    for (int i = 0; same && i < input->ndim; i++) {
        DimRef expected = i < input->ndim - ndim ? size_at(input, i) : (ValueRef)from_small(1);
        if (!dim_equal(size_at(statistic, i), expected, &same)) return false;
    }
    return same || raise_error(RuntimeError, "expected mean and rstd of the shape that "
                                             "native_layer_norm() gives them");
}

// (grad, input, normalized_shape, mean, rstd, ...); ndim = -1: an exception is pending
static int layer_norm_backward(OpCall *call, Dim *sizes)
{
    const Tensor *grad = call_tensor(call, 0), *input = call_tensor(call, 1);
    int ndim = normalized(call, 2, input, sizes);
    if (ndim < 0 || !expect_shape(input, grad, "grad") || !same_dtype(input, grad) ||
        !is_floating(input, "LayerNormBackwardKernelImpl") ||
        !rows_match(input, ndim, call_tensor(call, 3)) ||
        !rows_match(input, ndim, call_tensor(call, 4)))
        return -1;
    return ndim;
}

bool rule_layer_norm_backward(OpCall *call)
{
    Dim sizes[TENSOR_MAX_DIMS];
    int ndim = layer_norm_backward(call, sizes);
    if (ndim < 0 || !parameter_matches(call_optional(call, 5), ndim, sizes, "weight")) return false;
    like(call, call_tensor(call, 1));
    return true;
}

bool rule_layer_norm_weight(OpCall *call)
{
    Dim sizes[TENSOR_MAX_DIMS];
    int ndim = layer_norm_backward(call, sizes);
    if (ndim < 0) return false;
    shape_from_sizes(call_result(call, tensor_dtype(call_tensor(call, 1))), ndim, sizes);
    return true;
}

// ---- batch_norm

// A parameter has one element for each channel.
static bool counts_channels(const Tensor *parameter, DimRef channels, const char *name)
{
    bool equal = false;
    if (!parameter) return true;
    if (parameter->ndim != 1)
        return raise_error(RuntimeError, "%s should have one dimension, not %d", name,
                           parameter->ndim);
    if (!dim_equal(size_at(parameter, 0), channels, &equal)) return false;
    return equal || raise_error(RuntimeError, "%s should contain %S elements not %S", name,
                                channels, size_at(parameter, 0));
}

static bool is_batch(const Tensor *input)
{
    return input->ndim >= 2 ||
           raise_error(RuntimeError, "batch_norm expects an input of 2 or more dimensions, got %d",
                       input->ndim);
}

// Both running statistics, or none; not none outside of training.
static bool running_are_sound(const Tensor *mean, const Tensor *variance, bool training,
                              DimRef channels)
{
    if (!mean && !training)
        return raise_error(RuntimeError, "running_mean must be defined in evaluation mode");
    if (!variance && !training)
        return raise_error(RuntimeError, "running_var must be defined in evaluation mode");
    return counts_channels(mean, channels, "running_mean") &&
           counts_channels(variance, channels, "running_var");
}

static bool is_written(const Tensor *running)
{
    return !running || tensor_is(running, TENSOR_CONTIGUOUS) || tensor_is(running, TENSOR_FAKE) ||
           tensor_size(running, 0) <= 1 || tensor_stride(running, 0) != 0 ||
           raise_error(RuntimeError, "unsupported operation: more than one element of the "
                                     "written-to tensor refers to a single memory location. Please "
                                     "clone() the tensor before performing the operation.");
}

// Parameters 1 to 4: the dtype of the input, or all float32 beside an input of 16 bits. The first
// one that is given decides which it is to be.
static bool same_dtypes(const OpCall *call)
{
    Dtype input = tensor_dtype(call_tensor(call, 0)), first = DTYPE_NONE;
    bool half = input == DTYPE_float16 || input == DTYPE_bfloat16, all_float = true;
    for (int i = 1; i < 5; i++) {
        const Tensor *parameter = call_optional(call, i);
        if (!parameter) continue;
        Dtype dtype = tensor_dtype(parameter);
        if (first == DTYPE_NONE) first = dtype;
        if (first == input && dtype != input)
            return raise_error(RuntimeError, "expected scalar type %s but found %s",
                               dtype_table[input].scalar, dtype_table[dtype].scalar);
        all_float = all_float && dtype == DTYPE_float32;
    }
    if (first == DTYPE_NONE || first == input || (half && all_float)) return true;
    return raise_error(RuntimeError, "mixed dtype (CPU): %s",
                       all_float ? "all inputs must share same datatype."
                                 : "expect parameter to have scalar type of Float");
}

static bool has_elements(const Tensor *input)
{
    return input->numel != 0 ||
           raise_about_sizes(RuntimeError,
                             "input tensor must have at least one element, but got input_sizes = "
                             "%S",
                             input->ndim, tensor_sizes(input));
}

// (input, weight, bias, running_mean, running_var, training, momentum, eps)
bool rule_batch_norm(OpCall *call)
{
    const Tensor *input = call_tensor(call, 0);
    bool training = call_bool(call, 5);
    if (!is_batch(input)) return false;
    DimRef channels = size_at(input, 1);
    if (!running_are_sound(call_optional(call, 3), call_optional(call, 4), training, channels) ||
        !counts_channels(call_optional(call, 1), channels, "weight") ||
        !counts_channels(call_optional(call, 2), channels, "bias") ||
        !is_floating(input, "batch_norm") || !same_dtypes(call) ||
        (training && !has_elements(input)) || !is_written(call_optional(call, 3)) ||
        !is_written(call_optional(call, 4)))
        return false;
    like(call, input);
    for (int i = 0; i < 2; i++) {
        Shape *shape = call_result(call, tensor_dtype(input));
        shape->ndim = 1;
        shape->size[0] = training ? retain(channels) : dim_of(0);
        shape->symbolic = !is_small(shape->size[0]);
    }
    return true;
}

// (grad, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps)
static bool batch_norm_backward(OpCall *call)
{
    const Tensor *grad = call_tensor(call, 0), *input = call_tensor(call, 1);
    bool training = call_bool(call, 7);
    if (!is_batch(input) || !expect_shape(input, grad, "grad") || !same_dtype(input, grad))
        return false;
    DimRef channels = size_at(input, 1);
    if (training && (!call_has(call, 5) || !call_has(call, 6)))
        return raise_error(RuntimeError, "save_mean and save_invstd must be defined in training");
    return counts_channels(call_optional(call, 2), channels, "weight") &&
           running_are_sound(call_optional(call, 3), call_optional(call, 4), training, channels) &&
           (!training || (counts_channels(call_tensor(call, 5), channels, "save_mean") &&
                          counts_channels(call_tensor(call, 6), channels, "save_invstd"))) &&
           is_floating(input, "batch_norm_backward");
}

bool rule_batch_norm_backward(OpCall *call)
{
    if (!batch_norm_backward(call)) return false;
    like(call, call_tensor(call, 1));
    return true;
}

bool rule_batch_norm_weight(OpCall *call)
{
    if (!batch_norm_backward(call)) return false;
    const Tensor *input = call_tensor(call, 1);
    shape_from_sizes(call_result(call, tensor_dtype(input)), 1, tensor_sizes(input) + 1);
    return true;
}

// ---- group_norm

static bool raise_channels(const char *name, const Tensor *parameter, const Tensor *input)
{
    Value have = shape_text(parameter->ndim, tensor_sizes(parameter));
    Value shape = have ? shape_text(input->ndim, tensor_sizes(input)) : VALUE_ERROR;
    if (shape)
        raise_error(RuntimeError,
                    "Expected %s to be a vector of size equal to the number of channels in input, "
                    "but got %s of shape %S and input of shape %S",
                    name, name, (ValueRef)have, (ValueRef)shape);
    drop(have);
    drop(shape);
    return false;
}

static bool is_channel_vector(const Tensor *parameter, const char *name, int64_t channels,
                              const Tensor *input)
{
    bool same = !parameter || parameter->ndim == 1;
    if (parameter && same && !dim_is(size_at(parameter, 0), channels, &same)) return false;
    return same || raise_channels(name, parameter, input);
}

// The numbers N, C, HxW, group from `slot` on describe the input.
static bool groups_are_sound(const OpCall *call, int slot, const Tensor *input, int64_t *numbers)
{
    for (int i = 0; i < 4; i++)
        if (!call_int(call, slot + i, &numbers[i])) return false;
    int64_t product = 1;
    bool over = numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 0;
    for (int i = 0; i < 4; i++) over |= !fits_small(numbers[i]);
    for (int i = 0; i < 3; i++) over |= __builtin_mul_overflow(product, numbers[i], &product);
    if (numbers[3] <= 0)
        return raise_error(RuntimeError, "Expected num groups to be greater than 0, got %lld",
                           (long long)numbers[3]);
    if (numbers[1] % numbers[3])
        return raise_error(RuntimeError,
                           "Expected number of channels in input to be divisible by "
                           "num_groups, but got C=%lld and num_groups=%lld",
                           (long long)numbers[1], (long long)numbers[3]);
    if (over || (input->numel >= 0 && product != input->numel))
        return raise_error(RuntimeError, "N, C and HxW are not the sizes of the input");
    return is_floating(input, "GroupNormKernelImpl");
}

static void group_statistics(OpCall *call, const Tensor *input, const int64_t *numbers)
{
    Shape *shape = call_result(call, tensor_dtype(input));
    shape->ndim = 2;
    shape->size[0] = dim_of(numbers[0]);
    shape->size[1] = dim_of(numbers[3]);
}

// (input, weight, bias, N, C, HxW, group, eps)
bool rule_group_norm(OpCall *call)
{
    const Tensor *input = call_tensor(call, 0);
    int64_t numbers[4];
    if (!groups_are_sound(call, 3, input, numbers) ||
        !is_channel_vector(call_optional(call, 1), "weight", numbers[1], input) ||
        !is_channel_vector(call_optional(call, 2), "bias", numbers[1], input))
        return false;
    like(call, input);
    group_statistics(call, input, numbers);
    group_statistics(call, input, numbers);
    return true;
}

// (grad, input, mean, rstd, ..., N, C, HxW, group), the latter from `slot` on
static bool group_norm_backward(OpCall *call, int slot, int64_t *numbers)
{
    const Tensor *grad = call_tensor(call, 0), *input = call_tensor(call, 1);
    if (!expect_shape(input, grad, "grad") || !same_dtype(input, grad) ||
        !groups_are_sound(call, slot, input, numbers))
        return false;
    for (int i = 2; i < 4; i++)
        if (call_tensor(call, i)->numel >= 0 &&
            call_tensor(call, i)->numel != numbers[0] * numbers[3])
            return raise_error(RuntimeError, "expected mean and rstd of the shape that "
                                             "native_group_norm() gives them");
    return true;
}

bool rule_group_norm_backward(OpCall *call)
{
    const Tensor *input = call_tensor(call, 1);
    int64_t numbers[4];
    if (!group_norm_backward(call, 5, numbers) ||
        !is_channel_vector(call_optional(call, 4), "weight", numbers[1], input))
        return false;
    like(call, input);
    return true;
}

bool rule_group_norm_weight(OpCall *call)
{
    int64_t numbers[4];
    if (!group_norm_backward(call, 4, numbers)) return false;
    Shape *shape = call_result(call, tensor_dtype(call_tensor(call, 1)));
    shape->ndim = 1;
    shape->size[0] = dim_of(numbers[1]);
    return true;
}
