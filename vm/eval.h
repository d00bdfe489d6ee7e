// The evaluator: the loop that runs frames.
//
// The loop exists twice, compiled from one source (vm/eval.c): run_plain() is the fast one;
// run_observed() counts ticks and calls the observers before every instruction (frames/observe.h).
#pragma once

#include "frames/frame.h"

// The default evaluator of PEP 523, for hooks to call: runs the frame until it returns, yields or
// raises. Links it to the frame that runs now. Does not end it: the function that made it does.
// SystemError if it has run already, or if `throwflag` is not whether an exception is pending.
Value eval_frame_default(ThreadState *thread, Frame *frame, int throwflag);

// Sets up the frame stack, the default evaluator and the upcalls to the loop. False if there is no
// memory.
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
// The frame's result; under LOOP_POLLS also LOOP_AGAIN, which no script sees: the frame that runs
// now is to be gone on with.
Value run_plain(Frame *frame, LoopEntry entry);
Value run_observed(Frame *frame, LoopEntry entry);
#define LOOP_AGAIN IMMEDIATE(IMMEDIATE_COUNT)
extern int loop_polls_left;

// Runs pending signal handlers and the collector, and other threads when the turn of this one is
// over. False with an exception pending.
bool eval_poll(void);

// Ends a frame that the loop entered itself and that has raised. Returns its caller's frame, to
// continue there.
Frame *frame_leave_raising(Frame *frame);

// DEBUG_TRACE: one line on stderr, the instruction and the types on the value stack.
void eval_trace(const Frame *frame, const Instruction *ip, const Value *sp);

// The loop's invariants (defined under DEBUG_INVARIANTS): what holds before each instruction, and
// at the end of a frame.
bool instruction_is_sound(const Frame *frame, const Instruction *ip, const Value *sp);
bool frame_may_end(const Frame *frame);
