// Rules of complex numbers: views of their parts, conjugates, and what makes them.
#include "objects/error.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

// ---- pairs of reals as complex numbers, and back

bool rule_view_as_real(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    if (!dtype_is_complex(tensor_dtype(self)))
        return raise_error(RuntimeError, "view_as_real is only supported for complex tensors");
    if (tensor_is(self, TENSOR_CONJ))
        return raise_error(
            RuntimeError,
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate "
            "tensor so you can view it as real, use self.resolve_conj(); however, be warned that "
            "the resulting tensor will NOT alias the original.");
    Shape *shape = call_result(call, dtype_to_real(tensor_dtype(self)));
    view_begin(shape, self);
    replace_slot(&shape->offset, dim_mul(self->offset, from_small(2)));
    for (int i = 0; i < self->ndim; i++)
        if (!shape_append(shape, retain(tensor_sizes(self)[i]),
                          dim_stride(tensor_strides(self)[i], from_small(2))))
            return false;
    return shape_append(shape, from_small(2), from_small(1));
}

static bool halve(Value *to, DimRef number, const char *message)
{
    Value half = dim_floordiv(number, from_small(2));
    Value twice = half ? dim_mul(half, from_small(2)) : VALUE_ERROR;
    bool equal = false, done = twice && dim_equal(twice, number, &equal);
    drop(twice);
    replace_slot(to, half);
    return done && (equal || raise_error(RuntimeError, "%s", message));
}

bool rule_view_as_complex(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Dtype dtype = tensor_dtype(self);
    int last = self->ndim - 1;
    bool pair;
    if (dtype != DTYPE_float32 && dtype != DTYPE_float64)
        return raise_error(RuntimeError,
                           "view_as_complex is only supported for half, float and double tensors, "
                           "but got a tensor of scalar type: %s",
                           dtype_table[dtype].scalar);
    if (!self->ndim)
        return raise_error(RuntimeError, "Input tensor must have one or more dimensions");
    if (!dim_is(tensor_sizes(self)[last], 2, &pair)) return false;
    if (!pair) return raise_error(RuntimeError, "Tensor must have a last dimension of size 2");
    if (tensor_strides(self)[last] != from_small(1))
        return raise_error(RuntimeError, "Tensor must have a last dimension with stride 1");
    Shape *shape = call_result(call, dtype_to_complex(dtype));
    view_begin(shape, self);
    for (int i = 0; i < last; i++) {
        Value stride = VALUE_ERROR;
        if (!halve(&stride, tensor_strides(self)[i],
                   "Tensor must have a stride divisible by 2 for all but last dimension")) {
            drop(stride);
            return false;
        }
        if (!shape_append(shape, retain(tensor_sizes(self)[i]), stride)) return false;
    }
    return halve(&shape->offset, self->offset, "Tensor must have a storage_offset divisible by 2");
}

// ---- conjugates

static bool flipped_view(OpCall *call, TensorFlag flag)
{
    const Tensor *self = call_tensor(call, 0);
    tensor_shape(self, call_result(call, tensor_dtype(self)));
    call->results[0].flips = flag;
    return true;
}

bool rule_conj_view(OpCall *call)
{
    return flipped_view(call, TENSOR_CONJ);
}

// Of floats that a sign bit negates in memory.
bool rule_neg_view(OpCall *call)
{
    Dtype dtype = dtype_to_real(tensor_dtype(call_tensor(call, 0)));
    if (dtype != DTYPE_float32 && dtype != DTYPE_float64)
        return raise_error(RuntimeError, "_neg_view: not implemented for '%s'",
                           dtype_table[dtype].scalar);
    return flipped_view(call, TENSOR_NEG);
}

bool rule_conj(OpCall *call)
{
    bool complex = dtype_is_complex(tensor_dtype(call_tensor(call, 0)));
    call->value = complex ? op_apply(OP__conj_, false, call->slots, 1) : retain(call->slots[0]);
    return call->value != VALUE_ERROR;
}

