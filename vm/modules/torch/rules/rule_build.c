// Building shapes.
#include "vm/modules/torch/rules/rule_build.h"

#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"

void view_begin(Shape *shape, const Tensor *self)
{
    invariant(shape->ndim == 0, "a view begins without dimensions");
    shape->strided = true;
    replace_slot(&shape->offset, retain(self->offset));
    if (!is_small(shape->offset)) shape->symbolic = true;
}

static bool append(Shape *shape, Dim size, Dim stride)
{
    if (size && stride && shape->ndim < TENSOR_MAX_DIMS) {
        shape->size[shape->ndim] = size;
        shape->stride[shape->ndim] = stride;
        shape->ndim++;
        if (!are_small(size, stride)) shape->symbolic = true;
        return true;
    }
    if (size && stride)
        raise_error(RuntimeError, "tensors have at most %d dimensions", TENSOR_MAX_DIMS);
    drop(size);
    drop(stride);
    return false;
}

bool shape_append(Shape *shape, Dim size, Dim stride)
{
    invariant(shape->strided, "the strides of a view are given");
    return append(shape, size, stride);
}

bool shape_append_size(Shape *shape, Dim size)
{
    invariant(!shape->strided, "a new tensor is contiguous");
    return append(shape, size, from_small(0));
}

bool shape_append_dims(Shape *shape, const Tensor *self, int from, int to)
{
    for (int i = from; i < to; i++)
        if (!append(shape, retain(tensor_sizes(self)[i]), retain(tensor_strides(self)[i])))
            return false;
    return true;
}

bool view_move(Shape *shape, Dim distance)
{
    Dim offset = distance ? dim_add(shape->offset, distance) : VALUE_ERROR;
    drop(distance);
    if (!offset) return false;
    replace_slot(&shape->offset, offset);
    if (!is_small(offset)) shape->symbolic = true;
    return true;
}

// ---- Dims

Dim dims_product(int ndim, const Dim *sizes)
{
    Dim product = from_small(1);
    for (int i = 0; product && i < ndim; i++) replace_slot(&product, dim_mul(product, sizes[i]));
    return product;
}

Dim dim_ceil_divide(DimRef size, int64_t step)
{
    if (is_small(size)) {
        int64_t number = small_value(size);
        return from_small(number / step + (number % step > 0));
    }
    Dim more = dim_add(size, from_small(step - 1));
    Dim quotient = more ? dim_floordiv(more, from_small(step)) : VALUE_ERROR;
    drop(more);
    return quotient;
}

Dim tensor_numel_dim(const Tensor *tensor)
{
    if (tensor->numel >= 0) return from_small(tensor->numel);
    return dims_product(tensor->ndim, tensor_sizes(tensor));
}

Dim call_dim_value(const OpCall *call, int index)
{
    return retain(call->slots[index]);
}

// ---- messages

bool raise_about(Type *type, const char *format, Value text)
{
    if (text) raise_error(type, format, (ValueRef)text);
    drop(text);
    return false;
}

bool raise_about_sizes(Type *type, const char *format, int ndim, const Dim *sizes)
{
    return raise_about(type, format, shape_text(ndim, sizes));
}

bool raise_about_two(Type *type, const char *format, Value first, Value second)
{
    if (first && second) raise_error(type, format, (ValueRef)first, (ValueRef)second);
    drop(first);
    drop(second);
    return false;
}

bool is_number(const Tensor *tensor, const char *kernel)
{
    return tensor_dtype(tensor) != DTYPE_bool || tensor_is(tensor, TENSOR_FAKE) ||
           raise_error(RuntimeError, "\"%s\" not implemented for 'Bool'", kernel);
}
