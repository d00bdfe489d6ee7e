// Rules of copies, fills, conversions and where().
#include "vm/modules/torch/rules/rules.h"

#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/int.h"
#include "objects/tensor/dense.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/call/memory_format.h"
#include "vm/modules/torch/call/promote.h"
#include "vm/modules/torch/call/torch_objects.h"

// ---- written in place

// The first parameter is written: its shape is the result's, and op_call() has it already.
bool rule_mutate(OpCall *call)
{
    (void)call;
    return true;
}

// A tensor without data gets its shape here, as no kernel runs.
// A tensor that has the size already is returned as it is: that is no write.
bool rule_resize(OpCall *call)
{
    Dim sizes[TENSOR_MAX_DIMS];
    Tensor *self = call_tensor(call, 0);
    if (tensor_is(self, TENSOR_REQUIRES_GRAD))
        return raise_error(RuntimeError, "cannot resize variables that require grad");
    int ndim = call_dims(call, 1, sizes);
    for (int i = 0; i < ndim; i++)
        if (is_small(sizes[i]) && small_value(sizes[i]) < 0)
            return raise_error(RuntimeError, "Trying to create tensor with negative dimension %S",
                               (ValueRef)sizes[i]);
    if (ndim < 0) return false;
    if (!call_has(call, 2) && ndim == self->ndim &&
        !memcmp(sizes, tensor_sizes(self), (size_t)ndim * sizeof *sizes)) {
        call->value = retain(call->slots[0]);
        return true;
    }
    return !call->fake || (tensor_resize(self, ndim, sizes) && memory_format_restride(call));
}

bool rule_fill_tensor(OpCall *call)
{
    const Tensor *value = call_tensor(call, 1);
    return value->ndim == 0 ||
           raise_error(
               RuntimeError,
               "fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.",
               value->ndim);
}

// The dtype of a tensor that stands for a number.
static Dtype number_dtype(ValueRef number)
{
    return is_bool(number)         ? DTYPE_bool
           : int_check(number)     ? DTYPE_int64
           : complex_check(number) ? DTYPE_complex128
                                   : DTYPE_float64;
}

bool rule_copy(OpCall *call)
{
    ValueRef other = call->slots[1];
    if (!tensor_check(other) && !call_hold(call, 1, tensor_of_number(number_dtype(other), other)))
        return false;
    const Tensor *self = call_tensor(call, 0), *src = call_tensor(call, 1);
    Shape shape;
    shape_from_sizes(&shape, self->ndim, tensor_sizes(self));
    bool done =
        shape_broadcast(&shape, src->ndim, tensor_sizes(src)) && call_check_inplace(self, &shape);
    shape_drop(&shape);
    return done;
}

// ---- copies

bool rule_clone(OpCall *call)
{
    call->promoted = tensor_dtype(call_tensor(call, 0));
    return rule_preserve(call);
}

bool rule_to_copy(OpCall *call)
{
    call->promoted = call_dtype(call, 1, tensor_dtype(call_tensor(call, 0)));
    return rule_preserve(call);
}
