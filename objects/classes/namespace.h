// types.SimpleNamespace: an object whose attributes are the keyword arguments of its constructor.
#pragma once

#include "objects/object.h"

extern Type simple_namespace_type;

// A namespace whose attributes are a copy of the dict `attributes`; VALUE_ERROR = none.
Value namespace_new(ValueRef attributes);
