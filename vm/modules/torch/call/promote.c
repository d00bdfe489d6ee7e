// Type promotion.
#include "vm/modules/torch/call/promote.h"

#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/int.h"
#include "objects/tensor/element.h"
#include "vm/modules/torch/complex/complex_ops.h"

void promote_begin(PromoteState *state)
{
    state->dimensioned = state->zero_dim = state->number = DTYPE_NONE;
}

void promote_tensor(PromoteState *state, const Tensor *tensor)
{
    Dtype *kind = tensor_is(tensor, TENSOR_NUMBER) ? &state->number
                  : tensor->ndim                   ? &state->dimensioned
                                                   : &state->zero_dim;
    *kind = promote_types(*kind, tensor_dtype(tensor));
}

void promote_number(PromoteState *state, ValueRef number)
{
    int kind = symbolic_kind(number);
    Dtype dtype = is_bool(number) || kind == 2     ? DTYPE_bool
                  : int_check(number) || kind == 0 ? DTYPE_int64
                  : complex_check(number)          ? dtype_to_complex(op_state.default_dtype)
                                                   : op_state.default_dtype;
    state->number = promote_types(state->number, dtype);
}

// The kind that stands first keeps its dtype, unless the other one has a higher category.
static Dtype combine(Dtype higher, Dtype lower)
{
    if (higher == DTYPE_NONE) return lower;
    if (lower == DTYPE_NONE || dtype_category(lower) <= dtype_category(higher)) return higher;
    if (dtype_is_complex(lower) && dtype_is_floating(higher)) return dtype_to_complex(higher);
    return promote_types(higher, lower);
}

Dtype promote_result(const PromoteState *state)
{
    return combine(state->dimensioned, combine(state->zero_dim, state->number));
}

void promote_operand(PromoteState *state, ValueRef operand)
{
    if (operand == NONE) return;
    if (tensor_check(operand))
        promote_tensor(state, as_tensor(operand));
    else
        promote_number(state, operand);
}

// All Scalar parameters of a row of kind PROMOTES take part.
static void add_operands(const OpCall *call, PromoteState *state)
{
    int count = call->op->kinds & PROMOTES ? call->schema->count : call->op->operands;
    for (int i = 0; i < count; i++)
        if (i < call->op->operands || call->schema->params[i].type == PARAM_SCALAR)
            promote_operand(state, call->slots[i]);
}

// clamp() of a real tensor converts complex limits before it looks at the dtype of the result.
static bool check_complex_limits(const OpCall *call)
{
    _Alignas(16) char element[DTYPE_LARGEST];
    Dtype own = tensor_dtype(call_tensor(call, 0));
    ValueRef limit = call->slots[complex_check(call->slots[1]) ? 1 : 2];
    bool both = call_has(call, 1) && call_has(call, 2);
    if (dtype_is_floating(own)) return element_store(both ? DTYPE_float64 : own, limit, element);
    if (dtype_is_complex(own) || !call->inplace) return true;
    return raise_error(RuntimeError, "result type %s can't be cast to the desired output type %s",
                       dtype_table[call->computed].scalar, dtype_cpp_name(own));
}

// A row may refuse complex numbers in words of its own, or have a real result.
static bool promote_complex(OpCall *call)
{
    const char *refusal = complex_refusal(call->op);
    if (op_index(call->op) == OP_clamp_ && !check_complex_limits(call)) return false;
    if (refusal) return raise_error(RuntimeError, "%s", refusal);
    if (complex_gives_real(call->op)) call->promoted = dtype_to_real(call->computed);
    return true;
}

bool promote_call(OpCall *call)
{
    PromoteState state;
    promote_begin(&state);
    add_operands(call, &state);
    Dtype common = promote_result(&state);
    Promotion promotion = call->op->promotion;
    bool floating =
        promotion == PROMOTE_FLOATING || promotion == PROMOTE_ANGLE || promotion == PROMOTE_QUICK;
    if (floating && !dtype_is_inexact(common)) common = op_state.default_dtype;
    if (promotion == PROMOTE_COUNTED && common == DTYPE_bool) common = DTYPE_int64;
    call->computed = common;
    call->promoted = promotion == PROMOTE_BOOLEAN ? DTYPE_bool : common;
    if (dtype_is_complex(common)) return promote_complex(call);
    return true;
}

const char *dtype_cpp_name(Dtype dtype)
{
    static const char *const names[DTYPE_COUNT] = {[DTYPE_uint8] = "unsigned char",
                                                   [DTYPE_int8] = "signed char",
                                                   [DTYPE_int16] = "short int",
                                                   [DTYPE_int32] = "int",
                                                   [DTYPE_int64] = "long int",
                                                   [DTYPE_float16] = "c10::Half",
                                                   [DTYPE_float32] = "float",
                                                   [DTYPE_float64] = "double",
                                                   [DTYPE_bool] = "bool",
                                                   [DTYPE_bfloat16] = "c10::BFloat16",
                                                   [DTYPE_complex64] = "c10::complex<float>",
                                                   [DTYPE_complex128] = "c10::complex<double>"};
    return names[dtype];
}
