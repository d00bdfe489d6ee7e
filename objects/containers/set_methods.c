// The types set and frozenset: slots, methods, and their iterator.
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/set_operations.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/type.h"

// ---- life

static Value set_new_(Type *type, METHOD_ARGS)
{
    return set_new_of_type(type, 0);
}

static bool set_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!args_no_keywords("set", kwnames)) return false;
    if (!args_check(type_of(self)->name, nargs, 0, 0, 1)) return false;
    set_clear(self);
    as_set(self)->hash = -1;
    return nargs == 0 || set_update(self, args[0]);
}

static Value frozenset_new_(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (type == &frozenset_type && !args_no_keywords("frozenset", kwnames)) return VALUE_ERROR;
    if (!args_check(type->name, nargs, 0, 0, 1)) return VALUE_ERROR;
    ValueRef iterable = nargs ? args[0] : 0;
    return type == &frozenset_type ? frozenset_new(iterable) : set_new_of_type(type, iterable);
}

static void release(Object *self)
{
    set_clear(ref_of(self));
}

static void traverse(Object *self, VisitFn visit, void *arg)
{
    invariant(((const Set *)self)->used <= ((const Set *)self)->fill,
              "a set that the collector sees is whole");
    ssize_t position = 0;
    ValueRef item;
    while (set_next(ref_of(self), &position, &item)) visit_item(item, visit, arg);
}

// ---- basics

static Value text_of(ValueRef self)
{
    if (set_size(self) == 0) return format_text("%T()", self);
    Value list = sequence_list(self);
    Value text = list ? object_repr(list) : VALUE_ERROR;
    drop(list);
    if (!text) return VALUE_ERROR;
    Value inside = str_substring(text, 1, str_length(text) - 1);
    drop(text);
    if (!inside) return VALUE_ERROR;
    bool plain = is_exactly(self, &set_type);
    Value result = plain ? format_text("{%S}", inside) : format_text("%T({%S})", self, inside);
    drop(inside);
    return result;
}

static Value repr(ValueRef self)
{
    bool shown = false;
    if (!repr_enter(self, &shown)) return VALUE_ERROR;
    if (shown) return format_text("%T(...)", self);
    Value text = text_of(self);
    repr_leave(self);
    return text;
}

static uint64_t shuffle(uint64_t hash)
{
    return ((hash ^ 89869747u) ^ (hash << 16)) * 3644798167u;
}

// Does not depend on the order: combines the shuffled hashes of all items by exclusive or.
static bool frozenset_hash(ValueRef self, int64_t *result)
{
    Set *set = as_set(self);
    if (set->hash == -1) {
        uint64_t hash = 0;
        for (const SetEntry *entry = set->table; entry <= set->table + set->mask; entry++)
            if (set_entry_is_active(entry)) hash ^= shuffle((uint64_t)entry->hash);
        hash ^= ((uint64_t)set->used + 1) * 1927868237u;
        hash ^= (hash >> 11) ^ (hash >> 25);
        hash = hash * 69069u + 907133923u;
        set->hash = hash == (uint64_t)-1 ? 590923713 : (int64_t)hash;
    }
    *result = set->hash;
    return true;
}

static Value compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!set_check(right)) return NOT_IMPLEMENTED;
    ssize_t ours = set_size(left), theirs = set_size(right);
    int64_t our_hash = as_set(left)->hash, their_hash = as_set(right)->hash;
    bool result = false, ok = true;
    switch (op) {
    case COMPARE_EQ:
    case COMPARE_NE:
        if (ours == theirs && (our_hash == -1 || their_hash == -1 || our_hash == their_hash))
            ok = set_is_subset(left, right, &result);
        if (op == COMPARE_NE) result = !result;
        break;
    case COMPARE_LE: ok = set_is_subset(left, right, &result); break;
    case COMPARE_GE: ok = set_is_superset(left, right, &result); break;
    case COMPARE_LT:
        if (ours < theirs) ok = set_is_subset(left, right, &result);
        break;
    case COMPARE_GT:
        if (ours > theirs) ok = set_is_superset(left, right, &result);
        break;
    }
    return ok ? from_bool(result) : VALUE_ERROR;
}

