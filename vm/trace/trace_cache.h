// --trace-cache: a line on stderr for every decision of the cache.
#pragma once

#include "frames/cache/cache.h"

// From now on.
void trace_cache_start(void);
// The line for a decision, with its newline: an owned str. `error` is what was pending; nothing is
// meanwhile.
Value trace_cache_text(int decision, Frame *frame, const ExtraState *extra, const CacheEntry *entry,
                       ValueRef error);
