// Shape rules: from the arguments of a call to the shapes and dtypes of its results.
//
//     bool rule_transpose(OpCall *call)
//     {
//         const Tensor *self = call_tensor(call, 0);
//         int64_t first, second;
//         if (!call_dim(call, 1, self->ndim, &first) || !call_dim(call, 2, self->ndim, &second))
//             return false;
//         Shape *shape = call_result(call, tensor_dtype(self));
//         tensor_shape(self, shape);
//         ...exchange size[first], size[second] and the strides...
//         return true;
//     }
//
// A rule reads arguments through call/op.h (call_tensor, call_int, call_dim, call_dims, call_bool
// ...) and adds one call_result() for each result: sizes, and strides only where the result is not
// contiguous (a view always has them, and an offset). It computes with Dims (dim_add, dim_mul ...),
// so it serves tensors with data, fake tensors and symbolic sizes alike. It never reads elements.
// It checks all that depends on shapes and dtypes only, and returns false with PyTorch's message
// pending; the kernel then need not check it.
//
// Every rule that a row of ops.def names is declared here, out of the rows.
#pragma once

#include "vm/modules/torch/call/op.h"

// The rule of all pointwise rows: the operands are broadcast, the dtype is call->promoted.
bool rule_pointwise(OpCall *call);
// The same for the first so many arguments: those that are tensors give the shape and the order in
// memory.
bool rule_layout(OpCall *call, int operands);
// Gives a shape with the sizes of the tensor the strides of a clone of it.
bool shape_as_cloned(const Tensor *tensor, Shape *shape);
// A copy of the first argument of dtype call->promoted: its strides, if its elements are stored
// without a gap, else its order in memory.
bool rule_preserve(OpCall *call);
// Is a contiguous tensor without elements, or with dimensions of size 1, laid out by other strides?
bool has_odd_stride(const Tensor *tensor);

#define UNARY(...)
#define UNARY_WITH(...)
#define BINARY(...)
#define TERNARY(...)
#define OP(name, overload, schema, kinds, promotion, rule, ...) bool rule(OpCall *call);
#define VIEW(name, overload, schema, kinds, rule, ...) bool rule(OpCall *call);
#define DATA(...)
#define COMPOSITE(...)
#define ALIAS(...)
#define NODE(...)
#include "vm/modules/torch/ops/ops.def"
