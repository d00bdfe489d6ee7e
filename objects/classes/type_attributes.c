// `type` itself: the attributes and methods of classes, and how classes are freed.
//
// A class is always part of cycles (its MRO and its descriptors refer to it), so only the collector
// frees one. `clear` empties its dict and drops its MRO; the reference counts do the rest. Code
// that reads an MRO must expect that there is none.
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/object_parts.h"
#include "objects/classes/slots.h"
#include "objects/classes/type_parts.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/instance.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"

// ---- life

static void type_traverse(Object *object, VisitFn visit, void *arg)
{
    const Type *self = (const Type *)object;
    if (!(self->flags & TYPE_HEAP)) return;
    const Value fields[] = {self->dict,           self->bases,     self->mro,
                            own(self->base_type), self->heap_name, self->heap_qualname,
                            self->heap_full_name};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i]) visit(fields[i], arg);
}

static void type_clear(Object *object)
{
    Type *self = (Type *)object;
    type_modified(self);
    if (self->dict) dict_clear(self->dict);
    drop_slot(&self->mro);
}

static void leave_bases(Type *self)
{
    for (ssize_t i = 0; self->bases && i < tuple_size(self->bases); i++)
        type_remove_subclass(as_type(tuple_at(self->bases, i)), self);
}

static void release_keys(SharedKeys *keys)
{
    for (int i = 0; keys && i < keys->count; i++) drop(keys->names[i]);
    memory_free(keys);
}

static void type_release(Object *object)
{
    Type *self = (Type *)object;
    leave_bases(self);
    drop(self->dict);
    drop(self->mro);
    drop(self->bases);
    drop(self->subclasses);
    drop(own(self->base_type));
    release_keys(self->keys);
    memory_free((void *)(uintptr_t)self->members);
    drop(self->heap_name);
    drop(self->heap_qualname);
    drop(self->heap_full_name);
}

// ---- getting and setting any attribute

static Value get_through(ValueRef descriptor, DescrGetFn get, ValueRef instance, ValueRef owner)
{
    Value held = retain(descriptor);
    if (!get) return held;
    Value result = get(held, instance, owner);
    drop(held);
    return result;
}

// The search order: a data descriptor of the metatype; an attribute of the class, bound; another
// attribute of the metatype.
Value type_getattribute(ValueRef self, ValueRef name)
{
    Type *metatype = type_of(self);
    ValueRef in_meta = type_lookup(metatype, name);
    DescrGetFn meta_get = in_meta ? type_of(in_meta)->get : NULL;
    if (meta_get && type_of(in_meta)->set)
        return get_through(in_meta, meta_get, self, ref_of(metatype));
    ValueRef found = type_lookup(as_type(self), name);
    if (found) return get_through(found, type_of(found)->get, VALUE_ERROR, self);
    if (in_meta) return get_through(in_meta, meta_get, self, ref_of(metatype));
    return raise_error(AttributeError, "type object '%.50s' has no attribute '%S'",
                       as_type(self)->name, name);
}

static bool is_dunder(ValueRef name)
{
    const Str *text = as_str(name);
    ssize_t n = text->length;
    return n > 4 && str_at(text, 0) == '_' && str_at(text, 1) == '_' &&
           str_at(text, n - 1) == '_' && str_at(text, n - 2) == '_';
}

// The old value is kept until the caches are cleared: its destructor may look up attributes here.
bool type_setattr(ValueRef self, ValueRef name, ValueRef value)
{
    Type *type = as_type(self);
    if (!(type->flags & TYPE_HEAP))
        return raise_error(TypeError, "can't set attributes of built-in/extension type '%s'",
                           type->name);
    ValueRef found = type->dict ? dict_peek(type->dict, name) : VALUE_ERROR;
    Value old = found ? retain(found) : VALUE_ERROR;
    bool done = object_generic_set(self, name, value);
    type_modified(type);
    if (done && is_dunder(name)) slots_update(type, name);
    drop(old);
    return done;
}

// ---- single attributes

static bool may_set(const Type *type, ValueRef value, const char *name)
{
    if (!(type->flags & TYPE_HEAP))
        return raise_error(TypeError, "can't set %s.%s", type->name, name);
    if (value) return true;
    return raise_error(TypeError, "can't delete %s.%s", type->name, name);
}

static bool set_in_dict(Type *type, ValueRef name, ValueRef value)
{
    ValueRef found = dict_peek(type->dict, name);
    Value old = found ? retain(found) : VALUE_ERROR;
    bool done = dict_set(type->dict, name, value);
    type_modified(type);
    drop(old);
    return done;
}

static Value get_name(ValueRef self)
{
    return type_name(as_type(self));
}

