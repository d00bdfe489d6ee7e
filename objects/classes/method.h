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
    Value self;   // what the function gets as self; 0 for a function of no module
    Value module; // __module__: a str, or 0
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
// Checks the arguments against the def, words CPython's TypeError, and calls. `owner` is the type
// whose method it is, NULL for a plain function: it shows in messages as "list.append()".
Value method_def_call(const MethodDef *def, const Type *owner, ValueRef self, const ValueRef *args,
                      size_t nargs, ValueRef kwnames);
