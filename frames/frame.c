// The frame stack, and the life of a frame.
//
//     chunk    | frame | frame | frame |   unused    |
//     next     | frame |                 unused      |      thread_state.top, .limit
//
// A frame that does not fit into the rest of its chunk is the first of the next chunk and is marked
// FRAME_CHUNK. Chunks never move. A chunk that becomes empty is kept for the next overflow.
//
// recursion_depth (objects/stack.h) counts nested calls; the limit is MAX_FRAMES.
#include "frames/frame.h"

#include "objects/cell.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/upcalls.h"

#define FIRST_CHUNK_WORDS (4 * 1024)
#define CHUNK_WORDS (32 * 1024)
#define OPCODE_EXTENDED_ARG 144 // all that this folder knows of opcodes

typedef struct FrameChunk {
    struct FrameChunk *previous, *next;
    Value *top; // the end of its frames, while a later chunk is in use
    Value *limit;
    Value words[];
} FrameChunk;

ThreadState thread_state;

// ---- the frame stack

static FrameChunk *chunk_new(size_t words)
{
    FrameChunk *chunk = memory_alloc(sizeof(FrameChunk) + words * sizeof(Value));
    if (!chunk) return NULL;
    chunk->previous = chunk->next = NULL;
    chunk->top = chunk->words;
    chunk->limit = chunk->words + words;
    return chunk;
}

static void chunk_use(FrameChunk *chunk)
{
    thread_state.chunk = chunk;
    thread_state.top = chunk->top;
    thread_state.limit = chunk->limit;
}

bool frame_stack_init(void)
{
    FrameChunk *chunk = chunk_new(FIRST_CHUNK_WORDS);
    if (!chunk) return false;
    chunk_use(chunk);
    return true;
}

void frame_stack_finish(void)
{
    FrameChunk *chunk = thread_state.chunk;
    if (!chunk) return;
    memory_free(chunk->next);
    while (chunk) {
        FrameChunk *previous = chunk->previous;
        memory_free(chunk);
        chunk = previous;
    }
    thread_state.chunk = NULL;
    thread_state.top = thread_state.limit = NULL;
}

// The chunk after the current one, with room for so many words.
static FrameChunk *chunk_next(size_t words)
{
    FrameChunk *chunk = thread_state.chunk;
    if (!chunk) return NULL; // a __del__ after frame_stack_finish()
    FrameChunk *next = chunk->next;
    if (next && (size_t)(next->limit - next->words) >= words) return next;
    memory_free(next);
    chunk->next = NULL;
    next = chunk_new(words > CHUNK_WORDS ? words : CHUNK_WORDS);
    if (!next) return NULL;
    next->previous = chunk;
    chunk->next = next;
    return next;
}

Frame *frame_push_chunk(const QuickCode *quick)
{
    FrameChunk *next = chunk_next(quick->frame_words);
    if (!next) {
        raise_memory_error();
        return NULL;
    }
    thread_state.chunk->top = thread_state.top;
    next->top = next->words;
    chunk_use(next);
    Frame *frame = (Frame *)thread_state.top;
    thread_state.top += quick->frame_words;
    frame->flags = FRAME_CHUNK;
    return frame;
}

static void chunk_leave(void)
{
    FrameChunk *chunk = thread_state.chunk;
    invariant(chunk->previous, "the first chunk is never left");
    invariant(chunk->previous->next == chunk, "chunks are linked both ways");
    memory_free(chunk->next);
    chunk->next = NULL;
    chunk_use(chunk->previous);
}

// ---- the life of a frame

void frame_drop_stack(Frame *frame, Value *sp, const Value *down_to)
{
    invariant(down_to >= frame_stack(frame), "variables are not on the value stack");
    invariant(sp <= frame->localsplus + quick_of(as_code(frame->code))->blocks,
              "the stack ends where the blocks begin");
    while (sp > down_to) {
        frame->sp = --sp;
        drop(*sp);
    }
}

static void drop_slots(Frame *frame)
{
    uint32_t count = quick_of(as_code(frame->code))->slots;
    for (uint32_t i = 0; i < count; i++) drop_slot(&frame->localsplus[i]);
}

