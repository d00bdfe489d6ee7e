// The import system. import.h says in which order it looks for a module.
//
// From the time when a program looks at sys.meta_path, its finders are asked (finders.c).
//
// A module is put into sys.modules before its code runs, so that two modules may import each other.
// If its code raises, it is removed. While its code runs, its __spec__ has `_initializing` set: the
// message for a missing name then speaks of a circular import.
#include "vm/import/import.h"

#include "compiler/compile.h"
#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/instance.h"
#include "objects/marshal/marshal.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/builtins/builtins.h"
#include "vm/function_call.h"
#include "vm/import/find_module.h"
#include "vm/import/library.h"
#include "vm/import/module_spec.h"
#include "vm/import/own_modules.h"
#include "vm/io/path.h"
#include "vm/outside/outside.h"

#include <errno.h>
#include <stdio.h>

#define MODULE_ROW(name) extern const ModuleDef name##_module;
#include "vm/import/modules.def"
#include "vm/sys/sys.h"
#undef MODULE_ROW

static const ModuleDef *const c_modules[] = {
#define MODULE_ROW(name) &name##_module,
#include "vm/import/modules.def"
#undef MODULE_ROW
};

static Value modules; // the dict sys.modules

// The library's modules that only the library has asked for so far (own_modules.h). They are in
// sys.modules too, but for those whose name there belongs to the user's module.
static Value own_modules;
static Value library_path; // a list: the library alone
static Value machinery[2]; // module_spec.h

// For import_isolate().
static Value modules_apart; // the other dict: the program's where `isolated`
static bool isolated;

typedef enum Asker { PROGRAM, LIBRARY } Asker; // LIBRARY: finds the library's own module

bool import_init(void)
{
    modules = dict_new();
    own_modules = dict_new();
    library_path = list_new(1);
    return modules && own_modules && library_path && module_spec_init() &&
           list_append_owned(library_path, str_new(LIBRARY_ENTRY));
}

void import_clear(void)
{
    dict_clear(modules);
    dict_clear(own_modules);
    drop_slot(&machinery[MACHINERY_SPECS]);
    drop_slot(&machinery[MACHINERY_FILES]);
}

void import_finish_modules(void)
{
    for (size_t i = 0; i < sizeof c_modules / sizeof *c_modules; i++)
        if (c_modules[i]->finish) c_modules[i]->finish();
}

void import_finish(void)
{
    drop_slot(&modules);
    drop_slot(&own_modules);
    drop_slot(&modules_apart);
    drop_slot(&library_path);
    module_spec_finish();
}

ValueRef import_modules(void)
{
    return modules;
}

// ---- errors

Value raise_import_error(Type *type, Value message, ValueRef name, ValueRef path)
{
    if (!message) return VALUE_ERROR;
    Value names = tuple_pack(2, NAME(name), NAME(path));
    if (names) {
        ValueRef args[] = {message, name ? name : NONE, path ? path : NONE};
        Value error = object_call(ref_of(type), args, 1, names);
        if (error) raise_value(error);
        drop(error);
    }
    drop(names);
    drop(message);
    return VALUE_ERROR;
}

static Value no_module(ValueRef name, ValueRef parent)
{
    Value message = parent ? format_text("No module named %R; %R is not a package", name, parent)
                    : cpython_has(name)
                        ? format_text("No module named %R; it is one of CPython's library, which "
                                      "MINIVMPATH=/usr/lib/python3.9 adds",
                                      name)
                        : format_text("No module named %R", name);
    return raise_import_error(ModuleNotFoundError, message, name, 0);
}

static Value no_path(ValueRef parent, ValueRef name)
{
    Value message =
        format_text("__path__ attribute not found on %R while trying to find %R", parent, name);
    return raise_import_error(ModuleNotFoundError, message, name, 0);
}

// ---- making a module

static const ModuleDef *c_module_find(ValueRef name)
{
    for (size_t i = 0; i < sizeof c_modules / sizeof *c_modules; i++)
        if (str_equal_ascii(name, c_modules[i]->name)) return c_modules[i];
    return NULL;
}

