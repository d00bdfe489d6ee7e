// importlib.machinery.BuiltinImporter: the finder in sys.meta_path, and the loader, of the modules
// that are written in C.
//
// It is in C so that it is there as the __loader__ of such modules before any module in
// mini-Python is loaded.
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/import/find_module.h"
#include "vm/import/import.h"
#include "vm/import/module_spec.h"
#include "vm/import/own_modules.h"
#include "vm/sys/sys.h"

#include "objects/call.h"

// In CPython some of them are shared libraries: there a file in a folder of sys.path that comes
// before those is found first.
static bool is_hidden_by_file(ValueRef name, bool *hidden)
{
    *hidden = false;
    if (module_origin(name) != ORIGIN_SHARED) return true;
    ValueRef whole = sys_get("path");
    Value path = path_part(whole ? whole : (ValueRef)NONE, false);
    FoundModule found = {0};
    bool done = path && find_module(name, path, &found);
    *hidden = done && found.kind == MODULE_FILE;
    found_module_drop(&found);
    drop(path);
    return done;
}

static Value spec_of(ValueRef name)
{
    Value origin = str_intern("built-in");
    Value spec = origin ? module_spec_new(name, ref_of(&builtin_importer_type), origin, false, 0)
                        : VALUE_ERROR;
    drop(origin);
    return spec;
}

// find_spec(fullname, path=None, target=None)
static Value find_spec(FUNCTION_ARGS)
{
    static const char *const names[] = {"fullname", "path", "target", NULL};
    static const Signature signature = {"find_spec", names, 1, 3};
    ValueRef slots[3];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    bool is_submodule = slots[1] && slots[1] != NONE;
    if (is_submodule || !str_check(slots[0]) || !import_is_in_c(slots[0])) return NONE;
    bool hidden;
    if (!is_hidden_by_file(slots[0], &hidden)) return VALUE_ERROR;
    return hidden ? NONE : spec_of(slots[0]);
}

static Value find_module_old(FUNCTION_ARGS)
{
    Value spec = find_spec(self, args, nargs, kwnames);
    if (!spec || spec == NONE) return spec;
    drop(spec);
    return retain(self);
}

// False with ImportError pending.
static bool check_in_c(ValueRef name)
{
    if (str_check(name) && import_is_in_c(name)) return true;
    Value message = format_text("%R is not a built-in module", name);
    return raise_import_error(ImportError, message, name, 0);
}

static Value create_module(FUNCTION_ARGS)
{
    Value name = object_get(args[0], NAME(name));
    Value module = name && check_in_c(name) ? import_create_in_c(name) : VALUE_ERROR;
    drop(name);
    return module;
}

static Value exec_module(FUNCTION_ARGS)
{
    (void)args;
    return NONE; // it was complete when it was made
}

static Value no_code(FUNCTION_ARGS)
{
    return check_in_c(args[0]) ? NONE : VALUE_ERROR;
}

static Value is_package(FUNCTION_ARGS)
{
    return check_in_c(args[0]) ? FALSE : VALUE_ERROR;
}

static Value load_module(FUNCTION_ARGS)
{
    return check_in_c(args[0]) ? import_for_program(args[0]) : VALUE_ERROR;
}

static Value module_repr(FUNCTION_ARGS)
{
    Value name = object_get(args[0], NAME(__name__));
    Value text = name ? format_text("<module %R (built-in)>", (ValueRef)name) : VALUE_ERROR;
    drop(name);
    return text;
}

static const MethodDef methods[] = {
    {"module_repr", module_repr, METHOD_ONE, METHOD_CLASS, 1, 1, "The text for a module."},
    {"find_spec", find_spec, METHOD_KEYWORDS, METHOD_CLASS, 0, -1, "The spec, or None."},
    {"find_module", find_module_old, METHOD_KEYWORDS, METHOD_CLASS, 0, -1, "The loader, or None."},
    {"create_module", create_module, METHOD_ONE, METHOD_CLASS, 1, 1, "A module in C."},
    {"exec_module", exec_module, METHOD_ONE, METHOD_CLASS, 1, 1, "Nothing is left to do."},
    {"get_code", no_code, METHOD_ONE, METHOD_CLASS, 1, 1, "None: there is no code object."},
    {"get_source", no_code, METHOD_ONE, METHOD_CLASS, 1, 1, "None: there is no source text."},
    {"is_package", is_package, METHOD_ONE, METHOD_CLASS, 1, 1, "False."},
    {"load_module", load_module, METHOD_ONE, METHOD_CLASS, 1, 1, "The module, imported."},
    {0},
};

Type builtin_importer_type = {
    STATIC_TYPE("_frozen_importlib.BuiltinImporter", sizeof(Object)),
    .flags = TYPE_BASE,
    .methods = methods,
    .doc = "Finds and loads the modules that are written in C.",
};
