// Binds a call's arguments to the slots of its frame.
//
// Binding fills localsplus: first with the positional arguments, then with the keyword arguments,
// then with defaults. *args and **kwargs come after the parameters. A parameter that inner
// functions use moves into its cell. Free variables come from the closure. All TypeErrors are
// CPython 3.9's.
#pragma once

#include "frames/frame.h"
#include "objects/function.h"

// For a call with `nargs` positional arguments and no keywords: how many defaults are missing, if
// moving arguments and defaults is all there is to do; below 0 if it is not.
static inline ssize_t positional_missing(const QuickCode *quick, const Function *function,
                                         size_t nargs)
{
    ssize_t missing = quick->simple_argcount - (ssize_t)nargs;
    if (missing <= 0) return missing;
    return function->defaults && tuple_size(function->defaults) >= missing ? missing : -1;
}

// Begins the frame of a call that only moves its arguments: takes the memory, which the caller has
// checked to be there, and fills the header except `ip` and `sp`, which the loop has in registers.
// The loop moves the arguments. Steals `owner`, the function.
static inline Frame *frame_begin_exact(const QuickCode *quick, Frame *previous,
                                       const Function *function, Value owner, uint32_t flags)
{
    Frame *frame = (Frame *)thread_state.top;
    thread_state.top += quick->frame_words;
    frame->previous = previous;
    frame->code = function->code;
    object_of(frame->code)->refcount++;
    frame->globals_owner = owner;
    frame->globals = function->globals;
    frame->flags = flags;
    frame->block_count = 0;
    return frame;
}

// Fills the slots of a frame of which only the header is filled. `function` may be NULL: no
// defaults, no closure. False with TypeError (or MemoryError) pending.
bool bind_arguments(Frame *frame, const Function *function, const ValueRef *args, size_t nargs,
                    ValueRef kwnames);
// The last step of binding: cells and free variables.
bool bind_closure(Frame *frame, const Function *function);