static bool length(ValueRef self, ssize_t *size)
{
    *size = set_size(self);
    return true;
}

// ---- operators

static Value or_(ValueRef left, ValueRef right)
{
    if (!set_check(left) || !set_check(right)) return NOT_IMPLEMENTED;
    Value result = set_copy(left);
    if (!result || left == right || set_update(result, right)) return result;
    drop(result);
    return VALUE_ERROR;
}

static Value and_(ValueRef left, ValueRef right)
{
    if (!set_check(left) || !set_check(right)) return NOT_IMPLEMENTED;
    return set_intersection(left, right);
}

static Value subtract(ValueRef left, ValueRef right)
{
    if (!set_check(left) || !set_check(right)) return NOT_IMPLEMENTED;
    return set_difference(left, right);
}

static Value xor_(ValueRef left, ValueRef right)
{
    if (!set_check(left) || !set_check(right)) return NOT_IMPLEMENTED;
    return set_symmetric_difference(left, right);
}

static Value inplace_or(ValueRef self, ValueRef other)
{
    if (!set_check(other)) return NOT_IMPLEMENTED;
    return set_update(self, other) ? retain(self) : VALUE_ERROR;
}

// Moves the items of an owned result into the set (VALUE_ERROR = failed).
static bool become(ValueRef self, Value result)
{
    if (result) set_exchange(self, result);
    drop(result);
    return result;
}

static Value inplace_and(ValueRef self, ValueRef other)
{
    if (!set_check(other)) return NOT_IMPLEMENTED;
    return become(self, set_intersection(self, other)) ? retain(self) : VALUE_ERROR;
}

static Value inplace_subtract(ValueRef self, ValueRef other)
{
    if (!set_check(other)) return NOT_IMPLEMENTED;
    return set_difference_update(self, other) ? retain(self) : VALUE_ERROR;
}

static Value inplace_xor(ValueRef self, ValueRef other)
{
    if (!set_check(other)) return NOT_IMPLEMENTED;
    return set_symmetric_difference_update(self, other) ? retain(self) : VALUE_ERROR;
}

// ---- methods of both

static Value copy(ValueRef self, METHOD_ARGS)
{
    return is_exactly(self, &frozenset_type) ? retain(self) : set_copy(self);
}

static Value union_(ValueRef self, METHOD_ARGS)
{
    Value result = set_copy(self);
    for (size_t i = 0; result && i < nargs; i++) {
        if (args[i] == self || set_update(result, args[i])) continue;
        drop(result);
        return VALUE_ERROR;
    }
    return result;
}

static Value intersection(ValueRef self, METHOD_ARGS)
{
    if (nargs == 0) return set_copy(self);
    Value result = retain(self);
    for (size_t i = 0; result && i < nargs; i++)
        replace_slot(&result, set_intersection(result, args[i]));
    return result;
}

static Value difference(ValueRef self, METHOD_ARGS)
{
    if (nargs == 0) return set_copy(self);
    Value result = set_difference(self, args[0]);
    for (size_t i = 1; result && i < nargs; i++) {
        if (set_difference_update(result, args[i])) continue;
        drop(result);
        return VALUE_ERROR;
    }
    return result;
}

static Value symmetric_difference(ValueRef self, METHOD_ARGS)
{
    return set_symmetric_difference(self, args[0]);
}

static Value isdisjoint(ValueRef self, METHOD_ARGS)
{
    bool result;
    return set_is_disjoint(self, args[0], &result) ? from_bool(result) : VALUE_ERROR;
}

static Value issubset(ValueRef self, METHOD_ARGS)
{
    bool result;
    return set_is_subset(self, args[0], &result) ? from_bool(result) : VALUE_ERROR;
}

static Value issuperset(ValueRef self, METHOD_ARGS)
{
    bool result;
    return set_is_superset(self, args[0], &result) ? from_bool(result) : VALUE_ERROR;
}

static Value contains_method(ValueRef self, METHOD_ARGS)
{
    bool found;
    return set_contains(self, args[0], &found) ? from_bool(found) : VALUE_ERROR;
}

