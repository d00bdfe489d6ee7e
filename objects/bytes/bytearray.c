// bytearray: bytes that can be changed and can grow.
//
//     block          data                        data + size       block + capacity
//     | free         | the bytes                 | NUL | room      |
//
// Deleting bytes at the front moves `data`, so a queue of bytes takes linear time. The block grows
// as in CPython (__alloc__ shows its size). While a buffer is lent (`exports`) the size may not
// change: every change of size calls can_resize() first.
//
// If there is no block, `data` points to an empty text, so it is never NULL.
#include "objects/bytes/bytes.h"
#include "objects/bytes/bytes_parts.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"

static char no_bytes[1];

static bool array_is_sound(const ByteArray *array)
{
    invariant(array->block ? array->data >= array->block : array->data == no_bytes,
              "the bytes are in the block; without one they are the empty text");
    invariant(!array->block || array->data + array->size < array->block + array->capacity,
              "the bytes and their NUL fit the block");
    invariant(array->size >= 0 && array->exports >= 0, "sizes and exports are no less than 0");
    invariant(array->data[array->size] == 0, "a NUL follows the bytes");
    return true;
}

// ---- size

static bool can_resize(const ByteArray *array)
{
    return array->exports == 0 ||
           raise_error(BufferError, "Existing exports of data: object cannot be re-sized");
}

// Moves the bytes to a block of this capacity; as many as fit are kept.
static bool move_block(ByteArray *array, ssize_t capacity, ssize_t size)
{
    ssize_t kept = size < array->size ? size : array->size;
    char *block;
    if (array->block && array->data == array->block) {
        block = memory_resize(array->block, (size_t)capacity);
        if (!block) return raise_memory_error();
    } else {
        block = memory_alloc((size_t)capacity);
        if (!block) return raise_memory_error();
        memcpy(block, array->data, (size_t)kept);
        memory_free(array->block);
    }
    array->block = array->data = block;
    array->capacity = capacity;
    return true;
}

static bool resize(ByteArray *array, ssize_t size)
{
    if (size == array->size) return true;
    if (!can_resize(array)) return false;
    ssize_t offset = array->block ? array->data - array->block : 0;
    if (size > SSIZE_MAX / 2) return raise_memory_error();
    if (offset + size + 1 > array->capacity) {
        ssize_t capacity = size + 1;
        if ((double)size <= (double)array->capacity * 1.125)
            capacity = size + (size >> 3) + (size < 9 ? 3 : 6);
        if (!move_block(array, capacity, size)) return false;
    } else if (size < array->capacity / 2 && !move_block(array, size + 1, size)) {
        error_clear(); // it keeps the larger block
    }
    array->size = size;
    array->data[size] = 0;
    invariant(array_is_sound(array), "a bytearray is whole after it has changed its size");
    return true;
}

// Replaces the bytes low..high by room for `count` others.
static bool make_gap(ByteArray *array, ssize_t low, ssize_t high, ssize_t count)
{
    ssize_t growth = count - (high - low), tail = array->size - high;
    invariant(low >= 0 && low <= high && tail >= 0, "the gap is in the bytes");
    if (growth == 0) return true;
    if (!can_resize(array)) return false;
    if (growth > 0) {
        if (array->size > SSIZE_MAX - growth) return raise_memory_error();
        if (!resize(array, array->size + growth)) return false;
        memmove(array->data + low + count, array->data + high, (size_t)tail);
        return true;
    }
    if (low == 0)
        array->data -= growth;
    else
        memmove(array->data + low + count, array->data + high, (size_t)tail);
    ssize_t size = array->size + growth;
    array->size = size + 1; // so that resize() looks at the capacity
    return resize(array, size);
}

static bool replace_range(ByteArray *array, ssize_t low, ssize_t high, const char *bytes,
                          ssize_t count)
{
    if (!make_gap(array, low, high, count)) return false;
    if (count) memcpy(array->data + low, bytes, (size_t)count);
    return true;
}

bool bytearray_append(ValueRef self, uint8_t byte)
{
    ByteArray *array = as_bytearray(self);
    if (!resize(array, array->size + 1)) return false;
    array->data[array->size - 1] = (char)byte;
    return true;
}

// ---- making

