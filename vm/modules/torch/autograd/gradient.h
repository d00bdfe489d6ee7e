// What autograd adds to a tensor: `.grad`, `.grad_fn`, `.requires_grad`, hooks, detach().
#pragma once

#include "objects/classes/descriptor.h"
#include "vm/modules/torch/autograd/grad_node.h"

// A tensor that no recorded operator made.
static inline bool tensor_is_leaf(const Tensor *tensor)
{
    return !tensor->grad_fn || as_grad_node(tensor->grad_fn)->kind == NODE_ACCUMULATE;
}

// Sets `.grad`, which may be NONE. False with an exception pending.
bool tensor_set_grad(Tensor *tensor, ValueRef grad);
// Adds a gradient to `.grad`. Takes the tensor out of the slot where nothing else refers to it.
bool tensor_accumulate(Tensor *tensor, Value *grad);
// The next backward stores the gradient of this tensor, which is no leaf, in `.grad`.
bool tensor_retain_grad(Tensor *tensor);

// Methods and attributes of torch._C.TensorBase; functions of torch._C.
extern const MethodDef autograd_tensor_methods[], autograd_functions[];
extern const GetSetDef autograd_tensor_getset[];
bool autograd_init(void); // once, when torch._C is imported
void autograd_finish(void);
