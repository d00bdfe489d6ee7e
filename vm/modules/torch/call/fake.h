// Fake tensors and symbolic numbers, as torch._C offers them to the library (call/fake.c).
#pragma once

#include "objects/call.h"
#include "objects/tensor/tensor.h"

// Functions of torch._C.
extern const MethodDef fake_functions[];
// A fake tensor of the mode entered (without one a tensor on the device meta), which looks like
// this one: owned.
Value fake_like(const Tensor *tensor, bool meta);
// Each thread has a mode of its own.
void fake_init(void);
// Forgets the classes and the mode: at the end of the program.
void fake_finish(void);