// The module's __spec__ and __loader__ (module_spec.h).
static bool add_spec(ValueRef module, ValueRef name, Value loader, ValueRef origin, ValueRef search)
{
    bool has_location = loader && type_of(loader) != &type_type;
    Value spec = loader ? module_spec_new(name, loader, origin, has_location, search) : VALUE_ERROR;
    bool done = spec && dict_set(as_module(module)->dict, NAME(__loader__), loader) &&
                dict_set(as_module(module)->dict, NAME(__spec__), spec);
    drop(spec);
    drop(loader);
    return done;
}

static bool set_initializing(ValueRef module, bool flag)
{
    ValueRef spec = dict_peek(as_module(module)->dict, NAME(__spec__));
    return !spec || spec == NONE || module_spec_set_initializing(spec, flag);
}

static Value parent_of(ValueRef name)
{
    ssize_t dot = str_find_char(name, '.', 0, str_length(name), -1);
    return str_substring(name, 0, dot < 0 ? 0 : dot);
}

// Puts a module where imports find it: one that only the library has asked for takes no name of
// sys.modules from another module.
static bool keep_module(ValueRef name, ValueRef module, Asker asker)
{
    if (asker == PROGRAM) return dict_set(modules, name, module);
    return dict_set(own_modules, name, module) &&
           (dict_peek(modules, name) || dict_set(modules, name, module));
}

// The module that an import by this asker finds: owned, or ABSENT.
static Value kept_module(ValueRef name, Asker asker)
{
    Value module = asker == LIBRARY ? dict_get(own_modules, name) : ABSENT;
    return module == ABSENT ? dict_get(modules, name) : module;
}

static Value load_c_module(const ModuleDef *def, Asker asker)
{
    Value module = module_from_def(def);
    if (!module) return VALUE_ERROR;
    ValueRef name = dict_peek(as_module(module)->dict, NAME(__name__));
    Value origin = str_new("built-in"), package = parent_of(name);
    Value loader = retain(ref_of(&builtin_importer_type));
    bool done = origin && package && add_spec(module, name, loader, origin, 0) &&
                module_add(module, "__package__", package) && keep_module(name, module, asker);
    drop(origin);
    drop(package);
    if (done) return module;
    drop(module);
    return VALUE_ERROR;
}

Value import_c_module(const ModuleDef *def)
{
    return load_c_module(def, PROGRAM);
}

static Value compile_text(const char *text, size_t size, ValueRef filename)
{
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .optimize = sys_optimize()};
    return compile_source(text, size, &options);
}

// A .pyc file of CPython 3.9, whose source need not be there.
static Value read_compiled(ValueRef name, const char *text, size_t size, ValueRef filename)
{
    if (pyc_has_magic(text, size)) return pyc_read(text, size);
    Value start = bytes_new(text, size < 4 ? size : 4);
    Value message =
        start ? format_text("bad magic number in %R: %R", name, (ValueRef)start) : VALUE_ERROR;
    drop(start);
    return raise_import_error(ImportError, message, name, filename);
}

static Value code_of_file(ValueRef name, const FoundModule *found)
{
    Value path = path_bytes(found->filename);
    if (!path) return VALUE_ERROR;
    size_t size;
    char *text = outside_read_file(as_bytes(path)->data, &size);
    drop(path);
    if (!text) return raise_os_error(errno, found->filename);
    Value code = found->is_compiled ? read_compiled(name, text, size, found->filename)
                                    : compile_text(text, size, found->filename);
    memory_free(text);
    return code;
}

// The debugger's own modules keep their docstrings under -OO: these are its help.
static Value code_of_library(const FoundModule *found)
{
    Value code = isolated || !sys_optimize() ? library_code(found->file) : ABSENT;
    if (code != ABSENT) return code;
    Value text = library_text(found->file);
    if (!text) return VALUE_ERROR;
    code = compile_text(as_bytes(text)->data, (size_t)as_bytes(text)->size, found->filename);
    drop(text);
    return code;
}

static bool run_found(ValueRef name, const FoundModule *found, ValueRef globals)
{
    Value code = found->kind == MODULE_LIBRARY ? code_of_library(found) : code_of_file(name, found);
    if (!code) return false;
    Value result = code_run(as_code(code), globals, globals, NULL);
    drop(code);
    drop(result);
    return result != VALUE_ERROR;
}

