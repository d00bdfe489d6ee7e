// Descriptors made from the tables of a type: method_descriptor, classmethod_descriptor,
// getset_descriptor, member_descriptor.
//
//     +----------+------+-------+-----+
//     | refcount | type | owner | def |        def: a row of the owner's methods, members or
//     +----------+------+-------+-----+        getset table; it begins with its name
//
// Each works on instances of its owner only, and raises TypeError for others. Descriptors of static
// types are not tracked by the collector: they cannot be part of a cycle, and there are thousands.
#include "objects/classes/descriptor.h"

#include "objects/classes/method.h"
#include "objects/classes/object_parts.h"
#include "objects/classes/slots.h"
#include "objects/classes/type_parts.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/names.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

// What all four have in common.
typedef struct Descriptor {
    Object base;
    Type *owner; // owned
    const void *def;
} Descriptor;

static const Descriptor *as_descriptor(ValueRef value)
{
    return (const Descriptor *)object_of(value);
}

static const char *name_of(ValueRef self)
{
    const char *name;
    memcpy(&name, as_descriptor(self)->def, sizeof name);
    return name;
}

static const char *owner_name(ValueRef self)
{
    return as_descriptor(self)->owner->name;
}

static Value descriptor_new(Type *kind, Type *owner, const void *def)
{
    Descriptor *self = object_alloc(kind, 0);
    if (!self) return VALUE_ERROR;
    self->owner = as_type(retain(ref_of(owner)));
    self->def = def;
    if (!(owner->flags & TYPE_HEAP)) gc_untrack(&self->base);
    return own(self);
}

Value method_descriptor_new(Type *owner, const MethodDef *def)
{
    return descriptor_new(&method_descriptor_type, owner, def);
}

Value classmethod_descriptor_new(Type *owner, const MethodDef *def)
{
    return descriptor_new(&classmethod_descriptor_type, owner, def);
}

Value getset_descriptor_new(Type *owner, const GetSetDef *def)
{
    return descriptor_new(&getset_descriptor_type, owner, def);
}

Value member_descriptor_new(Type *owner, const MemberDef *def)
{
    return descriptor_new(&member_descriptor_type, owner, def);
}

static void descriptor_traverse(Object *object, VisitFn visit, void *arg)
{
    visit(ref_of(((const Descriptor *)object)->owner), arg);
}

static void descriptor_release(Object *object)
{
    drop(own(((const Descriptor *)object)->owner));
}

static bool is_for(ValueRef self, ValueRef instance)
{
    if (type_is_subtype(type_of(instance), as_descriptor(self)->owner)) return true;
    return raise_error(TypeError,
                       "descriptor '%s' for '%.100s' objects doesn't apply to a '%.100T' object",
                       name_of(self), owner_name(self), instance);
}

// ---- documentation

// What follows "name" in a text that begins so: "(signature)\n--\n\n...". NULL = it does not.
static const char *find_signature(const char *name, const char *doc)
{
    size_t length = strlen(name);
    if (!doc || strncmp(doc, name, length) != 0 || doc[length] != '(') return NULL;
    return doc + length;
}

static const char *signature_end(const char *signature)
{
    const char *end = strstr(signature, ")\n--\n\n"), *blank = strstr(signature, "\n\n");
    return end && blank == end + 4 ? end + 1 : NULL;
}

Value doc_text(const char *name, const char *doc)
{
    const char *signature = find_signature(name, doc);
    const char *end = signature ? signature_end(signature) : NULL;
    const char *text = end ? end + 5 : doc;
    return text && *text ? str_new(text) : NONE;
}

Value doc_signature(const char *name, const char *doc)
{
    const char *signature = find_signature(name, doc);
    const char *end = signature ? signature_end(signature) : NULL;
    return end ? str_from_utf8(signature, (size_t)(end - signature)) : NONE;
}

// ---- attributes that all have

static Value get_name(ValueRef self)
{
    return str_intern(name_of(self));
}

static Value get_qualname(ValueRef self)
{
    Value owner = type_qualname(as_descriptor(self)->owner);
    Value text = owner ? format_text("%S.%s", (ValueRef)owner, name_of(self)) : VALUE_ERROR;
    drop(owner);
    return text;
}

static Value reduce(ValueRef self, METHOD_ARGS)
{
    return reduce_to_getattr(ref_of(as_descriptor(self)->owner), name_of(self));
}

static Value describe(ValueRef self, const char *kind)
{
    return format_text("<%s '%s' of '%s' objects>", kind, name_of(self), owner_name(self));
}

// ---- methods

static Value method_repr(ValueRef self)
{
    return describe(self, "method");
}

static Value method_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    (void)owner;
    if (!instance) return retain(self);
    return is_for(self, instance)
               ? builtin_new(as_method_descriptor(self)->def, instance, VALUE_ERROR)
               : VALUE_ERROR;
}

