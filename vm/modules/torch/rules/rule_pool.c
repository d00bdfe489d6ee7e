// Rules of pooling: the sizes of the output, and PyTorch's checks (ATen/native/Pool.h).
#include "objects/error.h"
#include "vm/modules/torch/call/windows.h"
#include "vm/modules/torch/rules/rules.h"

typedef struct PoolRule {
    const char *name; // of the operator, in messages
    int dims;
    bool average, ceil_mode;
    const Tensor *input;
    int64_t kernel[WINDOW_DIMS], stride[WINDOW_DIMS], padding[WINDOW_DIMS], dilation[WINDOW_DIMS];
} PoolRule;

static DimRef size_from_end(const Tensor *tensor, int behind)
{
    return tensor_sizes(tensor)[tensor->ndim - 1 - behind];
}

// ---- parameters

static const char *const count_words[] = {"", "one int", "two ints", "three ints"};

// Reads a list of one or `dims` numbers; `may` is how the message puts what it may be.
static bool read_numbers(const OpCall *call, int slot, const PoolRule *rule, const char *what,
                         const char *may, bool may_be_empty, int64_t *numbers)
{
    Dim given[TENSOR_MAX_DIMS];
    int count = call_dims(call, slot, given);
    if (count < 0) return false;
    if (count != 1 && count != rule->dims && !(may_be_empty && count == 0))
        return raise_error(RuntimeError, "%s: %s %s, or a tuple of %s", rule->name, what, may,
                           count_words[rule->dims]);
    return window_numbers(call, slot, rule->dims, numbers);
}

// The parameters from `slot` on: kernel_size, stride, padding, and the dilation of max_pool.
static bool read_parameters(const OpCall *call, int slot, PoolRule *rule)
{
    window_fill(rule->dilation, 1);
    if (!read_numbers(call, slot, rule, "kernel_size", "must either be a single int", false,
                      rule->kernel))
        return false;
    memcpy(rule->stride, rule->kernel, sizeof rule->stride);
    return read_numbers(call, slot + 1, rule, "stride", "must either be omitted, a single int",
                        true, rule->stride) &&
           read_numbers(call, slot + 2, rule, "padding", "must either be a single int", false,
                        rule->padding) &&
           (rule->average || read_numbers(call, slot + 3, rule, "dilation",
                                          "must be either a single int", false, rule->dilation));
}

// ---- the size of the output in one dimension

static bool padding_fits(const PoolRule *rule, int i)
{
    long long padding = rule->padding[i], kernel = rule->kernel[i], dilation = rule->dilation[i];
    int64_t reach;
    bool far = __builtin_mul_overflow(kernel - 1, dilation, &reach) || // farther than any padding
               __builtin_add_overflow(reach, 1, &reach);
    if (rule->stride[i] == 0) return raise_error(RuntimeError, "stride should not be zero");
    if (padding < 0)
        return raise_error(RuntimeError, "pad must be non-negative, but got pad: %lld", padding);
    if (!far && padding > reach / 2)
        return raise_error(RuntimeError,
                           "pad should be at most half of effective kernel size, but got pad=%lld, "
                           "kernel_size=%lld and dilation=%lld",
                           padding, kernel, dilation);
    return true;
}

// In ceil mode a window may begin in the image or in its left padding, not after it.
static Dim without_last(Dim out, DimRef in, int64_t stride, int64_t padding)
{
    Dim last = dim_sub(out, dim_of(1)), begin = last ? dim_mul(last, dim_of(stride)) : VALUE_ERROR;
    Dim end = begin ? dim_plus(retain(in), padding) : VALUE_ERROR;
    bool inside, known = end && dim_less(begin, end, &inside);
    drop(begin);
    drop(end);
    Dim chosen = !known ? VALUE_ERROR : retain(inside ? (ValueRef)out : (ValueRef)last);
    drop(out);
    drop(last);
    return chosen;
}