static bool resolve(OpCall *call, TensorFlag flag)
{
    bool flips = tensor_is(call_tensor(call, 0), flag);
    call->value = flips ? op_apply(OP_clone_, false, call->slots, 1) : retain(call->slots[0]);
    return call->value != VALUE_ERROR;
}

bool rule_resolve_conj(OpCall *call)
{
    return resolve(call, TENSOR_CONJ);
}
bool rule_resolve_neg(OpCall *call)
{
    return resolve(call, TENSOR_NEG);
}
bool rule_is_conj(OpCall *call)
{
    call->value = from_bool(tensor_is(call_tensor(call, 0), TENSOR_CONJ));
    return true;
}
bool rule_is_neg(OpCall *call)
{
    call->value = from_bool(tensor_is(call_tensor(call, 0), TENSOR_NEG));
    return true;
}

// ---- Fourier transforms
//
// In memory, the dimensions that are transformed follow the others, which are ordered by their
// strides, as in PyTorch (ATen/native/mkl/SpectralOps.cpp, _exec_fft).

// The dimensions of a transform, and the shape that it starts from.
typedef struct Transform {
    int ndim, count;
    int64_t dims[TENSOR_MAX_DIMS];
    DimRef stride[TENSOR_MAX_DIMS];
    int order[TENSOR_MAX_DIMS]; // of the result's dimensions in memory, outermost first
} Transform;

static bool transform_begin(const OpCall *call, Transform *transform)
{
    const Tensor *self = call_tensor(call, 0);
    uint64_t seen = 0;
    transform->ndim = self->ndim;
    transform->count = call_ints(call, 1, transform->dims);
    for (int i = 0; i < self->ndim; i++) transform->stride[i] = tensor_strides(self)[i];
    for (int i = 0; i < transform->count; i++) {
        if (!shape_wrap_dim(&transform->dims[i], self->ndim)) return false;
        if (self->ndim == 0)
            return raise_error(RuntimeError, "shape '[-1, 0]' is invalid for input of size 1");
        uint64_t bit = (uint64_t)1 << transform->dims[i];
        if (seen & bit) return raise_error(RuntimeError, "FFT dims must be unique");
        seen |= bit;
    }
    return transform->count >= 0;
}

// A transform whose last dimension is another one than the rest has one.
static bool has_last(const Transform *transform)
{
    return transform->count > 0 ||
           raise_error(RuntimeError, "ArrayRef: attempted to access back() of empty list");
}

// Sorts dimensions by their strides, the largest first. A symbolic stride stays where it is.
static void sort_by_stride(const Transform *transform, int count, int *dims)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0; j--) {
            DimRef before = transform->stride[dims[j - 1]], after = transform->stride[dims[j]];
            if (!is_small(before) || !is_small(after)) break;
            if (small_value(before) >= small_value(after)) break;
            int kept = dims[j];
            dims[j] = dims[j - 1];
            dims[j - 1] = kept;
        }
}

// The order for a transform over dims[from] .. dims[to - 1], of which the last `fixed` stay last.
static void find_order(Transform *transform, int from, int to, int fixed)
{
    int batch = 0, count = to - from;
    for (int i = 0; i < transform->ndim; i++) {
        bool transformed = false;
        for (int j = from; j < to; j++) transformed |= transform->dims[j] == i;
        if (!transformed) transform->order[batch++] = i;
    }
    sort_by_stride(transform, batch, transform->order);
    for (int j = 0; j < count; j++) transform->order[batch + j] = (int)transform->dims[from + j];
    sort_by_stride(transform, count - fixed, transform->order + batch);
}

