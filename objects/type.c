// Types: looking up in them, their versions, and making the static ones ready.
//
// A lookup goes through the dicts of the types in the MRO. One table caches the results for all
// types, by (version, name). An entry with the version of the type is valid, because every change
// of a type clears its version and that of all its subclasses, and a version is never used twice.
//
//     type_lookups[hash(version, name)]  | version | key | name (owned) | result (borrowed)
//
// A type has a version only if all its bases have one. So type_modified() may stop at a type that
// has none. `subclasses` maps the address of each direct subclass to the subclass itself if it is
// static, or to a weak reference if it is a class.
#include "objects/type.h"

#include "objects/classes/method.h"
#include "objects/classes/slots.h"
#include "objects/classes/type_parts.h"
#include "objects/classes/weakref.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/instance.h"
#include "objects/operators.h"
#include "objects/text/str.h"

Lookup type_lookups[LOOKUPS];
static uint32_t last_version;

static bool type_is_sound(const Type *type)
{
    invariant(tuple_check(type->mro) && tuple_check(type->bases), "a type has an MRO and bases");
    invariant(tuple_at(type->mro, 0) == ref_of(type), "a type comes first in its own MRO");
    invariant(tuple_at(type->mro, tuple_size(type->mro) - 1) == ref_of(&object_type),
              "object comes last in every MRO");
    invariant(!type->base_type || type->size >= type->base_type->size || type->base_type->item_size,
              "an instance begins with all fields of its base");
    invariant(!(type->flags & TYPE_GC) || type->traverse, "what is tracked can be traversed");
    invariant(!type->base_type || !(type->base_type->flags & BUILT_IN_FLAGS & ~type->flags),
              "a type is of the built-in types of which its base is");
    invariant(!(type->flags & TYPE_LEAF) || !(type->flags & (TYPE_GC | TYPE_HEAP)),
              "instances of a class may refer to anything, so it is no leaf");
    return true;
}

// ---- subtypes

static bool base_chain_has(const Type *type, const Type *base)
{
    for (; type; type = type->base_type)
        if (type == base) return true;
    return base == &object_type;
}

bool type_is_subtype(const Type *type, const Type *base)
{
    if (!type->mro) return base_chain_has(type, base);
    const Tuple *mro = as_tuple(type->mro);
    for (ssize_t i = 0; i < mro->size; i++)
        if (object_of(mro->items[i]) == &base->base) return true;
    return false;
}

static Value subclass_key(const Type *type)
{
    return from_small((int64_t)(uintptr_t)type);
}

bool type_add_subclass(Type *base, Type *type)
{
    if (!base->subclasses && !(base->subclasses = dict_new())) return false;
    bool heap = type->flags & TYPE_HEAP;
    Value entry = heap ? weakref_new(ref_of(type), VALUE_ERROR) : retain(ref_of(type));
    return dict_set_owned(base->subclasses, subclass_key(type), entry);
}

void type_remove_subclass(Type *base, const Type *type)
{
    if (!base->subclasses) return;
    Value entry = dict_pop(base->subclasses, subclass_key(type));
    if (!entry) error_clear();
    drop(entry);
}

bool type_next_subclass(const Type *type, ssize_t *position, Type **subclass)
{
    ValueRef key, entry;
    if (!type->subclasses) return false;
    if (!dict_next(type->subclasses, position, &key, &entry)) return false;
    *subclass = (Type *)(uintptr_t)small_value(key);
    return true;
}

Value type_subclasses(const Type *type)
{
    Value list = list_new(0);
    ssize_t position = 0;
    Type *subclass;
    while (list && type_next_subclass(type, &position, &subclass))
        if (!list_append(list, ref_of(subclass))) drop_slot(&list);
    return list;
}

// ---- versions

uint32_t type_version(Type *type)
{
    if (type->version) return type->version;
    if (!(type->flags & TYPE_READY) || (type->flags & TYPE_UNCACHED) || !type->bases) return 0;
    for (ssize_t i = 0; i < tuple_size(type->bases); i++)
        if (!type_version(as_type(tuple_at(type->bases, i)))) return 0;
    if (last_version < UINT32_MAX) type->version = ++last_version;
    return type->version;
}

