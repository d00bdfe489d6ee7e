// Bound methods (`method`), and functions written in C (`builtin_function_or_method`).
//
//     f.method      ->  Method  { function, self }       calls function(self, ...)
//     [].append     ->  Builtin { def, self = [] }       calls def->function(self, ...)
//     len           ->  Builtin { def, self = module }
//
// A MethodDef says how many arguments its function takes. builtin_call() checks that before it
// calls the function, and raises the TypeError that CPython raises.
#include "objects/classes/method.h"

#include "objects/classes/descriptor.h"
#include "objects/classes/library_function.h"
#include "objects/classes/object_parts.h"
#include "objects/classes/slots.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"

// ---- calling a function written in C

static inline bool arguments_fit(const MethodDef *def, size_t nargs, ValueRef kwnames)
{
    if (kwnames && def->kind != METHOD_KEYWORDS && tuple_size(kwnames) > 0) return false;
    return (ssize_t)nargs >= def->min && (def->max < 0 || (ssize_t)nargs <= def->max);
}

static void raise_wrong_count(const MethodDef *def, size_t nargs)
{
    bool few = (ssize_t)nargs < def->min;
    int bound = few ? def->min : def->max;
    const char *how = def->min == def->max ? "exactly" : few ? "at least" : "at most";
    raise_error(TypeError, "%s() takes %s %d argument%s (%zu given)", def->name, how, bound,
                bound == 1 ? "" : "s", nargs);
}

// `full_name` is "list.append", or VALUE_ERROR with an exception pending; it is dropped.
static Value raise_wrong_arguments(const MethodDef *def, Value full_name, size_t nargs,
                                   ValueRef kwnames)
{
    if (!full_name) return VALUE_ERROR;
    ValueRef name = full_name;
    bool is_bare = def->kind == METHOD_UNPACKED || def->kind == METHOD_PARSED;
    if (kwnames && tuple_size(kwnames) > 0 && is_bare)
        raise_error(TypeError, "%.200s() takes no keyword arguments", def->name);
    else if (kwnames && tuple_size(kwnames) > 0)
        raise_error(TypeError, "%.200S() takes no keyword arguments", name);
    else if (def->kind == METHOD_NONE)
        raise_error(TypeError, "%.200S() takes no arguments (%zu given)", name, nargs);
    else if (def->kind == METHOD_ONE)
        raise_error(TypeError, "%.200S() takes exactly one argument (%zu given)", name, nargs);
    else if (def->kind == METHOD_PARSED)
        raise_wrong_count(def, nargs);
    else
        args_check(def->name, nargs, VALUE_ERROR, def->min, def->max);
    drop(full_name);
    return VALUE_ERROR;
}

static Value name_with_owner(const MethodDef *def, const Type *owner)
{
    if (!owner) return str_new(def->name);
    Value qualname = type_qualname(owner);
    Value name = qualname ? format_text("%S.%s", (ValueRef)qualname, def->name) : VALUE_ERROR;
    drop(qualname);
    return name;
}

Value method_def_call(const MethodDef *def, const Type *owner, ValueRef self, const ValueRef *args,
                      size_t nargs, ValueRef kwnames)
{
    if (arguments_fit(def, nargs, kwnames)) return def->function(self, args, nargs, kwnames);
    return raise_wrong_arguments(def, name_with_owner(def, owner), nargs, kwnames);
}

// ---- builtin_function_or_method

Value builtin_new(const MethodDef *def, ValueRef self, ValueRef module)
{
    Builtin *builtin = object_alloc(&builtin_type, 0);
    if (!builtin) return VALUE_ERROR;
    builtin->def = def;
    builtin->self = retain(self);
    builtin->module = retain(module);
    return own(builtin);
}

static void builtin_traverse(Object *object, VisitFn visit, void *arg)
{
    const Builtin *builtin = (const Builtin *)object;
    visit_item(builtin->self, visit, arg);
    visit_item(builtin->module, visit, arg);
}

static void builtin_release(Object *object)
{
    drop(((const Builtin *)object)->self);
    drop(((const Builtin *)object)->module);
}

static bool is_of_module(const Builtin *builtin)
{
    ValueRef self = builtin->self;
    return !self || module_check(self) || is_exactly(self, &library_function_type);
}

// The type that has the method: self if that is a type, else its type. NULL = a function of a
// module.
static const Type *owner_of(const Builtin *builtin)
{
    if (is_of_module(builtin)) return NULL;
    return type_check(builtin->self) ? as_type(builtin->self) : type_of(builtin->self);
}

static Value get_builtin_qualname(ValueRef self)
{
    return name_with_owner(as_builtin(self)->def, owner_of(as_builtin(self)));
}

