// module: a name and a dict. A module written in C is a table of functions, and a function that
// adds the types and constants.
#pragma once

#include "objects/call.h"

#include <stdarg.h>

typedef struct Module {
    Object base;
    Value dict;
    Value weakrefs;
} Module;

typedef struct ModuleDef {
    const char *name;
    const char *doc;
    const MethodDef *functions;    // ends with a NULL name; may be NULL
    bool (*fill)(ValueRef module); // adds types and constants; may be NULL
    void (*finish)(void);          // drops what C holds, at the end of the machine; may be NULL
} ModuleDef;

extern Type module_type;

static inline bool module_check(ValueRef value);
static inline Module *as_module(ValueRef value)
{
    invariant(is_allocated(value) && module_check(value), "what is read as a module is one");
    return (Module *)object_of(value);
}
Value module_new(ValueRef name); // with __name__, __doc__, __package__, __loader__, __spec__
Value module_from_def(const ModuleDef *def);
bool module_add(ValueRef module, const char *name, ValueRef value);
bool module_add_owned(ValueRef module, const char *name, Value value); // steals, in failure too
bool module_add_type(ValueRef module, Type *type);                     // under its __name__
// class NAME(base), whose __module__ is the Python module in front of this one.
bool module_add_exception(ValueRef module, const char *in_front, const char *name, Type *base);
// Raises the exception that a module has under this name; without arguments if `format` is NULL.
Value raise_of_module(const char *module, const char *name, const char *format, va_list arguments);
bool module_add_functions(ValueRef module, const MethodDef *functions); // of one more table

#include "objects/type.h"
static inline bool module_check(ValueRef value)
{
    return type_is_subtype(type_of(value), &module_type);
}
