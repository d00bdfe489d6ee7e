// Which modules are the library's own, whatever files the user's folder has. Private to the folder.
//
// A user may call a file abc.py, operator.py or types.py. CPython finds such a file where it would
// look along sys.path, and only there:
//
//   - a module that is built into CPython is found before sys.path is looked at;
//   - a module that CPython loads before the program starts (os, abc, io, ...) is in sys.modules;
//   - other modules are looked for along sys.path, by the program and by the library.
//
// Modules of minivm's library import some that CPython's versions of them do not, because those
// are written in C or divided otherwise. CPython would not have looked for these at all. So they
// are never taken from the user's folder: `import_own`. They wait in a dict of their own until the
// program, or a module that imports it in CPython as well, asks for one.
#pragma once

#include "objects/object.h"

// Does the counterpart in CPython of a library file import the top-level module of `name`?
bool cpython_imports(ValueRef filename, ValueRef name);

// Has CPython's library this module, and ours not?
bool cpython_has(ValueRef name);

typedef enum ModuleOrigin {
    ORIGIN_PATH,   // looked for along sys.path
    ORIGIN_LOADED, // built into CPython, or loaded before the program starts
    ORIGIN_SHARED  // written in C here, a shared library along sys.path in CPython
} ModuleOrigin;
ModuleOrigin module_origin(ValueRef name);
