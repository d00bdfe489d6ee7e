// The `class` statement: builtins.__build_class__.
#pragma once

#include "objects/object.h"

// __build_class__(function, name, *bases, metaclass=None, **keywords): a CallFn.
Value build_class(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
