// The path search of import: finds the file of a module. Private to the folder.
#pragma once

#include "vm/import/library.h"

typedef enum ModuleKind {
    MODULE_NOT_FOUND,
    MODULE_FILE,
    MODULE_LIBRARY,
    MODULE_FOLDER,
    MODULE_BY_HOOKS // an entry of the path is no folder, but a file: sys.path_hooks know it, or not
} ModuleKind;

typedef struct FoundModule {
    ModuleKind kind;
    bool is_package;
    bool is_compiled;        // a .pyc file
    Value filename;          // str; 0 for MODULE_FOLDER
    Value folder;            // str: where the submodules of a package are, else 0
    Value portions;          // MODULE_FOLDER: the list of its folders, else 0
    const LibraryFile *file; // MODULE_LIBRARY, else NULL
} FoundModule;

// Looks for `tail` (the last part of a dotted name) in a list of folders. False with an exception
// pending; else found->kind says what was found, or MODULE_NOT_FOUND.
bool find_module(ValueRef tail, ValueRef path, FoundModule *found);
void found_module_drop(FoundModule *found);
// The __path__ of a package that was found: its folders. One of the embedded library may have more
// submodules in the entries of `path` after it, those of MINIVMPATH: CPython's logging.config.
Value package_path(const FoundModule *found, ValueRef path);
// A list of the entries that are folders of the file system.
Value path_without_library(ValueRef path);
// A list of the entries from the library on, or of those before it.
Value path_part(ValueRef path, bool from_library);

// import.c, for run_as_main.c. Finds a module, after its packages were imported; false
// with an exception pending. found->kind is MODULE_NOT_FOUND for one in C.
bool import_find_for_main(ValueRef name, FoundModule *found);
bool import_is_in_c(ValueRef name);
// The module that only the library has asked for so far (own_modules.h), for the program: ABSENT
// where there is none.
Value import_take_waiting(ValueRef name);
// The module itself, for the loader of modules in C: one that waits, or a new one.
Value import_create_in_c(ValueRef name);
// Runs its code as the module __main__.
bool import_run_found(ValueRef name, const FoundModule *found);

// finders.c. Has the program looked at sys.meta_path, or at what belongs to it?
bool finders_are_used(void);
// The module that a finder of sys.meta_path has loaded; ABSENT where none knows it. `path` is the
// __path__ of the module's package, or NONE.
Value finders_load(ValueRef name, ValueRef path);
// The module of a package that is nothing but folders.
Value load_namespace(ValueRef name, ValueRef portions);
