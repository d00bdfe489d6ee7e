// The dtype in which operands of different dtypes are computed.
//
// Three kinds of operands: tensors with dimensions, tensors without (0-dim), Python numbers. The
// category decides first (bool < integer < float): the highest one of all operands wins, and the
// dtype comes from the first kind that has this category. So int32 tensor + 1 is int32, int32
// tensor + 0-dim int64 is int32, int32 tensor + 1.5 is the default dtype.
// (PyTorch: ATen/native/TypeProperties.cpp, update_result_type_state, combine_categories)
#pragma once

#include "vm/modules/torch/call/op.h"

typedef struct PromoteState {
    Dtype dimensioned, zero_dim, number; // DTYPE_NONE = none so far
} PromoteState;

void promote_begin(PromoteState *state);
void promote_tensor(PromoteState *state, const Tensor *tensor);
void promote_operand(PromoteState *state, ValueRef operand); // one of both; None adds nothing
void promote_number(PromoteState *state, ValueRef number);   // a bool, an int or a float
// The common dtype; DTYPE_NONE if there was no operand.
Dtype promote_result(const PromoteState *state);

// Fills in call->computed and call->promoted for a pointwise row. False with the exception of a
// promotion that the row refuses pending.
bool promote_call(OpCall *call);
// C++'s name of a dtype, which some messages have: "long int".
const char *dtype_cpp_name(Dtype dtype);
