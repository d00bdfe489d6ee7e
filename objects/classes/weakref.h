// Weak references and proxies. A list of them is attached to the target, at its weakref_offset, and
// is emptied when the target dies.
#pragma once

#include "objects/object.h"

typedef struct WeakRef {
    Object base;
    Object *target;                  // borrowed; NULL once it is dead
    Value callback;                  // VALUE_ERROR = none
    int64_t hash;                    // -1 = not computed yet
    struct WeakRef *next, *previous; // the target's list
} WeakRef;

extern Type weakref_type, weakproxy_type, weakcallableproxy_type;

Value weakref_new(
    ValueRef target,
    ValueRef callback); // VALUE_ERROR = none. TypeError "cannot create weak reference..."
// A proxy, callable where the target is.
Value weakref_proxy_new(ValueRef target, ValueRef callback);
ValueRef weakref_target(ValueRef reference); // borrowed, VALUE_ERROR = dead
// For the collector: removes a reference from its target's list and makes it dead; calls its
// callback.
void weakref_unlink(WeakRef *reference);
void weakref_call_back(WeakRef *reference);
// Called when `object` dies: clears all its references, then calls their callbacks.
void weakref_clear_all(Object *object);
ssize_t weakref_count(ValueRef target);
Value weakref_list(ValueRef target); // all references and proxies to it: a list
