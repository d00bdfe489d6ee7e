// A target in mini-Python: tests/fuzz/targets/fuzz_*.mpy.
#pragma once

#include "objects/object.h"

// Runs the file; what it defines stays until script_finish().
void script_start(const char *name);
void script_finish(void);
Value script_list(const char *name); // of str and bytes: owned, VALUE_ERROR = there is none
void script_one(const uint8_t *bytes, size_t size);
