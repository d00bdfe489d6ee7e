// Shapes of views that keep, merge, split, exchange, add or remove whole dimensions.
//
// (PyTorch: ATen/native/TensorShape.cpp, ATen/TensorUtils.cpp computeStride, ATen/InferSize.h)
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "vm/modules/torch/call/memory_format.h"
#include "vm/modules/torch/call/torch_objects.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

#include <stdio.h>

// ---- view

static bool raise_wrong_size(const Tensor *self, int ndim, const Dim *sizes)
{
    return raise_about_two(RuntimeError, "shape '%S' is invalid for input of size %S",
                           shape_text(ndim, sizes), tensor_numel_dim(self));
}

// Finds the -1 among the sizes: its index, or -1. False for two of them, or another negative size.
static bool find_unknown(int ndim, const Dim *sizes, int *unknown)
{
    *unknown = -1;
    for (int i = 0; i < ndim; i++) {
        if (!is_small(sizes[i]) || small_value(sizes[i]) >= 0) continue;
        if (small_value(sizes[i]) != -1)
            return raise_error(RuntimeError, "invalid shape dimension %lld",
                               (long long)small_value(sizes[i]));
        if (*unknown >= 0) return raise_error(RuntimeError, "only one dimension can be inferred");
        *unknown = i;
    }
    return true;
}

// The size that stands for -1: numel / product of the others.
static bool infer_size(const Tensor *self, int ndim, Dim *sizes, int unknown)
{
    bool exact, empty;
    Dim numel = tensor_numel_dim(self), size = VALUE_ERROR, back = VALUE_ERROR;
    sizes[unknown] = from_small(1);
    Dim others = numel ? dims_product(ndim, sizes) : VALUE_ERROR;
    sizes[unknown] = from_small(-1);
    bool done = others && dim_is(others, 0, &empty);
    if (done && empty) {
        done = dim_is(numel, 0, &exact);
        if (done && exact)
            raise_about_sizes(RuntimeError,
                              "cannot reshape tensor of 0 elements into shape %S because the "
                              "unspecified dimension size -1 can be any value and is ambiguous",
                              ndim, sizes);
        else if (done)
            raise_wrong_size(self, ndim, sizes);
        done = false;
    }
    if (done) size = dim_floordiv(numel, others);
    if (size) back = dim_mul(size, others);
    done = back && dim_equal(back, numel, &exact) && (exact || raise_wrong_size(self, ndim, sizes));
    drop(numel);
    drop(others);
    drop(back);
    if (done)
        sizes[unknown] = size;
    else
        drop(size);
    return done;
}

static bool check_numel(const Tensor *self, int ndim, const Dim *sizes)
{
    bool equal;
    Dim numel = tensor_numel_dim(self);
    Dim product = numel ? dims_product(ndim, sizes) : VALUE_ERROR;
    bool done = product && dim_equal(numel, product, &equal) &&
                (equal || raise_wrong_size(self, ndim, sizes));
    drop(numel);
    drop(product);
    return done;
}

bool shape_infer(Shape *shape, const Tensor *self, int ndim, const Dim *given)
{
    Dim sizes[TENSOR_MAX_DIMS];
    int unknown;
    memcpy(sizes, given, (size_t)ndim * sizeof(Dim));
    if (!find_unknown(ndim, sizes, &unknown)) return false;
    bool done =
        unknown < 0 ? check_numel(self, ndim, sizes) : infer_size(self, ndim, sizes, unknown);
    if (done) shape_from_sizes(shape, ndim, sizes);
    if (done && unknown >= 0) drop(sizes[unknown]);
    return done;
}

// A run of old dimensions that are contiguous, and the new dimensions that cover it. Both
// products are owned.
typedef struct Piece {
    DimRef stride; // of the last old dimension of the piece
    Dim old_numel, new_numel;
} Piece;

// Gives new dimensions, from *next down, to the piece. *fits: they cover it exactly.
static bool cover_piece(Shape *shape, Piece *piece, int *next, bool *fits)
{
    for (; *next >= 0; --*next) {
        bool less, one;
        if (!dim_less(piece->new_numel, piece->old_numel, &less) ||
            !dim_is(shape->size[*next], 1, &one))
            return false;
        if (!less && !one) break;
        Dim stride = dim_stride(piece->new_numel, piece->stride);
        if (!stride) return false;
        shape->stride[*next] = stride;
        if (!is_small(stride)) shape->symbolic = true;
        replace_slot(&piece->new_numel, dim_mul(piece->new_numel, shape->size[*next]));
        if (!piece->new_numel) return false;
    }
    return dim_equal(piece->new_numel, piece->old_numel, fits);
}

