// The module `_sockets`: what os and files do by the descriptor of a socket in memory.
//
//     attach(ends, read, write, forget, share)    by vm/lib/_socket.mpy, once: `ends` is its dict
//                                                 of the descriptors that are sockets
//     read(fd, size)          bytes               write(fd, bytes)     how many were taken
//     forget(fd)              is closed           share(fd, other)     `other` is one more of it
//
// The system knows such a descriptor as the end of a pipe that nobody has the other end of.
#include "objects/bytes/bytes.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/upcalls.h"

#include <errno.h>
#include <string.h>

typedef enum Attached { ENDS, READ, WRITE, FORGET, SHARE, ATTACHED } Attached;

static Value attached[ATTACHED];

static bool is_socket(int descriptor)
{
    if (descriptor < 0) return false;
    ValueRef end = dict_peek_key(attached[ENDS], from_small(descriptor), descriptor);
    return end && end != ABSENT;
}

static Value call(Attached function, int descriptor, ValueRef argument)
{
    Value held = retain(attached[function]);
    Value result = object_call_two(held, from_small(descriptor), argument);
    drop(held);
    return result;
}

// -1. A socket that does not wait is told as the system does.
static ssize_t failed(void)
{
    bool not_now = error_is(BlockingIOError);
    if (not_now) error_clear();
    errno = not_now ? EAGAIN : EINVAL;
    return -1;
}

static ssize_t read_socket(int descriptor, void *bytes, size_t size)
{
    Value wanted = int_new((int64_t)size);
    Value result = wanted ? call(READ, descriptor, wanted) : VALUE_ERROR;
    drop(wanted);
    if (!result) return failed();
    size_t count = bytes_check(result) ? (size_t)as_bytes(result)->size : 0;
    if (count > size) count = size;
    if (count) memcpy(bytes, as_bytes(result)->data, count);
    drop(result);
    return (ssize_t)count;
}

static ssize_t write_socket(int descriptor, const void *bytes, size_t size)
{
    ssize_t count = -1;
    Value data = bytes_new(bytes, size);
    Value result = data ? call(WRITE, descriptor, data) : VALUE_ERROR;
    drop(data);
    if (result && !object_as_ssize(result, &count, OverflowError)) count = -1;
    drop(result);
    if (count < 0) return failed();
    return count > (ssize_t)size ? (ssize_t)size : count;
}

static bool forget_socket(int descriptor)
{
    Value done = call(FORGET, descriptor, NONE);
    drop(done);
    return done;
}

static bool share_socket(int descriptor, int other)
{
    Value done = call(SHARE, descriptor, from_small(other));
    drop(done);
    return done;
}

// What was attached before may ask for a descriptor as it is dropped.
static void take(const ValueRef *values, const SocketCalls *calls)
{
    Value before[ATTACHED];
    memcpy(before, attached, sizeof before);
    for (Attached i = ENDS; i < ATTACHED; i++) attached[i] = values ? retain(values[i]) : 0;
    upcalls.sockets = calls;
    for (Attached i = ENDS; i < ATTACHED; i++) drop(before[i]);
}

static Value attach(FUNCTION_ARGS)
{
    static const SocketCalls calls = {is_socket, read_socket, write_socket, forget_socket,
                                      share_socket};
    if (!dict_check(args[ENDS])) return raise_error(TypeError, "attach() wants a dict");
    take(args, &calls);
    return NONE;
}

static void finish(void)
{
    take(NULL, NULL);
}

static const MethodDef functions[] = {
    {"attach", attach, ARGS(ATTACHED, ATTACHED), NULL},
    {0},
};

const ModuleDef _sockets_module = {.name = "_sockets", .functions = functions, .finish = finish};
