// Making tensors and views, and the life of the object.
#include "objects/tensor/tensor.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/protocols/items.h"
#include "objects/tensor/convert.h"
#include "objects/tensor/element.h"
#include "objects/type.h"

Type *tensor_type = &tensor_base_type;
bool tensor_autocast;

// Are all elements in the storage?
static bool elements_fit(const Tensor *tensor)
{
    if (tensor->numel == 0) return true;
    int64_t last = small_value(tensor->offset);
    for (int i = 0; i < tensor->ndim; i++)
        last += (tensor_size(tensor, i) - 1) * tensor_stride(tensor, i);
    return (uint64_t)last < tensor->storage->nbytes / dtype_size(tensor_dtype(tensor));
}

bool tensor_is_row_major(const Tensor *tensor)
{
    return shape_is_contiguous(tensor->ndim, tensor_sizes(tensor), tensor_strides(tensor));
}

bool tensor_is_sound(const Tensor *tensor)
{
    invariant(tensor->dtype < DTYPE_COUNT, "a tensor has one of the dtypes");
    invariant((tensor->ndim <= TENSOR_INLINE_DIMS) == (tensor->dims == tensor->inline_dims),
              "Dims are in the object up to four dimensions, and in a block beyond");
    invariant(!tensor->storage == tensor_is(tensor, TENSOR_FAKE), "only fakes have no storage");
    if (!tensor->storage) return true;
    invariant(!tensor_is(tensor, TENSOR_SYMBOLIC), "sizes of data are numbers");
    invariant(tensor_is(tensor, TENSOR_CONTIGUOUS) ==
                  (!tensor_is(tensor, TENSOR_UNRESOLVED) && tensor_is_row_major(tensor)),
              "the flag says whether the elements are a row-major array");
    invariant(elements_fit(tensor), "the elements are in the storage");
    return true;
}

// ---- dims

static void drop_dims(Tensor *tensor)
{
    if (tensor_is(tensor, TENSOR_SYMBOLIC)) {
        for (int i = 0; i < 2 * tensor->ndim; i++) drop(tensor->dims[i]);
        drop(tensor->offset);
    }
    if (tensor->dims != tensor->inline_dims) memory_free(tensor->dims);
}

static void set_flag(Tensor *tensor, TensorFlag flag, bool on)
{
    tensor->flags = (uint16_t)(on ? tensor->flags | flag : tensor->flags & ~flag);
}

// Fills in the Dims from a shape whose strides are given. The tensor has none yet.
static bool fill_dims(Tensor *tensor, const Shape *shape)
{
    int ndim = shape->ndim;
    Dim *dims = tensor->inline_dims;
    if (ndim > TENSOR_INLINE_DIMS) dims = memory_alloc(2 * (size_t)ndim * sizeof(Dim));
    if (!dims) return raise_memory_error();
    for (int i = 0; i < ndim; i++) {
        dims[i] = retain(shape->size[i]);
        dims[ndim + i] = retain(shape->stride[i]);
    }
    tensor->dims = dims;
    tensor->ndim = (uint8_t)ndim;
    tensor->offset = retain(shape->offset);
    set_flag(tensor, TENSOR_SYMBOLIC, shape->symbolic);
    set_flag(tensor, TENSOR_CONTIGUOUS,
             !tensor_is(tensor, TENSOR_UNRESOLVED) && tensor_is_row_major(tensor));
    return true;
}

void tensor_set_unresolved(Tensor *tensor, unsigned flags)
{
    tensor->flags = (uint16_t)((tensor->flags & ~TENSOR_UNRESOLVED) | flags);
    set_flag(tensor, TENSOR_CONTIGUOUS, !flags && tensor_is_row_major(tensor));
}

// Shows the elements as `other` does.
static void take_unresolved(Tensor *tensor, const Tensor *other)
{
    unsigned flags = other->flags & TENSOR_UNRESOLVED;
    if (flags != (tensor->flags & TENSOR_UNRESOLVED)) tensor_set_unresolved(tensor, flags);
}

// ---- making tensors

// A tensor object with a shape (strides given) and without a storage. Steals nothing.
static Tensor *tensor_bare(Type *type, Dtype dtype, const Shape *shape, int64_t numel)
{
    Tensor *made = object_alloc(type, 0);
    if (!made) return NULL;
    made->dims = made->inline_dims;
    made->dtype = (uint8_t)dtype;
    made->numel = numel;
    made->offset = from_small(0);
    if (fill_dims(made, shape)) return made;
    drop(own(made));
    return NULL;
}

