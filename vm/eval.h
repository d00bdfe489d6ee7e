// The evaluator: the loop that runs frames.
//
// The loop exists twice, compiled from one source (vm/eval.c): run_plain() pays for nothing,
// run_observed() stops before every instruction for whoever observes (hook.h: observer_set()).
#pragma once

#include "frames/frame.h"

// The default evaluator of PEP 523, for hooks to call: runs the frame until it returns, yields or
// raises. It is linked to the frame that runs now, and whoever made it ends it. SystemError where
// it has run already, or where `throwflag` does not say whether an exception is pending.
Value eval_frame_default(ThreadState *thread, Frame *frame, int throwflag);

// Makes the machine ready: the frame stack, the default evaluator, the slots that lead here.
// `builtins` gives the dict of builtins. False where there is no memory.
bool eval_init(ValueRef (*builtins)(void));
void eval_finish(void);

Value run_plain(Frame *frame, bool throwing);
Value run_observed(Frame *frame, bool throwing);

// A signal or the collector waits: does what is to be done. False with an exception pending.
bool eval_poll(void);

// Leaves a frame that the loop entered itself and that has raised: the caller's, to go on there.
Frame *frame_leave_raising(Frame *frame);

// DEBUG_TRACE: one line on stderr, the instruction and the types on the value stack.
void eval_trace(const Frame *frame, const Instruction *ip, const Value *sp);