// (type, ([items],), __dict__ or None)
static Value reduce(ValueRef self, METHOD_ARGS)
{
    Value list = sequence_list(self);
    Value arguments = list ? tuple_pack(1, (ValueRef)list) : VALUE_ERROR;
    Value dict = arguments ? object_get_optional(self, NAME(__dict__)) : VALUE_ERROR;
    if (dict == ABSENT) dict = NONE;
    Value result = VALUE_ERROR;
    if (dict) result = tuple_pack(3, ref_of(type_of(self)), (ValueRef)arguments, (ValueRef)dict);
    drop(dict);
    drop(arguments);
    drop(list);
    return result;
}

static Value size_of(ValueRef self, METHOD_ARGS)
{
    const Set *set = as_set(self);
    size_t bytes = 200 + type_of(self)->size - sizeof(Set);
    if (set->table != set->small) bytes += (set->mask + 1) * sizeof(SetEntry);
    return from_small((int64_t)bytes);
}

// ---- methods of set

static Value add(ValueRef self, METHOD_ARGS)
{
    return set_add(self, args[0]) ? NONE : VALUE_ERROR;
}

static Value clear(ValueRef self, METHOD_ARGS)
{
    set_clear(self);
    return NONE;
}

static Value discard(ValueRef self, METHOD_ARGS)
{
    bool found;
    return set_discard(self, args[0], &found) ? NONE : VALUE_ERROR;
}

static Value remove_item(ValueRef self, METHOD_ARGS)
{
    bool found;
    if (!set_discard(self, args[0], &found)) return VALUE_ERROR;
    return found ? NONE : raise_key_error(args[0]);
}

static Value pop(ValueRef self, METHOD_ARGS)
{
    return set_pop_any(self);
}

static Value update(ValueRef self, METHOD_ARGS)
{
    for (size_t i = 0; i < nargs; i++)
        if (!set_update(self, args[i])) return VALUE_ERROR;
    return NONE;
}

static Value intersection_update(ValueRef self, METHOD_ARGS)
{
    return become(self, intersection(self, args, nargs, kwnames)) ? NONE : VALUE_ERROR;
}

static Value difference_update(ValueRef self, METHOD_ARGS)
{
    for (size_t i = 0; i < nargs; i++)
        if (!set_difference_update(self, args[i])) return VALUE_ERROR;
    return NONE;
}

static Value symmetric_difference_update(ValueRef self, METHOD_ARGS)
{
    return set_symmetric_difference_update(self, args[0]) ? NONE : VALUE_ERROR;
}