// Gives a bare tensor a new storage of `elements` elements.
static Value with_storage(Tensor *tensor, const Shape *shape, int64_t elements)
{
    Value made = own(tensor);
    size_t bytes;
    if (!tensor) return VALUE_ERROR;
    if ((uint64_t)elements > SIZE_MAX / 2 ||
        __builtin_mul_overflow((size_t)elements, dtype_size(tensor_dtype(tensor)), &bytes)) {
        tensor->flags |= TENSOR_FAKE;
        drop(made);
        shape_raise_too_large(shape->ndim, shape->size);
        return VALUE_ERROR;
    }
    Value storage = storage_new(bytes);
    if (!storage) {
        drop(made);
        return VALUE_ERROR;
    }
    tensor->storage = as_storage(storage);
    invariant(tensor_is_sound(tensor), "a new tensor is sound");
    return made;
}

Value tensor_new(Dtype dtype, int ndim, const Dim *sizes)
{
    Shape shape;
    int64_t numel;
    if (!shape_numel(ndim, sizes, &numel)) return VALUE_ERROR;
    if (numel < 0)
        return raise_error(RuntimeError,
                           "SymIntArrayRef expected to contain only concrete integers");
    shape_from_sizes(&shape, ndim, sizes);
    if (!shape_contiguous(&shape)) return VALUE_ERROR;
    return with_storage(tensor_bare(tensor_type, dtype, &shape, numel), &shape, numel);
}

Value tensor_new_strided(Dtype dtype, const Shape *shape)
{
    int64_t numel, extent;
    if (!shape_numel(shape->ndim, shape->size, &numel) || !shape_extent(shape, &extent))
        return VALUE_ERROR;
    Value made = with_storage(tensor_bare(tensor_type, dtype, shape, numel), shape, extent);
    // as_strided() shows what is between the elements, too.
    if (made && dtype == DTYPE_bool && extent > numel)
        memset(as_tensor(made)->storage->data, 0, (size_t)extent);
    return made;
}

Value tensor_new_fake(Type *type, ValueRef fake_mode, bool meta, Dtype dtype, const Shape *shape)
{
    int64_t numel;
    Shape strided;
    if (!shape_numel(shape->ndim, shape->size, &numel)) return VALUE_ERROR;
    shape_copy(&strided, shape);
    Tensor *made = NULL;
    if (strided.strided || shape_contiguous(&strided))
        made = tensor_bare(type, dtype, &strided, numel);
    shape_drop(&strided);
    if (!made) return VALUE_ERROR;
    made->flags |= meta ? TENSOR_FAKE | TENSOR_META : TENSOR_FAKE;
    if (fake_mode) made->fake_mode = retain(fake_mode);
    return own(made);
}

Value tensor_new_scalar(Dtype dtype, const void *element)
{
    Value made = tensor_new(dtype, 0, NULL);
    if (made) memcpy(tensor_data(as_tensor(made)), element, dtype_size(dtype));
    return made;
}

// ---- views

bool tensor_set_version(Tensor *tensor, uint64_t version)
{
    Value made = storage_new(0), before = own(tensor->counter);
    if (!made) return false;
    tensor->counter = as_storage(made);
    tensor->counter->version = version;
    drop(before);
    return true;
}

bool tensor_count_write(Tensor *tensor)
{
    if (tensor->storage) tensor->storage->writes++;
    if (!tensor->storage && !tensor->counter && !tensor_set_version(tensor, 0)) return false;
    Storage *counter = tensor->counter ? tensor->counter : tensor->storage;
    counter->version++;
    return true;
}

// A fake has a counter as soon as another tensor shares it.
static bool share_version(Tensor *tensor, Tensor *other)
{
    if (!other->storage && !other->counter && !tensor_set_version(other, 0)) return false;
    if (other->counter) other->counter->base.refcount++;
    tensor->counter = other->counter;
    return true;
}

