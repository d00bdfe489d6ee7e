// The binding of a call's arguments to the slots of its frame.
//
// Binding fills localsplus: positional arguments, then keyword ones, then defaults; *args and
// **kwargs behind the parameters; an argument that is a cell moves into its cell; free variables
// come from the closure. All TypeErrors are CPython 3.9's.
#pragma once

#include "frames/frame.h"
#include "objects/function.h"

// With so many positional arguments and none by name: how many defaults complete the call, where
// there is nothing else to do but to move them; below 0, there is.
static inline ssize_t positional_missing(const QuickCode *quick, const Function *function,
                                         size_t nargs)
{
    ssize_t missing = quick->simple_argcount - (ssize_t)nargs;
    if (missing <= 0) return missing;
    return function->defaults && tuple_size(function->defaults) >= missing ? missing : -1;
}

// Fills the slots of a frame that is empty but for its header. `function` may be NULL: no defaults,
// no closure. False with TypeError (or MemoryError) pending.
bool bind_arguments(Frame *frame, const Function *function, const ValueRef *args, size_t nargs,
                    ValueRef kwnames);
// The last step of binding: cells and free variables.
bool bind_closure(Frame *frame, const Function *function);
