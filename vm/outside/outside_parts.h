// What the files of this folder share.
#pragma once

#include "objects/upcalls.h"
#include "vm/outside/outside.h"

// Every call that a recorder can answer is made through this; `live` makes it.
#define RECORDED(call, live)                                                                       \
    (!upcalls.recorder || !upcalls.recorder->attached ? (live)                                     \
     : upcalls.recorder->replay(call)                 ? (call)->result                             \
                                                      : upcalls.recorder->record(call, (live)))

// True where a system call that failed should be tried again; false with errno set.
bool outside_try_again(void);
