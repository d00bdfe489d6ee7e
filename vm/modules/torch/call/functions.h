// The functions and methods that scripts call, made out of the rows.
#pragma once

#include "objects/call.h"
#include "vm/modules/torch/ops/op_table.h"

// Adds torch._C._VariableFunctionsClass with a function for each name of the table to the module,
// and the methods to the dict of TensorBase. After type_ready().
bool functions_fill(ValueRef module);

// The class or module of the functions of the name that begins at `first`:
// torch._C._VariableFunctionsClass, or the module torch._C._nn of one that is not in torch. Owned.
// Not for a name that is a method only.
Value functions_owner(OpIndex first);

// For functions that are written in Python: do arguments have a __torch_function__ (overrides.c)?
extern const MethodDef override_functions[];
