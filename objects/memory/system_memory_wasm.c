// See system_memory.h: WebAssembly.
//
//     0 | variables | C stack | the C library's blocks | the region ...   the end, which moves
//
// Memory is one piece, whose end moves up as pages of the region are committed, so that a phone
// gives no more than what a program uses. Nobody else may move the end: the C library, which does
// so for its own malloc(), gets its share first and keeps it.
#include "objects/memory/system_memory.h"

#include "objects/config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY_BYTES ((size_t)1 << 20) // the C library's own blocks: those of open folders
#define PAGE_BYTES ((uintptr_t)1 << 16) // of WebAssembly

char *system_reserve(size_t bytes)
{
    (void)bytes;
    void *share = malloc(LIBRARY_BYTES);
    free(share);
    uintptr_t end = (uintptr_t)sbrk(0), start = (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    return share && sbrk((intptr_t)(start - end)) == (void *)end ? (char *)start : NULL;
}

bool system_commit(char *start, size_t bytes)
{
    char *end = sbrk(0);
    if (end < start) return false;
    size_t there = (size_t)(end - start);
    return there >= bytes || sbrk((intptr_t)(bytes - there)) == end;
}

void system_relieve(char *start, size_t bytes)
{
    (void)start, (void)bytes; // what WebAssembly has given stays given
}

void system_release(char *reserved, size_t bytes)
{
    (void)reserved, (void)bytes;
}

void *system_share(size_t size)
{
    return calloc(1, size); // there is one process
}

void system_unshare(void *block, size_t size)
{
    (void)size;
    free(block);
}

// Clang's linker puts the stack below `__heap_base`, of the size that STACK_BYTES tells it too.
char *system_stack(size_t *bytes)
{
    *bytes = STACK_BYTES;
    return __builtin_frame_address(0);
}
