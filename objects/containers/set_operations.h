// What set.c offers to set_methods.c beyond set.h, and the operations of sets.
#pragma once

#include "objects/containers/set.h"

Value set_new_of_type(Type *type, ValueRef iterable); // set, frozenset or a subclass; 0 = empty
// The next item with its hash, held: the caller drops entry.key. For loops that run script code.
bool set_next_entry(ValueRef set, ssize_t *position, SetEntry *entry);
Value set_pop_any(ValueRef set);
bool set_shrink(ValueRef set);
// The two sets give each other their items.
void set_exchange(ValueRef left, ValueRef right);

// `other` is any iterable; the results are plain sets or frozensets, as the left operand is.
Value set_copy(ValueRef set);
Value set_intersection(ValueRef set, ValueRef other);
Value set_difference(ValueRef set, ValueRef other);
Value set_symmetric_difference(ValueRef set, ValueRef other);
bool set_difference_update(ValueRef set, ValueRef other);
bool set_symmetric_difference_update(ValueRef set, ValueRef other);
bool set_is_subset(ValueRef set, ValueRef other, bool *result);
bool set_is_superset(ValueRef set, ValueRef other, bool *result);
bool set_is_disjoint(ValueRef set, ValueRef other, bool *result);
