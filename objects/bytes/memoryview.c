// memoryview: the bytes of another object, seen as items of a format in up to 64 dimensions.
//
//     MemoryView  [ ... | view: owner, bytes, format, shape, strides | shape[0..n) strides[0..n) ]
//                                  |      |             \____________________^
//                                  v      v
//                              bytearray  data      exports + 1 for each view on it
//
// The buffer of every view is lent by the underlying object, never by another view. So a slice
// outlives the view it was made from. A released view has no owner. Each operation first checks
// that (check_released), and checks again after script code has run.
#include "objects/bytes/bytes.h"
#include "objects/bytes/bytes_parts.h"
#include "objects/bytes/item_format.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/text.h"

#define DIMENSIONS_MAX 64

typedef struct MemoryView {
    Object base;
    Buffer view;
    const ItemFormat *format;
    ssize_t exports; // buffers that were lent of this view itself
    int64_t hash;    // -1 = not computed yet
    Value weakrefs;
    ssize_t shape_and_strides[];
} MemoryView;

static MemoryView *as_view(ValueRef value)
{
    return (MemoryView *)object_of(value);
}

static bool view_check(ValueRef value)
{
    return is_exactly(value, &memoryview_type);
}

static bool check_released(const MemoryView *self)
{
    return self->view.owner ||
           raise_error(ValueError, "operation forbidden on released memoryview object");
}

// ---- making

// A view with `dimensions` dimensions on a buffer, which it takes over; the caller fills in shape
// and strides.
static MemoryView *view_on(Buffer *lent, int dimensions)
{
    MemoryView *self = object_alloc(&memoryview_type, (size_t)dimensions);
    if (!self) {
        buffer_release(lent);
        return NULL;
    }
    self->hash = -1;
    self->view = *lent;
    self->view.dimensions = dimensions;
    self->view.shape = self->shape_and_strides;
    self->view.strides = self->shape_and_strides + dimensions;
    return self;
}

static MemoryView *alloc_view(ValueRef owner, int dimensions)
{
    Buffer lent;
    return buffer_get_strided(owner, &lent, false) ? view_on(&lent, dimensions) : NULL;
}

// A new view with the same contents as another.
static MemoryView *copy_view(const MemoryView *other)
{
    const Buffer *view = &other->view;
    MemoryView *self = alloc_view(view->owner, view->dimensions);
    if (!self) return NULL;
    size_t size = (size_t)view->dimensions * sizeof(ssize_t);
    memcpy(self->view.shape, view->shape, size);
    memcpy(self->view.strides, view->strides, size);
    self->view.bytes = view->bytes;
    self->view.size = view->size;
    self->view.item_size = view->item_size;
    self->view.read_only = view->read_only;
    self->view.format = view->format;
    self->format = other->format;
    return self;
}

Value memoryview_new(ValueRef value)
{
    if (view_check(value)) {
        if (!check_released(as_view(value))) return VALUE_ERROR;
        return own(copy_view(as_view(value)));
    }
    if (!buffer_check(value))
        return raise_error(TypeError, "memoryview: a bytes-like object is required, not '%.200T'",
                           value);
    Buffer lent;
    if (!buffer_get_strided(value, &lent, false)) return VALUE_ERROR;
    MemoryView *self = view_on(&lent, lent.dimensions);
    if (!self) return VALUE_ERROR;
    self->format = item_format(lent.format);
    if (lent.strides) { // of a view that a PickleBuffer passes on
        memcpy(self->view.shape, lent.shape, (size_t)lent.dimensions * sizeof(ssize_t));
        memcpy(self->view.strides, lent.strides, (size_t)lent.dimensions * sizeof(ssize_t));
        return own(self);
    }
    self->view.shape[0] = lent.size / lent.item_size;
    self->view.strides[0] = lent.item_size;
    return own(self);
}

static Value view_construct(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"object", NULL};
    static const Signature signature = {"memoryview", names, 1, 1};
    ValueRef slots[1];
    (void)type;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    return memoryview_new(slots[0]);
}

static void view_release(Object *self)
{
    buffer_release(&((MemoryView *)self)->view);
}

static void view_traverse(Object *self, VisitFn visit, void *arg)
{
    Value owner = ((MemoryView *)self)->view.owner;
    if (owner) visit(owner, arg);
}

