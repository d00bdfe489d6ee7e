// tuple: an immutable sequence.
#pragma once

#include "objects/object.h"

typedef struct Tuple {
    Object base;
    ssize_t size;
    Value items[];
} Tuple;

extern Type tuple_type;

static inline bool tuple_check(ValueRef value)
{
    return has_flag(value, TYPE_TUPLE);
}
static inline bool tuple_check_exact(ValueRef value)
{
    return is_exactly(value, &tuple_type);
}
static inline Tuple *as_tuple(ValueRef value)
{
    invariant(is_allocated(value) && tuple_check(value), "what is read as a tuple is one");
    return (Tuple *)object_of(value);
}
static inline ssize_t tuple_size(ValueRef value)
{
    return as_tuple(value)->size;
}
static inline ValueRef tuple_at(ValueRef value, ssize_t index)
{
    return as_tuple(value)->items[index];
}

Value tuple_new(
    ssize_t size); // items are VALUE_ERROR until they are set: steal into as_tuple(t)->items[i]
Value tuple_from_array(const ValueRef *items, size_t count); // retains the items
Value tuple_from_owned(Value *items, size_t count);          // steals the items, in failure too
// A tuple of the ValueRefs, retained. An argument of another type does not compile; with "..." it
// would.
#define tuple_pack(count, ...) tuple_from_array((const ValueRef[]){__VA_ARGS__}, count)
Value tuple_slice(ValueRef tuple, ssize_t start, ssize_t end);
