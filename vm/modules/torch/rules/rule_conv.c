// Rules of convolutions: sizes of the output, and PyTorch's checks (ATen/native/Convolution.cpp).
//
// The parameters of all rows here are those of `convolution`:
//
//     (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
//
// The rows conv1d ... of torch/_decomp/nn.mpy have filled in the numbers of dimensions.
#include "objects/error.h"
#include "vm/modules/torch/call/memory_format.h"
#include "vm/modules/torch/call/windows.h"
#include "vm/modules/torch/rules/rules.h"

typedef struct ConvRule {
    const Tensor *input, *weight, *bias; // bias: NULL = none
    int dims;
    bool transposed;
    int64_t groups;
    int64_t stride[WINDOW_DIMS], padding[WINDOW_DIMS], dilation[WINDOW_DIMS];
    int64_t output_padding[WINDOW_DIMS];
} ConvRule;

static DimRef size_at(const Tensor *tensor, int dim)
{
    return tensor_sizes(tensor)[dim];
}

// ---- parameters

static bool raise_list(const OpCall *call, int slot, int dims, const char *what, const char *mean)
{
    Dim given[TENSOR_MAX_DIMS];
    int count = call_dims(call, slot, given);
    Value text = count < 0 ? VALUE_ERROR : shape_text(count, given);
    if (text)
        raise_error(RuntimeError,
                    "expected %s to be a single integer value or a list of %d values to match the "
                    "convolution dimensions, but got %s=%S",
                    what, dims, mean, (ValueRef)text);
    drop(text);
    return false;
}

static bool read_list(const OpCall *call, int slot, int dims, const char *what, int64_t *numbers)
{
    Dim given[TENSOR_MAX_DIMS];
    int count = call_dims(call, slot, given);
    if (count < 0) return false;
    if (count != 1 && count != dims) return raise_list(call, slot, dims, what, what);
    return window_numbers(call, slot, dims, numbers);
}

static bool read_parameters(const OpCall *call, int slot, ConvRule *rule)
{
    int dims = rule->dims;
    rule->transposed = call_bool(call, slot + 3);
    window_fill(rule->stride, 1);
    window_fill(rule->padding, 0);
    window_fill(rule->dilation, 1);
    window_fill(rule->output_padding, 0);
    return read_list(call, slot, dims, "stride", rule->stride) &&
           read_list(call, slot + 1, dims, "padding", rule->padding) &&
           read_list(call, slot + 2, dims, "dilation", rule->dilation) &&
           read_list(call, slot + 4, dims, "output_padding", rule->output_padding) &&
           call_int(call, slot + 5, &rule->groups);
}

static bool any_below(const int64_t *numbers, int64_t least)
{
    for (int i = 0; i < WINDOW_DIMS; i++)
        if (numbers[i] < least) return true;
    return false;
}

static bool raise_dilation(const ConvRule *rule)
{
    Dim dims[WINDOW_DIMS];
    for (int i = 0; i < rule->dims; i++)
        dims[i] = dim_of(rule->dilation[WINDOW_DIMS - rule->dims + i]);
    Value text = shape_text(rule->dims, dims);
    if (text)
        raise_error(RuntimeError, "dilation should be greater than zero, but got %S",
                    (ValueRef)text);
    drop(text);
    return false;
}

static bool numbers_are_sound(const ConvRule *rule)
{
    if (any_below(rule->padding, 0))
        return raise_error(RuntimeError, "negative padding is not supported");
    if (any_below(rule->output_padding, 0))
        return raise_error(RuntimeError, "negative output_padding is not supported");
    if (any_below(rule->stride, 1))
        return raise_error(RuntimeError, "non-positive stride is not supported");
    if (any_below(rule->dilation, 1)) return raise_dilation(rule);
    return rule->groups > 0 || raise_error(RuntimeError, "non-positive groups is not supported");
}

// ---- channels

// Raises with the sizes of the weight and of another tensor in the message.
static bool raise_sizes(const char *format, const ConvRule *rule, const Tensor *other,
                        DimRef expected, DimRef found)
{
    Value weight = shape_text(rule->weight->ndim, tensor_sizes(rule->weight));
    Value sizes = weight ? shape_text(other->ndim, tensor_sizes(other)) : VALUE_ERROR;
    if (sizes)
        raise_error(RuntimeError, format, rule->transposed ? "transposed" : "groups",
                    rule->transposed ? 1 : (int)rule->groups, (ValueRef)weight, (ValueRef)sizes,
                    expected, found, found);
    drop(weight);
    drop(sizes);
    return false;
}

