// Rules of padding (ATen/native/PadNd.cpp, ReflectionPad.cpp, ReplicationPadding.cpp).
#include "objects/error.h"
#include "vm/modules/torch/rules/rules.h"

// size + before + after: owned.
static Dim padded(DimRef size, DimRef before, DimRef after)
{
    Dim first = dim_add(size, before), sum = first ? dim_add(first, after) : VALUE_ERROR;
    drop(first);
    return sum;
}

static bool raise_negative(const Tensor *self, int dim, DimRef before, DimRef after)
{
    return raise_error(RuntimeError,
                       "The input size %S, plus negative padding %S and %S resulted in a negative "
                       "output size, which is invalid. Check dimension %d of your input.",
                       tensor_sizes(self)[dim], before, after, dim);
}

// ---- constant_pad_nd: (self, pad, value)

// Nothing is added: PyTorch clones a part of the input.
static bool only_cuts(const Dim *pad, int count)
{
    for (int i = 0; i < count; i++)
        if (!is_small(pad[i]) || small_value(pad[i]) > 0) return false;
    return true;
}

static bool lay_out_part(Tensor *self, Shape *shape)
{
    Shape part;
    tensor_shape(self, &part);
    for (int i = 0; i < shape->ndim; i++) {
        drop(part.size[i]);
        part.size[i] = retain(shape->size[i]);
    }
    Value view = tensor_view(self, &part);
    shape_drop(&part);
    bool done = view && shape_as_cloned(as_tensor(view), shape);
    drop(view);
    return done;
}

// Is there as much as the negative ones cut off?
static bool can_cut(DimRef size, DimRef before, DimRef after)
{
    int64_t first = is_small(before) ? small_value(before) : 0;
    int64_t last = is_small(after) ? small_value(after) : 0;
    int64_t cut = (first < 0 ? -first : 0) + (last < 0 ? -last : 0);
    bool less = cut > SMALL_MAX;
    bool done = cut == 0 || less || dim_less(size, dim_of(cut), &less);
    if (less) return raise_error(RuntimeError, "narrow(): length must be non-negative.");
    return done;
}

// What is not cut only has elements in each dimension.
static bool pad_sizes(const Tensor *self, const Dim *pad, int count, Shape *shape)
{
    bool cuts = only_cuts(pad, count), empty = false;
    for (int i = 0; i < count / 2; i++)
        if (!can_cut(shape->size[self->ndim - 1 - i], pad[2 * i], pad[2 * i + 1])) return false;
    for (int i = 0; i < count / 2; i++) {
        int dim = self->ndim - 1 - i;
        Dim size = padded(shape->size[dim], pad[2 * i], pad[2 * i + 1]);
        if (!size) return false;
        replace_slot(&shape->size[dim], size);
        shape->symbolic |= !is_small(size);
        if (!cuts && !dim_less(size, dim_of(1), &empty)) return false;
        if (empty) return raise_negative(self, dim, pad[2 * i], pad[2 * i + 1]);
    }
    return true;
}

bool rule_constant_pad(OpCall *call)
{
    Tensor *self = call_tensor(call, 0);
    Dim pad[TENSOR_MAX_DIMS];
    int count = call_dims(call, 1, pad);
    if (count < 0) return false;
    if (count % 2)
        return raise_error(RuntimeError, "Length of pad must be even but instead it equals %d",
                           count);
    if (count > 2 * self->ndim)
        return raise_error(RuntimeError,
                           "Length of pad should be no more than twice the number of dimensions of "
                           "the input. Pad length is %dwhile the input has %ddimensions.",
                           count, self->ndim);
    Shape *shape = call_result(call, tensor_dtype(self));
    shape_from_sizes(shape, self->ndim, tensor_sizes(self));
    if (!pad_sizes(self, pad, count, shape)) return false;
    return !only_cuts(pad, count) || shape->symbolic || lay_out_part(self, shape);
}

// ---- reflection and replication: (self, padding); the operator's name says how many dimensions

