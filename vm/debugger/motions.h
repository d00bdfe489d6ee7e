// Where the debugger stops when it goes forwards: the rules of bdb and pdb (CPython 3.9's
// Lib/bdb.py: dispatch_line and its like, set_next and its like), and those for single
// instructions.
//
//     motion_begin(&motion, &stop, frame)   what was asked for, and where the program stands
//     motion_stops(...)                     at every event: is this the place?
//
// One motion is under way at a time. It is private to the process, and nothing is allocated.
#pragma once

#include "vm/debugger/session.h"

void motion_begin(const Motion *motion, const Stop *stop, const Frame *stopped_in);
// `line`: EVENT_OPCODE where a line begins.
bool motion_stops(Frame *frame, FrameEvent event, ValueRef value, bool line, Moment now);
// Does the motion have to see every event? If not, it goes on to *until without being asked.
bool motion_looks(Moment *until);
// Can the motion end in this frame, before the frame is left?
bool motion_looks_in(const Frame *frame);
// What a stop at this event is called.
StopReason motion_reason(FrameEvent event, bool line);
// Would `step` stop at this event?
bool motion_step_stops(Frame *frame, FrameEvent event, ValueRef value, bool line);
