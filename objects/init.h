// Bringing the objects to life, and to rest: one visible order.
#pragma once

#include <stdbool.h>

// Memory, the stack, names, types, exceptions. False where there is no memory for it.
bool objects_init(void);
// Gives everything back, in the other direction. The caller has dropped what it holds.
void objects_finish(void);
