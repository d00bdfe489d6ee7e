// Compiled modules of the embedded library, shared by the processes of the debugger: a prompt is
// made at every stop, and would compile its own modules each time.
#pragma once

#include <stdbool.h>

// Makes room for them and fills upcalls.find_compiled and upcalls.keep_compiled. False
// with errno set: then nothing is kept.
bool compiled_library_open(void);