// floor((in + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1: owned.
static Dim output_size(const PoolRule *rule, int i, DimRef in)
{
    int64_t stride = rule->stride[i], padding = rule->padding[i];
    Dim reach = dim_plus(dim_mul(dim_of(rule->kernel[i] - 1), dim_of(rule->dilation[i])), 1);
    Dim padded = dim_plus(dim_plus(retain(in), padding), padding);
    if (rule->ceil_mode) padded = dim_plus(padded, stride - 1);
    Dim room = reach && padded ? dim_sub(padded, reach) : VALUE_ERROR;
    Dim steps = room ? dim_floordiv(room, dim_of(stride)) : VALUE_ERROR;
    Dim out = dim_plus(steps, 1);
    drop(reach);
    drop(padded);
    drop(room);
    return out && rule->ceil_mode ? without_last(out, in, stride, padding) : out;
}

// ---- checks of the whole

// "dH: 1 dW: 2", with a third one in front where there are three dimensions.
static bool raise_not_positive(const PoolRule *rule, const char *what, const char *letter,
                               const int64_t *numbers)
{
    const long long t = numbers[0], h = numbers[1], w = numbers[2];
    if (rule->dims == 3)
        return raise_error(RuntimeError,
                           "%s should be greater than zero, but got %sT: %lld %sH: %lld %sW: %lld",
                           what, letter, t, letter, h, letter, w);
    return raise_error(RuntimeError, "%s should be greater than zero, but got %sH: %lld %sW: %lld",
                       what, letter, h, letter, w);
}

static bool are_positive(const PoolRule *rule, const int64_t *numbers)
{
    for (int i = WINDOW_DIMS - rule->dims; i < WINDOW_DIMS; i++)
        if (numbers[i] <= 0) return false;
    return true;
}

static bool windows_are_sound(const PoolRule *rule)
{
    if (!are_positive(rule, rule->kernel))
        return raise_not_positive(rule, "kernel size", "k", rule->kernel);
    if (!are_positive(rule, rule->stride))
        return raise_not_positive(rule, "stride", "d", rule->stride);
    return are_positive(rule, rule->dilation) ||
           raise_not_positive(rule, "dilation", "dilation", rule->dilation);
}

static bool raise_empty(const PoolRule *rule)
{
    const Tensor *input = rule->input;
    Value text = shape_text(input->ndim, tensor_sizes(input));
    if (!text) return false;
    if (rule->dims == 3)
        raise_error(RuntimeError,
                    "%s(): Expected input's non-batch dimensions to have positive length, but "
                    "input has a shape of %S and non-batch dimension 0 has length zero!",
                    rule->average ? "avg_pool3d" : "max_pool3d_with_indices_out_cpu_template",
                    (ValueRef)text);
    else
        raise_error(RuntimeError,
                    "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for "
                    "input, but got:%S",
                    (ValueRef)text);
    drop(text);
    return false;
}

// Every dimension but the batch has elements.
static bool input_is_sound(const PoolRule *rule)
{
    const Tensor *input = rule->input;
    int dims = rule->dims;
    bool many = input->ndim != dims + 1 && input->ndim != dims + 2;
    if (many && rule->average && dims == 2) {
        int64_t dim = -3;
        return input->ndim < 3 ? shape_wrap_dim(&dim, input->ndim) : raise_empty(rule);
    }
    if (many)
        return raise_error(RuntimeError,
                           "non-empty %dD or %dD (batch mode) tensor expected for input", dims + 1,
                           dims + 2);
    for (int i = 0; i <= dims; i++) {
        bool empty;
        if (!dim_is(size_from_end(input, dims - i), 0, &empty)) return false;
        if (empty) return raise_empty(rule);
    }
    return true;
}

static bool raise_too_small(const PoolRule *rule, const Shape *shape)
{
    const Tensor *input = rule->input;
    int dims = rule->dims, first = shape->ndim - dims;
    DimRef planes = size_from_end(input, dims);
    Value in = VALUE_ERROR, out = VALUE_ERROR;
    if (dims == 2) {
        in = format_text("%Sx%Sx%S", planes, size_from_end(input, 1), size_from_end(input, 0));
        out = format_text("%Sx%Sx%S", planes, (ValueRef)shape->size[first],
                          (ValueRef)shape->size[first + 1]);
    } else {
        in = format_text("%Sx%Sx%Sx%S", planes, size_from_end(input, 2), size_from_end(input, 1),
                         size_from_end(input, 0));
        out = format_text("%Sx%Sx%Sx%S", planes, (ValueRef)shape->size[first],
                          (ValueRef)shape->size[first + 1], (ValueRef)shape->size[first + 2]);
    }
    if (in && out)
        raise_error(
            RuntimeError,
            "Given input size: (%S). Calculated output size: (%S). Output size is too small",
            (ValueRef)in, (ValueRef)out);
    drop(in);
    drop(out);
    return false;
}