// Compares a size, times the groups, with the channels that a tensor has. *channels is owned.
static bool channels_of_weight(const ConvRule *rule, bool input, Dim *channels)
{
    bool by_groups = input != rule->transposed; // this dimension counts the channels of one group
    DimRef size = size_at(rule->weight, by_groups ? 1 : 0);
    *channels = by_groups ? dim_mul(size, dim_of(rule->groups)) : retain(size);
    return *channels != VALUE_ERROR;
}

static bool input_channels_match(const ConvRule *rule)
{
    Dim expected;
    bool equal;
    if (!channels_of_weight(rule, true, &expected)) return false;
    DimRef found = size_at(rule->input, 1);
    bool done = dim_equal(expected, found, &equal);
    if (done && !equal)
        done = raise_sizes("Given %s=%d, weight of size %S, expected input%S to have %S channels, "
                           "but got %S channels instead",
                           rule, rule->input, expected, found);
    drop(expected);
    return done;
}

static bool raise_bias(const ConvRule *rule, DimRef expected)
{
    Value weight = shape_text(rule->weight->ndim, tensor_sizes(rule->weight));
    Value bias = weight ? shape_text(rule->bias->ndim, tensor_sizes(rule->bias)) : VALUE_ERROR;
    if (bias)
        raise_error(
            RuntimeError,
            "Given %sweight of size %S, expected bias to be 1-dimensional with %S elements, "
            "but got bias of size %S instead",
            rule->transposed ? "transposed=1, " : "", (ValueRef)weight, expected, (ValueRef)bias);
    drop(weight);
    drop(bias);
    return false;
}

static bool bias_matches(const ConvRule *rule)
{
    Dim expected;
    bool equal = false;
    if (!rule->bias) return true;
    if (!channels_of_weight(rule, false, &expected)) return false;
    bool done = rule->bias->ndim != 1 || dim_equal(expected, size_at(rule->bias, 0), &equal);
    if (done && !equal) done = raise_bias(rule, expected);
    drop(expected);
    return done;
}

static bool raise_weight(const ConvRule *rule, const char *format)
{
    Value weight = shape_text(rule->weight->ndim, tensor_sizes(rule->weight));
    if (weight)
        raise_error(RuntimeError, format, (long long)rule->groups, (long long)rule->groups,
                    (ValueRef)weight);
    drop(weight);
    return false;
}

// The first dimension of the weight can be divided by the groups, and is not empty.
static bool weight_is_sound(const ConvRule *rule)
{
    bool less = rule->groups > SMALL_MAX, equal;
    DimRef first = size_at(rule->weight, 0);
    if (!less && !dim_less(first, dim_of(rule->groups), &less)) return false;
    if (less)
        return raise_weight(rule, "Given groups=%lld, expected weight to be at least %lld at "
                                  "dimension 0, but got weight of size %S instead");
    Dim part = dim_floordiv(first, dim_of(rule->groups));
    Dim whole = part ? dim_mul(part, dim_of(rule->groups)) : VALUE_ERROR;
    bool done = whole && dim_equal(whole, first, &equal);
    drop(part);
    drop(whole);
    if (!done || equal) return done;
    return raise_weight(rule, "Given groups=%lld, expected weight to be divisible by %lld at "
                              "dimension 0, but got weight of size [%S] instead");
}

static bool dtypes_match(const ConvRule *rule)
{
    Dtype dtype = tensor_dtype(rule->input);
    if (tensor_dtype(rule->weight) != dtype)
        return raise_error(RuntimeError, "expected scalar type %s but found %s",
                           dtype_table[dtype].scalar,
                           dtype_table[tensor_dtype(rule->weight)].scalar);
    if (rule->bias && tensor_dtype(rule->bias) != dtype)
        return raise_error(RuntimeError, "Input type (%s) and bias type (%s) should be the same",
                           dtype_table[dtype].short_name,
                           dtype_table[tensor_dtype(rule->bias)].short_name);
    return dtype != DTYPE_bool ||
           raise_error(RuntimeError, "\"slow_conv2d_cpu\" not implemented for 'Bool'");
}

// ---- sizes: owned Dims

// floor((in + 2 * padding - reach) / stride) + 1, where reach = dilation * (kernel - 1) + 1.
static Dim reach_of(const ConvRule *rule, int i)
{
    int at = WINDOW_DIMS - rule->dims + i;
    Dim steps = dim_sub(size_at(rule->weight, 2 + i), dim_of(1));
    Dim length = steps ? dim_mul(steps, dim_of(rule->dilation[at])) : VALUE_ERROR;
    drop(steps);
    return dim_plus(length, 1);
}

static Dim padded_size(const ConvRule *rule, int i)
{
    int64_t padding = rule->padding[WINDOW_DIMS - rule->dims + i];
    return dim_plus(dim_plus(retain(size_at(rule->input, 2 + i)), padding), padding);
}

