// Shapes of views that leave elements out, or show them in another grouping.
//
// (PyTorch: ATen/native/TensorShape.cpp, ATen/native/Resize.h setStrided)
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

// ---- select

static bool raise_index(const Tensor *self, DimRef index, int dim)
{
    Value sizes = shape_text(self->ndim, tensor_sizes(self));
    if (sizes)
        raise_error(IndexError,
                    "select(): index %S out of range for tensor of size %S at dimension %d", index,
                    (ValueRef)sizes, dim);
    drop(sizes);
    return false;
}

// Wraps an index below 0, and checks -size <= index < size. Takes the index.
static Dim wrap_index(const Tensor *self, Dim index, int dim)
{
    bool less = false, inside = false;
    Dim wrapped = VALUE_ERROR;
    DimRef size = tensor_sizes(self)[dim];
    if (index && dim_less(index, from_small(0), &less))
        wrapped = less ? dim_add(index, size) : retain(index);
    bool done = wrapped && dim_less(wrapped, from_small(0), &less) &&
                dim_less(wrapped, size, &inside) &&
                ((!less && inside) || raise_index(self, index, dim));
    drop(index);
    if (done) return wrapped;
    drop(wrapped);
    return VALUE_ERROR;
}

bool rule_select(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim;
    if (self->ndim == 0)
        return raise_error(IndexError, "select() cannot be applied to a 0-dim tensor.");
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    Dim index = wrap_index(self, call_dim_value(call, 2), (int)dim);
    if (!index) return false;
    Shape *shape = call_result(call, tensor_dtype(self));
    view_begin(shape, self);
    Dim distance = dim_mul(index, tensor_strides(self)[dim]);
    drop(index);
    return view_move(shape, distance) && shape_append_dims(shape, self, 0, (int)dim) &&
           shape_append_dims(shape, self, (int)dim + 1, self->ndim);
}

// ---- slice

// All sizes are small ints or symbols that stand for some; t[1:] ends at 2**63 - 1 in a graph.
static bool is_above_all_sizes(DimRef bound)
{
    return int_check(bound) && !is_small(bound);
}

// A bound of a slice between 0 and size: a bound below 0 counts from the end. Owned.
static Dim clamp_bound(const OpCall *call, int index, DimRef size, DimRef otherwise)
{
    bool less;
    Dim bound = call_has(call, index) ? call_dim_value(call, index) : retain(otherwise);
    if (!bound || !dim_less(bound, from_small(0), &less)) goto failed;
    if (less) replace_slot(&bound, dim_add(bound, size));
    if (!bound || !dim_less(bound, from_small(0), &less)) goto failed;
    if (less) replace_slot(&bound, from_small(0));
    less = is_above_all_sizes(bound);
    if (!less && !dim_less(size, bound, &less)) goto failed;
    if (less) replace_slot(&bound, retain(size));
    return bound;
failed:
    drop(bound);
    return VALUE_ERROR;
}

// The length of start:end:step, owned.
static Dim slice_length(DimRef start, DimRef end, int64_t step)
{
    bool less;
    if (!dim_less(start, end, &less)) return VALUE_ERROR;
    if (!less) return from_small(0);
    Dim distance = dim_sub(end, start);
    Dim length = distance ? dim_ceil_divide(distance, step) : VALUE_ERROR;
    drop(distance);
    return length;
}

// The stride of each step-th element. One that is no small int leads nowhere: there is one element.
static Dim times(DimRef stride, int64_t step)
{
    int64_t product;
    bool wide = is_small(stride) && (__builtin_mul_overflow(small_value(stride), step, &product) ||
                                     !fits_small(product));
    return wide ? retain(stride) : dim_stride(stride, from_small(step));
}

static bool append_slice(Shape *shape, const Tensor *self, int dim, Dim start, Dim end,
                         int64_t step)
{
    DimRef stride = tensor_strides(self)[dim];
    bool done = start && end && view_move(shape, dim_mul(start, stride)) &&
                shape_append_dims(shape, self, 0, dim) &&
                shape_append(shape, slice_length(start, end, step), times(stride, step)) &&
                shape_append_dims(shape, self, dim + 1, self->ndim);
    drop(start);
    drop(end);
    return done;
}

