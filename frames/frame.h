// A frame: a code object in progress.
//
//     +----------+----+----+------+-----+--------+-------+------+-------------+--------+
//     | previous | ip | sp | code | ... | locals | cells | free | value stack | blocks |
//     +----------+----+----+------+-----+--------+-------+------+-------------+--------+
//                                       localsplus              sp -> first free slot
//
// The frame of a call is on the frame stack, after the frame of its caller. The frame stack is made
// of chunks of memory, which never move. The frame of a generator is in the Generator
// (generator.h).
//
// A script sees a FrameObject, which frame_object() makes when it is first needed. While the frame
// lives, the object points to the frame, and the frame owns a reference to the object. When the
// frame ends and the object still has other references, the contents move into the object.
//
// The life of a frame on the stack: frame_push() reserves it, frame_init() fills the header,
// bind_arguments() fills the slots, the evaluator runs it, frame_pop() ends it. For the simplest
// calls frame_begin_exact() does the first two steps, and the loop moves the arguments.
//
// `ip` and `sp` are in registers while the loop runs the frame. The loop stores `ip` before
// anything that can read the frame or raise, and `sp` when it leaves the frame.
#pragma once

#include "frames/quickcode.h"

#include <string.h>

typedef struct Frame Frame;

typedef enum FrameFlag {
    FRAME_ENTRY = 1 << 0,     // C called the loop for this frame: when it ends, the loop returns
    FRAME_GENERATOR = 1 << 1, // is in a Generator
    FRAME_OBJECT = 1 << 2,    // `object` is set
    FRAME_LOCALS = 1 << 3,    // `locals` is set
    FRAME_INIT = 1 << 4,  // an __init__: must return None; the instance is on the caller's stack
    FRAME_CHUNK = 1 << 5, // the first one in its chunk of the frame stack
    FRAME_DELEGATES =
        1 << 6,           // a generator that waits in `yield from`: its receiver is on the stack
    FRAME_LINES = 1 << 7, // passed[LINES_OF_TRACE] is set
    FRAME_LINES_SEEN = 1 << 8, // passed[LINES_OF_DEBUGGER] is set
    FRAME_SKIPPED = 1 << 9,    // see frame_skip() in frames/observe.h
    FRAME_WITH = 1 << 10,      // an __enter__: when it returns, the caller's `with` block begins
} FrameFlag;

// An entry of the block stack: a SETUP_FINALLY or SETUP_WITH whose body runs, or a handler that
// runs.
typedef struct Block {
    int32_t handler; // index of the handler's first instruction; BLOCK_EXCEPT in a handler
    int32_t level;   // to which depth an exception cuts the value stack
} Block;
#define BLOCK_EXCEPT (-1)

// For line_events.h: the index of the instruction that was last announced, and when.
typedef enum LineReader { LINES_OF_TRACE, LINES_OF_DEBUGGER, LINE_READERS } LineReader;
typedef struct LinesPassed {
    int32_t at;
    uint32_t period;
} LinesPassed;

struct Frame {
    Frame *previous; // the caller; NULL in the first frame and in a generator that waits
    Instruction *ip; // the last instruction begun; at first the address before the first one
    Value *sp;
    Value code;
    Value globals_owner; // keeps `globals` alive: the function called, or the globals themselves
    ValueRef globals;    // dict
    uint32_t flags;      // FrameFlag
    uint32_t block_count;
    LinesPassed passed[LINE_READERS];
    int64_t number; // for debugger.h: see frames/observe.h
    Value object;   // FrameObject, if FRAME_OBJECT
    Value locals;   // f_locals, any mapping, if FRAME_LOCALS
    Value localsplus[];
};

typedef enum FrameJump {
    JUMP_NEVER,
    JUMP_BEFORE_INSTRUCTION, // the next instruction may be another one
    JUMP_AT_YIELD,
} FrameJump;

// What a script sees of a frame.
typedef struct FrameObject {
    Object base;
    Frame *frame; // &kept once the frame has ended
    Value back;   // f_back of a frame that has ended: FrameObject, or 0
    Value trace;  // f_trace, or 0
    bool trace_lines, trace_opcodes;
    uint8_t may_jump; // FrameJump: may a script set f_lineno now?
    int line;         // f_lineno while there is an f_trace: the line announced last
    Frame kept;       // the contents of a frame that has ended
} FrameObject;

extern Type frame_type;

struct ThreadState;
typedef Value (*EvalFrameFn)(struct ThreadState *thread, Frame *frame, int throwflag);

// What happens in a frame, for observers. EVENT_OPCODE comes before every instruction, with ip and
// sp stored; the observer may change both (jump.h).
typedef enum FrameEvent {
    EVENT_CALL,
    EVENT_OPCODE,
    EVENT_RETURN,    // `value` is what it returns or yields
    EVENT_EXCEPTION, // `value` is the exception
    EVENT_UNWIND,    // an exception leaves the frame
} FrameEvent;
// False with an exception pending, which is then raised in the frame.
typedef bool (*ObserverFn)(Frame *frame, FrameEvent event, ValueRef value);

