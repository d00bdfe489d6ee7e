// wrapper_descriptor: a C slot as scripts see it (int.__add__). method-wrapper: the same, bound to
// an object ((3).__add__). And __new__ of the types written in C.
//
// slot_wrappers.c has the functions that check and pass the arguments.
#include "objects/classes/method.h"
#include "objects/classes/object_parts.h"
#include "objects/classes/slots.h"
#include "objects/classes/type_parts.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"

typedef struct MethodWrapper {
    Object base;
    Value wrapper; // wrapper_descriptor
    Value self;
} MethodWrapper;

static SlotWrapper *as_wrapper(ValueRef value)
{
    return (SlotWrapper *)object_of(value);
}

static MethodWrapper *as_bound(ValueRef value)
{
    return (MethodWrapper *)object_of(value);
}

// ---- wrapper_descriptor

Value wrapper_descriptor_new(Type *owner, const SlotDef *def, SlotFn slot)
{
    SlotWrapper *self = object_alloc(&wrapper_descriptor_type, 0);
    if (!self) return VALUE_ERROR;
    self->owner = as_type(retain(ref_of(owner)));
    self->def = def;
    self->slot = slot;
    if (!(owner->flags & TYPE_HEAP)) gc_untrack(&self->base);
    return own(self);
}

static void wrapper_traverse(Object *object, VisitFn visit, void *arg)
{
    visit(ref_of(((const SlotWrapper *)object)->owner), arg);
}

static void wrapper_release(Object *object)
{
    drop(own(((const SlotWrapper *)object)->owner));
}

static Value wrapper_repr(ValueRef self)
{
    return format_text("<slot wrapper '%s' of '%s' objects>", as_wrapper(self)->def->name,
                       as_wrapper(self)->owner->name);
}

static bool takes_keywords(const SlotDef *def)
{
    return def->wrap == wrap_call || def->wrap == wrap_init;
}

static Value call_slot(const SlotWrapper *wrapper, ValueRef self, const ValueRef *args,
                       size_t nargs, ValueRef kwnames)
{
    const SlotDef *def = wrapper->def;
    if (kwnames && tuple_size(kwnames) > 0 && !takes_keywords(def))
        return raise_error(TypeError, "wrapper %s() takes no keyword arguments", def->name);
    return def->wrap(wrapper->slot, self, args, nargs, kwnames);
}

static Value wrapper_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const SlotWrapper *wrapper = as_wrapper(self);
    const char *name = wrapper->def->name, *owner = wrapper->owner->name;
    if (nargs == 0)
        return raise_error(TypeError, "descriptor '%s' of '%.100s' object needs an argument", name,
                           owner);
    if (!type_is_subtype(type_of(args[0]), wrapper->owner))
        return raise_error(TypeError,
                           "descriptor '%s' requires a '%.100s' object but received a '%.100T'",
                           name, owner, args[0]);
    return call_slot(wrapper, args[0], args + 1, nargs - 1, kwnames);
}

static Value wrapper_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    (void)owner;
    if (!instance) return retain(self);
    const SlotWrapper *wrapper = as_wrapper(self);
    if (!type_is_subtype(type_of(instance), wrapper->owner))
        return raise_error(
            TypeError, "descriptor '%s' for '%.100s' objects doesn't apply to a '%.100T' object",
            wrapper->def->name, wrapper->owner->name, instance);
    MethodWrapper *bound = object_alloc(&method_wrapper_type, 0);
    if (!bound) return VALUE_ERROR;
    bound->wrapper = retain(self);
    bound->self = retain(instance);
    return own(bound);
}

static Value get_owner(ValueRef self)
{
    return retain(ref_of(as_wrapper(self)->owner));
}

static Value get_name(ValueRef self)
{
    return str_intern(as_wrapper(self)->def->name);
}

static Value get_qualname(ValueRef self)
{
    Value owner = type_qualname(as_wrapper(self)->owner);
    Value text =
        owner ? format_text("%S.%s", (ValueRef)owner, as_wrapper(self)->def->name) : VALUE_ERROR;
    drop(owner);
    return text;
}

static Value get_doc(ValueRef self)
{
    return doc_text(as_wrapper(self)->def->name, as_wrapper(self)->def->doc);
}

static Value get_signature(ValueRef self)
{
    return doc_signature(as_wrapper(self)->def->name, as_wrapper(self)->def->doc);
}

static Value wrapper_reduce(ValueRef self, METHOD_ARGS)
{
    return reduce_to_getattr(ref_of(as_wrapper(self)->owner), as_wrapper(self)->def->name);
}

static const MethodDef wrapper_methods[] = {{"__reduce__", wrapper_reduce, NO_ARGS, NULL}, {0}};

static const MemberDef wrapper_members[] = {
    {"__objclass__", MEMBER_OBJECT, offsetof(SlotWrapper, owner), true, NULL},
    {0},
};

static const GetSetDef wrapper_getset[] = {
    {"__name__", get_name, refuse_as_member, NULL},
    {"__doc__", get_doc, NULL, NULL},
    {"__qualname__", get_qualname, NULL, NULL},
    {"__text_signature__", get_signature, NULL, NULL},
    {0},
};

Type wrapper_descriptor_type = {
    STATIC_TYPE("wrapper_descriptor", sizeof(SlotWrapper)),
    .flags = TYPE_GC | TYPE_METHOD,
    .methods = wrapper_methods,
    .members = wrapper_members,
    .getset = wrapper_getset,
    .release = wrapper_release,
    .traverse = wrapper_traverse,
    .repr = wrapper_repr,
    .call = wrapper_call,
    .getattribute = object_generic_get,
    .get = wrapper_get,
};

