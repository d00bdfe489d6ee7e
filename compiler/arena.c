// The memory of one compilation: blocks, each allocated from its front to its end.
//
//     blocks -> +------+-----------------------+     newest first; next..limit is its free part
//               | next | ....used..../ free .. |
//               +------+-----------------------+
//                  |
//                  v older blocks, full
//
// Call arena_begin(), set `failure` by setjmp(), allocate and hold; then call arena_end(), after
// success and after failure. Invariant: every byte between `next` and `limit` is zero, so
// arena_alloc() need not clear memory.
#include "compiler/arena.h"

#include "objects/error.h"
#include "objects/memory.h"

#define FIRST_BLOCK (8 * 1024)
#define LARGEST_BLOCK (512 * 1024)

struct ArenaBlock {
    ArenaBlock *next;
    size_t size;
};

void arena_begin(Arena *arena)
{
    arena->blocks = NULL;
    arena->next = arena->limit = NULL;
    arena->held = NULL;
    arena->held_count = arena->held_capacity = 0;
}

void arena_end(Arena *arena)
{
    for (size_t i = arena->held_count; i > 0; i--) drop(arena->held[i - 1]);
    memory_free(arena->held);
    while (arena->blocks) {
        ArenaBlock *next = arena->blocks->next;
        memory_free(arena->blocks);
        arena->blocks = next;
    }
    arena_begin(arena);
}

void arena_fail(Arena *arena)
{
    longjmp(arena->failure, 1);
}

static size_t block_size(const Arena *arena)
{
    if (!arena->blocks) return FIRST_BLOCK;
    size_t size = arena->blocks->size * 2;
    return size < LARGEST_BLOCK ? size : LARGEST_BLOCK;
}

// A large allocation gets a block of its own, listed after the newest, which stays in use.
static void *alloc_from_new_block(Arena *arena, size_t size)
{
    bool alone = arena->blocks && size > LARGEST_BLOCK / 4;
    size_t room = alone ? size : block_size(arena);
    if (room < size) room = size;
    ArenaBlock *block = memory_alloc_zeroed(sizeof *block + room);
    if (!block) {
        raise_memory_error();
        arena_fail(arena);
    }
    block->size = room;
    char *data = (char *)(block + 1);
    if (alone) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
        return data;
    }
    block->next = arena->blocks;
    arena->blocks = block;
    arena->next = data + size;
    arena->limit = data + room;
    return data;
}

void *arena_alloc(Arena *arena, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    if (size > (size_t)(arena->limit - arena->next)) return alloc_from_new_block(arena, size);
    void *data = arena->next;
    arena->next += size;
    return data;
}

char *arena_text(Arena *arena, const char *text, size_t size)
{
    char *copy = arena_alloc(arena, size + 1);
    memcpy(copy, text, size);
    return copy;
}

ValueRef arena_hold(Arena *arena, Value value)
{
    if (value == VALUE_ERROR) arena_fail(arena);
    if (!is_object(value)) return value;
    if (arena->held_count == arena->held_capacity) {
        size_t capacity = arena->held_capacity ? arena->held_capacity * 2 : 64;
        Value *held = memory_resize(arena->held, capacity * sizeof *held);
        if (!held) {
            drop(value);
            raise_memory_error();
            arena_fail(arena);
        }
        arena->held = held;
        arena->held_capacity = capacity;
    }
    arena->held[arena->held_count++] = value;
    return value;
}