static void view_clear(Object *self)
{
    MemoryView *view = (MemoryView *)self;
    if (view->exports == 0) buffer_release(&view->view);
}

// ---- lending

static bool buffer_slot(ValueRef value, Buffer *buffer, bool writable)
{
    MemoryView *self = as_view(value);
    if (!check_released(self)) return false;
    if (writable && self->view.read_only)
        return raise_error(BufferError, "memoryview: underlying buffer is not writable");
    *buffer = self->view;
    buffer->owner = retain(value);
    self->exports++;
    return true;
}

static void release_buffer_slot(Object *self)
{
    ((MemoryView *)self)->exports--;
}

static bool release(MemoryView *self)
{
    if (self->exports > 0)
        return raise_error(BufferError, "memoryview has %zd exported buffer%s", self->exports,
                           self->exports == 1 ? "" : "s");
    buffer_release(&self->view);
    return true;
}

static Value view_method_release(ValueRef self, METHOD_ARGS)
{
    return release(as_view(self)) ? NONE : VALUE_ERROR;
}

static Value view_method_enter(ValueRef self, METHOD_ARGS)
{
    return check_released(as_view(self)) ? retain(self) : VALUE_ERROR;
}

// ---- addresses of items

// Moves to an item of one dimension; negative indices count from the end.
static inline bool step_into(const Buffer *view, int dimension, ssize_t index, char **item)
{
    ssize_t count = view->shape[dimension];
    if (index < 0) index += count;
    if (index < 0 || index >= count)
        return raise_error(IndexError, "index out of bounds on dimension %d", dimension + 1);
    *item += index * view->strides[dimension];
    return true;
}

static bool is_index(ValueRef key)
{
    return is_small(key) || type_of(key)->index;
}

// A tuple of nothing but indices (or, with `slices`, of nothing but slices).
static bool is_tuple_of(ValueRef key, bool slices)
{
    if (!tuple_check(key) || (slices && tuple_size(key) == 0)) return false;
    for (ssize_t i = 0; i < tuple_size(key); i++)
        if (slices ? !slice_check(tuple_at(key, i)) : !is_index(tuple_at(key, i))) return false;
    return true;
}

static bool find_by_tuple(const MemoryView *self, ValueRef key, char **item)
{
    ssize_t count = tuple_size(key);
    int dimensions = self->view.dimensions;
    if (count < dimensions)
        return raise_error(NotImplementedError, "sub-views are not implemented");
    if (count > dimensions)
        return raise_error(TypeError, "cannot index %d-dimension view with %zd-element tuple",
                           dimensions, count);
    ssize_t indices[DIMENSIONS_MAX];
    for (ssize_t i = 0; i < count; i++)
        if (!object_as_ssize(tuple_at(key, i), &indices[i], IndexError)) return false;
    if (!check_released(self)) return false;
    *item = self->view.bytes;
    for (int i = 0; i < dimensions; i++)
        if (!step_into(&self->view, i, indices[i], item)) return false;
    return true;
}

static bool find_by_index(const MemoryView *self, ValueRef key, const char *nested, char **item)
{
    ssize_t index;
    if (!object_as_ssize(key, &index, IndexError) || !check_released(self)) return false;
    if (self->view.dimensions > 1) return raise_error(NotImplementedError, "%s", nested);
    *item = self->view.bytes;
    return step_into(&self->view, 0, index, item);
}

static bool is_whole(ValueRef key)
{
    return bits_of(key) == bits_of(ELLIPSIS) || (tuple_check(key) && tuple_size(key) == 0);
}

// The part of the first dimension that the slice names, in the shape of `part`.
static bool cut(Buffer *part, ValueRef slice)
{
    ssize_t start, stop, step, count;
    if (!slice_unpack(slice, &start, &stop, &step)) return false;
    slice_adjust(part->shape[0], &start, &stop, step, &count);
    if (count > 0) part->bytes += part->strides[0] * start;
    part->shape[0] = count;
    part->strides[0] *= step;
    part->size = part->item_size;
    for (int i = 0; i < part->dimensions; i++) part->size *= part->shape[i];
    return true;
}

static Value sliced(const MemoryView *self, ValueRef key)
{
    MemoryView *part = copy_view(self);
    if (!part) return VALUE_ERROR;
    if (cut(&part->view, key)) return own(part);
    drop(own(part));
    return VALUE_ERROR;
}

