// Breakpoints: on a line, on a function, on an instruction, where an exception is raised, or on an
// event of the guarded cache. The prompt writes them into the Session; this file decides whether
// one of them stops the program. (CPython 3.9's Lib/bdb.py: break_here, effective, checkfuncname.)
#pragma once

#include "frames/observe.h"
#include "vm/debugger/session.h"

// The breakpoint that stops at an event of a frame, or NULL. `line`: a line begins here. `count`:
// count the visit, in `hits` and against `ignore`. A condition that runs code is evaluated in a
// visitor.
Breakpoint *breakpoint_at(Frame *frame, FrameEvent event, ValueRef value, bool line, bool count);
// Is any breakpoint enabled, but UNCAUGHT? Then every line must be observed.
bool breakpoints_any(void);
// On the exception that ends the program. Nothing is observed for it: the raise is searched for
// when the program has ended.
#define UNCAUGHT "uncaught"
bool breakpoints_any_uncaught(void);
// Is an exception raised at this event, and not passed on by what was called?
bool is_raised_here(FrameEvent event, ValueRef value);
// The breakpoint on an event of the cache ("callback", "guard_failed", ...) or UNCAUGHT, or NULL.
Breakpoint *breakpoint_on_event(const char *event, bool count);
void breakpoint_remove(int number);
