// The module `builtins`: every function that a script finds without importing anything.
//
// Those that look at the running frame (globals, locals, vars, dir, eval, exec, super) are in
// frame_builtins.c, those that print and read in builtins_io.c.
#pragma once

#include "objects/call.h"

bool builtins_init(void); // makes the module and puts it into sys.modules
void builtins_finish(void);
ValueRef builtins_dict(void); // borrowed
// Makes a new module: code that runs from now on in globals without __builtins__ does not see a
// script's changes to the old one.
bool builtins_renew(void);
ValueRef builtins_module(void); // borrowed

// builtins_io.c
Value builtin_print(FUNCTION_ARGS);
Value builtin_input(FUNCTION_ARGS);
// builtins_compile.c
Value builtin_compile(FUNCTION_ARGS);
Value builtin_eval(FUNCTION_ARGS);
Value builtin_exec(FUNCTION_ARGS);
// builtins_order.c
Value builtin_min(FUNCTION_ARGS);
Value builtin_max(FUNCTION_ARGS);
Value builtin_sum(FUNCTION_ARGS);
Value builtin_sorted(FUNCTION_ARGS);
Value builtin_round(FUNCTION_ARGS);
Value builtin_pow(FUNCTION_ARGS);