static Value subscript_slot(ValueRef value, ValueRef key)
{
    const MemoryView *self = as_view(value);
    char *item;
    if (!check_released(self)) return VALUE_ERROR;
    if (self->view.dimensions == 0) {
        if (bits_of(key) == bits_of(ELLIPSIS)) return retain(value);
        if (is_whole(key)) return item_unpack(self->format, self->view.bytes);
        return raise_error(TypeError, "invalid indexing of 0-dim memory");
    }
    if (is_index(key)) {
        const char *nested = "multi-dimensional sub-views are not implemented";
        if (!find_by_index(self, key, nested, &item)) return VALUE_ERROR;
        return item_unpack(self->format, item);
    }
    if (slice_check(key)) return sliced(self, key);
    if (is_tuple_of(key, false)) {
        if (!find_by_tuple(self, key, &item)) return VALUE_ERROR;
        return item_unpack(self->format, item);
    }
    if (is_tuple_of(key, true))
        return raise_error(NotImplementedError, "multi-dimensional slicing is not implemented");
    return raise_error(TypeError, "memoryview: invalid slice key");
}

static Value item_slot(ValueRef value, ssize_t index)
{
    const MemoryView *self = as_view(value);
    if (!check_released(self)) return VALUE_ERROR;
    if (self->view.dimensions == 0)
        return raise_error(TypeError, "invalid indexing of 0-dim memory");
    if (self->view.dimensions > 1)
        return raise_error(NotImplementedError, "multi-dimensional sub-views are not implemented");
    char *item = self->view.bytes;
    return step_into(&self->view, 0, index, &item) ? item_unpack(self->format, item) : VALUE_ERROR;
}

// ---- assigning

// Packing the value may run script code, which may release the view.
static bool assign_item(MemoryView *self, ValueRef key, ValueRef value)
{
    char bytes[sizeof(uint64_t)], *item = self->view.bytes;
    if (tuple_check(key) && tuple_size(key) > 0) {
        if (!find_by_tuple(self, key, &item)) return false;
    } else if (!is_whole(key)) {
        if (!find_by_index(self, key, "sub-views are not implemented", &item)) return false;
    }
    if (!item_pack(self->format, value, bytes) || !check_released(self)) return false;
    memcpy(item, bytes, (size_t)self->format->size);
    return true;
}

// Copies through a buffer, because source and target may overlap.
static bool copy_items(const Buffer *target, const Buffer *source)
{
    char *copy = memory_alloc((size_t)source->size + 1);
    if (!copy) return raise_memory_error();
    buffer_copy(source, copy);
    for (ssize_t i = 0; i < target->shape[0]; i++)
        memcpy(target->bytes + i * target->strides[0], copy + i * target->item_size,
               (size_t)target->item_size);
    memory_free(copy);
    return true;
}

static bool assign_slice(MemoryView *self, ValueRef key, ValueRef value)
{
    Buffer source, target;
    ssize_t shape, stride;
    if (!buffer_get_strided(value, &source, false)) return false;
    bool done = false;
    target = self->view;
    shape = self->view.shape[0];
    stride = self->view.strides[0];
    target.shape = &shape;
    target.strides = &stride;
    if (cut(&target, key) && check_released(self)) {
        ssize_t count = source.shape ? source.shape[0] : source.size / source.item_size;
        const ItemFormat *format = item_format(source.format);
        if (source.dimensions != 1 || count != shape || format->letter != self->format->letter)
            raise_error(ValueError,
                        "memoryview assignment: lvalue and rvalue have different structures");
        else
            done = copy_items(&target, &source);
    }
    buffer_release(&source);
    return done;
}

static bool set_subscript_slot(ValueRef value, ValueRef key, ValueRef item)
{
    MemoryView *self = as_view(value);
    if (!check_released(self)) return false;
    if (self->view.read_only) return raise_error(TypeError, "cannot modify read-only memory");
    if (!item) return raise_error(TypeError, "cannot delete memory");
    if (self->view.dimensions == 0) {
        if (is_whole(key)) return assign_item(self, key, item);
        return raise_error(TypeError, "invalid indexing of 0-dim memory");
    }
    if (is_index(key)) return assign_item(self, key, item);
    if (slice_check(key) && self->view.dimensions == 1) return assign_slice(self, key, item);
    if (is_tuple_of(key, false)) {
        if (tuple_size(key) == 0)
            return raise_error(NotImplementedError, "sub-views are not implemented");
        return assign_item(self, key, item);
    }
    if (slice_check(key) || is_tuple_of(key, true))
        return raise_error(NotImplementedError, "memoryview slice assignments are currently "
                                                "restricted to ndim = 1");
    return raise_error(TypeError, "memoryview: invalid slice key");
}