static Value method_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const MethodDescriptor *method = as_method_descriptor(self);
    if (nargs == 0) {
        Value qualname = get_qualname(self);
        if (qualname)
            raise_error(TypeError, "unbound method %S() needs an argument", (ValueRef)qualname);
        drop(qualname);
        return VALUE_ERROR;
    }
    if (!is_for(self, args[0])) return VALUE_ERROR;
    return method_def_call(method->def, method->owner, args[0], args + 1, nargs - 1, kwnames);
}

static Value get_method_doc(ValueRef self)
{
    return doc_text(name_of(self), as_method_descriptor(self)->def->doc);
}

static Value get_method_signature(ValueRef self)
{
    return doc_signature(name_of(self), as_method_descriptor(self)->def->doc);
}

// ---- class methods

static Value class_method_bind(ValueRef self, ValueRef owner)
{
    const MethodDescriptor *method = as_method_descriptor(self);
    if (!type_check(owner))
        return raise_error(
            TypeError, "descriptor '%s' for type '%.100s' needs a type, not a '%.100T' as arg 2",
            name_of(self), owner_name(self), owner);
    if (!type_is_subtype(as_type(owner), method->owner))
        return raise_error(TypeError,
                           "descriptor '%s' requires a subtype of '%.100s' but received '%.100s'",
                           name_of(self), owner_name(self), as_type(owner)->name);
    return builtin_new(method->def, owner, VALUE_ERROR);
}

static Value class_method_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    if (!owner && !instance)
        return raise_error(TypeError,
                           "descriptor '%s' for type '%.100s' needs either an object or a type",
                           name_of(self), owner_name(self));
    return class_method_bind(self, owner ? owner : ref_of(type_of(instance)));
}

static Value class_method_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (nargs == 0)
        return raise_error(TypeError, "descriptor '%s' of '%.100s' object needs an argument",
                           name_of(self), owner_name(self));
    Value bound = class_method_bind(self, args[0]);
    Value result = bound ? object_call(bound, args + 1, nargs - 1, kwnames) : VALUE_ERROR;
    drop(bound);
    return result;
}

// ---- getset

static const GetSetDef *getset_of(ValueRef self)
{
    return as_descriptor(self)->def;
}

static Value getset_repr(ValueRef self)
{
    return describe(self, "attribute");
}

static Value getset_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    (void)owner;
    if (!instance) return retain(self);
    if (!is_for(self, instance)) return VALUE_ERROR;
    if (getset_of(self)->get) return getset_of(self)->get(instance);
    return raise_error(AttributeError, "attribute '%s' of '%.100s' objects is not readable",
                       name_of(self), owner_name(self));
}

static bool getset_set(ValueRef self, ValueRef instance, ValueRef value)
{
    if (!is_for(self, instance)) return false;
    if (getset_of(self)->set) return getset_of(self)->set(instance, value);
    return raise_error(AttributeError, "attribute '%s' of '%.100s' objects is not writable",
                       name_of(self), owner_name(self));
}

bool refuse_as_member(ValueRef self, ValueRef value)
{
    (void)self, (void)value;
    return raise_error(AttributeError, "readonly attribute");
}

static Value get_getset_doc(ValueRef self)
{
    return getset_of(self)->doc ? str_new(getset_of(self)->doc) : NONE;
}

// ---- members

static const MemberDef *member_of(ValueRef self)
{
    return as_descriptor(self)->def;
}

static void *member_field(const MemberDef *def, ValueRef instance)
{
    return (char *)object_of(instance) + (ssize_t)def->offset;
}

static Value member_repr(ValueRef self)
{
    return describe(self, "member");
}

static Value read_member(const MemberDef *def, ValueRef instance)
{
    void *field = member_field(def, instance);
    Value value;
    switch (def->kind) {
    case MEMBER_VALUE: value = *(Value *)field; return value ? retain(value) : NONE;
    case MEMBER_VALUE_REQUIRED:
        value = *(Value *)field;
        return value ? retain(value) : raise_error(AttributeError, "%s", def->name);
    case MEMBER_OBJECT: value = own(*(Object **)field); return value ? retain(value) : NONE;
    case MEMBER_INT: return int_new(*(int *)field);
    case MEMBER_SSIZE: return int_new(*(ssize_t *)field);
    case MEMBER_DOUBLE: return float_new(*(double *)field);
    case MEMBER_BOOL: return from_bool(*(bool *)field);
    case MEMBER_FLAGS: return int_new(type_cpython_flags(as_type(instance)));
    }
    return raise_bad_call("read_member");
}

bool is_getset_of(ValueRef descriptor, const Type *owner)
{
    return is_exactly(descriptor, &getset_descriptor_type) &&
           as_descriptor(descriptor)->owner == owner;
}

ValueRef member_peek(ValueRef descriptor, ValueRef instance)
{
    if (!is_exactly(descriptor, &member_descriptor_type)) return VALUE_ERROR;
    const MemberDef *def = member_of(descriptor);
    if (def->kind != MEMBER_VALUE && def->kind != MEMBER_VALUE_REQUIRED) return VALUE_ERROR;
    if (!type_is_subtype(type_of(instance), as_descriptor(descriptor)->owner)) return VALUE_ERROR;
    Value value = *(Value *)member_field(def, instance);
    if (value) return value;
    return def->kind == MEMBER_VALUE ? NONE : ABSENT;
}

