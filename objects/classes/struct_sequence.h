// Struct sequences: tuples whose items have names as well (sys.version_info, time.struct_time).
//
// Each is a static StructType that derives from tuple, with one STRUCT_FIELD for each named item.
// Hidden items may follow the items of the tuple; they are attributes only:
//
//     | refcount | type | size = visible | items: visible | hidden |
//
//     static const MemberDef fields[] = {STRUCT_FIELD("major", 0), STRUCT_FIELD("minor", 1), {0}};
//     static StructType version_type = STRUCT_SEQUENCE("sys.version_info", fields, 2);
#pragma once

#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"

typedef struct StructType {
    Type type;
    ssize_t visible; // how many of the fields are items of the tuple
} StructType;

#define STRUCT_FIELD(field, number)                                                                \
    {(field), MEMBER_VALUE, offsetof(Tuple, items) + (number) * sizeof(Value), true, NULL}
#define STRUCT_SEQUENCE(type_name, fields, visible_count)                                          \
    {.type = {STATIC_TYPE(type_name, offsetof(Tuple, items)), .flags = TYPE_GC,                    \
              .item_size = sizeof(Value), .base_type = &tuple_type,                                \
              .methods = struct_sequence_methods, .members = (fields),                             \
              .new_ = struct_sequence_new, .release = struct_sequence_release,                     \
              .traverse = struct_sequence_traverse, .repr = struct_sequence_repr},                 \
     .visible = (visible_count)}

extern const MethodDef struct_sequence_methods[];

// type_ready(), and n_fields and the like; call it before all else.
bool struct_sequence_ready(StructType *type);
// The same for a type without a constructor for scripts (sys.flags).
bool struct_sequence_ready_sealed(StructType *type);
// type(iterable, dict=None): the iterable has one item for each field. Hidden fields may be in the
// dict instead, or missing.
Value struct_sequence_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value struct_sequence_repr(ValueRef self);
void struct_sequence_release(Object *self);
void struct_sequence_traverse(Object *self, VisitFn visit, void *arg);
// A struct sequence of these items, one for each field; steals them, in failure too.
Value struct_sequence_from_owned(StructType *type, Value *items);
