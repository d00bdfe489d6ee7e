// Watching frames run: observers, who are told of events, and ticks, which count instructions.
//
//     observer_set(role, mine)          mine(frame, event, value) at every event of all frames
//     ticks_start()                     instructions are counted from here on
//     ticks_set_alarm(tick, ring)       ring() shortly before that tick; until then at full speed
//
// Two loops run frames (vm/eval.h). While somebody observes, or ticks are counted, it is the
// observed one; it stops before every instruction only while somebody wants that.
#pragma once

#include "frames/frame.h"

// Announces how the loops are told what is wanted of them: called once, by eval_init(). Forgets the
// observers and the ticks.
typedef void (*SwitchLoopsFn)(bool observed, bool each); // `each` instruction is to be announced
void observe_init(SwitchLoopsFn switch_loops);

// Who sees the events of all frames, in this order.
typedef enum ObserverRole {
    OBSERVER_DEBUGGER,
    OBSERVER_TRACE,    // sys.settrace
    OBSERVER_RECORDER, // --trace, --trace-html
    OBSERVER_ROLES
} ObserverRole;

// NULL = nobody. Takes effect at once: frames that run already go on in the observed loop
// (vm/eval.h) at their next instruction, or when control comes back to them.
void observer_set(ObserverRole role, ObserverFn observer);
// Is somebody told who looks at the program from within? (The debugger does it from copies.)
bool observers_within(void);
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
//     tick of the instruction at ip = (tick_counter.limit - tick_counter.bound + ip)
//                                     / sizeof(Instruction)
//
// Where control goes elsewhere than to the next slot (a jump, another frame), ticks_move() moves
// the bound along, and the sum is as it was. While C runs inside an instruction,
// thread_state.frame->ip is that instruction, and the next tick is the one after its.
extern struct TickCounter {
    int64_t bound;  // an ip beyond it is too near to the alarm for running fast
    int64_t limit;  // the sum that an ip at the bound has
    int64_t events; // other than EVENT_OPCODE, announced or not
    bool near;      // the alarm is to be called before the next instruction
} tick_counter;

// The slot after `from` is begun now: `to` stands in its place.
static inline void ticks_move(const Instruction *from, const Instruction *to)
{
    tick_counter.bound += (int64_t)((intptr_t)to - (intptr_t)from);
}
// The same from frame to frame; NULL = none runs.
static inline void ticks_move_frame(const Frame *from, const Frame *to)
{
    ticks_move(from ? from->ip : NULL, to ? to->ip : NULL);
}
// For the loop, where control has come to `ip`.
static inline bool ticks_reach(const Instruction *ip)
{
    return (intptr_t)ip > tick_counter.bound;
}
void ticks_come_near(void); // ticks_reach(): the loop is to stop before the next instruction,
void ticks_ring(void);      // where it calls this, with ip and sp stored

// Each frame that begins while ticks are counted has a number of its own: of the events, its first
// one. It says which call a frame was when it has ended, and in every run of the same program.
// Those that were under way when the counting began have numbers below 0, the innermost the highest
// one; a generator that waited then gets its number when it goes on.
static inline void frame_count_call(Frame *frame)
{
    bool goes_on = (frame->flags & FRAME_GENERATOR) && frame->number;
    if (!goes_on) frame->number = tick_counter.events;
}

// From now on everything runs in the observed loop, and ticks are counted: the next instruction is
// number 0. Forgets the alarm.
void ticks_start(void);
void ticks_stop(void);
// What has run since the two were taken is not counted.
void ticks_turn_back(int64_t base, int64_t events);
int64_t ticks_base(void); // the sum less the ip
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
