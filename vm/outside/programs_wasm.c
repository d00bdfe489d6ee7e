// Other programs and libraries for WebAssembly: there are none (outside.h). See system.h.
#include "vm/outside/outside.h"

#include <errno.h>

ssize_t outside_run(const char *const *command, const void *input, size_t size, int *status,
                    char *answer, size_t room)
{
    (void)command, (void)input, (void)size, (void)status, (void)answer, (void)room;
    errno = ENOSYS;
    return -1;
}

bool outside_load(SharedLibrary *library, const void *bytes, size_t size)
{
    (void)bytes, (void)size;
    library->handle = NULL;
    errno = ENOSYS;
    return false;
}

void *outside_symbol(const SharedLibrary *library, const char *name)
{
    (void)library, (void)name;
    return NULL;
}

void outside_unload(SharedLibrary *library)
{
    (void)library;
}
