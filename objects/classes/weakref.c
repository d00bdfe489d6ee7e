// Weak references: weakref.ref and the two proxies.
//
//     target (at its type's weakref_offset) --> shared ref <--> shared proxy <--> WeakRef <--> ...
//                                                                             newest callback
//
// A reference is in the list of its target while both are alive. References without a callback are
// shared: the list has one reference and one proxy of this kind, at its front. When the target
// dies, the list is emptied first. Then the callbacks are called in the order of the list; none of
// them can reach the dying object.
#include "objects/classes/weakref.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/generic_alias.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

static WeakRef *as_weakref(ValueRef value)
{
    return (WeakRef *)object_of(value);
}

// ---- the list

static Value *list_slot(Object *target)
{
    return (Value *)(void *)((char *)target + target->type->weakref_offset);
}

static WeakRef *list_head(Object *target)
{
    return (WeakRef *)object_of(*list_slot(target));
}

static void link_after(WeakRef *reference, WeakRef *previous)
{
    invariant(reference->target && reference->target->type->weakref_offset,
              "only what has room for the list can be referred to weakly");
    invariant(!previous || previous->target == reference->target,
              "references in one list have one target");
    reference->previous = previous;
    reference->next = previous ? previous->next : list_head(reference->target);
    if (reference->next) reference->next->previous = reference;
    if (previous)
        previous->next = reference;
    else
        *list_slot(reference->target) = own(reference);
}

void weakref_unlink(WeakRef *reference)
{
    if (!reference->target) return;
    invariant(reference->previous ? reference->previous->next == reference
                                  : list_head(reference->target) == reference,
              "a reference is in its target's list while both live");
    invariant(!reference->next || reference->next->previous == reference,
              "the list of references is linked back");
    if (reference->previous)
        reference->previous->next = reference->next;
    else
        *list_slot(reference->target) = own(reference->next);
    if (reference->next) reference->next->previous = reference->previous;
    reference->next = reference->previous = NULL;
    reference->target = NULL;
}

// The shared reference of a type (exactly weakref_type, or one of the proxies), or NULL.
static WeakRef *find_shared(Object *target, bool proxy)
{
    WeakRef *at = list_head(target);
    if (at && at->base.type == &weakref_type && !at->callback) {
        if (!proxy) return at;
        at = at->next;
    }
    bool found = proxy && at && !at->callback &&
                 (at->base.type == &weakproxy_type || at->base.type == &weakcallableproxy_type);
    return found ? at : NULL;
}

static Value make(Type *type, ValueRef target, ValueRef callback)
{
    if (callback == NONE) callback = VALUE_ERROR;
    if (!is_object(target) || !type_of(target)->weakref_offset)
        return raise_error(TypeError, "cannot create weak reference to '%T' object", target);
    Object *object = object_of(target);
    bool proxy = type == &weakproxy_type || type == &weakcallableproxy_type;
    bool shared = !callback && (proxy || type == &weakref_type);
    WeakRef *found = shared ? find_shared(object, proxy) : NULL;
    if (found && found->base.refcount > 0) return retain(ref_of(found));
    WeakRef *reference = object_alloc(type, 0);
    if (!reference) return VALUE_ERROR;
    reference->target = object;
    reference->callback = retain(callback);
    reference->hash = -1;
    WeakRef *previous = NULL;
    if (!shared || proxy) previous = find_shared(object, false);
    if (!shared && find_shared(object, true)) previous = find_shared(object, true);
    link_after(reference, previous);
    return own(reference);
}

Value weakref_new(ValueRef target, ValueRef callback)
{
    return make(&weakref_type, target, callback);
}

Value weakref_proxy_new(ValueRef target, ValueRef callback)
{
    Type *type = object_is_callable(target) ? &weakcallableproxy_type : &weakproxy_type;
    return make(type, target, callback);
}

ValueRef weakref_target(ValueRef reference)
{
    Object *target = as_weakref(reference)->target;
    return target && target->refcount > 0 ? ref_of(target) : VALUE_ERROR;
}

static WeakRef *first_of(ValueRef target)
{
    bool can = is_object(target) && type_of(target)->weakref_offset;
    return can ? list_head(object_of(target)) : NULL;
}

ssize_t weakref_count(ValueRef target)
{
    ssize_t count = 0;
    for (WeakRef *at = first_of(target); at; at = at->next) count++;
    return count;
}

Value weakref_list(ValueRef target)
{
    Value list = list_new(0);
    for (WeakRef *at = first_of(target); list && at; at = at->next) {
        if (list_append(list, ref_of(at))) continue;
        drop(list);
        return VALUE_ERROR;
    }
    return list;
}

// ---- when the target dies

