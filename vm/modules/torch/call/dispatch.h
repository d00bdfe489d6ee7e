// The dispatch mode, as torch._C offers it to the library (call/dispatch.c).
#pragma once

#include "objects/call.h"
#include "vm/modules/torch/call/op.h"

// Functions of torch._C.
extern const MethodDef dispatch_functions[];
// While there is a mode: does it answer this row? A COMPOSED row is only answered if the mode lists
// it. Then it does so, in place of the row's rule and kernel: the results are set. *done is false
// with an exception pending.
bool dispatch_answers(OpCall *call, bool *done);
// Each thread has a mode of its own.
void dispatch_init(void);
// Forgets the mode: at the end of the program.
void dispatch_finish(void);
