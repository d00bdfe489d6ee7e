// Autocast: operators that cast their floating arguments first (ops/autocast.def says which, and to
// what). It is on for the CPU while `tensor_autocast` (objects/tensor/tensor.h) is true.
#pragma once

#include "objects/call.h"
#include "vm/modules/torch/call/op.h"

// Functions of torch._C.
extern const MethodDef autocast_functions[];
// While autocast is on: does the call cast its arguments?
bool autocast_takes(const OpCall *call);
// Casts the arguments of a bound call, and makes it with autocast off. Result as of op_call().
Value autocast_call(OpCall *call);
// Each thread has a state of its own.
void autocast_init(void);
// Drops the casts that are kept: at the end of the program.
void autocast_finish(void);
