// Hooks: functions of a script that see gradients on their way, and may give others.
//
//     tensor.register_hook(f)              f(grad)                        GradNode.tensor_hooks
//     tensor.grad_fn.register_prehook(f)   f(grad_outputs)                GradNode.prehooks
//     tensor.grad_fn.register_hook(f)      f(grad_inputs, grad_outputs)   GradNode.hooks
//
// The functions are in an OrderedDict by the id of their handle. The engine calls them in that
// order, each with what the one before has given.
//
// (PyTorch: torch/csrc/autograd/python_hook.cpp)
#pragma once

#include "objects/object.h"

// Adds a function to the OrderedDict in the slot, which is made where the slot is empty. The result
// is a torch.utils.hooks.RemovableHandle.
Value hooks_register(Value *slot, ValueRef hook);
// Sets the value of a result's number in the dict in the slot.
bool hooks_keep(Value *slot, uint32_t result_nr, ValueRef value);
// Calls the hooks of an OrderedDict with *value, a Tensor or a tuple of Tensors and None; and with
// `second`, unless that is VALUE_ERROR. A result that is not None takes the place of *value. False
// with TypeError or RuntimeError pending for a result that differs from *value in kind, length,
// shape or dtype.
bool hooks_call(ValueRef hooks, Value *value, ValueRef second);