bool rule_slice(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim, step;
    if (self->ndim == 0)
        return raise_error(IndexError, "slice() cannot be applied to a 0-dim tensor.");
    if (!call_dim(call, 1, self->ndim, &dim) || !call_int(call, 4, &step)) return false;
    if (step <= 0) return raise_error(RuntimeError, "slice step must be positive");
    DimRef size = tensor_sizes(self)[dim];
    Shape *shape = call_result(call, tensor_dtype(self));
    view_begin(shape, self);
    Dim start = clamp_bound(call, 2, size, from_small(0));
    Dim end = start ? clamp_bound(call, 3, size, size) : VALUE_ERROR;
    return append_slice(shape, self, (int)dim, start, end, step);
}

// ---- diagonal

static Dim dim_min(DimRef a, DimRef b)
{
    bool less;
    if (!dim_less(a, b, &less)) return VALUE_ERROR;
    return retain(less ? a : b);
}

// The length of a diagonal: min(rows, columns) after the offset has cut one of them. Owned.
static Dim diagonal_length(DimRef rows, DimRef columns, int64_t offset)
{
    bool less;
    DimRef cut = offset < 0 ? rows : columns, other = offset < 0 ? columns : rows;
    Dim rest = dim_sub(cut, from_small(offset < 0 ? -offset : offset));
    Dim length = rest ? dim_min(rest, other) : VALUE_ERROR;
    drop(rest);
    if (!length || !dim_less(length, from_small(0), &less)) {
        drop(length);
        return VALUE_ERROR;
    }
    if (less) replace_slot(&length, from_small(0));
    return length;
}

bool rule_diagonal(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t offset, first, second;
    if (!call_int(call, 1, &offset) || !call_dim(call, 2, self->ndim, &first) ||
        !call_dim(call, 3, self->ndim, &second))
        return false;
    if (first == second)
        return raise_error(RuntimeError, "diagonal dimensions cannot be identical %S, %S",
                           call->slots[2], call->slots[3]);
    int64_t limit = SMALL_MAX / 2;
    offset = offset > limit ? limit : offset < -limit ? -limit : offset;
    const Dim *sizes = tensor_sizes(self), *strides = tensor_strides(self);
    Shape *shape = call_result(call, tensor_dtype(self));
    view_begin(shape, self);
    Dim length = diagonal_length(sizes[first], sizes[second], offset);
    if (!length) return false;
    if (length != from_small(0) &&
        !view_move(shape, offset < 0 ? dim_mul(strides[first], from_small(-offset))
                                     : dim_mul(strides[second], from_small(offset)))) {
        drop(length);
        return false;
    }
    for (int i = 0; i < self->ndim; i++) {
        if (i == first || i == second || shape_append_dims(shape, self, i, i + 1)) continue;
        drop(length);
        return false;
    }
    return shape_append(shape, length, dim_add(strides[first], strides[second]));
}

// ---- unfold

// The number of windows of `size` elements, `step` apart: owned.
static Dim window_count(DimRef have, int64_t size, int64_t step)
{
    Dim rest = dim_sub(have, from_small(size));
    Dim longer = rest ? dim_add(rest, from_small(step)) : VALUE_ERROR;
    Dim count = longer ? dim_floordiv(longer, from_small(step)) : VALUE_ERROR;
    drop(rest);
    drop(longer);
    return count;
}

static bool check_window(DimRef have, int64_t dim, int64_t size, int64_t step)
{
    bool less;
    int64_t room = size < 0 ? 0 : size > SMALL_MAX ? SMALL_MAX : size;
    if (!dim_less(have, from_small(room), &less)) return false;
    if (less)
        return raise_error(RuntimeError,
                           "maximum size for tensor at dimension %lld is %S but size is %lld",
                           (long long)dim, have, (long long)size);
    return (step > 0 && step <= SMALL_MAX) ||
           raise_error(RuntimeError, "step is %lld but must be > 0", (long long)step);
}

static bool raise_geometry(const char *format, int ndim, const Dim *sizes, const Dim *strides)
{
    return raise_about_two(RuntimeError, format, shape_text(ndim, sizes),
                           shape_text(ndim, strides));
}

static bool raise_overflow(int ndim, const Dim *sizes, const Dim *strides)
{
    return raise_geometry("Storage size calculation overflowed with sizes=%S and strides=%S", ndim,
                          sizes, strides);
}