// ---- casting

static bool is_byte_format(const ItemFormat *format)
{
    return strchr("bBc", format->letter) != NULL;
}

static bool has_zeros(const Buffer *view)
{
    for (int i = 0; i < view->dimensions; i++)
        if (view->shape[i] == 0 || view->strides[i] == 0) return true;
    return false;
}

// The numbers of a list or tuple as a shape; their product is *items.
static bool read_shape(ValueRef shape, ssize_t *numbers, ssize_t *items)
{
    bool is_list = list_check(shape);
    ssize_t count = is_list ? list_size(shape) : tuple_size(shape);
    *items = 1;
    for (ssize_t i = 0; i < count; i++) {
        ValueRef number = is_list ? list_at(shape, i) : tuple_at(shape, i);
        if (!int_check(number))
            return raise_error(TypeError, "memoryview.cast(): elements of shape must be integers");
        if (int_as_ssize_clamped(number, &numbers[i]) || numbers[i] <= 0)
            return raise_error(ValueError,
                               "memoryview.cast(): elements of shape must be integers > 0");
        if (__builtin_mul_overflow(*items, numbers[i], items))
            return raise_error(ValueError, "memoryview.cast(): product(shape) > SSIZE_MAX");
    }
    return true;
}

static const ItemFormat *cast_format(const MemoryView *self, ValueRef name)
{
    const char *text = str_utf8(name, NULL);
    if (!text) return NULL;
    const ItemFormat *format = item_format(text);
    if (!format || item_is_opaque(format))
        raise_error(ValueError, "memoryview: destination format must be a native single character "
                                "format prefixed with an optional '@'");
    else if (!is_byte_format(self->format) && !is_byte_format(format))
        raise_error(TypeError, "memoryview: cannot cast between two non-byte formats");
    else if (self->view.size % format->size)
        raise_error(TypeError, "memoryview: length is not a multiple of itemsize");
    else
        return format;
    return NULL;
}

// The same bytes as items of another format, in the shape given by `count` numbers.
static Value cast_to(const MemoryView *self, const ItemFormat *format, const ssize_t *shape,
                     int count)
{
    MemoryView *view = alloc_view(self->view.owner, count);
    if (!view) return VALUE_ERROR;
    view->format = format;
    view->view.bytes = self->view.bytes;
    view->view.size = self->view.size;
    view->view.read_only = self->view.read_only;
    view->view.format = format->text;
    view->view.item_size = format->size;
    ssize_t stride = format->size;
    for (int i = count - 1; i >= 0; i--) {
        view->view.shape[i] = shape[i];
        view->view.strides[i] = stride;
        stride *= shape[i];
    }
    return own(view);
}

static bool check_cast(const MemoryView *self, ValueRef name, ValueRef shape)
{
    if (!check_released(self)) return false;
    if (!str_check(name))
        return raise_error(TypeError, "memoryview: format argument must be a string");
    if (!buffer_is_contiguous(&self->view))
        return raise_error(TypeError, "memoryview: casts are restricted to C-contiguous views");
    if ((shape || self->view.dimensions != 1) && has_zeros(&self->view))
        return raise_error(TypeError,
                           "memoryview: cannot cast view with zeros in shape or strides");
    if (!shape) return true;
    if (!list_check(shape) && !tuple_check(shape))
        return raise_error(TypeError, "shape must be a list or a tuple");
    ssize_t count = list_check(shape) ? list_size(shape) : tuple_size(shape);
    if (count > DIMENSIONS_MAX)
        return raise_error(ValueError, "memoryview: number of dimensions must not exceed %d",
                           DIMENSIONS_MAX);
    if (self->view.dimensions != 1 && count != 1)
        return raise_error(TypeError, "memoryview: cast must be 1D -> ND or ND -> 1D");
    return true;
}

