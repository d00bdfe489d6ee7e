// The rule of pointwise rows: operands are broadcast, and the layout of the operands is kept.
//
// The result of contiguous operands is contiguous. Operands that have the same strides, and no gap
// between their elements, give them to the result. Else its dimensions are ordered in memory
// of the operands' strides: `x.t() + 1` is transposed too. An operand of another dtype than the
// common one counts as it is after it has been converted, without gaps.
// (PyTorch: TensorIterator::fast_set_up and reorder_dimensions)
#include "vm/modules/torch/rules/rules.h"

#include "objects/error.h"
#include "vm/modules/torch/rules/rule_build.h"

#define OPERANDS 4 // of a row

// ---- layout

// Have all operands the shape of the result? A number has none; None is no operand.
static bool all_same_shape(const OpCall *call, int operands, const Shape *shape)
{
    for (int i = 0; i < operands; i++) {
        if (!call_has(call, i)) continue;
        if (!tensor_check(call->slots[i]) || call_tensor(call, i)->ndim != shape->ndim)
            return false;
        for (int dim = 0; dim < shape->ndim; dim++)
            if (tensor_sizes(call_tensor(call, i))[dim] != shape->size[dim]) return false;
    }
    return true;
}

bool has_odd_stride(const Tensor *tensor)
{
    int64_t expected = 1;
    if (tensor_is(tensor, TENSOR_SYMBOLIC)) return false;
    for (int i = tensor->ndim; i-- > 0;) {
        if (tensor_stride(tensor, i) != expected) return true;
        if (tensor_size(tensor, i) > 1) expected *= tensor_size(tensor, i);
    }
    return false;
}

static inline bool same_sizes(const Tensor *a, const Tensor *b)
{
    const Dim *first = tensor_sizes(a), *second = tensor_sizes(b);
    if (a->ndim != b->ndim) return false;
    for (const Dim *end = first + a->ndim; first < end; first++, second++)
        if (*first != *second) return false;
    return true;
}

// Where the operands have several shapes, a dimension with a stride of its own would still tell its
// place.
static bool has_odd_operand(const OpCall *call, int operands)
{
    for (int i = 0; i < operands; i++)
        if (tensor_check(call->slots[i]) && has_odd_stride(call_tensor(call, i))) return true;
    return false;
}

