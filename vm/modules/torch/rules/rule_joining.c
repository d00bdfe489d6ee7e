// Shapes of joined, repeated and reordered tensors.
//
// (PyTorch: ATen/native/TensorShape.cpp, TensorShape.h check_cat_shape_except_dim,
// ATen/native/TensorTransformations.cpp, PadNd.cpp)
#include "objects/error.h"
#include "vm/modules/torch/call/memory_format.h"
#include "vm/modules/torch/call/promote.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

bool rule_same(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    shape_from_sizes(call_result(call, tensor_dtype(self)), self->ndim, tensor_sizes(self));
    return true;
}

bool rule_cloned(OpCall *call)
{
    call->promoted = tensor_dtype(call_tensor(call, 0));
    return rule_preserve(call);
}

// ---- cat, stack

static Dtype common_dtype(const ValueRef *tensors, size_t count)
{
    PromoteState state;
    promote_begin(&state);
    for (size_t i = 0; i < count; i++) promote_tensor(&state, as_tensor(tensors[i]));
    return promote_result(&state);
}

// cat() leaves out tensors of shape [0], whatever the others are.
static bool is_skipped(const Tensor *tensor)
{
    return tensor->ndim == 1 && tensor->numel == 0;
}

static bool check_dims(const ValueRef *tensors, size_t count)
{
    if (count == 0)
        return raise_error(RuntimeError, "torch.cat(): expected a non-empty list of Tensors");
    for (size_t i = 0; i < count; i++)
        if (as_tensor(tensors[i])->ndim == 0)
            return raise_error(RuntimeError,
                               "zero-dimensional tensor (at position %zu) cannot be concatenated",
                               i);
    return true;
}

// The sizes of `tensor` agree with those of `first`, except in `dim`.
static bool check_sizes(const Tensor *first, const Tensor *tensor, int64_t dim, size_t position)
{
    if (first->ndim != tensor->ndim)
        return raise_error(RuntimeError,
                           "Tensors must have same number of dimensions: got %d and %d",
                           first->ndim, tensor->ndim);
    for (int i = 0; i < first->ndim; i++) {
        bool equal;
        if (i == dim) continue;
        if (!dim_equal(tensor_sizes(tensor)[i], tensor_sizes(first)[i], &equal)) return false;
        if (!equal)
            return raise_error(RuntimeError,
                               "Sizes of tensors must match except in dimension %lld. Expected "
                               "size %S but got size %S for tensor number %zu in the list.",
                               (long long)dim, (ValueRef)tensor_sizes(first)[i],
                               (ValueRef)tensor_sizes(tensor)[i], position);
    }
    return true;
}

// No tensor has the dimension, so it is not looked at.
static bool cat_of_nothing(OpCall *call, const ValueRef *tensors, size_t count)
{
    Shape *shape = call_result(call, common_dtype(tensors, count));
    shape_from_sizes(shape, 1, tensor_sizes(as_tensor(tensors[0])));
    return true;
}

bool rule_cat(OpCall *call)
{
    size_t count;
    int64_t dim;
    const ValueRef *tensors = call_tensors(call, 0, &count);
    if (!check_dims(tensors, count)) return false;
    const Tensor *first = NULL;
    for (size_t i = 0; i < count && !first; i++)
        if (!is_skipped(as_tensor(tensors[i]))) first = as_tensor(tensors[i]);
    if (!first) return cat_of_nothing(call, tensors, count);
    if (!call_dim(call, 1, first->ndim, &dim)) return false;
    Dim total = from_small(0);
    for (size_t i = 0; total && i < count; i++) {
        const Tensor *tensor = as_tensor(tensors[i]);
        if (is_skipped(tensor)) continue;
        bool fits = check_sizes(first, tensor, dim, i);
        replace_slot(&total, fits ? dim_add(total, tensor_sizes(tensor)[dim]) : VALUE_ERROR);
    }
    if (!total) return false;
    Shape *shape = call_result(call, common_dtype(tensors, count));
    shape_from_sizes(shape, first->ndim, tensor_sizes(first));
    replace_slot(&shape->size[dim], total);
    if (!is_small(total)) shape->symbolic = true;
    return memory_format_follow(call, tensors, count);
}