static ByteArray *alloc_array(Type *type)
{
    ByteArray *array = object_alloc(type, 0);
    if (array) array->data = no_bytes;
    return array;
}

Value bytearray_new(const void *data, size_t size)
{
    ByteArray *array = alloc_array(&bytearray_type);
    if (!array) return VALUE_ERROR;
    Value value = own(array);
    if (size > SSIZE_MAX / 2) raise_memory_error();
    if (size > SSIZE_MAX / 2 || !resize(array, (ssize_t)size)) {
        drop(value);
        return VALUE_ERROR;
    }
    if (data && size) memcpy(array->data, data, size);
    return value;
}

static Value bytearray_construct(Type *type, METHOD_ARGS)
{
    return own(alloc_array(type));
}

static void bytearray_release(Object *self)
{
    memory_free(((ByteArray *)self)->block);
}

static bool append_iterable(ByteArray *array, ValueRef iterable, const char *complaint)
{
    Value iterator = object_iter(iterable);
    if (!iterator) {
        if (!error_is(TypeError)) return false;
        error_clear();
        return raise_error(TypeError, complaint, iterable);
    }
    bool done = true;
    while (done) {
        Value item = object_next(iterator);
        uint8_t byte;
        if (bits_of(item) == bits_of(ABSENT)) break;
        done = item && poll_signals() && byte_value(item, &byte, NULL) &&
               bytearray_append(ref_of(array), byte);
        drop(item);
    }
    drop(iterator);
    return done;
}

// bytearray(number): that many zeros. False with *number false if the value turns out to be no
// number.
static bool append_zeros(ByteArray *array, ValueRef value, bool *number)
{
    ssize_t count;
    *number = true;
    if (!object_as_ssize(value, &count, OverflowError)) {
        if (error_is(TypeError)) {
            error_clear();
            *number = false;
        }
        return false;
    }
    if (count < 0) return raise_error(ValueError, "negative count");
    if (!resize(array, count)) return false;
    memset(array->data, 0, (size_t)count);
    return true;
}

static bool append_buffer(ByteArray *array, ValueRef source)
{
    Buffer buffer;
    if (!buffer_get_strided(source, &buffer, false)) return false;
    bool done = resize(array, buffer.size);
    if (done) buffer_copy(&buffer, array->data);
    buffer_release(&buffer);
    return done;
}

static bool fill_from(ByteArray *array, ValueRef source)
{
    bool number = false;
    if (str_check(source)) return raise_error(TypeError, "string argument without an encoding");
    if (is_small(source) || type_of(source)->index) {
        bool done = append_zeros(array, source, &number);
        if (number) return done;
    }
    if (buffer_check(source)) return append_buffer(array, source);
    return append_iterable(array, source, "cannot convert '%.200T' object to bytearray");
}

static bool bytearray_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ByteArray *array = as_bytearray(self);
    ValueRef source;
    Value encoded;
    if (!resize(array, 0)) return false;
    if (!bytes_arguments("bytearray", args, nargs, kwnames, &source, &encoded)) return false;
    if (encoded) {
        bool done = append_buffer(array, encoded);
        drop(encoded);
        return done;
    }
    return !source || fill_from(array, source);
}

// ---- slots

static Value repr_slot(ValueRef self)
{
    char prefix[128];
    const char *name = type_of(self)->name, *dot = strrchr(name, '.');
    strncpy(prefix, dot ? dot + 1 : name, sizeof prefix - 4);
    prefix[sizeof prefix - 4] = 0;
    strcat(prefix, "(b");
    return bytes_text(prefix, view_of(self), true, ")");
}

static bool length_slot(ValueRef self, ssize_t *length)
{
    *length = as_bytearray(self)->size;
    return true;
}

static Value concat_slot(ValueRef left, ValueRef right)
{
    if (!buffer_check(right))
        return raise_error(TypeError, "can't concat %.100T to %.100T", right, left);
    return bytes_concat(left, right, bytearray_new);
}