static Value view_method_cast(ValueRef value, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"format", "shape", NULL};
    static const Signature signature = {"", names, 1, 2};
    const MemoryView *self = as_view(value);
    ValueRef slots[2];
    ssize_t shape[DIMENSIONS_MAX], items;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (!check_cast(self, slots[0], slots[1])) return VALUE_ERROR;
    const ItemFormat *format = cast_format(self, slots[0]);
    if (!format) return VALUE_ERROR;
    if (!slots[1]) {
        shape[0] = self->view.size / format->size;
        return cast_to(self, format, shape, 1);
    }
    if (!read_shape(slots[1], shape, &items)) return VALUE_ERROR;
    if (self->view.size % items || self->view.size / items != format->size)
        return raise_error(TypeError, "memoryview: product(shape) * itemsize != buffer size");
    ssize_t count = list_check(slots[1]) ? list_size(slots[1]) : tuple_size(slots[1]);
    return cast_to(self, format, shape, (int)count);
}

static Value view_method_toreadonly(ValueRef value, METHOD_ARGS)
{
    if (!check_released(as_view(value))) return VALUE_ERROR;
    MemoryView *view = copy_view(as_view(value));
    if (view) view->view.read_only = true;
    return own(view);
}

// ---- as other objects

static bool is_fortran_contiguous(const Buffer *view)
{
    if (view->dimensions == 1) return buffer_is_contiguous(view);
    ssize_t expected = view->item_size;
    for (int i = 0; i < view->dimensions; i++) {
        if (view->shape[i] == 0) return true;
        if (view->shape[i] != 1 && view->strides[i] != expected) return false;
        expected *= view->shape[i];
    }
    return true;
}

// The items with the first dimension fastest; returns the end of what was written.
static char *copy_fortran(const Buffer *view, int dimension, const char *bytes, char *target)
{
    if (dimension < 0) {
        memcpy(target, bytes, (size_t)view->item_size);
        return target + view->item_size;
    }
    for (ssize_t i = 0; i < view->shape[dimension]; i++)
        target = copy_fortran(view, dimension - 1, bytes + i * view->strides[dimension], target);
    return target;
}

static Value to_bytes(const MemoryView *self, char order)
{
    const Buffer *view = &self->view;
    Value bytes = bytes_new(view->size ? NULL : "", (size_t)view->size);
    if (!bytes || view->size == 0) return bytes;
    bool fortran = order == 'F' || (order == 'A' && is_fortran_contiguous(view));
    if (fortran)
        copy_fortran(view, view->dimensions - 1, view->bytes, as_bytes(bytes)->data);
    else
        buffer_copy(view, as_bytes(bytes)->data);
    return bytes;
}

static Value view_method_tobytes(ValueRef value, const ValueRef *args, size_t nargs,
                                 ValueRef kwnames)
{
    static const char *const names[] = {"order", NULL};
    static const Signature signature = {"", names, 0, 1};
    ValueRef slots[1];
    char order = 'C';
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (!check_released(as_view(value))) return VALUE_ERROR;
    if (slots[0] && bits_of(slots[0]) != bits_of(NONE)) {
        if (!str_check(slots[0]))
            return raise_error(TypeError, "argument 1 must be str or None, not %.50T", slots[0]);
        if (!str_equal_ascii(slots[0], "C") && !str_equal_ascii(slots[0], "F") &&
            !str_equal_ascii(slots[0], "A"))
            return raise_error(ValueError, "order must be 'C', 'F' or 'A'");
        order = as_str(slots[0])->data[0];
    }
    return to_bytes(as_view(value), order);
}

static Value view_method_hex(ValueRef value, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    HexStyle style;
    if (!check_released(as_view(value)) || !hex_arguments(args, nargs, kwnames, &style) ||
        !check_released(as_view(value)))
        return VALUE_ERROR;
    Value bytes = to_bytes(as_view(value), 'C');
    if (!bytes) return VALUE_ERROR;
    Value text = bytes_hex(view_of(bytes), style);
    drop(bytes);
    return text;
}

