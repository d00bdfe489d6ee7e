// What the containers share: comparing items, showing them, visiting them, reading indices.
//
// Comparing two items calls no script code where the answer is clear: for the same word, two small
// ints, two floats, two strs.
#pragma once

#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/gc.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/iterators.h"
#include "objects/stack.h"
#include "objects/text/str.h"

// The result of object_next() after the slot `next` failed: ABSENT for StopIteration, else
// VALUE_ERROR.
Value next_failed(ValueRef iterator);
// The same with a StopIteration that stays pending: always VALUE_ERROR.
Value next_failed_within(ValueRef iterator);

// quick_equal() for values that are not tuples.
static inline int quick_equal_atoms(ValueRef a, ValueRef b)
{
    if (a == b) return 1;
    if (are_small(a, b)) return 0;
    if (is_double(a) && is_double(b)) return double_value(a) == double_value(b);
    if (str_check_exact(a) && str_check_exact(b)) return str_equal(a, b);
    if (a == NONE ? str_check_exact(b) : b == NONE && str_check_exact(a)) return 0;
    return -1;
}

int quick_equal_tuples(ValueRef a, ValueRef b);

// 1 = equal, 0 = different, -1 = only object_equal() can tell.
static inline int quick_equal(ValueRef a, ValueRef b)
{
    int known = quick_equal_atoms(a, b);
    if (known >= 0 || !is_exactly(a, &tuple_type) || !is_exactly(b, &tuple_type)) return known;
    return quick_equal_tuples(a, b);
}

// object_equal() for items that script code may free meanwhile: it retains both.
bool items_equal(ValueRef a, ValueRef b, bool *equal);

// The next item of an iterator over a list that has one more; else ABSENT.
static inline Value next_of_list(ValueRef iterator)
{
    IndexIterator *list = as_index_iterator(iterator);
    if (!is_exactly(iterator, &list_iterator_type) || !list->sequence) return ABSENT;
    if (list->index >= list_size(list->sequence)) return ABSENT;
    return retain(list_at(list->sequence, list->index++));
}

// object_next() for loops: calls the slot of the type directly. Recursion through iterators on
// iterators raises RecursionError at the end of the C stack.
static inline Value next_of(ValueRef iterator)
{
    Value of_list = next_of_list(iterator);
    if (of_list != ABSENT) return of_list;
    UnaryFn next = type_of(iterator)->next;
    Value item = next && stack_has_room() ? next(iterator) : VALUE_ERROR;
    return item ? item : next_failed(iterator);
}

// The same for an iterator over that one: a StopIteration with a value stays pending (VALUE_ERROR),
// so that next() of the outer one raises it, as in CPython.
static inline Value next_within(ValueRef iterator)
{
    Value of_list = next_of_list(iterator);
    if (of_list != ABSENT) return of_list;
    UnaryFn next = type_of(iterator)->next;
    Value item = next && stack_has_room() ? next(iterator) : VALUE_ERROR;
    return item ? item : next_failed_within(iterator);
}

// object_hash(), inline for strs and small ints.
static inline bool item_hash(ValueRef item, int64_t *hash)
{
    if (str_check_exact(item)) {
        *hash = as_str(item)->hash;
        if (*hash == -1) *hash = str_hash(item);
        return true;
    }
    if (is_small(item)) {
        int64_t number = small_value(item);
        *hash = number == -1 ? -2 : number;
        return true;
    }
    return object_hash(item, hash);
}

static inline void visit_items(const Value *items, ssize_t count, VisitFn visit, void *arg)
{
    for (ssize_t i = 0; i < count; i++)
        if (is_object(items[i])) visit(items[i], arg);
}
static inline void visit_item(ValueRef item, VisitFn visit, void *arg)
{
    if (is_object(item)) visit(item, arg);
}

// Call before changing the items of a tuple with refcount 1. The collector untracks tuples that
// cannot be part of a cycle, and new items may change that.
static inline void track_again(void *tuple)
{
    if (!gc_head(tuple)->next) gc_track(tuple);
}

// An int, or something with __index__.
static inline bool is_index(ValueRef value)
{
    return int_check(value) || type_of(value)->index;
}
// An index argument as a ssize_t. TypeError for a float and for all that has no __index__;
// OverflowError.
bool argument_ssize(ValueRef value, ssize_t *number);
// An argument as an int (a flag such as `reverse`): TypeError "an integer is required (got type
// T)".
bool argument_int(ValueRef value, int *number);
// start or stop of index(), clamped. TypeError "slice indices must be integers or have an __index__
// method".
bool argument_slice_index(ValueRef value, ssize_t *number);

// Compares two lengths: the result of comparing sequences of which one is the start of the other.
Value compare_sizes(ssize_t left, ssize_t right, CompareOp op);
// The result of a comparison that found left < right (order < 0), == (0) or > (> 0).
static inline Value order_result(int order, CompareOp op)
{
    return compare_sizes(order, 0, op);
}
// Points to a sequence's fields with its items and size, because script code that runs between two
// items may move the items.
typedef struct ItemArray {
    Value *const *items;
    const ssize_t *size;
} ItemArray;
// `open`, the reprs of the items, `close`. `alone`, if not NULL, follows a single item. The result
// is `again` if the repr of this sequence is already being made.
Value items_repr(ValueRef self, ItemArray array, const char *open, const char *alone,
                 const char *close, const char *again);
// The comparison of two sequences of the same kind.
Value items_compare(ItemArray left, ItemArray right, CompareOp op);
// The index of an item within start..stop, -1 = not found, -2 = an exception is pending.
ssize_t items_find(ItemArray array, ValueRef item, ssize_t start, ssize_t stop);

// The builtin of this name, for __reduce__: owned.
Value builtin_named(const char *name);
// The result of __reduce__ for most iterators: (iter, (sequence,)). Steals the sequence; if it is
// VALUE_ERROR returns that.
Value reduce_to_iter(Value sequence);
// __class_getitem__: list[int].
Value class_getitem(ValueRef self, METHOD_ARGS);
// For the slot `new_` of types whose `init` takes the arguments.
Value new_zeroed(Type *type, METHOD_ARGS);
