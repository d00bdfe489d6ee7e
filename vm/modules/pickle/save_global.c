// Saving a class or a function: by the name of its module and its own, under which it must be
// found again; or by its number in the registry of copyreg.
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/import/import.h"
#include "vm/modules/pickle/pickle.h"

// ---- names

Value pickle_attribute(ValueRef value, const char *name)
{
    ValueRef known = str_find_interned(name); // most are: they are names of built-in methods
    Value interned = known && is_alive(object_of(known)) ? retain(known) : str_intern(name);
    Value attribute = interned ? object_get_optional(value, interned) : VALUE_ERROR;
    drop(interned);
    return attribute;
}

Value pickle_attribute_of(const char *module, const char *name)
{
    Value imported = import_module(module);
    Value interned = imported ? str_intern(name) : VALUE_ERROR;
    Value found = interned ? object_get(imported, interned) : VALUE_ERROR;
    drop(interned);
    drop(imported);
    return found;
}

Value pickle_table(const char *module, const char *name)
{
    Value table = pickle_attribute_of(module, name);
    if (!table || dict_check(table)) return table;
    raise_error(RuntimeError, "%s.%s should be a dict, not %.200T", module, name, (ValueRef)table);
    drop(table);
    return VALUE_ERROR;
}

static bool check_part(ValueRef part, ValueRef name, ValueRef owner)
{
    if (!str_equal_ascii(part, "<locals>")) return true;
    if (owner)
        return raise_error(AttributeError, "Can't pickle local attribute %R on %R", name, owner);
    return raise_error(AttributeError, "Can't pickle local object %R", name);
}

Value pickle_path(ValueRef name, ValueRef owner)
{
    Value path = list_new(1);
    ssize_t length = str_length(name), start = 0, dot = 0;
    while (path && dot >= 0) {
        dot = str_find_char(name, '.', start, length, 1);
        Value part = str_substring(name, start, dot < 0 ? length : dot);
        start = dot + 1;
        if (part) str_intern_in_place(&part);
        bool done = part && check_part(part, name, owner) && list_append(path, part);
        drop(part);
        if (!done) drop_slot(&path);
    }
    Value parts = path ? list_to_tuple(path) : VALUE_ERROR;
    drop(path);
    return parts;
}

Value pickle_deep_attribute(ValueRef value, ValueRef path, Value *parent)
{
    Value found = retain(value), owner = VALUE_ERROR;
    for (ssize_t i = 0; found && found != ABSENT && i < tuple_size(path); i++) {
        replace_slot(&owner, found);
        found = object_get_optional(owner, tuple_at(path, i));
    }
    if (parent && found && found != ABSENT)
        *parent = owner;
    else
        drop(owner);
    return found;
}

Value pickle_renamed(const char *table, ValueRef module, ValueRef name)
{
    Value names = pickle_table("_compat_pickle", table), renamed = VALUE_ERROR;
    Value key = names && name ? tuple_pack(2, module, name) : names ? retain(module) : VALUE_ERROR;
    if (key) renamed = dict_get(names, key);
    drop(key);
    drop(names);
    return renamed;
}

// ---- the module

static bool is_its_home(ValueRef name, ValueRef module, ValueRef value, ValueRef path)
{
    if (module == NONE || !str_check(name) || str_equal_ascii(name, "__main__") ||
        str_equal_ascii(name, "__mp_main__"))
        return false;
    Value found = pickle_deep_attribute(module, path, NULL);
    if (!found) error_clear();
    drop(found);
    return found == value;
}

// The first of sys.modules that has the value: the name of its module, "__main__" if there is none.
static Value search_modules(ValueRef value, ValueRef path)
{
    Value pairs = dict_items(import_modules()), name = VALUE_ERROR;
    for (ssize_t i = 0; pairs && !name && i < list_size(pairs); i++) {
        Value pair = retain(list_at(pairs, i));
        if (is_its_home(tuple_at(pair, 0), tuple_at(pair, 1), value, path))
            name = retain(tuple_at(pair, 0));
        drop(pair);
    }
    if (pairs && !name) name = retain(NAME(__main__));
    drop(pairs);
    return name;
}

