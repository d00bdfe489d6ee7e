// The rule of pointwise rows: operands are broadcast, and the layout of the operands is kept.
//
// The result of contiguous operands is contiguous. Else its dimensions lie in memory in the order
// of the operands' strides: `x.t() + 1` is transposed too. (PyTorch:
// TensorIterator::reorder_dimensions)
#include "vm/modules/torch/rules/rules.h"

#include "objects/error.h"

// ---- layout

static bool is_layout_operand(const OpCall *call, int index, int ndim)
{
    return tensor_check(call->slots[index]) && call_tensor(call, index)->ndim == ndim;
}

// Does one operand of the full rank lie in memory in an order of its own?
static bool keeps_order(const OpCall *call, int operands, const Shape *shape)
{
    for (int i = 0; i < operands; i++)
        if (is_layout_operand(call, i, shape->ndim) &&
            !tensor_is(call_tensor(call, i), TENSOR_CONTIGUOUS))
            return true;
    return false;
}

// -1: a < b, 1: a > b, 0: they are equal, or an exception is pending.
static int compare(DimRef a, DimRef b)
{
    bool less;
    if (a == b || error_pending() || !dim_less(a, b, &less)) return 0;
    return less ? -1 : 1;
}

// The stride, or 0 where it says nothing: of a dimension of size 1.
static DimRef telling_stride(const Tensor *tensor, int dim)
{
    if (tensor_sizes(tensor)[dim] == from_small(1)) return from_small(0);
    return tensor_strides(tensor)[dim];
}

// > 0: dimension a belongs further in than b; < 0: further out; 0: no operand tells.
static int compare_dims(const OpCall *call, int operands, const Shape *shape, int a, int b)
{
    for (int i = 0; i < operands; i++) {
        if (!is_layout_operand(call, i, shape->ndim)) continue;
        const Tensor *operand = call_tensor(call, i);
        DimRef first = telling_stride(operand, a), second = telling_stride(operand, b);
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

bool rule_layout(OpCall *call, int operands)
{
    Shape *shape = call_result(call, call->promoted);
    if (!broadcast(call, operands, shape)) return false;
    return !keeps_order(call, operands, shape) || lay_out(call, operands, shape);
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
