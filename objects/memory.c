// The one allocator: counts blocks, fails on demand, finds leaks, and gives objects their offsets.
// memory_region.c hands out the blocks.
//
// With headers (MEMORY_HEADERS in memory.h) a block is
//
//     | Header: next, previous, size, ... | what the caller gets |
//
// and the headers link all live blocks, so that those left at the end can be listed. Under the
// address sanitizer malloc() serves instead of the region.
#include "objects/memory/memory_region.h"

#include "objects/gc.h"
#include "objects/memory/memory_headers.h"
#include "objects/memory/system_memory.h"
#include "objects/object.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAP_ID 0x7f0000000000
#define STATIC_ID 0x560000000000

MemoryHeap memory_heap;

static size_t fail_at; // allocations to come until one fails, 0 = never
static bool fail_from_then_on;

// ---- failing on purpose

// Counts an allocation; true where it has to fail.
static bool must_fail(void)
{
    memory_heap.allocations++;
    if (!fail_at || --fail_at > 0) return false;
    if (fail_from_then_on) fail_at = 1;
    return true;
}

void memory_fail_at(size_t n, bool from_then_on)
{
    fail_at = n;
    fail_from_then_on = from_then_on;
    region_count_every(n != 0);
}

#if DEBUG_FAIL_ALLOC
static void read_fail_variable(void)
{
    const char *text = getenv("MINIVM_FAIL_ALLOC");
    if (!text) return;
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    memory_fail_at((size_t)n, *end == '+');
}
#else
static void read_fail_variable(void) {}
#endif

#if MEMORY_HEADERS

// ---- blocks with headers

#if MEMORY_SANITIZED

// The sanitizer's malloc() aligns to 8 bytes where pointers have 32 bits.
static void *raw_alloc(size_t size, bool zeroed)
{
    void *block;
    if (posix_memalign(&block, 16, size)) return NULL;
    if (zeroed) memset(block, 0, size);
    return block;
}
static void raw_free(void *block)
{
    free(block);
}
static void *raw_resize(void *block, size_t size)
{
    void *moved = raw_alloc(size, false);
    size_t old = malloc_usable_size(block);
    if (moved) memcpy(moved, block, old < size ? old : size);
    if (moved) free(block);
    return moved;
}

#else

#define raw_alloc region_alloc
#define raw_free region_free
#define raw_resize region_resize

#endif

#define JUNK_FRESH 0xCD
#define JUNK_FREED 0xDD
#define JUNK_AFTER 0xFD
// Bytes after each block that must stay unchanged; the sanitizer has its own.
#define GUARD_BYTES (MEMORY_SANITIZED ? 0 : 16)
#define LISTED_LEAKS 40

typedef MemoryHeader Header;

static Header *live; // the newest block
static size_t live_blocks, live_bytes, peak_bytes, limit;
static void (*limit_reached)(void);

static bool holds_only(const void *bytes, size_t size, unsigned char junk)
{
    const unsigned char *at = bytes;
    while (size > 0 && at[size - 1] == junk) size--;
    return size == 0;
}

static void guard_end(Header *header)
{
    memset((char *)(header + 1) + header->size, JUNK_AFTER, GUARD_BYTES);
}

static void header_link(Header *header, size_t size)
{
    header->size = size;
    header->state = BLOCK_LIVE;
    guard_end(header);
    header->previous = NULL;
    header->next = live;
    if (live) live->previous = header;
    live = header;
    live_blocks++;
    live_bytes += size;
    if (live_bytes > peak_bytes) peak_bytes = live_bytes;
}

static void header_unlink(Header *header)
{
    invariant(header->state == BLOCK_LIVE,
              "what is given back is a block: from its start, and not given back before");
    invariant(holds_only((char *)(header + 1) + header->size, GUARD_BYTES, JUNK_AFTER),
              "the bytes after the end of a block are unchanged");
    invariant(header->previous ? header->previous->next == header : live == header,
              "the block before this one links to it");
    invariant(!header->next || header->next->previous == header,
              "the block after this one links back to it");
    invariant(live_blocks > 0 && live_bytes >= header->size,
              "the counts of blocks and bytes include this block");
    if (header->previous)
        header->previous->next = header->next;
    else
        live = header->next;
    if (header->next) header->next->previous = header->previous;
    live_blocks--;
    live_bytes -= header->size;
}

static bool refused(size_t added)
{
    bool over_limit = limit && live_bytes + added > limit;
    if (over_limit && limit_reached) limit_reached();
    return over_limit || must_fail() || added > REGION_BYTES;
}

static void *alloc(size_t size, bool zeroed)
{
    if (refused(size)) return NULL;
    Header *header = raw_alloc(sizeof *header + size + GUARD_BYTES, zeroed);
    if (!header) return NULL;
    header_link(header, size);
    header->object = NO_OBJECT;
    header->serial = memory_heap.allocations;
    if (!zeroed) memset(header + 1, JUNK_FRESH, size);
    return header + 1;
}

void *memory_alloc_slow(size_t size)
{
    return alloc(size, false);
}

// The blocks freed last are not reused at once, so that a stale pointer to one finds junk.
#define KEPT_BLOCKS 1024
#define KEPT_SIZE_MAX 1024
static Header *kept[KEPT_BLOCKS];
static size_t kept_next;

static void let_go(Header *header)
{
    invariant(holds_only(header + 1, header->size, JUNK_FREED), "a freed block is not written to");
    raw_free(header);
}

static void keep_for_a_while(Header *header)
{
    Header **entry = &kept[kept_next++ % KEPT_BLOCKS];
    if (*entry) let_go(*entry);
    *entry = header;
}

