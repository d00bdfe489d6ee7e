// The functions and methods that scripts call, made out of the rows.
#pragma once

#include "objects/call.h"

// Adds torch._C._VariableFunctionsClass with a function for each name of the table to the module,
// and the methods to the dict of TensorBase. After type_ready().
bool functions_fill(ValueRef module);

// For functions that are written in Python: do arguments have a __torch_function__ (overrides.c)?
extern const MethodDef override_functions[];
