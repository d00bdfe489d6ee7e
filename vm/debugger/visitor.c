// See visitor.h.
#include "vm/debugger/visitor.h"

#include "frames/observe.h"
#include "vm/builtins/frame_builtins.h"
#include "vm/debugger/condition.h"
#include "vm/debugger/journal.h"
#include "vm/debugger/session.h"
#include "vm/debugger/watch.h"
#include "vm/growing.h"
#include "vm/outside/processes.h"

#include "objects/config.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/upcalls.h"

#include <signal.h>

#define VISITOR_DEPTH 1000

bool is_visitor;
EvalFrameFn visited_evaluator;
bool (*visitor_signals)(void);

void visitor_become(void)
{
    outside_end_with_parent();
    is_visitor = true;
    cells_unfollow();
    gc_pause(true); // a finalizer of the program's garbage may print
    journal_detach();
    if (!growing_undo()) error_clear();
    for (int role = 0; role < OBSERVER_ROLES; role++) observer_set(role, NULL);
    ticks_stop();
    visited_evaluator = eval_frame_get();
    eval_frame_set(NULL);
    upcalls.observe_cache = NULL;
    if (visitor_signals) upcalls.signal_check = visitor_signals;
    recursion_depth = 0;
    recursion_bound = recursion_limit = VISITOR_DEPTH;
    stack_floor -= C_STACK_RESERVE / 2;
}

static bool drop_interrupt(void)
{
    (void)outside_take_interrupt();
    outside_forget_signal(SIGINT);
    return true;
}

void visitor_heed_interrupts(bool heeds)
{
    upcalls.signal_check = heeds ? visitor_signals : drop_interrupt;
}

static int answer_of(Frame *frame, const char *text)
{
    ValueRef locals = frame_locals(frame);
    Value code = locals ? condition_compile(text) : VALUE_ERROR;
    Value result = code ? run_code("eval", code, frame->globals, locals) : VALUE_ERROR;
    bool truth;
    if (!result || !object_truth(result, &truth)) return ANSWER_ERROR;
    return truth ? ANSWER_YES : ANSWER_NO;
}

VisitorAnswer visitor_ask(Frame *frame, const char *text)
{
    int process = session_fork(), status = ANSWER_ERROR;
    if (process == 0) {
        visitor_become();
        outside_end(answer_of(frame, text));
    }
    if (process < 0 || !outside_wait(process, &status)) return ANSWER_ERROR;
    return status == ANSWER_YES || status == ANSWER_NO ? (VisitorAnswer)status : ANSWER_ERROR;
}