// Does the piece end before old dimension `dim`, because the one before it is elsewhere?
static bool ends_piece(const Tensor *self, int dim, const Piece *piece, bool *ends)
{
    *ends = true;
    if (dim == 0) return true;
    if (!dim_is(tensor_sizes(self)[dim - 1], 1, ends)) return false;
    *ends = !*ends;
    if (!*ends) return true;
    Dim expected = dim_mul(piece->old_numel, piece->stride);
    bool done = expected && dim_equal(tensor_strides(self)[dim - 1], expected, ends);
    *ends = !*ends;
    drop(expected);
    return done;
}

static bool pieces_of(Shape *shape, const Tensor *self, bool *fits)
{
    const Dim *sizes = tensor_sizes(self), *strides = tensor_strides(self);
    Piece piece = {strides[self->ndim - 1], from_small(1), from_small(1)};
    int next = shape->ndim - 1;
    bool done = true, ends;
    *fits = true;
    for (int i = self->ndim; done && *fits && i-- > 0;) {
        replace_slot(&piece.old_numel, dim_mul(piece.old_numel, sizes[i]));
        done = piece.old_numel && ends_piece(self, i, &piece, &ends);
        if (!done || !ends) continue;
        done = cover_piece(shape, &piece, &next, fits);
        if (i > 0) piece.stride = strides[i - 1];
        replace_slot(&piece.old_numel, from_small(1));
        replace_slot(&piece.new_numel, from_small(1));
    }
    if (next >= 0) *fits = false;
    drop(piece.old_numel);
    drop(piece.new_numel);
    return done;
}

bool view_strides(Shape *shape, const Tensor *self, bool *fits)
{
    *fits = true;
    if (self->ndim == 0 || (tensor_is(self, TENSOR_CONTIGUOUS) && !has_odd_stride(self)))
        return shape_contiguous(shape);
    bool same = shape->ndim == self->ndim &&
                !memcmp(shape->size, tensor_sizes(self), self->ndim * sizeof(Dim));
    if (self->numel == 0 && !same) return shape_contiguous(shape);
    for (int i = 0; i < shape->ndim; i++)
        shape->stride[i] = self->numel ? from_small(0) : tensor_strides(self)[i];
    shape->strided = true;
    return self->numel == 0 || pieces_of(shape, self, fits);
}

static bool keep_offset(Shape *shape, const Tensor *self)
{
    replace_slot(&shape->offset, retain(self->offset));
    if (!is_small(self->offset)) shape->symbolic = true;
    return true;
}

bool rule_unsafe_view(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Dim sizes[TENSOR_MAX_DIMS];
    int ndim = call_dims(call, 1, sizes);
    if (ndim < 0) return false;
    Shape *shape = call_result(call, tensor_dtype(self));
    bool fits;
    if (!shape_infer(shape, self, ndim, sizes) || !view_strides(shape, self, &fits)) return false;
    return fits ||
           raise_error(RuntimeError,
                       "view size is not compatible with input tensor's size and stride (at least "
                       "one dimension spans across two contiguous subspaces). Use .reshape(...) "
                       "instead.");
}

bool rule_view(OpCall *call)
{
    return rule_unsafe_view(call) &&
           keep_offset(&call->results[call->result_count - 1].shape, call_tensor(call, 0));
}

static bool keep_sizes(Shape *shape, const Tensor *self)
{
    tensor_shape(self, shape);
    return true;
}

// Two scalar types, as messages name them, and how many elements of the smaller one make one of the
// larger.
typedef struct Rescaling {
    const char *from, *to;
    int64_t ratio;
} Rescaling;

// A larger element becomes `ratio` smaller ones of the last dimension, so all that counts elements
// is `ratio` times itself.
static bool widen(Shape *shape, const Rescaling *change)
{
    int last = shape->ndim - 1;
    for (int i = 0; i < last; i++)
        shape->stride[i] = from_small(small_value(shape->stride[i]) * change->ratio);
    shape->size[last] = from_small(small_value(shape->size[last]) * change->ratio);
    shape->offset = from_small(small_value(shape->offset) * change->ratio);
    return true;
}

// Does the ratio divide a number, which the message calls `what`?
static bool divides(DimRef number, const char *what, const Rescaling *change)
{
    int64_t value = small_value(number);
    if (value % change->ratio == 0) return true;
    return raise_error(RuntimeError,
                       "self.%s must be divisible by %lld to view %s as %s "
                       "(different element sizes), but got %lld",
                       what, (long long)change->ratio, change->from, change->to, (long long)value);
}