// Adds the result: the sizes are those of the first argument, but for the last dimension's, `last`,
// which it takes; the strides follow the order.
static bool add_transform(OpCall *call, const Transform *transform, Dtype dtype, Dim last)
{
    const Tensor *self = call_tensor(call, 0);
    if (!last) return false;
    Shape *shape = call_result(call, dtype);
    shape_from_sizes(shape, self->ndim, tensor_sizes(self));
    shape->symbolic |= !is_small(last);
    if (transform->count)
        replace_slot(&shape->size[transform->dims[transform->count - 1]], last);
    else
        drop(last);
    Dim stride = from_small(1);
    for (int i = self->ndim; i-- > 0;) {
        int dim = transform->order[i];
        shape->stride[dim] = retain(stride);
        if (shape->size[dim] != from_small(0))
            replace_slot(&stride, dim_stride(stride, shape->size[dim]));
        if (!stride) stride = from_small(1); // the exception stays pending
    }
    drop(stride);
    shape->strided = true;
    return !error_pending();
}

static bool check_transform(const OpCall *call, bool complex)
{
    Dtype dtype = tensor_dtype(call_tensor(call, 0));
    bool real = dtype == DTYPE_float32 || dtype == DTYPE_float64;
    return (complex ? dtype_is_complex(dtype) : real) ||
           raise_error(RuntimeError, "%s: the input cannot be of type %s", call->op->name,
                       dtype_table[dtype].scalar);
}

static Dim last_size(const OpCall *call, const Transform *transform)
{
    if (!transform->count) return from_small(1);
    return retain(tensor_sizes(call_tensor(call, 0))[transform->dims[transform->count - 1]]);
}

bool rule_fft(OpCall *call)
{
    Transform transform;
    if (!check_transform(call, true) || !transform_begin(call, &transform)) return false;
    find_order(&transform, 0, transform.count, 0);
    return add_transform(call, &transform, tensor_dtype(call_tensor(call, 0)),
                         last_size(call, &transform));
}

bool rule_fft_of_reals(OpCall *call)
{
    Transform transform;
    if (!check_transform(call, false) || !transform_begin(call, &transform) ||
        !has_last(&transform))
        return false;
    Dim size = last_size(call, &transform);
    if (call_bool(call, 3)) {
        replace_slot(&size, dim_floordiv(size, from_small(2)));
        if (size) replace_slot(&size, dim_add(size, from_small(1)));
    }
    find_order(&transform, 0, transform.count, 1);
    return add_transform(call, &transform, dtype_to_complex(tensor_dtype(call_tensor(call, 0))),
                         size);
}

// The last dimension comes after a transform over the others.
bool rule_fft_to_reals(OpCall *call)
{
    Transform transform;
    if (!check_transform(call, true) || !transform_begin(call, &transform) || !has_last(&transform))
        return false;
    if (transform.count > 1) {
        find_order(&transform, 0, transform.count - 1, 0);
        for (int i = 0; i < transform.ndim; i++)
            transform.stride[transform.order[i]] = from_small(transform.ndim - i);
    }
    find_order(&transform, transform.count - 1, transform.count, 0);
    return add_transform(call, &transform, dtype_to_real(tensor_dtype(call_tensor(call, 0))),
                         call_dim_value(call, 3));
}

// ---- complex, polar

bool rule_complex(OpCall *call)
{
    Dtype first = tensor_dtype(call_tensor(call, 0)), second = tensor_dtype(call_tensor(call, 1));
    bool halves = first == DTYPE_float16 || second == DTYPE_float16;
    if (!dtype_is_floating(first) || !dtype_is_floating(second) || first == DTYPE_bfloat16 ||
        second == DTYPE_bfloat16)
        return raise_error(RuntimeError,
                           "Expected both inputs to be Half, Float or Double tensors but got %s "
                           "and %s",
                           dtype_table[first].scalar, dtype_table[second].scalar);
    if (first != second)
        return raise_error(RuntimeError,
                           "Expected object of scalar type %s but got scalar type %s for second "
                           "argument",
                           dtype_table[first].scalar, dtype_table[second].scalar);
    if (halves)
        return raise_error(RuntimeError, "\"%s_cpu\" not implemented for 'ComplexHalf'",
                           call->op->name);
    call->promoted = dtype_to_complex(first);
    return rule_layout(call, 2);
}
