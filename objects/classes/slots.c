// The table of slots. It keeps the fields of a Type in step with the dict of the type.
//
// A static type sets fields, and its dict gets a wrapper for each (slots_add_wrappers). A class
// written in script has methods in its dict, and its fields are derived from them (fill_field). For
// each field, the names that serve it are looked up along the MRO. The field becomes
//
//     the C function itself   if all the names lead to wrappers of one and the same C function
//     the slot function       if some name leads to anything else; it will call the method
//     NULL                    if no name is found
//
// so a class that only inherits costs nothing at run time. A method of a static type may be no
// wrapper (list.__getitem__ is in a method table); it counts as the type's own field. Nothing here
// runs script code.
#include "objects/classes/slots.h"

#include "objects/classes/method.h"
#include "objects/classes/type_parts.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

// ---- the table

#define DOC(name, signature, text) #name "(" signature ")\n--\n\n" text
#define SLOT(name, field, slot, wrapper, signature, doc)                                           \
    {#name,        NAME_INDEX_##name, offsetof(Type, field),                                       \
     (SlotFn)slot, wrapper,           DOC(name, signature, doc)},
#define SLOT_ONLY(name, field, slot)                                                               \
    {#name, NAME_INDEX_##name, offsetof(Type, field), (SlotFn)slot, NULL, NULL},
#define WRAPPER_ONLY(name, field, wrapper, signature, doc)                                         \
    {#name, NAME_INDEX_##name, offsetof(Type, field), NULL, wrapper, DOC(name, signature, doc)},
#define UNARY(name, field, doc) SLOT(name, field, slot_##field, wrap_unary, "$self, /", doc)
#define BINARY(name, reflected, field, doc, reflected_doc)                                         \
    SLOT(name, field, slot_##field, wrap_binary, "$self, value, /", "Return " doc ".")             \
    SLOT(reflected, field, slot_##field, wrap_binary_reflected, "$self, value, /",                 \
         "Return " reflected_doc ".")
#define INPLACE(name, field, doc)                                                                  \
    SLOT(name, field, slot_##field, wrap_binary, "$self, value, /", "Return " doc ".")

const SlotDef slot_defs[] = {
#include "objects/classes/slots.def"
    {0},
};

#define SLOT_ROWS (sizeof slot_defs / sizeof *slot_defs - 1)

static ValueRef slot_name(const SlotDef *def)
{
    return name_table[def->index];
}

// ---- rows by their names

// The rows whose names' hashes end in the same bits hang in a chain, as the table has them. (Names
// hash the same in every run.)
#define CHAINS 128
static uint8_t chain_first[CHAINS], chain_next[SLOT_ROWS]; // row + 1, 0 = no more
_Static_assert(SLOT_ROWS < UINT8_MAX, "a row's number has a byte");

static void link_rows(void)
{
    for (size_t row = SLOT_ROWS; row-- > 0;) {
        uint8_t *first = &chain_first[str_hash(slot_name(&slot_defs[row])) & (CHAINS - 1)];
        chain_next[row] = *first;
        *first = (uint8_t)(row + 1);
    }
}

// From the row of that number on; NULL: none has the name.
static const SlotDef *row_named(unsigned row, ValueRef name)
{
    bool by_address = as_str(name)->interned;
    for (; row; row = chain_next[row - 1]) {
        const SlotDef *def = &slot_defs[row - 1];
        if (slot_name(def) == name || (!by_address && str_equal(slot_name(def), name))) return def;
    }
    return NULL;
}

static const SlotDef *first_row(ValueRef name)
{
    static bool linked;
    if (!linked) link_rows();
    linked = true;
    return row_named(chain_first[str_hash(name) & (CHAINS - 1)], name);
}

// The next one of the same name.
static const SlotDef *next_row(const SlotDef *def)
{
    return row_named(chain_next[def - slot_defs], slot_name(def));
}

// ---- static types

static bool add_wrapper(Type *type, const SlotDef *def)
{
    SlotFn slot = slot_get_field(type, def->offset);
    if (!slot || !def->wrap || dict_peek(type->dict, slot_name(def))) return true;
    if (slot == (SlotFn)object_hash_unhashable) return dict_set(type->dict, slot_name(def), NONE);
    return dict_set_owned(type->dict, slot_name(def), wrapper_descriptor_new(type, def, slot));
}

bool slots_add_wrappers(Type *type)
{
    for (const SlotDef *def = slot_defs; def->name; def++)
        if (!add_wrapper(type, def)) return false;
    if (!type->new_) return true;
    return dict_set_owned(type->dict, NAME(__new__), new_wrapper_create(type));
}

// The first of the fields that are inherited one by one; those before it are about the life of
// objects.
#define FIRST_FIELD offsetof(Type, repr)

// compare and hash are inherited together: a type that defines one does not inherit the other.
void slots_inherit(Type *type, const Type *base)
{
    bool own = type->compare || type->hash || dict_peek(type->dict, NAME(__eq__)) ||
               dict_peek(type->dict, NAME(__hash__));
    CompareFn compare = type->compare;
    HashFn hash = type->hash;
    if (!type->get && !(type->flags & TYPE_HEAP)) type->flags |= base->flags & TYPE_METHOD;
    for (size_t at = FIRST_FIELD; at < sizeof(Type); at += sizeof(SlotFn))
        if (!slot_get_field(type, at)) slot_set_field(type, at, slot_get_field(base, at));
    if (!own) return;
    type->compare = compare;
    type->hash = hash;
}

// ---- classes

// What the names of one field, looked up so far, have led to.
typedef struct Choice {
    SlotFn generic, specific;
    bool use_generic;
} Choice;

// Two fields may serve one name (__getitem__): false if only the other one is filled.
static bool may_be_generic(const Type *type, const SlotDef *def)
{
    const SlotDef *filled = NULL;
    for (const SlotDef *other = first_row(slot_name(def)); other; other = next_row(other)) {
        if (!slot_get_field(type, other->offset)) continue;
        if (filled && filled->offset != other->offset) return true;
        filled = other;
    }
    return !filled || filled->offset == def->offset;
}

static void choose_c_function(Choice *choice, SlotFn function)
{
    if (!choice->specific || choice->specific == function)
        choice->specific = function;
    else
        choice->use_generic = true;
}

static void choose_wrapper(const Type *type, const SlotDef *def, const SlotWrapper *wrapper,
                           Choice *choice)
{
    if (may_be_generic(type, def)) choice->generic = def->function;
    if (wrapper->def->offset == def->offset && type_is_subtype(type, wrapper->owner))
        choose_c_function(choice, wrapper->slot);
    else
        choice->use_generic = true;
}

// Is it in the method table of a static base under this name? Then the field of that base does the
// same.
static bool is_method_of_base(const Type *type, const SlotDef *def, ValueRef found)
{
    if (!is_exactly(found, &method_descriptor_type)) return false;
    const MethodDescriptor *method = as_method_descriptor(found);
    return strcmp(method->def->name, def->name) == 0 && type_is_subtype(type, method->owner);
}

static void choose(const Type *type, const SlotDef *def, Choice *choice)
{
    ValueRef found = type_find(type, slot_name(def));
    if (!found) return;
    if (is_exactly(found, &wrapper_descriptor_type) &&
        ((const SlotWrapper *)object_of(found))->def->index == def->index) {
        choose_wrapper(type, def, (const SlotWrapper *)object_of(found), choice);
    } else if (def->offset == offsetof(Type, new_) && is_new_wrapper(found)) {
        choice->specific = (SlotFn)type->new_;
    } else if (found == NONE && def->offset == offsetof(Type, hash)) {
        choice->specific = (SlotFn)object_hash_unhashable;
    } else if (is_method_of_base(type, def, found)) {
        SlotFn field = slot_get_field(as_method_descriptor(found)->owner, def->offset);
        if (field) choose_c_function(choice, field);
        choice->generic = def->function;
    } else {
        choice->use_generic = true;
        choice->generic = def->function;
    }
}

// The MRO of a metaclass may lack `object`, but some fields are called without a test for NULL.
static void complete(Type *type)
{
    if (!type->getattribute) type->getattribute = object_type.getattribute;
    if (!type->setattr) type->setattr = object_type.setattr;
    if (!type->repr) type->repr = object_type.repr;
    if (!type->str) type->str = object_type.str;
    if (!type->hash) type->hash = object_hash_unhashable;
    type->flags &= ~(uint32_t)TYPE_HAS_DEL;
    if (type->finalize) type->flags |= TYPE_HAS_DEL;
}

// Fills one field; returns the first row of the next.
static const SlotDef *fill_field(Type *type, const SlotDef *def)
{
    Choice choice = {0};
    size_t offset = def->offset;
    for (; def->name && def->offset == offset; def++) choose(type, def, &choice);
    slot_set_field(type, offset, choice.use_generic ? choice.generic : choice.specific);
    return def;
}

static const SlotDef *field_start(const SlotDef *def)
{
    while (def > slot_defs && def[-1].offset == def->offset) def--;
    return def;
}

// The fields that the name serves; false where it serves none.
static bool fill_named(Type *type, ValueRef name)
{
    const SlotDef *first = first_row(name);
    for (const SlotDef *def = first; def; def = next_row(def)) fill_field(type, field_start(def));
    return first;
}

// What the names in the class, or in one of its bases, may make of the fields.
static void fill_names_of(Type *type, ValueRef dict)
{
    ssize_t position = 0;
    ValueRef name, value;
    while (dict && dict_next(dict, &position, &name, &value))
        if (str_check_exact(name) && str_at(as_str(name), 0) == '_') fill_named(type, name);
}

static void copy_fields(Type *type, const Type *from)
{
    memcpy((char *)type + FIRST_FIELD, (const char *)from + FIRST_FIELD,
           sizeof(Type) - FIRST_FIELD);
    type->init = from->init;
    type->finalize = from->finalize;
}

// With one base, only the names in the class itself can make a difference to that.
static void fill_like_base(Type *type, const Type *base)
{
    copy_fields(type, base);
    type->new_ = base->new_;
    fill_names_of(type, type->dict);
}

// Are all classes of the MRO, but for `object` at its end, written in script?
static bool is_of_scripts(const Type *type)
{
    ssize_t last = tuple_size(type->mro) - 1;
    for (ssize_t i = 0; i < last; i++)
        if (!(as_type(tuple_at(type->mro, i))->flags & TYPE_HEAP)) return false;
    return last >= 0 && as_type(tuple_at(type->mro, last)) == &object_type;
}

// Then a field that none of them names is that of `object`.
static void fill_by_names(Type *type)
{
    copy_fields(type, &object_type);
    type->new_ = type->base_type->new_;
    for (ssize_t i = tuple_size(type->mro) - 2; i >= 0; i--)
        fill_names_of(type, as_type(tuple_at(type->mro, i))->dict);
}

static void fill_by_mro(Type *type)
{
    type->new_ = type->base_type->new_;
    for (ssize_t i = 1; i < tuple_size(type->mro); i++)
        slots_inherit(type, as_type(tuple_at(type->mro, i)));
    for (const SlotDef *def = slot_defs; def->name;) def = fill_field(type, def);
}

void slots_fill(Type *type)
{
    const Type *base = type->base_type;
    bool simple = base->mro && tuple_size(type->bases) == 1 && !(type->flags & TYPE_UNCACHED) &&
                  tuple_size(type->mro) == tuple_size(base->mro) + 1;
    if (simple)
        fill_like_base(type, base);
    else if (is_of_scripts(type))
        fill_by_names(type);
    else
        fill_by_mro(type);
    complete(type);
}

// Subclasses with their own attribute of this name do not inherit the change. A loop may be running
// on an iterator that loses its __next__: the field then keeps a function that raises the error.
void slots_update(Type *type, ValueRef name)
{
    bool was_iterator = type->next;
    if (!fill_named(type, name)) return;
    complete(type);
    if (was_iterator && !type->next) type->next = slot_next;
    ssize_t position = 0;
    Type *subclass;
    while (type_next_subclass(type, &position, &subclass))
        if (subclass->dict && !dict_peek(subclass->dict, name)) slots_update(subclass, name);
}

void slots_update_all(Type *type)
{
    for (const SlotDef *def = slot_defs; def->name; def++) slots_update(type, slot_name(def));
}
