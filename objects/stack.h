// How deep we are: frames and calls of C through script code, counted against
// sys.setrecursionlimit() as in CPython, and the C stack measured by address, so that no limit a
// script sets can overflow it.
//
// Whoever goes deeper increments recursion_depth and compares it with recursion_bound, which is the
// limit or MAX_FRAMES, whichever is less.
#pragma once

#include "objects/value.h"

extern int recursion_depth;
extern int recursion_limit; // what sys.getrecursionlimit() says; changed by stack_set_limit() only
extern int recursion_bound;
extern char *stack_floor; // the C stack may not grow below

void stack_init(void);
// ValueError, or RecursionError where we are too deep already for that limit.
bool stack_set_limit(int limit);

// Where a depth, already counted, is over the bound or the C stack is full: uncounts it and raises
// RecursionError "maximum recursion depth exceeded<where>". True where neither is so.
bool stack_overflow(const char *where);

// The C stack alone: true while there is room. For recursion that no script counts (a parser, a
// deep repr).
static inline bool stack_has_room(void)
{
    return (char *)__builtin_frame_address(0) > stack_floor;
}

// The same with RecursionError pending where there is none.
bool stack_check_room(void);

// One deeper: false with RecursionError pending, whose text ends with `where`, e.g. " while calling
// a Python object". Pair with leave.
static inline bool stack_enter(const char *where)
{
    if (++recursion_depth <= recursion_bound && stack_has_room()) return true;
    return stack_overflow(where);
}
static inline void stack_leave(void)
{
    invariant(recursion_depth > 0, "who leaves a level has entered it");
    recursion_depth--;
}
