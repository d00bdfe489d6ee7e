// Iterators: over sequences by index, over a callable until a sentinel, and enumerate, zip, map,
// filter, reversed.
#pragma once

#include "objects/object.h"

extern Type sequence_iterator_type, callable_iterator_type, list_iterator_type,
    list_reverse_iterator_type;
extern Type tuple_iterator_type, enumerate_type, zip_type, map_type, filter_type, reversed_type;

// list_iterator and tuple_iterator, which the loop knows (FOR_ITER).
typedef struct IndexIterator {
    Object base;
    ssize_t index;
    Value sequence; // 0 = at its end
} IndexIterator;

Value sequence_iterator_new(ValueRef sequence); // by __getitem__ from 0
Value callable_iterator_new(ValueRef callable, ValueRef sentinel);
// self, for the slot `iter` of an iterator.
Value iterator_self(ValueRef self);
