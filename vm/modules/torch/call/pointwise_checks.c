// What PyTorch refuses about the arguments of single pointwise operators, before their rule runs.
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/call/promote.h"

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
    if (first || second)
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

static bool check_not_bool(const OpCall *call, const char *message)
{
    return call->computed != DTYPE_bool || raise_error(RuntimeError, "%s", message);
}

// Limits that are numbers: the message of an in-place form names types as C++ does.
static bool check_limits(const OpCall *call)
{
    Dtype own = tensor_dtype(call_tensor(call, 0));
    if (!call->inplace || dtype_can_cast(call->computed, own)) return true;
    return raise_error(RuntimeError, "result type %s can't be cast to the desired output type %s",
                       dtype_table[call->computed].scalar, dtype_cpp_name(own));
}

static bool check_clamp(const OpCall *call, const char *kernel)
{
    if (!call_has(call, 1) && !call_has(call, 2))
        return raise_error(RuntimeError,
                           "torch.clamp: At least one of 'min' or 'max' must not be None");
    return !call_has(call, 1) || !call_has(call, 2) || check_not_bool(call, kernel);
}

static bool is_negative(ValueRef number)
{
    double real;
    return float_from_value(number, &real) && real <= -1;
}

static bool check_hardtanh(const OpCall *call)
{
    if (!check_not_bool(call, "Bool inputs not supported for hardtanh")) return false;
    bool negative = is_negative(call->slots[1]) || is_negative(call->slots[2]);
    return call->computed != DTYPE_uint8 || !negative ||
           raise_error(RuntimeError, "cannot do hardtanh on an unsigned type with negative limits");
}

static bool check_heaviside(const OpCall *call)
{
    return tensor_dtype(call_tensor(call, 0)) == tensor_dtype(call_tensor(call, 1)) ||
           raise_error(RuntimeError,
                       "heaviside is not yet implemented for tensors with different dtypes.");
}

static bool check_division(const OpCall *call)
{
    for (int i = 1; i < 3; i++)
        if (dtype_is_inexact(tensor_dtype(call_tensor(call, i)))) return true;
    return raise_error(
        RuntimeError,
        "Integer division with addcdiv is no longer supported, and in a future  release addcdiv "
        "will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can "
        "be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for "
        "integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
        "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
        "for all dtypes.");
}

static bool check_power(const OpCall *call)
{
    ValueRef exponent = call->slots[1];
    Dtype own = tensor_dtype(call_tensor(call, 0));
    if (call->inplace && !dtype_can_cast(call->computed, own))
        return raise_error(RuntimeError, "Found dtype %s but expected %s", dtype_table[own].scalar,
                           dtype_table[call->computed].scalar);
    if (dtype_is_inexact(call->computed) || tensor_check(exponent) ||
        symbolic_kind(exponent) >= 0 || int_sign(exponent) >= 0)
        return true;
    return raise_error(RuntimeError, "Integers to negative integer powers are not allowed.");
}

// The lerp functions promote nothing: each tensor has the dtype of the first.
static bool check_same_dtypes(const OpCall *call)
{
    Dtype first = tensor_dtype(call_tensor(call, 0));
    for (int i = 1; i < call->schema->count - !!(call->op->kinds & OUT); i++) {
        if (!tensor_check(call->slots[i]) || tensor_dtype(call_tensor(call, i)) == first) continue;
        return raise_error(RuntimeError, "expected dtype %s for `%S` but got dtype %s",
                           dtype_cpp_name(first), (ValueRef)call->schema->params[i].name,
                           dtype_cpp_name(tensor_dtype(call_tensor(call, i))));
    }
    return true;
}

// The shapes are looked at first.
static bool raise_alpha(OpCall *call, const char *message)
{
    return call->op->rule(call) && raise_error(RuntimeError, "%s", message);
}

static bool check_alpha(OpCall *call)
{
    ValueRef alpha = call->slots[2];
    if (is_small(alpha)) return true;
    bool complex = complex_check(alpha), inexact = dtype_is_inexact(call->computed);
    if (is_bool(alpha) && call->computed != DTYPE_bool)
        return raise_alpha(call, "Boolean alpha only supported for Boolean results.");
    if ((is_double(alpha) || complex) && !inexact)
        return raise_alpha(call, "For integral input tensors, argument alpha must not be a "
                                 "floating point number.");
    return !complex || dtype_is_complex(call->computed) ||
           raise_alpha(call, "For non-complex input tensors, argument alpha must not be a complex "
                             "number.");
}

bool pointwise_check(OpCall *call)
{
    switch (op_index(call->op)) {
    case OP_sub_Tensor:
    case OP_rsub_Tensor:
    case OP_rsub_Scalar: return check_subtraction(call) && check_alpha(call);
    case OP_add_Tensor: return check_alpha(call);
    case OP_neg_: return check_negation(call);
    case OP_positive_:
        return check_not_bool(call, "The `+` operator, on a bool tensor is not supported.");
    case OP_relu_: return check_not_bool(call, "Boolean inputs not supported for relu");
    case OP_hardtanh_: return check_hardtanh(call);
    case OP_heaviside_: return check_heaviside(call);
    case OP_addcdiv_: return check_division(call);
    case OP_clamp_:
        return check_limits(call) &&
               check_clamp(call, "\"clamp_scalar_cpu\" not implemented for 'Bool'");
    case OP_clamp_min_:
    case OP_clamp_max_: return check_limits(call);
    case OP_clamp_Tensor: return check_clamp(call, "\"clamp_cpu\" not implemented for 'Bool'");
    case OP_pow_Tensor_Scalar: return check_power(call);
    case OP_lerp_Scalar:
    case OP_lerp_Tensor: return check_same_dtypes(call);
    default: return true;
    }
}