static Value list_of(const MemoryView *self, int dimension, const char *bytes)
{
    const Buffer *view = &self->view;
    bool is_last = dimension == view->dimensions - 1;
    if (dimension == view->dimensions) return item_unpack(self->format, bytes);
    Value list = list_new(view->shape[dimension]);
    for (ssize_t i = 0; list && i < view->shape[dimension]; i++) {
        const char *at = bytes + i * view->strides[dimension];
        Value item = is_last ? item_unpack(self->format, at) : list_of(self, dimension + 1, at);
        if (!list_append_owned(list, item)) drop_slot(&list);
    }
    return list;
}

static Value view_method_tolist(ValueRef value, METHOD_ARGS)
{
    const MemoryView *self = as_view(value);
    return check_released(self) ? list_of(self, 0, self->view.bytes) : VALUE_ERROR;
}

// ---- slots

static Value repr_slot(ValueRef value)
{
    const char *state = as_view(value)->view.owner ? "memory" : "released memory";
    char address[32];
    int64_t id = memory_id(object_of(value));
    char *digit = address + sizeof address - 1;
    *digit = 0;
    for (; id; id >>= 4) *--digit = "0123456789abcdef"[id & 15];
    return format_text("<%s at 0x%s>", state, digit);
}

static bool length_slot(ValueRef value, ssize_t *length)
{
    const MemoryView *self = as_view(value);
    if (!check_released(self)) return false;
    *length = self->view.dimensions == 0 ? 1 : self->view.shape[0];
    return true;
}

static bool hash_slot(ValueRef value, int64_t *hash)
{
    MemoryView *self = as_view(value);
    *hash = self->hash;
    if (*hash != -1) return true;
    if (!check_released(self)) return false;
    if (!self->view.read_only)
        return raise_error(ValueError, "cannot hash writable memoryview object");
    if (!is_byte_format(self->format))
        return raise_error(ValueError,
                           "memoryview: hashing is restricted to formats 'B', 'b' or 'c'");
    Value owner = retain(self->view.owner); // its __hash__ may release the view
    bool hashed = object_hash(owner, hash);
    drop(owner);
    if (!hashed || !check_released(self)) return false;
    Value bytes = to_bytes(self, 'C');
    if (!bytes) return false;
    bool done = object_hash(bytes, hash);
    drop(bytes);
    self->hash = *hash;
    return done;
}

// One dimension after the other; a buffer without a shape is a run of bytes.
static bool compare_dimension(const Buffer *a, const char *a_bytes, const Buffer *b,
                              const char *b_bytes, int dimension, bool *equal)
{
    const ItemFormat *a_format = item_format(a->format), *b_format = item_format(b->format);
    if (dimension == a->dimensions)
        return item_format_equal(a_format, a_bytes, b_format, b_bytes, equal);
    ssize_t a_stride = a->strides ? a->strides[dimension] : a->item_size;
    ssize_t b_stride = b->strides ? b->strides[dimension] : b->item_size;
    ssize_t count = a->shape ? a->shape[dimension] : a->size / a->item_size;
    bool is_run = dimension == a->dimensions - 1 && a_stride == b_stride &&
                  a_stride == a->item_size && item_bits_decide(a_format, b_format);
    if (is_run) {
        *equal = memcmp(a_bytes, b_bytes, (size_t)(count * a_stride)) == 0;
        return true;
    }
    for (ssize_t i = 0; i < count && *equal; i++)
        if (!compare_dimension(a, a_bytes + i * a_stride, b, b_bytes + i * b_stride, dimension + 1,
                               equal))
            return false;
    return true;
}

static bool same_shape(const Buffer *a, const Buffer *b)
{
    if (a->dimensions != b->dimensions) return false;
    for (int i = 0; i < a->dimensions; i++) {
        ssize_t a_count = a->shape ? a->shape[i] : a->size / a->item_size;
        ssize_t b_count = b->shape ? b->shape[i] : b->size / b->item_size;
        if (a_count != b_count) return false;
        if (a_count == 0) return true;
    }
    return true;
}

static Value compare_slot(ValueRef left, ValueRef right, CompareOp op)
{
    if (op != COMPARE_EQ && op != COMPARE_NE) return NOT_IMPLEMENTED;
    bool equal = bits_of(left) == bits_of(right);
    bool released =
        !as_view(left)->view.owner || (view_check(right) && !as_view(right)->view.owner);
    if (!released) {
        Buffer a, b;
        if (!buffer_check(right)) return NOT_IMPLEMENTED;
        if (!buffer_get_strided(left, &a, false)) return VALUE_ERROR;
        if (!buffer_get_strided(right, &b, false)) {
            buffer_release(&a);
            error_clear();
            return NOT_IMPLEMENTED;
        }
        equal = same_shape(&a, &b);
        bool done = !equal || compare_dimension(&a, a.bytes, &b, b.bytes, 0, &equal);
        buffer_release(&b);
        buffer_release(&a);
        if (!done) return VALUE_ERROR;
    }
    return from_bool(equal == (op == COMPARE_EQ));
}

