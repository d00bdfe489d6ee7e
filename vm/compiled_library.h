// Compiled modules of the embedded library, shared by the processes of the debugger: a prompt is
// made at every stop, and would compile its own modules each time.
#pragma once

#include "objects/object.h"

// Makes room for them; without it nothing is kept. False with errno set.
bool compiled_library_open(void);
// The code of a module by its file name, "<minivm>/dis.mpy"; ABSENT = it is not there.
Value compiled_library_find(ValueRef filename);
// Keeps the code of a module. Where there is no room, it does not; it fails never.
void compiled_library_keep(ValueRef filename, ValueRef code);
