// The reserved region and its pages, which all blocks come from. Private to memory.c and
// memory_region.c.
#pragma once

#include "objects/memory.h"

// The size of the region: 64 GiB, or 1 GiB if addresses have 32 bits.
#define REGION_BYTES ((size_t)1 << (sizeof(size_t) == 8 ? 36 : 30))

bool region_init(void);
void region_finish(void);

// Blocks without headers. Allocation is not counted, and fails only if the region is full or the
// limit is reached.
void *region_alloc(size_t size, bool zeroed);
void region_free(void *block);
void *region_resize(void *block, size_t size);

// While `every` is set, region_alloc() makes all allocations: the fast path of memory.h is off.
void region_count_every(bool every);
// Limits the bytes of the pages in use: see memory_set_limit().
void region_set_limit(size_t bytes, void (*reached)(void));
MemoryCounts region_counts(void);
// The offset of an address in the region, or -1.
int64_t region_offset(const void *address);
