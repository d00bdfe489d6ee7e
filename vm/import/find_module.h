// The path search of import: finds the source text of a module. Private to import.c.
#pragma once

#include "objects/object.h"

typedef enum ModulePlace { PLACE_NOWHERE, PLACE_FILE, PLACE_LIBRARY, PLACE_FOLDER } ModulePlace;

typedef struct FoundModule {
    ModulePlace place;
    bool is_package;
    Value filename;   // str: of the file; of the folder for PLACE_FOLDER
    Value folder;     // str: where the submodules of a package are, else 0
    const char *text; // PLACE_LIBRARY: the source, else NULL
    size_t size;
} FoundModule;

// Looks for `tail` (the last part of a dotted name) in a list of folders. False with an exception
// pending; else *found says where it is, or PLACE_NOWHERE.
bool find_module(ValueRef tail, ValueRef path, FoundModule *found);
void found_module_drop(FoundModule *found);
