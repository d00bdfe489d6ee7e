// The method resolution order: C3 linearisation, and the mro() of a metaclass.
//
//     class A(B, C)   mro = A + merge(mro of B, mro of C, [B, C])
//
// merge() repeatedly takes the first list head that is in the tail of no list. So each class comes
// before its bases, and bases keep their order. Only the mro() of a metaclass runs script code. It
// may do anything: delete the bases of the class, assign __bases__ again, return a wrong result. If
// the MRO was set meanwhile, it stays and the computed one is dropped.
#include "objects/classes/slots.h"
#include "objects/classes/type_parts.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"

// ---- C3

typedef struct Merge {
    size_t count;
    ValueRef *lists;  // tuples
    ssize_t *remains; // the index of each list's head
} Merge;

static ValueRef merge_head(const Merge *merge, size_t i)
{
    ValueRef list = merge->lists[i];
    return merge->remains[i] < tuple_size(list) ? tuple_at(list, merge->remains[i]) : VALUE_ERROR;
}

static bool in_some_tail(const Merge *merge, ValueRef candidate)
{
    for (size_t i = 0; i < merge->count; i++)
        for (ssize_t j = merge->remains[i] + 1; j < tuple_size(merge->lists[i]); j++)
            if (tuple_at(merge->lists[i], j) == candidate) return true;
    return false;
}

// The next class of the order; VALUE_ERROR = all lists are empty, ABSENT = there is no valid one.
static ValueRef merge_next(const Merge *merge)
{
    bool all_empty = true;
    for (size_t i = 0; i < merge->count; i++) {
        ValueRef candidate = merge_head(merge, i);
        if (!candidate) continue;
        if (!in_some_tail(merge, candidate)) return candidate;
        all_empty = false;
    }
    return all_empty ? VALUE_ERROR : ABSENT;
}

static bool is_earlier_head(const Merge *merge, size_t end, ValueRef head)
{
    for (size_t i = 0; i < end; i++)
        if (merge_head(merge, i) == head) return true;
    return false;
}

static bool append_heads(StrBuilder *builder, const Merge *merge)
{
    const char *separator = " ";
    for (size_t i = 0; i < merge->count; i++) {
        ValueRef head = merge_head(merge, i);
        if (!head || is_earlier_head(merge, i, head)) continue;
        Value name = type_name(as_type(head));
        bool added = name && builder_text(builder, separator) && builder_str(builder, name);
        drop(name);
        if (!added) return false;
        separator = ", ";
    }
    return true;
}

static bool raise_inconsistent(const Merge *merge)
{
    StrBuilder builder;
    builder_begin(&builder);
    if (!append_heads(&builder, merge)) {
        builder_abandon(&builder);
        return false;
    }
    Value names = builder_finish(&builder);
    if (!names) return false;
    raise_error(TypeError, "Cannot create a consistent method resolution\norder (MRO) for bases%S",
                (ValueRef)names);
    drop(names);
    return false;
}

static bool merge_all(const Merge *merge, ValueRef list)
{
    ValueRef next;
    while ((next = merge_next(merge)) && next != ABSENT) {
        if (!list_append(list, next)) return false;
        for (size_t i = 0; i < merge->count; i++)
            if (merge_head(merge, i) == next) merge->remains[i]++;
    }
    return next == ABSENT ? raise_inconsistent(merge) : true;
}

static bool check_bases(ValueRef bases)
{
    for (ssize_t i = 0; i < tuple_size(bases); i++) {
        const Type *base = as_type(tuple_at(bases, i));
        if (!base->mro)
            return raise_error(TypeError, "Cannot extend an incomplete type '%.100s'", base->name);
        for (ssize_t j = i + 1; j < tuple_size(bases); j++) {
            if (tuple_at(bases, j) != ref_of(base)) continue;
            Value name = type_name(base);
            if (name) raise_error(TypeError, "duplicate base class %S", (ValueRef)name);
            drop(name);
            return false;
        }
    }
    return true;
}

static Value merge_bases(const Type *type)
{
    size_t count = (size_t)tuple_size(type->bases);
    ValueRef *lists = memory_alloc((count + 1) * sizeof *lists);
    ssize_t *remains = memory_alloc_zeroed((count + 1) * sizeof *remains);
    Value list = lists && remains ? list_new(0) : raise_memory_error();
    bool merged = list && list_append(list, ref_of(type));
    if (merged) {
        for (size_t i = 0; i < count; i++)
            lists[i] = as_type(tuple_at(type->bases, (ssize_t)i))->mro;
        lists[count] = type->bases;
        merged = merge_all(&(Merge){count + 1, lists, remains}, list);
    }
    memory_free(lists);
    memory_free(remains);
    Value mro = merged ? list_to_tuple(list) : VALUE_ERROR;
    drop(list);
    return mro;
}

