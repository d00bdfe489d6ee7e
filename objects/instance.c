// Instances of classes written in script, and __dict__ of every value that has one.
//
//     keys of the class     [ "x" | "y" | "z" ]            learned as instances set attributes
//     values of instance    [ 10  | 20  |  -  ]  count 2   values[i] belongs to names[i]
//
// Invariant: values[0..count) are all set and the rest are empty, so the order of the keys is the
// order in which this instance set its attributes. Four things would break it: an attribute set out
// of order, a `del` that leaves a hole, a name for which there is no room, a request for __dict__.
// Each of them moves the values into a dict for good. A class does not know at first how many
// attributes its instances will have. So instances made before the class has learned any name get
// more room than they need.
#include "objects/instance.h"

#include "objects/classes/descriptor.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/text/str.h"
#include "objects/type.h"

#define CAPACITY_MIN 2

static bool instance_is_sound(const Instance *self)
{
    const SharedKeys *keys = self->base.type->keys;
    invariant(self->base.type->flags & TYPE_INLINE, "only such a class has such instances");
    invariant(self->count <= self->capacity, "an instance has no more attributes than room");
    invariant(!keys || self->count <= (uint32_t)keys->count, "every attribute has its name");
    invariant(!self->dict || self->count == 0, "attributes are in the instance or in its dict");
    for (uint32_t i = 0; i < self->count; i++)
        invariant(self->values[i], "attributes were set in order, without a hole");
    return true;
}

// ---- keys

int instance_key_index(const Type *type, ValueRef name)
{
    const SharedKeys *keys = type->keys;
    invariant(keys && keys->count <= SHARED_KEYS_MAX, "a class learns so many names at most");
    for (int i = 0; i < keys->count; i++)
        if (keys->names[i] == name) return i;
    if (as_str(name)->interned) return -1;
    for (int i = 0; i < keys->count; i++)
        if (str_equal(keys->names[i], name)) return i;
    return -1;
}

// The new name may hide an attribute of the class, which a cache may have found.
static void learn_key(Type *type, ValueRef name)
{
    SharedKeys *keys = type->keys;
    invariant(keys->count < SHARED_KEYS_MAX, "a class learns no name for which it has no room");
    invariant(as_str(name)->interned, "the names of attributes are interned, found by address");
    if (keys->count == 0) keys->capacity = CAPACITY_MIN;
    keys->names[keys->count++] = retain(name);
    if (keys->capacity < keys->count) keys->capacity = keys->count;
    if (type->version) type_forget(type, name);
}

// ---- life

Value instance_new(Type *type)
{
    SharedKeys *keys = type->keys;
    int capacity = keys->capacity;
    if (keys->count == 0 && capacity > CAPACITY_MIN) keys->capacity = capacity / 2;
    Instance *self = object_alloc_bytes(type, sizeof(Instance) + (size_t)capacity * sizeof(Value));
    if (!self) return VALUE_ERROR;
    self->capacity = (uint32_t)capacity;
    return own(self);
}

// Drops from the end, so that the invariant holds whenever a destructor reads the instance.
// Attributes that a destructor sets are kept.
static void drop_values(Instance *self)
{
    for (uint32_t left = self->count; left > 0 && self->count > 0; left--)
        drop_slot(&self->values[--self->count]);
}

void instance_traverse(Object *object, VisitFn visit, void *arg)
{
    const Instance *self = (const Instance *)object;
    invariant(self->count <= self->capacity, "no attribute is beyond the end of the instance");
    for (uint32_t i = 0; i < self->count; i++)
        if (is_object(self->values[i])) visit(self->values[i], arg);
    if (self->dict) visit(self->dict, arg);
}

void instance_clear(Object *object)
{
    Instance *self = (Instance *)object;
    drop_values(self);
    drop_slot(&self->dict);
}

void instance_release(Object *object)
{
    Instance *self = (Instance *)object;
    invariant(self->count <= self->capacity, "no attribute is beyond the end of the instance");
    for (uint32_t i = 0; i < self->count; i++) drop(self->values[i]);
    drop(self->dict);
}

// ---- from values to a dict