void type_modified(Type *type)
{
    invariant(type->base.refcount > 0, "a type that changes is alive");
    if (!type->version) return;
    type->version = 0;
    ssize_t position = 0;
    Type *subclass;
    while (type_next_subclass(type, &position, &subclass)) type_modified(subclass);
}

// ---- lookup

ValueRef type_find(const Type *type, ValueRef name)
{
    if (!type->mro) return VALUE_ERROR;
    const Tuple *mro = as_tuple(type->mro);
    for (ssize_t i = 0; i < mro->size; i++) {
        Value dict = as_type(mro->items[i])->dict;
        invariant(is_alive(object_of(mro->items[i])), "an MRO owns the classes in it");
        ValueRef found = dict ? dict_peek(dict, name) : VALUE_ERROR;
        if (found) return found;
    }
    return VALUE_ERROR;
}

static LookupKind kind_of(const Type *type, ValueRef found)
{
    if (!(type->flags & TYPE_INLINE) || type->getattribute != object_generic_get)
        return LOOKUP_OTHER;
    if (found) return type_of(found)->flags & TYPE_METHOD ? LOOKUP_METHOD : LOOKUP_OTHER;
    return type->setattr == object_generic_set ? LOOKUP_FIELD : LOOKUP_OTHER;
}

static ValueRef lookup_and_keep(Type *type, ValueRef name)
{
    ValueRef found = type_find(type, name);
    uint32_t version = type_version(type);
    if (!version || !as_str(name)->interned) return found;
    Lookup *entry = lookup_entry(version, name);
    if (entry->name != name) replace_slot(&entry->name, retain(name));
    entry->version = version;
    entry->key = type->flags & TYPE_INLINE ? (int16_t)instance_key_index(type, name) : -1;
    entry->kind = (uint16_t)kind_of(type, found);
    entry->found = found;
    return found;
}

ValueRef type_lookup(Type *type, ValueRef name)
{
    const Lookup *entry = lookup_entry(type->version, name);
    if (entry->version == type->version && entry->name == name) {
        invariant(entry->found == type_find(type, name),
                  "while a type's version is the same, a lookup finds the same");
        return entry->found;
    }
    return lookup_and_keep(type, name);
}

void type_forget(Type *type, ValueRef name)
{
    if (type_lookup(type, name)) {
        type_modified(type); // a cache at an instruction may have what was found
    } else if (type_known(type, name)) {
        Lookup *entry = lookup_entry(type->version, name);
        entry->version = 0;
        drop_slot(&entry->name); // or a type without a version might find it
    }
}

void type_lookups_clear(void)
{
    for (size_t i = 0; i < LOOKUPS; i++) {
        type_lookups[i].version = 0;
        drop_slot(&type_lookups[i].name);
    }
}

// ---- names

const char *type_short_name(const Type *type)
{
    const char *dot = strrchr(type->name, '.');
    return dot ? dot + 1 : type->name;
}

Value type_name(const Type *type)
{
    return type->heap_name ? retain(type->heap_name) : str_intern(type_short_name(type));
}

Value type_qualname(const Type *type)
{
    return type->heap_qualname ? retain(type->heap_qualname) : type_name(type);
}

Value type_module(const Type *type)
{
    if (type->flags & TYPE_HEAP) {
        ValueRef module = type->dict ? dict_peek(type->dict, NAME(__module__)) : VALUE_ERROR;
        return module ? retain(module) : raise_with(AttributeError, NAME(__module__));
    }
    const char *dot = strrchr(type->name, '.');
    if (!dot) return retain(NAME(builtins));
    Value module = str_from_utf8(type->name, (size_t)(dot - type->name));
    if (module) str_intern_in_place(&module);
    return module;
}

// ---- making static types ready

bool type_set_default(Type *type, ValueRef name, Value value)
{
    if (!dict_peek(type->dict, name)) return dict_set_owned(type->dict, name, value);
    drop(value);
    return value != VALUE_ERROR;
}

static Value method_from_def(Type *type, const MethodDef *def)
{
    if (def->flags & METHOD_CLASS) return classmethod_descriptor_new(type, def);
    if (!(def->flags & METHOD_STATIC)) return method_descriptor_new(type, def);
    Value function = builtin_new(def, ref_of(type), VALUE_ERROR);
    Value method = function ? staticmethod_new(function) : VALUE_ERROR;
    drop(function);
    return method;
}

