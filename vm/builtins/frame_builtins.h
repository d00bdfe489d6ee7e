// Functions of builtins and sys that use the caller's frame. A builtin function has no frame of its
// own, so its caller's is thread_state.frame.
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

// The upcall bind_super: super() without arguments finds them in the frame.
bool super_bind_from_frame(ValueRef self);
// super(), called directly: the loop need not call the type.
Value super_of_frame(void);
// super().name, where that is a function: owned, and *self is its first argument, borrowed.
// VALUE_ERROR with nothing raised where super_of_frame() has to tell.
Value super_method_of_frame(ValueRef name, ValueRef *self);

// exec and eval of a code object. `globals` and `locals` are the script's arguments; 0 or None =
// those of the running frame. Checks their types and puts __builtins__ into globals; `function` is
// "exec" or "eval", for messages. `run_scopes` determines the two dicts: borrowed.
bool run_scopes(const char *function, ValueRef *globals, ValueRef *locals);
Value run_code(const char *function, ValueRef code, ValueRef globals, ValueRef locals);
