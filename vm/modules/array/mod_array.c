// The module array: numbers of one C type in a row.
//
//     array.h           an array, drawn             array_kind.c      the types of items
//     array.c           making and growing it       array_methods.c   the methods
//     array_pickle.c    arrays of other machines    here              the sequence, and the type
//
// CPython: Modules/arraymodule.c.
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/slice.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/modules/array/array.h"

#include <wchar.h>

static Value array_construct(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    uint32_t typecode;
    if (type == &array_type && !args_no_keywords("array.array", kwnames)) return VALUE_ERROR;
    if (nargs < 1 || nargs > 2)
        return raise_error(TypeError, "array() takes at %s %d argument%s (%zu given)",
                           nargs ? "most" : "least", nargs ? 2 : 1, nargs ? "s" : "", nargs);
    if (!typecode_argument(args[0], "array()", 1, &typecode)) return VALUE_ERROR;
    return array_make(type, typecode, nargs > 1 ? args[1] : VALUE_ERROR);
}

static void array_release(Object *self)
{
    memory_free(((Array *)self)->items);
}

// ---- a sequence

static bool length_slot(ValueRef self, ssize_t *length)
{
    *length = as_array(self)->size;
    return true;
}

static Value item_slot(ValueRef self, ssize_t index)
{
    if (index < 0 || index >= as_array(self)->size)
        return raise_error(IndexError, "array index out of range");
    return array_item(as_array(self), index);
}

static Value concat_slot(ValueRef left, ValueRef right)
{
    const Array *a = as_array(left);
    if (!array_check(right))
        return raise_error(TypeError, "can only append array (not \"%.200T\") to array", right);
    if (as_array(right)->kind != a->kind)
        return raise_error(TypeError, "bad argument type for built-in operation");
    Value made = array_part(a, 0, a->size);
    if (made && !array_extend_array(as_array(made), right)) drop_slot(&made);
    return made;
}

static Value inplace_concat_slot(ValueRef self, ValueRef other)
{
    if (!array_check(other))
        return raise_error(TypeError, "can only extend array with array (not \"%.200T\")", other);
    return array_extend_array(as_array(self), other) ? retain(self) : VALUE_ERROR;
}

// Makes `times` copies of the items out of one.
static bool repeat(Array *array, ssize_t times)
{
    ssize_t size = array->size;
    if (times < 0) times = 0;
    if (size && times > SSIZE_MAX / size) return raise_memory_error();
    if (!array_resize(array, size * times)) return false;
    for (ssize_t i = 1; i < times && size; i++) array_copy(array, i * size, array->items, size);
    return true;
}

static Value repeat_slot(ValueRef self, ssize_t times)
{
    Value made = array_part(as_array(self), 0, as_array(self)->size);
    if (made && !repeat(as_array(made), times)) drop_slot(&made);
    return made;
}

static Value inplace_repeat_slot(ValueRef self, ssize_t times)
{
    return repeat(as_array(self), times) ? retain(self) : VALUE_ERROR;
}

static bool contains_slot(ValueRef self, ValueRef wanted, bool *found)
{
    const Array *array = as_array(self);
    *found = false;
    for (ssize_t i = 0; !*found && i < array->size; i++) {
        Value item = array_item(array, i);
        bool done = item && object_equal(item, wanted, found);
        drop(item);
        if (!done) return false;
    }
    return true;
}

// ---- subscripts

// The index that a subscript names, from the front.
static bool read_index(const Array *array, ValueRef key, ssize_t *index)
{
    if (!is_index(key)) return raise_error(TypeError, "array indices must be integers");
    if (!object_as_ssize(key, index, IndexError)) return false;
    if (*index < 0) *index += array->size;
    return true;
}

static Value slice_of(const Array *array, ValueRef slice)
{
    ssize_t start, stop, step, count;
    if (!slice_unpack(slice, &start, &stop, &step)) return VALUE_ERROR;
    slice_adjust(array->size, &start, &stop, step, &count);
    if (step == 1) return array_part(array, start, start + count);
    Value made = array_new(&array_type, array->kind, count);
    for (ssize_t i = 0; made && i < count; i++)
        item_copy(array_at(as_array(made), i), array_at(array, start + i * step),
                  array->kind->size);
    return made;
}

static Value subscript_slot(ValueRef self, ValueRef key)
{
    ssize_t index;
    if (slice_check(key)) return slice_of(as_array(self), key);
    if (!read_index(as_array(self), key, &index)) return VALUE_ERROR;
    return item_slot(self, index);
}

