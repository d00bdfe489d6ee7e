// PEP 523: the evaluator, which is the function that runs frames, and what its users keep on code.
//
//     installed            the hook set last, or default_evaluator: eval_frame_get() returns it
//     default_evaluator    eval_frame_default() of vm/eval.h: hooks see it, and chain to it
//     direct_evaluator     run_frame() of vm/evaluator.c: cheaper, used while there is no hook
//
//     no hook      thread_state.eval_frame -> direct_evaluator
//     A, then B    thread_state.eval_frame -> eval_frame_hooked() -> B -> A -> default_evaluator
//
// A hook is set with eval_frame_set(mine); it remembers the evaluator that was installed before, so
// hooks form a chain. mine(thread, frame, throwflag) is called for every frame before it runs and
// for every resumption of a generator. It calls the evaluator before it; or it does not run the
// frame, and returns a value, or VALUE_ERROR with an exception pending. The caller who made the
// frame also ends it, whatever the hook did. For a generator's frame, such a value counts as
// yielded, and the generator stays at its instruction. With `throwflag` the pending exception is to
// be raised where the generator waits.
//
// There is one pointer, as in CPython 3.9. While no hook is installed (thread_state.hooked is
// false), the loop enters and leaves frames itself, without a call in C.
//
// co_extra: a user requests an index once; under it the user may keep a pointer on any code object.
#pragma once

#include "frames/frame.h"

// Runs a frame by the evaluator.
static inline Value eval_frame(Frame *frame, int throwflag)
{
    return thread_state.eval_frame(&thread_state, frame, throwflag);
}

EvalFrameFn eval_frame_get(void);
void eval_frame_set(EvalFrameFn function); // NULL = default_evaluator
EvalFrameFn eval_frame_get_default(void);
// Registers the default evaluator, which hooks see, and the direct one, which runs frames while
// there is no hook. Called once, by eval_init(). Forgets the users of co_extra.
void hook_init(EvalFrameFn default_function, EvalFrameFn direct_function);

// ---- co_extra
// The index belongs to the interpreter, the pointer to the code object. A user must expect to find
// NULL under its index.
#define MAX_EXTRA_USERS 255
// code_release_extra() calls it for each slot of the row, so it must take NULL; code_set_extra()
// for a pointer that is not NULL. It may run script code.
typedef void (*ExtraFreeFn)(void *extra);
typedef void (*ExtraTraverseFn)(void *extra, VisitFn visit, void *arg); // never gets NULL
// The index of a new user, -1 if there are 254 already. Either function may be NULL. `traverse`
// visits the values that the extra owns, so that the collector finds cycles through it.
int extra_request_index(ExtraFreeFn release, ExtraTraverseFn traverse);
void *code_get_extra(const Code *code, int index); // NULL = nothing, or no such index
// Stores the new pointer first, then releases the old one: releasing may run script code, which may
// call this function again. False with SystemError (no such index) or MemoryError pending.
bool code_set_extra(Code *code, int index, void *extra);
// For upcalls.release_extra and upcalls.traverse_extra.
void code_release_extra(Code *code);
void code_traverse_extra(Code *code, VisitFn visit, void *arg);
