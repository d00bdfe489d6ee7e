// Unwinding of the block stack.
#include "vm/unwind.h"

#include "compiler/opcode.h"

#include "objects/config.h"
#include "objects/error.h"
#include "objects/exception.h"

bool raise_too_many_blocks(void)
{
    return raise_error(SystemError, "too many statically nested blocks");
}

static void restore_handled(Value before)
{
    replace_slot(&handled_top->exception, before == NONE ? VALUE_ERROR : before);
}

void handler_leave(Frame *frame, Value *top)
{
    frame->block_count--;
    Value type = top[0], before = top[-1], traceback = top[-2];
    restore_handled(before);
    drop(type);
    drop(traceback);
}

// An exception left the handler of another one.
static void unwind_handler(Frame *frame, Value *level)
{
    frame_drop_stack(frame, frame->sp, level + SAVED_VALUES);
    frame->sp = level;
    restore_handled(level[1]);
    drop(level[2]);
    drop(level[0]);
}

static void enter_handler(Frame *frame, Block *block)
{
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

Instruction *frame_unwind(Frame *frame)
{
    Block *blocks = frame_blocks(frame);
    while (frame->block_count > 0) {
        Block *block = &blocks[frame->block_count - 1];
        int32_t handler = block->handler;
        Value *level = frame->localsplus + block->level;
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
    return NULL;
}
