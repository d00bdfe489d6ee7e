// Unwinding of the block stack.
#include "vm/unwind.h"

#include "compiler/opcode.h"

#include "objects/config.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"

bool raise_too_many_blocks(void)
{
    return raise_error(SystemError, "too many statically nested blocks");
}

static void restore_handled(Value before)
{
    invariant(before == NONE || exception_check(before),
              "what was handled before is an exception or nothing");
    replace_slot(&handled_top->exception, before == NONE ? VALUE_ERROR : before);
}

//> lesson 9: leave
void handler_leave(Frame *frame, Value *top)
{
    invariant(frame->block_count > 0, "a handler that ends was entered");
    invariant(frame_blocks(frame)[frame->block_count - 1].handler == BLOCK_EXCEPT,
              "the innermost block is the handler that ends");
    frame->block_count--;
    restore_handled(top[-1]);
}

// An exception left the handler of another one.
static void unwind_handler(Frame *frame, Value *level)
{
    invariant(level + SAVED_VALUES <= frame->sp, "a handler leaves its three values alone");
    frame_drop_stack(frame, frame->sp, level + SAVED_VALUES);
    frame->sp = level;
    restore_handled(level[1]);
}
//< lesson 9

//> lesson 9: enter
static void enter_handler(Frame *frame, Block *block)
{
    invariant(error_pending(), "a handler is entered by an exception");
    invariant(frame->sp + 6 <= frame->localsplus + quick_of(as_code(frame->code))->blocks,
              "the verifier has left room for what a handler gets");
    block->handler = BLOCK_EXCEPT;
    block->level = (int32_t)(frame->sp - frame->localsplus);
    Value *sp = frame->sp, before = handled_top->exception, exception = error_take();
    Value traceback = as_exception(exception)->traceback;
    *sp++ = NONE;
    *sp++ = before ? before : NONE;
    *sp++ = NONE;
    *sp++ = traceback ? retain(traceback) : NONE;
    *sp++ = exception;
    *sp++ = retain(ref_of(type_of(exception)));
    handled_top->exception = retain(exception);
    frame->sp = sp;
}
//< lesson 9

//> lesson 9: unwind
Instruction *frame_unwind(Frame *frame)
{
    Block *blocks = frame_blocks(frame);
    while (frame->block_count > 0) {
        Block *block = &blocks[frame->block_count - 1];
        int32_t handler = block->handler;
        Value *level = frame->localsplus + block->level;
        invariant(level >= frame_stack(frame) && level <= frame->sp,
                  "a block goes back to a stack that is no deeper than the one there is");
        if (handler == BLOCK_EXCEPT) {
            frame->block_count--;
            unwind_handler(frame, level);
            continue;
        }
        frame_drop_stack(frame, frame->sp, level);
        enter_handler(frame, block);
        return quick_of(as_code(frame->code))->instructions + handler;
    }
    frame_drop_stack(frame, frame->sp, frame_stack(frame));
    invariant(frame->sp == frame_stack(frame),
              "a frame without a handler has dropped its whole stack");
    return NULL;
}
//< lesson 9
