// Where the debugger stops when it goes forwards: the rules of bdb and pdb (CPython 3.9's
// Lib/bdb.py: dispatch_line and its like, set_next and its like), and those for single
// instructions.
//
//     step_begin(&motion, &stop, frame)   what was asked for, and where the program stands
//     step_stops(...)                     at every event: is this the place?
//
// One motion is under way at a time. It is private to the process, and nothing is allocated.
#pragma once

#include "vm/debugger/session.h"

void step_begin(const StepCommand *command, const Stop *stop, const Frame *stopped_in);
// `line`: EVENT_OPCODE where a line begins.
bool step_stops(Frame *frame, FrameEvent event, ValueRef value, bool line, Moment now);
// Does the motion have to see every event? If not, it goes on to *until without being asked.
bool step_looks(Moment *until);
// Can the motion end in this frame, before the frame is left?
bool step_looks_in(const Frame *frame);
// What a stop at this event is called.
StopReason step_reason(FrameEvent event, bool line);
// Would `step` stop at this event?
bool step_into_stops(Frame *frame, FrameEvent event, ValueRef value, bool line);