struct FrameChunk;

// There is one thread and one interpreter; what CPython keeps in PyThreadState and in
// PyInterpreterState is here.
typedef struct ThreadState {
    Frame *frame;             // the one that runs
    Value *top, *limit;       // of the frame stack's current chunk
    struct FrameChunk *chunk; // the current one
    EvalFrameFn eval_frame;   // PEP 523: see frames/hook.h
    bool hooked;              // a hook is installed: it is called for every frame
    bool observed;            // the observed loop runs frames: see vm/eval.h
    bool announced;           // an observer is set
    bool ends;                // its exception passes all handlers (vm/modules/mod__strands.c)
    Value builtin_names;      // the same dict, owned, once a cache refers to it; or 0
} ThreadState;

extern ThreadState thread_state;

bool frame_types_init(void); // readies the types of frame_types.def, after objects_init()
bool frame_stack_init(void);
void frame_forget_handlers(Frame *frame); // so that an exception leaves it
void frame_stack_finish(void);

// Reserves a frame for code that has been quickened: NULL with MemoryError pending.
Frame *frame_push_chunk(const QuickCode *quick);
static inline Frame *frame_push(const QuickCode *quick)
{
    Value *top = thread_state.top;
    if (top + quick->frame_words > thread_state.limit) return frame_push_chunk(quick);
    invariant(top >= (Value *)thread_state.frame || !thread_state.frame ||
                  (thread_state.frame->flags & FRAME_GENERATOR) ||
                  (Value *)thread_state.frame > thread_state.limit,
              "a new frame is after the one that runs, or in another chunk");
    thread_state.top = top + quick->frame_words;
    ((Frame *)top)->flags = 0;
    return (Frame *)top;
}
// Fills the header and empties the slots; keeps the flags. Steals `globals_owner`.
static inline void frame_init(Frame *frame, const QuickCode *quick, Value globals_owner,
                              ValueRef globals)
{
    invariant(is_alive(object_of(globals_owner)) && globals, "a frame keeps its globals alive");
    frame->previous = NULL;
    frame->ip = (Instruction *)quick->instructions - 1;
    frame->sp = frame->localsplus + quick->slots;
    frame->code = retain(ref_of(quick->code));
    frame->globals_owner = globals_owner;
    frame->globals = globals;
    frame->block_count = 0;
    for (uint32_t i = 0; i < quick->slots; i++) frame->localsplus[i] = VALUE_ERROR;
}
// Frees the frame stack from this frame on. A build with invariants fills all but `previous`, so
// that no reference to an object stays.
static inline void frame_stack_lower(Frame *frame)
{
    if (DEBUG_INVARIANTS) {
        Frame *previous = frame->previous;
        memset(frame, 0xDD, (size_t)((char *)thread_state.top - (char *)frame));
        frame->previous = previous;
    }
    thread_state.top = (Value *)frame;
}
// Ends a frame: drops its contents, or moves them into the FrameObject if that has other
// references. The frame is no longer thread_state.frame. Keeps a pending exception.
void frame_finish(Frame *frame);
// Ends a frame and frees its memory on the frame stack.
void frame_pop(Frame *frame);

// f_lasti: the offset of the last instruction begun, -1 = none.
int frame_lasti(const Frame *frame);
int frame_line(const Frame *frame);
// `__builtins__` of these globals: a dict, unless a script has stored something else. Borrowed.
ValueRef globals_builtins(ValueRef globals);
// f_locals, updated from the variables: a borrowed mapping, 0 with an exception pending.
ValueRef frame_locals(Frame *frame);
// Writes f_locals back to the variables; `clear` unbinds those that are not in it.
bool frame_locals_to_fast(Frame *frame, bool clear);
// f_locals of a frame that has no fast variables (a module, a class): any mapping. Steals.
void frame_set_locals(Frame *frame, Value locals);

// The object of a frame, made if there is none: borrowed, 0 with MemoryError pending.
ValueRef frame_object(Frame *frame);
static inline FrameObject *as_frame_object(ValueRef value)
{
    invariant(is_allocated(value) && is_exactly(value, &frame_type),
              "what is read as a frame object is one");
    return (FrameObject *)object_of(value);
}
// f_lineno. As in CPython, a traced frame gives the line that its trace function was called for
// last, in tracebacks as well.
int frame_object_line(const FrameObject *object);
// Drops the values from `sp` down to `down_to`, the top one first.
void frame_drop_stack(Frame *frame, Value *sp, const Value *down_to);
void frame_traverse(Frame *frame, VisitFn visit, void *arg);

static inline Value *frame_stack(Frame *frame)
{
    invariant(quick_of(as_code(frame->code)), "a frame is made of code that was quickened");
    return frame->localsplus + quick_of(as_code(frame->code))->slots;
}
static inline Block *frame_blocks(Frame *frame)
{
    return (Block *)(frame->localsplus + quick_of(as_code(frame->code))->blocks);
}