// The name with the module before it, unless the module is builtins.
static Value full_name(const Builtin *builtin)
{
    Value name = name_with_owner(builtin->def, owner_of(builtin));
    ValueRef module = builtin->module;
    if (!name || !module || !str_check(module) || str_equal_ascii(module, "builtins")) return name;
    Value full = format_text("%S.%S", module, (ValueRef)name);
    drop(name);
    return full;
}

static Value builtin_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const Builtin *builtin = as_builtin(self);
    const MethodDef *def = builtin->def;
    if (arguments_fit(def, nargs, kwnames))
        return def->function(builtin->self, args, nargs, kwnames);
    return raise_wrong_arguments(def, full_name(builtin), nargs, kwnames);
}

static Value builtin_repr(ValueRef self)
{
    const Builtin *builtin = as_builtin(self);
    if (is_of_module(builtin)) return format_text("<built-in function %s>", builtin->def->name);
    return format_text("<built-in method %s of %T object at 0x%llx>", builtin->def->name,
                       (ValueRef)builtin->self, value_id(builtin->self));
}

static Value builtin_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) || !is_exactly(left, &builtin_type) ||
        !is_exactly(right, &builtin_type))
        return NOT_IMPLEMENTED;
    bool same = as_builtin(left)->self == as_builtin(right)->self &&
                as_builtin(left)->def->function == as_builtin(right)->def->function;
    return from_bool(same == (op == COMPARE_EQ));
}

static bool builtin_hash(ValueRef self, int64_t *hash)
{
    const Builtin *builtin = as_builtin(self);
    const char *name = builtin->def->name;
    *hash = identity_hash(builtin->self) ^ hash_bytes(name, strlen(name));
    if (*hash == -1) *hash = -2;
    return true;
}

static Value get_builtin_name(ValueRef self)
{
    return str_intern(as_builtin(self)->def->name);
}

static Value get_builtin_doc(ValueRef self)
{
    return doc_text(as_builtin(self)->def->name, as_builtin(self)->def->doc);
}

static Value get_builtin_signature(ValueRef self)
{
    return doc_signature(as_builtin(self)->def->name, as_builtin(self)->def->doc);
}

static Value get_builtin_self(ValueRef self)
{
    ValueRef object = library_function_home(self);
    if (!object) object = as_builtin(self)->self;
    return object ? retain(object) : NONE;
}

static Value builtin_reduce(ValueRef self, METHOD_ARGS)
{
    const Builtin *builtin = as_builtin(self);
    if (is_of_module(builtin)) return str_new(builtin->def->name);
    return reduce_to_getattr(builtin->self, builtin->def->name);
}

static const MethodDef builtin_methods[] = {{"__reduce__", builtin_reduce, NO_ARGS, NULL}, {0}};

static const MemberDef builtin_members[] = {
    {"__module__", MEMBER_VALUE, offsetof(Builtin, module), false, NULL},
    {0},
};

static const GetSetDef builtin_getset[] = {
    {"__doc__", get_builtin_doc, NULL, NULL},
    {"__name__", get_builtin_name, NULL, NULL},
    {"__qualname__", get_builtin_qualname, NULL, NULL},
    {"__self__", get_builtin_self, NULL, NULL},
    {"__text_signature__", get_builtin_signature, NULL, NULL},
    {0},
};

Type builtin_type = {
    STATIC_TYPE("builtin_function_or_method", sizeof(Builtin)),
    .flags = TYPE_GC,
    .weakref_offset = offsetof(Builtin, weakrefs),
    .methods = builtin_methods,
    .members = builtin_members,
    .getset = builtin_getset,
    .release = builtin_release,
    .traverse = builtin_traverse,
    .repr = builtin_repr,
    .hash = builtin_hash,
    .compare = builtin_compare,
    .call = builtin_call,
    .getattribute = object_generic_get,
};

// ---- method

Value method_new(ValueRef function, ValueRef self)
{
    Method *method = object_alloc_unfilled(&method_type, sizeof(Method));
    if (!method) return VALUE_ERROR;
    method->function = retain(function);
    method->self = retain(self);
    method->weakrefs = VALUE_ERROR;
    return own(method);
}

static Value method_make(Type *type, METHOD_ARGS)
{
    (void)type;
    if (!args_check("method", nargs, kwnames, 2, 2)) return VALUE_ERROR;
    if (!object_is_callable(args[0]))
        return raise_error(TypeError, "first argument must be callable");
    if (args[1] == NONE) return raise_error(TypeError, "self must not be None");
    return method_new(args[0], args[1]);
}

