// The __spec__ and __loader__ of a module that the import in C has found. Private to the folder.
//
// Their classes are written in mini-Python: ModuleSpec in vm/lib/_frozen_importlib.mpy, the loaders
// in vm/lib/_frozen_importlib_external.mpy. Most programs never look at a spec, and need not load
// them. So it is made as an instance of a stand-in, a type that has attributes and nothing else:
//
//     spec --> stand-in (ModuleSpec)                              spec --> class ModuleSpec
//         name, loader, origin, ...       first use of                name, loader, origin, ...
//                                         anything else  ==>
//
// The first use of anything but these attributes loads the class, and the object becomes an
// instance of it. `type(spec)` counts as such a use (upcalls.load_class).
#pragma once

#include "objects/object.h"

typedef enum LoaderKind { LOADER_SOURCE, LOADER_SOURCELESS } LoaderKind;

// The modules in mini-Python that the import in C needs. They are kept: a program may hide them
// from itself, with None in sys.modules.
typedef enum Machinery {
    MACHINERY_SPECS, // _frozen_importlib
    MACHINERY_FILES  // _frozen_importlib_external
} Machinery;
Value import_machinery(Machinery which); // import.c

bool module_spec_init(void);
void module_spec_finish(void);
// `origin` is the module's file if it has a location, else a word like "built-in"; `search` is its
// __path__, or 0.
Value module_spec_new(ValueRef name, ValueRef loader, ValueRef origin, bool has_location,
                      ValueRef search);
Value module_loader_new(LoaderKind kind, ValueRef name, ValueRef filename);
// Is it one of these, whose class is not loaded?
bool module_spec_is_own(ValueRef spec);
// While its code runs: messages about missing names then speak of a circular import.
bool module_spec_set_initializing(ValueRef spec, bool flag);

// importlib.machinery.BuiltinImporter (builtin_importer.c): finds and loads the modules in C.
extern Type builtin_importer_type;