static Value inplace_concat_slot(ValueRef self, ValueRef other)
{
    ByteArray *array = as_bytearray(self);
    Buffer buffer;
    if (!buffer_check(other))
        return raise_error(TypeError, "can't concat %.100T to %.100T", other, self);
    if (!buffer_get(other, &buffer, false)) return VALUE_ERROR;
    bool done = replace_range(array, array->size, array->size, buffer.bytes, buffer.size);
    buffer_release(&buffer);
    return done ? retain(self) : VALUE_ERROR;
}

static Value repeat_slot(ValueRef self, ssize_t count)
{
    View view = view_of(self);
    if (count < 0) count = 0;
    if (count > 0 && view.size > SSIZE_MAX / count) return raise_memory_error();
    Value result = bytearray_new(NULL, (size_t)(view.size * count));
    if (result && view.size) bytes_fill(as_bytearray(result)->data, view, count);
    return result;
}

static Value inplace_repeat_slot(ValueRef self, ssize_t count)
{
    ByteArray *array = as_bytearray(self);
    ssize_t size = array->size;
    if (count < 0) count = 0;
    if (count > 0 && size > SSIZE_MAX / count) return raise_memory_error();
    if (!resize(array, size * count)) return VALUE_ERROR;
    for (ssize_t i = 1; size && i < count; i++)
        memcpy(array->data + i * size, array->data, (size_t)size);
    return retain(self);
}

static Value item_slot(ValueRef self, ssize_t index)
{
    const ByteArray *array = as_bytearray(self);
    if (index < 0 || index >= array->size)
        return raise_error(IndexError, "bytearray index out of range");
    return from_small((uint8_t)array->data[index]);
}

static Value subscript_slot(ValueRef self, ValueRef key)
{
    ssize_t index;
    if (slice_check(key)) return bytes_slice(self, key);
    if (!byte_index(key, as_bytearray(self)->size, "bytearray", &index)) return VALUE_ERROR;
    return item_slot(self, index);
}

static bool set_item_slot(ValueRef self, ssize_t index, ValueRef value)
{
    ByteArray *array = as_bytearray(self);
    uint8_t byte = 0;
    if (index < 0 || index >= array->size)
        return raise_error(IndexError, "bytearray index out of range");
    if (!value) return replace_range(array, index, index + 1, NULL, 0);
    if (!byte_value(value, &byte, NULL)) return false;
    if (index >= array->size) return raise_error(IndexError, "bytearray index out of range");
    array->data[index] = (char)byte;
    return true;
}

static bool buffer_slot(ValueRef self, Buffer *buffer, bool writable)
{
    (void)writable;
    ByteArray *array = as_bytearray(self);
    buffer_fill(buffer, self, array->data, array->size, false);
    array->exports++;
    return true;
}

static void release_buffer_slot(Object *self)
{
    ((ByteArray *)self)->exports--;
}

static Value remainder_slot(ValueRef left, ValueRef right)
{
    return bytearray_check(left) ? bytes_mod(left, right) : NOT_IMPLEMENTED;
}

// ---- assigning to slices

// Removes `count` bytes, every step-th one, and moves the bytes between them up.
static bool delete_stepped(ByteArray *array, ssize_t start, ssize_t step, ssize_t count)
{
    if (count == 0) return true;
    if (!can_resize(array)) return false;
    if (step < 0) {
        start += step * (count - 1);
        step = -step;
    }
    for (ssize_t i = 0; i < count; i++) {
        ssize_t from = start + i * step + 1;
        ssize_t next = i + 1 < count ? from + step - 1 : array->size;
        memmove(array->data + from - 1 - i, array->data + from, (size_t)(next - from));
    }
    return resize(array, array->size - count);
}

static bool assign_stepped(ByteArray *array, ssize_t start, ssize_t step, ssize_t count, View given)
{
    if (given.size != count)
        return raise_error(ValueError,
                           "attempt to assign bytes of size %zd to extended slice of size %zd",
                           given.size, count);
    for (ssize_t i = 0; i < count; i++, start += step) array->data[start] = given.data[i];
    return true;
}

static bool assign_slice(ByteArray *array, ValueRef slice, View given)
{
    ssize_t start, stop, step, count;
    if (!slice_unpack(slice, &start, &stop, &step)) return false;
    slice_adjust(array->size, &start, &stop, step, &count);
    if (step == 1) return replace_range(array, start, start + count, given.data, given.size);
    if (given.size == 0) return delete_stepped(array, start, step, count);
    return assign_stepped(array, start, step, count, given);
}