static Value module_name_of(ValueRef value, ValueRef path)
{
    Value name = object_get_optional(value, NAME(__module__));
    if (name == ABSENT || name == NONE) return search_modules(value, path);
    return name;
}

// ---- the ways to write a name

typedef struct Global {
    ValueRef value;
    Value name, module_name; // strs
    Value module, parent;    // `parent` has the last part of the name
    Value last;
} Global;

static bool save_extension(Pickler *self, const Global *global, ValueRef code)
{
    int64_t number;
    if (!int_check(code))
        return pickling_error("Can't pickle %R: extension code %R isn't an integer", global->value,
                              code);
    int far = int_as_int64_clamped(code, &number);
    if (far || number <= 0 || number > INT32_MAX)
        return pickling_error("Can't pickle %R: extension code %S is out of range", global->value,
                              code);
    if (number <= UINT8_MAX)
        output_op_number(&self->output, PICKLE_EXT1, (uint64_t)number, 1);
    else if (number <= UINT16_MAX)
        output_op_number(&self->output, PICKLE_EXT2, (uint64_t)number, 2);
    else
        output_op_number(&self->output, PICKLE_EXT4, (uint64_t)number, 4);
    return true;
}

// The number of (module, name) in copyreg's registry: owned, ABSENT = it has none.
static Value extension_code(const Global *global)
{
    Value registry = pickle_table("copyreg", "_extension_registry"), code = VALUE_ERROR;
    Value key = registry ? tuple_pack(2, (ValueRef)global->module_name, (ValueRef)global->name)
                         : VALUE_ERROR;
    if (key) code = dict_get(registry, key);
    drop(key);
    drop(registry);
    return code;
}

static bool take_old_pair(Global *global, ValueRef pair)
{
    if (!tuple_check(pair) || tuple_size(pair) != 2)
        return raise_error(RuntimeError,
                           "_compat_pickle.REVERSE_NAME_MAPPING values should be 2-tuples, not "
                           "%.200T",
                           pair);
    ValueRef module = tuple_at(pair, 0), name = tuple_at(pair, 1);
    if (!str_check(module) || !str_check(name))
        return raise_error(RuntimeError,
                           "_compat_pickle.REVERSE_NAME_MAPPING values should be pairs of str, not "
                           "(%.200T, %.200T)",
                           module, name);
    replace_slot(&global->module_name, retain(module));
    replace_slot(&global->name, retain(name));
    return true;
}

static bool take_old_module(Global *global, ValueRef module)
{
    if (!str_check(module))
        return raise_error(RuntimeError,
                           "_compat_pickle.REVERSE_IMPORT_MAPPING values should be strings, not "
                           "%.200T",
                           module);
    replace_slot(&global->module_name, retain(module));
    return true;
}

// What the module and the name were called in Python 2.
static bool use_old_names(Global *global)
{
    Value pair = pickle_renamed("REVERSE_NAME_MAPPING", global->module_name, global->name);
    if (pair == ABSENT) {
        Value module = pickle_renamed("REVERSE_IMPORT_MAPPING", global->module_name, VALUE_ERROR);
        bool done = module && (module == ABSENT || take_old_module(global, module));
        drop(module);
        return done;
    }
    bool done = pair && take_old_pair(global, pair);
    drop(pair);
    return done;
}

// A line of the two of GLOBAL: ASCII, in protocol 3 UTF-8.
static bool write_name(Pickler *self, ValueRef name, const char *which)
{
    size_t size = 0;
    const char *text = str_utf8(name, &size);
    if (!text) error_clear();
    if (!text || (self->protocol != 3 && !as_str(name)->ascii))
        return pickling_error("can't pickle %s identifier '%S' using pickle protocol %d", which,
                              name, self->protocol);
    output_add(&self->output, text, size);
    output_text(&self->output, "\n");
    return true;
}