// There are as many dimensions, perhaps one of batches, and only that one may be empty.
static bool input_is_sound(const Tensor *self, int dims)
{
    bool has_batch = self->ndim == dims + 2, wrong = self->ndim != dims + 1 && !has_batch;
    for (int i = has_batch; !wrong && i < self->ndim; i++)
        if (!dim_less(tensor_sizes(self)[i], dim_of(1), &wrong)) return false;
    if (!wrong) return true;
    Value text = shape_text(self->ndim, tensor_sizes(self));
    if (text)
        raise_error(RuntimeError,
                    "Expected %dD or %dD (batch mode) tensor with possibly 0 batch size and other "
                    "non-zero dimensions for input, but got: %S",
                    dims + 1, dims + 2, (ValueRef)text);
    drop(text);
    return false;
}

static bool raise_reflection(const Tensor *self, int dim, DimRef before, DimRef after)
{
    Value text = shape_text(self->ndim, tensor_sizes(self));
    if (text)
        raise_error(RuntimeError,
                    "Argument #%d: Padding size should be less than the corresponding input "
                    "dimension, but got: padding (%S, %S) at dimension %d of input %S",
                    4 + 2 * (self->ndim - 1 - dim), before, after, dim, (ValueRef)text);
    drop(text);
    return false;
}

// A reflection reaches into the input only: the padding is smaller than the size.
static bool reflection_fits(const Tensor *self, int dim, DimRef before, DimRef after)
{
    DimRef size = tensor_sizes(self)[dim];
    bool first, second;
    if (!dim_less(before, size, &first) || !dim_less(after, size, &second)) return false;
    return (first && second) || raise_reflection(self, dim, before, after);
}

// Fills in the shape of `self` with a padding around its last dimensions.
static bool edge_shape(OpCall *call, const Tensor *self, bool reflects, Shape *shape)
{
    Dim pad[TENSOR_MAX_DIMS];
    int count = call_dims(call, call->schema->count - 1, pad), dims = count / 2;
    if (count < 0) return false;
    if (count != 2 && count != 4 && count != 6)
        return raise_error(RuntimeError, "padding size is expected to be 2, 4 or 6, but got: %d",
                           count);
    if (!input_is_sound(self, dims)) return false;
    shape_from_sizes(shape, self->ndim, tensor_sizes(self));
    for (int i = 0; i < dims; i++) {
        int dim = self->ndim - 1 - i;
        bool empty;
        if (reflects && !reflection_fits(self, dim, pad[2 * i], pad[2 * i + 1])) return false;
        Dim size = padded(shape->size[dim], pad[2 * i], pad[2 * i + 1]);
        if (!size) return false;
        drop(shape->size[dim]);
        shape->size[dim] = size;
        shape->symbolic |= !is_small(size);
        if (!dim_less(size, dim_of(1), &empty)) return false;
        if (empty)
            return raise_error(RuntimeError,
                               "input (%S) is too small for the padding: the output "
                               "would have the size %S",
                               tensor_sizes(self)[dim], (ValueRef)size);
    }
    return true;
}

bool rule_reflection_pad(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    return edge_shape(call, self, true, call_result(call, tensor_dtype(self)));
}

bool rule_replication_pad(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    return edge_shape(call, self, false, call_result(call, tensor_dtype(self)));
}

// (grad_output, self, padding)
static bool edge_backward(OpCall *call, bool reflects)
{
    const Tensor *grad = call_tensor(call, 0), *self = call_tensor(call, 1);
    Shape output;
    shape_init(&output, 0);
    bool done = edge_shape(call, self, reflects, &output), equal = grad->ndim == output.ndim;
    for (int i = 0; done && equal && i < grad->ndim; i++)
        done = dim_equal(tensor_sizes(grad)[i], output.size[i], &equal);
    shape_drop(&output);
    if (!done) return false;
    if (!equal || !dtype_is_inexact(tensor_dtype(self)))
        return raise_error(RuntimeError, "grad_output must be floating and of the output's shape");
    shape_from_sizes(call_result(call, tensor_dtype(self)), self->ndim, tensor_sizes(self));
    return true;
}

bool rule_reflection_pad_backward(OpCall *call)
{
    return edge_backward(call, true);
}

bool rule_replication_pad_backward(OpCall *call)
{
    return edge_backward(call, false);
}
