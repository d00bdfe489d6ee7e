// The types of None, NotImplemented and Ellipsis. The three are immediates (objects/value.h); so is
// bool's pair, whose type is in int.h.
#pragma once

#include "objects/object.h"

extern Type none_type, not_implemented_type, ellipsis_type;
