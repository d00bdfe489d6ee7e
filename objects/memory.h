// The one allocator: nothing else in minivm calls malloc, free or mmap.
//
// Objects live in one reserved region. id() and the default hash are offsets in that region, so
// they are the same in every run. Buffers (the items of a list, the table of a dict, an arena) come
// from the same region and are counted in the same way.
//
// Every allocation may fail: the functions then return NULL and set no exception. A caller that
// makes an object reports it by raise_memory_error() (objects/error.h). Sizes are in bytes. Blocks
// are aligned to 16 bytes.
#pragma once

#include "objects/invariant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Under the address sanitizer malloc() makes every block, so that the sanitizer sees each use after
// free.
#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEMORY_SANITIZED 1
#endif
#endif
#ifndef MEMORY_SANITIZED
#define MEMORY_SANITIZED 0
#endif

// Every block has a header of its own, and no allocation takes the fast path below.
#define MEMORY_HEADERS (DEBUG_MEMORY || MEMORY_SANITIZED)

bool memory_init(void);
// Frees everything. A DEBUG_MEMORY build lists the blocks that are still allocated, and asserts
// that there are none.
void memory_finish(void);

// Memory for an object, inside the region.
static inline void *memory_alloc_object(size_t size);
static inline void memory_free_object(void *block);
// Notes the offset of an object in its block, for the list of leaks and for memory_id().
static inline void memory_mark_object(void *block, size_t offset);

// Memory for a buffer. memory_resize() keeps the old block when it fails. memory_free(NULL) does
// nothing.
void *memory_alloc(size_t size);
void *memory_alloc_zeroed(size_t size);
// Repeats the first `unit` bytes of the block, at least one, until `total` are filled.
void memory_repeat(void *block, size_t unit, size_t total);
void *memory_resize(void *block, size_t size);
void memory_free(void *block);

// The object's offset in the region, which id() returns. Positive, the same in every run.
int64_t memory_id(const void *object);

typedef struct MemoryCounts {
    size_t blocks;        // live blocks
    size_t bytes;         // live bytes (those of whole blocks, where blocks have no headers)
    size_t peak_bytes;    // the most there ever were (counted by pages, where they have none)
    size_t touched_bytes; // live ones, and free ones that have not gone back to the system
    size_t allocations;   // calls that allocated, since the start
} MemoryCounts;
MemoryCounts memory_counts(void);

// Fail the n-th allocation from now (1 = the next), or with `from_then_on` that one and all that
// follow; 0 = never.
void memory_fail_at(size_t n, bool from_then_on);
// Refuse to hold more than this many bytes; 0 = no limit. (By pages, where blocks have no headers.)
// Before it refuses, an allocation calls reached(), which must not allocate; NULL = nothing is
// called.
void memory_set_limit(size_t bytes, void (*reached)(void));

// A zeroed block that this process shares with all processes forked from it. It is outside of the
// region, is not counted, and takes up real memory only where it is touched. NULL if the system has
// none, with errno set. memory_unshare() unmaps it in this process only; the size is the one that
// memory_share() got.
void *memory_share(size_t size);
// The same of this process alone, before the machine starts, and for good.
void *memory_set_aside(size_t size);
void memory_unshare(void *block, size_t size);

// ---- the fast path: the part of memory.c that it reads

#define MEMORY_PAGE_SHIFT 14 // 16 KiB
#define MEMORY_SMALL_MAX 512 // up to here a bucket for every 16 bytes
#define MEMORY_SMALL_BUCKETS (MEMORY_SMALL_MAX / 16 + 1)

typedef struct MemoryPage MemoryPage;
struct MemoryPage {
    void *free;    // a pool's free blocks: each begins with a pointer to the next
    uint32_t used; // its blocks in use
    bool slow;     // memory_free_slow() must see a block that comes back: a full pool, or no pool
    uint8_t state;
    uint8_t bucket;
    uint32_t carved;             // bytes of the pool that have been blocks already
    uint32_t size;               // of a block
    uint32_t count;              // pages of this span (in its first and its last page)
    MemoryPage *next, *previous; // pools with room, or free spans of about this length
    size_t bytes;                // what was asked for, where a whole span is one block
};

typedef struct MemoryHeap {
    char *region;                            // pages
    MemoryPage *pages;                       // what each of them is
    size_t allocations;                      // so far
    MemoryPage *pools[MEMORY_SMALL_BUCKETS]; // where the next block of each small bucket comes from
} MemoryHeap;
extern MemoryHeap memory_heap;

void *memory_alloc_slow(size_t size);
void memory_free_slow(void *block);
void memory_mark_slow(void *block, size_t offset);

// NULL if only the slow path can allocate it.
static inline void *memory_alloc_quick(size_t size)
{
    if (MEMORY_HEADERS || size > MEMORY_SMALL_MAX) return NULL;
    MemoryPage *pool = memory_heap.pools[(size + 15) / 16];
    void *block = pool->free;
    if (!block) return NULL;
    pool->free = *(void **)block;
    pool->used++;
    memory_heap.allocations++;
    return block;
}

static inline void *memory_alloc_object(size_t size)
{
    void *block = memory_alloc_quick(size);
    return block ? block : memory_alloc_slow(size);
}

static inline void memory_free_object(void *block)
{
    if (!MEMORY_HEADERS) {
        size_t index = (size_t)((char *)block - memory_heap.region) >> MEMORY_PAGE_SHIFT;
        MemoryPage *pool = &memory_heap.pages[index];
        if (!pool->slow && pool->used > 1) {
            *(void **)block = pool->free;
            pool->free = block;
            pool->used--;
            return;
        }
    }
    memory_free_slow(block);
}

static inline void memory_mark_object(void *block, size_t offset)
{
    if (MEMORY_HEADERS) memory_mark_slow(block, offset);
}
