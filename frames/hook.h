// PEP 523: the function that evaluates frames, and what its users keep on code objects.
//
//     eval_frame_get(), eval_frame_set(mine)      remember the one before: hooks chain
//     Value mine(thread, frame, throwflag)        sees every frame before it runs, and every
//                                                 resumption of a generator
//
// A hook calls the one before, which in the end is eval_frame_default() of vm/eval.h, or it leaves
// the frame alone and returns a value, or VALUE_ERROR with an exception pending. Whoever made the
// frame ends it afterwards in any case. For a generator's frame, a value that comes from elsewhere
// counts as yielded, and the generator waits where it was. With `throwflag` the pending exception
// is about to be raised where the generator waits.
//
// There is one pointer, as in CPython 3.9. While it is the default, the loop goes from frame to
// frame by itself (thread_state.hooked is false) and calls from C go straight to the loop.
//
// co_extra: a user asks for an index once, and may then keep a pointer under it on any code object.
#pragma once

#include "frames/frame.h"

// Runs a frame through the pointer.
static inline Value eval_frame(Frame *frame, int throwflag)
{
    return thread_state.eval_frame(&thread_state, frame, throwflag);
}

EvalFrameFn eval_frame_get(void);
void eval_frame_set(EvalFrameFn function); // NULL = the default
EvalFrameFn eval_frame_first(void);        // the default
// Announces the default, and what stands for it while there is no hook: called once, by
// eval_init(). Forgets the users of co_extra.
void hook_init(EvalFrameFn function, EvalFrameFn unhooked);

// ---- co_extra
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
// For upcalls.release_extra and upcalls.traverse_extra.
void code_release_extra(Code *code);
void code_traverse_extra(Code *code, VisitFn visit, void *arg);
