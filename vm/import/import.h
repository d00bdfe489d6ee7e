// import: from a name to a module in sys.modules. (CPython: Lib/importlib/_bootstrap.py,
// Python/import.c.)
//
// A top-level module is looked for among the modules written in C, then along sys.path. The entries
// of sys.path are the script's folder, the embedded library (LIBRARY_ENTRY) and the folders of
// MINIVMPATH. A submodule is looked for along its package's __path__. In each folder, `name` is a
// package name/__init__.mpy or .py, else a file name.mpy or name.py, else a folder without
// __init__, which is a namespace package.
#pragma once

#include "objects/module.h"

// sys.modules, made before anything else.
bool import_init(void);
void import_clear(void);          // forgets all modules
void import_finish_modules(void); // those in C drop what they hold
void import_finish(void);
ValueRef import_modules(void); // borrowed

// __import__(name, globals, locals, fromlist, level): `globals` may be 0 or None, `fromlist` 0 or
// None or a sequence. Returns the first package of a dotted name where `fromlist` is empty, else
// the module itself. `file` is that of the statement import, 0 for a call of the function.
Value import_module_level(ValueRef name, ValueRef globals, ValueRef fromlist, int level,
                          ValueRef file);
// The module of a dotted name itself: the library's, for the machine's own use, or the one that a
// program finds by the name.
Value import_module(const char *name);
Value import_for_program(ValueRef name);
// A module of the library that is imported, or is being imported: borrowed, 0 = it is not.
ValueRef import_library_module(ValueRef name);
// sys.meta_path and its kind are made when a program first looks at them (finders.c).
bool finders_offer(ValueRef sys);
// Makes a module from its table of C functions and puts it into sys.modules.
Value import_c_module(const ModuleDef *def);
// The dict of the module __main__, which is made if it does not exist; its __builtins__ are the
// caller's to set. Borrowed; 0 = an exception is pending.
ValueRef import_main_globals(void);
// Its __file__, __cached__ and __loader__, of a program in a file.
bool import_set_main_file(ValueRef filename, bool is_compiled);
// ImportError or ModuleNotFoundError with `name` and `path` (0 = None). Steals the message.
Value raise_import_error(Type *type, Value message, ValueRef name, ValueRef path);
// For the debugger's processes: the program may have changed its modules, or be in the middle of an
// import. True: replaces sys.modules by a fresh one that has the modules written in C only, and
// restricts the path search to the embedded library. False: puts the program's sys.modules back.
// Returns false with MemoryError pending.
bool import_isolate(bool isolate);
// Finds a module and runs it (of a package: its __main__) as __main__, as `python -m` does. 0 =
// failed.
bool import_run_as_main(const char *name);
// The same with __main__ in a folder, as `python folder` does; sys.argv stays as it is.
bool import_run_folder(const char *folder);
// The same in a zip file, which is the first entry of sys.path.
bool import_run_zip(const char *file);
