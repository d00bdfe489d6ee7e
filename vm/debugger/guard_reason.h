// Which part of a guard written in Python fails: torch._dynamo.guards (vm/lib/torch) says so.
//
// It runs code of the program, so it is asked in a copy of the process: the program that is traced
// does what it does untraced. Where no copy can be made, or an exception is raised in it, nothing
// is said.
#pragma once

#include "frames/cache/cache.h"

// From now on the cache asks here, for whoever listens to it. Without memory it does not.
void guard_reason_start(void);
