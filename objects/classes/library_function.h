// Functions of the library that CPython has written in C, and minivm in mini-Python.
//
// To a script each is what it is in CPython: a `builtin_function_or_method`, which does not bind
// where it is an attribute of a class (`class Pool: new_lock = allocate_lock`). type_ready() comes
// first.
//
//     Builtin { def, self } -> LibraryFunction { def, function }      calls the function
#pragma once

#include "objects/call.h"

typedef struct LibraryFunction {
    Object base;
    MethodDef def;   // its name and doc are those of the two below
    Value function;  // what the library has written
    Value home;      // __self__: the module that has it
    Value name, doc; // strs; doc may be VALUE_ERROR
} LibraryFunction;

extern Type library_function_type;

// The function as a built-in one of the module `home`, whose name is `module`: owned.
Value library_function_new(ValueRef function, ValueRef home, ValueRef module);
// The module of what library_function_new() made, and the function behind it, both borrowed;
// VALUE_ERROR = it is anything else.
ValueRef library_function_home(ValueRef builtin);
ValueRef library_function_behind(ValueRef builtin);
