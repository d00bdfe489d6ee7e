// Instances of classes written in script, and where their attributes are.
//
//     +----------+------+------+----------+----------+-----------+-----------+----
//     | refcount | type | dict | weakrefs | capacity | values[0] | values[1] | ...
//     +----------+------+------+----------+----------+-----------+-----------+----
//
// As long as nobody has asked for `__dict__`, `dict` is 0 and the attribute whose name is number i
// in the class's SharedKeys is values[i] (VALUE_ERROR = not set). The first request for `__dict__`
// (or an attribute that finds no room) moves all of them into a dict, and the values stay empty
// from then on. So an inline cache needs: the type's version, the index, and `dict == 0`.
//
// A type is TYPE_INLINE where its instances need nothing else: its bases are object and other such
// classes, without __slots__. All others that have a __dict__ keep a dict at dict_offset, made when
// the first attribute is set.
//
// The order in which attributes were set shows in __dict__: where an instance sets them in another
// order than the shared keys have, it goes over to a dict at once.
#pragma once

#include "objects/object.h"

#define SHARED_KEYS_MAX 30

// The names, in the order in which instances set them; grows, never shrinks. Names are interned
// strs, owned.
typedef struct SharedKeys {
    int count;
    int capacity; // of the instances made from now on
    Value names[SHARED_KEYS_MAX];
} SharedKeys;

typedef struct Instance {
    Object base;
    Value dict;
    Value weakrefs;
    uint32_t capacity; // length of values[]
    uint32_t count;    // attributes were set up to here, in order: a new one must be number `count`
    Value values[];
} Instance;

static inline Instance *as_instance(ValueRef value)
{
    return (Instance *)object_of(value);
}

// object.__new__ for a TYPE_INLINE type.
Value instance_new(Type *type);
// The number of the name in the shared keys, or -1. Runs nothing.
int instance_key_index(const Type *type, ValueRef name);
// The attribute in the instance itself (values or dict): owned, ABSENT, or VALUE_ERROR.
Value instance_get(ValueRef instance, ValueRef name);
bool instance_set(ValueRef instance, ValueRef name, ValueRef value); // value 0 = delete
// Moves the attributes into a dict, where they are not in one yet.
bool instance_use_dict(ValueRef instance);
// __dict__ of anything that has one: borrowed, made on demand; 0 with AttributeError or MemoryError
// pending.
ValueRef object_dict(ValueRef value);
bool object_set_dict(ValueRef value, ValueRef dict); // dict 0 = empty
void instance_traverse(Object *self, VisitFn visit, void *arg);
void instance_clear(Object *self);
void instance_release(Object *self);
