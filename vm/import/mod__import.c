// The module _import: what `importlib` asks of the import in C.
//
// take_waiting(name, origin)   -> the module that only the library has asked for so far, or None
// BuiltinImporter              the finder and loader of modules in C
//
// and for functions and types that CPython has in C, and the library in mini-Python:
//
// make_builtins(module, names) -> None; functions are built-in, classes named with their module:
//                                 those of the list, or all but private functions and exceptions
//
// behind(function)             -> the function of the library that was made built-in, or None
//
// and what the lessons do with a module that a student writes anew:
//
// forget(file)     -> None; to this process the library does not have the file any more
#include "objects/classes/library_function.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/function.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/import/find_module.h"
#include "vm/import/import.h"
#include "vm/import/library.h"
#include "vm/import/module_spec.h"

static Value take_waiting(FUNCTION_ARGS)
{
    if (!is_library_file(args[1])) return NONE;
    Value module = import_take_waiting(args[0]);
    return module == ABSENT ? NONE : module;
}

static bool is_public(ValueRef name)
{
    return str_length(name) > 0 && str_at(as_str(name), 0) != '_';
}

// Not an exception: CPython calls it by its name alone, too.
static bool is_class_of(ValueRef value, ValueRef module)
{
    const Type *type = as_type(value);
    if (!(type->flags & TYPE_HEAP) || exception_type_check(value)) return false;
    ValueRef found = dict_peek(type->dict, NAME(__module__));
    return found && str_check(found) && str_equal(found, module);
}

// Replaces the function of this name; a class stays, with another name for messages.
static bool make_builtin(ValueRef home, ValueRef module, ValueRef name, bool listed)
{
    ValueRef dict = as_module(home)->dict, value = dict_peek(dict, name);
    if (value && type_check(value))
        return (!listed && !is_class_of(value, module)) || type_name_in_full(as_type(value));
    if (!value || !function_check(value) || (!listed && !is_public(name))) return true;
    return dict_set_owned(dict, name, library_function_new(value, home, module));
}

static Value make_builtins(FUNCTION_ARGS)
{
    ValueRef home = str_check(args[0]) ? import_library_module(args[0]) : VALUE_ERROR;
    if (!home || !module_check(home) || (nargs > 1 && !list_check(args[1])))
        return raise_error(TypeError, "make_builtins() takes the name of a module, and a list");
    Value names = nargs > 1 ? retain(args[1]) : dict_keys(as_module(home)->dict);
    bool ok = names != VALUE_ERROR;
    for (ssize_t i = 0; ok && i < list_size(names); i++) {
        ValueRef name = list_at(names, i);
        if (str_check(name)) ok = make_builtin(home, args[0], name, nargs > 1);
    }
    drop(names);
    return ok ? NONE : VALUE_ERROR;
}

static Value behind(FUNCTION_ARGS)
{
    ValueRef function = library_function_behind(args[0]);
    return function ? retain(function) : NONE;
}

// Once: a second one would bring the first back.
static Value forget(FUNCTION_ARGS)
{
    static bool done;
    if (!str_check(args[0])) return raise_error(TypeError, "forget() argument must be a str");
    if (done) return raise_error(RuntimeError, "a file is forgotten already");
    const char *filename = str_utf8(args[0], NULL);
    if (!filename) return VALUE_ERROR;
    library_forget(filename);
    done = true;
    return NONE;
}

static const MethodDef functions[] = {
    {"take_waiting", take_waiting, ARGS(2, 2), NULL},
    {"make_builtins", make_builtins, ARGS(1, 2), NULL},
    {"behind", behind, ONE_ARG, NULL},
    {"forget", forget, ONE_ARG, NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return type_ready(&library_function_type) && module_add_type(module, &builtin_importer_type);
}

const ModuleDef _import_module = {
    .name = "_import",
    .doc = "The search for modules.",
    .functions = functions,
    .fill = fill,
};
