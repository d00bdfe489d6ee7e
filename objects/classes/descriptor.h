// Descriptors: objects in the dict of a type that act when they are reached through an instance.
//
// type_ready() makes method_descriptor, classmethod_descriptor, wrapper_descriptor,
// getset_descriptor and member_descriptor from the tables of a type. Scripts make property,
// classmethod and staticmethod.
#pragma once

#include "objects/call.h"

typedef struct GetSetDef {
    const char *name;
    Value (*get)(ValueRef self);
    bool (*set)(ValueRef self, ValueRef value); // NULL = read-only; value VALUE_ERROR = delete
    const char *doc;
} GetSetDef;

typedef enum MemberKind {
    MEMBER_VALUE,          // a Value; None where it is empty
    MEMBER_VALUE_REQUIRED, // a Value; AttributeError where it is empty (T_OBJECT_EX)
    MEMBER_OBJECT,         // a pointer to an object; None where it is NULL; read only
    MEMBER_INT,            // int
    MEMBER_SSIZE,          // ssize_t
    MEMBER_BOOL,           // bool
    MEMBER_DOUBLE,         // double
    MEMBER_FLAGS,          // the flags of a type, as the bits that CPython has for them
} MemberKind;

typedef struct MemberDef {
    const char *name;
    MemberKind kind;
    size_t offset;
    bool read_only;
    const char *doc;
} MemberDef;

extern Type method_descriptor_type, classmethod_descriptor_type, wrapper_descriptor_type,
    method_wrapper_type;
extern Type getset_descriptor_type, member_descriptor_type, property_type, classmethod_type,
    staticmethod_type;
extern Type mappingproxy_type, super_type;

// method_descriptor and classmethod_descriptor.
typedef struct MethodDescriptor {
    Object base;
    Type *owner; // owned
    const MethodDef *def;
} MethodDescriptor;
static inline MethodDescriptor *as_method_descriptor(ValueRef value)
{
    return (MethodDescriptor *)object_of(value);
}

// The offset of the Value in which instances of `type` keep a name of __slots__. 0 if the attribute
// found in the type is anything else.
size_t slot_offset(ValueRef found, const Type *type);

Value method_descriptor_new(Type *owner, const MethodDef *def);
Value classmethod_descriptor_new(Type *owner, const MethodDef *def);
Value getset_descriptor_new(Type *owner, const GetSetDef *def);
Value member_descriptor_new(Type *owner, const MemberDef *def);
Value classmethod_new(ValueRef function);
Value staticmethod_new(ValueRef function);
// What a classmethod or staticmethod holds, borrowed; VALUE_ERROR before its __init__.
ValueRef held_function(ValueRef holder);
Value mappingproxy_new(ValueRef mapping);
// The value that a member_descriptor has for the instance, without calling anything: borrowed.
// ABSENT = AttributeError; VALUE_ERROR = it is no member_descriptor, or not one for this instance.
ValueRef member_peek(ValueRef descriptor, ValueRef instance);
// The `set` of a GetSetDef that stands for a read-only member of CPython's, which is computed here.
bool refuse_as_member(ValueRef self, ValueRef value);
// Does a type written in C compute this attribute, by a getter of its own?
bool is_getset_of(ValueRef descriptor, const Type *owner);
// Checks the two arguments and initialises a super object; `object` VALUE_ERROR = unbound.
// upcalls.bind_super() calls it too, with the arguments that super() stands for.
bool super_bind(ValueRef super, ValueRef type, ValueRef object);
// The method that super.name(...) calls, if it is one that is not bound yet: owned; *self is what
// to bind it to, borrowed. VALUE_ERROR without an exception if it is anything else.
Value super_find_method(ValueRef super, ValueRef name, ValueRef *self);
// The same of super(type, object), which is not made; `object` is its self.
Value super_method(ValueRef type, ValueRef object, ValueRef name);
// super(type, object).
Value super_new(ValueRef type, ValueRef object);
// Has a __set__, so it overrides the instance's own attributes.
static inline bool is_data_descriptor(ValueRef value)
{
    return type_of(value)->set != NULL;
}

// __doc__ and __text_signature__ of a function or type written in C: "name(signature)\n--\n\ntext".
// None if it has none.
Value doc_text(const char *name, const char *doc);
Value doc_signature(const char *name, const char *doc);
// For the getset tables of types with a dict_offset: __dict__.
Value generic_get_dict(ValueRef self);
bool generic_set_dict(ValueRef self, ValueRef dict);
