// Making and growing an array. What is made of it is described in array.h.
#include "vm/modules/array/array.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

#include <wchar.h>

static bool array_is_sound(const Array *array)
{
    invariant(array->size >= 0 && array->size <= array->capacity,
              "an array has no more items than room");
    invariant((array->capacity == 0) == !array->items, "an array has items where it has room");
    invariant(array->exports >= 0, "no buffer is given back twice");
    return true;
}

// ---- size

static bool set_capacity(Array *array, ssize_t capacity)
{
    if (capacity > SSIZE_MAX / array->kind->size) return raise_memory_error();
    if (capacity == 0) {
        memory_free(array->items);
        array->items = NULL;
    } else {
        char *items = memory_resize(array->items, (size_t)capacity * array->kind->size);
        if (!items) return raise_memory_error();
        array->items = items;
    }
    array->capacity = capacity;
    return true;
}

bool array_can_resize(const Array *array)
{
    return array->exports == 0 ||
           raise_error(BufferError, "cannot resize an array that is exporting buffers");
}

bool array_resize(Array *array, ssize_t size)
{
    if (size != array->size && !array_can_resize(array)) return false;
    bool keeps = array->capacity >= size && array->size < size + 16 && array->items;
    if (!keeps) {
        if (size > SSIZE_MAX / 2 / array->kind->size) return raise_memory_error();
        ssize_t room = size ? size + (size >> 4) + (array->size < 8 ? 3 : 7) : 0;
        if (!set_capacity(array, room)) return false;
    }
    array->size = size;
    invariant(array_is_sound(array), "an array is whole after it has changed its size");
    return true;
}

bool array_make_gap(Array *array, ssize_t low, ssize_t high, ssize_t count)
{
    ssize_t growth = count - (high - low), size = array->size, item = array->kind->size;
    invariant(low >= 0 && low <= high && high <= size, "the gap is in the items");
    if (growth == 0) return true;
    if (!array_can_resize(array)) return false;
    if (growth > 0) {
        if (size > SSIZE_MAX - growth) return raise_memory_error();
        if (!array_resize(array, size + growth)) return false;
    }
    memmove(array_at(array, low + count), array_at(array, high), (size_t)((size - high) * item));
    return growth > 0 || array_resize(array, size + growth);
}

void array_copy(Array *array, ssize_t at, const char *items, ssize_t count)
{
    if (count) memcpy(array_at(array, at), items, (size_t)(count * array->kind->size));
}

// ---- making

// Its items are to be filled.
static Value new_unfilled(Type *type, const ArrayKind *kind, ssize_t size)
{
    Array *array = object_alloc(type, 0);
    if (!array) return VALUE_ERROR;
    array->kind = kind;
    if (size > 0 && !set_capacity(array, size)) {
        drop(own(array));
        return VALUE_ERROR;
    }
    array->size = size;
    return own(array);
}

Value array_new(Type *type, const ArrayKind *kind, ssize_t size)
{
    Value made = new_unfilled(type, kind, size);
    if (made && size > 0) memset(as_array(made)->items, 0, (size_t)(size * kind->size));
    return made;
}

Value array_part(const Array *array, ssize_t low, ssize_t high)
{
    Value made = new_unfilled(&array_type, array->kind, high - low);
    if (made) array_copy(as_array(made), 0, array_at(array, low), high - low);
    return made;
}

bool array_insert(Array *array, ssize_t index, ValueRef value)
{
    char bytes[ARRAY_ITEM_MAX];
    if (!item_write(array->kind, value, bytes)) return false;
    if (index < 0 && (index += array->size) < 0) index = 0;
    if (index > array->size) index = array->size;
    if (!array_make_gap(array, index, index, 1)) return false;
    array_copy(array, index, bytes, 1);
    return true;
}

bool array_extend_array(Array *array, ValueRef other)
{
    ssize_t size = array->size, count = as_array(other)->size;
    if (as_array(other)->kind != array->kind)
        return raise_error(TypeError, "can only extend with array of same kind");
    if (!array_make_gap(array, size, size, count)) return false;
    array_copy(array, size, as_array(other)->items, count);
    return true;
}

