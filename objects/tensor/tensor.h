// The tensor: a shape over a storage.
//
//     Tensor | refcount type | dict weakrefs | storage counter | view_base fake_mode wrapper |
//            | grad grad_fn hooks |
//            | offset | numel | dtype ndim flags | output_nr history_version | dims | 4 + 4 Dims |
//                                                                                |
//            dims -> | size[0] .. size[n-1] | stride[0] .. stride[n-1] |     inline up to n = 4
//
//     x = [[1, 2, 3],      storage  | 1 2 3 4 5 6 |      sizes 2 3, strides 3 1, offset 0
//          [4, 5, 6]]
//     x.t()                the same storage              sizes 3 2, strides 1 3, offset 0
//     x[:, 1]              the same storage              sizes 2,   strides 3,   offset 1
//
// Element (i, j) is the element number offset + i * stride[0] + j * stride[1] of the storage.
// Offset and strides count elements, and strides are never negative.
//
// A size, a stride and the offset are Dims: Values. Those of a tensor with data are small ints. A
// fake tensor has no data (`storage` is NULL); its Dims may also be SymInt objects. So `x.shape` is
// a copy of words, and a guard on a shape compares words. PyTorch keeps sizes in the object as
// well, up to 5; here they are in a block of their own beyond 4, because `x.unsqueeze_`
// and `x.data = y` change the number of dimensions of a tensor that exists.
//
// tensor_type is the class that results have: `class Tensor(torch._C.TensorBase)` of
// torch/_tensor.mpy. Until that has been announced it is TensorBase itself. What a tensor can do is
// a module's subject: vm/modules/torch.
#pragma once

#include "objects/object.h"
#include "objects/tensor/dtype.h"
#include "objects/tensor/shape.h"
#include "objects/tensor/storage.h"
#include "objects/type.h"

#define TENSOR_INLINE_DIMS 4

typedef enum TensorFlag {
    TENSOR_REQUIRES_GRAD = 1 << 0, // a leaf that wants a gradient, or a result with a grad_fn
    TENSOR_FAKE = 1 << 1,          // shape and dtype only
    TENSOR_INFERENCE = 1 << 2,     // made under inference_mode
    // The elements can be read as a row-major array: strides are those of one, and none of the two
    // flags of TENSOR_UNRESOLVED is set. Kept up to date.
    TENSOR_CONTIGUOUS = 1 << 3,
    TENSOR_SYMBOLIC = 1 << 4,     // some Dim is an object
    TENSOR_NUMBER = 1 << 5,       // stands for a Python number: promotes as one
    TENSOR_RETAINS_GRAD = 1 << 6, // retain_grad() was called on a tensor that is no leaf
    TENSOR_QUIET_VIEW = 1 << 7,   // a view made under no_grad, or a view of such a one
    // A view made under inference_mode of a tensor that was not, or a view of such a one.
    TENSOR_INFERENCE_VIEW = 1 << 8,
    // The elements are the conjugates, or the negatives, of those in the storage: views that conj()
    // and imag make without a copy. An iteration knows; what reads a storage itself asks first.
    TENSOR_CONJ = 1 << 9,
    TENSOR_NEG = 1 << 10,
    TENSOR_UNRESOLVED = TENSOR_CONJ | TENSOR_NEG,
    TENSOR_META = 1 << 11,    // its device is meta: a fake of no mode, or the fake of such a one
    TENSOR_WRAPPER = 1 << 12, // of a transform of torch.func: `wrapper` says what it stands for
    TENSOR_BATCHED = 1 << 13, // a wrapper of vmap: an example of a batch
    // A view that split(), unbind() ... has made together with others, or a view of such a one.
    TENSOR_VIEW_OF_MANY = 1 << 14,
} TensorFlag;

typedef struct Tensor {
    Object base;
    Value dict;
    Value weakrefs;
    Storage *storage; // owned; NULL = fake, or on the device meta
    Storage *counter; // owned: has no bytes, only a version. NULL = the storage has the version
    Value view_base;  // what this is a view of, never itself a view; VALUE_ERROR = no view
    Value fake_mode;  // of a fake: the FakeTensorMode it belongs to; VALUE_ERROR = none
    Value wrapper;    // of a TENSOR_WRAPPER: the record of torch._C._functorch
    Value grad;       // VALUE_ERROR = None
    Value grad_fn;    // the node whose result this is. A leaf has none, or its AccumulateGrad
    Value hooks;      // a dict; VALUE_ERROR = none
    Dim offset;       // of element (0, 0, ...) in the storage, in elements
    int64_t numel;    // -1 = symbolic
    uint8_t dtype;    // a Dtype
    uint8_t ndim;
    uint16_t flags;           // TensorFlag
    uint32_t output_nr;       // which result of grad_fn this is
    uint64_t history_version; // tensor_version() when the view was made or its grad_fn set
    Dim *dims;                // sizes, then strides: inline_dims, or a block of its own
    Dim inline_dims[2 * TENSOR_INLINE_DIMS];
} Tensor;

extern Type tensor_base_type; // torch._C.TensorBase: its slots are filled by vm/modules/torch
extern Type *tensor_type;     // the class of results; not owned
// Autocast is on for the CPU: PyTorch counts it among the dispatch keys of every tensor.
extern bool tensor_autocast;

// An instance of torch._C.TensorBase or of a class derived from it.
static inline bool tensor_check(ValueRef value)
{
    return is_object(value) && (object_of(value)->type == tensor_type ||
                                type_is_subtype(object_of(value)->type, &tensor_base_type));
}

