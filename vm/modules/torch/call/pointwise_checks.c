// What PyTorch refuses about the arguments of single pointwise operators, before their rule runs.
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/call_parts.h"

static bool is_bool_tensor(ValueRef value)
{
    return tensor_check(value) && tensor_dtype(as_tensor(value)) == DTYPE_bool;
}

static bool check_subtraction(const OpCall *call)
{
    bool first = is_bool_tensor(call->slots[0]) || is_bool(call->slots[0]);
    bool second = is_bool_tensor(call->slots[1]) || is_bool(call->slots[1]);
    if (first && second)
        return raise_error(RuntimeError,
                           "Subtraction, the `-` operator, with two bool tensors is not supported. "
                           "Use the `^` or `logical_xor()` operator instead.");
    if (is_bool_tensor(call->slots[0]) || is_bool_tensor(call->slots[1]))
        return raise_error(
            RuntimeError,
            "Subtraction, the `-` operator, with a bool tensor is not supported. If "
            "you are trying to invert a mask, use the `~` or `logical_not()` operator "
            "instead.");
    return true;
}

static bool check_negation(const OpCall *call)
{
    return !is_bool_tensor(call->slots[0]) ||
           raise_error(RuntimeError,
                       "Negation, the `-` operator, on a bool tensor is not supported. If you are "
                       "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
}

static bool check_clamp(const OpCall *call)
{
    return call_has(call, 1) || call_has(call, 2) ||
           raise_error(RuntimeError,
                       "torch.clamp: At least one of 'min' or 'max' must not be None");
}

static bool check_power(const OpCall *call)
{
    ValueRef exponent = call->slots[1];
    if (dtype_is_floating(call->computed) || tensor_check(exponent) || int_sign(exponent) >= 0)
        return true;
    return raise_error(RuntimeError, "Integers to negative integer powers are not allowed.");
}

static bool check_same_dtype(const OpCall *call, const char *other)
{
    if (!tensor_check(call->slots[1])) return true;
    Dtype first = tensor_dtype(call_tensor(call, 0)), second = tensor_dtype(call_tensor(call, 1));
    return first == second ||
           raise_error(RuntimeError, "expected dtype %s for `%s` but got dtype %s",
                       dtype_table[first].name, other, dtype_table[second].name);
}

static bool check_alpha(const OpCall *call)
{
    int last = call->op->operands;
    if (last >= call->schema->count || !str_equal_ascii(call->schema->params[last].name, "alpha"))
        return true;
    ValueRef alpha = call->slots[last];
    if (is_bool(alpha) && call->computed != DTYPE_bool)
        return raise_error(RuntimeError, "Boolean alpha only supported for Boolean results.");
    if (is_double(alpha) && !dtype_is_floating(call->computed))
        return raise_error(
            RuntimeError, "For integral input tensors, argument alpha must not be a floating point "
                          "number.");
    return true;
}

bool pointwise_check(const OpCall *call)
{
    switch (op_index(call->op)) {
    case OP_sub_Tensor:
    case OP_rsub_Tensor:
    case OP_rsub_Scalar: return check_subtraction(call) && check_alpha(call);
    case OP_add_Tensor: return check_alpha(call);
    case OP_neg_: return check_negation(call);
    case OP_clamp_:
    case OP_clamp_Tensor: return check_clamp(call);
    case OP_pow_Tensor_Scalar: return check_power(call);
    case OP_lerp_Scalar:
    case OP_lerp_Tensor: return check_same_dtype(call, "end");
    default: return true;
    }
}
