// Arguments whose elements are not as they are in the storage:
//
//     x.view(torch.bool)      bytes such as 2 and 255, where kernels rely on 0 and 1
//     x.conj(), x.conj().imag   what is in the storage is conjugated, or negated, on the way
//
// While the elements are computed, such an argument is replaced by a copy of what it shows. If the
// call writes it, the copy's elements are stored into it after that. Checks, autograd and the
// caller see the argument itself. (Pointwise rows need that for bools only: an iteration
// conjugates.)
#include "objects/containers/tuple.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/iterate.h"
#include "vm/modules/torch/call/call_parts.h"

static bool is_raw(ValueRef value)
{
    return value != NONE && tensor_check(value) && tensor_has_raw_bools(as_tensor(value));
}

static bool is_unresolved(ValueRef value)
{
    return is_object(value) && tensor_check(value) &&
           tensor_is(as_tensor(value), TENSOR_UNRESOLVED);
}

// A copy with the same strides, if there is no gap between the elements.
static Value resolved(Tensor *tensor)
{
    Shape shape;
    tensor_shape(tensor, &shape);
    bool dense = tensor_is_dense(tensor);
    replace_slot(&shape.offset, from_small(0));
    Value copy = dense ? tensor_new_strided(tensor_dtype(tensor), &shape)
                       : tensor_new(tensor_dtype(tensor), tensor->ndim, tensor_sizes(tensor));
    shape_drop(&shape);
    if (!copy || iterate_copy(as_tensor(copy), tensor)) return copy;
    drop(copy);
    return VALUE_ERROR;
}

static Value cleaned(ValueRef value)
{
    Shape shape;
    if (is_unresolved(value)) return resolved(as_tensor(value));
    if (!is_raw(value)) return retain(value);
    tensor_shape(as_tensor(value), &shape);
    Value bytes = tensor_view_as(as_tensor(value), DTYPE_uint8, &shape);
    Value copy = bytes ? tensor_dense(as_tensor(bytes), DTYPE_bool) : VALUE_ERROR;
    drop(bytes);
    shape_drop(&shape);
    return copy;
}

static Value cleaned_items(ValueRef items)
{
    Value copy = tuple_new((size_t)tuple_size(items));
    for (ssize_t i = 0; copy && i < tuple_size(items); i++) {
        as_tuple(copy)->items[i] = cleaned(tuple_at(items, i));
        if (!as_tuple(copy)->items[i]) drop_slot(&copy);
    }
    return copy;
}

// Computes into a copy of a result that is not as it is in the storage.
static bool compute_into_copy(OpCall *call, bool (*compute)(OpCall *call))
{
    Tensor *result = call->result_count ? call->results[0].tensor : NULL;
    bool resizes = call->op == &op_table[OP_resize__]; // which moves no elements
    if (resizes || !result || !is_unresolved(ref_of(result))) return compute(call);
    ValueRef self = call->slots[0];
    Value copy = resolved(result);
    if (!copy) return false;
    if (call->op->kinds & MUTATES) call->slots[0] = copy;
    call->results[0].tensor = as_tensor(copy);
    bool done = compute(call) && iterate_copy(result, as_tensor(copy));
    call->results[0].tensor = result;
    call->slots[0] = self;
    drop(copy);
    return done;
}

bool call_with_plain_elements(OpCall *call, bool (*compute)(OpCall *call))
{
    ValueRef given[SCHEMA_PARAMS];
    Value clean[SCHEMA_PARAMS] = {0};
    bool done = true;
    int count = call->schema->count;
    memcpy(given, call->slots, (size_t)count * sizeof *given);
    for (int i = call->op->kinds & MUTATES ? 1 : 0; done && i < count; i++) {
        bool list = call->schema->params[i].type == PARAM_TENSORS && tuple_check(given[i]);
        clean[i] = list ? cleaned_items(given[i]) : cleaned(given[i]);
        call->slots[i] = clean[i];
        done = clean[i] != VALUE_ERROR;
    }
    done = done && compute_into_copy(call, compute);
    memcpy(call->slots, given, (size_t)count * sizeof *given);
    for (int i = 0; i < count; i++) drop(clean[i]);
    return done;
}
