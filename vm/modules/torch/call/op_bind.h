// Between the files that match arguments with schemas (op_bind.c, op_bind_error.c, overrides.c).
#pragma once

#include "vm/modules/torch/call/op.h"

typedef enum BindResult { BIND_FITS, BIND_MISMATCH, BIND_FAILS } BindResult;

// Is the argument of the parameter's type? The class of the argument does not matter here.
bool op_bind_fits(const Schema *schema, const Param *param, ValueRef value);
// An int[] with the default [] takes None for it, and messages show it as None.
bool op_bind_none_is_default(const Param *param);
// Does the class of the value answer calls itself (__torch_function__)?
bool op_bind_has_override(ValueRef value);
// Matches the arguments with one row. BIND_FAILS: an exception is pending.
BindResult op_bind_row(OpIndex op, BindStyle style, ValueRef self, const ValueRef *args,
                       size_t nargs, ValueRef kwnames, OpCall *call);
// Can the row be reached in this style, as a function, a method or an in-place method?
bool op_bind_reaches(const OpDef *op, BindStyle style, bool inplace);
bool op_bind_same_name(OpIndex op, OpIndex first);
// Raises PyTorch's TypeError for arguments that no row of the name accepts: false.
bool op_bind_error(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                   const ValueRef *args, size_t nargs, ValueRef kwnames);
