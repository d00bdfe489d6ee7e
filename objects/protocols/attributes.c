// Attributes: getting, setting, and what LOAD_METHOD needs.
//
// object_generic_get() searches in the order of the language: data descriptors of the type, then
// the instance, then the other attributes of the type. Names are interned first, so that all
// lookups compare addresses first.
#include "objects/operators.h"

#include "objects/dict.h"
#include "objects/error.h"
#include "objects/instance.h"
#include "objects/text/str.h"
#include "objects/type.h"

static bool check_name(ValueRef name)
{
    if (str_check(name)) return true;
    return raise_error(TypeError, "attribute name must be string, not '%.200T'", name);
}

static inline bool is_interned(ValueRef name)
{
    return str_check_exact(name) && as_str(name)->interned;
}

// The interned str of the same text: owned.
static Value intern(ValueRef name)
{
    if (!check_name(name)) return VALUE_ERROR;
    Value interned =
        str_check_exact(name) ? retain(name) : str_substring(name, 0, str_length(name));
    if (interned) str_intern_in_place(&interned);
    return interned;
}

static Value *dict_slot(ValueRef value, const Type *type)
{
    return (Value *)(void *)((char *)object_of(value) + type->dict_offset);
}

// ---- getting

// The attribute that the instance itself keeps: owned, or ABSENT.
static inline Value get_own(ValueRef value, const Type *type, ValueRef name)
{
    if (type->flags & TYPE_INLINE) return instance_get(value, name);
    if (!type->dict_offset) return ABSENT;
    ValueRef dict = *dict_slot(value, type);
    if (!dict) return ABSENT;
    Value held = retain(dict);
    Value found = dict_get(held, name);
    drop(held);
    return found;
}

static Value bind(ValueRef descriptor, DescrGetFn get, ValueRef value, const Type *type)
{
    Value held = retain(descriptor);
    Value found = get(held, value, ref_of(type));
    drop(held);
    return found;
}

// ABSENT where there is none.
static Value generic_lookup(ValueRef value, ValueRef name)
{
    Type *type = type_of(value);
    ValueRef found = type_lookup(type, name);
    if (!found) return get_own(value, type, name);
    DescrGetFn get = type_of(found)->get;
    if (get && type_of(found)->set) return bind(found, get, value, type);
    Value held = retain(found);
    Value own_value = get_own(value, type, name);
    if (own_value == ABSENT) {
        if (!get) return held;
        // Not `type`: a key of the dict may have given the value another class in its __eq__.
        own_value = get(held, value, ref_of(type_of(value)));
    }
    drop(held);
    return own_value;
}

static Value raise_no_attribute(ValueRef value, ValueRef name)
{
    return raise_error(AttributeError, "'%.50T' object has no attribute '%S'", value, name);
}

Value object_generic_get(ValueRef value, ValueRef name)
{
    if (!check_name(name)) return VALUE_ERROR;
    Value found = generic_lookup(value, name);
    return found == ABSENT ? raise_no_attribute(value, name) : found;
}

Value object_get(ValueRef value, ValueRef name)
{
    if (is_interned(name)) return type_of(value)->getattribute(value, name);
    Value interned = intern(name);
    if (!interned) return VALUE_ERROR;
    Value found = type_of(value)->getattribute(value, interned);
    drop(interned);
    return found;
}

// Turns a pending AttributeError into ABSENT.
static Value absent_for_attribute_error(Value found)
{
    if (found || !error_is(AttributeError)) return found;
    error_clear();
    return ABSENT;
}

Value object_get_optional(ValueRef value, ValueRef name)
{
    if (type_of(value)->getattribute != object_generic_get || !str_check(name))
        return absent_for_attribute_error(object_get(value, name));
    if (is_interned(name)) return absent_for_attribute_error(generic_lookup(value, name));
    Value interned = intern(name);
    if (!interned) return VALUE_ERROR;
    Value found = absent_for_attribute_error(generic_lookup(value, interned));
    drop(interned);
    return found;
}

Value object_get_method(ValueRef value, ValueRef name, bool *bound)
{
    Type *type = type_of(value);
    *bound = true;
    if (type->getattribute != object_generic_get) return object_get(value, name);
    ValueRef found = type_lookup(type, name);
    bool is_method = found && (type_of(found)->flags & TYPE_METHOD);
    if (!is_method) return object_generic_get(value, name);
    Value held = retain(found);
    Value own_value = get_own(value, type, name);
    if (own_value == ABSENT) {
        *bound = false;
        return held;
    }
    drop(held);
    return own_value;
}

Value object_special(ValueRef value, ValueRef name)
{
    Type *type = type_of(value);
    ValueRef found = type_lookup(type, name);
    if (!found) return ABSENT;
    DescrGetFn get = type_of(found)->get;
    return get ? bind(found, get, value, type) : retain(found);
}

// ---- setting

static bool raise_cannot_set(ValueRef value, ValueRef name, bool read_only)
{
    if (read_only)
        return raise_error(AttributeError, "'%.50T' object attribute '%S' is read-only", value,
                           name);
    return raise_error(AttributeError, "'%.100T' object has no attribute '%S'", value, name);
}

static bool set_in_dict(ValueRef dict, ValueRef name, ValueRef attribute)
{
    if (attribute) return dict_set(dict, name, attribute);
    if (dict_delete(dict, name)) return true;
    if (!error_is(KeyError)) return false;
    return raise_with(AttributeError, name);
}

bool object_generic_set(ValueRef value, ValueRef name, ValueRef attribute)
{
    if (!check_name(name)) return false;
    Type *type = type_of(value);
    ValueRef found = type_lookup(type, name);
    if (found && type_of(found)->set) {
        Value held = retain(found);
        bool done = type_of(held)->set(held, value, attribute);
        drop(held);
        return done;
    }
    if (type->flags & TYPE_INLINE) return instance_set(value, name, attribute);
    if (!type->dict_offset) return raise_cannot_set(value, name, found != VALUE_ERROR);
    ValueRef dict = object_dict(value);
    if (!dict) return false;
    Value held = retain(dict);
    bool done = set_in_dict(held, name, attribute);
    drop(held);
    return done;
}

static bool set_or_delete(ValueRef value, ValueRef name, ValueRef attribute)
{
    if (is_interned(name)) return type_of(value)->setattr(value, name, attribute);
    Value interned = intern(name);
    if (!interned) return false;
    bool done = type_of(value)->setattr(value, interned, attribute);
    drop(interned);
    return done;
}

bool object_set(ValueRef value, ValueRef name, ValueRef attribute)
{
    return set_or_delete(value, name, attribute);
}

bool object_delete(ValueRef value, ValueRef name)
{
    return set_or_delete(value, name, VALUE_ERROR);
}
