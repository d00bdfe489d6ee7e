// Types: making them ready, looking up in them, making new ones by `class`.
//
// type_ready() fills a static type: inherits the slots that are not set, makes the MRO, and puts
// into its dict, in CPython's order (it shows in dir() and __dict__): wrappers of the slots,
// methods, members, getset, __doc__.
//
// `version` changes with everything that a lookup in the type or one of its bases can find, and is
// never used twice; a cache that compares it may keep what it found, borrowed, as long as the
// version is the same. Setting an attribute of a type, or its __bases__, empties the versions of
// all its subclasses.
#pragma once

#include "objects/object.h"

bool type_ready(Type *type);

// Is `type` the same as `base`, or derived from it? Runs nothing.
bool type_is_subtype(const Type *type, const Type *base);

// The attribute found along the MRO, borrowed; 0 = none (nothing is raised). `name` is an interned
// str.
ValueRef type_lookup(Type *type, ValueRef name);
// The version of a type, assigning one if it has none; 0 where versions are spent.
uint32_t type_version(Type *type);
// Must be called after every change of a type's dict, mro or slots.
void type_modified(Type *type);

// type(name, bases, namespace, **keywords): a new class of this metatype.
Value type_new(Type *metatype, const ValueRef *args, size_t nargs, ValueRef kwnames);
// The most derived metatype of `metatype` and those of the bases (a tuple). NULL with TypeError
// pending.
Type *type_metatype(Type *metatype, ValueRef bases);
// type.__getattribute__ and __setattr__.
Value type_getattribute(ValueRef type, ValueRef name);
bool type_setattr(ValueRef type, ValueRef name, ValueRef value);

Value type_name(const Type *type);     // __name__: an owned str
Value type_qualname(const Type *type); // __qualname__
Value type_module(const Type *type);   // __module__

// Every built-in type is a row of types.def.
bool types_init(void);
void types_finish(void);

static inline bool type_check(ValueRef value)
{
    return has_flag(value, TYPE_TYPE);
}
static inline Type *as_type(ValueRef value)
{
    return (Type *)object_of(value);
}
