// The evaluator: the loop that runs frames.
//
// The loop exists twice, compiled from one source (vm/eval.c): run_plain() pays for nothing,
// run_observed() counts ticks and stops before every instruction for whoever observes
// (frames/observe.h).
#pragma once

#include "frames/frame.h"

// The default evaluator of PEP 523, for hooks to call: runs the frame until it returns, yields or
// raises. It is linked to the frame that runs now, and whoever made it ends it. SystemError where
// it has run already, or where `throwflag` does not say whether an exception is pending.
Value eval_frame_default(ThreadState *thread, Frame *frame, int throwflag);

// Makes the machine ready: the frame stack, the default evaluator, the slots that lead here.
// False where there is no memory.
bool eval_init(void);
void eval_finish(void);

typedef enum LoopEntry {
    LOOP_BEGIN,         // the frame starts, or is resumed, at the instruction after frame->ip
    LOOP_THROW,         // likewise, but the pending exception is raised there
    LOOP_GO_ON,         // as LOOP_BEGIN and
    LOOP_GO_ON_RAISING, // LOOP_THROW, in the middle of a frame that the other loop has run so far
    LOOP_DIVERT,        // no frame: from now on each instruction goes to the label `diversion`,
    LOOP_RESTORE,       // or no longer
} LoopEntry;
Value run_plain(Frame *frame, LoopEntry entry);
Value run_observed(Frame *frame, LoopEntry entry);

// A signal or the collector waits: does what is to be done. False with an exception pending.
bool eval_poll(void);

// Leaves a frame that the loop entered itself and that has raised: the caller's, to go on there.
Frame *frame_leave_raising(Frame *frame);

// DEBUG_TRACE: one line on stderr, the instruction and the types on the value stack.
void eval_trace(const Frame *frame, const Instruction *ip, const Value *sp);

// For the loop's invariants (defined under DEBUG_INVARIANTS): what an instruction, and the end of a
// frame, can rely on.
bool instruction_is_sound(const Frame *frame, const Instruction *ip, const Value *sp);
bool frame_may_end(const Frame *frame);
