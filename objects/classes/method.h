// Bound methods, and functions written in C.
#pragma once

#include "objects/call.h"

typedef struct Method {
    Object base;
    Value function, self;
    Value weakrefs;
} Method;

typedef struct Builtin {
    Object base;
    const MethodDef *def;
    Value self;   // passed to the function as self; VALUE_ERROR = function of no module
    Value module; // __module__: a str, or VALUE_ERROR
    Value weakrefs;
} Builtin;

extern Type method_type, builtin_type;

static inline bool method_check(ValueRef value)
{
    return is_exactly(value, &method_type);
}
static inline Method *as_method(ValueRef value)
{
    return (Method *)object_of(value);
}
static inline Builtin *as_builtin(ValueRef value)
{
    return (Builtin *)object_of(value);
}
Value method_new(ValueRef function, ValueRef self);
Value builtin_new(const MethodDef *def, ValueRef self, ValueRef module);
// Checks the arguments against the def, raises the TypeError of CPython, or calls the function.
// `owner` is the type that has the method; messages then say "list.append()". NULL for a plain
// function.
Value method_def_call(const MethodDef *def, const Type *owner, ValueRef self, const ValueRef *args,
                      size_t nargs, ValueRef kwnames);
