// The reserved region, its pages, and the pools in them.
//
//     region    | page | page | page | ... 16 KiB each, reserved as a whole, used from the left
//     pages     [  .      .      .   ... ] what each page is: one MemoryPage
//
// A page is a pool of blocks of one size (a "bucket"), or part of a span: a run of pages that is
// one large block, or free. A pool gives out blocks from a free list. A new pool is carved into
// blocks step by step, so that its pages are not touched before they are needed. Free spans are in
// lists by the logarithm of their length, and are joined with free neighbours. That is why the last
// page of a span knows its length, too.
//
// A large block begins a few hundred bytes after its span, by the number of its first page (its
// "colour"): blocks that all began where pages do would be in each other's way in the processor's
// caches, and slow to copy into each other.
//
// All decisions depend on offsets in the region, never on addresses. So the same requests in the
// same order get the same offsets.
#include "objects/memory/memory_region.h"

#include "objects/memory/system_memory.h"

#include <string.h>

#define PAGE_BYTES ((size_t)1 << MEMORY_PAGE_SHIFT)
#define REGION_BYTES_LEAST ((size_t)64 << 20)
#define COMMIT_PAGES 64  // the region grows by at least 1 MiB
#define CARVE_BYTES 4096 // a pool by the memory that one page fault brings
#define BIN_COUNT 32     // free spans of 1, 2-3, 4-7, ... pages
#define COLOURS 16
#define COLOUR_BYTES 64  // a line of the processor's cache
#define RETURN_PAGES 512 // a free span of 8 MiB goes back to the system

enum PageState { PAGE_UNUSED, PAGE_POOL, PAGE_LARGE, PAGE_FREE };

// Block sizes beyond the small buckets; a page divides into them with little left over.
static const uint16_t middle_sizes[] = {640,  768,  896,  1024, 1280, 1536, 1792,
                                        2048, 2720, 3264, 4096, 5456, 8192};
#define MIDDLE_BUCKETS (sizeof middle_sizes / sizeof *middle_sizes)
#define MIDDLE_MAX 8192
#define BUCKET_COUNT (MEMORY_SMALL_BUCKETS + MIDDLE_BUCKETS)

// The pool of every bucket that has none yet, and of all buckets while the fast path is off.
static MemoryPage no_pool;

static struct {
    char *reserved;
    size_t reserved_bytes;
    size_t page_limit;               // pages in the region
    size_t top;                      // pages from here on were never used
    size_t committed;                // pages from here on are not accessible yet
    size_t held, peak;               // pages in pools and large blocks
    MemoryPage *first[BUCKET_COUNT]; // pools with room
    MemoryPage *last[BUCKET_COUNT];  // the end of that list
    MemoryPage *spans[BIN_COUNT];    // free spans
    size_t limit;                    // bytes, 0 = none
    void (*limit_reached)(void);     // is called before an allocation is refused
    bool count_every;                // see region_count_every()
} heap;

// ---- pages and spans

static size_t page_index(const MemoryPage *page)
{
    return (size_t)(page - memory_heap.pages);
}

static char *page_memory(const MemoryPage *page)
{
    return memory_heap.region + page_index(page) * PAGE_BYTES;
}

static MemoryPage *page_of(const void *block)
{
    return &memory_heap.pages[(size_t)((const char *)block - memory_heap.region) / PAGE_BYTES];
}

static int bin_of(size_t count)
{
    int bin = 63 - __builtin_clzll(count);
    return bin < BIN_COUNT ? bin : BIN_COUNT - 1;
}

static void span_mark(MemoryPage *page, size_t count, enum PageState state)
{
    MemoryPage *end = page + count - 1;
    page->state = end->state = (uint8_t)state;
    page->count = end->count = (uint32_t)count;
    page->slow = true;
}

static void span_link(MemoryPage *page)
{
    invariant(page->state == PAGE_FREE && page[page->count - 1].count == page->count,
              "both ends of a free span know its length");
    MemoryPage **bin = &heap.spans[bin_of(page->count)];
    page->previous = NULL;
    page->next = *bin;
    if (*bin) (*bin)->previous = page;
    *bin = page;
}

static void span_unlink(MemoryPage *page)
{
    invariant(page->state == PAGE_FREE, "only free spans hang in the lists");
    invariant(!page->next || page->next->previous == page, "the list of free spans is linked back");
    if (page->previous)
        page->previous->next = page->next;
    else
        heap.spans[bin_of(page->count)] = page->next;
    if (page->next) page->next->previous = page->previous;
}