static inline Tensor *as_tensor(ValueRef value)
{
    invariant(tensor_check(value), "what is read as a tensor is one");
    return (Tensor *)object_of(value);
}
static inline Dtype tensor_dtype(const Tensor *tensor)
{
    return (Dtype)tensor->dtype;
}
static inline const Dim *tensor_sizes(const Tensor *tensor)
{
    return tensor->dims;
}
static inline const Dim *tensor_strides(const Tensor *tensor)
{
    return tensor->dims + tensor->ndim;
}
// Of a tensor with data.
static inline int64_t tensor_size(const Tensor *tensor, int dim)
{
    return small_value(tensor->dims[dim]);
}
static inline int64_t tensor_stride(const Tensor *tensor, int dim)
{
    return small_value(tensor->dims[tensor->ndim + dim]);
}
// The address of element (0, 0, ...). Borrowed from the storage.
static inline char *tensor_data(const Tensor *tensor)
{
    invariant(tensor->storage, "only a tensor with data has an address");
    return (char *)tensor->storage->data +
           (size_t)small_value(tensor->offset) * dtype_size(tensor_dtype(tensor));
}
// How often it, or a tensor that shares its version, has been changed in place.
static inline uint64_t tensor_version(const Tensor *tensor)
{
    const Storage *counter = tensor->counter ? tensor->counter : tensor->storage;
    return counter ? counter->version : 0;
}
static inline bool tensor_is(const Tensor *tensor, TensorFlag flag)
{
    return (tensor->flags & flag) != 0;
}
// A view does where its base does, also if it has no history itself, or does not know yet that its
// base has got one.
static inline bool tensor_requires_grad(const Tensor *tensor)
{
    if (tensor_is(tensor, TENSOR_REQUIRES_GRAD)) return true;
    return tensor->view_base && dtype_is_inexact(tensor_dtype(tensor)) &&
           tensor_is(as_tensor(tensor->view_base), TENSOR_REQUIRES_GRAD);
}
// True if its elements are bools in memory that is read as another dtype, too.
static inline bool tensor_has_raw_bools(const Tensor *tensor)
{
    return tensor->dtype == DTYPE_bool && tensor->storage && tensor->storage->raw_bools;
}

// Are the elements adjacent in memory, no two at the same address, in whatever order of the
// dimensions? A fake tensor with symbolic sizes counts as dense only if it is contiguous.
bool tensor_is_dense(const Tensor *tensor);
// Are the strides those of a row-major array? (Of a symbolic tensor as far as that is known.)
bool tensor_is_row_major(const Tensor *tensor);
// From n elements as they are in the storage to those that the tensor shows, or back.
void tensor_flip_signs(const Tensor *tensor, int64_t n, void *elements);
// True if a tensor is as drawn above: for invariant().
bool tensor_is_sound(const Tensor *tensor);

// A contiguous tensor of this shape with a storage of its own, whose contents are undefined. Class
// tensor_type. VALUE_ERROR with MemoryError or RuntimeError (too large) pending.
Value tensor_new(Dtype dtype, int ndim, const Dim *sizes);
// The same without data, of a class for fakes; contiguous unless the shape has strides. `fake_mode`
// may be VALUE_ERROR. `meta`: its device is meta, not the CPU.
Value tensor_new_fake(Type *type, ValueRef fake_mode, bool meta, Dtype dtype, const Shape *shape);
// A tensor of the given strides in a new storage that is just large enough.
Value tensor_new_strided(Dtype dtype, const Shape *shape);
// A tensor of one element and no dimensions: `element` points to a value of the dtype.
Value tensor_new_scalar(Dtype dtype, const void *element);
// Another shape over the same storage. Its view_base is the tensor, or what that is a view of. The
// caller has checked that all elements are in the storage. A view of a fake tensor
// is fake and has its class and mode.
Value tensor_view(Tensor *tensor, const Shape *shape);
// The same with the bytes read as elements of another dtype, which the shape counts.
Value tensor_view_as(Tensor *tensor, Dtype dtype, const Shape *shape);
// Sets the flags of TENSOR_UNRESOLVED.
void tensor_set_unresolved(Tensor *tensor, unsigned flags);
// The same tensor as a new object that shares only the storage and the version: `x.detach()`. Of a
// wrapper it is a wrapper with the same record.
Value tensor_alias(Tensor *tensor, Type *type);
// Gives a tensor another shape, as unsqueeze_ does. False with MemoryError pending.
bool tensor_set_shape(Tensor *tensor, const Shape *shape);
// Makes a tensor contiguous with these sizes, as resize_ does. The storage grows if it is too
// short; the elements keep their indices in it.
bool tensor_resize(Tensor *tensor, int ndim, const Dim *sizes);
// Makes `tensor` refer to the storage, dtype and shape of `other`: `x.data = other`. Both are on
// one device. The version stays its own.
bool tensor_set_data(Tensor *tensor, const Tensor *other);
// The tensor has been changed in place. False with MemoryError pending.
bool tensor_count_write(Tensor *tensor);
// From now on it shares its version with no other tensor: `x.data`. Likewise.
bool tensor_set_version(Tensor *tensor, uint64_t version);
// The shape of a tensor with its strides and offset.
void tensor_shape(const Tensor *tensor, Shape *shape);

// The element that is `element` elements after (0, 0, ...) in the storage, as a Python number: of
// a tensor with data.
Value tensor_item(const Tensor *tensor, int64_t element);
