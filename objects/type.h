// Types: making static types ready, looking up attributes, making new types by `class`.
//
// type_ready() fills a static type. It inherits the slots that are not set and computes the MRO. It
// puts the wrappers of the slots, the methods, members and getset descriptors and __doc__ into the
// dict, in CPython's order, which shows in dir() and __dict__.
//
// `version` changes whenever the result of a lookup in the type or one of its bases may change. A
// version is never used twice. So a cache may keep what it found, borrowed, and use it while the
// version is the same. Setting an attribute or the __bases__ of a type clears the versions of the
// type and of all its subclasses.
#pragma once

#include "objects/object.h"

bool type_ready(Type *type);
bool types_ready(Type *const *types, size_t count); // in this order

// Is `type` the same as `base`, or derived from it? Runs no script code.
bool type_is_subtype(const Type *type, const Type *base);

// Finds the attribute along the MRO: borrowed, VALUE_ERROR if there is none, and then nothing is
// raised. `name` is an interned str.
ValueRef type_lookup(Type *type, ValueRef name);
// What a lookup has found, in a table for all types.
typedef struct Lookup {
    uint32_t version; // of the type
    int16_t key;      // the index of the name in the type's shared keys (objects/instance.h); -1
    uint16_t kind;    // LookupKind
    Value name;       // owned
    ValueRef found;   // borrowed from a dict of the MRO; VALUE_ERROR = none
} Lookup;
// What the attribute of a TYPE_INLINE instance is, where the default functions get and set it.
typedef enum LookupKind {
    LOOKUP_OTHER,
    LOOKUP_FIELD,  // only the instance may have it
    LOOKUP_METHOD, // a function, unless the instance has it
} LookupKind;
#define LOOKUPS 2048 // a power of two
extern Lookup type_lookups[LOOKUPS];
void type_lookups_clear(void); // the table keeps names alive: so that what is left can be counted
static inline Lookup *lookup_entry(uint32_t version, ValueRef name)
{
    return &type_lookups[(version * 0x9E3779B1u ^ (uint32_t)(bits_of(name) >> 4)) % LOOKUPS];
}
// The entry of the latest lookup of this name in this type, if it is there still and right; or
// NULL.
static inline const Lookup *type_known(const Type *type, ValueRef name)
{
    const Lookup *entry = lookup_entry(type->version, name);
    return type->version && entry->version == type->version && entry->name == name ? entry : NULL;
}
// Must be called when the name gets an index in the shared keys.
void type_forget(Type *type, ValueRef name);
// The version of a type; assigns one if it has none. 0 if all versions are used up.
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

const char *type_short_name(const Type *type); // __name__ as text
Value type_name(const Type *type);             // __name__: an owned str
Value type_qualname(const Type *type);         // __qualname__
Value type_module(const Type *type);           // __module__
// A class of the library is what CPython has in C: its name is its qualname, and messages name it
// with its module.
bool type_name_in_full(Type *type);

// Readies the types of types.def. types_finish() empties those and all that derive from them.
bool types_init(void);
void types_finish(void);

static inline bool type_check(ValueRef value)
{
    return has_flag(value, TYPE_TYPE);
}
static inline Type *as_type(ValueRef value)
{
    invariant(is_allocated(value) && type_check(value), "what is read as a type is one");
    return (Type *)object_of(value);
}
