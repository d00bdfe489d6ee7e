// Iterators: over sequences by index, over a callable until a sentinel, and enumerate, zip, map,
// filter, reversed.
#pragma once

#include "objects/object.h"

extern Type sequence_iterator_type, callable_iterator_type, list_iterator_type,
    list_reverse_iterator_type;
extern Type tuple_iterator_type, enumerate_type, zip_type, map_type, filter_type, reversed_type;

// list_iterator and tuple_iterator, which the loop knows (FOR_ITER); the reversed ones, whose index
// runs down to 0, and sequence_iterator have the same shape.
typedef struct IndexIterator {
    Object base;
    ssize_t index;
    Value sequence; // 0 = at its end
} IndexIterator;

static inline IndexIterator *as_index_iterator(ValueRef value)
{
    return (IndexIterator *)object_of(value);
}

Value sequence_iterator_new(ValueRef sequence); // by __getitem__ from 0
Value callable_iterator_new(ValueRef callable, ValueRef sentinel);
// self, for the slot `iter` of an iterator.
Value iterator_self(ValueRef self);

// For types whose instances are IndexIterators.
Value index_iterator_new(Type *type, ValueRef sequence, ssize_t index);
void index_iterator_release(Object *self);
void index_iterator_traverse(Object *self, VisitFn visit, void *arg);
// __reduce__: (iter, (sequence,), index), of an empty tuple or list at the end.
Value index_iterator_reduce(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
