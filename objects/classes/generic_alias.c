// types.GenericAlias: list[int] is `list` with the arguments in the brackets.
//
//     +------+--------+-----------+------------+
//     | head | origin | arguments | parameters |     parameters: the type variables among the
//     +------+--------+-----------+------------+     arguments, computed when first requested
//
// It behaves like its origin, except for a few attributes of its own. Type variables are those of
// the library's module typing, recognised by name.
#include "objects/classes/generic_alias.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"

typedef struct GenericAlias {
    Object base;
    Value origin;
    Value arguments;  // tuple
    Value parameters; // tuple, or VALUE_ERROR
    Value weakrefs;
} GenericAlias;

static GenericAlias *as_alias(ValueRef value)
{
    return (GenericAlias *)object_of(value);
}

static bool is_alias(ValueRef value)
{
    return type_is_subtype(type_of(value), &generic_alias_type);
}

// ---- making

static Value alias_alloc(Type *type, ValueRef origin, ValueRef arguments)
{
    Value tuple = tuple_check(arguments) ? retain(arguments) : tuple_pack(1, arguments);
    GenericAlias *self = tuple ? object_alloc(type, 0) : NULL;
    if (!self) {
        drop(tuple);
        return VALUE_ERROR;
    }
    self->origin = retain(origin);
    self->arguments = tuple;
    return own(self);
}

Value generic_alias_new(ValueRef origin, ValueRef args)
{
    return alias_alloc(&generic_alias_type, origin, args);
}

static Value alias_make(Type *type, METHOD_ARGS)
{
    if (!args_no_keywords("GenericAlias", kwnames) ||
        !args_check("GenericAlias", nargs, VALUE_ERROR, 2, 2))
        return VALUE_ERROR;
    return alias_alloc(type, args[0], args[1]);
}

static void alias_traverse(Object *object, VisitFn visit, void *arg)
{
    const GenericAlias *self = (const GenericAlias *)object;
    visit_item(self->origin, visit, arg);
    visit_item(self->arguments, visit, arg);
    visit_item(self->parameters, visit, arg);
}

static void alias_release(Object *object)
{
    const GenericAlias *self = (const GenericAlias *)object;
    drop(self->origin);
    drop(self->arguments);
    drop(self->parameters);
}

// ---- type variables

static bool is_type_variable(ValueRef value, bool *is)
{
    const Type *type = type_of(value);
    *is = false;
    if (strcmp(type->name, "TypeVar") != 0) return true;
    Value module = type_module(type);
    if (!module) return false;
    *is = str_check(module) && str_equal_ascii(module, "typing");
    drop(module);
    return true;
}

static ssize_t index_in(ValueRef sequence, ssize_t count, ValueRef item)
{
    for (ssize_t i = 0; i < count; i++)
        if ((list_check(sequence) ? list_at(sequence, i) : tuple_at(sequence, i)) == item) return i;
    return -1;
}

static bool append_new(ValueRef list, ValueRef item)
{
    return index_in(list, list_size(list), item) >= 0 || list_append(list, item);
}

// __parameters__ of a value that may have them: a tuple, or ABSENT.
static Value parameters_of(ValueRef value)
{
    Value parameters = object_get_optional(value, NAME(__parameters__));
    if (!parameters || parameters == ABSENT || tuple_check(parameters)) return parameters;
    drop(parameters);
    return ABSENT;
}

static bool append_parameters(ValueRef list, ValueRef argument)
{
    bool is_variable;
    if (!is_type_variable(argument, &is_variable)) return false;
    if (is_variable) return append_new(list, argument);
    Value nested = parameters_of(argument);
    if (!nested || nested == ABSENT) return nested != VALUE_ERROR;
    bool done = true;
    for (ssize_t i = 0; done && i < tuple_size(nested); i++)
        done = append_new(list, tuple_at(nested, i));
    drop(nested);
    return done;
}

static Value find_parameters(ValueRef arguments)
{
    Value list = list_new(0);
    bool done = list;
    for (ssize_t i = 0; done && i < tuple_size(arguments); i++)
        done = append_parameters(list, tuple_at(arguments, i));
    Value parameters = done ? list_to_tuple(list) : VALUE_ERROR;
    drop(list);
    return parameters;
}

static Value get_parameters(ValueRef self)
{
    GenericAlias *alias = as_alias(self);
    if (!alias->parameters) {
        if (!stack_check_room()) return VALUE_ERROR; // an alias of an alias of an alias
        Value parameters = find_parameters(alias->arguments);
        if (!parameters) return VALUE_ERROR;
        replace_slot(&alias->parameters, parameters);
    }
    return retain(alias->parameters);
}

// ---- substitution: list[T][int]

// The argument that replaces a parameter: the item, or the parameter itself.
static ValueRef substitute(ValueRef parameter, ValueRef parameters, ValueRef items)
{
    ssize_t i = index_in(parameters, tuple_size(parameters), parameter);
    return i >= 0 ? tuple_at(items, i) : parameter;
}

