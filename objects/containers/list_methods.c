// The methods of list, and its iterators.
//
// index, remove and count may run script code when they compare items, and that may change the
// list. So they read the size again at each step. An iterator ends when the list has become too
// short, and stays at its end if the list grows again.
#include "objects/containers/list.h"

#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"

static Value append(ValueRef self, METHOD_ARGS)
{
    return list_append(self, args[0]) ? NONE : VALUE_ERROR;
}

static Value insert(ValueRef self, METHOD_ARGS)
{
    ssize_t index;
    if (!argument_ssize(args[0], &index)) return VALUE_ERROR;
    return list_insert(self, index, args[1]) ? NONE : VALUE_ERROR;
}

static Value extend(ValueRef self, METHOD_ARGS)
{
    return list_extend(self, args[0]) ? NONE : VALUE_ERROR;
}

static Value clear(ValueRef self, METHOD_ARGS)
{
    list_clear(self);
    return NONE;
}

static Value copy(ValueRef self, METHOD_ARGS)
{
    return list_slice(self, 0, list_size(self));
}

static Value pop(ValueRef self, METHOD_ARGS)
{
    List *list = as_list(self);
    ssize_t index = -1;
    if (nargs && !argument_ssize(args[0], &index)) return VALUE_ERROR;
    if (list->size == 0) return raise_error(IndexError, "pop from empty list");
    if (index < 0) index += list->size;
    if ((size_t)index >= (size_t)list->size)
        return raise_error(IndexError, "pop index out of range");
    if (index == list->size - 1) return list_take_last(self);
    Value item = retain(list->items[index]);
    if (list_set_slice(self, index, index + 1, 0)) return item;
    drop(item);
    return VALUE_ERROR;
}

static ItemArray array_of(ValueRef list)
{
    return (ItemArray){&as_list(list)->items, &as_list(list)->size};
}

static Value remove_item(ValueRef self, METHOD_ARGS)
{
    ssize_t index = items_find(array_of(self), args[0], 0, PTRDIFF_MAX);
    if (index == -2) return VALUE_ERROR;
    if (index == -1) return raise_error(ValueError, "list.remove(x): x not in list");
    return list_set_slice(self, index, index + 1, 0) ? NONE : VALUE_ERROR;
}

static Value index_of(ValueRef self, METHOD_ARGS)
{
    ssize_t start = 0, stop = PTRDIFF_MAX;
    if (nargs > 1 && !argument_slice_index(args[1], &start)) return VALUE_ERROR;
    if (nargs > 2 && !argument_slice_index(args[2], &stop)) return VALUE_ERROR;
    ssize_t size = list_size(self);
    if (start < 0) start = start + size < 0 ? 0 : start + size;
    if (stop < 0) stop = stop + size < 0 ? 0 : stop + size;
    ssize_t index = items_find(array_of(self), args[0], start, stop);
    if (index == -2) return VALUE_ERROR;
    if (index == -1) return raise_error(ValueError, "%R is not in list", args[0]);
    return from_small(index);
}

static Value count(ValueRef self, METHOD_ARGS)
{
    ssize_t found = 0;
    for (ssize_t i = 0; i < list_size(self); i++) {
        bool equal;
        int known = quick_equal(list_at(self, i), args[0]);
        if (known < 0 && !items_equal(list_at(self, i), args[0], &equal)) return VALUE_ERROR;
        found += known < 0 ? equal : known;
    }
    return from_small(found);
}

static Value reverse(ValueRef self, METHOD_ARGS)
{
    list_reverse(self);
    return NONE;
}

static Value sort(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"key", "reverse", NULL};
    static const Signature signature = {"sort", names, 0, 0};
    ValueRef slots[2];
    int descending = 0;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (slots[1] && !argument_int(slots[1], &descending)) return VALUE_ERROR;
    ValueRef key = slots[0] && slots[0] != NONE ? slots[0] : 0;
    return list_sort(self, key, descending != 0) ? NONE : VALUE_ERROR;
}

static Value reversed(ValueRef self, METHOD_ARGS)
{
    return index_iterator_new(&list_reverse_iterator_type, self, list_size(self) - 1);
}

// The size that CPython shows: five words, the fields of a subclass, the array.
static Value size_of(ValueRef self, METHOD_ARGS)
{
    size_t bytes = 40 + type_of(self)->size - sizeof(List);
    return from_small((int64_t)(bytes + (size_t)as_list(self)->capacity * sizeof(Value)));
}

// CPython has both __getitem__ as a method with a fast call, not as a wrapper of the slot.
static Value getitem(ValueRef self, METHOD_ARGS)
{
    return list_type.subscript(self, args[0]);
}

const MethodDef list_methods[] = {
    {"__getitem__", getitem, METHOD_ONE, METHOD_COEXIST, 1, 1, NULL},
    {"__reversed__", reversed, NO_ARGS, NULL},
    {"__sizeof__", size_of, NO_ARGS, NULL},
    {"clear", clear, NO_ARGS, NULL},
    {"copy", copy, NO_ARGS, NULL},
    {"append", append, ONE_ARG, NULL},
    {"insert", insert, ARGS(2, 2), NULL},
    {"extend", extend, ONE_ARG, NULL},
    {"pop", pop, ARGS(0, 1), NULL},
    {"remove", remove_item, ONE_ARG, NULL},
    {"index", index_of, ARGS(1, 3), NULL},
    {"count", count, ONE_ARG, NULL},
    {"reverse", reverse, NO_ARGS, NULL},
    {"sort", sort, KEYWORD_ARGS, NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

// ---- forwards

static Value iterator_next(ValueRef self)
{
    IndexIterator *iterator = as_index_iterator(self);
    if (!iterator->sequence) return ABSENT;
    if (iterator->index < list_size(iterator->sequence))
        return retain(list_at(iterator->sequence, iterator->index++));
    drop_slot(&iterator->sequence);
    return ABSENT;
}

Type list_iterator_type = INDEX_ITERATOR("list_iterator", index_iterator_methods, iterator_next);

// ---- backwards

static Value reverse_next(ValueRef self)
{
    IndexIterator *iterator = as_index_iterator(self);
    if (!iterator->sequence) return ABSENT;
    ssize_t index = iterator->index;
    if (index >= 0 && index < list_size(iterator->sequence)) {
        iterator->index--;
        return retain(list_at(iterator->sequence, index));
    }
    iterator->index = -1;
    drop_slot(&iterator->sequence);
    return ABSENT;
}

static Value reverse_hint(ValueRef self, METHOD_ARGS)
{
    const IndexIterator *iterator = as_index_iterator(self);
    ssize_t left = iterator->index + 1;
    if (!iterator->sequence || list_size(iterator->sequence) < left) left = 0;
    return from_small(left);
}

static Value reverse_setstate(ValueRef self, METHOD_ARGS)
{
    IndexIterator *iterator = as_index_iterator(self);
    ssize_t index;
    if (!int_as_ssize(args[0], &index)) return VALUE_ERROR;
    if (!iterator->sequence) return NONE;
    ssize_t last = list_size(iterator->sequence) - 1;
    iterator->index = index < -1 ? -1 : index > last ? last : index;
    return NONE;
}

static const MethodDef reverse_methods[] = {
    {"__length_hint__", reverse_hint, NO_ARGS, NULL},
    {"__reduce__", index_iterator_reduce, NO_ARGS, NULL},
    {"__setstate__", reverse_setstate, ONE_ARG, NULL},
    {0},
};

Type list_reverse_iterator_type =
    INDEX_ITERATOR("list_reverseiterator", reverse_methods, reverse_next);
