// What happens to a frame's blocks when an exception comes by.
//
//                     on the way to the handler          while the handler runs
//     block stack     [ SETUP_FINALLY -> handler ]       [ BLOCK_EXCEPT ]
//     value stack     ...                                ... | None, handled before, None
//                                                            | traceback, exception, type
//
// So sys.exc_info() of before is on the stack under the new one, and POP_EXCEPT or the next
// unwinding puts it back. (CPython pushes the same six.)
#pragma once

#include "frames/frame.h"

// Goes to the innermost handler, the exception pending: the value stack (frame->sp) is cut down,
// the exception pushed. Returns the handler's first instruction, or NULL where there is none: then
// the stack is empty and the exception still pending.
Instruction *frame_unwind(Frame *frame);

// Enters the block of a SETUP instruction, with the value stack at `sp`. False with SystemError
// pending where blocks nest too deep, which only happens to code that nobody verified.
bool raise_too_many_blocks(void);
static inline bool block_push(Frame *frame, const Instruction *ip, const Value *sp)
{
    if (frame->block_count >= ip->index) return raise_too_many_blocks();
    Block *block = &((Block *)(frame->localsplus + ip->blocks))[frame->block_count++];
    invariant(block == &frame_blocks(frame)[frame->block_count - 1],
              "an instruction knows where its frame's block stack lies");
    block->handler = ip->jump;
    block->level = (int32_t)(sp - frame->localsplus);
    return true;
}
// Leaves the handler of an exception: what was handled before is handled again. `top` is the type
// on top of the three values.
void handler_leave(Frame *frame, Value *top);
