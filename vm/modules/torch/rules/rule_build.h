// What shape rules have in common: building a Shape dimension by dimension, and messages.
//
//     Shape *shape = call_result(call, dtype);           no dimensions, offset 0
//     view_begin(shape, self)                            of a view: strides follow, offset as self
//     shape_append(shape, size, stride) ...              takes the Dims, owned
//     return true;
//
// A Shape that a rule leaves half built is still sound: it has the dimensions appended so far.
#pragma once

#include "vm/modules/torch/call/op.h"

// Says that strides follow, and takes over the offset of `self`.
void view_begin(Shape *shape, const Tensor *self);
// Appends a dimension, and takes both Dims. False if one is VALUE_ERROR (its exception is pending)
// or with RuntimeError beyond 64 dimensions.
bool shape_append(Shape *shape, Dim size, Dim stride);
// Appends a dimension to a shape without strides.
bool shape_append_size(Shape *shape, Dim size);
// Appends dimensions from .. to-1 of a tensor, sizes and strides.
bool shape_append_dims(Shape *shape, const Tensor *self, int from, int to);
// Adds `distance`, which it takes, to the offset of a view.
bool view_move(Shape *shape, Dim distance);

// The product of the sizes, owned.
Dim dims_product(int ndim, const Dim *sizes);
// (size + step - 1) // step, for a step above 0: owned.
Dim dim_ceil_divide(DimRef size, int64_t step);
// The product of all sizes of a tensor, owned.
Dim tensor_numel_dim(const Tensor *tensor);
// An int parameter as a Dim: a SymInt stays one. Owned; VALUE_ERROR with OverflowError pending.
Dim call_dim_value(const OpCall *call, int index);

// Raises an exception whose format has one %S for a text, which it takes: false.
bool raise_about(Type *type, const char *format, Value text);
// The same with the sizes of one or two shapes as "[2, 3]".
bool raise_about_sizes(Type *type, const char *format, int ndim, const Dim *sizes);
bool raise_about_two(Type *type, const char *format, Value first, Value second);

// The tensor has no bools, which the kernel of PyTorch of this name refuses: else false with
// RuntimeError pending. A fake tensor passes: what a compiler makes of the call may take bools.
bool is_number(const Tensor *tensor, const char *kernel);

// ---- rule_pointwise.c
// What the layout of an operand is read from: its sizes and strides, how many dimensions of the
// result are on the right of them, and its strides in dimensions of size 1 on either side.
typedef struct Layout {
    int ndim, after;
    const Dim *sizes;
    const Dim *strides;
    int64_t left, right;
} Layout;
static inline Layout layout_of(const Tensor *tensor)
{
    return (Layout){tensor->ndim, 0, tensor_sizes(tensor), tensor_strides(tensor), 0, 0};
}
// Gives the result strides in the order of the operands. False with an exception pending.
bool lay_out(const Layout *layouts, int count, Shape *shape);

// ---- rule_view_scatter.c
// The shape of the view that diagonal_scatter and its like write through, as a view of `base`, a
// tensor of the shape of the first parameter.
bool view_scattered(const OpCall *call, ValueRef base, Shape *shape);

// ---- rule_views.c: what reshape() needs too
// Fills in the sizes of `shape` for a view of `self`; one of them may be -1. False with
// RuntimeError pending where the number of elements differs.
bool shape_infer(Shape *shape, const Tensor *self, int ndim, const Dim *sizes);
// Fills in the strides that give `self` the sizes of `shape` without a copy. *fits: there are some.
bool view_strides(Shape *shape, const Tensor *self, bool *fits);

// ---- rule_windows.c
// All elements of the shape are in the storage of the tensor: else RuntimeError.
bool check_bounds(const Tensor *self, const Shape *shape);

// ---- rule_joining.c
// The result is like the first parameter.
bool rule_same(OpCall *call);
// The same, in memory as a clone of it is.
bool rule_cloned(OpCall *call);

// ---- rule_masks.c
// The dimension of self[indices] where the common shape of the index tensors begins: that of the
// first index if no None is between the indices, else 0.
int index_result_position(const ValueRef *indices, size_t count);

// ---- rule_reductions.c, for kernels too
// The index of the parameter of this name, -1 = none.
int call_param(const OpCall *call, const char *name);
// The dimensions that a reduction goes over, as a set of bits: its parameter `dim`, else all.
bool reduce_dims(const OpCall *call, uint64_t *dims);
// The dimension is not empty: else IndexError.
bool reduce_check_dim(const OpCall *call, int64_t dim);

// ---- rule_sorting.c, for kernels too
// The parameter `dim`, wrapped.
bool sort_dim(const OpCall *call, int64_t *dim);