static bool move_to_dict(Instance *self)
{
    const SharedKeys *keys = self->base.type->keys;
    Value dict = dict_new();
    invariant(!self->dict && instance_is_sound(self), "attributes move into a dict once");
    bool moved = dict;
    for (uint32_t i = 0; moved && i < self->count; i++)
        moved = dict_set(dict, keys->names[i], self->values[i]);
    if (!moved) {
        drop(dict);
        return false;
    }
    self->dict = dict;
    while (self->count > 0) drop_slot(&self->values[--self->count]); // the dict holds them too
    invariant(instance_is_sound(self), "the values stay empty from then on");
    return true;
}

bool instance_use_dict(ValueRef instance)
{
    return as_instance(instance)->dict || move_to_dict(as_instance(instance));
}

// ---- attributes

static Value get_in_dict(ValueRef dict, ValueRef name)
{
    Value held = retain(dict);
    Value found = dict_get(held, name);
    drop(held);
    return found;
}

Value instance_get(ValueRef instance, ValueRef name)
{
    const Instance *self = as_instance(instance);
    if (self->dict) return get_in_dict(self->dict, name);
    int index = instance_key_index(self->base.type, name);
    return index >= 0 && (uint32_t)index < self->count ? retain(self->values[index]) : ABSENT;
}

static bool set_in_dict(Instance *self, ValueRef name, ValueRef value)
{
    Value dict = retain(self->dict);
    bool done = value ? dict_set(dict, name, value) : dict_delete(dict, name);
    drop(dict);
    if (done || value || !error_is(KeyError)) return done;
    return raise_with(AttributeError, name);
}

static bool delete_value(Instance *self, int index, ValueRef name)
{
    if (index < 0 || (uint32_t)index >= self->count) return raise_with(AttributeError, name);
    if ((uint32_t)index + 1 != self->count)
        return move_to_dict(self) && set_in_dict(self, name, VALUE_ERROR);
    self->count--;
    drop_slot(&self->values[index]);
    return true;
}

// May the class add the name to its shared keys?
static bool is_next_key(const Instance *self, const SharedKeys *keys, ValueRef name)
{
    return self->count == (uint32_t)keys->count && keys->count < SHARED_KEYS_MAX &&
           str_check_exact(name) && as_str(name)->interned;
}

bool instance_set(ValueRef instance, ValueRef name, ValueRef value)
{
    Instance *self = as_instance(instance);
    Type *type = self->base.type;
    if (self->dict) return set_in_dict(self, name, value);
    int index = instance_key_index(type, name);
    if (!value) return delete_value(self, index, name);
    if (index >= 0 && (uint32_t)index < self->count) {
        replace_slot(&self->values[index], retain(value));
        return true;
    }
    if (index < 0 && is_next_key(self, type->keys, name)) {
        index = type->keys->count;
        learn_key(type, name);
    }
    if (index >= 0 && (uint32_t)index == self->count && self->count < self->capacity) {
        self->values[self->count++] = retain(value);
        invariant(instance_is_sound(self), "a new attribute takes the next index");
        return true;
    }
    return move_to_dict(self) && set_in_dict(self, name, value);
}

// ---- __dict__

static Value *dict_field(ValueRef value)
{
    return (Value *)(void *)((char *)object_of(value) + type_of(value)->dict_offset);
}

ValueRef object_dict(ValueRef value)
{
    const Type *type = type_of(value);
    if (type->flags & TYPE_INLINE)
        return instance_use_dict(value) ? as_instance(value)->dict : VALUE_ERROR;
    if (!type->dict_offset || !is_object(value))
        return raise_error(AttributeError, "'%.50T' object has no attribute '__dict__'", value);
    Value *field = dict_field(value);
    if (!*field) *field = dict_new();
    return *field;
}

bool object_set_dict(ValueRef value, ValueRef dict)
{
    const Type *type = type_of(value);
    if (!type->dict_offset || !is_object(value))
        return raise_error(AttributeError, "This object has no __dict__");
    if (dict && !dict_check(dict))
        return raise_error(TypeError, "__dict__ must be set to a dictionary, not a '%.200T'", dict);
    bool inlined = type->flags & TYPE_INLINE; // a __del__ of the old dict may free the type
    replace_slot(dict_field(value), retain(dict));
    if (inlined) drop_values(as_instance(value));
    return true;
}

Value generic_get_dict(ValueRef self)
{
    return retain(object_dict(self));
}

bool generic_set_dict(ValueRef self, ValueRef dict)
{
    if (dict) return object_set_dict(self, dict);
    return raise_error(TypeError, "cannot delete __dict__");
}