static ValueRef sys_path(void)
{
    if (isolated) return library_path;
    ValueRef sys = dict_peek_ascii(modules, "sys");
    ValueRef path = sys && module_check(sys) ? dict_peek_ascii(as_module(sys)->dict, "path") : 0;
    return path ? path : NONE;
}

// Where CPython keeps the compiled code of a file: __pycache__/name.cpython-39.pyc beside it.
static Value cached_name(const FoundModule *found)
{
    ValueRef file = found->filename;
    if (found->is_compiled) return retain(file);
    ssize_t length = str_length(file), slash = str_find_char(file, '/', 0, length, -1);
    ssize_t dot = str_find_char(file, '.', 0, length, -1);
    Value folder = str_substring(file, 0, slash + 1);
    Value stem = str_substring(file, slash + 1, dot);
    char optimized[16] = "";
    if (sys_optimize()) snprintf(optimized, sizeof optimized, ".opt-%d", sys_optimize());
    Value name = folder && stem ? format_text("%S__pycache__/%S.cpython-39%s.pyc", (ValueRef)folder,
                                              (ValueRef)stem, optimized)
                                : VALUE_ERROR;
    drop(folder);
    drop(stem);
    return name;
}

// Everything a module's dict has before its code runs.
static bool prepare_module(ValueRef module, ValueRef name, const FoundModule *found)
{
    Value package = found->is_package ? retain(name) : parent_of(name);
    Value search = package && found->folder ? package_path(found, sys_path()) : VALUE_ERROR;
    Value loader = module_loader_new(found->is_compiled ? LOADER_SOURCELESS : LOADER_SOURCE, name,
                                     found->filename);
    bool done = add_spec(module, name, loader, found->filename, search) && package &&
                (search || !found->folder) && module_add(module, "__package__", package) &&
                (!search || module_add(module, "__path__", search)) &&
                module_add(module, "__file__", found->filename) &&
                module_add_owned(module, "__cached__", cached_name(found)) &&
                module_add(module, "__builtins__", upcalls.builtins());
    drop(package);
    drop(search);
    return done;
}

// Takes a module back whose code has failed.
static void forget_module(ValueRef name, ValueRef module)
{
    if (dict_peek(own_modules, name) == module) drop(dict_pop(own_modules, name));
    if (dict_peek(modules, name) == module) drop(dict_pop(modules, name));
}

static bool run_module_code(ValueRef name, ValueRef module, const FoundModule *found)
{
    bool done = set_initializing(module, true) && run_found(name, found, as_module(module)->dict);
    Value error = error_take();
    set_initializing(module, false);
    if (!done) forget_module(name, module);
    error_restore(error);
    return done;
}

static Value load_found(ValueRef name, const FoundModule *found, Asker asker)
{
    Value module = module_new(name);
    if (!module) return VALUE_ERROR;
    bool done = prepare_module(module, name, found) && keep_module(name, module, asker) &&
                run_module_code(name, module, found);
    drop(module);
    if (!done) return VALUE_ERROR;
    Value current = kept_module(name, asker); // the code may have put something else there
    return current == ABSENT ? no_module(name, 0) : current;
}

// ---- the library's own modules (own_modules.h)

// Has only the library asked for this module so far?
static bool is_waiting(ValueRef name, ValueRef module)
{
    return !isolated && dict_peek(own_modules, name) == module;
}

// Is this module the library's, and not one of the user's that has its name?
static bool is_own(ValueRef name, ValueRef module)
{
    if (!module_check(module)) return false;
    ValueRef file = dict_peek(as_module(module)->dict, NAME(__file__));
    return file ? is_library_file(file) : c_module_find(name) != NULL;
}

ValueRef import_library_module(ValueRef name)
{
    ValueRef own = isolated ? 0 : dict_peek(own_modules, name);
    return own ? own : dict_peek(modules, name);
}

// Is this the namespace of a module that only the library has asked for?
static bool is_of_waiting(ValueRef globals)
{
    ValueRef name = globals && dict_check(globals) ? dict_peek(globals, NAME(__name__)) : 0;
    ValueRef module = name && str_check(name) ? dict_peek(own_modules, name) : 0;
    return module && as_module(module)->dict == globals;
}

