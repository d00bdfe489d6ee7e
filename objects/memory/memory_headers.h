// The header in front of each block of a build with MEMORY_HEADERS. Private to memory.c and
// reference_audit.c.
#pragma once

#include "objects/memory.h"

// What follows it is aligned to 16 bytes, on machines of 32 bits too.
typedef struct MemoryHeader {
    _Alignas(16) struct MemoryHeader *next;
    struct MemoryHeader *previous;
    size_t size;
    size_t object; // where in the block its object begins, NO_OBJECT = it is a buffer
    size_t serial;
    size_t state; // BLOCK_LIVE or BLOCK_FREED
} MemoryHeader;

#define NO_OBJECT SIZE_MAX
enum { BLOCK_LIVE = 0x11FE, BLOCK_FREED = 0xDEAD };

// The list of all live blocks, the newest first.
MemoryHeader *memory_newest(void);
// Prints a line about a block on stderr.
void memory_describe(const MemoryHeader *header);
