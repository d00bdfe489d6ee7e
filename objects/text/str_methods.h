// One declaration for each row of str_methods.def: str_search.c, str_split.c, str_case.c,
// str_layout.c and str_format.c define them, str_type.c puts them into the type.
#pragma once

#include "objects/call.h"

#define STR_METHOD(name, ...)                                                                      \
    Value str_method_##name(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
#include "objects/text/str_methods.def"
#undef STR_METHOD

// The head of such a function.
#define METHOD_HEAD(prefix, name) Value prefix##_method_##name(FUNCTION_ARGS)