static bool divide(Dim *number, const char *what, const Rescaling *change)
{
    if (!divides(*number, what, change)) return false;
    *number = from_small(small_value(*number) / change->ratio);
    return true;
}

// `ratio` smaller elements of the last dimension become a larger one.
static bool narrow(Shape *shape, const Rescaling *change)
{
    int last = shape->ndim - 1;
    if (!divide(&shape->size[last], "size(-1)", change) ||
        !divide(&shape->offset, "storage_offset()", change))
        return false;
    for (int i = 0; i < last; i++) {
        char what[32];
        snprintf(what, sizeof what, "stride(%d)", i);
        if (!divide(&shape->stride[i], what, change)) return false;
    }
    return true;
}

// A view of elements of another size: PyTorch's view_dtype
// (aten/src/ATen/native/TensorConversions.cpp).
static bool rescale(Shape *shape, const Tensor *self, Dtype dtype, size_t old, size_t new)
{
    Rescaling change = {dtype_table[self->dtype].scalar, dtype_table[dtype].scalar,
                        (int64_t)(old > new ? old / new : new / old)};
    if (!self->ndim)
        return raise_error(RuntimeError,
                           "self.dim() cannot be 0 to view %s as %s (different element sizes)",
                           change.from, change.to);
    tensor_shape(self, shape);
    if (shape->symbolic)
        return raise_error(RuntimeError, "a view of another dtype needs sizes that are known");
    Dim stride = shape->stride[shape->ndim - 1];
    if (old < new && !divides(shape->size[shape->ndim - 1], "size(-1)", &change)) return false;
    if (stride != from_small(1))
        return raise_error(RuntimeError,
                           "self.stride(-1) must be 1 to view %s as %s (different element sizes), "
                           "but got %S",
                           change.from, change.to, (ValueRef)stride);
    return old > new ? widen(shape, &change) : narrow(shape, &change);
}

bool rule_view_dtype(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Dtype dtype = call_dtype(call, 1, tensor_dtype(self));
    size_t old = dtype_size(tensor_dtype(self)), new = dtype_size(dtype);
    if (tensor_is(self, TENSOR_UNRESOLVED) && dtype != tensor_dtype(self))
        return raise_error(RuntimeError,
                           "torch.Tensor.view is not supported for %s view tensors when converting "
                           "to a different dtype.",
                           tensor_is(self, TENSOR_CONJ) ? "conjugate" : "negated");
    Shape *shape = call_result(call, dtype);
    return old == new ? keep_sizes(shape, self) : rescale(shape, self, dtype, old, new);
}

// ---- reshape, flatten: a view if the strides allow it, else a copy

// torch.clone(tensor, memory_format=torch.contiguous_format)
static Value contiguous_clone(ValueRef tensor)
{
    OpCall call = {.op = &op_table[OP_clone_], .schema = schema_of(OP_clone_)};
    if (!call.schema) return VALUE_ERROR;
    call.slots[0] = tensor;
    call.slots[1] = memory_format_value(FORMAT_CONTIGUOUS);
    return op_call(&call);
}

// A copy of the tensor, with these sizes.
static Value copied_view(const ValueRef *arguments)
{
    Value copy = contiguous_clone(arguments[0]);
    ValueRef viewing[] = {copy, arguments[1]};
    Value view = copy ? op_apply(OP__unsafe_view_, false, viewing, 2) : VALUE_ERROR;
    drop(copy);
    return view;
}

// Takes the sizes, as a tuple.
static bool answer_reshape(OpCall *call, Value sizes)
{
    ValueRef self = call->slots[0];
    const ValueRef arguments[] = {self, sizes};
    Dim given[TENSOR_MAX_DIMS];
    Shape shape;
    bool fits = false;
    shape_init(&shape, 0);
    call->slots[1] = sizes;
    int ndim = sizes ? call_dims(call, 1, given) : -1;
    bool done = ndim >= 0 && shape_infer(&shape, as_tensor(self), ndim, given) &&
                view_strides(&shape, as_tensor(self), &fits);
    if (done) call->value = fits ? op_apply(OP_view_, false, arguments, 2) : copied_view(arguments);
    shape_drop(&shape);
    drop(sizes);
    return call->value != VALUE_ERROR;
}

bool rule_reshape(OpCall *call)
{
    return answer_reshape(call, retain(call->slots[1]));
}