static bool set_item_slot(ValueRef self, ssize_t index, ValueRef value)
{
    Array *array = as_array(self);
    char bytes[ARRAY_ITEM_MAX];
    bool inside = index >= 0 && index < array->size;
    if (inside && !value) return array_make_gap(array, index, index + 1, 0);
    if (inside && !item_write(array->kind, value, bytes)) return false;
    if (!inside || index >= array->size)
        return raise_error(IndexError, "array assignment index out of range");
    array_copy(array, index, bytes, 1);
    return true;
}

// Removes `count` items, every step-th one, and moves those between them up.
static bool delete_stepped(Array *array, ssize_t start, ssize_t step, ssize_t count)
{
    if (count == 0) return true;
    if (step < 0) {
        start += step * (count - 1);
        step = -step;
    }
    for (ssize_t i = 0; i < count; i++) {
        ssize_t from = start + i * step + 1, next = i + 1 < count ? from + step - 1 : array->size;
        memmove(array_at(array, from - 1 - i), array_at(array, from),
                (size_t)((next - from) * array->kind->size));
    }
    return array_resize(array, array->size - count);
}

// Replaces the items of a slice by those of `given`, which is another array, or NULL.
static bool assign_slice(Array *array, ValueRef slice, const Array *given)
{
    ssize_t start, stop, step, count;
    if (!slice_unpack(slice, &start, &stop, &step)) return false;
    ssize_t size = given ? given->size : 0; // an __index__ may have changed both
    slice_adjust(array->size, &start, &stop, step, &count);
    if (size == 0 && !array_can_resize(array)) return false; // even where no item goes
    if (step == 1) {
        if (!array_make_gap(array, start, start + count, size)) return false;
        if (size) array_copy(array, start, given->items, size);
        return true;
    }
    if (size == 0) return delete_stepped(array, start, step, count);
    if (size != count)
        return raise_error(ValueError,
                           "attempt to assign array of size %zd to extended slice of size %zd",
                           size, count);
    for (ssize_t i = 0; i < count; i++) array_copy(array, start + i * step, array_at(given, i), 1);
    return true;
}

static bool set_slice(ValueRef self, ValueRef slice, ValueRef value)
{
    Array *array = as_array(self);
    if (!value) return assign_slice(array, slice, NULL);
    if (!array_check(value))
        return raise_error(TypeError, "can only assign array (not \"%.200T\") to array slice",
                           value);
    if (as_array(value)->kind != array->kind)
        return raise_error(TypeError, "bad argument type for built-in operation");
    Value given = value == self ? array_part(array, 0, array->size) : retain(value);
    bool done = given && assign_slice(array, slice, as_array(given));
    drop(given);
    return done;
}

static bool set_subscript_slot(ValueRef self, ValueRef key, ValueRef value)
{
    ssize_t index;
    if (slice_check(key)) return set_slice(self, key, value);
    return read_index(as_array(self), key, &index) && set_item_slot(self, index, value);
}

// ---- comparing

// The index of the first items that differ; the smaller size where there are none. -1 with an error
// pending.
static ssize_t first_difference(const Array *a, const Array *b)
{
    bool same = a->kind == b->kind && a->kind->class != ITEM_REAL;
    ssize_t i = 0, common = a->size < b->size ? a->size : b->size;
    if (same && common && memcmp(a->items, b->items, (size_t)common * a->kind->size) == 0)
        return common;
    for (; i < a->size && i < b->size; i++) {
        bool equal = false;
        if (same) {
            equal = memcmp(array_at(a, i), array_at(b, i), a->kind->size) == 0;
        } else {
            Value left = array_item(a, i), right = left ? array_item(b, i) : VALUE_ERROR;
            bool done = right && object_equal(left, right, &equal);
            drop(left);
            drop(right);
            if (!done) return -1;
        }
        if (!equal) return i;
    }
    return i;
}

static Value compare_slot(ValueRef left, ValueRef right, CompareOp op)
{
    if (!array_check(left) || !array_check(right)) return NOT_IMPLEMENTED;
    const Array *a = as_array(left), *b = as_array(right);
    bool equality = op == COMPARE_EQ || op == COMPARE_NE;
    if (equality && a->size != b->size) return from_bool(op == COMPARE_NE);
    ssize_t at = first_difference(a, b);
    if (at < 0) return VALUE_ERROR;
    if (at >= a->size || at >= b->size) return compare_sizes(a->size, b->size, op);
    if (equality) return from_bool(op == COMPARE_NE);
    Value x = array_item(a, at), y = x ? array_item(b, at) : VALUE_ERROR;
    Value result = y ? object_compare(x, y, op) : VALUE_ERROR;
    drop(x);
    drop(y);
    return result;
}

// ---- repr

