// types.SimpleNamespace.
#include "objects/classes/namespace.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

typedef struct Namespace {
    Object base;
    Value dict;
} Namespace;

static ValueRef dict_of(ValueRef self)
{
    return ((Namespace *)object_of(self))->dict;
}

static Value make(Type *type)
{
    Namespace *self = object_alloc(type, 0);
    if (!self) return VALUE_ERROR;
    self->dict = dict_new();
    if (self->dict) return own(self);
    drop(own(self));
    return VALUE_ERROR;
}

Value namespace_new(ValueRef attributes)
{
    Value self = make(&simple_namespace_type);
    if (!self || !attributes || dict_update(dict_of(self), attributes)) return self;
    drop(self);
    return VALUE_ERROR;
}

static Value namespace_type_new(Type *type, METHOD_ARGS)
{
    return make(type);
}

static bool namespace_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (nargs > 0) return raise_error(TypeError, "no positional arguments expected");
    ssize_t count = kwnames ? tuple_size(kwnames) : 0;
    for (ssize_t i = 0; i < count; i++)
        if (!dict_set(dict_of(self), tuple_at(kwnames, i), args[i])) return false;
    return true;
}

static void namespace_release(Object *self)
{
    drop_slot(&((Namespace *)self)->dict);
}

static void namespace_traverse(Object *self, VisitFn visit, void *arg)
{
    visit(((Namespace *)self)->dict, arg);
}

// ---- repr

// "name=repr", or nothing for a key that is no name.
static bool add_pair(StrBuilder *builder, ValueRef key, ValueRef value, bool *first)
{
    if (!str_check(key) || str_length(key) == 0) return true;
    Value text = format_text("%s%S=%R", *first ? "" : ", ", key, value);
    if (!text) return false;
    *first = false;
    bool done = builder_str(builder, text);
    drop(text);
    return done;
}

// The values' reprs may change the dict: the items are listed first.
static bool add_items(StrBuilder *builder, ValueRef dict)
{
    Value items = dict_items(dict);
    bool done = items != VALUE_ERROR, first = true;
    for (ssize_t i = 0; done && i < list_size(items); i++) {
        ValueRef pair = list_at(items, i);
        done = add_pair(builder, tuple_at(pair, 0), tuple_at(pair, 1), &first);
    }
    drop(items);
    return done;
}

static Value repr_items(const char *name, ValueRef dict)
{
    StrBuilder builder;
    builder_begin(&builder);
    if (builder_text(&builder, name) && builder_char(&builder, '(') && add_items(&builder, dict) &&
        builder_char(&builder, ')'))
        return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

static Value namespace_repr(ValueRef self)
{
    const Type *type = type_of(self);
    const char *name = type == &simple_namespace_type ? "namespace" : type->name;
    bool again;
    if (!repr_enter(self, &again)) return VALUE_ERROR;
    if (again) return format_text("%s(...)", name);
    Value dict = retain(dict_of(self));
    Value text = repr_items(name, dict);
    drop(dict);
    repr_leave(self);
    return text;
}

static bool is_namespace(ValueRef value)
{
    return type_is_subtype(type_of(value), &simple_namespace_type);
}

static Value namespace_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!is_namespace(left) || !is_namespace(right)) return not_implemented();
    return object_compare(dict_of(left), dict_of(right), op);
}

static Value namespace_reduce(ValueRef self, METHOD_ARGS)
{
    Value empty = tuple_new(0);
    if (!empty) return VALUE_ERROR;
    Value result = tuple_pack(3, ref_of(type_of(self)), (ValueRef)empty, dict_of(self));
    drop(empty);
    return result;
}

static const MethodDef methods[] = {
    {"__reduce__", namespace_reduce, NO_ARGS, "Return state information for pickling"},
    {0},
};

static const MemberDef members[] = {
    {"__dict__", MEMBER_VALUE, offsetof(Namespace, dict), true, NULL},
    {0},
};

Type simple_namespace_type = {
    STATIC_TYPE("types.SimpleNamespace", sizeof(Namespace)),
    .flags = TYPE_BASE | TYPE_GC,
    .dict_offset = offsetof(Namespace, dict),
    .methods = methods,
    .members = members,
    .doc = "A simple attribute-based namespace.\n\nSimpleNamespace(**kwargs)",
    .new_ = namespace_type_new,
    .init = namespace_init,
    .release = namespace_release,
    .traverse = namespace_traverse,
    .repr = namespace_repr,
    .compare = namespace_compare,
    .getattribute = object_generic_get,
    .setattr = object_generic_set,
};
