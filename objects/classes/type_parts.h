// What the files of `type` share: type.c, type_mro.c, type_layout.c, type_new.c, type_attributes.c.
// Private to them, slots.c and object_type.c.
#pragma once

#include "objects/object.h"

// The flags for subclasses of built-in types.
#define BUILT_IN_FLAGS                                                                             \
    (TYPE_INT | TYPE_STR | TYPE_BYTES | TYPE_TUPLE | TYPE_LIST | TYPE_DICT | TYPE_TYPE |           \
     TYPE_EXCEPTION | TYPE_FLOAT)

// ---- type.c
// type_lookup() without the cache, for types that are not ready yet.
ValueRef type_find(const Type *type, ValueRef name);
// Links and unlinks a type with one of its bases.
bool type_add_subclass(Type *base, Type *type);
void type_remove_subclass(Type *base, const Type *type);
// Iterates over the subclasses that are alive; *position starts at 0. Borrowed.
bool type_next_subclass(const Type *type, ssize_t *position, Type **subclass);
// The subclasses as an owned list.
Value type_subclasses(const Type *type);
// The part of a static type's name after the last dot.
const char *type_short_name(const Type *type);
// Adds the methods, members and attributes of the type's tables to its dict.
bool type_add_tables(Type *type);
bool type_set_default(Type *type, ValueRef name, Value value); // steals; keeps what is there

// ---- type_mro.c
// Computes the MRO of a class; calls the metatype's mro() if that is not type.mro.
bool type_make_mro(Type *type);
// The MRO of a static type or a class of static bases: calls no metatype.
Value type_default_mro(const Type *type);
// Computes the MROs of a class and all its subclasses, after __bases__ was set; on failure restores
// the old ones.
bool type_remake_mros(Type *type);

// ---- type_layout.c
// The base whose layout the class extends. NULL with TypeError pending.
Type *type_best_base(ValueRef bases);
// The nearest type in the chain of bases that added fields.
const Type *type_solid_base(const Type *type);
// May an instance of one class become an instance of the other? The TypeError names the attribute
// being set.
bool type_layouts_agree(const Type *old_type, const Type *new_type, const char *attribute);
// Values that a class adds to the layout of its base: __dict__, __weakref__, __slots__.
void type_extend_layout(Type *type, bool add_dict, bool add_weakrefs, size_t slot_count);

// ---- type_new.c
bool type_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value type_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);

// ---- type_attributes.c
// __flags__ as CPython numbers them.
int64_t type_cpython_flags(const Type *type);