static Value repr_slot(ValueRef self)
{
    const Array *array = as_array(self);
    Value name = type_name(type_of(self));
    Value items = !name || !array->size                  ? retain(name)
                  : array->kind->class == ITEM_CHARACTER ? array_text(array)
                                                         : array_list(array);
    Value shown = items ? object_repr(items) : VALUE_ERROR;
    StrBuilder text;
    builder_begin(&text);
    bool done = shown && builder_str(&text, name) && builder_text(&text, "('") &&
                builder_text(&text, array->kind->letter) && builder_text(&text, "'") &&
                (!array->size || (builder_text(&text, ", ") && builder_str(&text, shown))) &&
                builder_text(&text, ")");
    Value result = done ? builder_finish(&text) : VALUE_ERROR;
    if (!done) builder_abandon(&text);
    drop(shown);
    drop(items);
    drop(name);
    return result;
}

// ---- the buffer protocol

static bool buffer_slot(ValueRef self, Buffer *buffer, bool writable)
{
    (void)writable;
    Array *array = as_array(self);
    buffer_fill(buffer, self, array->items ? array->items : "", array->size * array->kind->size,
                false);
    buffer->item_size = array->kind->size;
    buffer->format = array->kind->format;
    array->exports++;
    return true;
}

static void release_buffer_slot(Object *self)
{
    ((Array *)self)->exports--;
}

// ---- the iterator

static Value iter_slot(ValueRef self)
{
    return index_iterator_new(&array_iterator_type, self, 0);
}

static Value iterator_next(ValueRef self)
{
    IndexIterator *iterator = as_index_iterator(self);
    if (!iterator->sequence) return ABSENT;
    if (iterator->index < as_array(iterator->sequence)->size)
        return array_item(as_array(iterator->sequence), iterator->index++);
    drop_slot(&iterator->sequence);
    return ABSENT;
}

static Value iterator_setstate(ValueRef self, METHOD_ARGS)
{
    IndexIterator *iterator = as_index_iterator(self);
    ssize_t index;
    if (!int_as_ssize(args[0], &index)) return VALUE_ERROR;
    if (!iterator->sequence) return NONE;
    ssize_t size = as_array(iterator->sequence)->size;
    iterator->index = index < 0 ? 0 : index > size ? size : index;
    return NONE;
}

static const MethodDef iterator_methods[] = {
    {"__reduce__", index_iterator_reduce, NO_ARGS, NULL},
    {"__setstate__", iterator_setstate, ONE_ARG, NULL},
    {0},
};

Type array_iterator_type = INDEX_ITERATOR("arrayiterator", iterator_methods, iterator_next);

// ---- the type and the module

static Value get_typecode(ValueRef self)
{
    return str_intern(as_array(self)->kind->letter);
}

static Value get_itemsize(ValueRef self)
{
    return from_small(as_array(self)->kind->size);
}

static const GetSetDef getset[] = {
    {"itemsize", get_itemsize, NULL, NULL},
    {"typecode", get_typecode, NULL, NULL},
    {0},
};

Type array_type = {
    STATIC_TYPE("array.array", sizeof(Array)),
    .flags = TYPE_BASE,
    .weakref_offset = offsetof(Array, weakrefs),
    .methods = array_methods,
    .getset = getset,
    .getattribute = object_generic_get,
    .new_ = array_construct,
    .release = array_release,
    .repr = repr_slot,
    .compare = compare_slot,
    .iter = iter_slot,
    .buffer = buffer_slot,
    .release_buffer = release_buffer_slot,
    .length = length_slot,
    .concat = concat_slot,
    .repeat = repeat_slot,
    .item = item_slot,
    .set_item = set_item_slot,
    .contains = contains_slot,
    .inplace_concat = inplace_concat_slot,
    .inplace_repeat = inplace_repeat_slot,
    .subscript = subscript_slot,
    .set_subscript = set_subscript_slot,
};

static const MethodDef functions[] = {
    {"_array_reconstructor", array_reconstruct, ARGS(4, 4), NULL},
    {0},
};

static bool fill(ValueRef module)
{
    char letters[16];
    size_t count = 0;
    for (const ArrayKind *kind = array_kinds; kind->letter; kind++)
        letters[count++] = *kind->letter;
    return type_ready(&array_type) && type_ready(&array_iterator_type) &&
           module_add_type(module, &array_type) &&
           module_add(module, "ArrayType", ref_of(&array_type)) &&
           module_add_owned(module, "typecodes", str_from_ascii(letters, count));
}

const ModuleDef array_module = {
    .name = "array",
    .doc = "Numbers of one C type, or characters, in a row.",
    .functions = functions,
    .fill = fill,
};
