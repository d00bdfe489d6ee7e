// Other code on the variables of a frame: see custom_code.h.
#include "frames/cache/custom_code.h"

#include "objects/error.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

// ---- the rule

static bool raise_misfit(const Code *code, const char *what, ValueRef has, ValueRef wanted)
{
    return raise_error(ValueError,
                       "the code for '%S' has the %s %R, but its frame has %R; localsplus is taken "
                       "over by index, so new code must keep all variables of the original, in "
                       "their order (more may follow the locals)",
                       (ValueRef)code->name, what, has, wanted);
}

static bool begins_with(ValueRef names, ValueRef wanted)
{
    bool same = tuple_size(names) >= tuple_size(wanted);
    for (ssize_t i = 0; same && i < tuple_size(wanted); i++)
        same = str_equal(tuple_at(names, i), tuple_at(wanted, i));
    return same;
}

static bool same_names(ValueRef names, ValueRef wanted)
{
    return tuple_size(names) == tuple_size(wanted) && begins_with(names, wanted);
}

#define GENERATOR_FLAGS (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)
#define KIND_FLAGS (GENERATOR_FLAGS | CO_OPTIMIZED | CO_NEWLOCALS)

bool code_fits(Code *code, const Code *original)
{
    if (original->flags & GENERATOR_FLAGS)
        return raise_error(ValueError,
                           "the frame of '%S' is a generator's or coroutine's, for which there can "
                           "be no GuardedCode: it would start the body anew at every next()",
                           (ValueRef)original->name);
    if ((code->flags ^ original->flags) & KIND_FLAGS)
        return raise_error(ValueError,
                           "the code for '%S' is of another kind than its frame: co_flags are 0x%x "
                           "in place of 0x%x",
                           (ValueRef)original->name, code->flags, original->flags);
    if (code->nlocals < original->nlocals || !begins_with(code->varnames, original->varnames))
        return raise_misfit(original, "variables", code->varnames, original->varnames);
    if (!same_names(code->cellvars, original->cellvars))
        return raise_misfit(original, "cell variables", code->cellvars, original->cellvars);
    if (!same_names(code->freevars, original->freevars))
        return raise_misfit(original, "free variables", code->freevars, original->freevars);
    return upcalls.make_runnable(code);
}

// ---- the second frame

// Copies localsplus by index. Cells and free variables come after all locals, and the new code may
// have more locals.
static void copy_slots(Frame *frame, const Frame *original)
{
    const Code *old = as_code(original->code);
    size_t more = (size_t)(as_code(frame->code)->nlocals - old->nlocals);
    invariant(quick_of(old)->slots + more == quick_of(as_code(frame->code))->slots,
              "the new code has all variables of the original, and only locals more");
    for (size_t i = 0; i < quick_of(old)->slots; i++) {
        size_t index = i < (size_t)old->nlocals ? i : i + more;
        invariant(!frame->localsplus[index], "each slot is copied once");
        frame->localsplus[index] = retain(original->localsplus[i]);
    }
    const int function = CO_OPTIMIZED | CO_NEWLOCALS; // others have f_locals from the beginning
    if ((old->flags & function) != function) frame_set_locals(frame, retain(original->locals));
}

static __attribute__((noinline)) Value run_on_new_frame(ThreadState *thread, const Frame *original,
                                                        Code *code, EvalFrameFn evaluator)
{
    const QuickCode *quick = quick_of(code);
    Frame *frame = frame_push(quick);
    if (!frame) return VALUE_ERROR;
    frame_init(frame, quick, retain(original->globals_owner), original->globals);
    frame->previous = thread->frame;
    copy_slots(frame, original);
    Value result = evaluator(thread, frame, 0);
    frame_pop(frame);
    return result;
}

// ---- or the same frame, which costs less

// True if no script has seen the frame, every variable has the same index in both codes, and the
// frame is the last one on the frame stack, with room for the new code's value stack.
static bool can_change_code(const Frame *frame, const QuickCode *quick)
{
    const QuickCode *own = quick_of(as_code(frame->code));
    return !(frame->flags & (FRAME_OBJECT | FRAME_LOCALS)) && own->slots == quick->slots &&
           (Value *)frame + own->frame_words == thread_state.top &&
           (Value *)frame + quick->frame_words <= thread_state.limit;
}

// Afterwards the frame has its own code again and counts as begun, as the caller expects. But if a
// script has got the frame object meanwhile, the frame keeps the code that ran.
static Value run_on_same_frame(ThreadState *thread, Frame *frame, Code *code, EvalFrameFn evaluator)
{
    const QuickCode *quick = quick_of(code);
    Value own = frame->code;
    invariant(frame_lasti(frame) < 0, "a frame's code is changed before it begins");
    invariant(thread->top == (Value *)frame + quick_of(as_code(own))->frame_words,
              "a frame whose code changes is the last one on the frame stack");
    frame->code = retain(ref_of(code));
    frame->ip = (Instruction *)quick->instructions - 1;
    thread->top = (Value *)frame + quick->frame_words;
    Value result = evaluator(thread, frame, 0);
    if (frame->flags & FRAME_OBJECT) {
        drop(own);
    } else {
        frame->ip = (Instruction *)quick_of(as_code(own))->instructions;
        replace_slot(&frame->code, own);
    }
    return result;
}

Value frame_run_code(ThreadState *thread, Frame *frame, Code *code, EvalFrameFn evaluator)
{
    if (can_change_code(frame, quick_of(code)))
        return run_on_same_frame(thread, frame, code, evaluator);
    return run_on_new_frame(thread, frame, code, evaluator);
}
