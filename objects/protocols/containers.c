// Containers: items, length, membership, iteration; and a sequence as a list or a tuple.
//
// A type implements x[i] by `subscript` (any key), or by `item` (an index as a ssize_t; a negative
// one gets the length added here, if the type has a length).
#include "objects/classes/object_parts.h"
#include "objects/operators.h"

#include "objects/call.h"
#include "objects/classes/generic_alias.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/protocols/iterators.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// ---- length

bool object_length(ValueRef value, ssize_t *length)
{
    LengthFn slot = type_of(value)->length;
    if (slot) return slot(value, length);
    return raise_error(TypeError, "object of type '%.200T' has no len()", value);
}

// A TypeError of len() or __length_hint__() means only that there is no hint.
static bool fallback_for_type_error(ssize_t fallback, ssize_t *length)
{
    if (!error_is(TypeError)) return false;
    error_clear();
    *length = fallback;
    return true;
}

static bool read_hint(ValueRef hint, ssize_t fallback, ssize_t *length)
{
    *length = fallback;
    if (hint == NOT_IMPLEMENTED) return true;
    if (!int_check(hint))
        return raise_error(TypeError, "__length_hint__ must be an integer, not %.100T", hint);
    if (!int_as_ssize(hint, length)) return false;
    return *length >= 0 || raise_error(ValueError, "__length_hint__() should return >= 0");
}

bool object_length_hint(ValueRef value, ssize_t fallback, ssize_t *length)
{
    if (type_of(value)->length) {
        if (object_length(value, length)) return true;
        if (!error_is(TypeError)) return false;
        error_clear();
    }
    Value method = object_special(value, NAME(__length_hint__));
    *length = fallback;
    if (!method || method == ABSENT) return method != VALUE_ERROR;
    Value hint = object_call_none(method);
    drop(method);
    if (!hint) return fallback_for_type_error(fallback, length);
    bool done = read_hint(hint, fallback, length);
    drop(hint);
    return done;
}

// ---- items

static bool is_index(ValueRef key)
{
    return is_small(key) || type_of(key)->index;
}

static Value raise_index_wanted(ValueRef key)
{
    return raise_error(TypeError, "sequence index must be integer, not '%.200T'", key);
}

// Counts a negative index from the end.
static bool adjust_index(ValueRef value, ssize_t *index)
{
    LengthFn slot = type_of(value)->length;
    if (*index >= 0 || !slot) return true;
    ssize_t length;
    if (!slot(value, &length)) return false;
    *index += length;
    return true;
}

Value sequence_item(ValueRef value, ssize_t index)
{
    ItemFn slot = type_of(value)->item;
    if (slot && index >= 0) return slot(value, index);
    if (slot) return adjust_index(value, &index) ? slot(value, index) : VALUE_ERROR;
    if (type_of(value)->subscript) return raise_error(TypeError, "%.200T is not a sequence", value);
    return raise_error(TypeError, "'%.200T' object does not support indexing", value);
}

// int[...] and the like: calls __class_getitem__ of the class.
static Value class_subscript(ValueRef class_, ValueRef key)
{
    if (as_type(class_) == &type_type) return generic_alias_new(class_, key);
    Value method = object_get_optional(class_, NAME(__class_getitem__));
    if (method == ABSENT)
        return raise_error(TypeError, "'%.200T' object is not subscriptable", class_);
    if (!method) return VALUE_ERROR;
    Value result = object_call_one(method, key);
    drop(method);
    return result;
}

Value object_subscript(ValueRef value, ValueRef key)
{
    const Type *type = type_of(value);
    if (type->subscript) return type->subscript(value, key);
    if (type->item) {
        ssize_t index;
        if (!is_index(key)) return raise_index_wanted(key);
        if (!object_as_ssize(key, &index, IndexError)) return VALUE_ERROR;
        return sequence_item(value, index);
    }
    if (type_check(value)) return class_subscript(value, key);
    return raise_error(TypeError, "'%.200T' object is not subscriptable", value);
}

static bool set_by_index(ValueRef value, ValueRef key, ValueRef item)
{
    ssize_t index;
    if (!is_index(key)) return raise_index_wanted(key);
    if (!object_as_ssize(key, &index, IndexError) || !adjust_index(value, &index)) return false;
    return type_of(value)->set_item(value, index, item);
}

// The index into a value whose items cannot be set: CPython first checks that it fits a ssize_t.
static bool index_fits(ValueRef value, ValueRef key, bool *is_sequence)
{
    ssize_t index;
    *is_sequence = has_sequence_slots(type_of(value)) && is_index(key);
    return !*is_sequence || object_as_ssize(key, &index, IndexError);
}

