// Calling functions written in script: making frames and running them.
//
//     C code         object_call() -> function_type.call -> function_call() -> eval_frame()
//     the loop       function_frame() -> the loop goes on in the new frame
#pragma once

#include "frames/bind.h"
#include "frames/frame.h"
#include "vm/quicken.h"

#include "objects/function.h"

// The slot `call` of function_type.
Value function_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);

// Makes a frame for a call and binds its arguments, which are retained; does not enter it. NULL:
// *made is the generator (or coroutine) that the call returns, or VALUE_ERROR with an exception
// pending.
Frame *function_frame(Function *function, const ValueRef *args, size_t nargs, ValueRef kwnames,
                      Value *made);
// The same for f(*args, **kwargs), with `self` in front; `self` and `kwargs` may be 0.
Frame *function_frame_spread(Function *function, ValueRef self, ValueRef args, ValueRef kwargs,
                             Value *made);

// Runs code that takes no arguments (a module, a class body, exec and eval). `locals` 0 = the
// globals. `function`: its closure is used; NULL = none.
Value code_run(Code *code, ValueRef globals, ValueRef locals, const Function *function);
