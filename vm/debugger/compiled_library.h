// A cache of compiled library modules, shared by the debugger's processes. Without it the prompt,
// which is a new process at every stop, would compile the same modules each time.
#pragma once

#include <stdbool.h>

// Maps the shared block and fills upcalls.find_compiled and upcalls.keep_compiled. False with errno
// set: then nothing is cached.
bool compiled_library_open(void);
