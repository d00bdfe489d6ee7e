// Memory formats: images whose channels are last in memory, though they are the second dimension.
//
//     sizes N C H W        strides C*H*W, H*W, W, 1      torch.contiguous_format
//                          strides C*H*W, 1, W*C, C      torch.channels_last
//     sizes N C D H W      likewise                      torch.channels_last_3d
//
// A parameter memory_format= says how the result is laid out: memory_format_apply(), after the
// rule. The results of a row of the kind FOLLOWS are laid out as the first parameter seems to be,
// and a rule may say so for a row of its own: memory_format_follow(). The kernel of such a row
// still fills row-major tensors; op_call() copies them.
#pragma once

#include "vm/modules/torch/call/op.h"

// In the order of the objects in torch_objects.c.
typedef enum MemoryFormat {
    FORMAT_CONTIGUOUS,
    FORMAT_PRESERVE,
    FORMAT_CHANNELS_LAST,
    FORMAT_CHANNELS_LAST_3D,
} MemoryFormat;

// Fills in the strides of a channels-last format. False with RuntimeError pending where the shape
// has not that many dimensions.
bool memory_format_lay_out(Shape *shape, MemoryFormat format);
// Gives a tensor that has been made contiguous other strides: resize_(..., memory_format=format).
bool memory_format_restride(OpCall *resize);
// x.is_contiguous(memory_format=format)
bool memory_format_holds(const Tensor *tensor, MemoryFormat format);
// The format that a tensor's strides look like, also where it has gaps. Where they fit several, it
// is the contiguous one. Never FORMAT_PRESERVE.
MemoryFormat memory_format_suggested(const Tensor *tensor);
// The one that all these tensors look like; the contiguous one where they differ.
MemoryFormat memory_format_common(const ValueRef *tensors, size_t count);

// The result is laid out as the parameter memory_format says, if it is given.
bool memory_format_apply(OpCall *call);
// What the results of a row of the kind FOLLOWS are laid out as: a slot.
const ValueRef *memory_format_model(const OpCall *call);
// The results are laid out as all these tensors seem to be, those that have as many dimensions.
bool memory_format_follow(OpCall *call, const ValueRef *tensors, size_t count);
// The same for what a row made of others has given: call->value follows the first parameter.
bool memory_format_follow_composed(OpCall *call);
