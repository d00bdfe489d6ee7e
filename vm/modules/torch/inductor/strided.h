// Functions of the module torch._C._dynamo.guards that a compiled graph calls for its tensors.
#pragma once

#include "objects/call.h"
#include "objects/tensor/tensor.h"

Value assert_size_stride(FUNCTION_ARGS);
Value empty_strided_cpu(FUNCTION_ARGS);
Value reinterpret_tensor(FUNCTION_ARGS);
// Of torch._C._inductor: a text that differs between processors with different instructions.
Value processor_name(FUNCTION_ARGS);
