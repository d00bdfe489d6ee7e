// Unwinding: what an exception does to a frame's block stack and value stack.
//
//                     on the way to the handler          while the handler runs
//     block stack     [ SETUP_FINALLY -> handler ]       [ BLOCK_EXCEPT ]
//     value stack     ...                                ... | None, handled before, None
//                                                            | traceback, exception, type
//
// So the exception that was handled before is on the stack under the new one; POP_EXCEPT or the
// next unwinding makes it sys.exc_info() again. (CPython pushes the same six values.)
#pragma once

#include "frames/frame.h"

// Unwinds to the innermost handler of the pending exception: cuts the value stack (frame->sp) down
// to the block's level and pushes the exception. Returns the handler's first instruction. NULL = no
// handler: then the stack is empty and the exception still pending.
Instruction *frame_unwind(Frame *frame);

bool raise_too_many_blocks(void); // SystemError

// Pushes the block of a SETUP instruction, with the value stack at `sp`. False with SystemError
// pending if blocks nest too deep, which the verifier excludes.
static inline bool block_push(Frame *frame, const Instruction *ip, const Value *sp)
{
    if (frame->block_count >= ip->index) return raise_too_many_blocks();
    Block *block = &((Block *)(frame->localsplus + ip->blocks))[frame->block_count++];
    invariant(block == &frame_blocks(frame)[frame->block_count - 1],
              "an instruction knows where its frame's block stack is");
    block->handler = ip->jump;
    block->level = (int32_t)(sp - frame->localsplus);
    return true;
}
// Leaves the handler of an exception: the exception handled before becomes the handled one again.
// `top` points to the type, the topmost of its three values.
void handler_leave(Frame *frame, Value *top);
