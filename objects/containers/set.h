// set and frozenset: CPython's open addressing to the letter, because its order shows.
#pragma once

#include "objects/object.h"

#define SET_SMALL_SIZE 8

// A free slot has key VALUE_ERROR and hash 0. A deleted slot has key ABSENT and hash -1.
typedef struct SetEntry {
    Value key;
    int64_t hash;
} SetEntry;

typedef struct Set {
    Object base;
    ssize_t fill; // slots that are not free, deleted ones included
    ssize_t used; // items
    size_t mask;  // slots - 1, a power of two less one
    SetEntry *table;
    int64_t hash;   // of a frozenset, -1 = not computed yet
    size_t finger;  // the slot where pop() searches next
    Value weakrefs; // the head of the list of weak references
    SetEntry small[SET_SMALL_SIZE];
} Set;

extern Type set_type, frozenset_type, set_iterator_type;

bool set_check(ValueRef value); // set or frozenset, or a subclass
static inline Set *as_set(ValueRef value)
{
    invariant(is_allocated(value) && set_check(value), "what is read as a set is one");
    return (Set *)object_of(value);
}

Value set_new(ValueRef iterable);       // VALUE_ERROR = empty
Value frozenset_new(ValueRef iterable); // VALUE_ERROR = empty
ssize_t set_size(ValueRef set);
bool set_add(ValueRef set, ValueRef item);
bool set_discard(ValueRef set, ValueRef item, bool *found);
bool set_contains(ValueRef set, ValueRef item, bool *found);
bool set_update(ValueRef set, ValueRef iterable);
// The same as add, discard and contains for an item whose hash the caller knows.
bool set_add_hashed(ValueRef set, ValueRef item, int64_t hash);
// The same without script code: 1, 0, or -1 where only a script's __eq__ could tell.
int set_peek(ValueRef set, ValueRef item, int64_t hash);
bool set_discard_hashed(ValueRef set, ValueRef item, int64_t hash, bool *found);
bool set_contains_hashed(ValueRef set, ValueRef item, int64_t hash, bool *found);
void set_clear(ValueRef set);
// In the order of the table; *position starts at 0; the item is borrowed.
bool set_next(ValueRef set, ssize_t *position, ValueRef *item);
