// What the machine's floats are: float.__getformat__() and float.__setformat__(), the latter for
// tests of machines without IEEE 754.
#pragma once

#include "objects/call.h"

// Methods of the class. ValueError, TypeError: CPython's messages.
Value float_getformat(FUNCTION_ARGS);
Value float_setformat(FUNCTION_ARGS);

// Asked where IEEE 754's bytes become a number of `size` bytes (8 or 4), and the other way, but not
// by struct's native sizes: where the format is "unknown", there is no infinity, NaN or -0.0, as
// CPython has it. False with ValueError, SystemError pending.
bool float_may_be_read(double number, ssize_t size);
bool float_may_be_written(double *number, ssize_t size);
