// Rules of views: sizes, strides and an offset over the storage of the first parameter.
#include "vm/modules/torch/rules/rules.h"

static void exchange(Dim *dims, int64_t a, int64_t b)
{
    Dim kept = dims[a];
    dims[a] = dims[b];
    dims[b] = kept;
}

bool rule_transpose(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t first, second;
    if (!call_dim(call, 1, self->ndim, &first) || !call_dim(call, 2, self->ndim, &second))
        return false;
    Shape *shape = call_result(call, tensor_dtype(self));
    tensor_shape(self, shape);
    if (shape->ndim == 0) return true;
    exchange(shape->size, first, second);
    exchange(shape->stride, first, second);
    return true;
}