static bool check_equal_sizes(const Tensor *first, const Tensor *tensor, size_t position)
{
    bool equal = first->ndim == tensor->ndim;
    for (int i = 0; equal && i < first->ndim; i++)
        if (!dim_equal(tensor_sizes(tensor)[i], tensor_sizes(first)[i], &equal)) return false;
    if (equal) return true;
    Value expected = shape_text(first->ndim, tensor_sizes(first));
    Value got = expected ? shape_text(tensor->ndim, tensor_sizes(tensor)) : VALUE_ERROR;
    if (got)
        raise_error(RuntimeError,
                    "stack expects each tensor to be equal size, but got %S at entry 0 and %S at "
                    "entry %zu",
                    (ValueRef)expected, (ValueRef)got, position);
    drop(expected);
    drop(got);
    return false;
}

// Puts a product, which it takes, into a slot. False where there is none.
static bool put_product(Dim *slot, Dim product)
{
    if (product) replace_slot(slot, product);
    return product != VALUE_ERROR;
}

// The strides of a cat along that dimension, which is then split in two. A dimension of size 1 has
// the stride that it would have in front of the next one.
static bool split_strides(Shape *shape, const Shape *joined, int dim)
{
    for (int i = 0; i < shape->ndim; i++)
        shape->stride[i] = retain(joined->stride[i <= dim ? i : i - 1]);
    shape->strided = true;
    if (!put_product(&shape->stride[dim], dim_stride(shape->size[dim + 1], joined->stride[dim])))
        return false;
    if (shape->size[dim + 1] != from_small(1) || dim + 1 == joined->ndim) return true;
    return put_product(&shape->stride[dim + 1],
                       dim_stride(joined->size[dim + 1], joined->stride[dim + 1]));
}

static bool stack_follows(OpCall *call, const ValueRef *tensors, size_t count, int dim)
{
    MemoryFormat format = memory_format_common(tensors, count);
    Shape *shape = &call->results[0].shape, joined;
    if (format == FORMAT_CONTIGUOUS) return true;
    shape_from_sizes(&joined, shape->ndim - 1, tensor_sizes(as_tensor(tensors[0])));
    bool done = put_product(&joined.size[dim], dim_mul(shape->size[dim], shape->size[dim + 1])) &&
                memory_format_lay_out(&joined, format) && split_strides(shape, &joined, dim);
    shape_drop(&joined);
    call->relaid = true;
    return done;
}

bool rule_stack(OpCall *call)
{
    size_t count;
    int64_t dim;
    const ValueRef *tensors = call_tensors(call, 0, &count);
    if (count == 0) return raise_error(RuntimeError, "stack expects a non-empty TensorList");
    const Tensor *first = as_tensor(tensors[0]);
    if (!call_dim(call, 1, first->ndim + 1, &dim)) return false;
    for (size_t i = 1; i < count; i++)
        if (!check_equal_sizes(first, as_tensor(tensors[i]), i)) return false;
    Shape *shape = call_result(call, common_dtype(tensors, count));
    for (int i = 0; i <= first->ndim; i++) {
        Dim size = i == dim ? from_small((int64_t)count)
                            : retain(tensor_sizes(first)[i < dim ? i : i - 1]);
        if (!shape_append_size(shape, size)) return false;
    }
    bool plain = dim == first->ndim || call->out; // out= is resized as any tensor
    return plain || stack_follows(call, tensors, count, (int)dim);
}

// ---- the same elements in another order

bool rule_flip(OpCall *call)
{
    uint64_t dims;
    call->promoted = tensor_dtype(call_tensor(call, 0));
    return call_dim_set(call, 1, call_tensor(call, 0)->ndim, &dims) && rule_preserve(call);
}