// Handlers that run already are left as usual: their values are on the stack.
void frame_forget_handlers(Frame *frame)
{
    Block *blocks = frame_blocks(frame);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < frame->block_count; i++)
        if (blocks[i].handler == BLOCK_EXCEPT) blocks[kept++] = blocks[i];
    frame->block_count = kept;
}

static void drop_contents(Frame *frame)
{
    drop_slots(frame);
    if (frame->flags & FRAME_LOCALS) drop(frame->locals);
    drop(frame->globals_owner);
    drop(frame->code);
}

// The object outlives the frame: the contents move into it, and f_back is set to the caller's
// object. It keeps the globals themselves instead of the function.
static void hand_over(Frame *frame, FrameObject *object)
{
    invariant(object->frame == frame, "a frame and its object know each other");
    uint32_t count = quick_of(as_code(frame->code))->slots;
    if (frame->previous) {
        ValueRef back = frame_object(frame->previous);
        if (back)
            object->back = retain(back);
        else
            error_clear();
    }
    memcpy(&object->kept, frame, sizeof(Frame) + count * sizeof(Value));
    Frame *kept = &object->kept;
    kept->previous = NULL;
    kept->sp = kept->localsplus + count;
    kept->flags &= FRAME_LOCALS;
    kept->block_count = 0;
    kept->globals_owner = retain(frame->globals);
    object->frame = kept;
    drop(frame->globals_owner);
}

void frame_finish(Frame *frame)
{
    invariant(thread_state.frame != frame, "a frame that ends runs no more");
    invariant(!(frame->flags & FRAME_OBJECT) || as_frame_object(frame->object)->frame == frame,
              "a frame and its object know each other");
    Value pending = error_take();
    frame_drop_stack(frame, frame->sp, frame_stack(frame));
    if (!(frame->flags & FRAME_OBJECT)) {
        drop_contents(frame);
    } else {
        Value object = frame->object;
        bool seen = object_of(object)->refcount > 1;
        if (seen)
            hand_over(frame, as_frame_object(object));
        else
            as_frame_object(object)->frame = NULL;
        frame->flags &= ~(uint32_t)FRAME_OBJECT;
        drop(object); // before the contents: a __del__ may find it with gc.get_objects()
        if (!seen) drop_contents(frame);
    }
    error_restore(pending);
}

void frame_pop(Frame *frame)
{
    invariant(!(frame->flags & FRAME_GENERATOR), "a generator's frame is not on the frame stack");
    invariant(!(frame->flags & FRAME_ENTRY), "a frame is popped when the loop is done with it");
    invariant((Value *)frame < thread_state.top && thread_state.top <= thread_state.limit,
              "the frame that is popped is in the chunk in use");
    invariant(frame->sp <= thread_state.top, "what a frame holds is below the top");
    if (!frame->flags && !error_pending()) {
        for (Value *slot = frame->localsplus; slot < frame->sp; slot++) drop(*slot);
        drop(frame->globals_owner);
        drop(frame->code);
        frame_stack_lower(frame);
        return;
    }
    bool first = frame->flags & FRAME_CHUNK;
    frame_finish(frame);
    if (first)
        chunk_leave();
    else
        frame_stack_lower(frame);
}

void frame_traverse(Frame *frame, VisitFn visit, void *arg)
{
    if (!frame->code) return;
    invariant(frame->sp >= frame->localsplus, "a frame that the collector sees has stored its sp");
    Value *end = frame->sp;
    for (Value *slot = frame->localsplus; slot < end; slot++)
        if (is_object(*slot)) visit(*slot, arg);
    visit(frame->code, arg);
    visit(frame->globals_owner, arg);
    if (frame->flags & FRAME_OBJECT) visit(frame->object, arg);
    if ((frame->flags & FRAME_LOCALS) && is_object(frame->locals)) visit(frame->locals, arg);
}

// ---- where it is

int frame_lasti(const Frame *frame)
{
    const Code *code = as_code(frame->code);
    const QuickCode *quick = quick_of(code);
    int index = (int)(frame->ip - quick->instructions);
    invariant(index >= -1 && index < (int)quick->count, "ip is at an instruction, or before all");
    if (index < 0) return -1;
    const char *bytes = as_bytes(code->code)->data;
    if (quick->has_prefix)
        while (index > 0 && (uint8_t)bytes[2 * index - 2] == OPCODE_EXTENDED_ARG) index--;
    return 2 * index;
}

