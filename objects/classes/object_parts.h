// What the files of `object` share, also with the types that show a script the attributes of other
// objects. Private to objects/.
#pragma once

#include "objects/object.h"

// Adds the dict of a class, then those of its bases, for dir(), in CPython's order.
bool merge_class_dict(ValueRef dict, ValueRef class);

// ---- object_reduce.c
Value object_reduce(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value object_reduce_ex(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
// (getattr, (where, name)): the result of __reduce__ for an attribute of a value.
Value reduce_to_getattr(ValueRef where, const char *name);
// id(): the offset of an object in the region (memory_id()); for a value that is no object, the
// word itself.
int64_t value_id(ValueRef value);
// The hash of the id(); never -1.
int64_t identity_hash(ValueRef value);

// Does CPython give the type a table of sequence slots, even an empty one?
static inline bool has_sequence_slots(const Type *type)
{
    return type->item || type->contains || type->concat || type->flags & TYPE_HEAP;
}
