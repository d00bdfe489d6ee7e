// The transforms of torch.func, as torch._C offers them to the library (call/transform.c).
#pragma once

#include "objects/call.h"
#include "vm/modules/torch/call/op.h"

// Functions of torch._C.
extern const MethodDef transform_functions[];
// x._wrapper: the record of a wrapper, or None.
Value tensor_get_wrapper(ValueRef self);
// Before a call looks at its arguments: a level that records makes wrappers of its own of all
// tensors. False with an exception pending.
bool transform_lift(OpCall *call);
// No transform is in force, and some argument is the wrapper of one that has ended: what it stood
// for takes its slot. False with an exception pending.
bool transform_unwrap(OpCall *call);
// Lets the transform answer a bound call, in place of its rule and kernel; a COMPOSED row is made
// of others, which come here in their turn. False with an exception pending.
bool transform_run(OpCall *call);
// False with RuntimeError: x.requires_grad_() is not for functions that are being transformed.
bool transform_allows_requires_grad(void);
// Each thread has a transform of its own.
void transform_init(void);
// Forgets the transform: at the end of the program.
void transform_finish(void);
