// Instances of classes written in script, and how they store attributes.
//
//     +----------+------+------+----------+----------+-------+-----------+-----------+----
//     | refcount | type | dict | weakrefs | capacity | count | values[0] | values[1] | ...
//     +----------+------+------+----------+----------+-------+-----------+-----------+----
//
// Until `__dict__` is requested, `dict` is VALUE_ERROR, and values[i] is the attribute whose name
// has index i in the SharedKeys of the class (VALUE_ERROR = not set). The first request for
// `__dict__`, or an attribute for which there is no room, moves all attributes into a dict;
// values[] then stays empty. So an inline cache compares the version of the type, checks that
// `dict` is empty, and reads values[index].
//
// A type is TYPE_INLINE if its bases are object and other TYPE_INLINE classes and it has no
// __slots__. Instances of all other types that have a __dict__ keep a dict at dict_offset, which is
// made when the first attribute is set.
//
// __dict__ shows the order in which attributes were set. So an instance that sets attributes in
// another order than the shared keys moves them into a dict at once.
#pragma once

#include "objects/object.h"

#define SHARED_KEYS_MAX 30

// The attribute names, in the order in which instances set them; the list grows and never shrinks.
// Names are interned strs, owned.
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
// The index of the name in the shared keys, or -1. Runs no script code.
int instance_key_index(const Type *type, ValueRef name);
// The attribute in the instance itself (values or dict): owned, ABSENT, or VALUE_ERROR.
Value instance_get(ValueRef instance, ValueRef name);
bool instance_set(ValueRef instance, ValueRef name, ValueRef value); // VALUE_ERROR = delete
// Moves the attributes into a dict if they are not in one yet.
bool instance_use_dict(ValueRef instance);
// The __dict__ of any value that has one: borrowed, made on demand. VALUE_ERROR with AttributeError
// or MemoryError pending.
ValueRef object_dict(ValueRef value);
bool object_set_dict(ValueRef value, ValueRef dict); // VALUE_ERROR = empty
void instance_traverse(Object *self, VisitFn visit, void *arg);
void instance_clear(Object *self);
void instance_release(Object *self);