static bool commit(size_t top)
{
    if (top > heap.page_limit) return false;
    if (top <= heap.committed) return true;
    size_t count = top - heap.committed;
    if (count < COMMIT_PAGES) count = COMMIT_PAGES;
    if (count < heap.committed / 8) count = heap.committed / 8;
    if (count > heap.page_limit - heap.committed) count = heap.page_limit - heap.committed;
    char *start = memory_heap.region + heap.committed * PAGE_BYTES;
    if (!system_commit(start, count * PAGE_BYTES)) return false;
    heap.committed += count;
    return true;
}

static MemoryPage *span_at_top(size_t count)
{
    if (count > heap.page_limit - heap.top || !commit(heap.top + count)) return NULL;
    MemoryPage *page = &memory_heap.pages[heap.top];
    heap.top += count;
    return page;
}

static MemoryPage *span_find(size_t count)
{
    for (int bin = bin_of(count); bin < BIN_COUNT; bin++)
        for (MemoryPage *page = heap.spans[bin]; page; page = page->next)
            if (page->count >= count) return page;
    return NULL;
}

static bool over_limit(size_t count)
{
    if (!heap.limit || (heap.held + count) * PAGE_BYTES <= heap.limit) return false;
    if (heap.limit_reached) heap.limit_reached();
    return true;
}

// A span of exactly `count` pages; the caller sets its state. NULL if there is no room.
static MemoryPage *span_take(size_t count)
{
    if (over_limit(count)) return NULL;
    MemoryPage *page = span_find(count);
    if (!page) {
        page = span_at_top(count);
        if (!page) return NULL;
    } else {
        span_unlink(page);
        size_t rest = page->count - count;
        if (rest) {
            span_mark(page + count, rest, PAGE_FREE);
            span_link(page + count);
        }
    }
    heap.held += count;
    if (heap.held > heap.peak) heap.peak = heap.held;
    return page;
}

// Makes a span free, joined with the free spans beside it.
static void span_give(MemoryPage *page, size_t count)
{
    invariant(heap.held >= count, "the pages that are held include the span given back");
    invariant(page_index(page) + count <= heap.top, "a span is in the part that was used");
    heap.held -= count;
    if (count >= RETURN_PAGES) system_relieve(page_memory(page), count * PAGE_BYTES);
    size_t index = page_index(page);
    if (index + count < heap.top && page[count].state == PAGE_FREE) {
        MemoryPage *after = page + count;
        span_unlink(after);
        count += after->count;
    }
    if (index > 0 && page[-1].state == PAGE_FREE) {
        MemoryPage *before = page - page[-1].count;
        invariant(before->state == PAGE_FREE && before->count == page[-1].count,
                  "the last page of a free span leads to its first");
        span_unlink(before);
        count += before->count;
        page = before;
    }
    span_mark(page, count, PAGE_FREE);
    span_link(page);
}

// ---- large blocks: a span each

static size_t colour(const MemoryPage *page)
{
    return page_index(page) % COLOURS * COLOUR_BYTES;
}

// Enough for the block wherever its span is.
static size_t pages_for(size_t size)
{
    return (size + (COLOURS - 1) * COLOUR_BYTES + PAGE_BYTES - 1) / PAGE_BYTES;
}

static void *large_alloc(size_t size, size_t count)
{
    MemoryPage *page = span_take(count);
    if (!page) return NULL;
    span_mark(page, count, PAGE_LARGE);
    page->bytes = size;
    return page_memory(page) + colour(page);
}

// Grows into the free span after it, or frees the pages at its end.
static bool large_resize_in_place(MemoryPage *page, size_t size)
{
    size_t old = page->count, count = pages_for(size);
    if (count > old) {
        MemoryPage *after = page + old;
        bool at_top = page_index(after) == heap.top;
        if (over_limit(count - old)) return false;
        if (at_top) {
            if (!span_at_top(count - old)) return false;
        } else {
            if (after->state != PAGE_FREE || after->count < count - old) return false;
            span_unlink(after);
            size_t rest = after->count - (count - old);
            if (rest) {
                span_mark(page + count, rest, PAGE_FREE);
                span_link(page + count);
            }
        }
        heap.held += count - old;
        if (heap.held > heap.peak) heap.peak = heap.held;
    }
    span_mark(page, count, PAGE_LARGE);
    page->bytes = size;
    if (count < old) {
        span_mark(page + count, old - count, PAGE_LARGE);
        span_give(page + count, old - count);
    }
    return true;
}

// ---- pools

