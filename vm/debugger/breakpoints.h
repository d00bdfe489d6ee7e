// Breakpoints: on a line, on a function, on an event of the guarded cache. What the prompt knows of
// them is in the Session; here is whether one stops the program. (CPython 3.9's Lib/bdb.py:
// break_here, effective, checkfuncname.)
#pragma once

#include "vm/debugger/session.h"

// At the beginning of a line: the breakpoint that stops here, or NULL. `count` says that the visit
// counts: in `hits`, and against `ignore`. A condition that runs code is evaluated in a copy.
Breakpoint *breakpoint_at(Frame *frame, bool count);
// Is there any that is enabled? Then every line has to be looked at.
bool breakpoints_any(void);
// The one that waits for an event of the cache ("callback", "guard_failed", ...), or NULL.
Breakpoint *breakpoint_on_event(const char *event, bool count);
void breakpoint_remove(int number);
