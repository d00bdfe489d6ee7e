// Watching frames run: observers, which are called at events, and ticks, which count instructions.
//
//     observer_set(role, mine)          mine(frame, event, value) is called at every event
//     ticks_start()                     starts to count instructions
//     ticks_set_alarm(tick, ring)       ring() is called shortly before that tick
//
// Two loops run frames (vm/eval.h). The observed loop runs them while an observer is set or ticks
// are counted. It stops before every instruction only while an observer is set or an alarm is near.
#pragma once

#include "frames/frame.h"

// Registers the function that switches between the loops. Called once, by eval_init(). Forgets the
// observers and the ticks.
typedef void (*SwitchLoopsFn)(bool observed, bool each); // `each`: stop before every instruction
void observe_init(SwitchLoopsFn switch_loops);

// The observers, in the order in which they are called.
typedef enum ObserverRole {
    OBSERVER_DEBUGGER,
    OBSERVER_TRACE,    // sys.settrace
    OBSERVER_RECORDER, // --trace, --trace-html
    OBSERVER_CHECKER,  // --check-heap
    OBSERVER_ROLES
} ObserverRole;

// NULL = no observer. Takes effect at once: a frame that already runs continues in the observed
// loop at its next instruction, or when control returns to it.
void observer_set(ObserverRole role, ObserverFn observer);
// Is an observer set that runs inside the program? (The debugger observes copies of the process.)
bool observers_within(void);
// For the loop: calls the observers one after the other, until one returns false with an exception
// pending.
bool observers_tell(Frame *frame, FrameEvent event, ValueRef value);

// Ignores a frame and its callees: ends(frame) is called once, just before the frame's EVENT_RETURN
// or EVENT_UNWIND. Until then the observer should unregister, so that the program runs at full
// speed. Only one observer may use this: the last `ends` serves all skipped frames.
void frame_skip(Frame *frame, void (*ends)(Frame *frame));
void frame_skip_ends(Frame *frame); // for the loop, where FRAME_SKIPPED is set

// ---- ticks: the clock of the debugger
// A tick is the start of one instruction slot: an EXTENDED_ARG counts, and a fused instruction
// counts once for each of its slots. The number of ticks is not stored. It follows from the ip and
// one offset, so that instructions in a row cost nothing:
//
//     ticks before the instruction at ip = (ip + limit - bound) / sizeof(Instruction)
//
// When control goes to an instruction that is not the next one (a jump, another frame), the ip
// changes but the number must not: ticks_move() adds the distance to `bound`. While C runs inside
// an instruction, thread_state.frame->ip is that instruction, and the next tick is the one after
// it.
extern struct TickCounter {
    int64_t bound;  // an ip above it is so near to the alarm that the loop must stop
    int64_t limit;  // the ticks before an instruction at `bound`, times sizeof(Instruction)
    int64_t events; // how many there were, other than EVENT_OPCODE, with or without observers
    bool near;      // the alarm is to be called before the next instruction
} tick_counter;

// Control goes to `to` instead of the slot that would follow: `from`.
static inline void ticks_move(const Instruction *from, const Instruction *to)
{
    tick_counter.bound += (int64_t)((intptr_t)to - (intptr_t)from);
}
// The same from frame to frame; NULL = none runs.
static inline void ticks_move_frame(const Frame *from, const Frame *to)
{
    ticks_move(from ? from->ip : NULL, to ? to->ip : NULL);
}
// For the loop, when control arrives at `ip`.
static inline bool ticks_reach(const Instruction *ip)
{
    return (intptr_t)ip > tick_counter.bound;
}
void ticks_come_near(void); // after ticks_reach(): makes the loop stop before the next instruction
void ticks_ring(void);      // the loop calls this there, with ip and sp stored

// Each frame that begins while ticks are counted gets a number: the index of its EVENT_CALL among
// the events. The number identifies the call after the frame has ended, and in every run of the
// same program. Frames that were running when the counting began have numbers below 0, -1 for the
// innermost. A generator that was waiting then gets its number when it is resumed.
static inline void frame_count_call(Frame *frame)
{
    bool begins = !(frame->flags & FRAME_GENERATOR) || !frame->number;
    if (begins) frame->number = tick_counter.events;
}

// From now on the observed loop runs all frames and counts ticks; the next instruction is number 0.
// Forgets the alarm.
void ticks_start(void);
void ticks_stop(void);
// Sets ticks and events back to what ticks_base() and tick_counter.events were before: what has run
// since then does not count.
void ticks_turn_back(int64_t base, int64_t events);
int64_t ticks_base(void); // limit - bound
// The number of ticks before the instruction at frame->ip; `frame` is the one that runs. NULL (no
// frame runs): the number of all ticks.
int64_t ticks_now(const Frame *frame);
// The loop calls alarm() once, as it calls an observer at EVENT_OPCODE. It does so at most
// ticks_longest() ticks before `tick`, never after it; or earlier, if code longer than all before
// is quickened meanwhile. `tick` is in the future. NULL = no alarm.
void ticks_set_alarm(int64_t tick, void (*alarm)(void));
// How many instructions the longest quickened code has: control cannot run further without a jump.
int64_t ticks_longest(void);
void ticks_note_code(uint32_t count); // for quicken()
