// The audit of all reference counts, for an invariant() at a full collection.
#pragma once

#include <stdbool.h>

// States what it finds wrong by its own invariants, and returns true. It takes some milliseconds.
// Builds without headers on their blocks, and those with the address sanitizer, audit nothing.
bool references_are_sound(void);
// The same at any time, with garbage that is not yet collected: it may refer to itself alone. While
// there are threads, only objects that are counted too low are found.
bool counts_are_sound(void);
