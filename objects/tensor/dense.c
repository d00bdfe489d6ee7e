// Tensors as plain arrays.
#include "objects/tensor/dense.h"

#include "objects/tensor/element.h"
#include "objects/tensor/iterate.h"

Value tensor_dense(Tensor *tensor, Dtype dtype)
{
    if (tensor_dtype(tensor) == dtype && tensor_is(tensor, TENSOR_CONTIGUOUS))
        return retain(ref_of(tensor));
    Value made = tensor_new(dtype, tensor->ndim, tensor_sizes(tensor));
    if (!made || iterate_copy(as_tensor(made), tensor)) return made;
    drop(made);
    return VALUE_ERROR;
}

Value tensor_last(Tensor *tensor, uint64_t last)
{
    Shape shape;
    shape_init(&shape, tensor->ndim);
    shape.strided = true;
    shape.offset = tensor->offset;
    int at = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < tensor->ndim; i++) {
            if ((int)(last >> i & 1) != pass) continue;
            shape.size[at] = tensor_sizes(tensor)[i];
            shape.stride[at++] = tensor_strides(tensor)[i];
        }
    return tensor_view(tensor, &shape);
}

Value tensor_dense_last(Tensor *tensor, Dtype dtype, uint64_t last)
{
    Value view = tensor_last(tensor, last);
    Value made = view ? tensor_dense(as_tensor(view), dtype) : VALUE_ERROR;
    drop(view);
    return made;
}

Value tensor_part(Tensor *tensor, int dim, int64_t start, int64_t length)
{
    Shape shape;
    tensor_shape(tensor, &shape);
    invariant(start >= 0 && length >= 0 && start + length <= tensor_size(tensor, dim),
              "a part is in the tensor");
    shape.size[dim] = from_small(length);
    shape.offset = from_small(small_value(shape.offset) + start * tensor_stride(tensor, dim));
    return tensor_view(tensor, &shape);
}

Value tensor_of_number(Dtype dtype, ValueRef number)
{
    Value made = tensor_new(dtype, 0, NULL);
    if (!made || element_store_fitting(dtype, number, tensor_elements(made))) return made;
    drop(made);
    return VALUE_ERROR;
}
