// Iterators: over sequences by index, over a callable until a sentinel, and enumerate, zip, map,
// filter, reversed.
#pragma once

#include "objects/call.h"
#include "objects/operators.h"

extern Type sequence_iterator_type, callable_iterator_type, list_iterator_type,
    list_reverse_iterator_type;
extern Type tuple_iterator_type, enumerate_type, zip_type, map_type, filter_type, reversed_type;

// The struct of the iterators of list, tuple, str, bytes and bytearray, some of which the loop
// knows (FOR_ITER); of the reversed ones, whose index runs down to 0; and of sequence_iterator.
typedef struct IndexIterator {
    Object base;
    ssize_t index;
    Value sequence; // VALUE_ERROR = at its end
} IndexIterator;

static inline IndexIterator *as_index_iterator(ValueRef value)
{
    return (IndexIterator *)object_of(value);
}

Value sequence_iterator_new(ValueRef sequence); // by __getitem__ from 0
Value callable_iterator_new(ValueRef callable, ValueRef sentinel);
// The slot `next` of an iterator over pairs, without a tuple: for `for a, b in ...`, which would
// unpack it at once. Returns the first item of the pair, else what `next` returns.
typedef Value (*PairFn)(ValueRef iterator, Value *second);
PairFn iterator_pair_function(const Object *iterator); // NULL = it does not yield pairs
// Returns self: the slot `iter` of an iterator.
Value iterator_self(ValueRef self);

// A type whose instances are IndexIterators.
#define INDEX_ITERATOR(type_name, method_table, next_function)                                     \
    {STATIC_TYPE(type_name, sizeof(IndexIterator)),                                                \
     .flags = TYPE_GC,                                                                             \
     .methods = (method_table),                                                                    \
     .release = index_iterator_release,                                                            \
     .traverse = index_iterator_traverse,                                                          \
     .getattribute = object_generic_get,                                                           \
     .iter = iterator_self,                                                                        \
     .next = (next_function)}

Value index_iterator_new(Type *type, ValueRef sequence, ssize_t index);
void index_iterator_release(Object *self);
void index_iterator_traverse(Object *self, VisitFn visit, void *arg);
// __reduce__: (iter, (sequence,), index), at the end with an empty sequence.
Value index_iterator_reduce(ValueRef self, METHOD_ARGS);
// The methods of iterators that go forwards: __length_hint__, __reduce__, __setstate__.
extern const MethodDef index_iterator_methods[];
