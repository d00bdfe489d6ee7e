// What the containers share: comparing items, showing them, visiting them, reading indices.
//
// Equality of two items asks script code only where it must: the same word, two small ints, two
// floats and two strs are decided at once.
#pragma once

#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/gc.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"

// All parameters of a function of a module, which rarely needs the module.
#define FUNCTION_ARGS __attribute__((unused)) ValueRef self, METHOD_ARGS

// What object_next() makes of a failure of the slot `next`: ABSENT for StopIteration.
Value next_failed(ValueRef iterator);

// quick_equal() for what is no tuple.
static inline int quick_equal_atoms(ValueRef a, ValueRef b)
{
    if (a == b) return 1;
    if (are_small(a, b)) return 0;
    if (is_double(a) && is_double(b)) return double_value(a) == double_value(b);
    if (str_check_exact(a) && str_check_exact(b)) return str_equal(a, b);
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

// object_equal() for items that nobody else may be holding.
bool items_equal(ValueRef a, ValueRef b, bool *equal);

// object_next() for loops: without a call in between where the iterator's type has the slot. An
// iterator on an iterator on an iterator ... is RecursionError where the stack ends.
static inline Value next_of(ValueRef iterator)
{
    UnaryFn next = type_of(iterator)->next;
    Value item = next && stack_has_room() ? next(iterator) : VALUE_ERROR;
    return item ? item : next_failed(iterator);
}

// object_hash(), quick for strs and small ints.
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

// For a tuple whose items are about to change (nobody else has it): the collector may have found
// that it need not look at it, which is true no longer.
static inline void track_again(void *tuple)
{
    if (!gc_head(tuple)->next) gc_track(tuple);
}

// An int, or something with __index__.
static inline bool is_index(ValueRef value)
{
    return int_check(value) || type_of(value)->index;
}
// An int argument of C's size: TypeError for a float and for all that is no index, OverflowError.
bool argument_ssize(ValueRef value, ssize_t *number);
// The same, any int: TypeError "an integer is required (got type T)" (a flag such as `reverse`).
bool argument_int(ValueRef value, int *number);
// start and stop of index(): clamped; TypeError "slice indices must be integers or have an
// __index__ method".
bool argument_slice_index(ValueRef value, ssize_t *number);

// True, False for the order of two lengths, which decides where all items of the shorter are equal.
Value compare_sizes(ssize_t left, ssize_t right, CompareOp op);
// Where the items of a sequence are now: script code that runs between two items may move them.
typedef struct ItemArray {
    Value *const *items;
    const ssize_t *size;
} ItemArray;
// The reprs of the items between two texts, "[" and "]"; `alone`, if not NULL, follows a single
// item. A sequence that is being shown already shows as `again`.
Value items_repr(ValueRef self, ItemArray array, const char *open, const char *alone,
                 const char *close, const char *again);
// The comparison of two sequences of the same kind.
Value items_compare(ItemArray left, ItemArray right, CompareOp op);
// The index of an item within start..stop, -1 = not there, -2 = an exception is pending.
ssize_t items_find(ItemArray array, ValueRef item, ssize_t start, ssize_t stop);

// The builtin of this name, for __reduce__: owned.
Value builtin_named(const char *name);
// What __reduce__ says of most iterators: (iter, (sequence,)). Steals the sequence; VALUE_ERROR
// passes through.
Value reduce_to_iter(Value sequence);
// __class_getitem__: list[int].
Value class_getitem(ValueRef self, METHOD_ARGS);
// For the slot `new_` of types whose `init` takes the arguments.
Value new_zeroed(Type *type, METHOD_ARGS);
