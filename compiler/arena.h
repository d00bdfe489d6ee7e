// All memory of one compilation, and the values it holds, released at once.
//
// The compiler allocates nodes, tables and text here and never frees one by one. Where memory or
// anything else fails, it leaves by one longjmp to compile_source(): arena_alloc() does not return
// then.
#pragma once

#include "objects/object.h"

#include <setjmp.h>

typedef struct ArenaBlock ArenaBlock;
typedef struct Arena {
    ArenaBlock *blocks;
    char *next, *limit; // the free part of the newest block
    Value *held;        // values to be dropped with the arena
    size_t held_count, held_capacity;
    jmp_buf failure; // set by the owner before anything is allocated; the exception is pending at
                     // the jump
} Arena;

void arena_begin(Arena *arena);
void arena_end(Arena *arena);
// Zeroed memory, aligned to 8. Does not return where there is none: MemoryError is pending.
void *arena_alloc(Arena *arena, size_t size);
char *arena_text(Arena *arena, const char *text, size_t size); // a copy with a NUL
// Keeps an owned value until the end, and lends it. VALUE_ERROR (an exception is pending) does not
// return.
ValueRef arena_hold(Arena *arena, Value value);
_Noreturn void arena_fail(Arena *arena); // an exception is pending
