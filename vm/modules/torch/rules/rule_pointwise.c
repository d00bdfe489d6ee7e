// The rule of pointwise rows: operands are broadcast, and the layout of the operands is kept.
//
// The result of contiguous operands is contiguous. Operands that have the same strides, and no gap
// between their elements, give them to the result. Else its dimensions are ordered in memory
// of the operands' strides: `x.t() + 1` is transposed too.
// (PyTorch: TensorIterator::fast_set_up and reorder_dimensions)
#include "vm/modules/torch/rules/rules.h"

#include "objects/error.h"

// ---- layout

// Have all operands the shape of the result? A number has none.
static bool all_same_shape(const OpCall *call, int operands, const Shape *shape)
{
    for (int i = 0; i < operands; i++) {
        if (!tensor_check(call->slots[i]) || call_tensor(call, i)->ndim != shape->ndim)
            return false;
        for (int dim = 0; dim < shape->ndim; dim++)
            if (tensor_sizes(call_tensor(call, i))[dim] != shape->size[dim]) return false;
    }
    return true;
}

static bool all_contiguous(const OpCall *call, int operands)
{
    for (int i = 0; i < operands; i++)
        if (tensor_check(call->slots[i]) && !tensor_is(call_tensor(call, i), TENSOR_CONTIGUOUS))
            return false;
    return true;
}

static bool all_same_strides(const OpCall *call, int operands)
{
    const Tensor *first = call_tensor(call, 0);
    for (int i = 1; i < operands; i++)
        for (int dim = 0; dim < first->ndim; dim++)
            if (tensor_strides(call_tensor(call, i))[dim] != tensor_strides(first)[dim])
                return false;
    return true;
}

// -1: a < b, 1: a > b, 0: they are equal, or an exception is pending.
static int compare(DimRef a, DimRef b)
{
    bool less;
    if (a == b || error_pending() || !dim_less(a, b, &less)) return 0;
    return less ? -1 : 1;
}

// The stride in a dimension of the result. 0: the operand is broadcast along it, and
// says nothing about the layout.
static DimRef telling_stride(const Tensor *tensor, const Shape *shape, int dim)
{
    int own = dim - (shape->ndim - tensor->ndim);
    if (own < 0) return from_small(0);
    if (tensor_sizes(tensor)[own] == from_small(1) && shape->size[dim] != from_small(1))
        return from_small(0);
    return tensor_strides(tensor)[own];
}

// > 0: dimension a belongs further in than b; < 0: further out; 0: no operand tells.
static int compare_dims(const OpCall *call, int operands, const Shape *shape, int a, int b)
{
    for (int i = 0; i < operands; i++) {
        if (!tensor_check(call->slots[i])) continue;
        const Tensor *operand = call_tensor(call, i);
        DimRef first = telling_stride(operand, shape, a);
        DimRef second = telling_stride(operand, shape, b);
        if (first == from_small(0) || second == from_small(0)) continue;
        int order = compare(first, second);
        if (order == 0) order = compare(shape->size[a], shape->size[b]);
        if (order != 0) return -order;
    }
    return 0;
}

// An insertion sort, where 0 leaves a dimension where it is and looks at the next one.
static void sort_dims(const OpCall *call, int operands, const Shape *shape, int *order)
{
    int ndim = shape->ndim;
    for (int i = 0; i < ndim; i++) order[i] = ndim - 1 - i; // innermost first
    for (int i = 1; i < ndim; i++) {
        int at = i;
        for (int j = i; j-- > 0;) {
            int answer = compare_dims(call, operands, shape, order[j], order[at]);
            if (answer > 0) break;
            if (answer == 0) continue;
            int kept = order[j];
            order[j] = order[at];
            order[at] = kept;
            at = j;
        }
    }
}

// Fills in strides in the order of the operands. False with an exception pending.
static bool lay_out(const OpCall *call, int operands, Shape *shape)
{
    int order[TENSOR_MAX_DIMS];
    Dim stride = from_small(1);
    sort_dims(call, operands, shape, order);
    if (error_pending()) return false;
    for (int i = 0; i < shape->ndim; i++) {
        DimRef size = shape->size[order[i]];
        shape->stride[order[i]] = retain(stride);
        Dim next = size == from_small(0) ? retain(stride) : dim_mul(stride, size);
        replace_slot(&stride, next ? next : from_small(1));
    }
    drop(stride);
    shape->strided = true;
    return !error_pending();
}

// ---- the rule

// The first `operands` arguments, those that are tensors, are broadcast.
static bool broadcast(OpCall *call, int operands, Shape *shape)
{
    bool first = true;
    for (int i = 0; i < operands; i++) {
        if (!tensor_check(call->slots[i])) continue;
        const Tensor *operand = call_tensor(call, i);
        if (first)
            shape_from_sizes(shape, operand->ndim, tensor_sizes(operand));
        else if (!shape_broadcast(shape, operand->ndim, tensor_sizes(operand)))
            return false;
        first = false;
    }
    return true;
}

// Gives the result the strides of an operand of its shape.
static void take_strides(const Tensor *operand, Shape *shape)
{
    for (int i = 0; i < shape->ndim; i++) shape->stride[i] = retain(tensor_strides(operand)[i]);
    shape->strided = true;
}

bool rule_layout(OpCall *call, int operands)
{
    Shape *shape = call_result(call, call->promoted);
    if (!broadcast(call, operands, shape)) return false;
    if (all_contiguous(call, operands) || call->op->kinds & IN_ORDER) return true;
    if (!all_same_shape(call, operands, shape) || !all_same_strides(call, operands) ||
        !tensor_is_dense(call_tensor(call, 0)))
        return lay_out(call, operands, shape);
    take_strides(call_tensor(call, 0), shape);
    return true;
}

bool rule_preserve(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    if (!tensor_is_dense(self)) return rule_layout(call, 1);
    Shape *shape = call_result(call, call->promoted);
    shape_from_sizes(shape, self->ndim, tensor_sizes(self));
    take_strides(self, shape);
    return true;
}

bool rule_pointwise(OpCall *call)
{
    return rule_layout(call, call->op->operands);
}

bool rule_dense(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    shape_from_sizes(call_result(call, call->promoted), self->ndim, tensor_sizes(self));
    return true;
}
