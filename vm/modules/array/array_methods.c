// The methods of array.
#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "vm/modules/array/array.h"

#define WRITTEN_AT_ONCE 65536 // bytes

static Value method_append(ValueRef self, METHOD_ARGS)
{
    return array_insert(as_array(self), as_array(self)->size, args[0]) ? NONE : VALUE_ERROR;
}

static Value method_insert(ValueRef self, METHOD_ARGS)
{
    ssize_t index;
    if (!argument_ssize(args[0], &index)) return VALUE_ERROR;
    return array_insert(as_array(self), index, args[1]) ? NONE : VALUE_ERROR;
}

static Value method_extend(ValueRef self, METHOD_ARGS)
{
    return array_extend(as_array(self), args[0]) ? NONE : VALUE_ERROR;
}

static Value method_pop(ValueRef self, METHOD_ARGS)
{
    Array *array = as_array(self);
    ssize_t index = -1;
    if (nargs > 0 && !argument_ssize(args[0], &index)) return VALUE_ERROR;
    if (array->size == 0) return raise_error(IndexError, "pop from empty array");
    if (index < 0) index += array->size;
    if (index < 0 || index >= array->size) return raise_error(IndexError, "pop index out of range");
    Value item = array_item(array, index);
    if (item && !array_make_gap(array, index, index + 1, 0)) drop_slot(&item);
    return item;
}

// ---- search

// The index of the first item from `index` on that equals the value, the size where there is none.
// -1 with an error pending.
static ssize_t find(const Array *array, ValueRef value, ssize_t index)
{
    bool equal = false;
    for (; index < array->size; index++) {
        Value item = array_item(array, index);
        bool done = item && object_equal(item, value, &equal);
        drop(item);
        if (!done) return -1;
        if (equal) return index;
    }
    return index;
}

static Value method_index(ValueRef self, METHOD_ARGS)
{
    ssize_t index = find(as_array(self), args[0], 0);
    if (index < 0) return VALUE_ERROR;
    if (index < as_array(self)->size) return int_new(index);
    return raise_error(ValueError, "array.index(x): x not in array");
}

static Value method_remove(ValueRef self, METHOD_ARGS)
{
    Array *array = as_array(self);
    ssize_t index = find(array, args[0], 0);
    if (index < 0) return VALUE_ERROR;
    if (index >= array->size) return raise_error(ValueError, "array.remove(x): x not in array");
    return array_make_gap(array, index, index + 1, 0) ? NONE : VALUE_ERROR;
}

static Value method_count(ValueRef self, METHOD_ARGS)
{
    const Array *array = as_array(self);
    int64_t count = 0;
    for (ssize_t i = 0; (i = find(array, args[0], i)) < array->size; i++, count++)
        if (i < 0) return VALUE_ERROR;
    return int_new(count);
}

// ---- order of items and of bytes

