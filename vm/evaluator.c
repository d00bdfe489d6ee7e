// What surrounds the loop: the default evaluator, leaving frames, polling, and the upcalls that run
// code.
#include "vm/eval.h"

#include "frames/generators/generator.h"
#include "frames/hook.h"
#include "frames/observe.h"
#include "vm/builtins/frame_builtins.h"
#include "vm/function_call.h"
#include "vm/outside/outside.h"
#include "vm/quicken.h"

#include "objects/classes/descriptor.h"
#include "objects/config.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/stack.h"
#include "objects/upcalls.h"

#include <stdio.h>

#if DEBUG_INVARIANTS

// ---- what the loop relies on

static bool block_is_sound(const Frame *frame, const Block *block, int32_t below, int32_t depth)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    invariant(block->handler == BLOCK_EXCEPT ||
                  (block->handler > 0 && block->handler < (int32_t)quick->count),
              "a block leads to a handler in the code, or stands for one that runs");
    invariant(block->level >= below && block->level <= (int32_t)quick->slots + depth,
              "the stack that a block goes back to is between the block around and the top");
    return true;
}

static bool blocks_are_sound(const Frame *frame, int32_t depth)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    const Block *blocks = frame_blocks((Frame *)(uintptr_t)frame);
    int32_t below = (int32_t)quick->slots;
    for (uint32_t i = 0; i < frame->block_count; i++) {
        block_is_sound(frame, &blocks[i], below, depth);
        below = blocks[i].level + (blocks[i].handler == BLOCK_EXCEPT ? 3 : 0);
    }
    return true;
}

// Only the mark that LOAD_METHOD leaves is no value.
static bool top_is_sound(const Value *bottom, const Value *sp)
{
    for (const Value *slot = sp; slot > bottom && slot > sp - 3; slot--) {
        invariant(slot[-1] != ABSENT, "ABSENT never gets on the stack");
        invariant(!is_object(slot[-1]) || is_alive(object_of(slot[-1])),
                  "the stack owns what is on it");
    }
    return true;
}

bool instruction_is_sound(const Frame *frame, const Instruction *ip, const Value *sp)
{
    const Code *code = as_code(frame->code);
    const QuickCode *quick = quick_of(code);
    invariant(thread_state.frame == frame, "the frame that runs is the thread's");
    invariant(code_check(frame->code) && is_alive(&code->base), "a frame owns its code");
    invariant(is_alive(object_of(frame->globals_owner)),
              "a frame owns what keeps its globals alive");
    invariant(dict_check(frame->globals), "globals are a dict");
    invariant(frame->previous != frame, "no frame is its own caller");
    invariant((frame->flags & FRAME_GENERATOR) ||
                  thread_state.top == (const Value *)frame + quick->frame_words,
              "the frame that runs is the last one on the frame stack");
    invariant(recursion_depth > 0, "a frame that runs is counted");
    invariant(!error_pending(), "an instruction begins without an exception pending");
    invariant(ip >= quick->instructions && ip < quick->instructions + quick->count,
              "the instruction is one of the frame's code");
    int32_t depth = quick->depths[ip - quick->instructions];
    const Value *bottom = frame->localsplus + quick->slots;
    invariant(sp >= bottom, "the stack begins after the variables");
    invariant(sp <= frame->localsplus + quick->blocks, "the stack ends where the blocks begin");
    if (depth < 0) return true; // only a debugger's jump leads there
    invariant(sp - bottom == depth, "the stack is as deep as the verifier has proved");
    invariant((int32_t)frame->block_count == quick->block_counts[ip - quick->instructions],
              "so many blocks are open as the verifier has proved");
    invariant(frame->block_count <= quick->max_blocks, "there is room for the blocks");
    invariant(!(frame->flags & FRAME_GENERATOR) ||
                  generator_of((Frame *)(uintptr_t)frame)->state == GENERATOR_RUNNING,
              "a generator whose frame runs says so");
    return blocks_are_sound(frame, depth) && top_is_sound(bottom, sp);
}

bool frame_may_end(const Frame *frame)
{
    const Frame *caller = frame->previous;
    invariant(caller, "a frame that was called in the loop has a caller");
    invariant(!(frame->flags & FRAME_CHUNK), "the first frame of a chunk ends by frame_pop()");
    invariant((caller->flags & FRAME_GENERATOR) || caller < frame ||
                  (Value *)(uintptr_t)caller > thread_state.top,
              "a caller's frame is below, or in another chunk");
    invariant(caller->sp >= caller->localsplus && caller->ip, "a caller has stored where it is");
    invariant((const Value *)frame < thread_state.top, "the frame that ends is on the frame stack");
    return true;
}

#endif

// ---- running frames

static void switch_loops(bool observed, bool each)
{
    run_plain(NULL, observed ? LOOP_DIVERT : LOOP_RESTORE);
    run_observed(NULL, each || DEBUG_TRACE ? LOOP_DIVERT : LOOP_RESTORE);
}

