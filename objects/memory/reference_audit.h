// The audit of all reference counts, for an invariant() at a full collection.
#pragma once

#include <stdbool.h>

// States what it finds wrong by its own invariants, and returns true. It takes some milliseconds.
// Builds without headers on their blocks, and those with the address sanitizer, audit nothing.
bool references_are_sound(void);
// The first half of it, which is true at any time: no object is counted too low. (The only word
// that leads to a piece of garbage, not yet collected, may be its own.)
bool counts_are_sound(void);
