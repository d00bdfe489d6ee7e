// PEP 523: the function that evaluates frames, and what its users keep on code objects.
//
//     eval_frame_get(), eval_frame_set(mine)      remember the one before: hooks chain
//     Value mine(thread, frame, throwflag)        sees every frame before it runs, and every
//                                                 resumption of a generator
//
// A hook calls the one before, which in the end is eval_frame_default() of vm/eval.h, or it leaves
// the frame alone and returns a value, or VALUE_ERROR with an exception pending. Whoever made the
// frame ends it afterwards in any case. For a generator's frame, a value that comes from elsewhere
// counts as yielded, and the generator waits where it was. With `throwflag` the pending exception
// is about to be raised where the generator waits.
//
// There is one pointer, as in CPython 3.9. While it is the default, the loop goes from frame to
// frame by itself (thread_state.hooked is false) and calls from C go straight to the loop.
//
// co_extra: a user asks for an index once, and may then keep a pointer under it on any code object.
#pragma once

#include "frames/frame.h"

// Runs a frame through the pointer.
static inline Value eval_frame(Frame *frame, int throwflag)
{
    return thread_state.eval_frame(&thread_state, frame, throwflag);
}

EvalFrameFn eval_frame_get(void);
void eval_frame_set(EvalFrameFn function); // NULL = the default
EvalFrameFn eval_frame_first(void);        // the default
// Announces the default, what stands for it while there is no hook, and how the loops are told what
// is wanted of them: called once, by eval_init(). Forgets the users of co_extra, the observers and
// the ticks.
typedef void (*SwitchLoopsFn)(bool observed, bool each); // `each` instruction is to be announced
void hook_init(EvalFrameFn function, EvalFrameFn unhooked, SwitchLoopsFn switch_loops);

// ---- observers: who sees the events of all frames, in this order
typedef enum ObserverRole {
    OBSERVER_DEBUGGER,
    OBSERVER_TRACE,    // sys.settrace
    OBSERVER_RECORDER, // --trace, --trace-html
    OBSERVER_ROLES
} ObserverRole;

// NULL = nobody. Takes effect at once: frames that run already go on in the observed loop
// (vm/eval.h) at their next instruction, or when control comes back to them.
void observer_set(ObserverRole role, ObserverFn observer);
// For the loop: tells everybody, until one says false (an exception is pending then).
bool observers_tell(Frame *frame, FrameEvent event, ValueRef value);

// For an observer who has no interest in what a frame does until it is left, nor in what it calls:
// `ends` is called before EVENT_RETURN or EVENT_UNWIND of the frame is announced, once. Meanwhile
// the observer takes itself away, and the program runs at full speed. Only one observer does so:
// the `ends` given last is called for every frame that is skipped.
void frame_skip(Frame *frame, void (*ends)(Frame *frame));
void frame_skip_ends(Frame *frame); // for the loop, where FRAME_SKIPPED is set

// ---- ticks: the clock of the debugger
// A tick is one instruction slot begun: EXTENDED_ARG counts, and a fused instruction counts for
// each of its slots. They are counted by moving one number, so that instructions that follow each
// other cost nothing:
//
//     tick of the instruction at ip = (tick_counter.base + ip) / sizeof(Instruction)
//
// Where control goes elsewhere than to the next slot (a jump, another frame), ticks_move() keeps
// the sum as it was. While C runs inside an instruction, thread_state.frame->ip is that
// instruction, and the next tick is the one after its.
extern struct TickCounter {
    int64_t base;
    int64_t limit;  // a sum beyond it is too near to the alarm for running fast
    int64_t events; // other than EVENT_OPCODE, announced or not
    bool near;      // the alarm is to be called before the next instruction
} tick_counter;

// The slot after `from` is begun now: `to` stands in its place.
static inline void ticks_move(const Instruction *from, const Instruction *to)
{
    tick_counter.base += (int64_t)((intptr_t)from - (intptr_t)to);
}
// The same from frame to frame; NULL = none runs.
static inline void ticks_move_frame(const Frame *from, const Frame *to)
{
    ticks_move(from ? from->ip : NULL, to ? to->ip : NULL);
}
// For the loop, where control has come to `ip`.
static inline bool ticks_reach(const Instruction *ip)
{
    return tick_counter.base + (intptr_t)ip > tick_counter.limit;
}
void ticks_come_near(void); // ticks_reach(): the loop is to stop before the next instruction,
void ticks_ring(void);      // where it calls this, with ip and sp stored

// From now on everything runs in the observed loop, and ticks are counted: the next instruction is
// number 0. Forgets the alarm.
void ticks_start(void);
void ticks_stop(void);
// Of the instruction at frame->ip of the frame that runs: how many began before it. NULL, where no
// frame runs: how many there were.
int64_t ticks_now(const Frame *frame);
// alarm() is called from the loop as an observer is at EVENT_OPCODE, once, before an instruction
// that is not later than `tick` and at most ticks_longest() before it; earlier where code that is
// longer than all before turns up. `tick` lies ahead. NULL = no alarm.
void ticks_set_alarm(int64_t tick, void (*alarm)(void));
// Instructions of the longest code quickened so far: how far control can come without a jump.
int64_t ticks_longest(void);
void ticks_note_code(uint32_t count); // for quicken()

// ---- co_extra
// The index and what is kept under it belong to the interpreter and to the code object; a user asks
// for the index once and copes with finding nothing under it.
#define MAX_EXTRA_USERS 255
typedef void (*ExtraFreeFn)(void *extra); // must take NULL; may run script code
typedef void (*ExtraTraverseFn)(void *extra, VisitFn visit, void *arg); // never gets NULL
// The index of a new user, -1 where there are 254 already. Either function may be NULL; `traverse`
// visits the values that the extra owns, so that the collector finds cycles through it.
int extra_request_index(ExtraFreeFn release, ExtraTraverseFn traverse);
void *code_get_extra(const Code *code, int index); // NULL = nothing
// The old value is let go once the new one is in its place, for that may run script code which
// comes here again. False with SystemError (no such index) or MemoryError pending.
bool code_set_extra(Code *code, int index, void *extra);
// The doors doors.release_extra and doors.traverse_extra.
void code_release_extra(Code *code);
void code_traverse_extra(Code *code, VisitFn visit, void *arg);