static void let_go_of_all(void)
{
    for (size_t i = 0; i < KEPT_BLOCKS; i++) {
        if (kept[i]) let_go(kept[i]);
        kept[i] = NULL;
    }
}

void memory_free_slow(void *block)
{
    Header *header = (Header *)block - 1;
    header_unlink(header);
    header->state = BLOCK_FREED;
    memset(block, JUNK_FREED, header->size);
    if (!DEBUG_INVARIANTS || MEMORY_SANITIZED || header->size > KEPT_SIZE_MAX)
        raw_free(header);
    else
        keep_for_a_while(header);
}

void memory_mark_slow(void *block, size_t offset)
{
    Header *header = (Header *)block - 1;
    invariant(offset + sizeof(Object) <= header->size, "an object is inside of its block");
    header->object = offset;
}

static void *resize(void *block, size_t size)
{
    Header *header = (Header *)block - 1;
    size_t old = header->size;
    if (refused(size > old ? size - old : 0)) return NULL;
    header_unlink(header);
    Header *moved = raw_resize(header, sizeof *header + size + GUARD_BYTES);
    header_link(moved ? moved : header, moved ? size : old);
    if (!moved) return NULL;
    if (size > old) memset((char *)(moved + 1) + old, JUNK_FRESH, size - old);
    return moved + 1;
}

void memory_set_limit(size_t bytes, void (*reached)(void))
{
    limit = bytes;
    limit_reached = reached;
}

MemoryCounts memory_counts(void)
{
    return (MemoryCounts){live_blocks, live_bytes, peak_bytes, live_bytes, memory_heap.allocations};
}

MemoryHeader *memory_newest(void)
{
    return live;
}

void memory_describe(const MemoryHeader *header)
{
    if (header->object == NO_OBJECT) {
        fprintf(stderr, "  #%zu buffer of %zu bytes\n", header->serial, header->size);
        return;
    }
    const char *block = (const char *)(header + 1);
    const Object *object = (const Object *)(const void *)(block + header->object);
    fprintf(stderr, "  #%zu %s object, %lld references\n", header->serial, object->type->name,
            (long long)object->refcount);
}

static void check_leaks(void)
{
    let_go_of_all();
    invariant(!live_blocks == !live, "the list of live blocks has as many as were counted");
    invariant(live_blocks || !live_bytes, "no block, no bytes");
    if (!live_blocks) return;
    fprintf(stderr, "memory: %zu blocks, %zu bytes are left\n", live_blocks, live_bytes);
    int listed = 0;
    for (Header *header = live; header && listed < LISTED_LEAKS; header = header->next, listed++)
        memory_describe(header);
    abort();
}

#else

// ---- blocks without headers

static void *alloc(size_t size, bool zeroed)
{
    return must_fail() ? NULL : region_alloc(size, zeroed);
}

void *memory_alloc_slow(size_t size)
{
    return alloc(size, false);
}

void memory_free_slow(void *block)
{
    region_free(block);
}

void memory_mark_slow(void *block, size_t offset)
{
    (void)block, (void)offset;
}

static void *resize(void *block, size_t size)
{
    return must_fail() ? NULL : region_resize(block, size);
}

void memory_set_limit(size_t bytes, void (*reached)(void))
{
    region_set_limit(bytes, reached);
}

MemoryCounts memory_counts(void)
{
    return region_counts();
}

static void check_leaks(void) {}

#endif

// ---- buffers

void *memory_alloc(size_t size)
{
    return memory_alloc_object(size);
}

void *memory_alloc_zeroed(size_t size)
{
    return alloc(size, true);
}

// What is filled is copied behind itself, and is twice as long then.
void memory_repeat(void *block, size_t unit, size_t total)
{
    invariant(unit > 0 && unit <= total, "there is something to repeat, and room for it");
    for (size_t done = unit, step; done < total; done += step) {
        step = done < total - done ? done : total - done;
        memcpy((char *)block + done, block, step);
    }
}

void *memory_resize(void *block, size_t size)
{
    return block ? resize(block, size) : memory_alloc_object(size);
}

void memory_free(void *block)
{
    if (block) memory_free_object(block);
}

// ---- memory outside of the region

void *memory_set_aside(size_t size)
{
    char *start = system_reserve(size);
    return start && system_commit(start, size) ? start : NULL;
}

void *memory_share(size_t size)
{
    return system_share(size);
}

void memory_unshare(void *block, size_t size)
{
    system_unshare(block, size);
}

// ---- offsets

#if MEMORY_SANITIZED

extern const char __executable_start[], end[];

// malloc() decides the addresses of the blocks, so their number in the order of allocation stands
// for the offset.
int64_t memory_id(const void *object)
{
    const char *address = object;
    if (address >= __executable_start && address < end)
        return STATIC_ID + (address - __executable_start);
    const Type *type = ((const Object *)object)->type;
    size_t offset = type->front + (type->flags & TYPE_GC ? sizeof(GcHead) : 0);
    const Header *header = (const Header *)(const void *)(address - offset) - 1;
    return HEAP_ID + (int64_t)header->serial * 64;
}

#else

// Objects outside of the region are part of the program: they are at a fixed distance from this
// variable.
int64_t memory_id(const void *object)
{
    int64_t offset = region_offset(object);
    if (offset >= 0) return HEAP_ID + offset;
    return STATIC_ID + ((const char *)object - (const char *)&memory_heap);
}

#endif

bool memory_init(void)
{
    fail_at = 0;
    if (!MEMORY_SANITIZED && !region_init()) return false;
    read_fail_variable();
    return true;
}

void memory_finish(void)
{
    check_leaks();
    if (!MEMORY_SANITIZED) region_finish();
}