bool rule_flatten(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t first, last;
    if (!call_dim(call, 1, self->ndim, &first) || !call_dim(call, 2, self->ndim, &last))
        return false;
    if (first > last)
        return raise_error(RuntimeError,
                           "flatten() has invalid args: start_dim cannot come after end_dim");
    if (self->ndim && first == last) {
        call->value = retain(call->slots[0]);
        return true;
    }
    int after = self->ndim ? self->ndim - 1 - (int)last : 0;
    Dim merged = self->ndim ? dims_product((int)(last - first) + 1, tensor_sizes(self) + first)
                            : from_small(1);
    Value sizes = merged ? tuple_new((ssize_t)first + 1 + after) : VALUE_ERROR;
    if (!sizes) {
        drop(merged);
        return false;
    }
    Value *items = as_tuple(sizes)->items;
    for (int i = 0; i < first; i++) items[i] = retain(tensor_sizes(self)[i]);
    items[first] = merged;
    for (int i = 0; i < after; i++) items[first + 1 + i] = retain(tensor_sizes(self)[last + 1 + i]);
    return answer_reshape(call, sizes);
}

bool rule_alias(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    tensor_shape(self, call_result(call, tensor_dtype(self)));
    return true;
}

// ---- expand

static bool raise_expansion(const Tensor *self, int dim, int ndim, const Dim *sizes)
{
    Value target = shape_text(ndim, sizes);
    Value have = target ? shape_text(self->ndim, tensor_sizes(self)) : VALUE_ERROR;
    if (have)
        raise_error(RuntimeError,
                    "The expanded size of the tensor (%S) must match the existing size (%S) at "
                    "non-singleton dimension %d.  Target sizes: %S.  Tensor sizes: %S",
                    (ValueRef)sizes[dim], (ValueRef)tensor_sizes(self)[dim - (ndim - self->ndim)],
                    dim, (ValueRef)target, (ValueRef)have);
    drop(target);
    drop(have);
    return false;
}

// A dimension that `self` does not have, at the left.
static bool expand_new(Shape *shape, const Tensor *self, DimRef size, int dim)
{
    if (is_small(size) && small_value(size) < 0 && self->ndim == 0)
        return raise_error(RuntimeError, "numel: integer multiplication overflow");
    if (is_small(size) && small_value(size) < 0)
        return raise_error(RuntimeError,
                           "The expanded size of the tensor (%S) isn't allowed in a leading, "
                           "non-existing dimension %d",
                           size, dim);
    return shape_append(shape, retain(size), from_small(0));
}

static bool expand_dim(Shape *shape, const Tensor *self, int dim, int ndim, const Dim *sizes)
{
    int old = dim - (ndim - self->ndim);
    DimRef size = sizes[dim], have = tensor_sizes(self)[old], stride = tensor_strides(self)[old];
    bool equal, one;
    if (size == from_small(-1)) return shape_append(shape, retain(have), retain(stride));
    if (!dim_equal(size, have, &equal)) return false;
    if (equal) return shape_append(shape, retain(size), retain(stride));
    if (!dim_is(have, 1, &one)) return false;
    if (one && !(is_small(size) && small_value(size) < 0))
        return shape_append(shape, retain(size), from_small(0));
    return raise_expansion(self, dim, ndim, sizes);
}

// The sizes are compared from the last one on, as far as they are known.
static bool check_expansion(const Tensor *self, int ndim, const Dim *sizes)
{
    for (int i = ndim - 1; i >= ndim - self->ndim; i--) {
        DimRef have = tensor_sizes(self)[i - (ndim - self->ndim)];
        if (!is_small(sizes[i]) || !is_small(have) || sizes[i] == from_small(-1)) continue;
        if (sizes[i] != have && (have != from_small(1) || small_value(sizes[i]) < 0))
            return raise_expansion(self, i, ndim, sizes);
    }
    return true;
}

// A new dimension that repeats nothing, of size 1, has the stride of a contiguous tensor there.
static bool stride_single(Shape *shape, int added)
{
    for (int i = added; i-- > 0;) {
        bool one;
        if (!dim_is(shape->size[i], 1, &one)) return false;
        Dim stride = one ? dim_stride(shape->size[i + 1], shape->stride[i + 1]) : from_small(0);
        if (!stride) return false;
        if (!is_small(stride)) shape->symbolic = true;
        replace_slot(&shape->stride[i], stride);
    }
    return true;
}