Value type_default_mro(const Type *type)
{
    if (!check_bases(type->bases)) return VALUE_ERROR;
    if (tuple_size(type->bases) > 1) return merge_bases(type);
    ssize_t rest = 0;
    ValueRef base_mro = VALUE_ERROR;
    if (tuple_size(type->bases) == 1) {
        base_mro = as_type(tuple_at(type->bases, 0))->mro;
        rest = tuple_size(base_mro);
    }
    Value mro = tuple_new(rest + 1);
    if (!mro) return VALUE_ERROR;
    as_tuple(mro)->items[0] = retain(ref_of(type));
    for (ssize_t i = 0; i < rest; i++) as_tuple(mro)->items[i + 1] = retain(tuple_at(base_mro, i));
    return mro;
}

// ---- mro() of a metaclass

static bool check_mro(const Type *type, ValueRef mro)
{
    const Type *solid = type_solid_base(type);
    for (ssize_t i = 0; i < tuple_size(mro); i++) {
        ValueRef base = tuple_at(mro, i);
        if (!type_check(base))
            return raise_error(TypeError, "mro() returned a non-class ('%.500T')", base);
        if (!type_is_subtype(solid, type_solid_base(as_type(base))))
            return raise_error(TypeError, "mro() returned base with unsuitable layout ('%.500s')",
                               as_type(base)->name);
    }
    return true;
}

static bool has_own_mro_method(const Type *type)
{
    Type *metatype = type->base.type;
    if (metatype == &type_type) return false;
    return type_lookup(metatype, NAME(mro)) != dict_peek(type_type.dict, NAME(mro));
}

static Value call_mro_method(const Type *type)
{
    ValueRef self = ref_of(type);
    Value result = special_call(NAME(mro), &self, 1);
    Value mro = result ? sequence_tuple(result) : VALUE_ERROR;
    drop(result);
    if (mro && !check_mro(type, mro)) drop_slot(&mro);
    return mro;
}

// A change of a class in the MRO that is not among the bases would go unnoticed.
static void note_cachable(Type *type, bool custom)
{
    bool uncached = custom;
    for (ssize_t i = 1; i < tuple_size(type->mro); i++)
        uncached |= (as_type(tuple_at(type->mro, i))->flags & TYPE_UNCACHED) != 0;
    type->flags &= ~(uint32_t)TYPE_UNCACHED;
    if (uncached) type->flags |= TYPE_UNCACHED;
}

bool type_make_mro(Type *type)
{
    bool custom = has_own_mro_method(type);
    Value old = retain(type->mro);
    Value mro = custom ? call_mro_method(type) : type_default_mro(type);
    if (!mro || type->mro != old) {
        drop(old);
        drop(mro);
        return mro != VALUE_ERROR;
    }
    Value previous = type->mro;
    type_modified(type);
    type->mro = mro;
    note_cachable(type, custom);
    drop(previous);
    drop(old);
    return true;
}

// ---- a changed hierarchy

// Records (type, new MRO, old MRO), so that the change can be undone.
static bool remake_one(Type *type, ValueRef changes)
{
    Value old = type->mro ? retain(type->mro) : NONE;
    bool made = type_make_mro(type);
    if (made && type->mro && type->mro != old)
        made = list_append_owned(changes, tuple_pack(3, ref_of(type), (ValueRef)type->mro, old));
    drop(old);
    return made;
}

static bool remake_tree(Type *type, ValueRef changes)
{
    if (!stack_has_room())
        return raise_error(RecursionError, "maximum recursion depth exceeded in computing the MRO");
    bool made = remake_one(type, changes);
    Value subclasses = made ? type_subclasses(type) : VALUE_ERROR;
    made = subclasses;
    for (ssize_t i = 0; made && i < list_size(subclasses); i++)
        made = remake_tree(as_type(list_at(subclasses, i)), changes);
    drop(subclasses);
    return made;
}

// A class whose MRO has changed again meanwhile keeps that one.
static void take_back(ValueRef changes)
{
    for (ssize_t i = list_size(changes) - 1; i >= 0; i--) {
        ValueRef change = list_at(changes, i);
        Type *type = as_type(tuple_at(change, 0));
        ValueRef old = tuple_at(change, 2);
        if (type->mro != tuple_at(change, 1) || old == NONE) continue;
        type_modified(type);
        replace_slot(&type->mro, retain(old));
    }
}

bool type_remake_mros(Type *type)
{
    Value changes = list_new(0);
    if (!changes) return false;
    bool made = remake_tree(type, changes);
    if (!made) take_back(changes);
    drop(changes);
    return made;
}
