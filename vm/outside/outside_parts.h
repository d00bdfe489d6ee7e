// What the files of this folder share.
#pragma once

#include "objects/upcalls.h"
#include "vm/outside/outside.h"
#include "vm/outside/system.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

// What the system has answered, with errno as the rest of minivm knows it.
static inline int64_t outside_answered(int64_t result)
{
    if (result < 0) errno = system_error(errno);
    return result;
}

// Every call that a recorder can answer is made through this; `live` makes it.
#define RECORDED(call, live)                                                                       \
    (!upcalls.recorder || !upcalls.recorder->attached ? outside_answered(live)                     \
     : upcalls.recorder->replay(call)                 ? (call)->result                             \
                                      : upcalls.recorder->record(call, outside_answered(live)))

// True where a system call that failed should be tried again; false with errno set.
bool outside_try_again(void);

// Makes a call until no signal interrupts it.
#define RETRIED(result, call)                                                                      \
    do (result) = (call);                                                                          \
    while ((result) < 0 && outside_try_again())

// The result of a call that makes a file, a folder or a link: counts that as output, unless the
// call has failed. The one that is too much is the last that is made.
int outside_made(int result, size_t text_size);

// Notes that a descriptor has become a duplicate of another: they share the position in the file.
void outside_set_duplicated(int descriptor, int duplicate);

// Opens the folder at a path that the program may use; NULL with errno set.
DIR *outside_open_folder(const char *path);

// Closes a descriptor, if there is one, and keeps errno.
static inline void outside_close_quietly(int descriptor)
{
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    errno = error;
}
