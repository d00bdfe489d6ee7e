// Functions of set.c for set_methods.c that are not in set.h, and the operations of sets.
#pragma once

#include "objects/containers/set.h"

Value set_new_of_type(Type *type,
                      ValueRef iterable); // set, frozenset or a subclass; VALUE_ERROR = empty
static inline bool set_entry_is_active(const SetEntry *entry)
{
    return entry->key && entry->key != ABSENT;
}

// The next entry with an item; NULL = there is none. Free slots are passed four at a time: a table
// is empty for the most part.
static inline const SetEntry *set_entry_after(const Set *set, ssize_t *position)
{
    const SetEntry *entry = set->table + *position, *end = set->table + set->mask + 1;
    for (; entry < end && !set_entry_is_active(entry); entry++)
        while (end - entry > 4 && !(bits_of(entry[1].key) | bits_of(entry[2].key) |
                                    bits_of(entry[3].key) | bits_of(entry[4].key)))
            entry += 4;
    *position = entry - set->table + 1;
    return entry < end ? entry : NULL;
}

// The next item with its hash: owned, the caller drops entry.key. For loops that run script code.
static inline bool set_next_entry(ValueRef self, ssize_t *position, SetEntry *held)
{
    const SetEntry *entry = set_entry_after(as_set(self), position);
    if (!entry) return false;
    *held = *entry;
    retain(held->key);
    return true;
}
Value set_pop_any(ValueRef set);
bool set_shrink(ValueRef set);
// Swaps the items of two sets.
void set_exchange(ValueRef left, ValueRef right);

// `other` is any iterable. The result is a plain set or frozenset, like the left operand.
Value set_copy(ValueRef set);
Value set_intersection(ValueRef set, ValueRef other);
Value set_difference(ValueRef set, ValueRef other);
Value set_symmetric_difference(ValueRef set, ValueRef other);
bool set_difference_update(ValueRef set, ValueRef other);
bool set_symmetric_difference_update(ValueRef set, ValueRef other);
bool set_is_subset(ValueRef set, ValueRef other, bool *result);
bool set_is_superset(ValueRef set, ValueRef other, bool *result);
bool set_is_disjoint(ValueRef set, ValueRef other, bool *result);
