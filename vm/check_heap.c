// See check_heap.h.
#include "vm/check_heap.h"

#include "frames/observe.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/dict.h"
#include "objects/gc.h"
#include "objects/memory/reference_audit.h"
#include "objects/sound.h"
#include "vm/limits.h"
#include "vm/outside/outside.h"

static int64_t every, left;

// ---- frames

static bool slot_is_sound(ValueRef value)
{
    invariant(!is_object(value) || is_alive(object_of(value)), "a frame owns what is in its slots");
    invariant(value != ABSENT, "ABSENT is no value of a script");
    return true;
}

// The loop stores a frame's sp when it enters another one, but not when it calls C.
static bool has_stored_sp(const Frame *callee)
{
    return !callee || !(callee->flags & FRAME_ENTRY);
}

static bool frame_is_sound(const Frame *frame, const Frame *callee)
{
    invariant(is_alive(object_of(frame->code)) && code_check(frame->code), "a frame has its code");
    invariant(is_alive(object_of(frame->globals_owner)), "a frame keeps its globals alive");
    const QuickCode *quick = quick_of(as_code(frame->code));
    invariant(quick, "code that runs is quickened");
    const Value *stack = frame->localsplus + quick->slots;
    invariant(frame->ip + 1 >= quick->instructions &&
                  frame->ip < quick->instructions + quick->count,
              "a frame is at one of its instructions");
    invariant(frame->block_count <= quick->max_blocks, "no more blocks are open than there are");
    for (const Value *slot = frame->localsplus; slot < stack; slot++) slot_is_sound(*slot);
    if (!has_stored_sp(callee)) return true;
    invariant(frame->sp >= stack && frame->sp <= stack + as_code(frame->code)->stacksize,
              "the value stack is no deeper than the code says");
    for (const Value *slot = stack; slot < frame->sp; slot++) slot_is_sound(*slot);
    return true;
}

static bool frames_are_sound(void)
{
    const Frame *callee = NULL;
    for (const Frame *frame = thread_state.frame; frame; callee = frame, frame = frame->previous)
        frame_is_sound(frame, callee);
    return true;
}

// ---- objects

static void look_at(const Object *object)
{
    ValueRef value = ref_of(object);
    invariant(!dict_check(value) || dict_is_sound(as_dict(value)), "a dict is whole");
    invariant(!set_check(value) || set_is_sound(as_set(value)), "a set is whole");
    invariant(!list_check(value) || list_is_sound(as_list(value)), "a list is whole");
}

void check_heap(void)
{
    invariant(gc_is_sound(look_at), "the collector's lists are whole");
    invariant(frames_are_sound(), "the frames that run are whole");
    invariant(counts_are_sound(), "an object is counted as often as it is referred to");
}

// ---- when

static bool count_down(Frame *frame, FrameEvent event, ValueRef value)
{
    (void)frame;
    (void)value;
    if (event != EVENT_OPCODE || --left > 0) return true;
    left = every;
    check_heap();
    return true;
}

bool check_heap_start(int64_t count)
{
    if (!DEBUG_INVARIANTS) return false;
    every = left = count;
    observer_set(OBSERVER_CHECKER, count_down);
    return true;
}

void check_heap_start_by_environment(void)
{
    int64_t count;
    const char *number = DEBUG_INVARIANTS ? outside_environment("MINIVM_CHECK_HEAP") : NULL;
    if (number && limits_parse_count(number, &count)) check_heap_start(count);
}