// ---- attributes

static Value numbers_tuple(const ssize_t *numbers, int count)
{
    Value tuple = tuple_new(count);
    for (int i = 0; tuple && i < count; i++) as_tuple(tuple)->items[i] = int_new(numbers[i]);
    return tuple;
}

#define GETTER(name, expression)                                                                   \
    static Value get_##name(ValueRef value)                                                        \
    {                                                                                              \
        const MemoryView *self = as_view(value);                                                   \
        return check_released(self) ? (expression) : VALUE_ERROR;                                  \
    }
GETTER(obj, retain(self->view.owner))
GETTER(nbytes, int_new(self->view.size))
GETTER(readonly, from_bool(self->view.read_only))
GETTER(itemsize, int_new(self->view.item_size))
GETTER(format, str_new(self->format->text))
GETTER(ndim, int_new(self->view.dimensions))
GETTER(shape, numbers_tuple(self->view.shape, self->view.dimensions))
GETTER(strides, numbers_tuple(self->view.strides, self->view.dimensions))
GETTER(suboffsets, tuple_new(0))
GETTER(c_contiguous, from_bool(buffer_is_contiguous(&self->view)))
GETTER(f_contiguous, from_bool(is_fortran_contiguous(&self->view)))
GETTER(contiguous,
       from_bool(buffer_is_contiguous(&self->view) || is_fortran_contiguous(&self->view)))

static const GetSetDef getset[] = {
    {"obj", get_obj, NULL, NULL},
    {"nbytes", get_nbytes, NULL, NULL},
    {"readonly", get_readonly, NULL, NULL},
    {"itemsize", get_itemsize, NULL, NULL},
    {"format", get_format, NULL, NULL},
    {"ndim", get_ndim, NULL, NULL},
    {"shape", get_shape, NULL, NULL},
    {"strides", get_strides, NULL, NULL},
    {"suboffsets", get_suboffsets, NULL, NULL},
    {"c_contiguous", get_c_contiguous, NULL, NULL},
    {"f_contiguous", get_f_contiguous, NULL, NULL},
    {"contiguous", get_contiguous, NULL, NULL},
    {0},
};

static const MethodDef methods[] = {
    {"release", view_method_release, NO_ARGS, NULL},
    {"tobytes", view_method_tobytes, KEYWORD_ARGS, NULL},
    {"hex", view_method_hex, KEYWORD_ARGS,
     "hex($self, /, sep=<unrepresentable>, bytes_per_sep=1)\n--\n\nThe bytes in hexadecimal "
     "digits.\n\n>>> memoryview(b'\\xb9\\x01').hex(':')\n'b9:01'"},
    {"tolist", view_method_tolist, NO_ARGS, NULL},
    {"cast", view_method_cast, KEYWORD_ARGS, NULL},
    {"toreadonly", view_method_toreadonly, NO_ARGS, NULL},
    {"__enter__", view_method_enter, NO_ARGS, NULL},
    {"__exit__", view_method_release, UNPACKED_ARGS(0, -1), NULL},
    {0},
};

Type memoryview_type = {
    STATIC_TYPE("memoryview", sizeof(MemoryView)),
    .item_size = 2 * sizeof(ssize_t),
    .flags = TYPE_GC,
    .weakref_offset = offsetof(MemoryView, weakrefs),
    .methods = methods,
    .getattribute = object_generic_get,
    .getset = getset,
    .new_ = view_construct,
    .release = view_release,
    .traverse = view_traverse,
    .clear = view_clear,
    .repr = repr_slot,
    .hash = hash_slot,
    .compare = compare_slot,
    .buffer = buffer_slot,
    .release_buffer = release_buffer_slot,
    .length = length_slot,
    .item = item_slot,
    .subscript = subscript_slot,
    .set_subscript = set_subscript_slot,
};