static void swap_bytes(char *a, char *b, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++) {
        char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

static Value method_reverse(ValueRef self, METHOD_ARGS)
{
    const Array *array = as_array(self);
    for (ssize_t low = 0, high = array->size - 1; low < high; low++, high--)
        swap_bytes(array_at(array, low), array_at(array, high), array->kind->size);
    return NONE;
}

static Value method_byteswap(ValueRef self, METHOD_ARGS)
{
    const Array *array = as_array(self);
    for (ssize_t i = 0; i < array->size; i++) {
        char *item = array_at(array, i);
        for (int low = 0, high = array->kind->size - 1; low < high; low++, high--)
            swap_bytes(item + low, item + high, 1);
    }
    return NONE;
}

// ---- from and to other types

static Value method_frombytes(ValueRef self, METHOD_ARGS)
{
    Buffer buffer;
    if (!buffer_get(args[0], &buffer, false)) return VALUE_ERROR;
    bool done = buffer.item_size == 1
                    ? array_append_bytes(as_array(self), buffer.bytes, buffer.size)
                    : (bool)raise_error(TypeError, "a bytes-like object is required");
    buffer_release(&buffer);
    return done ? NONE : VALUE_ERROR;
}

static Value method_tobytes(ValueRef self, METHOD_ARGS)
{
    return array_bytes(as_array(self));
}

// All items of a list, or none of them.
static bool append_list(Array *array, ValueRef list)
{
    ssize_t before = array->size, count = list_size(list);
    for (ssize_t i = 0; i < count; i++) {
        Value item = retain(list_at(list, i));
        bool done = array_insert(array, array->size, item);
        drop(item);
        if (done && list_size(list) != count)
            done = raise_error(RuntimeError, "list changed size during iteration");
        if (!done) {
            Value exception = error_take();
            array_resize(array, before);
            error_restore(exception);
            return false;
        }
    }
    return true;
}

static Value method_fromlist(ValueRef self, METHOD_ARGS)
{
    if (!list_check(args[0])) return raise_error(TypeError, "arg must be list");
    return append_list(as_array(self), args[0]) ? NONE : VALUE_ERROR;
}

static Value method_tolist(ValueRef self, METHOD_ARGS)
{
    return array_list(as_array(self));
}

static Value method_fromunicode(ValueRef self, METHOD_ARGS)
{
    Array *array = as_array(self);
    if (!str_check(args[0]))
        return raise_error(TypeError, "fromunicode() argument must be str, not %T", args[0]);
    if (array->kind->class != ITEM_CHARACTER)
        return raise_error(ValueError, "fromunicode() may only be called on unicode type arrays");
    return array_append_text(array, args[0]) ? NONE : VALUE_ERROR;
}

Value array_text(const Array *array)
{
    StrBuilder text;
    builder_begin(&text);
    for (ssize_t i = 0; i < array->size; i++) {
        Value character = array_item(array, i);
        bool done = character && builder_str(&text, character);
        drop(character);
        if (!done) return builder_abandon(&text), VALUE_ERROR;
    }
    return builder_finish(&text);
}

static Value method_tounicode(ValueRef self, METHOD_ARGS)
{
    if (as_array(self)->kind->class != ITEM_CHARACTER)
        return raise_error(ValueError, "tounicode() may only be called on unicode type arrays");
    return array_text(as_array(self));
}

// ---- files

static Value method_fromfile(ValueRef self, METHOD_ARGS)
{
    Array *array = as_array(self);
    ssize_t count;
    if (!argument_ssize(args[1], &count)) return VALUE_ERROR;
    if (count < 0) return raise_error(ValueError, "negative count");
    if (count > SSIZE_MAX / array->kind->size) return raise_memory_error();
    Value size = int_new(count * array->kind->size);
    Value bytes = size ? object_call_method_one(args[0], NAME(read), size) : VALUE_ERROR;
    drop(size);
    if (!bytes) return VALUE_ERROR;
    bool done = bytes_check(bytes);
    if (!done) raise_error(TypeError, "read() didn't return bytes");
    done = done && array_append_bytes(array, as_bytes(bytes)->data, as_bytes(bytes)->size);
    if (done && as_bytes(bytes)->size != count * array->kind->size)
        done = raise_error(EOFError, "read() didn't return enough bytes");
    drop(bytes);
    return done ? NONE : VALUE_ERROR;
}

static Value method_tofile(ValueRef self, METHOD_ARGS)
{
    const Array *array = as_array(self);
    for (ssize_t at = 0; at < array->size * array->kind->size; at += WRITTEN_AT_ONCE) {
        ssize_t rest = array->size * array->kind->size - at;
        Value bytes =
            bytes_new(array->items + at, (size_t)(rest < WRITTEN_AT_ONCE ? rest : WRITTEN_AT_ONCE));
        Value result = bytes ? object_call_method_one(args[0], NAME(write), bytes) : VALUE_ERROR;
        drop(bytes);
        if (!result) return VALUE_ERROR;
        drop(result);
    }
    return NONE;
}

// ---- the rest

static Value method_copy(ValueRef self, METHOD_ARGS)
{
    return array_part(as_array(self), 0, as_array(self)->size);
}

// (address, size). The address of the array stands for that of its items: the same in every run.
static Value method_buffer_info(ValueRef self, METHOD_ARGS)
{
    const Array *array = as_array(self);
    Value size = int_new(array->size);
    Value address = from_small(array->items ? memory_id(array) : 0);
    Value pair = size ? tuple_pack(2, (ValueRef)address, (ValueRef)size) : VALUE_ERROR;
    drop(size);
    return pair;
}

// The size in bytes that CPython's array has.
static Value method_sizeof(ValueRef self, METHOD_ARGS)
{
    return int_new(64 + as_array(self)->capacity * as_array(self)->kind->size);
}

const MethodDef array_methods[] = {
    {"__copy__", method_copy, NO_ARGS, NULL},
    {"__deepcopy__", method_copy, ONE_ARG, NULL},
    {"__reduce_ex__", array_reduce_ex, ONE_ARG, NULL},
    {"__sizeof__", method_sizeof, NO_ARGS, NULL},
    {"append", method_append, ONE_ARG, NULL},
    {"buffer_info", method_buffer_info, NO_ARGS, NULL},
    {"byteswap", method_byteswap, NO_ARGS, NULL},
    {"count", method_count, ONE_ARG, NULL},
    {"extend", method_extend, ONE_ARG, NULL},
    {"frombytes", method_frombytes, ONE_ARG, NULL},
    {"fromfile", method_fromfile, ARGS(2, 2), NULL},
    {"fromlist", method_fromlist, ONE_ARG, NULL},
    {"fromunicode", method_fromunicode, ONE_ARG, NULL},
    {"index", method_index, ONE_ARG, NULL},
    {"insert", method_insert, ARGS(2, 2), NULL},
    {"pop", method_pop, ARGS(0, 1), NULL},
    {"remove", method_remove, ONE_ARG, NULL},
    {"reverse", method_reverse, NO_ARGS, NULL},
    {"tobytes", method_tobytes, NO_ARGS, NULL},
    {"tofile", method_tofile, ONE_ARG, NULL},
    {"tolist", method_tolist, NO_ARGS, NULL},
    {"tounicode", method_tounicode, NO_ARGS, NULL},
    {0},
};
