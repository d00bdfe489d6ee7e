// A function written in script: code, globals, and the values that the header of the `def`
// computed. vm_init() fills the slot `call`.
#pragma once

#include "objects/object.h"

typedef struct Function {
    Object base;
    Value code;                        // Code
    Value globals;                     // dict
    Value defaults;                    // tuple, or VALUE_ERROR
    Value kwdefaults;                  // dict, or VALUE_ERROR
    Value closure;                     // tuple of cells, or VALUE_ERROR
    Value doc, name, qualname, module; // name and qualname are strs; the others anything
    Value annotations;                 // dict, or VALUE_ERROR
    Value dict, weakrefs;
} Function;

extern Type function_type;

static inline bool function_check(ValueRef value)
{
    return is_exactly(value, &function_type);
}
static inline Function *as_function(ValueRef value)
{
    invariant(is_allocated(value) && function_check(value), "what is read as a function is one");
    return (Function *)object_of(value);
}
// qualname VALUE_ERROR = the code's name. __doc__ is the code's first constant where that is a str;
// __module__ comes from globals["__name__"].
Value function_new(ValueRef code, ValueRef globals, ValueRef qualname);