static bool write_global(Pickler *self, Global *global)
{
    if (self->protocol < 3 && self->fix_imports && !use_old_names(global)) return false;
    output_op(&self->output, PICKLE_GLOBAL);
    return write_name(self, global->module_name, "module") &&
           write_name(self, global->name, "global");
}

// getattr(parent, name), where a protocol has no dotted names.
static bool save_getattr(Pickler *self, const Global *global)
{
    Value getattr = pickle_attribute_of("builtins", "getattr");
    Value arguments =
        getattr ? tuple_pack(2, (ValueRef)global->parent, (ValueRef)global->last) : VALUE_ERROR;
    bool done = arguments && pickle_save_call(self, getattr, retain(arguments), VALUE_ERROR);
    drop(arguments);
    drop(getattr);
    return done;
}

static bool save_name(Pickler *self, Global *global)
{
    bool nested = global->parent != global->module;
    if (!nested) replace_slot(&global->name, retain(global->last));
    bool done;
    if (self->protocol >= 4) {
        done = pickle_save(self, global->module_name) && pickle_save(self, global->name);
        output_op(&self->output, PICKLE_STACK_GLOBAL);
    } else {
        done = nested ? save_getattr(self, global) : write_global(self, global);
    }
    return done && pickler_memoize(self, global->value);
}

// ---- finding it

static bool import_home(Global *global, ValueRef path)
{
    ValueRef name = global->module_name = module_name_of(global->value, path);
    if (!name) return false;
    if (str_check(name)) global->module = import_for_program(name);
    if (global->module) return true;
    error_clear();
    return pickling_error("Can't pickle %R: import of module %R failed", global->value, name);
}

// Imports the module, and checks that it has the value under its name.
static bool find(Global *global, ValueRef path)
{
    ValueRef value = global->value;
    if (!import_home(global, path)) return false;
    Value found = pickle_deep_attribute(global->module, path, &global->parent);
    drop(found);
    if (!found) error_clear();
    if (!found || found == ABSENT)
        return pickling_error("Can't pickle %R: attribute lookup %S on %S failed", value,
                              (ValueRef)global->name, (ValueRef)global->module_name);
    if (found != value)
        return pickling_error("Can't pickle %R: it's not the same object as %S.%S", value,
                              (ValueRef)global->module_name, (ValueRef)global->name);
    global->last = retain(tuple_at(path, tuple_size(path) - 1));
    return true;
}

static bool save_found(Pickler *self, Global *global)
{
    Value path = pickle_path(global->name, VALUE_ERROR);
    bool done = path && find(global, path);
    Value code = done && self->protocol >= 2 ? extension_code(global) : ABSENT;
    if (done && code && code != ABSENT)
        done = save_extension(self, global, code);
    else
        done = done && code && save_name(self, global);
    drop(code);
    drop(path);
    return done;
}

static Value name_of(ValueRef value, ValueRef name)
{
    if (name) return retain(name);
    Value found = object_get_optional(value, NAME(__qualname__));
    return found == ABSENT ? object_get(value, NAME(__name__)) : found;
}

bool pickle_save_global(Pickler *self, ValueRef value, ValueRef name)
{
    Global global = {.value = value, .name = name_of(value, name)};
    bool done = global.name;
    if (done && !str_check(global.name))
        done = raise_error(TypeError,
                           "descriptor 'split' for 'str' objects doesn't apply to a "
                           "'%.200T' object",
                           (ValueRef)global.name);
    done = done && save_found(self, &global);
    drop(global.last);
    drop(global.parent);
    drop(global.module);
    drop(global.module_name);
    drop(global.name);
    return done;
}

// ---- types that have no name: those of None, ... and NotImplemented

bool pickle_save_type(Pickler *self, ValueRef type)
{
    static const Value singletons[] = {NONE, ELLIPSIS, NOT_IMPLEMENTED};
    for (size_t i = 0; i < sizeof singletons / sizeof *singletons; i++)
        if (type == ref_of(type_of(singletons[i])))
            return pickle_save_call(self, ref_of(&type_type),
                                    tuple_pack(1, (ValueRef)singletons[i]), type);
    return pickle_save_global(self, type, VALUE_ERROR);
}