static Value substitute_nested(ValueRef argument, ValueRef parameters, ValueRef items)
{
    Value nested = parameters_of(argument);
    if (!nested) return VALUE_ERROR;
    if (nested == ABSENT || tuple_size(nested) == 0) {
        drop(nested);
        return retain(argument);
    }
    ssize_t count = tuple_size(nested);
    Value chosen = tuple_new(count);
    for (ssize_t i = 0; chosen && i < count; i++)
        as_tuple(chosen)->items[i] = retain(substitute(tuple_at(nested, i), parameters, items));
    Value result = chosen ? object_subscript(argument, chosen) : VALUE_ERROR;
    drop(nested);
    drop(chosen);
    return result;
}

static Value substitute_argument(ValueRef argument, ValueRef parameters, ValueRef items)
{
    bool is_variable;
    if (!is_type_variable(argument, &is_variable)) return VALUE_ERROR;
    if (is_variable) return retain(substitute(argument, parameters, items));
    return substitute_nested(argument, parameters, items);
}

static Value substitute_all(ValueRef self, ValueRef parameters, ValueRef items)
{
    ValueRef arguments = as_alias(self)->arguments;
    Value replaced = tuple_new(tuple_size(arguments));
    for (ssize_t i = 0; replaced && i < tuple_size(arguments); i++) {
        Value item = substitute_argument(tuple_at(arguments, i), parameters, items);
        as_tuple(replaced)->items[i] = item;
        if (!item) drop_slot(&replaced);
    }
    Value made = replaced ? generic_alias_new(as_alias(self)->origin, replaced) : VALUE_ERROR;
    drop(replaced);
    return made;
}

static Value alias_subscript(ValueRef self, ValueRef key)
{
    Value parameters = stack_check_room() ? get_parameters(self) : VALUE_ERROR;
    if (!parameters) return VALUE_ERROR;
    ssize_t wanted = tuple_size(parameters);
    ssize_t given = tuple_check(key) ? tuple_size(key) : 1;
    Value result = VALUE_ERROR;
    if (wanted == 0) {
        raise_error(TypeError, "There are no type variables left in %R", self);
    } else if (given != wanted) {
        raise_error(TypeError, "Too %s arguments for %R", given > wanted ? "many" : "few", self);
    } else {
        Value items = tuple_check(key) ? retain(key) : tuple_pack(1, key);
        if (items) result = substitute_all(self, parameters, items);
        drop(items);
    }
    drop(parameters);
    return result;
}

// ---- repr

static bool has_attribute(ValueRef value, ValueRef name, bool *has)
{
    Value found = object_get_optional(value, name);
    *has = found && found != ABSENT;
    drop(found);
    return found != VALUE_ERROR;
}

static bool is_generic(ValueRef value, bool *is)
{
    return has_attribute(value, NAME(__origin__), is) &&
           (!*is || has_attribute(value, NAME(__args__), is));
}

// "module.qualname" of a class: a str, or ABSENT where it has no such names.
static Value class_text(ValueRef class)
{
    Value text = ABSENT, module = ABSENT;
    Value qualname = object_get_optional(class, NAME(__qualname__));
    if (qualname && qualname != ABSENT) module = object_get_optional(class, NAME(__module__));
    if (!qualname || !module)
        text = VALUE_ERROR;
    else if (qualname != ABSENT && module != ABSENT && module != NONE)
        text = str_check(module) && str_equal_ascii(module, "builtins")
                   ? object_str(qualname)
                   : format_text("%S.%S", (ValueRef)module, (ValueRef)qualname);
    drop(qualname);
    drop(module);
    return text;
}

static Value item_text(ValueRef item)
{
    bool generic;
    if (item == ELLIPSIS) return str_new("...");
    if (!is_generic(item, &generic)) return VALUE_ERROR;
    Value text = generic ? ABSENT : class_text(item);
    return text == ABSENT ? object_repr(item) : text;
}

static bool append_item(StrBuilder *builder, const char *before, ValueRef item)
{
    Value text = item_text(item);
    bool done = text && builder_text(builder, before) && builder_str(builder, text);
    drop(text);
    return done;
}

static bool append_all(StrBuilder *builder, const GenericAlias *self)
{
    bool done = append_item(builder, "", self->origin) && builder_text(builder, "[");
    ssize_t count = tuple_size(self->arguments);
    for (ssize_t i = 0; done && i < count; i++)
        done = append_item(builder, i ? ", " : "", tuple_at(self->arguments, i));
    return done && (count > 0 || builder_text(builder, "()")) && builder_text(builder, "]");
}

static Value alias_repr(ValueRef self)
{
    StrBuilder builder;
    if (!stack_enter(" while getting the repr of an object")) return VALUE_ERROR;
    builder_begin(&builder);
    Value text = VALUE_ERROR;
    if (append_all(&builder, as_alias(self)))
        text = builder_finish(&builder);
    else
        builder_abandon(&builder);
    stack_leave();
    return text;
}

