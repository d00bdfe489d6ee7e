// The depth of recursion: frames and calls from C into script code. It is counted against
// sys.setrecursionlimit() as in CPython. The C stack is measured by address, so that no limit a
// script sets can overflow it.
//
// A function that recurses increments recursion_depth and compares it with recursion_bound, the
// smaller of the limit and MAX_FRAMES.
#pragma once

#include "objects/config.h"
#include "objects/value.h"

extern int recursion_depth;
extern int recursion_limit; // what sys.getrecursionlimit() says; changed by stack_set_limit() only
extern int recursion_bound;
extern char *stack_floor; // the C stack may not grow below
extern char *stack_top;   // where it begins, as far as that is known

void stack_init(void);
// ValueError, or RecursionError if recursion_depth is too large for that limit already.
bool stack_set_limit(int limit);

// Called after recursion_depth was incremented. If it is over the bound or the C stack is full,
// decrements it and raises RecursionError "maximum recursion depth exceeded<where>". Else returns
// true.
bool stack_overflow(const char *where);

// Tests the C stack only: true while there is room. For recursion that is not counted (the parser,
// a deep repr). The weight becomes a part of the caller's frame (config.h says what for).
static inline __attribute__((always_inline)) bool stack_has_room(void)
{
#if STACK_WEIGHT
    char weight[STACK_WEIGHT];
    __asm__ volatile("" : : "r"(weight) : "memory");
    return weight > stack_floor;
#else
    return (char *)__builtin_frame_address(0) > stack_floor;
#endif
}

// The same; raises RecursionError if there is no room.
bool stack_raise_full(void);
static inline __attribute__((always_inline)) bool stack_check_room(void)
{
    return stack_has_room() || stack_raise_full();
}

// Enters one level: false with RecursionError pending, whose text ends with `where`, e.g. " while
// calling a Python object". Each call that returns true needs a stack_leave().
static inline bool stack_enter(const char *where)
{
    if (++recursion_depth <= recursion_bound && stack_has_room()) return true;
    return stack_overflow(where);
}
static inline void stack_leave(void)
{
    invariant(recursion_depth > 0, "a level that is left was entered");
    recursion_depth--;
}