static bool check_sizes(const Shape *shape)
{
    for (int i = 0; i < shape->ndim; i++)
        if (is_small(shape->size[i]) && small_value(shape->size[i]) < 0)
            return raise_overflow(shape->ndim, shape->size, shape->stride);
    return true;
}

bool rule_unfold(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim, size, step;
    Dim length;
    if (!call_dim(call, 1, self->ndim, &dim) || !call_int(call, 2, &size) ||
        !call_int(call, 3, &step))
        return false;
    DimRef have = self->ndim ? tensor_sizes(self)[dim] : from_small(1);
    DimRef stride = self->ndim ? tensor_strides(self)[dim] : from_small(1);
    if (!check_window(have, dim, size, step) || !dim_from(size, &length)) return false;
    Shape *shape = call_result(call, tensor_dtype(self));
    view_begin(shape, self);
    if (self->ndim == 0) return shape_append(shape, length, from_small(1)) && check_sizes(shape);
    return shape_append_dims(shape, self, 0, (int)dim) &&
           shape_append(shape, window_count(have, size, step), times(stride, step)) &&
           shape_append_dims(shape, self, (int)dim + 1, self->ndim) &&
           shape_append(shape, length, retain(stride)) && check_sizes(shape);
}

// ---- as_strided

static bool check_geometry(int ndim, const Dim *sizes, const Dim *strides)
{
    for (int i = 0; i < ndim; i++)
        if (is_small(strides[i]) && small_value(strides[i]) < 0)
            return raise_about_sizes(RuntimeError,
                                     "as_strided: Negative strides are not supported at the "
                                     "moment, got strides: %S",
                                     ndim, strides);
    for (int i = 0; i < ndim; i++)
        if (is_small(sizes[i]) && small_value(sizes[i]) < 0)
            return raise_overflow(ndim, sizes, strides);
    return true;
}

bool check_bounds(const Tensor *self, const Shape *shape)
{
    int64_t extent;
    if (!shape_extent(shape, &extent)) return false;
    size_t size = dtype_size(tensor_dtype(self));
    int64_t offset; // clamped, it is beyond every storage still
    int_as_int64_clamped(shape->offset, &offset);
    uint64_t last = (uint64_t)offset + (uint64_t)extent;
    bool inside = extent == 0 || last <= self->storage->nbytes / size;
    if (inside && is_small(shape->offset)) return true;
    Value sizes = shape_text(shape->ndim, shape->size);
    Value strides = sizes ? shape_text(shape->ndim, shape->stride) : VALUE_ERROR;
    if (strides)
        raise_error(RuntimeError,
                    "setStorage: sizes %S, strides %S, storage offset %S, and itemsize %zu "
                    "requiring a storage size of %lld are out of bounds for storage of size %zu",
                    (ValueRef)sizes, (ValueRef)strides, (ValueRef)shape->offset, size,
                    (long long)(last * size), self->storage->nbytes);
    drop(sizes);
    drop(strides);
    return false;
}

bool rule_as_strided(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Dim sizes[TENSOR_MAX_DIMS], strides[TENSOR_MAX_DIMS];
    int ndim = call_dims(call, 1, sizes);
    int count = ndim < 0 ? -1 : call_dims(call, 2, strides);
    if (count < 0) return false;
    if (count != ndim) return raise_error(RuntimeError, "mismatch in length of strides and shape");
    Shape *shape = call_result(call, tensor_dtype(self));
    view_begin(shape, self);
    if (!check_geometry(ndim, sizes, strides)) return false;
    for (int i = 0; i < ndim; i++)
        if (!shape_append(shape, retain(sizes[i]), retain(strides[i]))) return false;
    bool known = !shape->symbolic;
    if (call_has(call, 3)) {
        Dim offset = call_dim_value(call, 3);
        if (!offset) return false;
        replace_slot(&shape->offset, offset);
        known = known && int_check(offset);
        if (!is_small(offset)) shape->symbolic = true; // an object, which shape_drop() frees
    }
    if (!known) return true;
    if (self->storage && !check_bounds(self, shape)) return false;
    return int_sign(shape->offset) >= 0 ||
           raise_error(RuntimeError, "Tensor: invalid storage offset %S", (ValueRef)shape->offset);
}