// A new bytearray with the assigned bytes.
static Value assigned_bytes(ValueRef value)
{
    if (bytearray_check(value))
        return bytearray_new(view_of(value).data, (size_t)view_of(value).size);
    bool number = type_of(value)->index || type_of(value)->int_ || type_of(value)->float_;
    if (number || str_check(value))
        return raise_error(TypeError, "can assign only bytes, buffers, or iterables of ints "
                                      "in range(0, 256)");
    return object_call_one(ref_of(&bytearray_type), value);
}

static bool set_subscript_slot(ValueRef self, ValueRef key, ValueRef value)
{
    ByteArray *array = as_bytearray(self);
    if (!slice_check(key)) {
        ssize_t index;
        return byte_index(key, array->size, "bytearray", &index) &&
               set_item_slot(self, index, value);
    }
    if (!value) return assign_slice(array, key, (View){NULL, 0});
    ssize_t start, stop, step;
    if (!slice_unpack(key, &start, &stop, &step)) return false;
    if (bytes_check(value)) return assign_slice(array, key, view_of(value));
    Value given = assigned_bytes(value);
    if (!given) return false;
    bool done = assign_slice(array, key, view_of(given));
    drop(given);
    return done;
}

// ---- methods

METHOD_HEAD(bytes, append)
{
    uint8_t byte;
    return byte_value(args[0], &byte, NULL) && bytearray_append(self, byte) ? NONE : VALUE_ERROR;
}

METHOD_HEAD(bytes, clear)
{
    return resize(as_bytearray(self), 0) ? NONE : VALUE_ERROR;
}

METHOD_HEAD(bytes, copy)
{
    View view = view_of(self);
    return bytearray_new(view.data, (size_t)view.size);
}

