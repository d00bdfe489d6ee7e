// Building blocks of the loop's handlers: macros that only work inside the loop (they use ip, sp,
// frame and the label `error`), and short functions that several handlers share. Only vm/eval.c
// includes this file, after it has defined OBSERVED.
//
//     REPLACE(n, call)   the result of a call in place of n operands
//     DO(n, call)        a call that gives only success, then n operands dropped
//     NEXT(n), JUMP(at)  continues n slots further, or at the jump target of instruction `at`
//     MOVE(from, to)     keeps the tick count right at a jump
//     ARRIVE(n)          as NEXT(n), after a jump
#pragma once

#include "frames/generators/generator.h"
#include "frames/observe.h"
#include "frames/traceback.h"
#include "vm/builtins/frame_builtins.h"
#include "vm/checks.h"
#include "vm/function_call.h"
#include "vm/growing.h"
#include "vm/inline_cache.h"
#include "vm/jit/jit.h"
#include "vm/numbers.h"
#include "vm/ops.h"
#include "vm/quicken.h"
#include "vm/settrace/line_events.h"
#include "vm/settrace/trace.h"
#include "vm/unwind.h"

#include "objects/cell.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/config.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/containers/set.h"
#include "objects/containers/slice.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/gc.h"
#include "objects/instance.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/iterators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// ---- macros of the handlers

#define LOCAL(index) (frame->localsplus[index])
#define MEMBER(object, offset) (*(Value *)(void *)((char *)object_of(object) + (offset)))
#if OBSERVED // an observer of the callers' frames sees their value stacks
#define SAVE() (frame->ip = ip, frame->sp = sp)
#else
#define SAVE() (frame->ip = ip)
#endif
#define NEXT(slots)                                                                                \
    do {                                                                                           \
        ip += (slots);                                                                             \
        DISPATCH();                                                                                \
    } while (0)
// Only a jump backwards, or to itself, tests for the alarm. Ticks follow ip, which a jump forwards
// keeps within the code, as running on does.
#define JUMP(from)                                                                                 \
    do {                                                                                           \
        Instruction *target_ = (Instruction *)((char *)(from) + (from)->jump);                     \
        MOVE((from) + 1, target_);                                                                 \
        bool back_ = OBSERVED && (from)->jump <= 0;                                                \
        ip = target_;                                                                              \
        if (back_) ARRIVE(0);                                                                      \
        NEXT(0);                                                                                   \
    } while (0)
#define PUSH(value) (*sp++ = (value))
#define POP() (*--sp)

// Drops a value; its destructor finds the frame at this instruction.
#define DROP(owned)                                                                                \
    do {                                                                                           \
        Value dropped_ = (owned);                                                                  \
        invariant(!is_object(dropped_) || is_alive(object_of(dropped_)),                           \
                  "what a slot lets go of is alive");                                              \
        if (is_object(dropped_) && --object_of(dropped_)->refcount == 0) {                         \
            SAVE();                                                                                \
            object_dealloc(object_of(dropped_));                                                   \
        }                                                                                          \
    } while (0)

// The results of a call that may fail: on top of the stack in place of `count` operands.
#define REPLACE(count, expression)                                                                 \
    do {                                                                                           \
        SAVE();                                                                                    \
        Value made_ = (expression);                                                                \
        if (unlikely(!made_)) goto error;                                                          \
        invariant(made_ != ABSENT, "ABSENT is told from a value before it gets on the stack");     \
        for (uint32_t left_ = (count); left_ > 0; left_--) drop(POP());                            \
        PUSH(made_);                                                                               \
        NEXT(1);                                                                                   \
    } while (0)
// The same where the operands are stolen.
#define REPLACE_STOLEN(count, expression)                                                          \
    do {                                                                                           \
        SAVE();                                                                                    \
        sp -= (count);                                                                             \
        Value made_ = (expression);                                                                \
        if (unlikely(!made_)) goto error;                                                          \
        PUSH(made_);                                                                               \
        NEXT(1);                                                                                   \
    } while (0)
// A call that is only done; then `count` operands are dropped.
#define DO(count, expression)                                                                      \
    do {                                                                                           \
        SAVE();                                                                                    \
        if (unlikely(!(expression))) goto error;                                                   \
        for (uint32_t left_ = (count); left_ > 0; left_--) drop(POP());                            \
        NEXT(1);                                                                                   \
    } while (0)
#define DROP_OBJECT(owned)                                                                         \
    do {                                                                                           \
        invariant(is_alive(object_of(owned)), "what a frame holds is alive");                      \
        if (--object_of(owned)->refcount == 0) object_dealloc(object_of(owned));                   \
    } while (0)
