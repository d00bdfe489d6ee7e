// Where the instances of a class keep the fields that instances of its bases lack.
//
//     class C: ...                       struct Instance (objects/instance.h): TYPE_INLINE
//     class C(list): ...                 | List | slots | dict | weakrefs |
//     class C(tuple): ...                | weakrefs | dict | GcHead | Tuple | items ...
//
// A class is an Instance if `object` is its only base with fields and it has a __dict__, takes weak
// references and has no __slots__. All others extend the layout of one base, the "best" one: after
// it, or before the GcHead if it has a variable size. The "solid" base of a class is the nearest
// type in its chain of bases that added fields. The solid bases of all other bases must be
// ancestors of the solid base of the best one.
//
// release, traverse and clear of such classes walk up the bases. Each level handles its own fields;
// the functions of the first type written in C come last.
#include "objects/classes/descriptor.h"
#include "objects/classes/type_parts.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/instance.h"
#include "objects/type.h"

// ---- which base counts

// Where a field that is added begins: on 32-bit machines not all types end where a Value may lie.
static size_t aligned(size_t size)
{
    return (size + sizeof(Value) - 1) / sizeof(Value) * sizeof(Value);
}

// The bytes that `type` adds to `base` for __dict__ and __weakref__.
static size_t dict_and_weakrefs(const Type *type, const Type *base)
{
    size_t bytes = 0;
    if (type->dict_offset > 0 && !base->dict_offset) bytes += sizeof(Value);
    if (type->weakref_offset > 0 && !base->weakref_offset) bytes += sizeof(Value);
    return bytes;
}

// Does it have fields that `base` lacks, other than __dict__ and __weakref__?
static bool adds_fields(const Type *type, const Type *base)
{
    if (type->flags & TYPE_INLINE) return false;
    if (!(type->flags & TYPE_HEAP)) {
        // The built-in exceptions are all of one size, whatever they use of it.
        bool own = (type->flags & TYPE_EXCEPTION) && (type->members || type->getset);
        return own || type->size != base->size || type->item_size != base->item_size;
    }
    size_t added = dict_and_weakrefs(type, base);
    return type->members || type->item_size != base->item_size ||
           type->size != (added ? aligned(base->size) + added : base->size);
}

const Type *type_solid_base(const Type *type)
{
    const Type *base = type->base_type ? type_solid_base(type->base_type) : &object_type;
    return adds_fields(type, base) ? type : base;
}

static bool acceptable_base(ValueRef base)
{
    if (!type_check(base)) return raise_error(TypeError, "bases must be types");
    if (!(as_type(base)->flags & (TYPE_READY | TYPE_HEAP)) && !type_ready(as_type(base)))
        return false;
    if (as_type(base)->flags & TYPE_BASE) return true;
    return raise_error(TypeError, "type '%.100s' is not an acceptable base type",
                       as_type(base)->name);
}

Type *type_best_base(ValueRef bases)
{
    Type *best = NULL;
    const Type *winner = NULL;
    for (ssize_t i = 0; i < tuple_size(bases); i++) {
        ValueRef base = tuple_at(bases, i);
        if (!acceptable_base(base)) return NULL;
        const Type *candidate = type_solid_base(as_type(base));
        if (!winner || (winner != candidate && type_is_subtype(candidate, winner))) {
            winner = candidate;
            best = as_type(base);
        } else if (!type_is_subtype(winner, candidate)) {
            raise_error(TypeError, "multiple bases have instance lay-out conflict");
            return NULL;
        }
    }
    return best;
}

// ---- may one stand for the other?

static bool same_offsets(const Type *a, const Type *b)
{
    const uint32_t flags = TYPE_GC | TYPE_INLINE;
    return a->size == b->size && a->item_size == b->item_size && a->front == b->front &&
           a->dict_offset == b->dict_offset && a->weakref_offset == b->weakref_offset &&
           (a->flags & flags) == (b->flags & flags);
}

static bool is_laid_out_as_base(const Type *type)
{
    return type->base_type && (type->flags & TYPE_HEAP) && !type->members &&
           same_offsets(type, type->base_type);
}

static bool same_members(const MemberDef *a, const MemberDef *b)
{
    if (!a || !b) return a == b;
    for (; a->name && b->name; a++, b++)
        if (strcmp(a->name, b->name) != 0) return false;
    return !a->name && !b->name;
}

static bool add_the_same(const Type *a, const Type *b)
{
    return a->base_type == b->base_type && (a->flags & b->flags & TYPE_HEAP) &&
           same_offsets(a, b) && same_members(a->members, b->members);
}

