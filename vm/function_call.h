// Calling functions written in script: binding arguments, making frames.
//
//     C code         object_call() -> function_type.call -> function_call() -> eval_frame()
//     the loop       function_frame() -> the loop goes on in the new frame
//
// Binding fills localsplus: positional arguments, then keyword ones, then defaults; *args and
// **kwargs behind the parameters; an argument that is a cell moves into its cell; free variables
// come from the closure. All TypeErrors are CPython 3.9's.
#pragma once

#include "frames/frame.h"
#include "vm/quicken.h"

#include "objects/function.h"

// The slot `call` of function_type.
Value function_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);

// A frame for a call, its arguments bound, not yet entered. Arguments are retained. NULL: *made is
// the generator (or coroutine) that the call gives, or VALUE_ERROR with an exception pending.
Frame *function_frame(Function *function, const ValueRef *args, size_t nargs, ValueRef kwnames,
                      Value *made);
// The same for f(*args, **kwargs), with `self` in front; `self` and `kwargs` may be 0.
Frame *function_frame_spread(Function *function, ValueRef self, ValueRef args, ValueRef kwargs,
                             Value *made);

// With so many positional arguments and none by name: how many defaults complete the call, where
// there is nothing else to do but to move them; below 0, there is.
static inline ssize_t call_missing(const QuickCode *quick, const Function *function, size_t nargs)
{
    ssize_t missing = quick->exact - (ssize_t)nargs;
    if (missing <= 0) return missing;
    return function->defaults && tuple_size(function->defaults) >= missing ? missing : -1;
}

// Fills the slots of a frame that is empty but for its header. `function` may be NULL: no defaults,
// no closure. False with TypeError (or MemoryError) pending.
bool frame_bind(Frame *frame, const Function *function, const ValueRef *args, size_t nargs,
                ValueRef kwnames);
// The last step of binding: cells and free variables.
bool frame_link(Frame *frame, const Function *function);

// Runs code that takes no arguments (a module, a class body, exec and eval). `locals` may be 0: the
// globals. `function` is the one whose closure it gets, or NULL.
Value code_run(Code *code, ValueRef globals, ValueRef locals, const Function *function);
