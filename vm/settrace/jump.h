// Jumps to another line of a frame: `frame.f_lineno = n`, and the debugger's `jump`.
//
// The rules are those of CPython 3.9 (frameobject.c, frame_setlineno): no jump into a loop, a
// `try`, a `with` or an `except` from outside, and none out of an `except`. CPython compares blocks
// and loops only. Here the values that a statement needs must be on the value stack as well, so
// that every jump leaves the frame in a state that the verifier accepts (verify.h).
#pragma once

#include "frames/frame.h"

// Sets the frame's next instruction to the first one of the line, or of the next line that has
// code. The frame is about to begin an instruction (EVENT_OPCODE). Values that the target does not
// need are dropped, which may run script code. False with ValueError (or MemoryError) pending.
bool frame_jump(Frame *frame, int line);
// The upcall jump. `waits`: a generator that is at a `yield`. The value that it will be sent
// replaces the value that the first instruction pushes, as in CPython.
bool frame_set_lineno(Frame *frame, int line, bool waits);