static unsigned bucket_of(size_t size)
{
    if (size <= MEMORY_SMALL_MAX) return size ? (unsigned)(size + 15) / 16 : 1;
    unsigned bucket = 0;
    while (middle_sizes[bucket] < size) bucket++;
    return MEMORY_SMALL_BUCKETS + bucket;
}

static uint32_t bucket_size(unsigned bucket)
{
    return bucket < MEMORY_SMALL_BUCKETS ? bucket * 16
                                         : middle_sizes[bucket - MEMORY_SMALL_BUCKETS];
}

static void pool_link(MemoryPage *pool)
{
    MemoryPage *last = heap.last[pool->bucket];
    pool->next = NULL;
    pool->previous = last;
    heap.last[pool->bucket] = pool;
    if (last)
        last->next = pool;
    else
        heap.first[pool->bucket] = pool;
}

static void pool_unlink(MemoryPage *pool)
{
    if (pool->next)
        pool->next->previous = pool->previous;
    else
        heap.last[pool->bucket] = pool->previous;
    if (pool->previous)
        pool->previous->next = pool->next;
    else
        heap.first[pool->bucket] = pool->next;
    if (pool->bucket < MEMORY_SMALL_BUCKETS && memory_heap.pools[pool->bucket] == pool)
        memory_heap.pools[pool->bucket] = &no_pool;
}

static MemoryPage *pool_new(unsigned bucket)
{
    MemoryPage *pool = span_take(1);
    if (!pool) return NULL;
    span_mark(pool, 1, PAGE_POOL);
    pool->slow = false;
    pool->free = NULL;
    pool->used = pool->carved = 0;
    pool->bucket = (uint8_t)bucket;
    pool->size = bucket_size(bucket);
    pool_link(pool);
    return pool;
}

// Makes the next few blocks of a pool whose free list is empty. False where there are no more.
static bool pool_carve(MemoryPage *pool)
{
    size_t size = pool->size, left = (PAGE_BYTES - pool->carved) / size;
    if (left == 0) return false;
    size_t count = size < CARVE_BYTES ? CARVE_BYTES / size : 1;
    if (count > left) count = left;
    char *block = page_memory(pool) + pool->carved;
    pool->carved += (uint32_t)(count * size);
    pool->free = block;
    for (; count > 1; count--, block += size) *(void **)block = block + size;
    *(void **)block = NULL;
    return true;
}

// The first pool of the bucket with a free block.
static MemoryPage *pool_with_room(unsigned bucket)
{
    MemoryPage *pool;
    while ((pool = heap.first[bucket])) {
        if (pool->free || pool_carve(pool)) return pool;
        pool_unlink(pool);
        pool->slow = true;
    }
    pool = pool_new(bucket);
    if (pool) pool_carve(pool);
    return pool;
}

static void *pool_alloc(unsigned bucket)
{
    MemoryPage *pool = pool_with_room(bucket);
    if (!pool) return NULL;
    invariant(pool->state == PAGE_POOL && pool->bucket == bucket,
              "the pools of a bucket are pools of blocks of its size");
    invariant(pool->used < PAGE_BYTES / pool->size, "a pool with room has a block that is free");
    invariant(pool->free && page_of(pool->free) == pool, "the free blocks of a pool are in it");
    if (bucket < MEMORY_SMALL_BUCKETS && !heap.count_every) memory_heap.pools[bucket] = pool;
    void *block = pool->free;
    pool->free = *(void **)block;
    pool->used++;
    return block;
}

// Frees an empty pool, but keeps the only one of its bucket and the one that the next block comes
// from, because a single block is often allocated again soon.
static void pool_free(MemoryPage *pool, void *block)
{
    invariant(pool->used > 0, "a block comes back to a pool that has handed one out");
    invariant((size_t)((char *)block - page_memory(pool)) % pool->size == 0,
              "what comes back to a pool is one of its blocks, from the start");
    invariant((size_t)((char *)block - page_memory(pool)) < pool->carved,
              "what comes back was carved from the pool before");
    *(void **)block = pool->free;
    pool->free = block;
    pool->used--;
    if (pool->slow) {
        pool->slow = false;
        pool_link(pool);
    }
    bool small = pool->bucket < MEMORY_SMALL_BUCKETS;
    if (small && memory_heap.pools[pool->bucket] == pool) return;
    if (pool->used == 0 && heap.first[pool->bucket] != heap.last[pool->bucket]) {
        pool_unlink(pool);
        span_give(pool, 1);
    }
}