bool type_layouts_agree(const Type *old_type, const Type *new_type, const char *attribute)
{
    if ((old_type->flags & TYPE_GC) != (new_type->flags & TYPE_GC))
        return raise_error(TypeError, "%s assignment: '%s' deallocator differs from '%s'",
                           attribute, new_type->name, old_type->name);
    const Type *new_base = new_type, *old_base = old_type;
    while (is_laid_out_as_base(new_base)) new_base = new_base->base_type;
    while (is_laid_out_as_base(old_base)) old_base = old_base->base_type;
    if (new_base == old_base || add_the_same(new_base, old_base)) return true;
    return raise_error(TypeError, "%s assignment: '%s' object layout differs from '%s'", attribute,
                       new_type->name, old_type->name);
}

// ---- the life of instances

static Value *field_at(Object *object, ssize_t offset)
{
    return (Value *)(void *)((char *)object + offset);
}

static bool owns_dict(const Type *type)
{
    return type->dict_offset && !type->base_type->dict_offset;
}

static void extended_traverse(Object *object, VisitFn visit, void *arg);

// Calls `action` for each field that a class of this kind added; returns the first type above that
// is of another kind.
static const Type *each_field(Object *object,
                              void (*action)(Value *field, VisitFn visit, void *arg), VisitFn visit,
                              void *arg)
{
    const Type *type = object->type;
    for (; type->traverse == extended_traverse; type = type->base_type) {
        for (const MemberDef *member = type->members; member && member->name; member++)
            action(field_at(object, (ssize_t)member->offset), visit, arg);
        if (owns_dict(type)) action(field_at(object, type->dict_offset), visit, arg);
    }
    return type;
}

static void visit_field(Value *field, VisitFn visit, void *arg)
{
    if (*field) visit(*field, arg);
}

static void drop_field(Value *field, VisitFn visit, void *arg)
{
    (void)visit, (void)arg;
    drop_slot(field);
}

static void extended_traverse(Object *object, VisitFn visit, void *arg)
{
    const Type *base = each_field(object, visit_field, visit, arg);
    if (base->traverse) base->traverse(object, visit, arg);
}

static void extended_clear(Object *object)
{
    const Type *base = each_field(object, drop_field, NULL, NULL);
    if (base->clear) base->clear(object);
}

static void extended_release(Object *object)
{
    const Type *base = each_field(object, drop_field, NULL, NULL);
    if (base->release) base->release(object);
}

// ---- the layout of a class

static bool is_variable(const Type *type)
{
    return type->item_size || type->front || (type->flags & TYPE_STR);
}

static bool becomes_inline(const Type *base, bool add_dict, bool add_weakrefs, size_t slot_count)
{
    if (slot_count) return false;
    if (base->flags & TYPE_INLINE) return true;
    return add_dict && add_weakrefs && base->size == object_type.size && !base->item_size;
}

static void lay_out_inline(Type *type)
{
    type->flags |= TYPE_INLINE | TYPE_GC;
    type->size = sizeof(Instance);
    type->dict_offset = offsetof(Instance, dict);
    type->weakref_offset = offsetof(Instance, weakrefs);
    type->traverse = instance_traverse;
    type->clear = instance_clear;
    type->release = instance_release;
}

// The offset of the next field.
static ssize_t next_offset(Type *type, bool in_front)
{
    if (in_front) {
        type->front += sizeof(Value);
        return -(ssize_t)(sizeof(GcHead) + type->front);
    }
    size_t offset = aligned(type->size);
    type->size = offset + sizeof(Value);
    return (ssize_t)offset;
}

static void lay_out_apart(Type *type, bool add_dict, bool add_weakrefs, size_t slot_count)
{
    bool in_front = is_variable(type->base_type);
    MemberDef *members = (MemberDef *)(uintptr_t)type->members;
    for (size_t i = 0; i < slot_count; i++) members[i].offset = (size_t)next_offset(type, in_front);
    if (add_dict) type->dict_offset = next_offset(type, in_front);
    if (add_weakrefs) type->weakref_offset = next_offset(type, in_front);
    type->front = (type->front + 15) / 16 * 16; // blocks are aligned to 16
    type->flags |= TYPE_GC;                     // an instance refers at least to its class
    type->traverse = extended_traverse;
    type->clear = extended_clear;
    type->release = extended_release;
}

void type_extend_layout(Type *type, bool add_dict, bool add_weakrefs, size_t slot_count)
{
    const Type *base = type->base_type;
    type->size = base->size;
    type->item_size = base->item_size;
    type->front = base->front;
    type->dict_offset = base->dict_offset;
    type->weakref_offset = base->weakref_offset;
    if (becomes_inline(base, add_dict, add_weakrefs, slot_count))
        lay_out_inline(type);
    else
        lay_out_apart(type, add_dict, add_weakrefs, slot_count);
}