static bool delete_member(const MemberDef *def, ValueRef instance)
{
    Value *field = member_field(def, instance);
    if (def->kind == MEMBER_VALUE_REQUIRED && !*field)
        return raise_error(AttributeError, "%s", def->name);
    if (def->kind != MEMBER_VALUE_REQUIRED && def->kind != MEMBER_VALUE)
        return raise_error(TypeError, "can't delete numeric/char attribute");
    drop_slot(field);
    return true;
}

static bool write_number(const MemberDef *def, void *field, ValueRef value)
{
    int64_t number;
    ssize_t size;
    if (def->kind == MEMBER_SSIZE) {
        if (!int_as_ssize(value, &size)) return false;
        *(ssize_t *)field = size;
        return true;
    }
    if (!int_check(value)) return raise_error(TypeError, "an integer is required");
    if (!int_as_int64(value, &number)) return false;
    *(int *)field = (int)number;
    return true;
}

static bool write_member(const MemberDef *def, ValueRef instance, ValueRef value)
{
    if (def->read_only) return refuse_as_member(instance, value);
    if (!value) return delete_member(def, instance);
    void *field = member_field(def, instance);
    if (def->kind == MEMBER_VALUE || def->kind == MEMBER_VALUE_REQUIRED) {
        replace_slot(field, retain(value));
        return true;
    }
    if (def->kind != MEMBER_BOOL) return write_number(def, field, value);
    if (!is_bool(value)) return raise_error(TypeError, "attribute value type must be bool");
    *(bool *)field = value == TRUE;
    return true;
}

static Value member_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    (void)owner;
    if (!instance) return retain(self);
    return is_for(self, instance) ? read_member(member_of(self), instance) : VALUE_ERROR;
}

static bool member_set(ValueRef self, ValueRef instance, ValueRef value)
{
    return is_for(self, instance) && write_member(member_of(self), instance, value);
}

size_t slot_offset(ValueRef found, const Type *type)
{
    if (!is_exactly(found, &member_descriptor_type)) return 0;
    const MemberDef *def = member_of(found);
    if (def->kind != MEMBER_VALUE_REQUIRED || def->read_only || (ssize_t)def->offset < 0) return 0;
    return type_is_subtype(type, as_descriptor(found)->owner) ? def->offset : 0;
}

static Value get_member_doc(ValueRef self)
{
    return member_of(self)->doc ? str_new(member_of(self)->doc) : NONE;
}

// ---- the types

static const MethodDef reduce_method[] = {{"__reduce__", reduce, NO_ARGS, NULL}, {0}};

static const MemberDef members[] = {
    {"__objclass__", MEMBER_OBJECT, offsetof(Descriptor, owner), true, NULL},
    {0},
};

static const GetSetDef method_getset[] = {
    {"__name__", get_name, refuse_as_member, NULL},
    {"__doc__", get_method_doc, NULL, NULL},
    {"__qualname__", get_qualname, NULL, NULL},
    {"__text_signature__", get_method_signature, NULL, NULL},
    {0},
};

static const GetSetDef getset_getset[] = {
    {"__name__", get_name, refuse_as_member, NULL},
    {"__doc__", get_getset_doc, NULL, NULL},
    {"__qualname__", get_qualname, NULL, NULL},
    {0},
};

static const GetSetDef member_getset[] = {
    {"__name__", get_name, refuse_as_member, NULL},
    {"__doc__", get_member_doc, NULL, NULL},
    {"__qualname__", get_qualname, NULL, NULL},
    {0},
};

#define DESCRIPTOR_TYPE(type_name)                                                                 \
    STATIC_TYPE(type_name, sizeof(Descriptor)), .getattribute = object_generic_get,                \
        .members = members, .release = descriptor_release, .traverse = descriptor_traverse

Type method_descriptor_type = {
    DESCRIPTOR_TYPE("method_descriptor"),
    .flags = TYPE_GC | TYPE_METHOD,
    .methods = reduce_method,
    .getset = method_getset,
    .repr = method_repr,
    .call = method_call,
    .get = method_get,
};

Type classmethod_descriptor_type = {
    DESCRIPTOR_TYPE("classmethod_descriptor"),
    .flags = TYPE_GC,
    .methods = reduce_method,
    .getset = method_getset,
    .repr = method_repr,
    .call = class_method_call,
    .get = class_method_get,
};

Type getset_descriptor_type = {
    DESCRIPTOR_TYPE("getset_descriptor"),
    .flags = TYPE_GC,
    .getset = getset_getset,
    .repr = getset_repr,
    .get = getset_get,
    .set = getset_set,
};

Type member_descriptor_type = {
    DESCRIPTOR_TYPE("member_descriptor"),
    .flags = TYPE_GC,
    .methods = reduce_method,
    .getset = member_getset,
    .repr = member_repr,
    .get = member_get,
    .set = member_set,
};
