// What the files of `object` share, and lend to the types that scripts use to look at others.
// Private to objects/.
#pragma once

#include "objects/object.h"

// Adds the dict of a class, then those of its bases: what dir() shows, in CPython's order.
bool merge_class_dict(ValueRef dict, ValueRef class);

// ---- object_reduce.c
Value object_reduce(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value object_reduce_ex(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
// (getattr, (where, name)): how what hangs at something is taken apart.
Value reduce_to_getattr(ValueRef where, const char *name);
// id(): the place of an object; the word itself of what is none.
int64_t value_place(ValueRef value);
// A hash of the identity; never -1.
int64_t identity_hash(ValueRef value);

// CPython gives the type a table of sequence slots, whatever is in it.
static inline bool has_sequence_slots(const Type *type)
{
    return type->item || type->contains || type->concat || type->flags & TYPE_HEAP;
}
