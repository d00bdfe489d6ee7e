// See io_descriptor.h.
#include "vm/io/io_descriptor.h"

#include "objects/upcalls.h"
#include "vm/outside/files.h"

#include <errno.h>

#define MOST_DESCRIPTORS 65536 // sockets are searched for no further

static bool is_socket(int descriptor)
{
    return upcalls.sockets && upcalls.sockets->has(descriptor);
}

ssize_t descriptor_read(int descriptor, void *bytes, size_t size)
{
    if (is_socket(descriptor)) return upcalls.sockets->read(descriptor, bytes, size);
    errno = EINTR; // where another thread has raised
    if (eval_breaker.strands && !upcalls.await_input(descriptor)) return -1;
    return outside_read(descriptor, bytes, size); // another thread may have closed it
}

ssize_t descriptor_write(int descriptor, const void *bytes, size_t size)
{
    return is_socket(descriptor) ? upcalls.sockets->write(descriptor, bytes, size)
                                 : outside_write(descriptor, bytes, size);
}

int descriptor_close(int descriptor)
{
    if (is_socket(descriptor) && !upcalls.sockets->forget(descriptor)) return -1;
    return outside_close(descriptor);
}

bool descriptor_close_range(int first, int end)
{
    int last = end < MOST_DESCRIPTORS ? end : MOST_DESCRIPTORS;
    for (int i = first < 0 ? 0 : first; upcalls.sockets && i < last; i++)
        if (is_socket(i) && !upcalls.sockets->forget(i)) return false;
    outside_close_range(first, end);
    return true;
}

int descriptor_duplicate(int descriptor, int wanted, bool inheritable)
{
    int copy = outside_duplicate(descriptor, wanted, inheritable);
    if (copy < 0 || copy == descriptor) return copy;
    if (is_socket(copy) && !upcalls.sockets->forget(copy)) return -1;
    return !is_socket(descriptor) || upcalls.sockets->share(descriptor, copy) ? copy : -1;
}
