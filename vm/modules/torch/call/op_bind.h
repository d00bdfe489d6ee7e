// Between the files that match arguments with schemas (op_bind.c, op_bind_error.c, overrides.c).
#pragma once

#include "vm/modules/torch/call/op.h"

typedef enum BindResult { BIND_FITS, BIND_MISMATCH, BIND_FAILS } BindResult;

// Is the argument of the parameter's type? The class of the argument does not matter here.
bool op_bind_fits(const Param *param, ValueRef value);
// Is it a tensor? In op_bind_accepts() what answers calls itself counts as one.
bool op_bind_is_tensor(ValueRef value);
// An int[] with the default [] takes None for it, and messages show it as None.
bool op_bind_none_is_default(const Param *param);
// Does the class of the value answer calls itself (__torch_function__)?
bool op_bind_has_override(ValueRef value);
// Matches the arguments with one row; `inplace` of the call is set. BIND_FAILS: an exception is
// pending.
BindResult op_bind_row(OpIndex op, BindStyle style, ValueRef self, const ValueRef *args,
                       size_t nargs, ValueRef kwnames, OpCall *call);
// Does a row of the name take the arguments, where those whose class answers calls itself stand for
// tensors? No number is asked for. False: op_bind_error() has raised.
bool op_bind_accepts(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                     const ValueRef *args, size_t nargs, ValueRef kwnames);
// Ends the use of what the call holds.
void op_bind_release(OpCall *call);
// plain.c: asks the arguments that a script gave for their numbers. After it all slots are plain
// (call/op.h). False with an exception pending.
bool op_bind_plain(OpCall *call);
// Makes numbers of the symbols in the slots, which records guards: for a kernel.
bool op_bind_concrete(OpCall *call);
// For an invariant.
bool op_bind_is_plain(const OpCall *call);
// Can the row be reached in this style, as a function, a method or an in-place method?
bool op_bind_reaches(const OpDef *op, BindStyle style, bool inplace);
bool op_bind_same_name(OpIndex op, OpIndex first);
// Raises PyTorch's TypeError for arguments that no row of the name accepts: false.
bool op_bind_error(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                   const ValueRef *args, size_t nargs, ValueRef kwnames);
// The same of a method that is no row: its signatures are listed in ops/overloads.def.
bool op_bind_method_error(const char *name, ValueRef self, const ValueRef *args, size_t nargs,
                          ValueRef kwnames);
// The same of one row that has been named: others of its name may accept them.
bool op_bind_row_error(OpIndex op, const ValueRef *args, size_t nargs, ValueRef kwnames);
// RuntimeError: no dimension of the tensor has that name, or any. Gives false.
bool raise_no_dim_name(ValueRef tensor, ValueRef name);
