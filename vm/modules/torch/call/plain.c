// From what a script has given to plain values (call/op.h): the last step of binding.
//
//     torch.zeros(Size.A, [n, True])      Size an IntEnum, n an object with __index__
//
// A script's objects may answer differently each time they are asked, and may change a list while
// it is read. So first all lists become tuples, which runs no script code. Then each object is
// asked once: an int of a subclass counts as what it is, and calls none of its methods; a tensor
// gives its element, by the operator item(), which knows what to do with a fake one; anything else
// has an __index__. What is plain already, as in nearly all calls, stays as it is and costs a look.
//
// Symbols (SymInt ...) stay, because sizes of fake tensors are made of them. A call of tensors with
// data asks them before its rule runs (op_bind_concrete).
//
// (PyTorch: torch/csrc/utils/python_arg_parser.h, PythonArgs)
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/text/text.h"
#include "objects/type.h"
#include "vm/modules/torch/call/op_bind.h"
#include "vm/modules/torch/call/torch_objects.h"

bool call_hold(OpCall *call, int index, Value value)
{
    uint32_t bit = (uint32_t)1 << index;
    if (call->holds & bit) drop(call->held[index]);
    call->holds |= bit;
    call->held[index] = value;
    call->slots[index] = value;
    return value != VALUE_ERROR;
}

void op_bind_release(OpCall *call)
{
    for (int i = 0; call->holds >> i; i++)
        if (call->holds >> i & 1) drop(call->held[i]);
    call->holds = 0;
}

// ---- what is plain

static bool is_plain_number(ValueRef value)
{
    return !is_object(value) || int_check_exact(value) || float_check_exact(value) ||
           complex_check_exact(value) || symbolic_kind(value) >= 0;
}

static bool is_plain_int64(ValueRef value)
{
    int64_t number;
    if (!is_object(value) || symbolic_kind(value) == 0) return true;
    return int_check_exact(value) && int_as_int64_clamped(value, &number) == 0;
}

// Of a Scalar, or of a number in place of a Tensor: an int has 64 bits, with or without a sign.
static bool is_plain_scalar(ValueRef value)
{
    int64_t number;
    if (!is_object(value) || !int_check_exact(value)) return is_plain_number(value);
    int outside = int_as_int64_clamped(value, &number);
    return outside == 0 || (outside > 0 && int_bit_length(value) <= 64);
}

// An item of an int[].
static bool is_plain_item(ValueRef value)
{
    return is_small(value) || int_check_exact(value) || symbolic_kind(value) == 0;
}

static bool is_plain_list(ValueRef value, bool (*fits)(ValueRef item))
{
    if (!tuple_check(value)) return value == NONE || fits(value);
    for (ssize_t i = 0; i < tuple_size(value); i++)
        if (!fits(tuple_at(value, i)) || is_bool(tuple_at(value, i))) return false;
    return true;
}

static bool is_plain(const Param *param, ValueRef slot)
{
    switch (param->type) {
    case PARAM_TENSOR: return tensor_check(slot) || is_plain_scalar(slot);
    case PARAM_SCALAR: return is_plain_scalar(slot);
    case PARAM_FLOAT: return is_plain_number(slot);
    case PARAM_INT: return is_plain_int64(slot);
    case PARAM_INTS: return is_plain_list(slot, is_plain_item);
    case PARAM_FLOATS: return is_plain_list(slot, is_plain_number);
    case PARAM_STR: return !is_object(slot) || is_exactly(slot, &str_type);
    case PARAM_DTYPE: return slot == NONE || dtype_check(slot);
    case PARAM_TENSORS: return !list_check(slot);
    default: return true;
    }
}

bool op_bind_is_plain(const OpCall *call)
{
    for (int i = 0; i < call->schema->count; i++)
        if (!is_plain(&call->schema->params[i], call->slots[i])) return false;
    return true;
}

// ---- one value

// The number of a tensor of one element, owned: it may be a symbol.
static Value number_of_tensor(ValueRef tensor)
{
    Value item = op_apply(OP_item_, false, &tensor, 1);
    if (!item || is_plain_number(item)) return item;
    raise_error(TypeError, "item() of a tensor gave %T", (ValueRef)item);
    drop(item);
    return VALUE_ERROR;
}

static Value plain_number(ValueRef value)
{
    if (is_plain_number(value)) return retain(value);
    if (tensor_check(value)) return number_of_tensor(value);
    if (int_check(value)) return int_exact(value);
    if (complex_check(value)) return complex_new(as_complex(value)->real, as_complex(value)->imag);
    double number;
    return float_from_value(value, &number) ? float_new(number) : VALUE_ERROR;
}

static Value plain_scalar(ValueRef value)
{
    Value number = plain_number(value);
    if (!number || is_plain_scalar(number)) return number;
    bool negative = int_sign(number) < 0;
    drop(number);
    return raise_error(OverflowError, negative ? "can't convert negative int to unsigned"
                                               : "int too big to convert");
}

Value plain_int(ValueRef value)
{
    if (symbolic_kind(value) == 0) return retain(value);
    bool of_tensor = tensor_check(value);
    Value number = of_tensor ? number_of_tensor(value) : object_index(value);
    if (!number || int_check_exact(number) || symbolic_kind(number) == 0) return number;
    Value exact = object_index(number); // of a bool or a subclass of int
    drop(number);
    if (exact && !int_check_exact(exact)) replace_slot(&exact, int_exact(exact));
    return exact;
}

