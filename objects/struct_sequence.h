// Struct sequences: tuples whose items have names as well (sys.version_info, time.struct_time).
//
// Each is a static type that derives from tuple, with one STRUCT_FIELD a visible item:
//
//     static const MemberDef fields[] = {STRUCT_FIELD("major", 0), STRUCT_FIELD("minor", 1), {0}};
//     static Type version_type = {STRUCT_SEQUENCE("sys.version_info", fields)};
#pragma once

#include "objects/descriptor.h"
#include "objects/tuple.h"

#define STRUCT_FIELD(field, number)                                                                \
    {                                                                                              \
        (field), MEMBER_VALUE, offsetof(Tuple, items) + (number) * sizeof(Value), true, NULL       \
    }
#define STRUCT_SEQUENCE(type_name, fields)                                                         \
    STATIC_TYPE(type_name, offsetof(Tuple, items)),                                                \
        .item_size = sizeof(Value), .base_type = &tuple_type, .members = (fields),                 \
        .new_ = struct_sequence_new, .repr = struct_sequence_repr

// type(iterable): as many items as there are fields.
Value struct_sequence_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value struct_sequence_repr(ValueRef self);
// A struct sequence of these items, which are stolen, in failure too.
Value struct_sequence_from_owned(Type *type, Value *items);