// Ends a frame that has no frame object, and goes back to its caller. (Most code leaves nothing on
// the stack, but class C(1, 2, 3, **d) does.)
#define LEAVE_FRAME()                                                                              \
    do {                                                                                           \
        invariant(frame_may_end(frame), "a frame ends in front of its caller's");                  \
        MOVE(ip, frame->previous->ip);                                                             \
        thread_state.frame = frame->previous;                                                      \
        for (Value *slot_ = frame->localsplus; slot_ < sp; slot_++) drop(*slot_);                  \
        DROP_OBJECT(frame->globals_owner);                                                         \
        DROP_OBJECT(frame->code);                                                                  \
        frame_stack_lower(frame);                                                                  \
        frame = frame->previous;                                                                   \
        ip = frame->ip;                                                                            \
        sp = frame->sp;                                                                            \
    } while (0)
// Goes on in `next`, which has `count` arguments; the caller's stack ends at `top`.
#define ENTER_FILLED(quick, count, top)                                                            \
    do {                                                                                           \
        Value *slot_ = next->localsplus + (count);                                                 \
        frame->sp = (top);                                                                         \
        sp = next->localsplus + (quick)->slots;                                                    \
        while (slot_ < sp) *slot_++ = VALUE_ERROR;                                                 \
        ip = (Instruction *)(quick)->instructions;                                                 \
        if (unlikely((quick)->cells_and_frees)) goto link_frame;                                   \
        goto frame_entered;                                                                        \
    } while (0)
#define POLL()                                                                                     \
    do {                                                                                           \
        if (!OBSERVED) COME_BACK();                                                                \
        if (unlikely(eval_breaker.any)) {                                                          \
            frame->ip = ip;                                                                        \
            frame->sp = sp;                                                                        \
            if (!eval_poll()) goto error;                                                          \
        }                                                                                          \
    } while (0)

// Before an instruction, of the plain loop or of one that is not announced yet: leaves the loop now
// and then (LOOP_POLLS), to be called again there.
#if LOOP_POLLS
#define COME_BACK()                                                                                \
    do {                                                                                           \
        if (unlikely(--loop_polls_left < 0)) {                                                     \
            loop_polls_left = LOOP_POLLS;                                                          \
            frame->ip = ip - 1;                                                                    \
            frame->sp = sp;                                                                        \
            return LOOP_AGAIN;                                                                     \
        }                                                                                          \
    } while (0)
#else
#define COME_BACK() ((void)0)
#endif

// A hook evaluates frames: every call leaves the loop.
#define HOOKED (!DEBUG_NO_HOOK && thread_state.hooked)

// Can this loop be diverted?
#define DIVERTS (OBSERVED || !DEBUG_NO_OBSERVER)

// Only the observed loop announces events, and only it counts them and the ticks.
#if OBSERVED
static inline void count_event(Frame *frame, FrameEvent event)
{
    if (event == EVENT_OPCODE) return;
    tick_counter.events++;
    if (event == EVENT_CALL) frame_count_call(frame);
    bool leaves = event == EVENT_RETURN || event == EVENT_UNWIND;
    if (leaves && unlikely(frame->flags & FRAME_SKIPPED)) frame_skip_ends(frame);
}
#define EVENT_AT(at, event, value)                                                                 \
    (count_event(frame, event), !thread_state.announced || (frame->ip = (at), frame->sp = sp,      \
                                                            observers_tell(frame, event, value)))
#define EVENT(event, value) EVENT_AT(ip, event, value)
#define MOVE(from, to) ticks_move(from, to)
#define ARRIVE(slots)                                                                              \
    do {                                                                                           \
        ip += (slots);                                                                             \
        if (unlikely(ticks_reach(ip))) ticks_come_near();                                          \
        DISPATCH();                                                                                \
    } while (0)
#else
#define MOVE(from, to) ((void)0)
#define ARRIVE(slots) NEXT(slots)
#endif

// Before each instruction: the invariants that the verifier has proved.
#define BEGINS()                                                                                   \
    invariant(instruction_is_sound(frame, ip, sp), "an instruction finds what it relies on")

// DISPATCH() goes to the next instruction by the table, which may be diverted; GO() goes to an
// instruction's handler directly.
// clang-format off
#if defined(__GNUC__) && !DEBUG_SWITCH
#define COMPUTED_GOTO 1
#define DISPATCH()                                                                                 \
    do {                                                                                           \
        BEGINS();                                                                                  \
        goto *targets[ip->op];                                                                     \
    } while (0)
#define GO(op) goto *handlers[op]
#define TARGET(name) TARGET_##name:
#else
#define COMPUTED_GOTO 0
#define DISPATCH()                                                                                 \
    do {                                                                                           \
        BEGINS();                                                                                  \
        goto dispatch;                                                                             \
    } while (0)