static void share_storage(Tensor *tensor, const Tensor *other)
{
    if (other->storage) other->storage->base.refcount++;
    tensor->storage = other->storage;
    set_flag(tensor, TENSOR_FAKE, !other->storage);
    set_flag(tensor, TENSOR_META, tensor_is(other, TENSOR_META));
    if (other->fake_mode) replace_slot(&tensor->fake_mode, retain(other->fake_mode));
    if (!other->wrapper && !tensor->wrapper) return;
    replace_slot(&tensor->wrapper, other->wrapper ? retain(other->wrapper) : VALUE_ERROR);
    set_flag(tensor, TENSOR_WRAPPER, other->wrapper != VALUE_ERROR);
    set_flag(tensor, TENSOR_BATCHED, tensor_is(other, TENSOR_BATCHED));
}

Value tensor_view(Tensor *tensor, const Shape *shape)
{
    return tensor_view_as(tensor, tensor_dtype(tensor), shape);
}

Value tensor_view_as(Tensor *tensor, Dtype dtype, const Shape *shape)
{
    int64_t numel;
    if (!shape_numel(shape->ndim, shape->size, &numel)) return VALUE_ERROR;
    Type *type = tensor->fake_mode ? tensor->base.type : tensor_type;
    Tensor *made = tensor_bare(type, dtype, shape, numel);
    if (!made) return VALUE_ERROR;
    share_storage(made, tensor);
    if (!share_version(made, tensor)) {
        drop(own(made));
        return VALUE_ERROR;
    }
    if (made->storage && (dtype == DTYPE_bool) != (tensor_dtype(tensor) == DTYPE_bool))
        made->storage->raw_bools = true;
    made->view_base = retain(tensor->view_base ? (ValueRef)tensor->view_base : ref_of(tensor));
    made->flags |= tensor->flags & TENSOR_INFERENCE;
    made->history_version = tensor_version(made);
    take_unresolved(made, tensor);
    invariant(tensor_is_sound(made), "a view shows elements of its base only");
    return own(made);
}

void tensor_shape(const Tensor *tensor, Shape *shape)
{
    shape_from_sizes(shape, tensor->ndim, tensor_sizes(tensor));
    for (int i = 0; i < tensor->ndim; i++) shape->stride[i] = retain(tensor_strides(tensor)[i]);
    shape->offset = retain(tensor->offset);
    shape->strided = true;
    shape->symbolic = tensor_is(tensor, TENSOR_SYMBOLIC);
}

// A dimension of more than one element with that stride which is not in the set yet; -1 = none.
static int dim_of_stride(const Tensor *tensor, int64_t stride, uint64_t seen)
{
    for (int i = 0; i < tensor->ndim; i++)
        if (!(seen >> i & 1) && tensor_size(tensor, i) > 1 && tensor_stride(tensor, i) == stride)
            return i;
    return -1;
}

bool tensor_is_dense(const Tensor *tensor)
{
    if (tensor_is(tensor, TENSOR_CONTIGUOUS)) return true;
    if (tensor_is(tensor, TENSOR_SYMBOLIC)) return tensor_is_row_major(tensor);
    int64_t elements = 1;
    uint64_t seen = 0;
    for (int dim; (dim = dim_of_stride(tensor, elements, seen)) >= 0;) {
        seen |= (uint64_t)1 << dim;
        elements *= tensor_size(tensor, dim);
    }
    return elements == tensor->numel;
}

Value tensor_alias(Tensor *tensor, Type *type)
{
    Shape shape;
    tensor_shape(tensor, &shape);
    Tensor *made = tensor_bare(type, tensor_dtype(tensor), &shape, tensor->numel);
    shape_drop(&shape);
    if (!made) return VALUE_ERROR;
    share_storage(made, tensor);
    take_unresolved(made, tensor);
    if (share_version(made, tensor)) return own(made);
    drop(own(made));
    return VALUE_ERROR;
}

bool tensor_set_shape(Tensor *tensor, const Shape *shape)
{
    int64_t numel;
    if (!shape_numel(shape->ndim, shape->size, &numel)) return false;
    Tensor old = *tensor; // the shape may be made of these Dims: they are dropped last
    if (old.dims == tensor->inline_dims) old.dims = old.inline_dims;
    if (!fill_dims(tensor, shape)) return false;
    tensor->numel = numel;
    drop_dims(&old);
    return true;
}

// Gives the storage more bytes; those of bools are 0.
static bool grow(Tensor *tensor, size_t bytes)
{
    Storage *storage = tensor->storage;
    size_t before = storage->nbytes;
    if (!storage_resize(storage, bytes)) return false;
    if (tensor->dtype == DTYPE_bool) memset((char *)storage->data + before, 0, bytes - before);
    return true;
}

