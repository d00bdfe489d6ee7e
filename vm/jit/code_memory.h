// Memory for machine code: one array, which the linker puts in reach of all functions and
// variables, so that an instruction can name them by a distance of 32 bits.
//
//     code_memory_take(&block, size)   pages that are writable
//     code_memory_seal(&block)         now they are executable, and no longer writable
//     code_memory_give_back(&block)    free for another block
//
// No page is ever writable and executable at the same time.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CodeBlock {
    struct CodeBlock *next; // the next one in the array
    uint8_t *bytes;
    size_t size; // whole pages
} CodeBlock;

bool code_memory_take(CodeBlock *block, size_t size); // false = there is no room
bool code_memory_seal(const CodeBlock *block); // false = the system refuses executable memory
void code_memory_give_back(CodeBlock *block);