static Dim forward_size(const ConvRule *rule, int i)
{
    int at = WINDOW_DIMS - rule->dims + i;
    Dim reach = reach_of(rule, i), padded = reach ? padded_size(rule, i) : VALUE_ERROR;
    Dim room = padded ? dim_sub(padded, reach) : VALUE_ERROR;
    Dim steps = room ? dim_floordiv(room, dim_of(rule->stride[at])) : VALUE_ERROR;
    drop(reach);
    drop(padded);
    drop(room);
    return dim_plus(steps, 1);
}

// (in - 1) * stride - 2 * padding + reach + output_padding.
static Dim transposed_size(const ConvRule *rule, int i)
{
    int at = WINDOW_DIMS - rule->dims + i;
    Dim last = dim_sub(size_at(rule->input, 2 + i), dim_of(1));
    Dim begin = last ? dim_mul(last, dim_of(rule->stride[at])) : VALUE_ERROR;
    Dim reach = begin ? reach_of(rule, i) : VALUE_ERROR;
    Dim end = reach ? dim_add(begin, reach) : VALUE_ERROR;
    drop(last);
    drop(begin);
    drop(reach);
    end = dim_plus(dim_plus(end, -rule->padding[at]), -rule->padding[at]);
    return dim_plus(end, rule->output_padding[at]);
}

// "8 x 8": sizes joined, made by a function for each dimension; owned.
static Value joined(const ConvRule *rule, Dim (*size)(const ConvRule *rule, int i))
{
    Value text = VALUE_ERROR;
    for (int i = 0; i < rule->dims; i++) {
        Dim number = size(rule, i);
        Value longer = VALUE_ERROR;
        if (number)
            longer = text ? format_text("%S x %S", (ValueRef)text, (ValueRef)number)
                          : format_text("%S", (ValueRef)number);
        drop(number);
        drop(text);
        if (!longer) return VALUE_ERROR;
        text = longer;
    }
    return text;
}

static Dim input_size(const ConvRule *rule, int i)
{
    return retain(size_at(rule->input, 2 + i));
}

static bool raise_two(const char *format, const ConvRule *rule,
                      Dim (*first)(const ConvRule *rule, int i),
                      Dim (*second)(const ConvRule *rule, int i))
{
    Value one = joined(rule, first), other = one ? joined(rule, second) : VALUE_ERROR;
    if (other) raise_error(RuntimeError, format, (ValueRef)one, (ValueRef)other);
    drop(one);
    drop(other);
    return false;
}

// The kernel, dilation included, is not larger than the padded input.
static bool kernel_fits(const ConvRule *rule)
{
    for (int i = 0; i < rule->dims; i++) {
        bool less, known;
        Dim reach = reach_of(rule, i), padded = reach ? padded_size(rule, i) : VALUE_ERROR;
        known = padded && dim_less(padded, reach, &less);
        drop(reach);
        drop(padded);
        if (!known) return false;
        if (less)
            return raise_two("Calculated padded input size per channel: (%S). Kernel size: (%S). "
                             "Kernel size can't be greater than actual input size",
                             rule, padded_size, reach_of);
    }
    return true;
}

static bool kernel_is_not_empty(const ConvRule *rule)
{
    for (int i = 0; i < rule->dims; i++) {
        bool less;
        if (!dim_less(size_at(rule->weight, 2 + i), dim_of(1), &less)) return false;
        if (less)
            return raise_error(RuntimeError,
                               "kernel size should be greater than zero, but got "
                               "kernel_height: %S kernel_width: %S",
                               size_at(rule->weight, rule->weight->ndim - (rule->dims > 1 ? 2 : 1)),
                               size_at(rule->weight, rule->weight->ndim - 1));
    }
    return true;
}

static bool raise_output_padding(const ConvRule *rule)
{
    const int64_t *more = rule->output_padding, *stride = rule->stride, *dilation = rule->dilation;
    return raise_error(RuntimeError,
                       "output padding must be smaller than either stride or dilation, but got "
                       "output_padding_height: %lld output_padding_width: %lld stride_height: %lld "
                       "stride_width: %lld dilation_height: %lld dilation_width: %lld",
                       (long long)more[1], (long long)more[2], (long long)stride[1],
                       (long long)stride[2], (long long)dilation[1], (long long)dilation[2]);
}