// A submodule is looked for in its package, not along sys.path: no file of the user's hides it, and
// what the program or a finder puts in its place is meant for the library, too.
static bool is_in_library_package(ValueRef name)
{
    ssize_t dot = str_find_char(name, '.', 0, str_length(name), -1);
    Value parent = dot < 0 ? VALUE_ERROR : str_substring(name, 0, dot);
    ValueRef package = parent ? dict_peek(modules, parent) : 0;
    bool found = package && is_own(parent, package) && !is_waiting(parent, package);
    drop(parent);
    return found;
}

// For whom does the statement import that stands in this file (0 = a call of a function)?
static Asker asker_of(ValueRef file, ValueRef globals, ValueRef name)
{
    if (!file || isolated || !is_library_file(file)) return PROGRAM;
    ValueRef known = dict_peek(modules, name);
    if (known == NONE) return PROGRAM; // a program hides a module from all
    if (known && is_own(name, known) && !is_waiting(name, known)) return PROGRAM; // no difference
    if (is_in_library_package(name)) return PROGRAM;
    return cpython_imports(file, name) && !is_of_waiting(globals) ? PROGRAM : LIBRARY;
}

// The module of a name that the library has; ABSENT = it has none.
static Value load_own(ValueRef name, ValueRef tail, ValueRef path)
{
    const ModuleDef *def = c_module_find(name);
    if (def) return load_c_module(def, LIBRARY);
    FoundModule found;
    if (!find_module(tail, path, &found)) return VALUE_ERROR;
    Value module = found.kind == MODULE_LIBRARY ? load_found(name, &found, LIBRARY) : ABSENT;
    found_module_drop(&found);
    return module;
}

Value import_take_waiting(ValueRef name)
{
    if (isolated || !str_check(name)) return ABSENT;
    Value waiting = dict_pop(own_modules, name);
    if (waiting == ABSENT || dict_peek(modules, name) == waiting) return waiting;
    drop(waiting);
    return ABSENT;
}

// The library's module that waited, or a new one: the program has asked for it now.
static Value load_library_module(ValueRef name, const FoundModule *found)
{
    Value waiting = import_take_waiting(name);
    if (waiting != ABSENT) return waiting;
    if (found) return load_found(name, found, PROGRAM);
    return load_c_module(c_module_find(name), PROGRAM);
}

// ---- from a dotted name to a module

// Modules written in C are complete as soon as they are in sys.modules.
static Value modules_in_c(void)
{
    Value dict = dict_new();
    ssize_t position = 0;
    ValueRef name, module;
    while (dict && dict_next(modules, &position, &name, &module)) {
        bool written_in_c = str_check(name) && c_module_find(name);
        if (written_in_c && !dict_set(dict, name, module)) drop_slot(&dict);
    }
    if (dict && !dict_set_ascii(dict, "sys", sys_module())) drop_slot(&dict);
    return dict;
}

bool import_isolate(bool isolate)
{
    if (isolate == isolated) return true;
    if (!modules_apart) modules_apart = modules_in_c();
    if (!modules_apart) return false;
    Value other = modules_apart;
    modules_apart = modules;
    modules = other;
    isolated = isolate;
    return true;
}

// What the finders of sys.meta_path find; `path` is None for a module in no package.
static Value load_by_finders(ValueRef name, ValueRef path)
{
    Value module = finders_load(name, path);
    return module == ABSENT ? no_module(name, 0) : module;
}

static Value load_first(ValueRef name, ValueRef tail, ValueRef path)
{
    FoundModule found;
    if (!find_module(tail, path, &found)) return VALUE_ERROR;
    Value module = !found.kind                     ? no_module(name, 0)
                   : found.kind == MODULE_BY_HOOKS ? load_by_finders(name, path)
                   : found.kind == MODULE_FOLDER   ? load_namespace(name, found.portions)
                   : found.kind == MODULE_LIBRARY  ? load_library_module(name, &found)
                                                   : load_found(name, &found, PROGRAM);
    found_module_drop(&found);
    return module;
}

// Is the pending error the lack of a module that None in sys.modules hides?
static bool lacks_hidden_module(void)
{
    if (!error_is(ModuleNotFoundError)) return false;
    Value error = error_take();
    Value name = object_get_optional(error, NAME(name));
    bool lacks = name && name != ABSENT && str_check(name) && dict_peek(modules, name) == NONE;
    if (!name) error_clear();
    drop(name);
    error_restore(error);
    return lacks;
}

