// Recording: what op_call() does for autograd, and the history of tensors that are written in
// place.
//
//     op_call()  -> before_write   a leaf that requires a gradient must not be written
//                -> the kernel
//                -> record         a node for the call; the results get it as their grad_fn
//
// A write into a view of x changes x. So x gets a CopySlices node, which runs the operator's node
// on the part that the view is of; and each view of x gets a new grad_fn, AsStridedBackward0 on x,
// when it is next asked for one (tensor_refresh_history). A view knows by its version that it is
// not up to date.
//
// (PyTorch: torch/csrc/autograd/variable.cpp, VariableTypeUtils.h, functions/tensor.cpp)
#pragma once

#include "vm/modules/torch/autograd/grad_node.h"

// Puts the functions below into op_hooks.
void autograd_record_init(void);

// A tensor's grad_fn as of now. False with an exception pending.
bool tensor_refresh_history(Tensor *tensor);
// The edge at which the gradient of a tensor arrives. Its target is owned by the caller. A view of
// a tensor that was written since gets a new grad_fn first. False with an exception pending.
bool tensor_edge(Tensor *tensor, GradEdge *edge);
// The tensor was written in place, by the call that the node stands for.
bool tensor_rebase_history(Tensor *tensor, GradNode *node, uint32_t result_nr);