static bool transposed_is_sound(const ConvRule *rule, const Shape *shape)
{
    for (int i = 0; i < WINDOW_DIMS; i++)
        if (rule->output_padding[i] >= rule->stride[i] &&
            rule->output_padding[i] >= rule->dilation[i])
            return raise_output_padding(rule);
    for (int i = 2; i < shape->ndim; i++) {
        bool less;
        if (!dim_less(shape->size[i], dim_of(1), &less)) return false;
        if (less)
            return raise_two("Given input size per channel: (%S). Calculated output size per "
                             "channel: (%S). Output size is too small",
                             rule, input_size, transposed_size);
    }
    return true;
}

// Checks everything and fills in the shape of the output: images, channels, sizes.
static bool output_shape(const ConvRule *rule, Shape *shape)
{
    if (!numbers_are_sound(rule) || !weight_is_sound(rule) || !input_channels_match(rule) ||
        !bias_matches(rule) || (!rule->transposed && !kernel_fits(rule)) ||
        !kernel_is_not_empty(rule))
        return false;
    shape_from_sizes(shape, 1, tensor_sizes(rule->input));
    for (int i = -1; i < rule->dims; i++) {
        Dim size = VALUE_ERROR;
        if (i < 0)
            channels_of_weight(rule, false, &size);
        else
            size = rule->transposed ? transposed_size(rule, i) : forward_size(rule, i);
        if (!size) return false;
        shape->symbolic |= !is_small(size);
        shape->size[shape->ndim++] = size;
    }
    return !rule->transposed || transposed_is_sound(rule, shape);
}

static bool raise_dims(const ConvRule *rule)
{
    Value weight = shape_text(rule->weight->ndim, tensor_sizes(rule->weight));
    Value input = weight ? shape_text(rule->input->ndim, tensor_sizes(rule->input)) : VALUE_ERROR;
    if (input)
        raise_error(RuntimeError,
                    "Expected %d-dimensional input for %d-dimensional weight %S, but got "
                    "%d-dimensional input of size %S instead",
                    rule->weight->ndim, rule->weight->ndim, (ValueRef)weight, rule->input->ndim,
                    (ValueRef)input);
    drop(weight);
    drop(input);
    return false;
}

static bool has_window(const ConvRule *rule)
{
    if (rule->dims < 1)
        return raise_error(RuntimeError, "weight should have at least three dimensions");
    return rule->dims <= WINDOW_DIMS || raise_dims(rule);
}

static bool has_dims(const ConvRule *rule)
{
    return rule->input->ndim == rule->weight->ndim || raise_dims(rule);
}

// The result is channels last if the input or the weight is.
static bool either_follows(OpCall *call, const ValueRef *input)
{
    return memory_format_follow(call, input, 1) && memory_format_follow(call, input + 1, 1);
}

bool rule_convolution(OpCall *call)
{
    ConvRule rule = {.input = call_tensor(call, 0),
                     .weight = call_tensor(call, 1),
                     .bias = call_optional(call, 2),
                     .dims = call_tensor(call, 1)->ndim - 2};
    Shape *shape = call_result(call, tensor_dtype(rule.input));
    return has_window(&rule) && read_parameters(call, 3, &rule) && has_dims(&rule) &&
           output_shape(&rule, shape) && dtypes_match(&rule) && either_follows(call, call->slots);
}

// ---- gradients: (grad_output, input, weight, stride, padding, dilation, transposed,
//      output_padding, groups)

// Is grad_output of the shape of the output?
static bool gradient_matches(const Tensor *grad, const ConvRule *rule)
{
    Shape output;
    bool equal = true, done = true;
    shape_init(&output, 0);
    if (!output_shape(rule, &output) || !dtypes_match(rule)) {
        shape_drop(&output);
        return false;
    }
    equal = grad->ndim == output.ndim && tensor_dtype(grad) == tensor_dtype(rule->input);
    for (int i = 0; done && equal && i < grad->ndim; i++)
        done = dim_equal(tensor_sizes(grad)[i], output.size[i], &equal);
    shape_drop(&output);
    return done && (equal || raise_error(RuntimeError, "convolution_backward(): grad_output has "
                                                       "not the shape and dtype of the output"));
}

static bool gradient(OpCall *call, int like)
{
    ConvRule rule = {.input = call_tensor(call, 1),
                     .weight = call_tensor(call, 2),
                     .dims = call_tensor(call, 2)->ndim - 2};
    const Tensor *result = call_tensor(call, like);
    if (!has_dims(&rule) || !read_parameters(call, 3, &rule) ||
        !gradient_matches(call_tensor(call, 0), &rule))
        return false;
    shape_from_sizes(call_result(call, tensor_dtype(result)), result->ndim, tensor_sizes(result));
    return either_follows(call, call->slots + 1);
}

bool rule_convolution_input_backward(OpCall *call)
{
    return gradient(call, 1);
}

bool rule_convolution_weight_backward(OpCall *call)
{
    return gradient(call, 2);
}
