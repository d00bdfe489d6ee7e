// Convolution rows: arguments into a Conv (conv.h), in all directions.
//
// A transposed convolution is the gradient of the image of another convolution: its input is that
// one's output. So `convolution`, its two gradients and their transposed forms are three functions.
#include "vm/modules/torch/kernels/conv.h"

#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/call/windows.h"

// The three tensors, named as in Conv. For a transposed convolution `image` is what it puts out.
typedef struct ConvShapes {
    const Tensor *image, *weight, *output;
} ConvShapes;

// The parameters from `slot` on: stride, padding, dilation, transposed, output_padding, groups.
static bool read_conv(const OpCall *call, int slot, const ConvShapes *shapes, Conv *conv)
{
    int dims = shapes->weight->ndim - 2;
    conv->dtype = dtype_computed(tensor_dtype(shapes->weight));
    conv->images = tensor_size(shapes->image, 0);
    conv->channels_in = tensor_size(shapes->image, 1);
    conv->channels_out = tensor_size(shapes->output, 1);
    window_sizes(shapes->image, dims, conv->size_in);
    window_sizes(shapes->weight, dims, conv->kernel);
    window_sizes(shapes->output, dims, conv->size_out);
    window_fill(conv->stride, 1);
    window_fill(conv->padding, 0);
    window_fill(conv->dilation, 1);
    return window_numbers(call, slot, dims, conv->stride) &&
           window_numbers(call, slot + 1, dims, conv->padding) &&
           window_numbers(call, slot + 2, dims, conv->dilation) &&
           call_int(call, slot + 5, &conv->groups);
}

typedef bool (*ConvFunction)(const Conv *conv, const void *a, const void *b, void *to,
                             bool accumulate);

// Runs a function with two tensors as operands, into rows.
static bool with_operands(ConvFunction function, const Conv *conv, Tensor *a, Tensor *b, Rows *to,
                          bool accumulate)
{
    Rows first, second;
    if (!rows_read(&first, a, ROWS_AS_IS, conv->dtype)) return false;
    if (!rows_read(&second, b, ROWS_AS_IS, conv->dtype)) return rows_drop(&first);
    bool done = function(conv, first.data, second.data, to->data, accumulate);
    rows_drop(&first);
    rows_drop(&second);
    return done;
}

static bool weight_gradient(const Conv *conv, const void *output, const void *image, void *weight,
                            bool accumulate)
{
    (void)accumulate;
    return KERNEL(conv_weight_gradient)(conv, output, image, weight);
}

// ---- the convolution: (input, weight, bias, stride, padding, dilation, transposed,
//      output_padding, groups)

// Every point of the result begins with the bias of its channel.
static bool begin_with_bias(Tensor *result, const Tensor *bias)
{
    Shape shape;
    tensor_shape(bias, &shape);
    int ndim = result->ndim;
    shape.size[1] = shape.size[0];
    shape.stride[1] = shape.stride[0];
    for (int i = 0; i < ndim; i++) {
        if (i == 1) continue;
        shape.size[i] = dim_of(1);
        shape.stride[i] = dim_of(0);
    }
    shape.ndim = ndim;
    Value view = tensor_view((Tensor *)(uintptr_t)bias, &shape);
    bool done = view && iterate_copy(result, as_tensor(view));
    drop(view);
    return done;
}

bool KERNEL(kernel_convolution)(OpCall *call)
{
    Tensor *input = call_tensor(call, 0), *weight = call_tensor(call, 1);
    Tensor *bias = call_optional(call, 2), *result = call->results[0].tensor;
    bool transposed = call_bool(call, 6);
    ConvShapes shapes = {transposed ? result : input, weight, transposed ? input : result};
    Conv conv;
    Rows to;
    if (!read_conv(call, 3, &shapes, &conv) || !rows_write(&to, result, ROWS_AS_IS, conv.dtype))
        return false;
    bool done = (!bias || begin_with_bias(to.tensor, bias)) &&
                with_operands(transposed ? KERNEL(conv_image_gradient) : KERNEL(conv_forward),
                              &conv, input, weight, &to, bias != NULL);
    return done ? rows_store(&to) : rows_drop(&to);
}

// ---- gradients: (grad_output, input, weight, stride, padding, dilation, transposed,
//      output_padding, groups)

static bool read_gradient(OpCall *call, Conv *conv, Rows *to)
{
    const Tensor *grad = call_tensor(call, 0), *input = call_tensor(call, 1);
    bool transposed = call_bool(call, 6);
    ConvShapes shapes = {transposed ? grad : input, call_tensor(call, 2),
                         transposed ? input : grad};
    return read_conv(call, 3, &shapes, conv) &&
           rows_write(to, call->results[0].tensor, ROWS_AS_IS, conv->dtype);
}

bool KERNEL(kernel_convolution_input_backward)(OpCall *call)
{
    Conv conv;
    Rows to;
    if (!read_gradient(call, &conv, &to)) return false;
    bool done =
        with_operands(call_bool(call, 6) ? KERNEL(conv_forward) : KERNEL(conv_image_gradient),
                      &conv, call_tensor(call, 0), call_tensor(call, 2), &to, false);
    return done ? rows_store(&to) : rows_drop(&to);
}

bool KERNEL(kernel_convolution_weight_backward)(OpCall *call)
{
    bool transposed = call_bool(call, 6);
    Tensor *grad = call_tensor(call, 0), *input = call_tensor(call, 1);
    Conv conv;
    Rows to;
    if (!read_gradient(call, &conv, &to)) return false;
    bool done = with_operands(weight_gradient, &conv, transposed ? input : grad,
                              transposed ? grad : input, &to, false);
    return done ? rows_store(&to) : rows_drop(&to);
}