// ---- behaving like its origin

// The attributes that are not the origin's.
static const char *const own_names[] = {
    "__origin__",    "__args__",   "__parameters__", "__mro_entries__",
    "__reduce_ex__", "__reduce__", "__copy__",       "__deepcopy__",
};
#define OWN_NAMES (sizeof own_names / sizeof *own_names)

static Value alias_getattribute(ValueRef self, ValueRef name)
{
    for (size_t i = 0; i < OWN_NAMES; i++)
        if (str_equal_ascii(name, own_names[i])) return object_generic_get(self, name);
    return stack_check_room() ? object_get(as_alias(self)->origin, name) : VALUE_ERROR;
}

static bool note_class(ValueRef made, ValueRef self)
{
    Value name = str_intern("__orig_class__");
    bool done = name && object_set(made, name, self);
    drop(name);
    if (done || (!error_is(AttributeError) && !error_is(TypeError))) return done;
    error_clear();
    return true;
}

static Value alias_call(ValueRef self, METHOD_ARGS)
{
    Value made = object_call(as_alias(self)->origin, args, nargs, kwnames);
    if (!made || note_class(made, self)) return made;
    drop(made);
    return VALUE_ERROR;
}

static Value alias_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!is_alias(left) || !is_alias(right) || (op != COMPARE_EQ && op != COMPARE_NE))
        return NOT_IMPLEMENTED;
    bool same;
    if (!object_equal(as_alias(left)->origin, as_alias(right)->origin, &same)) return VALUE_ERROR;
    if (same && !object_equal(as_alias(left)->arguments, as_alias(right)->arguments, &same))
        return VALUE_ERROR;
    return from_bool(same == (op == COMPARE_EQ));
}

static bool alias_hash(ValueRef self, int64_t *hash)
{
    int64_t of_arguments;
    if (!object_hash(as_alias(self)->origin, hash) ||
        !object_hash(as_alias(self)->arguments, &of_arguments))
        return false;
    *hash ^= of_arguments;
    if (*hash == -1) *hash = -2;
    return true;
}

// ---- methods

static Value mro_entries(ValueRef self, METHOD_ARGS)
{
    return tuple_pack(1, (ValueRef)as_alias(self)->origin);
}

static Value instance_check(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return raise_error(TypeError, "isinstance() argument 2 cannot be a parameterized generic");
}

static Value subclass_check(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return raise_error(TypeError, "issubclass() argument 2 cannot be a parameterized generic");
}

static Value alias_reduce(ValueRef self, METHOD_ARGS)
{
    const GenericAlias *alias = as_alias(self);
    Value parts = tuple_pack(2, (ValueRef)alias->origin, (ValueRef)alias->arguments);
    Value result =
        parts ? tuple_pack(2, ref_of(&generic_alias_type), (ValueRef)parts) : VALUE_ERROR;
    drop(parts);
    return result;
}

static bool append_name(ValueRef list, const char *name)
{
    Value text = str_intern(name);
    bool there = true;
    bool done = text && object_contains(list, text, &there) && (there || list_append(list, text));
    drop(text);
    return done;
}

static Value alias_dir(ValueRef self, METHOD_ARGS)
{
    Value list = object_dir(as_alias(self)->origin);
    bool done = list;
    for (size_t i = 0; done && i < OWN_NAMES; i++) done = append_name(list, own_names[i]);
    if (!done) drop_slot(&list);
    return list;
}

static const MethodDef methods[] = {
    {"__mro_entries__", mro_entries, ONE_ARG, NULL},
    {"__instancecheck__", instance_check, ONE_ARG, NULL},
    {"__subclasscheck__", subclass_check, ONE_ARG, NULL},
    {"__reduce__", alias_reduce, NO_ARGS, NULL},
    {"__dir__", alias_dir, NO_ARGS, NULL},
    {0},
};

static const MemberDef members[] = {
    {"__origin__", MEMBER_VALUE, offsetof(GenericAlias, origin), true, NULL},
    {"__args__", MEMBER_VALUE, offsetof(GenericAlias, arguments), true, NULL},
    {0},
};

static const GetSetDef getset[] = {
    {"__parameters__", get_parameters, NULL, "Type variables in the GenericAlias."},
    {0},
};

Type generic_alias_type = {
    STATIC_TYPE("types.GenericAlias", sizeof(GenericAlias)),
    .flags = TYPE_BASE | TYPE_GC,
    .weakref_offset = offsetof(GenericAlias, weakrefs),
    .doc = "Represent a PEP 585 generic type\n\n"
           "E.g. for t = list[int], t.__origin__ is list and t.__args__ is (int,).",
    .methods = methods,
    .members = members,
    .getset = getset,
    .new_ = alias_make,
    .release = alias_release,
    .traverse = alias_traverse,
    .repr = alias_repr,
    .hash = alias_hash,
    .compare = alias_compare,
    .call = alias_call,
    .getattribute = alias_getattribute,
    .subscript = alias_subscript,
};
