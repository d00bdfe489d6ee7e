// Bools in memory that is read as numbers, too: `x.view(torch.bool)` of bytes such as 2 and 255.
//
// Everything that computes takes a bool for a byte that is 0 or 1. Here an argument whose storage
// promises no such thing is replaced by a copy, in which all that is not 0 has become 1, while the
// elements are computed. Checks, autograd and the caller see the argument itself.
#include "objects/containers/tuple.h"
#include "objects/tensor/dense.h"
#include "vm/modules/torch/call/call_parts.h"

static bool is_raw(ValueRef value)
{
    return value != NONE && tensor_check(value) && tensor_has_raw_bools(as_tensor(value));
}

static Value cleaned(ValueRef value)
{
    Shape shape;
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

bool call_with_clean_bools(OpCall *call, bool (*compute)(OpCall *call))
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
    done = done && compute(call);
    memcpy(call->slots, given, (size_t)count * sizeof *given);
    for (int i = 0; i < count; i++) drop(clean[i]);
    return done;
}