int frame_line(const Frame *frame)
{
    return code_line_at(as_code(frame->code), frame_lasti(frame));
}

ValueRef globals_builtins(ValueRef globals)
{
    ValueRef builtins = dict_peek(globals, NAME(__builtins__));
    if (builtins && module_check(builtins)) builtins = as_module(builtins)->dict;
    if (builtins) return builtins;
    ValueRef standard = upcalls.builtins();
    return standard ? standard : globals; // while the process ends there are none
}

// ---- f_locals

void frame_set_locals(Frame *frame, Value locals)
{
    if (frame->flags & FRAME_LOCALS) {
        replace_slot(&frame->locals, locals);
        return;
    }
    frame->locals = locals;
    frame->flags |= FRAME_LOCALS;
}

// The value of a variable: of a cell, its contents. Borrowed, 0 = unbound.
static ValueRef slot_value(ValueRef slot, bool is_cell)
{
    return is_cell && slot ? as_cell(slot)->contents : slot;
}

static bool set_local(ValueRef locals, ValueRef name, ValueRef value)
{
    if (value) {
        Value held = retain(value);
        bool done = object_set_subscript(locals, name, held);
        drop(held);
        return done;
    }
    if (object_delete_subscript(locals, name)) return true;
    if (!error_is(KeyError)) return false;
    error_clear();
    return true;
}

// Calls `each` for every variable: locals, cells and, in a function, free variables.
typedef bool (*SlotFn)(Frame *frame, Value *slot, ValueRef name, bool is_cell, void *arg);

static bool each_of(Frame *frame, Value *slots, ValueRef names, bool cells, SlotFn each, void *arg)
{
    for (ssize_t i = 0; i < tuple_size(names); i++)
        if (!each(frame, &slots[i], tuple_at(names, i), cells, arg)) return false;
    return true;
}

static bool each_variable(Frame *frame, SlotFn each, void *arg)
{
    const Code *code = as_code(frame->code);
    Value *slots = frame->localsplus;
    Value names = code->varnames;
    if (tuple_size(names) > code->nlocals) return raise_bad_call("frame_locals");
    if (!each_of(frame, slots, names, false, each, arg)) return false;
    slots += code->nlocals;
    if (!each_of(frame, slots, code->cellvars, true, each, arg)) return false;
    if (!(code->flags & CO_OPTIMIZED)) return true;
    return each_of(frame, slots + code_cell_count(code), code->freevars, true, each, arg);
}

static bool slot_to_locals(Frame *frame, Value *slot, ValueRef name, bool is_cell, void *arg)
{
    (void)frame;
    return set_local(*(const ValueRef *)arg, name, slot_value(*slot, is_cell));
}

ValueRef frame_locals(Frame *frame)
{
    if (!(frame->flags & FRAME_LOCALS)) {
        Value locals = dict_new();
        if (!locals) return VALUE_ERROR;
        frame_set_locals(frame, locals);
    }
    ValueRef locals = frame->locals;
    if (!each_variable(frame, slot_to_locals, &locals)) return VALUE_ERROR;
    return locals;
}

typedef struct LocalsReader {
    ValueRef locals;
    bool clear;
} LocalsReader;

static bool locals_to_slot(Frame *frame, Value *slot, ValueRef name, bool is_cell, void *arg)
{
    (void)frame;
    const LocalsReader *reader = arg;
    Value value = object_subscript(reader->locals, name);
    if (!value) {
        error_clear(); // whatever the mapping has raised, as in CPython
        if (!reader->clear) return true;
    }
    if (is_cell && *slot)
        replace_slot(&as_cell(*slot)->contents, value);
    else
        replace_slot(slot, value);
    return true;
}

bool frame_locals_to_fast(Frame *frame, bool clear)
{
    if (!(frame->flags & FRAME_LOCALS)) return true;
    LocalsReader reader = {frame->locals, clear};
    return each_variable(frame, locals_to_slot, &reader);
}