#define GO(op_)                                                                                    \
    do {                                                                                           \
        op = (op_);                                                                                \
        goto execute;                                                                              \
    } while (0)
#define TARGET(name)                                                                               \
    case name:                                                                                     \
        TARGET_##name : __attribute__((unused));
#endif
#define LABEL(name)                                                                                \
    name:
// clang-format on

// ---- short bodies

static inline Value retained(Value value)
{
    invariant(value, "what is taken from a slot is a value");
    invariant(!is_object(value) || is_alive(object_of(value)),
              "what is taken from a slot is alive");
    if (is_object(value)) object_of(value)->refcount++;
    return value;
}

// The code of a call that only has to move so many arguments, if there is room for its frame.
static inline const QuickCode *enterable(const Function *function, size_t nargs)
{
    const QuickCode *quick = quick_of(as_code(function->code));
    return quick && quick->simple_argcount == (int32_t)nargs && recursion_depth < recursion_bound &&
                   thread_state.top + quick->frame_words <= thread_state.limit
               ? quick
               : NULL;
}

static inline bool accepts(const MethodDef *def, size_t nargs)
{
    return nargs - (uint16_t)def->min <= (size_t)(uint16_t)(def->max) - (uint16_t)def->min;
}

static inline int compare_numbers(ValueRef left, ValueRef right, uint32_t op)
{
    // clang-format off
    switch (op) {
#define COMPARISON(name, function, operator, opposite) case operator: return function(left, right);
#include "vm/quick.def"
    }
    // clang-format on
    return -1;
}

// An index of a list or a tuple: the item, borrowed; 0 = not in it.
static inline ValueRef item_at(const Value *items, ssize_t size, ValueRef index)
{
    int64_t at = small_value(index);
    if (at < 0) at += size;
    return (uint64_t)at < (uint64_t)size ? items[at] : VALUE_ERROR;
}

// The truth of a value, 0 or 1, if it is quick to decide; else -1.
static inline int quick_truth(ValueRef value)
{
    if (is_bool(value)) return value == TRUE;
    if (is_small(value)) return value != from_small(0);
    return value == NONE ? 0 : -1;
}

// Is the entry of the lookups this name in the owner's type, and an attribute that only instances
// have, in values[] while there is no dict?
static inline bool is_field(const Lookup *known, ValueRef owner, ValueRef name)
{
    return known->version == object_of(owner)->type->version && known->name == name &&
           known->kind == LOOKUP_FIELD;
}

// The same for a function of the class which no attribute of the instance hides.
static inline bool is_method(const Lookup *known, ValueRef owner, ValueRef name)
{
    return known->version == object_of(owner)->type->version && known->name == name &&
           known->kind == LOOKUP_METHOD && !as_instance(owner)->dict &&
           (uint32_t)known->key >= as_instance(owner)->count;
}

// The next item of a list, tuple or other iterator that the loop steps inline: 0 = at its end,
// ABSENT = another kind.
static inline Value next_item(Object *iterator)
{
    Type *type = iterator->type;
    if (type == &range_iterator_type) {
        RangeIterator *range = (RangeIterator *)iterator;
        if (range->left <= 0) return VALUE_ERROR;
        int64_t number = range->next;
        range->left--;
        range->next = number + range->step;
        return from_small(number);
    }
    if (type == &list_iterator_type) {
        IndexIterator *list = (IndexIterator *)iterator;
        if (!list->sequence || list->index >= list_size(list->sequence)) return ABSENT;
        return retained(as_list(list->sequence)->items[list->index++]);
    }
    if (type == &tuple_iterator_type) {
        IndexIterator *tuple = (IndexIterator *)iterator;
        if (!tuple->sequence || tuple->index >= tuple_size(tuple->sequence)) return ABSENT;
        return retained(as_tuple(tuple->sequence)->items[tuple->index++]);
    }
    return ABSENT;
}

// A class may have lost its __next__ since iter().
static inline Value iterator_next(ValueRef iterator)
{
    UnaryFn next = object_of(iterator)->type->next;
    return next ? next(iterator)
                : raise_error(TypeError, "'%.200T' object is not iterable", iterator);
}

// Unpacks a bound method that is about to be called: its function replaces it, and its self becomes
// the first argument. Every value stack has one spare slot for that.
static __attribute__((noinline)) void unbind_method(Value *callee, Value *sp)
{
    Value method = *callee;
    invariant(method_check(method), "only a bound method is taken apart");
    for (Value *slot = sp; slot > callee + 1; slot--) *slot = slot[-1];
    callee[0] = retained(as_method(method)->function);
    callee[1] = retained(as_method(method)->self);
    drop(method);
}
