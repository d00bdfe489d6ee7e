// mappingproxy: a read-only view of a mapping, such as the __dict__ of a class.
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"

typedef struct MappingProxy {
    Object base;
    Value mapping;
} MappingProxy;

static ValueRef mapping_of(ValueRef self)
{
    return ((const MappingProxy *)object_of(self))->mapping;
}

// The mapping of an operation that is passed on, from proxy to proxy where they are nested.
static ValueRef mapping_passed(ValueRef self)
{
    return stack_check_room() ? mapping_of(self) : VALUE_ERROR;
}

Value mappingproxy_new(ValueRef mapping)
{
    MappingProxy *self = object_alloc(&mappingproxy_type, 0);
    if (!self) return VALUE_ERROR;
    self->mapping = retain(mapping);
    return own(self);
}

static const char *const parameters[] = {"mapping", NULL};
static const Signature signature = {"mappingproxy", parameters, 1, 1};

static Value proxy_make(Type *type, METHOD_ARGS)
{
    ValueRef mapping;
    (void)type;
    if (!args_bind(&signature, args, nargs, kwnames, &mapping)) return VALUE_ERROR;
    if (!type_of(mapping)->subscript || list_check(mapping) || tuple_check(mapping))
        return raise_error(TypeError, "mappingproxy() argument must be a mapping, not %T", mapping);
    return mappingproxy_new(mapping);
}

static void proxy_traverse(Object *object, VisitFn visit, void *arg)
{
    visit_item(((const MappingProxy *)object)->mapping, visit, arg);
}

static void proxy_release(Object *object)
{
    drop(((const MappingProxy *)object)->mapping);
}

// ---- slots: those of the mapping

static Value proxy_repr(ValueRef self)
{
    return format_text("mappingproxy(%R)", mapping_of(self));
}

static Value proxy_str(ValueRef self)
{
    return object_str(mapping_of(self));
}

static bool is_proxy(ValueRef value)
{
    return is_exactly(value, &mappingproxy_type);
}

// The operand that replaces the proxy in an operation with `other`. It is a copy if a method of
// `other` may get it, because that method must not change the dict of a class without telling the
// caches.
static Value operand(ValueRef value, ValueRef other)
{
    if (!is_proxy(value)) return retain(value);
    ValueRef mapping = mapping_of(value);
    bool safe = is_proxy(other) || dict_check_exact(other) || !dict_check_exact(mapping);
    return safe ? retain(mapping) : dict_copy(mapping);
}

static Value proxy_compare(ValueRef left, ValueRef right, CompareOp op)
{
    Value mapping = operand(left, right);
    Value result = mapping ? object_compare(mapping, right, op) : VALUE_ERROR;
    drop(mapping);
    return result;
}

static Value proxy_iter(ValueRef self)
{
    ValueRef mapping = mapping_passed(self);
    return mapping ? object_iter(mapping) : VALUE_ERROR;
}

static bool proxy_length(ValueRef self, ssize_t *length)
{
    ValueRef mapping = mapping_passed(self);
    return mapping && object_length(mapping, length);
}

static Value proxy_subscript(ValueRef self, ValueRef key)
{
    ValueRef mapping = mapping_passed(self);
    return mapping ? object_subscript(mapping, key) : VALUE_ERROR;
}

static bool proxy_contains(ValueRef self, ValueRef key, bool *found)
{
    ValueRef mapping = mapping_passed(self);
    return mapping && object_contains(mapping, key, found);
}

static Value proxy_or(ValueRef left, ValueRef right)
{
    Value a = stack_check_room() ? operand(left, right) : VALUE_ERROR;
    Value b = a ? operand(right, left) : VALUE_ERROR;
    Value result = b ? object_binary(a, b, OP_OR) : VALUE_ERROR;
    drop(a);
    drop(b);
    return result;
}

static Value proxy_inplace_or(ValueRef self, ValueRef other)
{
    (void)other;
    return raise_error(TypeError, "'|=' is not supported by %T; use '|' instead", self);
}

// ---- methods: those of the mapping

static Value call_method(ValueRef self, const char *name, const ValueRef *args, size_t nargs)
{
    Value interned = str_intern(name);
    if (!interned) return VALUE_ERROR;
    ValueRef all[3] = {mapping_of(self)};
    for (size_t i = 0; i < nargs; i++) all[i + 1] = args[i];
    Value result = object_call_method(interned, all, nargs + 1, VALUE_ERROR);
    drop(interned);
    return result;
}

static Value proxy_get(ValueRef self, METHOD_ARGS)
{
    return call_method(self, "get", (ValueRef[]){args[0], nargs == 2 ? args[1] : NONE}, 2);
}

static Value proxy_keys(ValueRef self, METHOD_ARGS)
{
    return call_method(self, "keys", NULL, 0);
}

static Value proxy_values(ValueRef self, METHOD_ARGS)
{
    return call_method(self, "values", NULL, 0);
}

static Value proxy_items(ValueRef self, METHOD_ARGS)
{
    return call_method(self, "items", NULL, 0);
}

static Value proxy_copy(ValueRef self, METHOD_ARGS)
{
    return call_method(self, "copy", NULL, 0);
}

static Value proxy_reversed(ValueRef self, METHOD_ARGS)
{
    return call_method(self, "__reversed__", NULL, 0);
}

static const MethodDef methods[] = {
    {"get", proxy_get, ARGS(1, 2), "D.get(k[,d]) -> D[k] if k in D, else d.  d defaults to None."},
    {"keys", proxy_keys, NO_ARGS, "D.keys() -> a set-like object providing a view on D's keys"},
    {"values", proxy_values, NO_ARGS, "D.values() -> an object providing a view on D's values"},
    {"items", proxy_items, NO_ARGS, "D.items() -> a set-like object providing a view on D's items"},
    {"copy", proxy_copy, NO_ARGS, "D.copy() -> a shallow copy of D"},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, "See PEP 585"},
    {"__reversed__", proxy_reversed, NO_ARGS, "D.__reversed__() -> reverse iterator"},
    {0},
};

Type mappingproxy_type = {
    STATIC_TYPE("mappingproxy", sizeof(MappingProxy)),
    .flags = TYPE_GC,
    .methods = methods,
    .new_ = proxy_make,
    .release = proxy_release,
    .traverse = proxy_traverse,
    .repr = proxy_repr,
    .str = proxy_str,
    .compare = proxy_compare,
    .getattribute = object_generic_get,
    .iter = proxy_iter,
    .or_ = proxy_or,
    .inplace_or = proxy_inplace_or,
    .length = proxy_length,
    .subscript = proxy_subscript,
    .contains = proxy_contains,
};
