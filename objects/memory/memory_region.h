// The reserved region and its pages: where blocks come from. Private to memory.c, memory_region.c.
#pragma once

#include "objects/memory.h"

// What is asked for: 64 GiB, or 1 GiB where an address has 32 bits.
#define REGION_BYTES ((size_t)1 << (sizeof(size_t) == 8 ? 36 : 30))

bool region_init(void);
void region_finish(void);

// Blocks as they are: nothing is counted, nothing fails but for want of room and by the limit.
void *region_alloc(size_t size, bool zeroed);
void region_free(void *block);
void *region_resize(void *block, size_t size);

// While `every` is set no block is handed out but by region_alloc().
void region_count_every(bool every);
// At most so many bytes in pages that are in use; 0 = no limit.
void region_set_limit(size_t bytes);
MemoryCounts region_counts(void);
// The offset of an address in the region, or -1.
int64_t region_offset(const void *address);
