// Reading the arguments of a call.
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "vm/modules/torch/call/op.h"

int symbolic_kind(ValueRef value)
{
    if (!is_object(value)) return -1;
    for (int i = 0; i < 3; i++)
        if (op_state.symbolic[i] && type_of(value) == op_state.symbolic[i]) return i;
    return -1;
}

Dtype call_dtype(const OpCall *call, int index, Dtype otherwise)
{
    ValueRef slot = call->slots[index];
    return slot == NONE ? otherwise : dtype_of(slot);
}

// The number that an int, or a value with __index__, stands for.
static bool read_number(ValueRef value, int64_t *number)
{
    if (is_small(value)) {
        *number = small_value(value);
        return true;
    }
    Value exact = object_index(value);
    if (!exact) return false;
    bool fits = int_as_int64_clamped(exact, number) == 0;
    drop(exact);
    return fits || raise_error(RuntimeError, "Overflow when unpacking long");
}

bool call_int(const OpCall *call, int index, int64_t *number)
{
    return read_number(call->slots[index], number);
}

bool call_double(const OpCall *call, int index, double *number)
{
    if (complex_check(call->slots[index]))
        return raise_error(RuntimeError,
                           "value cannot be converted to type double without overflow");
    return float_from_value(call->slots[index], number);
}

bool call_dim(const OpCall *call, int index, int ndim, int64_t *dim)
{
    return call_int(call, index, dim) && shape_wrap_dim(dim, ndim);
}

// The items of a tuple, or the value itself as the only one.
static const ValueRef *items_of(const ValueRef *slot, size_t *count)
{
    if (tuple_check(*slot)) {
        *count = (size_t)tuple_size(*slot);
        return lend(as_tuple(*slot)->items);
    }
    *count = 1;
    return slot;
}

const ValueRef *call_tensors(const OpCall *call, int index, size_t *count)
{
    return items_of(&call->slots[index], count);
}

bool call_dim_set(const OpCall *call, int index, int ndim, uint64_t *set)
{
    int64_t dims[TENSOR_MAX_DIMS];
    uint64_t all = ndim ? ~(uint64_t)0 >> (64 - ndim) : 0;
    *set = all;
    if (!call_has(call, index)) return true;
    int count = call_ints(call, index, dims);
    if (count <= 0) return count == 0;
    *set = 0;
    for (int i = 0; i < count; i++) {
        int64_t dim = dims[i];
        if (!shape_wrap_dim(&dim, ndim)) return false;
        if (*set >> dim & 1)
            return raise_error(RuntimeError, "dim %lld appears multiple times in the list of dims",
                               (long long)dim);
        *set |= (uint64_t)1 << dim;
    }
    *set &= all;
    return true;
}

// The number of an item, or of the value that stands for all of them.
static bool int_from_item(const OpCall *call, int index, size_t at, ValueRef item, int64_t *number)
{
    bool single = item == call->slots[index];
    if (single || is_small(item) || !int_check(item)) return read_number(item, number);
    return int_as_int64_clamped(item, number) == 0 ||
           raise_error(TypeError,
                       "%s(): argument '%S' failed to unpack the object at pos %zu with error "
                       "\"Overflow when unpacking long\"",
                       call->op->name, (ValueRef)call->schema->params[index].name, at + 1);
}

// The number is an int, but no Dim.
static bool raise_too_large(const OpCall *call, int index, size_t at, ValueRef number)
{
    int64_t whole;
    size_t count;
    const ValueRef *items = items_of(&call->slots[index], &count);
    if (!int_from_item(call, index, at, number, &whole)) return false;
    if (items == &call->slots[index]) return raise_memory_error();
    Value sizes = list_from_array(items, count), text = sizes ? object_repr(sizes) : VALUE_ERROR;
    if (text)
        raise_error(RuntimeError, "Storage size calculation overflowed with sizes=%S",
                    (ValueRef)text);
    drop(sizes);
    drop(text);
    return false;
}

// A size as a Dim, borrowed: a small int or a SymInt.
static bool dim_from_item(const OpCall *call, int index, size_t at, ValueRef item, Dim *dim)
{
    *dim = from_bits(bits_of(item));
    return is_small(item) || symbolic_kind(item) == 0 || raise_too_large(call, index, at, item);
}

static bool check_count(size_t count)
{
    return count <= TENSOR_MAX_DIMS ||
           raise_error(RuntimeError, "tensors have at most %d dimensions, got %zu", TENSOR_MAX_DIMS,
                       count);
}

int call_dims(const OpCall *call, int index, Dim *dims)
{
    size_t count;
    const ValueRef *items = items_of(&call->slots[index], &count);
    if (!check_count(count)) return -1;
    for (size_t i = 0; i < count; i++)
        if (!dim_from_item(call, index, i, items[i], &dims[i])) return -1;
    int length = call->schema->params[index].length;
    if (items != &call->slots[index] || length < 2) return (int)count;
    for (int i = 1; i < length; i++) dims[i] = from_bits(bits_of(dims[0]));
    return length;
}

int call_ints(const OpCall *call, int index, int64_t *numbers)
{
    size_t count;
    const ValueRef *items = items_of(&call->slots[index], &count);
    bool single = items == &call->slots[index];
    int length = call->schema->params[index].length;
    if (!check_count(count)) return -1;
    for (size_t i = 0; i < count; i++)
        if (!int_from_item(call, index, i, items[i], &numbers[i])) return -1;
    for (int i = 1; single && i < length; i++) numbers[i] = numbers[0];
    return single && length > 1 ? length : (int)count;
}

// ---- the arguments of a bound call, as a script gives them

// (0, 0), for an int[2] that is 0 by default.
static bool repeats_default(const Param *param, ValueRef slot)
{
    if (!tuple_check(slot) || tuple_size(slot) != param->length) return false;
    for (int i = 0; i < param->length; i++)
        if (tuple_at(slot, i) != param->fallback) return false;
    return param->length > 0;
}

static bool is_default(const OpCall *call, int index)
{
    const Param *param = &call->schema->params[index];
    ValueRef slot = call->slots[index];
    if (param->required) return false;
    bool both_empty = tuple_check(slot) && !tuple_size(slot) && tuple_check(param->fallback) &&
                      !tuple_size(param->fallback);
    return both_empty || slot == param->fallback || repeats_default(param, slot);
}

// An argument, owned: a single int for an int[2] stands for two.
static Value spelled_out(const OpCall *call, int index)
{
    const Param *param = &call->schema->params[index];
    ValueRef slot = call->slots[index];
    if (param->type != PARAM_INTS || !param->length || slot == NONE || tuple_check(slot))
        return retain(slot);
    Value ints = tuple_new(param->length);
    for (int i = 0; ints && i < param->length; i++) as_tuple(ints)->items[i] = retain(slot);
    return ints;
}

Value call_first_args(const OpCall *call, int count)
{
    Value args = tuple_new(count);
    for (int i = 0; args && i < count; i++) {
        as_tuple(args)->items[i] = spelled_out(call, i);
        if (!as_tuple(args)->items[i]) drop_slot(&args);
    }
    return args;
}

Value call_positional(const OpCall *call)
{
    int count = call->schema->positional;
    while (count && is_default(call, count - 1)) count--;
    return call_first_args(call, count);
}

Value call_keywords(const OpCall *call)
{
    Value keywords = dict_new();
    const Param *params = call->schema->params;
    for (int i = call->schema->positional; keywords && i < call->schema->count; i++)
        if (!is_default(call, i) && !dict_set(keywords, params[i].name, call->slots[i]))
            drop_slot(&keywords);
    return keywords;
}
