// The memory of one compilation, and the values it owns; all is released at once.
//
// The compiler allocates nodes, tables and text here and never frees them one by one. If an
// allocation or another step fails, one longjmp leads to compile_source(); arena_alloc() does not
// return then.
#pragma once

#include "objects/object.h"

#include <setjmp.h>

typedef struct ArenaBlock ArenaBlock;
typedef struct Arena {
    ArenaBlock *blocks;
    char *next, *limit; // the free part of the newest block
    Value *held;        // values to be dropped with the arena
    size_t held_count, held_capacity;
    jmp_buf failure; // the owner sets it before the first allocation; after the jump an exception
                     // is pending
} Arena;

void arena_begin(Arena *arena);
void arena_end(Arena *arena);
// Zeroed memory, aligned to 8. Without memory it does not return: MemoryError is pending.
void *arena_alloc(Arena *arena, size_t size);
char *arena_text(Arena *arena, const char *text, size_t size); // a copy with a NUL
// Keeps an owned value until arena_end(), and lends it. Does not return for VALUE_ERROR, which
// means that an exception is pending.
ValueRef arena_hold(Arena *arena, Value value);
_Noreturn void arena_fail(Arena *arena); // an exception is pending
