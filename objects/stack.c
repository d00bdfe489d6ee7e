// The depth of recursion and the bounds of the C stack.
//
// As in CPython since 3.9.2, a handler gets no extra room: code that catches a RecursionError at
// the limit cannot call a function there.
//
// The C stack begins at the address that the system gives. Its size is the soft limit on the size
// of the stack, less a reserve in which an error can still be raised.
#include "objects/stack.h"

#include "objects/config.h"
#include "objects/error.h"

#include <string.h>
#include <sys/resource.h>

#define DEFAULT_LIMIT 1000
#define STACK_BYTES_MOST ((size_t)1 << 30) // taken if the system sets no limit
#define STACK_BYTES_UNLIMITED ((size_t)64 << 20)

extern char **environ;

int recursion_depth;
int recursion_limit = DEFAULT_LIMIT;
int recursion_bound = DEFAULT_LIMIT;
char *stack_floor;
char *stack_top;

// The environment lies above the first frame and is part of the size that the limit bounds.
static char *find_top(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = here;
    for (char **variable = environ; variable && *variable; variable++) {
        uintptr_t end = (uintptr_t)*variable + strlen(*variable);
        if (end > top && end - here < STACK_BYTES_UNLIMITED) top = end;
    }
    return (char *)top;
}

static size_t stack_bytes(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return STACK_BYTES_UNLIMITED;
    return limit.rlim_cur < STACK_BYTES_MOST ? (size_t)limit.rlim_cur : STACK_BYTES_MOST;
}

void stack_init(void)
{
    size_t bytes = stack_bytes();
    size_t reserve = bytes > 4 * C_STACK_RESERVE ? C_STACK_RESERVE : bytes / 4;
    stack_top = find_top();
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

bool stack_check_room(void)
{
    return stack_has_room() || raise_error(RecursionError, "maximum recursion depth exceeded");
}

bool stack_overflow(const char *where)
{
    if (recursion_depth <= recursion_bound && stack_has_room()) return true;
    return too_deep(where);
}
