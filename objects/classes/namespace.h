// types.SimpleNamespace: an object whose attributes are what it was called with.
#pragma once

#include "objects/object.h"

extern Type simple_namespace_type;

// A namespace with the attributes of a dict, which is copied; `attributes` may be 0.
Value namespace_new(ValueRef attributes);
