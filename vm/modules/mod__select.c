// The module `_select`: waiting for descriptors, for vm/lib/select.mpy.
//
//     poll((fd, events, fd, events, ...), milliseconds) -> (events, events, ...)
//
// poll(2): what each descriptor is ready for, once one of them is ready for anything, the time is
// over (-1 = as long as it takes), or the handler of a signal has run.
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/protocols/items.h"
#include "vm/modules/posix/posix.h"
#include "vm/outside/files.h"

#include <poll.h>

static bool read_polls(ValueRef numbers, struct pollfd *polls, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++) {
        int events;
        if (!argument_int(tuple_at(numbers, 2 * i), &polls[i].fd) ||
            !argument_int(tuple_at(numbers, 2 * i + 1), &events))
            return false;
        polls[i].events = (short)events;
        polls[i].revents = 0;
    }
    return true;
}

static Value events_of(const struct pollfd *polls, ssize_t count)
{
    Value events = tuple_new(count);
    for (ssize_t i = 0; events && i < count; i++)
        as_tuple(events)->items[i] = from_small(polls[i].revents);
    return events;
}

static Value poll_descriptors(FUNCTION_ARGS)
{
    int milliseconds;
    if (!argument_int(args[1], &milliseconds)) return VALUE_ERROR;
    if (!tuple_check(args[0]) || tuple_size(args[0]) % 2)
        return raise_error(TypeError, "poll() wants a tuple of descriptors and their events");
    ssize_t count = tuple_size(args[0]) / 2;
    struct pollfd *asked = memory_alloc(2 * (size_t)count * sizeof *asked + 1);
    if (!asked) return raise_memory_error();
    struct pollfd *answer = asked + count;
    Value events = VALUE_ERROR;
    if (read_polls(args[0], asked, count))
        events = outside_poll(asked, answer, (size_t)count, milliseconds)
                     ? events_of(answer, count)
                     : raise_posix();
    memory_free(asked);
    return events;
}

static const MethodDef functions[] = {
    {"poll", poll_descriptors, ARGS(2, 2), NULL},
    {0},
};

const ModuleDef _select_module = {.name = "_select", .functions = functions};
