// The rule of pointwise rows: operands are broadcast, and the layout of the operands is kept.
//
// The result of contiguous operands is contiguous. Else its dimensions lie in memory in the order
// of the operands' strides: `x.t() + 1` is transposed too. (PyTorch:
// TensorIterator::reorder_dimensions)
#include "vm/modules/torch/rules/rules.h"

// ---- layout

static bool is_layout_operand(const OpCall *call, int index, int ndim)
{
    return tensor_check(call->slots[index]) && call_tensor(call, index)->ndim == ndim;
}

// Does one operand of the full rank lie in memory in an order of its own?
static bool keeps_order(const OpCall *call, int operands, const Shape *shape)
{
    for (int i = 0; i < operands; i++)
        if (is_layout_operand(call, i, shape->ndim) && !shape->symbolic &&
            !tensor_is(call_tensor(call, i), TENSOR_CONTIGUOUS))
            return true;
    return false;
}

// > 0: dimension a belongs further in than b; < 0: further out; 0: no operand tells.
static int compare_dims(const OpCall *call, int operands, const Shape *shape, int a, int b)
{
    for (int i = 0; i < operands; i++) {
        if (!is_layout_operand(call, i, shape->ndim)) continue;
        const Tensor *operand = call_tensor(call, i);
        int64_t first = tensor_size(operand, a) == 1 ? 0 : tensor_stride(operand, a);
        int64_t second = tensor_size(operand, b) == 1 ? 0 : tensor_stride(operand, b);
        if (first == 0 || second == 0) continue;
        if (first != second) return first < second ? 1 : -1;
        int64_t size = small_value(shape->size[a]), other = small_value(shape->size[b]);
        if (size != other) return size < other ? 1 : -1;
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

static void lay_out(const OpCall *call, int operands, Shape *shape)
{
    int order[TENSOR_MAX_DIMS];
    int64_t stride = 1;
    sort_dims(call, operands, shape, order);
    for (int i = 0; i < shape->ndim; i++) {
        int64_t size = small_value(shape->size[order[i]]);
        shape->stride[order[i]] = dim_of(stride);
        stride *= size > 1 ? size : 1;
    }
    shape->strided = true;
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
    if (keeps_order(call, operands, shape)) lay_out(call, operands, shape);
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
