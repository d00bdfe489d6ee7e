// The import statement: IMPORT_NAME, IMPORT_FROM, IMPORT_STAR. Here are the parts that need the
// frame; import.c finds and runs modules.
#include "vm/import/import.h"
#include "vm/ops.h"

#include "objects/classes/method.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

// ---- import name

// Is this still the __import__ that builtins began with?
static bool is_standard_import(ValueRef function)
{
    return is_exactly(function, &builtin_type) &&
           strcmp(as_builtin(function)->def->name, "__import__") == 0;
}

static Value call_import(Frame *frame, ValueRef function, ValueRef name, ValueRef fromlist,
                         ValueRef level)
{
    ValueRef locals = frame->flags & FRAME_LOCALS ? frame->locals : NONE;
    ValueRef args[] = {name, frame->globals, locals, fromlist, level};
    Value held = retain(function);
    Value module = object_call(held, args, 5, VALUE_ERROR);
    drop(held);
    return module;
}

Value import_name(Frame *frame, ValueRef name, ValueRef fromlist, ValueRef level)
{
    ValueRef builtins = globals_builtins(frame->globals);
    if (!dict_check(builtins)) return raise_bad_call("import_name");
    ValueRef function = dict_peek(builtins, NAME(__import__));
    if (!function) return raise_error(ImportError, "__import__ not found");
    if (!is_standard_import(function)) return call_import(frame, function, name, fromlist, level);
    int64_t depth = 0;
    if (int_check(level) && !int_as_int64(level, &depth)) return VALUE_ERROR;
    return import_module_level(name, frame->globals, fromlist, (int)depth,
                               as_code(frame->code)->filename);
}

// ---- from module import name

// sys.modules["package.name"]: there already, though not yet an attribute of the package (circular
// imports). ABSENT where it is not.
static Value imported_submodule(ValueRef package, ValueRef name)
{
    Value full = format_text("%S.%S", package, name);
    if (!full) return VALUE_ERROR;
    Value module = dict_get(import_modules(), full);
    drop(full);
    return module;
}

// An attribute that is only used in a message: 0 if it is missing or not a str.
static Value str_attribute(ValueRef object, ValueRef name)
{
    Value value = object_get_optional(object, name);
    if (value && value != ABSENT && str_check(value)) return value;
    drop(value);
    error_clear();
    return VALUE_ERROR;
}

static bool is_initializing(ValueRef module)
{
    Value spec = object_get_optional(module, NAME(__spec__));
    Value flag = spec && spec != ABSENT ? object_get_optional(spec, NAME(_initializing)) : ABSENT;
    bool initializing = false;
    if (flag && flag != ABSENT && !object_truth(flag, &initializing)) initializing = false;
    error_clear();
    drop(flag);
    drop(spec);
    return initializing;
}

static Value raise_cannot_import(ValueRef module, ValueRef name, ValueRef package)
{
    Value file = module_check(module) ? str_attribute(module, NAME(__file__)) : VALUE_ERROR;
    Value shown = package ? retain(package) : str_new("<unknown module name>");
    Value text = VALUE_ERROR;
    if (shown && !file)
        text = format_text("cannot import name %R from %R (unknown location)", name, shown);
    else if (shown && is_initializing(module))
        text =
            format_text("cannot import name %R from partially initialized module %R (most likely "
                        "due to a circular import) (%S)",
                        name, shown, file);
    else if (shown)
        text = format_text("cannot import name %R from %R (%S)", name, shown, file);
    if (text) raise_import_error(ImportError, text, package, file);
    drop(file);
    drop(shown);
    return VALUE_ERROR;
}

Value import_from(ValueRef module, ValueRef name)
{
    Value value = object_get_optional(module, name);
    if (value != ABSENT) return value;
    Value package = str_attribute(module, NAME(__name__));
    if (package) value = imported_submodule(package, name);
    if (value == ABSENT) value = raise_cannot_import(module, name, package);
    drop(package);
    return value;
}

// ---- from module import *

static bool raise_bad_name(ValueRef module, ValueRef name, bool from_dict)
{
    Value module_name = object_get(module, NAME(__name__));
    if (!module_name) return false;
    if (!str_check(module_name))
        raise_error(TypeError, "module __name__ must be a string, not %.100T",
                    (ValueRef)module_name);
    else
        raise_error(TypeError, "%s in %S.%s must be str, not %.100T", from_dict ? "Key" : "Item",
                    (ValueRef)module_name, from_dict ? "__dict__" : "__all__", name);
    drop(module_name);
    return false;
}

static bool import_one(ValueRef locals, ValueRef module, ValueRef name, bool from_dict)
{
    if (!str_check(name)) return raise_bad_name(module, name, from_dict);
    if (from_dict && str_length(name) && str_at(as_str(name), 0) == '_') return true;
    Value value = object_get(module, name);
    bool done = value && object_set_subscript(locals, name, value);
    drop(value);
    return done;
}

// The names to import: __all__, or the keys of __dict__.
static Value public_names(ValueRef module, bool *from_dict)
{
    Value all = object_get_optional(module, NAME(__all__));
    *from_dict = all == ABSENT;
    if (all != ABSENT) return all;
    Value dict = object_get_optional(module, NAME(__dict__));
    if (dict == ABSENT)
        return raise_error(ImportError, "from-import-* object has no __dict__ and no __all__");
    Value keys = dict ? mapping_keys(dict) : VALUE_ERROR;
    drop(dict);
    return keys;
}

static bool import_names(ValueRef locals, ValueRef module, ValueRef names, bool from_dict)
{
    for (ssize_t i = 0;; i++) {
        Value name = sequence_item(names, i);
        if (!name) {
            if (!error_is(IndexError)) return false;
            error_clear();
            return true;
        }
        bool done = import_one(locals, module, name, from_dict);
        drop(name);
        if (!done) return false;
    }
}

bool import_star(Frame *frame, ValueRef module)
{
    ValueRef current = frame_locals(frame);
    if (!current) return false;
    Value locals = retain(current);
    bool from_dict;
    Value names = public_names(module, &from_dict);
    bool done = names && import_names(locals, module, names, from_dict);
    drop(names);
    drop(locals);
    return done && frame_locals_to_fast(frame, false);
}