static bool set_name(ValueRef self, ValueRef value)
{
    Type *type = as_type(self);
    size_t size;
    if (!may_set(type, value, "__name__")) return false;
    if (!str_check(value))
        return raise_error(TypeError, "can only assign string to %s.__name__, not '%T'", type->name,
                           value);
    const char *text = str_utf8(value, &size);
    if (!text) return false;
    if (strlen(text) != size)
        return raise_error(ValueError, "type name must not contain null characters");
    type->name = text;
    replace_slot(&type->heap_name, retain(value));
    return true;
}

bool type_name_in_full(Type *type)
{
    Value module = type_module(type), qualname = type_qualname(type), full = VALUE_ERROR;
    if (module && qualname) full = format_text("%S.%S", (ValueRef)module, (ValueRef)qualname);
    const char *text = full ? str_utf8(full, NULL) : NULL;
    drop(module);
    drop(qualname);
    if (!text) return drop(full), false;
    type->name = text;
    replace_slot(&type->heap_full_name, full);
    replace_slot(&type->heap_name, retain(type->heap_qualname));
    return true;
}

static Value get_qualname(ValueRef self)
{
    return type_qualname(as_type(self));
}

static bool set_qualname(ValueRef self, ValueRef value)
{
    Type *type = as_type(self);
    if (!may_set(type, value, "__qualname__")) return false;
    if (!str_check(value))
        return raise_error(TypeError, "can only assign string to %s.__qualname__, not '%T'",
                           type->name, value);
    replace_slot(&type->heap_qualname, retain(value));
    return true;
}

static Value get_module(ValueRef self)
{
    return type_module(as_type(self));
}

static bool set_module(ValueRef self, ValueRef value)
{
    return may_set(as_type(self), value, "__module__") &&
           set_in_dict(as_type(self), NAME(__module__), value);
}

static Value get_abstract(ValueRef self)
{
    const Type *type = as_type(self);
    ValueRef names = VALUE_ERROR;
    if (type != &type_type && type->dict) names = dict_peek(type->dict, NAME(__abstractmethods__));
    return names ? retain(names) : raise_with(AttributeError, NAME(__abstractmethods__));
}

static bool set_abstract(ValueRef self, ValueRef value)
{
    Type *type = as_type(self);
    bool abstract = false, done;
    if (value) {
        done =
            object_truth(value, &abstract) && set_in_dict(type, NAME(__abstractmethods__), value);
    } else {
        Value old = dict_pop(type->dict, NAME(__abstractmethods__));
        done = old && (old != ABSENT || raise_with(AttributeError, NAME(__abstractmethods__)));
        type_modified(type);
        drop(old);
    }
    if (!done) return false;
    type->flags &= ~(uint32_t)TYPE_ABSTRACT;
    if (abstract) type->flags |= TYPE_ABSTRACT;
    return true;
}

static Value get_dict(ValueRef self)
{
    const Type *type = as_type(self);
    return type->dict ? mappingproxy_new(type->dict) : NONE;
}

static Value get_doc(ValueRef self)
{
    const Type *type = as_type(self);
    if (!(type->flags & TYPE_HEAP) && type->doc) return doc_text(type_short_name(type), type->doc);
    ValueRef doc = type->dict ? dict_peek(type->dict, NAME(__doc__)) : VALUE_ERROR;
    return doc ? get_through(doc, type_of(doc)->get, VALUE_ERROR, self) : NONE;
}

static bool set_doc(ValueRef self, ValueRef value)
{
    return may_set(as_type(self), value, "__doc__") &&
           set_in_dict(as_type(self), NAME(__doc__), value);
}

static Value get_text_signature(ValueRef self)
{
    const Type *type = as_type(self);
    const char *doc = type->doc;
    if (type->flags & TYPE_HEAP) {
        ValueRef text = type->dict ? dict_peek(type->dict, NAME(__doc__)) : VALUE_ERROR;
        doc = text && str_check(text) ? str_utf8(text, NULL) : NULL;
        if (error_pending()) error_clear();
    }
    return doc_signature(type_short_name(type), doc);
}

// ---- __bases__

static Value get_bases(ValueRef self)
{
    return retain(as_type(self)->bases);
}

static bool makes_cycle(const Type *base, const Type *type)
{
    if (type_is_subtype(base, type)) return true;
    for (; base; base = base->base_type)
        if (base == type) return true;
    return false;
}

