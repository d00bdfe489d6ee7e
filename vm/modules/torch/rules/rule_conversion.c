// Rules of copies and fills: they write into a tensor that exists.
#include "vm/modules/torch/rules/rules.h"

#include "objects/error.h"

// The first parameter is written: its shape is the result's, and op_call() has it already.
bool rule_mutate(OpCall *call)
{
    (void)call;
    return true;
}

bool rule_copy(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *src = call_tensor(call, 1);
    Shape shape;
    shape_from_sizes(&shape, self->ndim, tensor_sizes(self));
    bool fits = src->ndim <= self->ndim && shape_broadcast(&shape, src->ndim, tensor_sizes(src));
    for (int i = 0; fits && i < self->ndim; i++) {
        bool equal;
        if (!dim_equal(shape.size[i], tensor_sizes(self)[i], &equal)) return false;
        fits = equal;
    }
    shape_drop(&shape);
    if (fits || error_pending()) return fits;
    Value to = shape_text(self->ndim, tensor_sizes(self)),
          from = shape_text(src->ndim, tensor_sizes(src));
    if (to && from)
        raise_error(RuntimeError, "output with shape %S doesn't match the broadcast shape %S",
                    (ValueRef)to, (ValueRef)from);
    drop(to);
    drop(from);
    return false;
}

// Strides without gaps or overlaps stay; all others become row-major.
bool rule_clone(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    shape_from_sizes(call_result(call, tensor_dtype(self)), self->ndim, tensor_sizes(self));
    return true;
}