// A module of the embedded library whose half in C was hidden by None in sys.modules, as tests do
// that ask for a version without it, is looked for once more, in the folders of MINIVMPATH.
// `for_finders`: the path that finders of sys.meta_path are given; 0 = they are not asked.
static Value load_along(ValueRef name, ValueRef tail, ValueRef path, ValueRef for_finders)
{
    bool by_finders = for_finders && !isolated && finders_are_used();
    Value module = by_finders ? load_by_finders(name, for_finders) : load_first(name, tail, path);
    if (module || !lacks_hidden_module()) return module;
    Value error = error_take(), rest = path_without_library(path);
    module = rest ? load_first(name, tail, rest) : VALUE_ERROR;
    drop(rest);
    if (!module && error_is(ModuleNotFoundError)) {
        error_clear();
        error_restore(error);
        return VALUE_ERROR;
    }
    drop(error);
    return module;
}

// A module in C that CPython has as a shared library: the folders before the library come first.
static Value load_shared(ValueRef name)
{
    FoundModule found = {0};
    Value path = path_part(sys_path(), false);
    Value module = VALUE_ERROR;
    if (path && find_module(name, path, &found))
        module = found.kind == MODULE_FILE ? load_found(name, &found, PROGRAM)
                                           : load_library_module(name, NULL);
    found_module_drop(&found);
    drop(path);
    return module;
}

static Value load_top_level(ValueRef name)
{
    ModuleOrigin origin = isolated ? ORIGIN_PATH : module_origin(name);
    bool is_loaded = origin == ORIGIN_LOADED; // in CPython, where no finder would be asked
    if (c_module_find(name) && (isolated || is_loaded || !finders_are_used()))
        return origin == ORIGIN_SHARED ? load_shared(name) : load_library_module(name, NULL);
    Value path = is_loaded ? path_part(sys_path(), true) : retain(sys_path());
    Value module = path ? load_along(name, name, path, is_loaded ? 0 : NONE) : VALUE_ERROR;
    drop(path);
    return module;
}

// A module that need not be loaded: owned, or ABSENT.
static Value known_module(ValueRef name, Asker asker)
{
    Value module = dict_get(modules, name);
    bool fits = asker == LIBRARY ? module != ABSENT && is_own(name, module)
                                 : module == ABSENT || !is_waiting(name, module);
    if (fits) return module;
    drop(module);
    return asker == LIBRARY ? dict_get(own_modules, name) : ABSENT;
}

static Value import_by_name(ValueRef name, Asker asker);

// A part of what is one file in CPython, datetime/_date: no finder is asked there.
static bool is_part_of_library(ValueRef package, ValueRef tail)
{
    ValueRef file = module_check(package) ? dict_peek(as_module(package)->dict, NAME(__file__)) : 0;
    return file && is_library_file(file) && str_length(tail) && str_at(as_str(tail), 0) == '_';
}

static Value load_from_package(ValueRef name, ValueRef parent, ValueRef parent_name, ValueRef tail,
                               Asker asker)
{
    if (c_module_find(name)) return load_library_module(name, NULL);
    Value path = object_get_optional(parent, NAME(__path__));
    if (path == ABSENT) return no_module(name, parent_name);
    Value module = !path ? VALUE_ERROR : asker == LIBRARY ? load_own(name, tail, path) : ABSENT;
    if (module == ABSENT) {
        Value folders = sequence_list(path); // of a package without a file it is no list
        ValueRef for_finders = is_part_of_library(parent, tail) ? 0 : (ValueRef)path;
        module = folders ? load_along(name, tail, folders, for_finders) : VALUE_ERROR;
        drop(folders);
    }
    drop(path);
    return module;
}

// The submodule becomes an attribute of its package, which its code may have replaced.
static bool set_in_package(ValueRef name, ValueRef package, ValueRef tail, ValueRef module)
{
    Value current = dict_get(modules, name);
    bool done = object_set(current == ABSENT ? package : (ValueRef)current, tail, module);
    drop(current);
    if (done || !error_is(AttributeError)) return done;
    error_clear();
    return warn(ImportWarning, 1, "Cannot set an attribute on '%S' for child module '%S'", name,
                tail);
}

