// Tensors that exist and that a call writes into: in-place forms, out=, fill_ and its like.
#include "objects/error.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/call/call_parts.h"

// Two elements of the tensor share memory: a dimension was expanded.
static bool overlaps_itself(const Tensor *tensor)
{
    if (tensor_is(tensor, TENSOR_CONTIGUOUS) || tensor_is(tensor, TENSOR_FAKE)) return false;
    for (int i = 0; i < tensor->ndim; i++)
        if (tensor_size(tensor, i) > 1 && tensor_stride(tensor, i) == 0) return true;
    return false;
}

// The memory that two tensors share, where that is easy to say: both are dense.
typedef enum Shared { SHARED_NOTHING, SHARED_PART, SHARED_ALL } Shared;

static Shared shared_memory(const Tensor *a, const Tensor *b)
{
    if (a == b) return SHARED_ALL;
    if (!a->storage || a->storage != b->storage || !a->numel || !b->numel) return SHARED_NOTHING;
    if (!tensor_is_dense(a) || !tensor_is_dense(b)) return SHARED_NOTHING;
    const char *from_a = tensor_data(a), *from_b = tensor_data(b);
    const char *to_a = from_a + (size_t)a->numel * dtype_size(tensor_dtype(a));
    const char *to_b = from_b + (size_t)b->numel * dtype_size(tensor_dtype(b));
    if (from_a >= to_b || from_b >= to_a) return SHARED_NOTHING;
    bool same = from_a == from_b && to_a == to_b && a->ndim == b->ndim &&
                !memcmp(tensor_strides(a), tensor_strides(b), a->ndim * sizeof(Dim));
    return same ? SHARED_ALL : SHARED_PART;
}

// Does the call read a tensor that shares memory with the one that it writes?
static bool reads_shared(const OpCall *call, const Tensor *written)
{
    bool all = call->op->kinds & OVERLAP_ALL;
    int first = call->out ? 0 : 1, end = call->schema->count - (call->out ? 1 : 0);
    for (int i = first; i < end; i++) {
        ValueRef slot = call->slots[i];
        bool list = call->schema->params[i].type == PARAM_TENSORS;
        if (!is_object(slot) || !(list || tensor_check(slot))) continue;
        size_t count;
        const ValueRef *tensors = call_tensors(call, i, &count);
        for (size_t j = 0; j < count; j++) {
            if (tensors[j] == NONE) continue;
            Shared shared = shared_memory(written, as_tensor(tensors[j]));
            if (shared == SHARED_PART || (all && shared == SHARED_ALL)) return true;
        }
    }
    return false;
}

static bool check_expanded(const OpCall *call, const Tensor *tensor)
{
    bool itself = op_index(call->op) == OP_copy__ && call->slots[1] == call->slots[0];
    if (itself || call->op->kinds & OVERLAP_SELF || !overlaps_itself(tensor)) return true;
    return raise_error(RuntimeError,
                       "unsupported operation: more than one element of the written-to tensor "
                       "refers to a single memory location. Please clone() the tensor before "
                       "performing the operation.");
}

static bool check_shared(const OpCall *call, const Tensor *tensor)
{
    uint32_t kinds = call->op->kinds;
    if (kinds & (POINTWISE | OVERLAP_PART | OVERLAP_ALL) && reads_shared(call, tensor))
        return raise_error(RuntimeError,
                           "unsupported operation: some elements of the input tensor and the "
                           "written-to tensor refer to a single memory location. Please clone() "
                           "the tensor before performing the operation.");
    return true;
}

bool call_check_overlap(const OpCall *call, const Tensor *tensor)
{
    return check_expanded(call, tensor) && check_shared(call, tensor);
}

bool call_may_write(OpCall *call)
{
    if (call->out && call->wants_grad)
        return raise_error(
            RuntimeError,
            "%s(): functions with out=... arguments don't support automatic differentiation, but "
            "one of the arguments requires grad.",
            call->op->name);
    bool writes = call->inplace || call->op->kinds & MUTATES;
    return !writes || !op_hooks.before_write || op_hooks.before_write(call, call_tensor(call, 0));
}

bool call_may_mutate(OpCall *call)
{
    bool writes = call->inplace || call->op->kinds & MUTATES;
    return !writes || (call_check_overlap(call, call_tensor(call, 0)) && call_may_write(call));
}

// 1 = the same sizes, 0 = others, -1 = an exception is pending.
static int same_sizes(const Tensor *tensor, const Shape *shape)
{
    if (tensor->ndim != shape->ndim) return 0;
    for (int i = 0; i < shape->ndim; i++) {
        bool equal;
        if (!dim_equal(tensor_sizes(tensor)[i], shape->size[i], &equal)) return -1;
        if (!equal) return 0;
    }
    return 1;
}

bool call_check_inplace(const Tensor *tensor, const Shape *shape)
{
    int same = same_sizes(tensor, shape);
    if (same) return same > 0;
    Value have = shape_text(tensor->ndim, tensor_sizes(tensor));
    Value want = have ? shape_text(shape->ndim, shape->size) : VALUE_ERROR;
    if (want)
        raise_error(RuntimeError, "output with shape %S doesn't match the broadcast shape %S",
                    (ValueRef)have, (ValueRef)want);
    drop(have);
    drop(want);
    return false;
}

static bool warn_resized(const OpCall *call, const Tensor *tensor, const Shape *shape)
{
    Value have = shape_text(tensor->ndim, tensor_sizes(tensor));
    Value want = have ? shape_text(shape->ndim, shape->size) : VALUE_ERROR;
    bool done =
        want &&
        call_warn(call,
                  "An output with one or more elements was resized since it had shape %S, which "
                  "does not match the required output shape %S. This behavior is deprecated, and "
                  "in a future PyTorch release outputs will not be resized unless they have zero "
                  "elements. You can explicitly reuse an out tensor t by resizing it, inplace, to "
                  "zero elements with t.resize_(0). (Triggered internally at "
                  "../aten/src/ATen/native/Resize.cpp:28.)",
                  (ValueRef)have, (ValueRef)want);
    drop(have);
    drop(want);
    return done;
}

// Strides as the result's own would be.
static bool restride_out(Tensor *tensor, const Shape *shape)
{
    Shape strided;
    if (!shape->strided) return true;
    shape_copy(&strided, shape);
    replace_slot(&strided.offset, retain(tensor->offset));
    bool done = tensor_set_shape(tensor, &strided);
    shape_drop(&strided);
    return done;
}

static bool resize_out(const OpCall *call, Tensor *tensor, const Shape *shape)
{
    int same = same_sizes(tensor, shape);
    if (same) return same > 0;
    if (tensor->numel != 0 && !warn_resized(call, tensor, shape)) return false;
    return tensor_resize(tensor, shape->ndim, shape->size) && restride_out(tensor, shape);
}

bool call_fit_out(const OpCall *call, Tensor *tensor, const Shape *shape)
{
    bool sooner = call->op->kinds & OVERLAP_SOONER && !check_expanded(call, tensor);
    return !sooner && check_shared(call, tensor) && resize_out(call, tensor, shape) &&
           check_expanded(call, tensor);
}

bool call_require_grad(Tensor *tensor)
{
    if (!dtype_is_inexact(tensor_dtype(tensor)))
        return raise_error(
            RuntimeError, "Only Tensors of floating point and complex dtype can require gradients");
    tensor->flags |= TENSOR_REQUIRES_GRAD;
    return true;
}