// The bytes of what lends them without gaps: owned.
static Value lent_bytes(ValueRef value)
{
    Buffer buffer;
    if (!buffer_get(value, &buffer, false)) {
        error_clear();
        return raise_error(TypeError, "can't set bytearray slice from %.100T", value);
    }
    Value bytes = bytes_new(buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return bytes;
}

METHOD_HEAD(bytes, extend)
{
    ByteArray *array = as_bytearray(self);
    Value added;
    ssize_t hint; // called only because CPython does: its errors show
    if (!object_length_hint(args[0], 32, &hint)) return VALUE_ERROR;
    if (buffer_check(args[0])) {
        added = lent_bytes(args[0]);
    } else {
        added = bytearray_new(NULL, 0);
        if (added &&
            !append_iterable(as_bytearray(added), args[0], "can't extend bytearray with %.100T"))
            drop_slot(&added);
    }
    if (!added) return VALUE_ERROR;
    View view = view_of(added);
    bool done = replace_range(array, array->size, array->size, view.data, view.size);
    drop(added);
    return done ? NONE : VALUE_ERROR;
}

METHOD_HEAD(bytes, insert)
{
    ByteArray *array = as_bytearray(self);
    ssize_t index;
    uint8_t byte;
    if (!argument_ssize(args[0], &index) || !byte_value(args[1], &byte, NULL)) return VALUE_ERROR;
    if (index < 0 && (index += array->size) < 0) index = 0;
    if (index > array->size) index = array->size;
    char data = (char)byte;
    return replace_range(array, index, index, &data, 1) ? NONE : VALUE_ERROR;
}

METHOD_HEAD(bytes, pop)
{
    ByteArray *array = as_bytearray(self);
    ssize_t index = -1;
    if (nargs > 0 && !argument_ssize(args[0], &index)) return VALUE_ERROR;
    if (array->size == 0) return raise_error(IndexError, "pop from empty bytearray");
    if (index < 0) index += array->size;
    if (index < 0 || index >= array->size) return raise_error(IndexError, "pop index out of range");
    uint8_t byte = (uint8_t)array->data[index];
    return replace_range(array, index, index + 1, NULL, 0) ? from_small(byte) : VALUE_ERROR;
}

METHOD_HEAD(bytes, remove)
{
    ByteArray *array = as_bytearray(self);
    uint8_t byte;
    if (!byte_value(args[0], &byte, NULL)) return VALUE_ERROR;
    const char *found = memchr(array->data, byte, (size_t)array->size);
    if (!found) return raise_error(ValueError, "value not found in bytearray");
    ssize_t index = found - array->data;
    return replace_range(array, index, index + 1, NULL, 0) ? NONE : VALUE_ERROR;
}

METHOD_HEAD(bytes, reverse)
{
    View view = view_of(self);
    for (ssize_t low = 0, high = view.size - 1; low < high; low++, high--) {
        char byte = view.data[low];
        view.data[low] = view.data[high];
        view.data[high] = byte;
    }
    return NONE;
}

METHOD_HEAD(bytes, __alloc__)
{
    return from_small(as_bytearray(self)->capacity);
}

METHOD_HEAD(bytes, __sizeof__)
{
    return from_small(56 + as_bytearray(self)->capacity);
}

// The arguments with which the type makes an equal object.
static Value arguments_to_remake(ValueRef self, ssize_t protocol)
{
    View view = view_of(self);
    if (view.size == 0) return tuple_new(0);
    bool as_text = protocol < 3;
    Value first = as_text ? str_from_latin1(view.data, (size_t)view.size)
                          : bytes_new(view.data, (size_t)view.size);
    Value second = first && as_text ? str_intern("latin-1") : VALUE_ERROR;
    Value arguments = VALUE_ERROR;
    if (second)
        arguments = tuple_pack(2, (ValueRef)first, (ValueRef)second);
    else if (first && !as_text)
        arguments = tuple_pack(1, (ValueRef)first);
    drop(second);
    drop(first);
    return arguments;
}

static Value reduce(ValueRef self, ssize_t protocol)
{
    Value dict = object_get_optional(self, NAME(__dict__));
    if (bits_of(dict) == bits_of(ABSENT)) dict = NONE;
    Value arguments = dict ? arguments_to_remake(self, protocol) : VALUE_ERROR;
    Value reduced = VALUE_ERROR;
    if (arguments)
        reduced = tuple_pack(3, ref_of(type_of(self)), (ValueRef)arguments, (ValueRef)dict);
    drop(arguments);
    drop(dict);
    return reduced;
}

METHOD_HEAD(bytes, __reduce__)
{
    return reduce(self, 2);
}

METHOD_HEAD(bytes, __reduce_ex__)
{
    int protocol = 0;
    if (nargs > 0 && !argument_int(args[0], &protocol)) return VALUE_ERROR;
    return reduce(self, protocol);
}

// ---- the type

static const MethodDef methods[] = {
#define BYTES_METHOD(name, ...) {#name, bytes_method_##name, __VA_ARGS__, NULL},
#define BYTES_TAUGHT(name, text, ...) {#name, bytes_method_##name, __VA_ARGS__, text},
#define BYTES_ONLY(name, ...)
#define BYTEARRAY_ONLY BYTES_METHOD
#include "objects/bytes/bytes_methods.def"
#undef BYTES_METHOD
#undef BYTES_TAUGHT
#undef BYTES_ONLY
#undef BYTEARRAY_ONLY
    {0},
};

Type bytearray_type = {
    STATIC_TYPE("bytearray", sizeof(ByteArray)),
    .doc = "bytearray(iterable_of_ints), bytearray(text, encoding[, errors]), bytearray(buffer), "
           "bytearray(size), bytearray()\n\nNumbers from 0 to 255 that can be changed.",
    .flags = TYPE_BASE,
    .methods = methods,
    .getattribute = object_generic_get,
    .new_ = bytearray_construct,
    .init = bytearray_init,
    .release = bytearray_release,
    .repr = repr_slot,
    .str = repr_slot,
    .compare = bytes_compare,
    .iter = bytes_iter,
    .buffer = buffer_slot,
    .release_buffer = release_buffer_slot,
    .remainder = remainder_slot,
    .length = length_slot,
    .concat = concat_slot,
    .repeat = repeat_slot,
    .item = item_slot,
    .set_item = set_item_slot,
    .contains = bytes_contains,
    .inplace_concat = inplace_concat_slot,
    .inplace_repeat = inplace_repeat_slot,
    .subscript = subscript_slot,
    .set_subscript = set_subscript_slot,
};