static Value load_submodule(ValueRef name, ValueRef parent_name, ValueRef tail, Asker asker)
{
    Value parent = import_by_name(parent_name, asker);
    if (!parent) return VALUE_ERROR;
    Value module = known_module(name, asker); // the parent may have imported it
    if (module != ABSENT) {
        drop(parent);
        return module;
    }
    module = load_from_package(name, parent, parent_name, tail, asker);
    if (module && !set_in_package(parent_name, parent, tail, module)) drop_slot(&module);
    drop(parent);
    return module;
}

static Value load_by_name(ValueRef name, Asker asker)
{
    ssize_t dot = str_find_char(name, '.', 0, str_length(name), -1);
    if (dot < 0) {
        Value module = asker == LIBRARY ? load_own(name, name, library_path) : ABSENT;
        return module != ABSENT   ? module
               : asker == LIBRARY ? import_by_name(name, PROGRAM)
                                  : load_top_level(name);
    }
    if (dot == 0) return no_module(name, 0); // no package has an empty name
    Value parent = str_substring(name, 0, dot);
    Value tail = parent ? str_substring(name, dot + 1, str_length(name)) : VALUE_ERROR;
    if (tail) str_intern_in_place(&tail);
    Value module = tail ? load_submodule(name, parent, tail, asker) : VALUE_ERROR;
    drop(parent);
    drop(tail);
    return module;
}

// The module of a dotted name, imported with all its parents: owned.
static Value import_by_name(ValueRef name, Asker asker)
{
    Value module = known_module(name, asker);
    if (module == NONE) {
        Value text = format_text("import of %S halted; None in sys.modules", name);
        return raise_import_error(ModuleNotFoundError, text, name, 0);
    }
    if (module != ABSENT) return module;
    if (!stack_enter(" while importing")) return VALUE_ERROR;
    module = load_by_name(name, asker);
    stack_leave();
    return module;
}

Value import_module(const char *name)
{
    Value text = str_intern(name);
    Value module = text ? import_by_name(text, isolated ? PROGRAM : LIBRARY) : VALUE_ERROR;
    drop(text);
    return module;
}

Value import_machinery(Machinery which)
{
    static const char *const names[] = {"_frozen_importlib", "_frozen_importlib_external"};
    if (isolated) return import_module(names[which]);
    if (!machinery[which]) machinery[which] = import_module(names[which]);
    return retain(machinery[which]);
}

Value import_for_program(ValueRef name)
{
    return import_by_name(name, PROGRAM);
}

static ValueRef main_module(void)
{
    ValueRef known = dict_peek(modules, NAME(__main__));
    if (known) return known;
    Value module = module_new(NAME(__main__));
    bool done = module && dict_set(modules, NAME(__main__), module) &&
                module_add(module, "__loader__", ref_of(&builtin_importer_type));
    drop(module); // sys.modules holds it
    return done ? module : 0;
}

ValueRef import_main_globals(void)
{
    ValueRef module = main_module();
    ValueRef globals = module ? as_module(module)->dict : 0;
    bool done = globals && dict_set_owned(globals, NAME(__annotations__), dict_new());
    return done ? globals : 0;
}

bool import_set_main_file(ValueRef filename, bool is_compiled)
{
    ValueRef globals = import_main_globals();
    LoaderKind kind = is_compiled ? LOADER_SOURCELESS : LOADER_SOURCE;
    return globals && dict_set(globals, NAME(__file__), filename) &&
           dict_set(globals, NAME(__cached__), NONE) &&
           dict_set_owned(globals, NAME(__loader__),
                          module_loader_new(kind, NAME(__main__), filename));
}

// ---- relative names

// The package that a module's __spec__ names, where the program has made that spec itself: ABSENT
// for one of the import in C, which agrees with __package__.
static Value parent_of_spec(ValueRef globals)
{
    ValueRef spec = dict_peek(globals, NAME(__spec__));
    if (!spec || spec == NONE || module_spec_is_own(spec)) return ABSENT;
    Value held = retain(spec), name = str_intern("parent");
    Value parent = name ? object_get(held, name) : VALUE_ERROR;
    drop(name);
    drop(held);
    if (!parent || str_check(parent)) return parent;
    drop(parent);
    return raise_error(TypeError, "__spec__.parent must be a string");
}

