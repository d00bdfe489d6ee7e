// types.GenericAlias: list[int].
#pragma once

#include "objects/object.h"

extern Type generic_alias_type;

// origin[args]; `args` becomes a tuple of one where it is no tuple.
Value generic_alias_new(ValueRef origin, ValueRef args);