static Value plain_int64(ValueRef value)
{
    Value exact = plain_int(value);
    if (!exact || is_plain_int64(exact)) return exact;
    drop(exact);
    return raise_error(RuntimeError, "Overflow when unpacking long");
}

static ValueRef plain_dtype(ValueRef value)
{
    if (value == ref_of(&float_type)) return dtype_value(DTYPE_float64);
    return dtype_value(value == ref_of(&int_type) ? DTYPE_int64 : DTYPE_bool);
}

// ---- lists

static Value raise_no_size(const OpCall *call, int index, ssize_t at, ValueRef item)
{
    return raise_error(
        TypeError,
        "%s(): argument '%S' failed to unpack the object at pos %zd with error \"type "
        "must be tuple of ints,but got %T\"",
        call->op->name, (ValueRef)call->schema->params[index].name, at + 1, item);
}

static Value plain_item(const OpCall *call, int index, ssize_t at, ValueRef item)
{
    double number;
    if (call->schema->params[index].type == PARAM_FLOATS)
        return float_from_value(item, &number) ? float_new(number) : VALUE_ERROR;
    bool is_real = tensor_check(item) && dtype_is_inexact(tensor_dtype(as_tensor(item)));
    if (is_real || (!is_bool(item) && !type_of(item)->index))
        return raise_no_size(call, index, at, item);
    return plain_int(item);
}

// The tuple's items are the call's: a script that is asked for one cannot change the others.
static Value plain_list(const OpCall *call, int index)
{
    ValueRef given = call->slots[index];
    if (!tuple_check(given)) return plain_int64(given);
    Value items = tuple_new(tuple_size(given));
    for (ssize_t i = 0; items && i < tuple_size(given); i++) {
        as_tuple(items)->items[i] = plain_item(call, index, i, tuple_at(given, i));
        if (!as_tuple(items)->items[i]) drop_slot(&items);
    }
    return items;
}

// ---- symbols

static bool has_symbol(ValueRef slot)
{
    if (!tuple_check(slot)) return symbolic_kind(slot) >= 0;
    for (ssize_t i = 0; i < tuple_size(slot); i++)
        if (symbolic_kind(tuple_at(slot, i)) >= 0) return true;
    return false;
}

static bool any_symbol(const OpCall *call)
{
    for (int i = 0; i < call->schema->count; i++)
        if (has_symbol(call->slots[i])) return true;
    return false;
}

// An int for a SymInt, a float for a SymFloat, a bool for a SymBool.
static Value concrete(ValueRef value)
{
    double number;
    bool truth;
    switch (symbolic_kind(value)) {
    case 0: {
        Value exact = object_index(value);
        if (exact && !int_check_exact(exact)) replace_slot(&exact, int_exact(exact));
        return exact;
    }
    case 1: return float_from_value(value, &number) ? float_new(number) : VALUE_ERROR;
    case 2: return object_truth(value, &truth) ? from_bool(truth) : VALUE_ERROR;
    default: return retain(value);
    }
}

static Value concrete_list(ValueRef given)
{
    Value items = tuple_new(tuple_size(given));
    for (ssize_t i = 0; items && i < tuple_size(given); i++) {
        as_tuple(items)->items[i] = concrete(tuple_at(given, i));
        if (!as_tuple(items)->items[i]) drop_slot(&items);
    }
    return items;
}

bool op_bind_concrete(OpCall *call)
{
    for (int i = 0; i < call->schema->count; i++) {
        ValueRef slot = call->slots[i];
        if (!has_symbol(slot)) continue;
        if (!call_hold(call, i, tuple_check(slot) ? concrete_list(slot) : concrete(slot)))
            return false;
    }
    call->symbolic = false;
    return true;
}

// ---- all slots

static bool freeze_lists(OpCall *call)
{
    for (int i = 0; i < call->schema->count; i++)
        if (list_check(call->slots[i]) && !call_hold(call, i, list_to_tuple(call->slots[i])))
            return false;
    return true;
}

static bool make_plain(OpCall *call, int index)
{
    ValueRef slot = call->slots[index];
    switch (call->schema->params[index].type) {
    case PARAM_INT: return call_hold(call, index, plain_int64(slot));
    case PARAM_INTS:
    case PARAM_FLOATS: return call_hold(call, index, plain_list(call, index));
    case PARAM_STR: return call_hold(call, index, str_exact(slot));
    case PARAM_DTYPE: call->slots[index] = plain_dtype(slot); return true;
    case PARAM_FLOAT: return call_hold(call, index, plain_number(slot));
    default: return call_hold(call, index, plain_scalar(slot));
    }
}

bool op_bind_plain(OpCall *call)
{
    if (!freeze_lists(call)) return false;
    for (int i = 0; i < call->schema->count; i++)
        if (is_object(call->slots[i]) && !is_plain(&call->schema->params[i], call->slots[i]) &&
            !make_plain(call, i))
            return false;
    call->symbolic = op_state.symbolic[0] && any_symbol(call);
    return true;
}