static Value given_package(ValueRef globals, ValueRef package)
{
    if (!str_check(package)) return raise_error(TypeError, "package must be a string");
    Value held = retain(package), parent = parent_of_spec(globals);
    bool done = parent && (parent == ABSENT || str_equal(parent, held) ||
                           warn(ImportWarning, 1, "__package__ != __spec__.parent"));
    drop(parent);
    if (done) return held;
    drop(held);
    return VALUE_ERROR;
}

// The package that `globals` belong to: an owned str, empty for a top-level module.
static Value package_of(ValueRef globals)
{
    ValueRef package = dict_peek(globals, NAME(__package__));
    if (package && package != NONE) return given_package(globals, package);
    Value parent = parent_of_spec(globals);
    if (parent != ABSENT) return parent;
    ValueRef name = dict_peek(globals, NAME(__name__));
    if (!name) return raise_error(KeyError, "'__name__' not in globals");
    if (!str_check(name)) return raise_error(TypeError, "__name__ must be a string");
    if (!warn(ImportWarning, 1,
              "can't resolve package from __spec__ or __package__, falling back on __name__ and "
              "__path__"))
        return VALUE_ERROR;
    return dict_peek(globals, NAME(__path__)) ? retain(name) : parent_of(name);
}

static Value absolute_name(ValueRef name, ValueRef globals, int level)
{
    if (!globals) return raise_error(KeyError, "'__name__' not in globals");
    if (!dict_check(globals)) return raise_error(TypeError, "globals must be a dict");
    Value package = package_of(globals);
    if (!package) return VALUE_ERROR;
    ssize_t end = str_length(package);
    if (end == 0) {
        drop(package);
        return raise_error(ImportError, "attempted relative import with no known parent package");
    }
    for (int up = 1; up < level && end >= 0; up++) end = str_find_char(package, '.', 0, end, -1);
    Value result;
    if (end < 0) {
        result = raise_error(ImportError, "attempted relative import beyond top-level package");
    } else {
        Value base = str_substring(package, 0, end);
        result = !base                   ? VALUE_ERROR
                 : str_length(name) == 0 ? retain(base)
                                         : format_text("%S.%S", (ValueRef)base, name);
        drop(base);
    }
    drop(package);
    return result;
}

// ---- what `from m import names` asks for

static Value submodule_name(ValueRef module, ValueRef item)
{
    Value name = object_get(module, NAME(__name__));
    Value full = name ? format_text("%S.%S", (ValueRef)name, item) : VALUE_ERROR;
    drop(name);
    return full;
}

// Imports the submodule `item`; that there is none is no error here.
static bool import_item(ValueRef module, ValueRef item, Asker asker)
{
    Value full = submodule_name(module, item);
    if (!full) return false;
    Value submodule = import_by_name(full, asker);
    if (!submodule && error_is(ModuleNotFoundError) && dict_peek(modules, full) != NONE) {
        ValueRef missing = as_exception(error_peek())->import_error.name;
        if (missing && str_check(missing) && str_equal(missing, full)) error_clear();
    }
    drop(submodule);
    drop(full);
    return !error_pending();
}

static bool import_items(ValueRef module, ValueRef fromlist, bool in_all, Asker asker);

static bool import_all(ValueRef module, Asker asker)
{
    Value all = object_get_optional(module, NAME(__all__));
    bool done = all == ABSENT || (all && import_items(module, all, true, asker));
    drop(all);
    return done;
}

static bool raise_bad_item(ValueRef module, ValueRef item, bool in_all)
{
    if (!in_all) return raise_error(TypeError, "Item in ``from list'' must be str, not %T", item);
    Value name = object_get(module, NAME(__name__));
    if (name)
        raise_error(TypeError, "Item in %S.__all__ must be str, not %T", (ValueRef)name, item);
    drop(name);
    return false;
}

static bool import_checked_item(ValueRef module, ValueRef item, bool in_all, Asker asker)
{
    if (!str_check(item)) return raise_bad_item(module, item, in_all);
    if (str_equal_ascii(item, "*")) return in_all || import_all(module, asker);
    Value present = object_get_optional(module, item);
    bool done = present == ABSENT ? import_item(module, item, asker) : present != VALUE_ERROR;
    drop(present);
    return done;
}