static void method_traverse(Object *object, VisitFn visit, void *arg)
{
    visit_item(((const Method *)object)->function, visit, arg);
    visit_item(((const Method *)object)->self, visit, arg);
}

static void method_release(Object *object)
{
    drop(((const Method *)object)->function);
    drop(((const Method *)object)->self);
}

// A method of a method has no frame to be counted by, and its arguments grow at each level. (It is
// apart so that other calls have no registers to save.)
static __attribute__((noinline)) Value call_nested(const Method *method, const ValueRef *args,
                                                   size_t nargs, ValueRef kwnames)
{
    if (!stack_enter(" while calling a Python object")) return VALUE_ERROR;
    Value result = call_with_self(method->function, method->self, args, nargs, kwnames);
    stack_leave();
    return result;
}

static Value method_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const Method *method = as_method(self);
    if (method_check(method->function)) return call_nested(method, args, nargs, kwnames);
    return call_with_self(method->function, method->self, args, nargs, kwnames);
}

// Attributes that `method` does not have come from the function.
static Value method_getattribute(ValueRef self, ValueRef name)
{
    ValueRef found = type_lookup(&method_type, name);
    if (!found) {
        if (!stack_check_room()) return VALUE_ERROR; // a method of a method of a method
        return object_get(as_method(self)->function, name);
    }
    DescrGetFn get = type_of(found)->get;
    return get ? get(found, self, ref_of(&method_type)) : retain(found);
}

static Value method_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    (void)instance, (void)owner;
    return retain(self);
}

// __qualname__ or __name__ of the function: a str, or ABSENT.
static Value function_name(ValueRef function)
{
    Value name = object_get_optional(function, NAME(__qualname__));
    if (name == ABSENT) name = object_get_optional(function, NAME(__name__));
    if (!name || name == ABSENT || str_check(name)) return name;
    drop(name);
    return ABSENT;
}

static Value method_repr(ValueRef self)
{
    const Method *method = as_method(self);
    Value name = function_name(method->function);
    if (!name) return VALUE_ERROR;
    Value text = name == ABSENT ? format_text("<bound method ? of %R>", (ValueRef)method->self)
                                : format_text("<bound method %S of %R>", (ValueRef)name,
                                              (ValueRef)method->self);
    drop(name);
    return text;
}

static Value method_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) || !method_check(left) || !method_check(right))
        return NOT_IMPLEMENTED;
    bool same = as_method(left)->self == as_method(right)->self;
    if (same && !object_equal(as_method(left)->function, as_method(right)->function, &same))
        return VALUE_ERROR;
    return from_bool(same == (op == COMPARE_EQ));
}

static bool method_hash(ValueRef self, int64_t *hash)
{
    if (!stack_check_room() || !object_hash(as_method(self)->function, hash)) return false;
    *hash ^= identity_hash(as_method(self)->self);
    if (*hash == -1) *hash = -2;
    return true;
}

static Value get_method_doc(ValueRef self)
{
    if (!stack_check_room()) return VALUE_ERROR; // a method of a method of a method
    return object_get(as_method(self)->function, NAME(__doc__));
}

static Value method_reduce(ValueRef self, METHOD_ARGS)
{
    Value name = object_get(as_method(self)->function, NAME(__name__));
    const char *text = name && str_check(name) ? str_utf8(name, NULL) : NULL;
    Value result = VALUE_ERROR;
    if (text)
        result = reduce_to_getattr(as_method(self)->self, text);
    else if (name && !error_pending())
        raise_error(TypeError, "attribute name must be string");
    drop(name);
    return result;
}

static const MethodDef method_methods[] = {{"__reduce__", method_reduce, NO_ARGS, NULL}, {0}};

static const MemberDef method_members[] = {
    {"__func__", MEMBER_VALUE, offsetof(Method, function), true,
     "the function (or other callable) implementing a method"},
    {"__self__", MEMBER_VALUE, offsetof(Method, self), true,
     "the instance to which a method is bound"},
    {0},
};

static const GetSetDef method_getset[] = {{"__doc__", get_method_doc, NULL, NULL}, {0}};

Type method_type = {
    STATIC_TYPE("method", sizeof(Method)),
    .flags = TYPE_GC,
    .weakref_offset = offsetof(Method, weakrefs),
    .doc = "method(function, instance)\n\nCreate a bound instance method object.",
    .methods = method_methods,
    .members = method_members,
    .getset = method_getset,
    .new_ = method_make,
    .release = method_release,
    .traverse = method_traverse,
    .repr = method_repr,
    .hash = method_hash,
    .compare = method_compare,
    .call = method_call,
    .getattribute = method_getattribute,
    .setattr = object_generic_set,
    .get = method_get,
};
