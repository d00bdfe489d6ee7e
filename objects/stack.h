// How deep we are: frames and calls of C through script code, counted against
// sys.setrecursionlimit() as in CPython, and the C stack measured by address, so that no limit a
// script sets can overflow it.
#pragma once

#include "objects/value.h"

extern int recursion_depth, recursion_limit;

void stack_init(void);
// RecursionError "maximum recursion depth exceeded<where>", e.g. " while calling a Python object".
// Pair with leave.
bool stack_enter(const char *where);
static inline void stack_leave(void)
{
    recursion_depth--;
}
// The C stack alone: true while there is room. For recursion that no script counts (a parser, a
// deep repr).
bool stack_has_room(void);