static bool output_is_sound(const PoolRule *rule, const Shape *shape)
{
    for (int i = shape->ndim - rule->dims; i < shape->ndim; i++) {
        bool less;
        if (!dim_less(shape->size[i], dim_of(1), &less)) return false;
        if (less) return raise_too_small(rule, shape);
    }
    return true;
}

// PyTorch averages no volume that is smaller than the window, however much is put around it.
static bool window_fits(const PoolRule *rule)
{
    const long long t = rule->kernel[0], h = rule->kernel[1], w = rule->kernel[2];
    bool less = false;
    if (!rule->average || rule->dims < 3) return true;
    for (int i = 0; !less && i < 3; i++)
        if (!dim_less(size_from_end(rule->input, 2 - i), dim_of(rule->kernel[i]), &less))
            return false;
    return !less || raise_error(RuntimeError,
                                "input image (T: %S H: %S W: %S) smaller than kernel size (kT: "
                                "%lld kH: %lld kW: %lld)",
                                size_from_end(rule->input, 2), size_from_end(rule->input, 1),
                                size_from_end(rule->input, 0), t, h, w);
}

// Fills in the sizes of the output.
static bool output_shape(const PoolRule *rule, Shape *shape)
{
    int dims = rule->dims, before = rule->input->ndim - dims;
    for (int i = WINDOW_DIMS - dims; i < WINDOW_DIMS; i++)
        if (!padding_fits(rule, i)) return false;
    if (!windows_are_sound(rule) || !input_is_sound(rule) || !window_fits(rule)) return false;
    shape_from_sizes(shape, before, tensor_sizes(rule->input));
    for (int i = 0; i < dims; i++) {
        DimRef in = tensor_sizes(rule->input)[before + i];
        Dim out = output_size(rule, WINDOW_DIMS - dims + i, in);
        if (!out) return false;
        shape->symbolic |= !is_small(out);
        shape->size[shape->ndim++] = out;
    }
    return output_is_sound(rule, shape);
}

static bool is_supported(const Tensor *tensor, bool integers, const char *kernel)
{
    Dtype dtype = tensor_dtype(tensor);
    if (dtype_is_floating(dtype) || (integers && dtype != DTYPE_bool)) return true;
    return raise_error(RuntimeError, "\"%s\" not implemented for '%s'", kernel,
                       dtype_table[dtype].scalar);
}

// ---- max_pool: (self, kernel_size, stride, padding, dilation, ceil_mode) -> values, indices

static bool max_pool(OpCall *call, int dims, const char *name)
{
    PoolRule rule = {.name = name, .dims = dims, .ceil_mode = call_bool(call, 5)};
    rule.input = call_tensor(call, 0);
    Shape *values = call_result(call, tensor_dtype(rule.input));
    if (!read_parameters(call, 1, &rule) || !output_shape(&rule, values) ||
        !is_supported(rule.input, true, name))
        return false;
    shape_copy(call_result(call, DTYPE_int64), &call->results[0].shape);
    return true;
}

bool rule_max_pool2d(OpCall *call)
{
    return max_pool(call, 2, "max_pool2d");
}

bool rule_max_pool3d(OpCall *call)
{
    return max_pool(call, 3, "max_pool3d");
}

