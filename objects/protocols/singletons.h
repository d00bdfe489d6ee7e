// The types of None, NotImplemented and Ellipsis, which are immediates (objects/value.h). So are
// True and False; their type is in int.h.
#pragma once

#include "objects/object.h"

extern Type none_type, not_implemented_type, ellipsis_type;
extern Type absent_type; // of ABSENT: each use of it as a value fails
