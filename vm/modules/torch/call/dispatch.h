// The dispatch mode, as torch._C offers it to the library (call/dispatch.c).
#pragma once

#include "objects/call.h"
#include "vm/modules/torch/call/op.h"

// Functions of torch._C.
extern const MethodDef dispatch_functions[];
// Is there a mode that answers this row? A COMPOSED row is only answered if the mode lists it.
bool dispatch_answers(const OpCall *call);
// Lets the mode answer a bound call, in place of its rule and kernel: the results are set. False
// with an exception pending.
bool dispatch_run(OpCall *call);
// Each thread has a mode of its own.
void dispatch_init(void);
// Forgets the mode: at the end of the program.
void dispatch_finish(void);
