#include "vm/jit/code_memory.h"

#include "objects/invariant.h"

#include <sys/mman.h>
#include <unistd.h>

#define CODE_BYTES (16 << 20)

static uint8_t memory[CODE_BYTES];
static CodeBlock *first; // the blocks in use, in the order of their addresses

// The first gap that is large enough.
bool code_memory_take(CodeBlock *block, size_t size)
{
    CodeBlock **link = &first;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *start = memory + -(uintptr_t)memory % page;
    size = (size + page - 1) / page * page;
    while (*link && (size_t)((*link)->bytes - start) < size) {
        start = (*link)->bytes + (*link)->size;
        link = &(*link)->next;
    }
    if (!*link && (size_t)(memory + CODE_BYTES - start) < size) return false;
    if (mprotect(start, size, PROT_READ | PROT_WRITE)) return false; // another block was there
    *block = (CodeBlock){*link, start, size};
    *link = block;
    return true;
}

bool code_memory_seal(const CodeBlock *block)
{
    char *start = (char *)block->bytes;
    __builtin___clear_cache(start, start + block->size); // the processor may know what was there
    return mprotect(start, block->size, PROT_READ | PROT_EXEC) == 0;
}

void code_memory_give_back(CodeBlock *block)
{
    CodeBlock **link = &first;
    while (*link && *link != block) link = &(*link)->next;
    invariant(*link == block, "a block that is given back was taken");
    *link = block->next;
}