// A gradient has the shape of the output; that of the input comes out.
static bool backward(OpCall *call, int input_slot, const Shape *output)
{
    const Tensor *grad = call_tensor(call, 0), *input = call_tensor(call, input_slot);
    if (grad->ndim != output->ndim)
        return raise_error(RuntimeError, "Expected a tensor of dimension %d but got: dimension %d",
                           output->ndim, grad->ndim);
    for (int i = 0; i < grad->ndim; i++) {
        bool equal;
        if (!dim_equal(tensor_sizes(grad)[i], output->size[i], &equal)) return false;
        if (!equal)
            return raise_error(RuntimeError,
                               "Expected a tensor of dimension %d and tensor.size[%d] == %S but "
                               "got: dimension %d and tensor.size[%d] = %S",
                               output->ndim, i, (ValueRef)output->size[i], grad->ndim, i,
                               (ValueRef)tensor_sizes(grad)[i]);
    }
    shape_from_sizes(call_result(call, tensor_dtype(input)), input->ndim, tensor_sizes(input));
    return true;
}

// (grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices)
static bool pool_backward(OpCall *call, PoolRule *rule, int ceil_slot)
{
    Shape output;
    shape_init(&output, 0);
    rule->ceil_mode = call_bool(call, ceil_slot);
    rule->input = call_tensor(call, 1);
    bool done =
        read_parameters(call, 2, rule) && output_shape(rule, &output) && backward(call, 1, &output);
    shape_drop(&output);
    return done;
}

// The indices are beside the gradient.
static bool indices_match(const OpCall *call, int slot)
{
    const Tensor *grad = call_tensor(call, 0), *indices = call_tensor(call, slot);
    bool equal = grad->ndim == indices->ndim;
    for (int i = 0; equal && i < grad->ndim; i++)
        if (!dim_equal(tensor_sizes(grad)[i], tensor_sizes(indices)[i], &equal)) return false;
    if (!equal) return raise_error(RuntimeError, "expected sizes of grad and indices to be equal");
    return tensor_dtype(indices) == DTYPE_int64 ||
           raise_error(RuntimeError, "expected scalar type Long but found %s",
                       dtype_table[tensor_dtype(indices)].scalar);
}

bool rule_max_pool2d_backward(OpCall *call)
{
    PoolRule rule = {.name = "max_pool2d", .dims = 2};
    return pool_backward(call, &rule, 6) && indices_match(call, 7);
}

bool rule_max_pool3d_backward(OpCall *call)
{
    PoolRule rule = {.name = "max_pool3d", .dims = 3};
    return pool_backward(call, &rule, 6) && indices_match(call, 7);
}

// ---- avg_pool

static bool divisor_is_sound(const OpCall *call, int slot)
{
    int64_t divisor = 1;
    if (call_has(call, slot) && !call_int(call, slot, &divisor)) return false;
    return divisor != 0 || raise_error(RuntimeError, "divisor must be not zero");
}

static bool average_dtype(const Tensor *input, const char *kernel)
{
    return tensor_dtype(input) == DTYPE_int64 || is_supported(input, false, kernel);
}

// (self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
static bool avg_pool(OpCall *call, int dims, const char *name, const char *kernel)
{
    PoolRule rule = {.name = name, .dims = dims, .average = true, .ceil_mode = call_bool(call, 4)};
    rule.input = call_tensor(call, 0);
    Shape *shape = call_result(call, tensor_dtype(rule.input));
    return read_parameters(call, 1, &rule) && divisor_is_sound(call, 6) &&
           output_shape(&rule, shape) && average_dtype(rule.input, kernel);
}

bool rule_avg_pool2d(OpCall *call)
{
    return avg_pool(call, 2, "avg_pool2d", "avg_pool2d");
}

bool rule_avg_pool3d(OpCall *call)
{
    return avg_pool(call, 3, "avg_pool3d", "avg_pool3d_out_frame");
}

bool rule_avg_pool2d_backward(OpCall *call)
{
    PoolRule rule = {.name = "avg_pool2d", .dims = 2, .average = true};
    return pool_backward(call, &rule, 5) && divisor_is_sound(call, 7);
}

bool rule_avg_pool3d_backward(OpCall *call)
{
    PoolRule rule = {.name = "avg_pool3d", .dims = 3, .average = true};
    return pool_backward(call, &rule, 5) && divisor_is_sound(call, 7);
}