static bool check_new_bases(const Type *type, ValueRef bases)
{
    if (!may_set(type, bases, "__bases__")) return false;
    if (!tuple_check(bases))
        return raise_error(TypeError, "can only assign tuple to %s.__bases__, not %T", type->name,
                           bases);
    if (tuple_size(bases) == 0)
        return raise_error(TypeError, "can only assign non-empty tuple to %s.__bases__, not ()",
                           type->name);
    for (ssize_t i = 0; i < tuple_size(bases); i++) {
        ValueRef base = tuple_at(bases, i);
        if (!type_check(base))
            return raise_error(TypeError, "%s.__bases__ must be tuple of classes, not '%T'",
                               type->name, base);
        if (makes_cycle(as_type(base), type))
            return raise_error(TypeError, "a __bases__ item causes an inheritance cycle");
    }
    return true;
}

static bool change_subclasses(Type *type, ValueRef old_bases)
{
    for (ssize_t i = 0; i < tuple_size(old_bases); i++)
        type_remove_subclass(as_type(tuple_at(old_bases, i)), type);
    for (ssize_t i = 0; i < tuple_size(type->bases); i++)
        if (!type_add_subclass(as_type(tuple_at(type->bases, i)), type)) return false;
    return true;
}

typedef struct Bases {
    Value bases, base;
} Bases;

static void swap_bases(Type *type, Bases *other)
{
    Bases mine = {type->bases, own(type->base_type)};
    type->bases = other->bases;
    type->base_type = as_type(other->base);
    *other = mine;
}

static bool settle_bases(Type *type, ValueRef old_bases)
{
    bool done = change_subclasses(type, old_bases);
    slots_update_all(type);
    type_modified(type);
    return done;
}

// A metaclass's mro() may have set __bases__ again: then that value is kept.
static bool set_bases(ValueRef self, ValueRef bases)
{
    Type *type = as_type(self);
    if (!check_new_bases(type, bases)) return false;
    Type *base = type_best_base(bases);
    if (!base || !type_layouts_agree(type->base_type, base, "__bases__")) return false;
    Bases other = {retain(bases), retain(ref_of(base))};
    swap_bases(type, &other);
    bool done = type_remake_mros(type), stands = type->bases == bases;
    if (stands && !done)
        swap_bases(type, &other);
    else
        done = settle_bases(type, other.bases) && done;
    drop(other.bases);
    drop(other.base);
    return done;
}

// ---- methods

static Value list_mro(ValueRef self, METHOD_ARGS)
{
    Value mro = type_default_mro(as_type(self));
    Value list = mro ? sequence_list(mro) : VALUE_ERROR;
    drop(mro);
    return list;
}

static Value list_subclasses(ValueRef self, METHOD_ARGS)
{
    return type_subclasses(as_type(self));
}

static Value prepare(FUNCTION_ARGS)
{
    return dict_new();
}

// An object may claim a class by its __class__.
static Value instance_check(ValueRef self, METHOD_ARGS)
{
    if (type_is_subtype(type_of(args[0]), as_type(self))) return TRUE;
    Value claimed = object_get_optional(args[0], NAME(__class__));
    if (!claimed) return VALUE_ERROR;
    bool is = claimed != ABSENT && type_check(claimed) && as_type(claimed) != type_of(args[0]) &&
              type_is_subtype(as_type(claimed), as_type(self));
    drop(claimed);
    return from_bool(is);
}

// The __bases__ of a value that may be no type: ABSENT if it is no class at all.
static Value bases_of(ValueRef derived)
{
    Value bases = object_get_optional(derived, NAME(__bases__));
    if (!bases || bases == ABSENT || tuple_check(bases)) return bases;
    drop(bases);
    return ABSENT;
}

static bool derives_from(ValueRef derived, ValueRef class, bool *result)
{
    *result = derived == class;
    if (*result) return true;
    if (!stack_enter(" in __subclasscheck__")) return false;
    Value bases = bases_of(derived);
    bool done = bases;
    for (ssize_t i = 0; done && !*result && bases != ABSENT && i < tuple_size(bases); i++)
        done = derives_from(tuple_at(bases, i), class, result);
    drop(bases);
    stack_leave();
    return done;
}

static Value subclass_check(ValueRef self, METHOD_ARGS)
{
    if (type_check(args[0])) return from_bool(type_is_subtype(as_type(args[0]), as_type(self)));
    Value bases = bases_of(args[0]);
    if (!bases) return VALUE_ERROR;
    if (bases == ABSENT) return raise_error(TypeError, "issubclass() arg 1 must be a class");
    drop(bases);
    bool result;
    return derives_from(args[0], self, &result) ? from_bool(result) : VALUE_ERROR;
}

static Value list_names(ValueRef self, METHOD_ARGS)
{
    Value dict = dict_new();
    bool merged = dict && merge_class_dict(dict, self);
    Value names = merged ? dict_keys(dict) : VALUE_ERROR;
    drop(dict);
    return names;
}