static bool import_items(ValueRef module, ValueRef fromlist, bool in_all, Asker asker)
{
    Value items = sequence_tuple(fromlist);
    bool done = items != VALUE_ERROR;
    for (ssize_t i = 0; done && i < tuple_size(items); i++)
        done = import_checked_item(module, tuple_at(items, i), in_all, asker);
    drop(items);
    return done;
}

static bool wants_items(ValueRef fromlist, bool *wanted)
{
    *wanted = false;
    return !fromlist || fromlist == NONE || object_truth(fromlist, wanted);
}

// What `import a.b.c` binds: the module `a`; for `from . import x` with level, the package itself.
static Value first_package(ValueRef name, ValueRef absolute, int level, Value module, Asker asker)
{
    if (level > 0 && str_length(name) == 0) return module;
    ssize_t dot = str_find_char(name, '.', 0, str_length(name), 1);
    if (dot < 0) return module;
    Value first = str_substring(absolute, 0, str_length(absolute) - (str_length(name) - dot));
    drop(module);
    Value package = first ? import_by_name(first, asker) : VALUE_ERROR;
    drop(first);
    return package;
}

static Value finish_import(ValueRef name, ValueRef absolute, ValueRef fromlist, int level,
                           Value module, Asker asker)
{
    bool wanted;
    if (!wants_items(fromlist, &wanted)) {
        drop(module);
        return VALUE_ERROR;
    }
    if (!wanted) return first_package(name, absolute, level, module, asker);
    Value path = object_get_optional(module, NAME(__path__));
    bool done = path == ABSENT || (path && import_items(module, fromlist, false, asker));
    drop(path);
    if (done) return module;
    drop(module);
    return VALUE_ERROR;
}

Value import_module_level(ValueRef name, ValueRef globals, ValueRef fromlist, int level,
                          ValueRef file)
{
    if (!str_check(name)) return raise_error(TypeError, "module name must be a string");
    if (level < 0) return raise_error(ValueError, "level must be >= 0");
    if (level == 0 && str_length(name) == 0) return raise_error(ValueError, "Empty module name");
    Value absolute = level > 0 ? absolute_name(name, globals, level) : retain(name);
    if (!absolute) return VALUE_ERROR;
    Asker asker = asker_of(file, globals, absolute);
    Value module = import_by_name(absolute, asker);
    if (module) module = finish_import(name, absolute, fromlist, level, module, asker);
    drop(absolute);
    return module;
}

// ---- python -m

bool import_is_in_c(ValueRef name)
{
    return c_module_find(name) || str_equal_ascii(name, "sys") || str_equal_ascii(name, "builtins");
}

Value import_create_in_c(ValueRef name)
{
    if (str_equal_ascii(name, "sys")) return retain(sys_module());
    if (str_equal_ascii(name, "builtins")) return retain(builtins_module());
    Value waiting = import_take_waiting(name);
    return waiting == ABSENT ? module_from_def(c_module_find(name)) : waiting;
}

bool import_find_for_main(ValueRef name, FoundModule *found)
{
    *found = (FoundModule){0};
    if (c_module_find(name)) return true;
    Value parent_name = parent_of(name);
    ssize_t length = parent_name ? str_length(parent_name) : 0;
    Value parent = length ? import_by_name(parent_name, PROGRAM) : NONE;
    Value path = !parent || !parent_name ? VALUE_ERROR
                 : length                ? object_get_optional(parent, NAME(__path__))
                                         : retain(sys_path());
    if (path == ABSENT)
        path = no_path(parent_name, name);
    else if (path)
        replace_slot(&path, sequence_list(path));
    Value tail =
        path ? str_substring(name, length ? length + 1 : 0, str_length(name)) : VALUE_ERROR;
    bool done = tail && find_module(tail, path, found);
    drop(tail);
    drop(path);
    drop(parent);
    drop(parent_name);
    return done;
}

bool import_run_found(ValueRef name, const FoundModule *found)
{
    ValueRef globals = import_main_globals();
    return globals && prepare_module(main_module(), name, found) &&
           dict_set(globals, NAME(__name__), NAME(__main__)) && run_found(name, found, globals);
}
