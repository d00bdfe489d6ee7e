// Creating and freeing all of objects/, in one visible order.
#pragma once

#include <stdbool.h>

// Memory, the stack, names, types, exceptions. False if memory runs out.
bool objects_init(void);
// Frees everything in reverse order. The caller has dropped its values before.
void objects_finish(void);