// ---- blocks

void *region_alloc(size_t size, bool zeroed)
{
    size_t never_used = heap.top;
    void *block;
    if (size <= MIDDLE_MAX)
        block = pool_alloc(bucket_of(size));
    else if (size > REGION_BYTES)
        return NULL;
    else
        block = large_alloc(size, pages_for(size));
    bool clean = size > MIDDLE_MAX && block && page_index(page_of(block)) >= never_used;
    if (zeroed && block && !clean) memset(block, 0, size);
    return block;
}

void region_free(void *block)
{
    MemoryPage *page = page_of(block);
    invariant(page_index(page) < heap.top, "what is freed is in the region");
    invariant(page->state == PAGE_POOL || page->state == PAGE_LARGE,
              "what is freed is in a page that is in use");
    invariant(page->state == PAGE_POOL || (char *)block == page_memory(page) + colour(page),
              "a large block begins in its span by the span's colour");
    if (page->state == PAGE_POOL)
        pool_free(page, block);
    else
        span_give(page, page->count);
}

// A large block that must move takes half as many pages more than it needs now. Such a block often
// grows again, and pages that are not touched cost nothing.
void *region_resize(void *block, size_t size)
{
    MemoryPage *page = page_of(block);
    size_t old;
    if (size > REGION_BYTES) return NULL;
    if (page->state == PAGE_POOL) {
        old = page->size;
        if (size <= old && (size > old / 2 || old <= 64)) return block;
    } else {
        old = page->bytes;
        if (size > MIDDLE_MAX && pages_for(size) <= page->count && size > old / 2) {
            page->bytes = size;
            return block;
        }
        if (size > MIDDLE_MAX && large_resize_in_place(page, size)) return block;
    }
    size_t count = pages_for(size);
    void *moved = NULL;
    if (size > old && count >= 4) moved = large_alloc(size, count + count / 2);
    if (!moved) moved = region_alloc(size, false);
    if (!moved) return NULL;
    memcpy(moved, block, old < size ? old : size);
    region_free(block);
    return moved;
}

// ---- the region

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

// Reserves as much address space as the system grants.
static bool reserve(void)
{
    for (size_t bytes = REGION_BYTES; bytes >= REGION_BYTES_LEAST; bytes /= 2) {
        size_t table = round_up(bytes / PAGE_BYTES * sizeof(MemoryPage), PAGE_BYTES);
        size_t total = table + bytes + PAGE_BYTES;
        char *start = system_reserve(total);
        if (!start) continue;
        heap.reserved = start;
        heap.reserved_bytes = total;
        heap.page_limit = bytes / PAGE_BYTES;
        memory_heap.pages = (MemoryPage *)(void *)start;
        memory_heap.region = (char *)round_up((size_t)start + table, PAGE_BYTES);
        return system_commit(start, (size_t)(memory_heap.region - start));
    }
    return false;
}

static void empty_pools(void)
{
    for (size_t i = 0; i < MEMORY_SMALL_BUCKETS; i++) memory_heap.pools[i] = &no_pool;
}

void region_count_every(bool every)
{
    heap.count_every = every;
    empty_pools();
}

void region_set_limit(size_t bytes, void (*reached)(void))
{
    heap.limit = bytes;
    heap.limit_reached = reached;
}

MemoryCounts region_counts(void)
{
    MemoryCounts counts = {.peak_bytes = heap.peak * PAGE_BYTES,
                           .allocations = memory_heap.allocations};
    for (size_t i = 0; i < heap.top;) {
        const MemoryPage *page = &memory_heap.pages[i];
        i += page->count;
        bool free = page->state == PAGE_FREE;
        if (!free || page->count < RETURN_PAGES) counts.touched_bytes += page->count * PAGE_BYTES;
        if (free) continue;
        bool pool = page->state == PAGE_POOL;
        counts.blocks += pool ? page->used : 1;
        counts.bytes += pool ? (size_t)page->used * page->size : page->bytes;
    }
    return counts;
}

int64_t region_offset(const void *address)
{
    size_t offset = (size_t)((const char *)address - memory_heap.region);
    return offset < heap.page_limit * PAGE_BYTES ? (int64_t)offset : -1;
}

bool region_init(void)
{
    memset(&heap, 0, sizeof heap);
    empty_pools();
    memory_heap.allocations = 0;
    return reserve();
}

void region_finish(void)
{
    system_release(heap.reserved, heap.reserved_bytes);
    heap.reserved = NULL;
    heap.page_limit = heap.top = 0;
}
