// --trace-cache: a line on stderr for every decision of the cache. --trace-compile: what is decided
// about frames of the program, and between that what the compiler tells.
#pragma once

#include "frames/cache/cache.h"

// Starts tracing, of the former or the latter.
void trace_cache_start(void);
void trace_compile_start(void);
// Not of the library or of a graph: what these do is not the program's.
bool trace_is_of_program(const Frame *frame);
// The line for a decision, with its newline: an owned str. `error`: the exception that was pending;
// none is pending during the call.
Value trace_cache_text(int decision, Frame *frame, const ExtraState *extra, const CacheEntry *entry,
                       ValueRef error);
