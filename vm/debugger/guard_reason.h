// Finds which part of a guard written in Python has failed, by torch._dynamo.guards (vm/lib/torch).
//
// That runs code of the program, so it runs in a copy of the process: tracing must not change what
// the program does. If no copy can be forked, or the code raises an exception, there is no reason.
#pragma once

#include "frames/cache/cache.h"

// Registers this with the cache, for its observers. Without memory it registers nothing.
void guard_reason_start(void);
