// The memory that the system gives: the region, blocks that processes share, and the C stack.
//
// system_memory_linux.c has it for Linux, system_memory_wasm.c for WebAssembly, where memory is one
// piece that only grows; the build takes one of them. Private to memory.c, memory_region.c and
// stack.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Addresses for so many bytes, which nothing else gets, in whole pages. They are not accessible
// yet. NULL if there are not so many.
char *system_reserve(size_t bytes);
// Makes the next bytes accessible, zeroed: everything before them in the reserved block is already.
// False where they alone are more than the machine has.
bool system_commit(char *start, size_t bytes);
// The bytes are not needed for now: they stay accessible, their contents need not stay.
void system_relieve(char *start, size_t bytes);
void system_release(char *reserved, size_t bytes);

// See memory_share() and memory_unshare().
void *system_share(size_t size);
void system_unshare(void *block, size_t size);

// Where the C stack begins, and its size.
char *system_stack(size_t *bytes);