bool object_set_subscript(ValueRef value, ValueRef key, ValueRef item)
{
    const Type *type = type_of(value);
    bool is_sequence;
    if (type->set_subscript) return type->set_subscript(value, key, item);
    if (type->set_item) return set_by_index(value, key, item);
    if (!index_fits(value, key, &is_sequence)) return false;
    return raise_error(TypeError, "'%.200T' object does not support item assignment", value);
}

bool object_delete_subscript(ValueRef value, ValueRef key)
{
    const Type *type = type_of(value);
    if (type->set_subscript) return type->set_subscript(value, key, VALUE_ERROR);
    if (type->set_item) return set_by_index(value, key, VALUE_ERROR);
    bool is_sequence;
    if (!index_fits(value, key, &is_sequence)) return false;
    return raise_error(TypeError, "'%.200T' object %s support item deletion", value,
                       is_sequence ? "doesn't" : "does not");
}

// ---- membership

static bool search(ValueRef iterator, ValueRef item, bool *found)
{
    *found = false;
    while (!*found) {
        Value next = object_next(iterator);
        if (next == ABSENT) return true;
        bool done = next && poll_signals() && object_equal(next, item, found);
        drop(next);
        if (!done) return false;
    }
    return true;
}

bool object_contains(ValueRef value, ValueRef item, bool *found)
{
    ContainsFn slot = type_of(value)->contains;
    if (slot) return slot(value, item, found);
    Value iterator = object_iter(value);
    if (!iterator && error_is(TypeError))
        return raise_error(TypeError, "argument of type '%.200T' is not iterable", value);
    if (!iterator) return false;
    bool done = search(iterator, item, found);
    drop(iterator);
    return done;
}

// ---- iteration

Value object_iter(ValueRef value)
{
    UnaryFn slot = type_of(value)->iter;
    if (!slot) {
        if (sequence_check(value)) return sequence_iterator_new(value);
        return raise_error(TypeError, "'%.200T' object is not iterable", value);
    }
    Value iterator = slot(value);
    if (!iterator || object_is_iterator(iterator)) return iterator;
    raise_error(TypeError, "iter() returned non-iterator of type '%.100T'", (ValueRef)iterator);
    drop(iterator);
    return VALUE_ERROR;
}

Value object_next(ValueRef iterator)
{
    UnaryFn slot = type_of(iterator)->next;
    if (!slot) return raise_error(TypeError, "'%.200T' object is not an iterator", iterator);
    Value item = slot(iterator);
    if (item || !error_is(StopIteration)) return item;
    error_clear();
    return ABSENT;
}

bool object_is_iterator(ValueRef value)
{
    return type_of(value)->next != NULL;
}

// ---- sequences and mappings

bool sequence_check(ValueRef value)
{
    return !dict_check(value) && type_of(value)->item;
}

bool mapping_check(ValueRef value)
{
    return type_of(value)->subscript != NULL;
}

Value sequence_list(ValueRef iterable)
{
    Value list = list_new(0);
    if (!list || list_extend(list, iterable)) return list;
    drop(list);
    return VALUE_ERROR;
}

Value sequence_tuple(ValueRef iterable)
{
    if (tuple_check_exact(iterable)) return retain(iterable);
    if (list_check_exact(iterable)) return list_to_tuple(iterable);
    Value list = sequence_list(iterable);
    if (!list) return VALUE_ERROR;
    Value tuple = list_to_tuple(list);
    drop(list);
    return tuple;
}

Value sequence_fast(ValueRef iterable, const char *message)
{
    if (list_check_exact(iterable) || tuple_check_exact(iterable)) return retain(iterable);
    Value iterator = object_iter(iterable);
    if (!iterator) return error_is(TypeError) ? raise_error(TypeError, "%s", message) : VALUE_ERROR;
    Value list = sequence_list(iterator);
    drop(iterator);
    return list;
}

Value mapping_keys(ValueRef mapping)
{
    if (dict_check_exact(mapping)) return dict_keys(mapping);
    Value keys = object_call_method_none(mapping, NAME(keys));
    if (!keys) return VALUE_ERROR;
    Value iterator = object_iter(keys);
    if (!iterator && error_is(TypeError))
        raise_error(TypeError, "%.200T.keys() returned a non-iterable (type %.200T)", mapping,
                    (ValueRef)keys);
    drop(keys);
    if (!iterator) return VALUE_ERROR;
    Value list = sequence_list(iterator);
    drop(iterator);
    return list;
}
