// --trace-cache: a line on stderr for every decision of the cache.
#pragma once

// From now on.
void trace_cache_start(void);
