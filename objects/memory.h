// The one allocator: nothing else in minivm calls malloc, free or mmap.
//
// Objects live in one reserved region, so that id() and the default hash, which are places in that
// region, are the same in every run. Buffers (the items of a list, the table of a dict, an arena)
// come from the same file and are counted in the same way.
//
// Every allocation may fail: the functions return NULL and set no exception; a caller that makes an
// object reports it through raise_memory_error() (objects/error.h). Sizes are in bytes. Blocks are
// aligned to 16.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool memory_init(void);
// Gives everything back. In a DEBUG_MEMORY build asserts that no block is left, and lists those
// that are.
void memory_finish(void);

// Memory for an object, inside the region.
void *memory_alloc_object(size_t size);
void memory_free_object(void *block);

// Memory for a buffer. memory_resize() keeps the old block when it fails. memory_free(NULL) does
// nothing.
void *memory_alloc(size_t size);
void *memory_alloc_zeroed(size_t size);
void *memory_resize(void *block, size_t size);
void memory_free(void *block);

// The place of an object: what id() returns. Positive, the same in every run.
int64_t memory_place(const void *object);

typedef struct MemoryCounts {
    size_t blocks;      // live blocks
    size_t bytes;       // live bytes
    size_t peak_bytes;  // the most there ever were
    size_t allocations; // calls that allocated, since the start
} MemoryCounts;
MemoryCounts memory_counts(void);

// Fail the n-th allocation from now (1 = the next), or with `from_then_on` that one and all that
// follow; 0 = never.
void memory_fail_at(size_t n, bool from_then_on);
// Refuse to hold more than this many bytes; 0 = no limit.
void memory_set_limit(size_t bytes);
