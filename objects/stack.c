// The depth of recursion and the bounds of the C stack.
//
// As in CPython since 3.9.2, a handler gets no extra room: code that catches a RecursionError at
// the limit cannot call a function there.
//
// The C stack begins at the address that the system gives, which also says its size. A reserve is
// left in which an error can still be raised.
#include "objects/stack.h"

#include "objects/config.h"
#include "objects/error.h"
#include "objects/memory/system_memory.h"

#define DEFAULT_LIMIT 1000

int recursion_depth;
int recursion_limit = DEFAULT_LIMIT;
int recursion_bound = DEFAULT_LIMIT;
char *stack_floor;
char *stack_top;

void stack_init(void)
{
    size_t bytes;
    stack_top = system_stack(&bytes);
    size_t reserve = bytes > 4 * C_STACK_RESERVE ? C_STACK_RESERVE : bytes / 4;
    stack_floor = stack_top - bytes + reserve;
    recursion_depth = 0;
    recursion_limit = recursion_bound = DEFAULT_LIMIT;
}

// The bound for a limit: at most MAX_FRAMES.
static int most(int limit)
{
    return limit < MAX_FRAMES ? limit : MAX_FRAMES;
}

bool stack_set_limit(int limit)
{
    if (limit < 1) {
        raise_error(ValueError, "recursion limit must be greater or equal than 1");
        return false;
    }
    if (recursion_depth >= limit) {
        raise_error(RecursionError,
                    "cannot set the recursion limit to %d at the recursion depth %d: the limit is "
                    "too low",
                    limit, recursion_depth);
        return false;
    }
    recursion_limit = limit;
    recursion_bound = most(limit);
    return true;
}

static bool too_deep(const char *where)
{
    recursion_depth--;
    raise_error(RecursionError, "maximum recursion depth exceeded%s", where);
    return false;
}

bool stack_raise_full(void)
{
    return raise_error(RecursionError, "maximum recursion depth exceeded");
}

bool stack_overflow(const char *where)
{
    if (recursion_depth <= recursion_bound && stack_has_room()) return true;
    return too_deep(where);
}
