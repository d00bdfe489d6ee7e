// Between the files that carry out a call (op.c): writing into tensors that exist, pointwise rows,
// composite rows, overrides, results of other kinds.
#pragma once

#include "objects/tensor/iterate.h"
#include "vm/modules/torch/call/op.h"

// ---- device.c
// Whether the results are on the device meta: as device= says, else as the arguments are, which
// the call has looked at, else as has been set for functions that make tensors. False with the
// exception of tensors on two devices, or of a copy out of meta, pending.
bool call_choose_device(OpCall *call);

// ---- destination.c: tensors that a call writes into
// Whether autograd lets the call write where it would: out= has no gradient, and a leaf that
// requires grad is not changed. False with RuntimeError.
bool call_may_write(OpCall *call);
// False with RuntimeError if elements of the tensor share memory with each other, or some of them
// with what the call reads.
bool call_check_overlap(const OpCall *call, const Tensor *tensor);
// Both, for a call that writes its first parameter.
bool call_may_mutate(OpCall *call);
// May a result of the dtype `made` go into a tensor of another one? "result type Float can't be
// cast to the desired output type Long"; for out= as out_dtypes.def says. `which`: of several
// results.
bool call_check_out(const OpCall *call, int which, Dtype made, Dtype given);
// The result of an in-place form has the shape of its first parameter.
bool call_check_inplace(const Tensor *tensor, const Shape *shape);
// out= gets the shape of the result; a warning if it had another one and elements. It may have been
// expanded then: what is resized is dense. False with RuntimeError if elements share memory now.
bool call_fit_out(const OpCall *call, Tensor *tensor, const Shape *shape);
// requires_grad=True of a function that makes a tensor; RuntimeError for integers.
bool call_require_grad(Tensor *tensor);

// ---- pointwise_checks.c
// After promotion: false with the exception of an operator that refuses its arguments pending.
bool pointwise_check(OpCall *call);

// ---- pointwise.c
// Runs the loop of a pointwise row into results[0].
bool pointwise_run(OpCall *call);
// How messages name the kernel of a row; NULL = the operator's name and "_cpu".
const char *op_kernel_name(const OpDef *op);

// ---- narrow.c
// The loop of a row that PyTorch computes in float16 or bfloat16 itself; NULL = the row's own.
Loop narrow_loop(const OpCall *call);

// ---- plain_elements.c
// compute(call), with copies in place of the arguments whose elements are not as they are in the
// storage: bools that may be any bytes, and views that are conjugated or negated on the way.
bool call_with_plain_elements(OpCall *call, bool (*compute)(OpCall *call));

// ---- dispatch.c
// Takes what a function of mini-Python has answered for a row: the results are set. False with an
// exception pending, as if the answer is VALUE_ERROR.
bool call_take_answer(OpCall *call, Value answer);

// ---- op.c
// Takes what a function of mini-Python has made as call->value. False with TypeError pending if it
// is no tensor where the schema has one, or not as many: a script may have put itself in the
// function's place. False too if it is VALUE_ERROR.
bool call_take_value(OpCall *call, Value value);
// Runs a COMPOSED row: the operators that it is made of record themselves.
bool call_run_composed(OpCall *call);

// ---- composite.c
// Runs a COMPOSITE row: its function in torch/_decomp/.
bool composite_run(OpCall *call);
// The attribute `name` of a module of the library: owned.
Value library_function(const char *module_name, const char *name);
// Makes torch.return_types.NAME of a tuple, which it drops.
Value call_named_result(OpCall *call, Value items);

// ---- fake.c
// A row that depends on data, called with a fake tensor: sets call->value to what the mode makes of
// it (a number known beforehand, or unbacked symbols), or raises DataDependentOutputException or
// DynamicOutputShapeException.
bool fake_data_run(OpCall *call);
// Fake tensors of call->fake_mode have met tensors with data, or of another mode: false with
// AssertionError, unless the mode allows it.
bool fake_check_mixed(OpCall *call);

// ---- overrides.c
// If the class of an argument has a __torch_function__ of its own, calls it: owned. ABSENT = no.
Value override_call(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                    const ValueRef *args, size_t nargs, ValueRef kwnames);
// The same for a method that is no operator of the table, such as __getitem__.
Value override_slot(ValueRef name, ValueRef self, const ValueRef *args, size_t nargs);
// The same for self[key].
Value override_item(ValueRef self, ValueRef key);
