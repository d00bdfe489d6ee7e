// PEP 523: the function that evaluates frames, and what its users keep on code objects.
//
// Whoever installs a function of its own sees every frame before it runs, and the resumption of
// every generator. It may run the frame by eval_frame_default() of vm/eval.h (eval_frame_first()
// returns it), or do something else and return a value. As in CPython 3.9 there is one pointer;
// hooks chain by remembering the one before.
//
// co_extra: a user asks for an index once, and may then keep a pointer under it on any code object.
#pragma once

#include "frames/frame.h"

// Runs a frame through the pointer. Links it to the frame that runs now; pushes and pops nothing.
static inline Value eval_frame(Frame *frame, int throwflag)
{
    return thread_state.eval_frame(&thread_state, frame, throwflag);
}

EvalFrameFn eval_frame_get(void);
void eval_frame_set(EvalFrameFn function); // NULL = the default
// The loop. vm_init() announces it once.
EvalFrameFn eval_frame_first(void);
void eval_frame_set_first(EvalFrameFn function);

// Whoever wants to see the events of all frames that start from now on; NULL = nobody.
void observer_set(ObserverFn observer);

// The index and what is kept under it belong to the interpreter and to the code object; a user asks
// for the index once and copes with finding nothing under it.
#define MAX_EXTRA_USERS 255
typedef void (*ExtraFreeFn)(void *extra); // must take NULL; may run script code
typedef void (*ExtraTraverseFn)(void *extra, VisitFn visit, void *arg); // never gets NULL
// The index of a new user, -1 where there are 254 already. Either function may be NULL; `traverse`
// visits the values that the extra owns, so that the collector finds cycles through it.
int extra_request_index(ExtraFreeFn release, ExtraTraverseFn traverse);
void *code_get_extra(const Code *code, int index); // NULL = nothing
// The old value is let go once the new one is in its place, for that may run script code which
// comes here again. False with SystemError (no such index) or MemoryError pending.
bool code_set_extra(Code *code, int index, void *extra);
// The doors doors.release_extra and doors.traverse_extra.
void code_release_extra(Code *code);
void code_traverse_extra(Code *code, VisitFn visit, void *arg);
