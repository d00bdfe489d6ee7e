// Step commands (step, next, return, until, continue, si, ni, so): decides where the program stops
// when it runs forwards. The rules for lines are those of bdb and pdb (CPython 3.9's Lib/bdb.py:
// dispatch_line and its like, set_next and its like); the rules for single instructions are ours.
//
//     step_begin(&command, &stop, frame)   the user's command, and where the program stands
//     step_stops(...)                      at every event: does the command end here?
//
// One command is under way at a time. Its state is private to the process; nothing is allocated.
#pragma once

#include "vm/debugger/session.h"

void step_begin(const StepCommand *command, const Stop *stop, const Frame *stopped_in);
// `line`: EVENT_OPCODE where a line begins.
bool step_stops(Frame *frame, FrameEvent event, ValueRef value, bool line, Moment now);
// Does the command need every event? If not, it does not end before *until.
bool step_looks(Moment *until);
// Can the command end in this frame itself (not only in its callees)?
bool step_looks_in(const Frame *frame);
// The reason to give for a stop at this event.
StopReason step_reason(FrameEvent event, bool line);
// Would `step` stop at this event?
bool step_into_stops(Frame *frame, FrameEvent event, ValueRef value, bool line);
