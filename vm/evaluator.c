// Around the loop: the default evaluator, leaving frames, polling, and the doors that lead here.
#include "vm/eval.h"

#include "frames/generator.h"
#include "frames/hook.h"
#include "vm/call.h"
#include "vm/frame_builtins.h"

#include "objects/config.h"
#include "objects/descriptor.h"
#include "objects/doors.h"
#include "objects/gc.h"
#include "objects/stack.h"

Value eval_frame_default(ThreadState *thread, Frame *frame, int throwflag)
{
    if (!stack_enter("")) return VALUE_ERROR;
    frame->previous = thread->frame;
    thread->frame = frame;
    frame->flags |= FRAME_ENTRY;
    bool observed = thread->observer || DEBUG_TRACE;
    Value result = observed ? run_observed(frame, throwflag) : run_plain(frame, throwflag);
    frame->flags &= ~(uint32_t)FRAME_ENTRY;
    thread->frame = frame->previous;
    stack_leave();
    return result;
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

bool eval_init(ValueRef (*builtins)(void))
{
    if (!frame_stack_init()) return false;
    thread_state.builtins = builtins;
    eval_frame_set_first(eval_frame_default);
    function_type.call = function_call;
    super_type.init = super_init;
    return true;
}

void eval_finish(void)
{
    drop_slot(&async_generator_firstiter);
    drop_slot(&async_generator_finalizer);
    frame_stack_finish();
}