bool array_extend(Array *array, ValueRef iterable)
{
    if (array_check(iterable)) return array_extend_array(array, iterable);
    Value iterator = object_iter(iterable);
    bool done = iterator;
    while (done) {
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        done = item && poll_signals() && array_insert(array, array->size, item);
        drop(item);
    }
    drop(iterator);
    return done;
}

Value array_bytes(const Array *array)
{
    return bytes_new(array->items ? array->items : "", (size_t)(array->size * array->kind->size));
}

bool array_append_bytes(Array *array, const void *bytes, ssize_t size)
{
    ssize_t at = array->size, count = size / array->kind->size;
    if (size % array->kind->size)
        return raise_error(ValueError, "bytes length not a multiple of item size");
    if (!array_make_gap(array, at, at, count)) return false;
    array_copy(array, at, bytes, count);
    return true;
}

// The items of a list, a tuple or an array of another kind, one by one: script code may change it.
static bool fill_from_sequence(Array *array, ValueRef sequence)
{
    for (ssize_t i = 0; i < array->size; i++) {
        char bytes[ARRAY_ITEM_MAX];
        Value item = sequence_item(sequence, i);
        bool done = item && item_write(array->kind, item, bytes);
        drop(item);
        if (!done) return false;
        if (i < array->size) item_copy(array_at(array, i), bytes, array->kind->size);
    }
    return true;
}

bool array_append_text(Array *array, ValueRef text)
{
    ssize_t at = array->size, count = str_length(text);
    if (!array_make_gap(array, at, at, count)) return false;
    for (ssize_t i = 0; i < count; i++) {
        wchar_t point = (wchar_t)str_at(as_str(text), i);
        array_copy(array, at + i, (const char *)&point, 1);
    }
    return true;
}

static bool fill_from(Array *array, ValueRef initial)
{
    if (bytes_check(initial) || bytearray_check(initial)) {
        Buffer buffer;
        if (!buffer_get(initial, &buffer, false)) return false;
        bool done = array_append_bytes(array, buffer.bytes, buffer.size);
        buffer_release(&buffer);
        return done;
    }
    if (str_check(initial)) return array_append_text(array, initial);
    if (array_check(initial) && as_array(initial)->kind == array->kind)
        return array_extend_array(array, initial);
    if (!list_check(initial) && !tuple_check(initial) && !array_check(initial))
        return array_extend(array, initial);
    ssize_t size = list_check(initial)    ? list_size(initial)
                   : tuple_check(initial) ? tuple_size(initial)
                                          : as_array(initial)->size;
    if (!set_capacity(array, size)) return false;
    array->size = size;
    if (size) memset(array->items, 0, (size_t)(size * array->kind->size));
    return fill_from_sequence(array, initial);
}

// Is it copied as it is, without an iterator?
static bool is_sequence(ValueRef value)
{
    return list_check(value) || tuple_check(value) || bytes_check(value) ||
           bytearray_check(value) || str_check(value) || array_check(value);
}

static bool can_begin_with(uint32_t typecode, ValueRef initial)
{
    if (typecode == 'u' || !initial) return true;
    if (str_check(initial))
        return raise_error(TypeError, "cannot use a str to initialize an array with typecode '%c'",
                           (int)typecode);
    if (array_check(initial) && as_array(initial)->kind->class == ITEM_CHARACTER)
        return raise_error(TypeError,
                           "cannot use a unicode array to initialize an array with typecode '%c'",
                           (int)typecode);
    return true;
}

Value array_make(Type *type, uint32_t typecode, ValueRef initial)
{
    if (!can_begin_with(typecode, initial)) return VALUE_ERROR;
    Value source = !initial || is_sequence(initial) ? retain(initial) : object_iter(initial);
    if (initial && !source) return VALUE_ERROR;
    const ArrayKind *kind = array_kind(typecode);
    Value made = kind ? array_new(type, kind, 0)
                      : raise_error(ValueError, "bad typecode (must be b, B, u, h, H, i, I, l, L, "
                                                "q, Q, f or d)");
    if (made && source && !fill_from(as_array(made), source)) drop_slot(&made);
    drop(source);
    return made;
}

Value array_list(const Array *array)
{
    Value list = list_new(array->size);
    for (ssize_t i = 0; list && i < array->size; i++)
        if (!list_append_owned(list, array_item(array, i))) drop_slot(&list);
    return list;
}
