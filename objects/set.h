// set and frozenset: CPython's open addressing to the letter, because its order shows.
#pragma once

#include "objects/object.h"

extern Type set_type, frozenset_type;

bool set_check(ValueRef value);         // set or frozenset, or a subclass
Value set_new(ValueRef iterable);       // 0 = empty
Value frozenset_new(ValueRef iterable); // 0 = empty
ssize_t set_size(ValueRef set);
bool set_add(ValueRef set, ValueRef item);
bool set_discard(ValueRef set, ValueRef item, bool *found);
bool set_contains(ValueRef set, ValueRef item, bool *found);
bool set_update(ValueRef set, ValueRef iterable);
// In the order of the table; *position starts at 0; the item is borrowed.
bool set_next(ValueRef set, ssize_t *position, ValueRef *item);