static Value size_of(ValueRef self, METHOD_ARGS)
{
    return int_new((int64_t)type_of(self)->size);
}

static Value type_repr(ValueRef self)
{
    const Type *type = as_type(self);
    Value module = type_module(type);
    if (!module) error_clear();
    Value qualname = type_qualname(type);
    Value text = VALUE_ERROR;
    if (qualname && module && str_check(module) && !str_equal_ascii(module, "builtins"))
        text = format_text("<class '%S.%S'>", (ValueRef)module, (ValueRef)qualname);
    else if (qualname)
        text = format_text("<class '%s'>", type->name);
    drop(module);
    drop(qualname);
    return text;
}

// ---- the flags, as CPython numbers them

int64_t type_cpython_flags(const Type *type)
{
    static const struct {
        uint32_t ours;
        int theirs;
    } bits[] = {
        {TYPE_HEAP, 0}, {TYPE_HEAP, 9},    {TYPE_BASE, 10},      {TYPE_READY, 12},
        {TYPE_GC, 14},  {TYPE_METHOD, 17}, {TYPE_READY, 18},     {TYPE_ABSTRACT, 20},
        {TYPE_INT, 24}, {TYPE_LIST, 25},   {TYPE_TUPLE, 26},     {TYPE_BYTES, 27},
        {TYPE_STR, 28}, {TYPE_DICT, 29},   {TYPE_EXCEPTION, 30}, {TYPE_TYPE, 31},
    };
    int64_t flags = 0;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (type->flags & bits[i].ours) flags |= (int64_t)1 << bits[i].theirs;
    return type->version ? flags | 1 << 19 : flags;
}

// ---- the type

static const MethodDef methods[] = {
    {"mro", list_mro, NO_ARGS, "mro($self, /)\n--\n\nReturn a type's method resolution order."},
    {"__subclasses__", list_subclasses, NO_ARGS,
     "__subclasses__($self, /)\n--\n\nReturn a list of immediate subclasses."},
    {"__prepare__", prepare, METHOD_KEYWORDS, METHOD_CLASS, 0, -1,
     "__prepare__() -> dict\nused for the namespace of class statements"},
    {"__instancecheck__", instance_check, ONE_ARG,
     "__instancecheck__($self, instance, /)\n--\n\nCheck if an object is an instance."},
    {"__subclasscheck__", subclass_check, ONE_ARG,
     "__subclasscheck__($self, subclass, /)\n--\n\nCheck if a class is a subclass."},
    {"__dir__", list_names, NO_ARGS,
     "__dir__($self, /)\n--\n\nSpecialized __dir__ implementation for types."},
    {"__sizeof__", size_of, NO_ARGS,
     "__sizeof__($self, /)\n--\n\nReturn memory consumption of the type object."},
    {0},
};

static const MemberDef members[] = {
    {"__basicsize__", MEMBER_SSIZE, offsetof(Type, size), true, NULL},
    {"__itemsize__", MEMBER_SSIZE, offsetof(Type, item_size), true, NULL},
    {"__flags__", MEMBER_FLAGS, 0, true, NULL},
    {"__weakrefoffset__", MEMBER_SSIZE, offsetof(Type, weakref_offset), true, NULL},
    {"__base__", MEMBER_OBJECT, offsetof(Type, base_type), true, NULL},
    {"__dictoffset__", MEMBER_SSIZE, offsetof(Type, dict_offset), true, NULL},
    {"__mro__", MEMBER_VALUE, offsetof(Type, mro), true, NULL},
    {0},
};

static const GetSetDef getset[] = {
    {"__name__", get_name, set_name, NULL},
    {"__qualname__", get_qualname, set_qualname, NULL},
    {"__bases__", get_bases, set_bases, NULL},
    {"__module__", get_module, set_module, NULL},
    {"__abstractmethods__", get_abstract, set_abstract, NULL},
    {"__dict__", get_dict, NULL, NULL},
    {"__doc__", get_doc, set_doc, NULL},
    {"__text_signature__", get_text_signature, NULL, NULL},
    {0},
};

Type type_type = {
    STATIC_TYPE("type", sizeof(Type)),
    .flags = TYPE_BASE | TYPE_GC | TYPE_TYPE,
    .dict_offset = offsetof(Type, dict),
    .weakref_offset = offsetof(Type, weakrefs),
    .doc = "type(object) -> the object's type\n"
           "type(name, bases, dict, **kwds) -> a new type",
    .methods = methods,
    .members = members,
    .getset = getset,
    .new_ = type_new,
    .init = type_init,
    .release = type_release,
    .traverse = type_traverse,
    .clear = type_clear,
    .repr = type_repr,
    .call = type_call,
    .getattribute = type_getattribute,
    .setattr = type_setattr,
};