void weakref_call_back(WeakRef *reference)
{
    invariant(!reference->target, "a callback is told of a target that is dead");
    invariant(is_alive(&reference->base), "a callback gets a reference that is held");
    Value callback = reference->callback;
    reference->callback = VALUE_ERROR;
    if (!callback) return;
    Value result = object_call_one(callback, ref_of(reference));
    if (!result) report_unraisable(callback, NULL);
    drop(result);
    drop(callback);
}

void weakref_clear_all(Object *object)
{
    WeakRef *first = NULL, **end = &first; // those to call, held, linked by `next`
    WeakRef *at;
    while ((at = list_head(object))) {
        weakref_unlink(at);
        if (!at->callback || at->base.refcount <= 0) continue;
        retain(ref_of(at));
        *end = at;
        end = &at->next;
    }
    while ((at = first)) {
        first = at->next;
        at->next = NULL;
        weakref_call_back(at);
        drop(own(at));
    }
}

// ---- the type weakref

static Value weakref_type_new(Type *type, METHOD_ARGS)
{
    if (!args_check("__new__", nargs, 0, 1, 2)) return VALUE_ERROR;
    return make(type, args[0], nargs > 1 ? args[1] : VALUE_ERROR);
}

static bool weakref_init(FUNCTION_ARGS)
{
    return args_no_keywords("ref", kwnames) && args_check("__init__", nargs, 0, 1, 2);
}

static void weakref_release(Object *self)
{
    WeakRef *reference = (WeakRef *)self;
    weakref_unlink(reference);
    drop_slot(&reference->callback);
}

static void weakref_traverse(Object *self, VisitFn visit, void *arg)
{
    visit(((WeakRef *)self)->callback, arg);
}

static Value weakref_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {NULL};
    static const Signature signature = {"__call__", names, 0, 0};
    if (!args_bind(&signature, args, nargs, kwnames, NULL)) return VALUE_ERROR;
    ValueRef target = weakref_target(self);
    return target ? retain(target) : NONE;
}

static bool weakref_hash(ValueRef self, int64_t *hash)
{
    if (as_weakref(self)->hash == -1) {
        ValueRef target = weakref_target(self);
        if (!target) return raise_error(TypeError, "weak object has gone away");
        Value held = retain(target);
        bool done = object_hash(held, hash);
        drop(held);
        if (!done) return false;
        as_weakref(self)->hash = *hash;
    }
    *hash = as_weakref(self)->hash;
    return true;
}

// References to live targets compare as their targets do, dead ones by identity.
static Value weakref_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) || !type_is_subtype(type_of(left), &weakref_type) ||
        !type_is_subtype(type_of(right), &weakref_type))
        return not_implemented();
    ValueRef a = weakref_target(left), b = weakref_target(right);
    if (!a || !b) return from_bool((left == right) == (op == COMPARE_EQ));
    Value held_a = retain(a), held_b = retain(b);
    Value result = object_compare(held_a, held_b, op);
    drop(held_a);
    drop(held_b);
    return result;
}

static Value repr_living(ValueRef self, ValueRef target)
{
    unsigned long long id = (unsigned long long)memory_id(object_of(self));
    unsigned long long target_id = (unsigned long long)memory_id(object_of(target));
    Value name = object_get_optional(target, NAME(__name__));
    if (!name) return VALUE_ERROR;
    Value text = name != ABSENT && str_check(name)
                     ? format_text("<weakref at 0x%llx; to '%T' at 0x%llx (%S)>", id, target,
                                   target_id, (ValueRef)name)
                     : format_text("<weakref at 0x%llx; to '%T' at 0x%llx>", id, target, target_id);
    drop(name);
    return text;
}

static Value weakref_repr(ValueRef self)
{
    ValueRef target = weakref_target(self);
    if (!target)
        return format_text("<weakref at 0x%llx; dead>",
                           (unsigned long long)memory_id(object_of(self)));
    Value held = retain(target);
    Value text = repr_living(self, held);
    drop(held);
    return text;
}

static Value weakref_class_getitem(ValueRef self, METHOD_ARGS)
{
    return generic_alias_new(self, args[0]);
}

static const MethodDef weakref_methods[] = {
    {"__class_getitem__", weakref_class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, "See PEP 585"},
    {0},
};

static const MemberDef weakref_members[] = {
    {"__callback__", MEMBER_VALUE, offsetof(WeakRef, callback), true, NULL},
    {0},
};

Type weakref_type = {
    STATIC_TYPE("weakref", sizeof(WeakRef)),
    .flags = TYPE_BASE | TYPE_GC,
    .methods = weakref_methods,
    .members = weakref_members,
    .new_ = weakref_type_new,
    .init = weakref_init,
    .release = weakref_release,
    .traverse = weakref_traverse,
    .clear = weakref_release,
    .repr = weakref_repr,
    .hash = weakref_hash,
    .compare = weakref_compare,
    .call = weakref_call,
};
