// Modules: objects whose attributes are in a dict; making a module from a table of C functions.
#include "objects/module.h"

#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

// ---- making

static bool fill_dict(ValueRef dict, ValueRef name, ValueRef doc)
{
    return dict_set(dict, NAME(__name__), name) && dict_set(dict, NAME(__doc__), doc) &&
           dict_set(dict, NAME(__package__), NONE) && dict_set(dict, NAME(__loader__), NONE) &&
           dict_set(dict, NAME(__spec__), NONE);
}

static Value module_type_new(Type *type, METHOD_ARGS)
{
    return own(object_alloc(type, 0));
}

static bool init_dict(ValueRef self, ValueRef name, ValueRef doc)
{
    Module *module = as_module(self);
    if (!module->dict) module->dict = dict_new();
    return module->dict && fill_dict(module->dict, name, doc);
}

static bool module_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"name", "doc", NULL};
    static const Signature signature = {"module", names, 1, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return false;
    if (!str_check(slots[0]))
        return raise_error(TypeError, "module() argument 'name' must be str, not %.50G", slots[0]);
    return init_dict(self, slots[0], slots[1] ? slots[1] : (ValueRef)NONE);
}

Value module_new(ValueRef name)
{
    Value module = own(object_alloc(&module_type, 0));
    if (!module || init_dict(module, name, NONE)) return module;
    drop(module);
    return VALUE_ERROR;
}

bool module_add(ValueRef module, const char *name, ValueRef value)
{
    return dict_set_ascii(as_module(module)->dict, name, value);
}

bool module_add_owned(ValueRef module, const char *name, Value value)
{
    bool done = value && module_add(module, name, value);
    drop(value);
    return done;
}

bool module_add_type(ValueRef module, Type *type)
{
    Value name = type_name(type);
    bool done = name && dict_set(as_module(module)->dict, name, ref_of(type));
    drop(name);
    return done;
}

bool module_add_exception(ValueRef module, const char *in_front, const char *name, Type *base)
{
    Value module_name = str_new(in_front), namespace = module_name ? dict_new() : VALUE_ERROR;
    Value text = namespace ? str_new(name) : VALUE_ERROR, class = VALUE_ERROR;
    Value bases = text ? tuple_pack(1, ref_of(base)) : VALUE_ERROR;
    if (bases && dict_set_ascii(namespace, "__module__", module_name)) {
        ValueRef args[] = {text, bases, namespace};
        class = type_new(&type_type, args, 3, 0);
    }
    drop(bases);
    drop(text);
    drop(namespace);
    drop(module_name);
    return module_add_owned(module, name, class);
}

Value raise_of_module(const char *module_name, const char *name, const char *format,
                      va_list arguments)
{
    Value module = upcalls.import(module_name), attribute = module ? str_intern(name) : VALUE_ERROR;
    Value class = attribute ? object_get(module, attribute) : VALUE_ERROR;
    Value text = class && format ? format_text_v(format, arguments) : VALUE_ERROR;
    Value error = VALUE_ERROR;
    if (text)
        error = object_call_one(class, text);
    else if (class && !format)
        error = object_call_none(class);
    if (error) raise_value(error);
    drop(error);
    drop(text);
    drop(class);
    drop(attribute);
    drop(module);
    return VALUE_ERROR;
}

bool module_add_functions(ValueRef module, const MethodDef *functions)
{
    ValueRef name = dict_peek_ascii(as_module(module)->dict, "__name__");
    for (const MethodDef *function = functions; function->name; function++)
        if (!module_add_owned(module, function->name, builtin_new(function, module, name)))
            return false;
    return true;
}

static bool fill_from_def(ValueRef module, const ModuleDef *def)
{
    if (def->doc && !module_add_owned(module, "__doc__", str_new(def->doc))) return false;
    if (def->functions && !module_add_functions(module, def->functions)) return false;
    return !def->fill || def->fill(module);
}

Value module_from_def(const ModuleDef *def)
{
    Value name = str_intern(def->name);
    if (!name) return VALUE_ERROR;
    Value module = module_new(name);
    bool done = module && fill_from_def(module, def);
    drop(name);
    if (done) return module;
    drop(module);
    return VALUE_ERROR;
}

static void module_release(Object *self)
{
    drop_slot(&((Module *)self)->dict);
}

static void module_traverse(Object *self, VisitFn visit, void *arg)
{
    visit(((Module *)self)->dict, arg);
}

// ---- attributes

// A name in the module's own dict: owned, or ABSENT.
static Value get_own(ValueRef self, ValueRef name)
{
    ValueRef dict = as_module(self)->dict;
    return dict ? dict_get(dict, name) : ABSENT;
}

// Is the module still being imported? An error while finding out means no.
static bool is_initializing(ValueRef self)
{
    bool truth = false;
    Value spec = get_own(self, NAME(__spec__));
    if (spec && spec != ABSENT) {
        Value name = str_intern("_initializing");
        Value flag = name ? object_get_optional(spec, name) : VALUE_ERROR;
        if (flag && flag != ABSENT && !object_truth(flag, &truth)) truth = false;
        drop(flag);
        drop(name);
    }
    drop(spec);
    error_clear();
    return truth;
}