// As much of the tensor as has this size along the dimension: owned.
static Value part_of(Tensor *self, int64_t dim, int64_t size)
{
    Shape shape;
    tensor_shape(self, &shape);
    replace_slot(&shape.size[dim], dim_of(size));
    Value part = tensor_view_as(self, tensor_dtype(self), &shape);
    shape_drop(&shape);
    return part;
}

// A roll along dimensions is laid out as what PyTorch makes of it: the cat of two parts along the
// first one, and so on. A part of no size looks contiguous.
static bool roll_follows(OpCall *call, const int64_t *shifts, const int64_t *dims, int count)
{
    Tensor *self = call_tensor(call, 0);
    if (tensor_is(self, TENSOR_SYMBOLIC)) return memory_format_follow(call, call->slots, 1);
    for (int i = 0; i < count; i++)
        if (shifts[i] % tensor_size(self, (int)dims[i]) == 0) return true;
    if (count == 0) return true;
    int64_t n = tensor_size(self, (int)dims[0]), rest = shifts[0] % n;
    if (rest < 0) rest = -rest;
    Value parts[] = {part_of(self, dims[0], rest), part_of(self, dims[0], n - rest)};
    const ValueRef borrowed[] = {parts[0], parts[1]};
    bool done = parts[0] && parts[1] && memory_format_follow(call, borrowed, 2);
    drop(parts[0]);
    drop(parts[1]);
    return done;
}

bool rule_roll(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t shifts[TENSOR_MAX_DIMS], dims[TENSOR_MAX_DIMS];
    int shift_count = call_ints(call, 1, shifts);
    int dim_count = shift_count < 0 ? -1 : call_ints(call, 2, dims);
    if (dim_count < 0) return false;
    if (shift_count == 0) return raise_error(RuntimeError, "`shifts` required");
    if (shift_count != dim_count && (dim_count || shift_count != 1))
        return raise_error(RuntimeError, "shifts and dimensions must align. shifts: %d, dims:%d",
                           shift_count, dim_count);
    bool nothing = self->numel == 0 && dim_count; // no dimension is looked at
    if (self->ndim == 0 && dim_count)
        return raise_error(IndexError, "Dimension specified as %lld but tensor has no dimensions",
                           (long long)dims[0]);
    for (int i = 0; i < dim_count && !nothing; i++)
        if (!shape_wrap_dim(&dims[i], self->ndim)) return false;
    call->promoted = tensor_dtype(self);
    if (nothing) return rule_preserve(call);
    return rule_same(call) && roll_follows(call, shifts, dims, dim_count);
}

bool rule_triangle(OpCall *call)
{
    if (call_tensor(call, 0)->ndim < 2)
        return raise_error(RuntimeError, "%s: input tensor must have at least 2 dimensions",
                           call->op->name);
    return rule_same(call);
}

// ---- larger ones

bool rule_repeat(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Dim repeats[TENSOR_MAX_DIMS];
    int count = call_dims(call, 1, repeats);
    if (count < 0) return false;
    if (count < self->ndim)
        return raise_error(RuntimeError, "Number of dimensions of repeat dims can not be smaller "
                                         "than number of dimensions of tensor");
    Shape *shape = call_result(call, tensor_dtype(self));
    for (int i = 0; i < count; i++) {
        int old = i - (count - self->ndim);
        Dim size = old < 0 ? retain(repeats[i]) : dim_mul(tensor_sizes(self)[old], repeats[i]);
        if (!shape_append_size(shape, size)) return false;
    }
    for (int i = 0; i < count; i++)
        if (is_small(shape->size[i]) && small_value(shape->size[i]) < 0)
            return raise_about_two(RuntimeError,
                                   "Trying to create tensor with negative dimension %S: %S",
                                   retain(shape->size[i]), shape_text(count, shape->size));
    return true;
}