bool tensor_resize(Tensor *tensor, int ndim, const Dim *sizes)
{
    Shape shape;
    int64_t numel, last;
    size_t bytes;
    if (!shape_numel(ndim, sizes, &numel)) return false;
    shape_from_sizes(&shape, ndim, sizes);
    shape.offset = retain(tensor->offset);
    if (!tensor->storage) {
        bool done = shape_contiguous(&shape) && tensor_set_shape(tensor, &shape);
        shape_drop(&shape);
        return done;
    }
    if (!shape_contiguous(&shape)) return false;
    if (__builtin_add_overflow(numel, small_value(tensor->offset), &last) ||
        (uint64_t)last > SIZE_MAX / 2 ||
        __builtin_mul_overflow((size_t)last, dtype_size(tensor_dtype(tensor)), &bytes))
        return shape_raise_too_large(shape.ndim, shape.size);
    if (numel && bytes > tensor->storage->nbytes && !grow(tensor, bytes)) return false;
    return tensor_set_shape(tensor, &shape);
}

bool tensor_set_data(Tensor *tensor, const Tensor *other)
{
    if (other == tensor) return true;
    if (!tensor->counter && !tensor_set_version(tensor, tensor_version(tensor))) return false;
    Shape shape;
    tensor_shape(other, &shape);
    bool done = tensor_set_shape(tensor, &shape);
    shape_drop(&shape);
    if (!done) return false;
    Storage *old = tensor->storage;
    tensor->storage = NULL;
    share_storage(tensor, other);
    tensor->dtype = other->dtype;
    take_unresolved(tensor, other);
    drop(own(old));
    invariant(tensor_is_sound(tensor), "a tensor with other data is sound");
    return true;
}

void tensor_flip_signs(const Tensor *tensor, int64_t n, void *elements)
{
    bool real = tensor_is(tensor, TENSOR_NEG);
    bool imaginary = real != tensor_is(tensor, TENSOR_CONJ);
    elements_flip_signs(n, elements, tensor_dtype(tensor), real, imaginary);
}

Value tensor_item(const Tensor *tensor, int64_t element)
{
    Dtype dtype = tensor_dtype(tensor);
    size_t size = dtype_size(dtype);
    const char *data = tensor_data(tensor) + (size_t)element * size;
    if (!tensor_is(tensor, TENSOR_UNRESOLVED)) return element_value(dtype, data);
    Complex128 copy;
    memcpy(&copy, data, size);
    tensor_flip_signs(tensor, 1, &copy);
    return element_value(dtype, &copy);
}

// ---- life

static void tensor_traverse(Object *object, VisitFn visit, void *arg)
{
    const Tensor *tensor = (const Tensor *)object;
    visit_item(tensor->dict, visit, arg);
    visit_item(tensor->view_base, visit, arg);
    visit_item(tensor->fake_mode, visit, arg);
    visit_item(tensor->wrapper, visit, arg);
    visit_item(tensor->grad, visit, arg);
    visit_item(tensor->grad_fn, visit, arg);
    visit_item(tensor->hooks, visit, arg);
    if (!tensor_is(tensor, TENSOR_SYMBOLIC)) return;
    visit_items(tensor->dims, 2 * tensor->ndim, visit, arg);
    visit_item(tensor->offset, visit, arg);
}

static void tensor_clear(Object *object)
{
    Tensor *tensor = (Tensor *)object;
    drop_slot(&tensor->dict);
    drop_slot(&tensor->view_base);
    drop_slot(&tensor->fake_mode);
    drop_slot(&tensor->wrapper);
    drop_slot(&tensor->grad);
    drop_slot(&tensor->grad_fn);
    drop_slot(&tensor->hooks);
}

static void tensor_release(Object *object)
{
    Tensor *tensor = (Tensor *)object;
    tensor_clear(object);
    drop_dims(tensor);
    drop(own(tensor->counter));
    drop(own(tensor->storage));
}

Type tensor_base_type = {
    STATIC_TYPE("torch._C.TensorBase", sizeof(Tensor)),
    .flags = TYPE_BASE | TYPE_GC,
    .dict_offset = offsetof(Tensor, dict),
    .weakref_offset = offsetof(Tensor, weakrefs),
    .doc = "A tensor: what PyTorch writes in C of it.",
    .release = tensor_release,
    .traverse = tensor_traverse,
    .clear = tensor_clear,
};
