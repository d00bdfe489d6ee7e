// Constant folding: the operations on constants, with 3.9's limits.
#pragma once

#include "compiler/compilation.h"

// left op right, where 3.9 computes it at compile time: owned, VALUE_ERROR with the exception of
// the operation pending, or ABSENT where the result might be large.
Value fold_operation(operator op, ValueRef left, ValueRef right);
