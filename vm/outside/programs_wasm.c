// Other programs and libraries for WebAssembly: there are none (outside.h). See system.h.
#include "vm/outside/outside.h"

#include <errno.h>

bool outside_run(const Program *program, ProgramEnd *end, char *answer, size_t room)
{
    (void)program, (void)end, (void)answer, (void)room;
    errno = ENOSYS;
    return false;
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