bool rule_expand(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Dim sizes[TENSOR_MAX_DIMS];
    int64_t numel;
    int ndim = call_dims(call, 1, sizes);
    if (ndim < 0) return false;
    Shape *shape = call_result(call, tensor_dtype(self));
    if (ndim < self->ndim) {
        Value have = shape_text(self->ndim, tensor_sizes(self));
        Value want = have ? shape_text(ndim, sizes) : VALUE_ERROR;
        if (want)
            raise_error(RuntimeError,
                        "expand(%s{%S}, size=%S): the number of sizes provided (%d) must be "
                        "greater or equal to the number of dimensions in the tensor (%d)",
                        dtype_tensor_type(tensor_dtype(self)), (ValueRef)have, (ValueRef)want, ndim,
                        self->ndim);
        drop(have);
        drop(want);
        return false;
    }
    view_begin(shape, self);
    if (!check_expansion(self, ndim, sizes)) return false;
    for (int i = 0; i < ndim; i++) {
        bool done = i < ndim - self->ndim ? expand_new(shape, self, sizes[i], i)
                                          : expand_dim(shape, self, i, ndim, sizes);
        if (!done) return false;
    }
    if (self->ndim && !stride_single(shape, ndim - self->ndim)) return false;
    if (shape_numel(shape->ndim, shape->size, &numel)) return true;
    error_clear();
    return raise_error(RuntimeError, "numel: integer multiplication overflow");
}

// ---- the order of dimensions

static bool take_dims(OpCall *call, const Tensor *self, const int *order)
{
    Shape *shape = call_result(call, tensor_dtype(self));
    view_begin(shape, self);
    for (int i = 0; i < self->ndim; i++)
        if (!shape_append_dims(shape, self, order[i], order[i] + 1)) return false;
    return true;
}

bool rule_permute(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dims[TENSOR_MAX_DIMS];
    int order[TENSOR_MAX_DIMS], count = call_ints(call, 1, dims);
    uint64_t seen = 0;
    if (count < 0) return false;
    if (count != self->ndim)
        return raise_error(RuntimeError,
                           "permute(sparse_coo): number of dimensions in the tensor input does not "
                           "match the length of the desired ordering of dimensions i.e. "
                           "input.dim() = %d is not equal to len(dims) = %d",
                           self->ndim, count);
    for (int i = 0; i < count; i++) {
        if (!shape_wrap_dim(&dims[i], count)) return false;
        if (seen >> dims[i] & 1)
            return raise_error(RuntimeError, "permute(): duplicate dims are not allowed.");
        seen |= (uint64_t)1 << dims[i];
        order[i] = (int)dims[i];
    }
    return take_dims(call, self, order);
}

static bool exchange(OpCall *call, const Tensor *self, int64_t first, int64_t second)
{
    int order[TENSOR_MAX_DIMS];
    for (int i = 0; i < self->ndim; i++) order[i] = i;
    if (self->ndim) {
        order[first] = (int)second;
        order[second] = (int)first;
    }
    return take_dims(call, self, order);
}

bool rule_transpose(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t first, second;
    return call_dim(call, 1, self->ndim, &first) && call_dim(call, 2, self->ndim, &second) &&
           exchange(call, self, first, second);
}

bool rule_t(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    if (self->ndim > 2)
        return raise_error(RuntimeError,
                           "t%s() expects a tensor with <= 2 dimensions, but self is %dD",
                           call->inplace ? "_" : "", self->ndim);
    return exchange(call, self, 0, self->ndim < 2 ? 0 : 1);
}

// ---- dimensions of size 1

bool rule_unsqueeze(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim;
    if (!call_dim(call, 1, self->ndim + 1, &dim)) return false;
    Shape *shape = call_result(call, tensor_dtype(self));
    view_begin(shape, self);
    Dim stride = dim < self->ndim ? dim_stride(tensor_sizes(self)[dim], tensor_strides(self)[dim])
                                  : from_small(1);
    return shape_append_dims(shape, self, 0, (int)dim) &&
           shape_append(shape, from_small(1), stride) &&
           shape_append_dims(shape, self, (int)dim, self->ndim);
}

static bool squeeze(OpCall *call, const Tensor *self, uint64_t dims)
{
    Shape *shape = call_result(call, tensor_dtype(self));
    view_begin(shape, self);
    for (int i = 0; i < self->ndim; i++) {
        bool one = false;
        if (dims >> i & 1 && !dim_is(tensor_sizes(self)[i], 1, &one)) return false;
        if (!one && !shape_append_dims(shape, self, i, i + 1)) return false;
    }
    return true;
}

bool rule_squeeze(OpCall *call)
{
    return squeeze(call, call_tensor(call, 0), ~(uint64_t)0);
}

bool rule_squeeze_dim(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim;
    return call_dim(call, 1, self->ndim, &dim) && squeeze(call, self, (uint64_t)1 << dim);
}

bool rule_squeeze_dims(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    uint64_t dims;
    int64_t given[TENSOR_MAX_DIMS];
    int count = call_ints(call, 1, given);
    if (count < 0 || !call_dim_set(call, 1, self->ndim, &dims)) return false;
    return squeeze(call, self, count ? dims : 0);
}