// ---- method-wrapper

static void bound_traverse(Object *object, VisitFn visit, void *arg)
{
    visit_item(((const MethodWrapper *)object)->self, visit, arg);
}

static void bound_release(Object *object)
{
    drop(((const MethodWrapper *)object)->wrapper);
    drop(((const MethodWrapper *)object)->self);
}

static Value bound_repr(ValueRef self)
{
    const MethodWrapper *bound = as_bound(self);
    return format_text("<method-wrapper '%s' of %T object at 0x%llx>",
                       as_wrapper(bound->wrapper)->def->name, (ValueRef)bound->self,
                       value_id(bound->self));
}

static Value bound_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) || !is_exactly(left, &method_wrapper_type) ||
        !is_exactly(right, &method_wrapper_type))
        return NOT_IMPLEMENTED;
    bool same = as_bound(left)->wrapper == as_bound(right)->wrapper &&
                as_bound(left)->self == as_bound(right)->self;
    return from_bool(same == (op == COMPARE_EQ));
}

static bool bound_hash(ValueRef self, int64_t *hash)
{
    const MethodWrapper *bound = as_bound(self);
    *hash = identity_hash(bound->self) ^ hash_pointer(object_of(bound->wrapper));
    if (*hash == -1) *hash = -2;
    return true;
}

static Value bound_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const MethodWrapper *bound = as_bound(self);
    return call_slot(as_wrapper(bound->wrapper), bound->self, args, nargs, kwnames);
}

static Value bound_reduce(ValueRef self, METHOD_ARGS)
{
    return reduce_to_getattr(as_bound(self)->self, as_wrapper(as_bound(self)->wrapper)->def->name);
}

static Value get_bound_owner(ValueRef self)
{
    return get_owner(as_bound(self)->wrapper);
}

static Value get_bound_name(ValueRef self)
{
    return get_name(as_bound(self)->wrapper);
}

static Value get_bound_qualname(ValueRef self)
{
    return get_qualname(as_bound(self)->wrapper);
}

static Value get_bound_doc(ValueRef self)
{
    return get_doc(as_bound(self)->wrapper);
}

static Value get_bound_signature(ValueRef self)
{
    return get_signature(as_bound(self)->wrapper);
}

static const MethodDef bound_methods[] = {{"__reduce__", bound_reduce, NO_ARGS, NULL}, {0}};

static const MemberDef bound_members[] = {
    {"__self__", MEMBER_VALUE, offsetof(MethodWrapper, self), true, NULL},
    {0},
};

static const GetSetDef bound_getset[] = {
    {"__objclass__", get_bound_owner, NULL, NULL},
    {"__name__", get_bound_name, NULL, NULL},
    {"__qualname__", get_bound_qualname, NULL, NULL},
    {"__doc__", get_bound_doc, NULL, NULL},
    {"__text_signature__", get_bound_signature, NULL, NULL},
    {0},
};

Type method_wrapper_type = {
    STATIC_TYPE("method-wrapper", sizeof(MethodWrapper)),
    .flags = TYPE_GC,
    .methods = bound_methods,
    .members = bound_members,
    .getset = bound_getset,
    .release = bound_release,
    .traverse = bound_traverse,
    .repr = bound_repr,
    .hash = bound_hash,
    .compare = bound_compare,
    .call = bound_call,
    .getattribute = object_generic_get,
};

// ---- __new__

// The type whose new_ a class in script would inherit without its own __new__.
static const Type *static_new_base(const Type *type)
{
    while (type && type->new_ == slot_new) type = type->base_type;
    return type;
}

static bool check_new_argument(const Type *type, const ValueRef *args, size_t nargs)
{
    const char *name = type->name;
    if (nargs == 0) return raise_error(TypeError, "%s.__new__(): not enough arguments", name);
    if (!type_check(args[0]))
        return raise_error(TypeError, "%s.__new__(X): X is not a type object (%T)", name, args[0]);
    const Type *wanted = as_type(args[0]);
    if (!type_is_subtype(wanted, type))
        return raise_error(TypeError, "%s.__new__(%s): %s is not a subtype of %s", name,
                           wanted->name, wanted->name, name);
    const Type *base = static_new_base(wanted);
    if (!base || base->new_ == type->new_) return true;
    return raise_error(TypeError, "%s.__new__(%s) is not safe, use %s.__new__()", name,
                       wanted->name, base->name);
}

// Refuses object.__new__(C) if C derives from list, say: then list.__new__ must be called.
static Value call_new(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const Type *type = as_type(self);
    if (!check_new_argument(type, args, nargs)) return VALUE_ERROR;
    return type->new_(as_type(args[0]), args + 1, nargs - 1, kwnames);
}

static const MethodDef new_def = {
    "__new__", call_new, KEYWORD_ARGS,
    "__new__($type, *args, **kwargs)\n--\n\n"
    "Create and return a new object.  See help(type) for accurate signature."};

Value new_wrapper_create(Type *type)
{
    Value builtin = builtin_new(&new_def, ref_of(type), VALUE_ERROR);
    if (builtin && !(type->flags & TYPE_HEAP)) gc_untrack(object_of(builtin));
    return builtin;
}

bool is_new_wrapper(ValueRef value)
{
    return is_exactly(value, &builtin_type) && as_builtin(value)->def == &new_def;
}