static bool all_same_strides(const OpCall *call, int operands)
{
    const Tensor *first = call_tensor(call, 0);
    for (int i = 1; i < operands; i++)
        for (int dim = 0; dim < first->ndim && call_has(call, i); dim++)
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
static DimRef telling_stride(const Layout *layout, const Shape *shape, int dim)
{
    int own = dim - (shape->ndim - layout->after - layout->ndim);
    bool inside = own >= 0 && own < layout->ndim;
    if ((!inside || layout->sizes[own] == from_small(1)) && shape->size[dim] != from_small(1))
        return from_small(0);
    if (!inside) return from_small(own < 0 ? layout->left : layout->right);
    return layout->strides[own];
}

// > 0: dimension a belongs further in than b; < 0: further out; 0: no operand tells.
static int compare_dims(const Layout *layouts, int count, const Shape *shape, int a, int b)
{
    for (int i = 0; i < count; i++) {
        DimRef first = telling_stride(&layouts[i], shape, a);
        DimRef second = telling_stride(&layouts[i], shape, b);
        if (first == from_small(0) || second == from_small(0)) continue;
        int order = compare(first, second);
        if (order == 0 && compare(shape->size[a], shape->size[b]) > 0) order = 1;
        if (order != 0) return -order;
    }
    return 0;
}

// An insertion sort, where 0 leaves a dimension where it is and looks at the next one.
static void sort_dims(const Layout *layouts, int count, const Shape *shape, int *order)
{
    int ndim = shape->ndim;
    for (int i = 0; i < ndim; i++) order[i] = ndim - 1 - i; // innermost first
    for (int i = 1; i < ndim; i++) {
        int at = i;
        for (int j = i; j-- > 0;) {
            int answer = compare_dims(layouts, count, shape, order[j], order[at]);
            if (answer > 0) break;
            if (answer == 0) continue;
            int kept = order[j];
            order[j] = order[at];
            order[at] = kept;
            at = j;
        }
    }
}

bool lay_out(const Layout *layouts, int count, Shape *shape)
{
    int order[TENSOR_MAX_DIMS], ndim = shape->ndim, i = 0;
    Dim stride = from_small(1);
    sort_dims(layouts, count, shape, order);
    if (error_pending()) return false;
    while (i < ndim && order[i] == ndim - 1 - i) i++;
    if (i == ndim) return true; // contiguous
    for (i = 0; i < ndim; i++) {
        shape->stride[order[i]] = retain(stride);
        Dim next = dim_stride(stride, shape->size[order[i]]);
        replace_slot(&stride, next ? next : from_small(1));
    }
    drop(stride);
    shape->strided = true;
    return !error_pending();
}

// Gives the result the strides of an operand of its shape.
static void take_strides(const Tensor *operand, Shape *shape)
{
    for (int i = 0; i < shape->ndim; i++) shape->stride[i] = retain(tensor_strides(operand)[i]);
    shape->strided = true;
}

bool shape_as_cloned(const Tensor *tensor, Shape *shape)
{
    const Layout layout = layout_of(tensor);
    if (!tensor_is_dense(tensor)) return lay_out(&layout, 1, shape);
    take_strides(tensor, shape);
    return true;
}

static bool lay_out_operands(const OpCall *call, int operands, Shape *shape)
{
    Layout layouts[OPERANDS];
    Shape closed[OPERANDS];
    int count = 0;
    bool done = true;
    for (int i = 0; i < operands && done; i++) {
        if (!tensor_check(call->slots[i])) continue;
        const Tensor *operand = call_tensor(call, i);
        bool converted = call->computed != DTYPE_NONE && tensor_dtype(operand) != call->computed;
        layouts[count] = layout_of(operand);
        shape_init(&closed[count], 0);
        if (converted && !tensor_is_dense(operand)) {
            shape_from_sizes(&closed[count], operand->ndim, tensor_sizes(operand));
            done = shape_as_cloned(operand, &closed[count]) &&
                   (closed[count].strided || shape_contiguous(&closed[count]));
            layouts[count].strides = closed[count].stride;
        }
        count++;
    }
    if (done && count) done = lay_out(layouts, count, shape);
    while (count-- > 0) shape_drop(&closed[count]);
    return done;
}

// ---- the rule

// The first `operands` arguments, those that are tensors, are broadcast. *contiguous: so is the
// result then, because they are.
static bool broadcast(OpCall *call, int operands, Shape *shape, bool *contiguous)
{
    const Tensor *first = NULL;
    bool same = true, all = true;
    for (int i = 0; i < operands; i++) {
        if (!tensor_check(call->slots[i])) {
            same &= !call_has(call, i);
            continue;
        }
        const Tensor *operand = call_tensor(call, i);
        all &= tensor_is(operand, TENSOR_CONTIGUOUS);
        if (!first) {
            shape_from_sizes(shape, operand->ndim, tensor_sizes(operand));
            first = operand;
        } else if (!shape_broadcast(shape, operand->ndim, tensor_sizes(operand))) {
            return false;
        } else {
            same &= same_sizes(first, operand);
        }
    }
    *contiguous = all && (same || !has_odd_operand(call, operands));
    return true;
}

bool rule_layout(OpCall *call, int operands)
{
    Shape *shape = call_result(call, call->promoted);
    bool contiguous;
    if (!broadcast(call, operands, shape, &contiguous)) return false;
    if (call->op->kinds & AS_CLONED) return shape_as_cloned(call_tensor(call, 0), shape);
    if (contiguous || call->op->kinds & IN_ORDER) return true;
    if (!all_same_shape(call, operands, shape) || !all_same_strides(call, operands) ||
        !tensor_is_dense(call_tensor(call, 0)))
        return lay_out_operands(call, operands, shape);
    take_strides(call_tensor(call, 0), shape);
    return true;
}

bool rule_preserve(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Shape *shape = call_result(call, call->promoted);
    shape_from_sizes(shape, self->ndim, tensor_sizes(self));
    return shape_as_cloned(self, shape);
}

bool rule_pointwise(OpCall *call)
{
    return rule_layout(call, call->op->operands);
}
