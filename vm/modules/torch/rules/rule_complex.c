// Rules of complex numbers: views of their parts, conjugates, and what makes them.
#include "objects/error.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

// ---- pairs of reals as complex numbers, and back

bool rule_view_as_real(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    if (!dtype_is_complex(tensor_dtype(self)))
        return raise_error(RuntimeError, "view_as_real is only supported for complex tensors");
    if (tensor_is(self, TENSOR_CONJ))
        return raise_error(
            RuntimeError,
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate "
            "tensor so you can view it as real, use self.resolve_conj(); however, be warned that "
            "the resulting tensor will NOT alias the original.");
    Shape *shape = call_result(call, dtype_to_real(tensor_dtype(self)));
    view_begin(shape, self);
    replace_slot(&shape->offset, dim_mul(self->offset, from_small(2)));
    for (int i = 0; i < self->ndim; i++)
        if (!shape_append(shape, retain(tensor_sizes(self)[i]),
                          dim_mul(tensor_strides(self)[i], from_small(2))))
            return false;
    return shape_append(shape, from_small(2), from_small(1));
}

static bool halve(Value *to, DimRef number, const char *message)
{
    Value half = dim_floordiv(number, from_small(2));
    Value twice = half ? dim_mul(half, from_small(2)) : VALUE_ERROR;
    bool equal = false, done = twice && dim_equal(twice, number, &equal);
    drop(twice);
    replace_slot(to, half);
    return done && (equal || raise_error(RuntimeError, "%s", message));
}

bool rule_view_as_complex(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Dtype dtype = tensor_dtype(self);
    int last = self->ndim - 1;
    bool pair;
    if (dtype != DTYPE_float32 && dtype != DTYPE_float64)
        return raise_error(RuntimeError,
                           "view_as_complex is only supported for half, float and double tensors, "
                           "but got a tensor of scalar type: %s",
                           dtype_table[dtype].scalar);
    if (!self->ndim)
        return raise_error(RuntimeError, "Input tensor must have one or more dimensions");
    if (!dim_is(tensor_sizes(self)[last], 2, &pair)) return false;
    if (!pair) return raise_error(RuntimeError, "Tensor must have a last dimension of size 2");
    if (tensor_strides(self)[last] != from_small(1))
        return raise_error(RuntimeError, "Tensor must have a last dimension with stride 1");
    Shape *shape = call_result(call, dtype_to_complex(dtype));
    view_begin(shape, self);
    for (int i = 0; i < last; i++) {
        Value stride = VALUE_ERROR;
        if (!halve(&stride, tensor_strides(self)[i],
                   "Tensor must have a stride divisible by 2 for all but last dimension")) {
            drop(stride);
            return false;
        }
        if (!shape_append(shape, retain(tensor_sizes(self)[i]), stride)) return false;
    }
    return halve(&shape->offset, self->offset,
                 "Tensor must have a storage_offset divisible by 2");
}

// ---- conjugates

static bool flipped_view(OpCall *call, TensorFlag flag)
{
    const Tensor *self = call_tensor(call, 0);
    tensor_shape(self, call_result(call, tensor_dtype(self)));
    call->results[0].flips = flag;
    return true;
}

bool rule_conj_view(OpCall *call)
{
    return flipped_view(call, TENSOR_CONJ);
}

// Of floats that a sign bit negates in memory.
bool rule_neg_view(OpCall *call)
{
    Dtype dtype = dtype_to_real(tensor_dtype(call_tensor(call, 0)));
    if (dtype != DTYPE_float32 && dtype != DTYPE_float64)
        return raise_error(RuntimeError, "_neg_view: not implemented for '%s'",
                           dtype_table[dtype].scalar);
    return flipped_view(call, TENSOR_NEG);
}

bool rule_conj(OpCall *call)
{
    bool complex = dtype_is_complex(tensor_dtype(call_tensor(call, 0)));
    call->value = complex ? op_apply(OP__conj_, false, call->slots, 1) : retain(call->slots[0]);
    return call->value != VALUE_ERROR;
}

static bool resolve(OpCall *call, TensorFlag flag)
{
    bool flips = tensor_is(call_tensor(call, 0), flag);
    call->value = flips ? op_apply(OP_clone_, false, call->slots, 1) : retain(call->slots[0]);
    return call->value != VALUE_ERROR;
}

bool rule_resolve_conj(OpCall *call)
{
    return resolve(call, TENSOR_CONJ);
}
bool rule_resolve_neg(OpCall *call)
{
    return resolve(call, TENSOR_NEG);
}
bool rule_is_conj(OpCall *call)
{
    call->value = from_bool(tensor_is(call_tensor(call, 0), TENSOR_CONJ));
    return true;
}
bool rule_is_neg(OpCall *call)
{
    call->value = from_bool(tensor_is(call_tensor(call, 0), TENSOR_NEG));
    return true;
}

// ---- complex, polar

bool rule_complex(OpCall *call)
{
    Dtype first = tensor_dtype(call_tensor(call, 0)), second = tensor_dtype(call_tensor(call, 1));
    bool halves = first == DTYPE_float16 || second == DTYPE_float16;
    if (!dtype_is_floating(first) || !dtype_is_floating(second) || first == DTYPE_bfloat16 ||
        second == DTYPE_bfloat16)
        return raise_error(RuntimeError,
                           "Expected both inputs to be Half, Float or Double tensors but got %s "
                           "and %s",
                           dtype_table[first].scalar, dtype_table[second].scalar);
    if (first != second)
        return raise_error(RuntimeError,
                           "Expected object of scalar type %s but got scalar type %s for second "
                           "argument",
                           dtype_table[first].scalar, dtype_table[second].scalar);
    if (halves)
        return raise_error(RuntimeError, "\"%s_cpu\" not implemented for 'ComplexHalf'",
                           call->op->name);
    call->promoted = dtype_to_complex(first);
    return rule_layout(call, 2);
}
