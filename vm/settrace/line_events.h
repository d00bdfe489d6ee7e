// Where a line begins, as sys.settrace has it: the rules of CPython 3.9's maybe_call_line_trace().
//
//     line_event(frame, reader)   at EVENT_OPCODE: does a line begin with this instruction?
//
// A line begins where lnotab says that one does, and after a jump backwards, wherever it leads. So
// the frame remembers which of its instructions was the last that the reader was told of; one that
// has just begun, or a generator that has just been resumed, has none, nor has a frame of which
// nobody has seen an instruction yet. A handler begins a line as well, wherever lnotab has it,
// unless the exception came from the first instruction of a line or from the first line. The
// observed loop keeps that up to date, after the observers have been told; the question changes
// nothing, allocates nothing and may be asked again and again.
#pragma once

#include "frames/frame.h"

// There are two readers, who do not hear the same: what sys.settrace tells must not depend on what
// the debugger looks at.
bool line_event(const Frame *frame, LineReader reader);
void line_events_read(LineReader reader, bool reads); // is it told of instructions now?

// For the loop: everybody has been told of the instruction at frame->ip.
void line_event_passed(Frame *frame);
// For the loop: the instruction at frame->ip has raised, and a handler of the frame is next.
void line_event_handler(Frame *frame);
// For a reader who was not told of all instructions, and wants to know of jumps that it has seen:
// what was remembered until now is forgotten, in all frames.
void line_events_forget(LineReader reader);
