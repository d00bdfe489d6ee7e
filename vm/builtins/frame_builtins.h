// What builtins and sys do with the frame that runs: a builtin function has no frame of its own, so
// thread_state.frame is its caller's.
#pragma once

#include "objects/object.h"

// builtins: each is a CallFn for the table of builtins.
Value builtin_globals(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value builtin_locals(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value builtin_vars(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames); // 0..1
Value builtin_dir(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);  // 0..1

// sys: _getframe(depth=0), exc_info().
Value sys_getframe(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value sys_exc_info(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);

// The door upcalls.bind_super: super() without arguments finds them in the frame.
bool super_bind_from_frame(ValueRef self);
// super(), without the detour through the type's call.
Value super_of_frame(void);

// exec and eval of a code object. `globals` and `locals` as the script gave them, 0 or None where
// it did not: then the running frame's. Checks their types and puts __builtins__ into globals;
// `function` is "exec" or "eval", for messages. `run_scopes` finds the two: borrowed.
bool run_scopes(const char *function, ValueRef *globals, ValueRef *locals);
Value run_code(const char *function, ValueRef code, ValueRef globals, ValueRef locals);