static const MethodDef set_methods[] = {
    {"add", add, ONE_ARG, NULL},
    {"clear", clear, NO_ARGS, NULL},
    {"__contains__", contains_method, METHOD_ONE, METHOD_COEXIST, 1, 1, NULL},
    {"copy", copy, NO_ARGS, NULL},
    {"discard", discard, ONE_ARG, NULL},
    {"difference", difference, UNPACKED_ARGS(0, -1), NULL},
    {"difference_update", difference_update, UNPACKED_ARGS(0, -1), NULL},
    {"intersection", intersection, UNPACKED_ARGS(0, -1), NULL},
    {"intersection_update", intersection_update, UNPACKED_ARGS(0, -1), NULL},
    {"isdisjoint", isdisjoint, ONE_ARG, NULL},
    {"issubset", issubset, ONE_ARG, NULL},
    {"issuperset", issuperset, ONE_ARG, NULL},
    {"pop", pop, NO_ARGS, NULL},
    {"__reduce__", reduce, NO_ARGS, NULL},
    {"remove", remove_item, ONE_ARG, NULL},
    {"__sizeof__", size_of, NO_ARGS, NULL},
    {"symmetric_difference", symmetric_difference, ONE_ARG, NULL},
    {"symmetric_difference_update", symmetric_difference_update, ONE_ARG, NULL},
    {"union", union_, UNPACKED_ARGS(0, -1), NULL},
    {"update", update, UNPACKED_ARGS(0, -1), NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

static const MethodDef frozenset_methods[] = {
    {"__contains__", contains_method, METHOD_ONE, METHOD_COEXIST, 1, 1, NULL},
    {"copy", copy, NO_ARGS, NULL},
    {"difference", difference, UNPACKED_ARGS(0, -1), NULL},
    {"intersection", intersection, UNPACKED_ARGS(0, -1), NULL},
    {"isdisjoint", isdisjoint, ONE_ARG, NULL},
    {"issubset", issubset, ONE_ARG, NULL},
    {"issuperset", issuperset, ONE_ARG, NULL},
    {"__reduce__", reduce, NO_ARGS, NULL},
    {"__sizeof__", size_of, NO_ARGS, NULL},
    {"symmetric_difference", symmetric_difference, ONE_ARG, NULL},
    {"union", union_, UNPACKED_ARGS(0, -1), NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

// ---- the iterator

typedef struct SetIterator {
    Object base;
    Value set;    // VALUE_ERROR = at its end
    ssize_t used; // of the set at the start, -1 = given up
    ssize_t position;
    ssize_t left;
} SetIterator;

static Value iter(ValueRef self)
{
    SetIterator *iterator = object_alloc(&set_iterator_type, 0);
    if (!iterator) return VALUE_ERROR;
    iterator->set = retain(self);
    iterator->used = iterator->left = set_size(self);
    return own(iterator);
}

static void iterator_release(Object *self)
{
    drop_slot(&((SetIterator *)self)->set);
}

static void iterator_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((SetIterator *)self)->set, visit, arg);
}

static Value iterator_next(ValueRef self)
{
    SetIterator *iterator = (SetIterator *)object_of(self);
    ValueRef item;
    if (!iterator->set) return ABSENT;
    if (iterator->used != set_size(iterator->set)) {
        iterator->used = -1;
        return raise_error(RuntimeError, "Set changed size during iteration");
    }
    if (set_next(iterator->set, &iterator->position, &item)) {
        iterator->left--;
        return retain(item);
    }
    drop_slot(&iterator->set);
    return ABSENT;
}

static Value iterator_hint(ValueRef self, METHOD_ARGS)
{
    const SetIterator *iterator = (const SetIterator *)object_of(self);
    bool intact = iterator->set && iterator->used == set_size(iterator->set);
    return from_small(intact ? iterator->left : 0);
}

static Value iterator_reduce(ValueRef self, METHOD_ARGS)
{
    const SetIterator *from = (const SetIterator *)object_of(self);
    SetIterator *copied = object_alloc(&set_iterator_type, 0);
    if (!copied) return VALUE_ERROR;
    copied->set = retain(from->set);
    copied->used = from->used;
    copied->position = from->position;
    copied->left = from->left;
    Value list = sequence_list(ref_of(copied));
    drop(own(copied));
    return reduce_to_iter(list);
}

static const MethodDef iterator_methods[] = {
    {"__length_hint__", iterator_hint, NO_ARGS, NULL},
    {"__reduce__", iterator_reduce, NO_ARGS, NULL},
    {0},
};

Type set_iterator_type = {
    STATIC_TYPE("set_iterator", sizeof(SetIterator)),
    .getattribute = object_generic_get,
    .flags = TYPE_GC,
    .methods = iterator_methods,
    .release = iterator_release,
    .traverse = iterator_traverse,
    .iter = iterator_self,
    .next = iterator_next,
};

// ---- the types

#define SLOTS_OF_BOTH                                                                              \
    .flags = TYPE_BASE | TYPE_GC, .weakref_offset = offsetof(Set, weakrefs), .release = release,   \
    .traverse = traverse, .clear = release, .repr = repr, .compare = compare, .iter = iter,        \
    .length = length, .contains = set_contains, .subtract = subtract, .and_ = and_, .xor_ = xor_,  \
    .or_ = or_

Type set_type = {
    STATIC_TYPE("set", sizeof(Set)),
    .getattribute = object_generic_get,
    SLOTS_OF_BOTH,
    .methods = set_methods,
    .new_ = set_new_,
    .init = set_init,
    .hash = object_hash_unhashable,
    .inplace_subtract = inplace_subtract,
    .inplace_and = inplace_and,
    .inplace_xor = inplace_xor,
    .inplace_or = inplace_or,
};

Type frozenset_type = {
    STATIC_TYPE("frozenset", sizeof(Set)),
    .getattribute = object_generic_get,
    SLOTS_OF_BOTH,
    .methods = frozenset_methods,
    .new_ = frozenset_new_,
    .hash = frozenset_hash,
};
