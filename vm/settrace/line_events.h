// Line events: at which instructions a line begins, by the rules of CPython 3.9's
// maybe_call_line_trace().
//
//     line_event(frame, reader)   at EVENT_OPCODE: does a line begin with this instruction?
//
// A line begins at an instruction at which lnotab begins one, and at the target of every jump
// backwards. So the frame remembers the last instruction that the reader has seen. There is none if
// the frame has just begun, if its generator has just been resumed, or if no instruction of it was
// observed yet. An exception handler begins a line too, unless the exception came from the first
// instruction of a line or from the first line. The observed loop updates this after it has called
// the observers. line_event() changes nothing and allocates nothing; it may be called repeatedly.
#pragma once

#include "frames/frame.h"

// There are two readers with separate states: the events of sys.settrace must not depend on what
// the debugger observes.
bool line_event(const Frame *frame, LineReader reader);
void line_events_read(LineReader reader, bool reads); // does it see instructions now?

// For the loop: all readers have seen the instruction at frame->ip.
void line_event_passed(Frame *frame);
// For a reader that has just seen the instruction at frame->ip, and will not see the next.
void line_event_passed_by(Frame *frame, LineReader reader);
// For the loop: the instruction at frame->ip has raised, and a handler of the frame runs next.
void line_event_handler(Frame *frame);
// For a reader that has missed instructions: forgets the last instruction seen, in all frames.
void line_events_forget(LineReader reader);