static Value raise_no_attribute(ValueRef self, ValueRef name)
{
    Value module_name = get_own(self, NAME(__name__));
    if (!module_name) return VALUE_ERROR;
    if (module_name == ABSENT || !str_check(module_name))
        raise_error(AttributeError, "module has no attribute '%S'", name);
    else if (is_initializing(self))
        raise_error(AttributeError,
                    "partially initialized module '%S' has no attribute '%S' (most likely due to "
                    "a circular import)",
                    (ValueRef)module_name, name);
    else
        raise_error(AttributeError, "module '%S' has no attribute '%S'", (ValueRef)module_name,
                    name);
    drop(module_name);
    return VALUE_ERROR;
}

// PEP 562: a function __getattr__ in the module computes missing attributes.
static Value module_getattribute(ValueRef self, ValueRef name)
{
    Value found = object_generic_get(self, name);
    if (found || !error_is(AttributeError)) return found;
    error_clear();
    Value hook = get_own(self, NAME(__getattr__));
    if (hook == ABSENT) return raise_no_attribute(self, name);
    if (!hook) return VALUE_ERROR;
    Value value = object_call_one(hook, name);
    drop(hook);
    return value;
}

static Value module_dir(ValueRef self, METHOD_ARGS)
{
    Value dict = object_get(self, NAME(__dict__));
    if (!dict) return VALUE_ERROR;
    if (!dict_check(dict)) {
        drop(dict);
        return raise_error(TypeError, "%.200S.__dict__ is not a dictionary", self);
    }
    Value hook = dict_get(dict, NAME(__dir__));
    Value names = VALUE_ERROR;
    if (hook == ABSENT)
        names = dict_keys(dict);
    else if (hook)
        names = object_call_none(hook);
    drop(hook);
    drop(dict);
    return names;
}

// ---- repr, as importlib words it

// An attribute of the spec or of the module: None where it is missing.
static Value get_or_none(ValueRef value, const char *name)
{
    Value key = str_intern(name);
    Value found = key ? object_get_optional(value, key) : VALUE_ERROR;
    drop(key);
    return found == ABSENT ? NONE : found;
}

static Value repr_with_loader(ValueRef name, ValueRef loader)
{
    if (loader == NONE) return format_text("<module %R>", name);
    return format_text("<module %R (%R)>", name, loader);
}

// `origin` is a location if `located` is true, else a word like "built-in".
static Value repr_with_origin(ValueRef name, ValueRef origin, bool located)
{
    return located ? format_text("<module %R from %R>", name, origin)
                   : format_text("<module %R (%S)>", name, origin);
}

static Value repr_from_spec(ValueRef spec)
{
    Value name = get_or_none(spec, "name"), origin = get_or_none(spec, "origin");
    Value loader = get_or_none(spec, "loader"), located = get_or_none(spec, "has_location");
    Value text = VALUE_ERROR;
    bool truth = false;
    if (name && origin && loader && located && object_truth(located, &truth))
        text =
            origin == NONE ? repr_with_loader(name, loader) : repr_with_origin(name, origin, truth);
    drop(name);
    drop(origin);
    drop(loader);
    drop(located);
    return text;
}

static Value repr_from_attributes(ValueRef self)
{
    Value name = object_get_optional(self, NAME(__name__));
    if (name == ABSENT) name = str_new("?");
    Value file = object_get_optional(self, NAME(__file__));
    Value loader = get_or_none(self, "__loader__");
    Value text = VALUE_ERROR;
    if (name && file && loader)
        text = file == ABSENT ? repr_with_loader(name, loader) : repr_with_origin(name, file, true);
    drop(name);
    drop(file);
    drop(loader);
    return text;
}

// What the loader says of a module, if it has module_repr(): ABSENT where it has not, or fails.
static Value repr_by_loader(ValueRef self)
{
    Value loader = get_or_none(self, "__loader__");
    Value function = loader ? get_or_none(loader, "module_repr") : VALUE_ERROR;
    Value text = function && function != NONE ? object_call_one(function, self) : ABSENT;
    drop(loader);
    drop(function);
    if (!function) return VALUE_ERROR;
    if (text || !error_is(Exception)) return text;
    error_clear();
    return ABSENT;
}

static Value module_repr(ValueRef self)
{
    Value by_loader = repr_by_loader(self);
    if (by_loader != ABSENT) return by_loader;
    Value spec = get_or_none(self, "__spec__");
    if (!spec) return VALUE_ERROR;
    Value text = spec == NONE ? repr_from_attributes(self) : repr_from_spec(spec);
    drop(spec);
    return text;
}

static const MethodDef methods[] = {
    {"__dir__", module_dir, NO_ARGS, "__dir__() -> list\nspecialized dir() implementation"},
    {0},
};

static const MemberDef members[] = {
    {"__dict__", MEMBER_VALUE, offsetof(Module, dict), true, NULL},
    {0},
};

Type module_type = {
    STATIC_TYPE("module", sizeof(Module)),
    .flags = TYPE_BASE | TYPE_GC,
    .dict_offset = offsetof(Module, dict),
    .weakref_offset = offsetof(Module, weakrefs),
    .methods = methods,
    .members = members,
    .doc =
        "module(name, doc=None)\n--\n\nCreate a module object.\n\nThe name must be a string; the "
        "optional doc argument can have any type.",
    .new_ = module_type_new,
    .init = module_init,
    .release = module_release,
    .traverse = module_traverse,
    .repr = module_repr,
    .getattribute = module_getattribute,
    .setattr = object_generic_set,
};
