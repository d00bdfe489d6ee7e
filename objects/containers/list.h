// list: items in one growing array.
#pragma once

#include "objects/call.h"

typedef struct List {
    Object base;
    ssize_t size;
    ssize_t capacity; // of items; -1 while list_sort() has taken them away
    Value *items;     // NULL = capacity 0
} List;

extern Type list_type;
extern const MethodDef list_methods[]; // list_methods.c

static inline bool list_check(ValueRef value)
{
    return has_flag(value, TYPE_LIST);
}
static inline bool list_check_exact(ValueRef value)
{
    return is_exactly(value, &list_type);
}
static inline List *as_list(ValueRef value)
{
    invariant(is_allocated(value) && list_check(value), "what is read as a list is one");
    return (List *)object_of(value);
}
static inline ssize_t list_size(ValueRef value)
{
    return as_list(value)->size;
}
static inline ValueRef list_at(ValueRef value, ssize_t index)
{
    return as_list(value)->items[index];
}

Value list_new(ssize_t capacity);                           // empty, with room
Value list_from_array(const ValueRef *items, size_t count); // retains
bool list_append(ValueRef list, ValueRef item);
Value list_take_last(ValueRef list); // of a list that is not empty
bool list_append_owned(ValueRef list,
                       Value item); // steals, in failure too; VALUE_ERROR is refused (false)
bool list_insert(ValueRef list, ssize_t index, ValueRef item);
bool list_extend(ValueRef list, ValueRef iterable);
Value list_slice(ValueRef list, ssize_t start, ssize_t end);
Value list_to_tuple(ValueRef list);
bool list_sort(ValueRef list, ValueRef key,
               bool reverse); // key VALUE_ERROR = none; a stable merge sort (sort.c)
bool list_reverse(ValueRef list);
// list[start:end] = iterable; VALUE_ERROR deletes the items. The bounds are clamped.
bool list_set_slice(ValueRef list, ssize_t start, ssize_t end, ValueRef iterable);
void list_clear(ValueRef list);
