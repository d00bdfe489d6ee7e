// types.GenericAlias: list[int].
#pragma once

#include "objects/object.h"

extern Type generic_alias_type;

// origin[args]; if `args` is no tuple, it becomes a tuple of one item.
Value generic_alias_new(ValueRef origin, ValueRef args);
