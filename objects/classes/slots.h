// Slots: the fields of a Type that hold functions, and the dunder names that scripts use for them
// (slots.def). Private to the files of types.
//
// The two directions: a wrapper_descriptor in the dict of a built-in type presents its C slot as a
// method (slot_wrappers.c). A slot function in a field of a class written in script calls the
// method of the script (slot_functions.c).
#pragma once

#include "objects/classes/descriptor.h"
#include "objects/names.h"

// Holds any function type of object.h; it is cast back before a call.
typedef void (*SlotFn)(void);
typedef Value (*WrapFn)(SlotFn slot, ValueRef self, const ValueRef *args, size_t nargs,
                        ValueRef kwnames);

typedef struct SlotDef {
    const char *name; // NULL ends the table
    NameIndex index;
    size_t offset;   // of the field in struct Type
    SlotFn function; // NULL: no class in script fills the field
    WrapFn wrap;     // NULL: not shown
    const char *doc; // "name(signature)\n--\n\ntext"
} SlotDef;

extern const SlotDef slot_defs[];

static inline SlotFn slot_get_field(const Type *type, size_t offset)
{
    SlotFn slot;
    memcpy(&slot, (const char *)type + offset, sizeof slot);
    return slot;
}
static inline void slot_set_field(Type *type, size_t offset, SlotFn slot)
{
    memcpy((char *)type + offset, &slot, sizeof slot);
}

// Adds a wrapper to the dict of a static type for each slot that it sets itself.
bool slots_add_wrappers(Type *type);
// Copies the slots of a base that `type` does not set itself (static types).
void slots_inherit(Type *type, const Type *base);
// Fills every slot of a new class, by its bases, MRO and dict.
void slots_fill(Type *type);
// Updates the slots of a class and its subclasses after its attribute `name` was set or deleted.
void slots_update(Type *type, ValueRef name);
// The same for all names, after __bases__ was set.
void slots_update_all(Type *type);

// The method `name` of the type of `self`: owned; ABSENT = none. *unbound: self goes first.
Value special_find(ValueRef self, ValueRef name, bool *unbound);
// Calls that method; args[0] is self, counted in nargs. AttributeError if there is none.
Value special_call(ValueRef name, const ValueRef *args, size_t nargs);
// Calls function(self, args...), or function(args...) if `self` is VALUE_ERROR.
Value call_with_self(ValueRef function, ValueRef self, const ValueRef *args, size_t nargs,
                     ValueRef kwnames);

// type.__new__ in the dict of a type: a builtin bound to the type.
Value new_wrapper_create(Type *type);
bool is_new_wrapper(ValueRef value);

// wrapper_descriptor and method-wrapper (wrapper.c).
typedef struct SlotWrapper {
    Object base;
    Type *owner; // owned
    const SlotDef *def;
    SlotFn slot;
} SlotWrapper;
Value wrapper_descriptor_new(Type *owner, const SlotDef *def, SlotFn slot);

#define SLOT(name, field, slot, wrapper, signature, doc)                                           \
    __typeof__(*((Type *)0)->field) slot;                                                          \
    Value wrapper(SlotFn, ValueRef, const ValueRef *, size_t, ValueRef);
#define SLOT_ONLY(name, field, slot) __typeof__(*((Type *)0)->field) slot;
#define WRAPPER_ONLY(name, field, wrapper, signature, doc)                                         \
    Value wrapper(SlotFn, ValueRef, const ValueRef *, size_t, ValueRef);
#define UNARY(name, field, doc) __typeof__(*((Type *)0)->field) slot_##field;
#define BINARY(name, reflected, field, doc, reflected_doc)                                         \
    __typeof__(*((Type *)0)->field) slot_##field;
#define INPLACE(name, field, doc) __typeof__(*((Type *)0)->field) slot_##field;
#include "objects/classes/slots.def"
#undef SLOT
#undef SLOT_ONLY
#undef WRAPPER_ONLY
#undef UNARY
#undef BINARY
#undef INPLACE
Value wrap_binary_reflected(SlotFn, ValueRef, const ValueRef *, size_t, ValueRef);
