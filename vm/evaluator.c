// Around the loop: the default evaluator, leaving frames, polling, and the doors that lead here.
#include "vm/eval.h"

#include "frames/generator.h"
#include "frames/hook.h"
#include "frames/observe.h"
#include "vm/call.h"
#include "vm/frame_builtins.h"
#include "vm/outside.h"
#include "vm/quicken.h"

#include "objects/config.h"
#include "objects/descriptor.h"
#include "objects/doors.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/stack.h"

#include <stdio.h>

static void switch_loops(bool observed, bool each)
{
    run_plain(NULL, observed ? LOOP_DIVERT : LOOP_RESTORE);
    run_observed(NULL, each || DEBUG_TRACE ? LOOP_DIVERT : LOOP_RESTORE);
}

static bool is_observed(const ThreadState *thread)
{
    return !DEBUG_NO_OBSERVER && thread->observed;
}

static Value run_observed_frame(Frame *frame, LoopEntry entry)
{
    ticks_move_frame(frame->previous, frame);
    return run_observed(frame, entry);
}

// Back in the middle of the caller's instruction.
static void leave_observed_frame(Frame *frame)
{
    ticks_move_frame(frame, frame->previous);
    if (frame->previous && ticks_reach(frame->previous->ip + 1)) ticks_come_near();
}

// A generator that was left by an exception has ended, whatever a hook makes of the exception.
static Value run_frame(ThreadState *thread, Frame *frame, int throwflag)
{
    if (!stack_enter("")) return VALUE_ERROR;
    frame->previous = thread->frame;
    thread->frame = frame;
    frame->flags |= FRAME_ENTRY;
    LoopEntry entry = throwflag ? LOOP_THROW : LOOP_BEGIN;
    Value result = is_observed(thread) ? run_observed_frame(frame, entry) : run_plain(frame, entry);
    frame->flags &= ~(uint32_t)FRAME_ENTRY;
    thread->frame = frame->previous;
    if (is_observed(thread)) leave_observed_frame(frame);
    stack_leave();
    if (!result && (frame->flags & FRAME_GENERATOR))
        generator_of(frame)->state = GENERATOR_FINISHED;
    return result;
}

static bool may_run(Frame *frame)
{
    if (frame->flags & FRAME_ENTRY) return false;
    if (frame->flags & FRAME_GENERATOR) return generator_running(frame);
    return frame_lasti(frame) < 0;
}

Value eval_frame_default(ThreadState *thread, Frame *frame, int throwflag)
{
    if (!may_run(frame))
        return raise_error(SystemError, "eval_frame_default: the frame of '%S' has run already",
                           (ValueRef)as_code(frame->code)->name);
    if (!throwflag != !error_pending()) return raise_bad_call("eval_frame_default");
    return run_frame(thread, frame, throwflag);
}

Frame *frame_leave_raising(Frame *frame)
{
    Frame *caller = frame->previous;
    thread_state.frame = caller;
    recursion_depth -= frame->flags & FRAME_INIT ? 2 : 1;
    if (!(frame->flags & FRAME_GENERATOR)) {
        frame_pop(frame);
        return caller;
    }
    Generator *generator = generator_of(frame);
    generator_leave(generator);
    generator_convert_error(generator);
    generator_finish(generator);
    return caller;
}

bool eval_poll(void)
{
    if (!poll_signals()) return false;
    if (gc_pending) gc_poll();
    return true;
}

void eval_trace(const Frame *frame, const Instruction *ip, const Value *sp)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    int opcode = quick_opcode(quick, ip);
    const char *name = opcode_name(opcode);
    char line[400];
    int used = snprintf(line, sizeof line, "%5d %-22s %5u |", (int)(ip - quick->instructions) * 2,
                        name ? name : "?", quick_operand(quick, ip));
    const Value *slot = frame->localsplus + quick->slots;
    for (; slot < sp && used < (int)sizeof line - 60; slot++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %.40s",
                         *slot ? type_of(*slot)->name : "NULL");
    line[used++] = '\n';
    outside_write(2, line, (size_t)used);
}

bool eval_init(void)
{
    if (!frame_stack_init()) return false;
    hook_init(eval_frame_default, run_frame);
    observe_init(switch_loops);
    function_type.call = function_call;
    return true;
}

void eval_finish(void)
{
    drop_slot(&async_generator_firstiter);
    drop_slot(&async_generator_finalizer);
    drop_slot(&thread_state.builtin_names);
    frame_stack_finish();
}