static bool is_observed(const ThreadState *thread)
{
    return !DEBUG_NO_OBSERVER && thread->observed;
}

static Value run_observed_frame(Frame *frame, LoopEntry entry)
{
    ticks_move_frame(frame->previous, frame);
    return run_observed(frame, entry);
}

int loop_polls_left = LOOP_POLLS;

static Value run_loop(const ThreadState *thread, Frame *frame, LoopEntry entry)
{
    Value result = is_observed(thread) ? run_observed_frame(frame, entry) : run_plain(frame, entry);
    while (LOOP_POLLS && result == LOOP_AGAIN)
        result = is_observed(thread) ? run_observed(thread->frame, LOOP_GO_ON)
                                     : run_plain(thread->frame, LOOP_GO_ON);
    return result;
}

// Back in the middle of the caller's instruction.
static void leave_observed_frame(Frame *frame)
{
    ticks_move_frame(frame, frame->previous);
    if (frame->previous && ticks_reach(frame->previous->ip + 1)) ticks_come_near();
}

// A generator that was left by an exception has ended, whatever a hook makes of the exception.
static Value run_frame(ThreadState *thread, Frame *frame, int throwflag)
{
    if (!stack_enter("")) return VALUE_ERROR;
    frame->previous = thread->frame;
    thread->frame = frame;
    frame->flags |= FRAME_ENTRY;
    LoopEntry entry = throwflag ? LOOP_THROW : LOOP_BEGIN;
    const Value *top = thread->top;
    int depth = recursion_depth;
    invariant(!throwflag == !error_pending(), "an exception is pending where one is thrown in");
    Value result = run_loop(thread, frame, entry);
    invariant(!result == error_pending(), "a frame gives a value, or leaves an exception pending");
    invariant(thread->frame == frame, "the loop comes back with the frame that it was given");
    invariant(thread->top == top, "every frame that the loop has pushed is popped");
    invariant(recursion_depth == depth, "every frame that the loop has entered is left");
    frame->flags &= ~(uint32_t)FRAME_ENTRY;
    thread->frame = frame->previous;
    if (is_observed(thread)) leave_observed_frame(frame);
    stack_leave();
    if (!result && (frame->flags & FRAME_GENERATOR))
        generator_of(frame)->state = GENERATOR_FINISHED;
    return result;
}

static bool may_run(Frame *frame)
{
    if (frame->flags & FRAME_ENTRY) return false;
    if (frame->flags & FRAME_GENERATOR) return generator_running(frame);
    return frame_lasti(frame) < 0;
}

Value eval_frame_default(ThreadState *thread, Frame *frame, int throwflag)
{
    if (!may_run(frame))
        return raise_error(SystemError, "eval_frame_default: the frame of '%S' has run already",
                           (ValueRef)as_code(frame->code)->name);
    if (!throwflag != !error_pending()) return raise_bad_call("eval_frame_default");
    return run_frame(thread, frame, throwflag);
}

Frame *frame_leave_raising(Frame *frame)
{
    Frame *caller = frame->previous;
    invariant(caller && error_pending(), "an exception goes on in the caller's frame");
    thread_state.frame = caller;
    recursion_depth -= frame->flags & FRAME_INIT ? 2 : 1;
    if (!(frame->flags & FRAME_GENERATOR)) {
        frame_pop(frame);
        return caller;
    }
    Generator *generator = generator_of(frame);
    generator_leave(generator);
    generator_convert_error(generator);
    generator_finish(generator);
    return caller;
}

bool eval_poll(void)
{
    if (!poll_signals()) return false;
    if (eval_breaker.gc) gc_poll();
    return !eval_breaker.strands || upcalls.take_turns();
}

void eval_trace(const Frame *frame, const Instruction *ip, const Value *sp)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    int opcode = quick_opcode(quick, ip);
    const char *name = opcode_name(opcode);
    char line[400];
    int used = snprintf(line, sizeof line, "%5d %-22s %5u |", (int)(ip - quick->instructions) * 2,
                        name ? name : "?", quick_operand(quick, ip));
    const Value *slot = frame->localsplus + quick->slots;
    for (; slot < sp && used < (int)sizeof line - 60; slot++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %.40s",
                         *slot ? type_of(*slot)->name : "NULL");
    line[used++] = '\n';
    outside_write_all(2, line, (size_t)used);
}

bool eval_init(void)
{
    if (!frame_types_init() || !frame_stack_init()) return false;
    hook_init(eval_frame_default, run_frame);
    observe_init(switch_loops);
    function_type.call = function_call;
    return true;
}

void eval_finish(void)
{
    drop_slot(&async_generator_firstiter);
    drop_slot(&async_generator_finalizer);
    drop_slot(&thread_state.builtin_names);
    frame_stack_finish();
}
