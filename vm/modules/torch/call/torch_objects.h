// The small types of torch: Size, device, layout, memory_format; and the two names that calls need.
#pragma once

#include "objects/module.h"
#include "objects/tensor/tensor.h"

// torch.Size: a tuple of Dims. Owned.
Value size_new(int ndim, const Dim *sizes);
bool size_check(ValueRef value);

// torch.device: the CPU, and meta, whose tensors have no data; others can be named.
extern Type device_type;
Value device_new(bool meta); // a device object: owned
// Is the argument a device, or does it name one (a str, an int)?
bool device_fits(ValueRef value);
// Is it the device meta? Else it is the CPU. False with RuntimeError for another device pending
// ("Torch not compiled with CUDA enabled" is AssertionError, as in PyTorch).
bool device_read(ValueRef value, bool *meta);

bool layout_check(ValueRef value);
bool memory_format_check(ValueRef value);
// Which one it is: a MemoryFormat.
int memory_format_of(ValueRef value);
ValueRef memory_format_value(int format);
ValueRef layout_strided(void);

// Adds these types and their instances to torch._C.
bool torch_objects_fill(ValueRef module);

// torch._C._disabled_torch_function_impl: a class that has it as __torch_function__ does not take
// part in the protocol. Borrowed; VALUE_ERROR until the module is filled.
extern ValueRef torch_disabled_function;
