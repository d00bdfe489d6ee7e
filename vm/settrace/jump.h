// Jumps to another line of a frame: `frame.f_lineno = n`, and the debugger's `jump`.
//
// The rules are those of CPython 3.9 (frameobject.c, frame_setlineno): not into a loop, a `try`, a
// `with` or an `except` from outside, nor out of an `except`. CPython goes by blocks and loops
// alone; here what a statement needs on the value stack must lie there as well, so that the jump
// leaves the frame as the verifier would have it (verify.h), whatever code it runs.
#pragma once

#include "frames/frame.h"

// The next instruction of the frame is to be the first of that line, or of the next one that has
// code. The frame is about to begin an instruction (EVENT_OPCODE). What the jump leaves behind on
// the stack is dropped, which may run script code. False with ValueError (or MemoryError) pending.
bool frame_jump(Frame *frame, int line);
// The door upcalls.jump. `waits`: a generator that is at a `yield`. What it will be sent takes the
// place of what the first instruction pushes, as in CPython.
bool frame_set_lineno(Frame *frame, int line, bool waits);
