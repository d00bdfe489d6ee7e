// How deep a unit's value stack gets: co_stacksize.
//
// The first block begins with depth 0. Another block begins with the depth that the jump to it, or
// the end of the block before it, leaves. The blocks still to be walked are in a list. A block that
// is reached again with a greater depth is walked again, as in CPython; code of this compiler does
// not need that.
#include "compiler/codegen/codegen.h"

#define MAX_REVISITED 100 // a block that begins deeper than this is not walked again

static void push(BasicBlock **work, BasicBlock *block, int depth)
{
    if (block->depth >= depth || block->depth >= MAX_REVISITED) return;
    block->depth = depth;
    if (block->waiting) return;
    block->waiting = true;
    block->next_work = *work;
    *work = block;
}

int block_end(const CodeGenerator *g, const BasicBlock *block)
{
    return block->next ? block->next->first : g->count;
}

//> lesson 4: depth
// Walks one block; the greatest depth in it.
static int walk(const CodeGenerator *g, const BasicBlock *block, BasicBlock **work)
{
    int depth = block->depth, most = depth, end = block_end(g, block);
    for (int i = block->first; i < end; i++) {
        const BlockInstruction *instruction = &g->code[i];
        int after = depth + opcode_stack_effect(instruction->opcode, instruction->operand, false);
        if (after > most) most = after;
        if (instruction->target) {
            int there =
                depth + opcode_stack_effect(instruction->opcode, instruction->operand, true);
            if (there > most) most = there;
            push(work, instruction->target, there);
        }
        if (opcode_is(instruction->opcode, ENDS_FLOW)) return most;
        depth = after;
    }
    if (block->next) push(work, block->next, depth);
    return most;
}

int stack_depth(CodeGenerator *g)
{
    BasicBlock *work = NULL;
    int most = 0;
    push(&work, g->unit->first_block, 0);
    while (work) {
        BasicBlock *block = work;
        work = block->next_work;
        block->waiting = false;
        int depth = walk(g, block, &work);
        if (depth > most) most = depth;
    }
    return most;
}
//< lesson 4