static bool set_interned(Type *type, const char *name, Value value, bool replace)
{
    Value key = str_intern(name);
    bool done = key && (replace ? dict_set_owned(type->dict, key, retain(value))
                                : type_set_default(type, key, retain(value)));
    drop(key);
    drop(value);
    return done;
}

bool type_add_tables(Type *type)
{
    for (const MethodDef *def = type->methods; def && def->name; def++)
        if (!set_interned(type, def->name, method_from_def(type, def), def->flags & METHOD_COEXIST))
            return false;
    for (const MemberDef *def = type->members; def && def->name; def++)
        if (!set_interned(type, def->name, member_descriptor_new(type, def), false)) return false;
    for (const GetSetDef *def = type->getset; def && def->name; def++)
        if (!set_interned(type, def->name, getset_descriptor_new(type, def), false)) return false;
    return true;
}

// Inherits the fields that the collector and the allocator read, unless the type sets them itself.
static void inherit_layout(Type *type, const Type *base)
{
    if (!(type->flags & TYPE_GC) && (base->flags & TYPE_GC) && !type->traverse && !type->clear)
        type->flags |= TYPE_GC;
    type->flags |= base->flags & BUILT_IN_FLAGS;
    if (!type->size) type->size = base->size;
    if (!type->item_size) type->item_size = base->item_size;
    if (!type->dict_offset) type->dict_offset = base->dict_offset;
    if (!type->weakref_offset) type->weakref_offset = base->weakref_offset;
    if (!type->traverse) type->traverse = base->traverse;
    if (!type->clear) type->clear = base->clear;
    if (!type->release) type->release = base->release;
    if (!type->finalize) type->finalize = base->finalize;
    if (!type->init) type->init = base->init;
    if (!type->new_ && base != &object_type) type->new_ = base->new_;
}

static bool set_doc_and_hash(Type *type)
{
    if (!type_set_default(type, NAME(__doc__), doc_text(type_short_name(type), type->doc)))
        return false;
    if (type->hash) return true;
    type->hash = object_hash_unhashable;
    return type_set_default(type, NAME(__hash__), NONE);
}

static bool prepare(Type *type)
{
    if (!type->base_type && type != &object_type) type->base_type = &object_type;
    Type *base = type->base_type;
    if (base && !type_ready(base)) return false;
    if (!type->bases) type->bases = base ? tuple_pack(1, ref_of(base)) : tuple_new(0);
    if (!type->dict) type->dict = dict_new();
    return type->bases && type->dict;
}

static bool fill(Type *type)
{
    if (!prepare(type) || !slots_add_wrappers(type) || !type_add_tables(type)) return false;
    type->mro = type_default_mro(type);
    if (!type->mro) return false;
    Type *base = type->base_type;
    if (base) {
        inherit_layout(type, base);
        slots_inherit(type, base);
    }
    return set_doc_and_hash(type) && (!base || type_add_subclass(base, type));
}

static void empty(Type *type)
{
    type->flags &= ~(uint32_t)TYPE_READY;
    type->version = 0;
    drop_slot(&type->dict);
    drop_slot(&type->subclasses);
    drop_slot(&type->bases);
    drop_slot(&type->mro);
}

bool type_ready(Type *type)
{
    if (type->flags & TYPE_READY) return true;
    if (!fill(type)) return empty(type), false;
    invariant(type_is_sound(type), "a static type is ready once");
    type->flags |= TYPE_READY;
    return true;
}

// ---- all of them

#define TYPE_ROW(type) extern Type type;
#include "objects/types.def"
#undef TYPE_ROW

static Type *const static_types[] = {
#define TYPE_ROW(type) &type,
#include "objects/types.def"
#undef TYPE_ROW
};

bool types_ready(Type *const *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!type_ready(types[i])) return false;
    return true;
}

bool types_init(void)
{
    return types_ready(static_types, sizeof static_types / sizeof *static_types);
}

// Static types that modules made ready are subclasses of the listed types.
static void finish_tree(Type *type)
{
    ssize_t position = 0;
    Type *subclass;
    while (type_next_subclass(type, &position, &subclass))
        if (!(subclass->flags & TYPE_HEAP)) finish_tree(subclass);
    empty(type);
}

void types_finish(void)
{
    type_lookups_clear();
    finish_tree(&object_type);
}
