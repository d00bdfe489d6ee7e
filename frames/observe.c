// Observers, frames that they skip, and ticks: see observe.h.
#include "frames/observe.h"

#include <string.h>

static SwitchLoopsFn switch_loops;
static ObserverFn observers[OBSERVER_ROLES];
static bool counting; // ticks

static void update_loops(void)
{
    thread_state.announced = false;
    for (int role = 0; role < OBSERVER_ROLES; role++)
        if (observers[role]) thread_state.announced = true;
    bool each = thread_state.announced || tick_counter.near;
    thread_state.observed = counting || each;
    switch_loops(thread_state.observed, each);
}

void observer_set(ObserverRole role, ObserverFn observer)
{
    observers[role] = observer;
    update_loops();
}

bool observers_within(void)
{
    return observers[OBSERVER_TRACE] || observers[OBSERVER_RECORDER];
}

bool observers_tell(Frame *frame, FrameEvent event, ValueRef value)
{
    for (int role = 0; role < OBSERVER_ROLES; role++)
        if (observers[role] && !observers[role](frame, event, value)) return false;
    return true;
}

static void (*skip_ends)(Frame *frame);

void frame_skip(Frame *frame, void (*ends)(Frame *frame))
{
    frame->flags |= FRAME_SKIPPED;
    skip_ends = ends;
}

void frame_skip_ends(Frame *frame)
{
    frame->flags &= ~(uint32_t)FRAME_SKIPPED;
    skip_ends(frame);
}

// ---- ticks

#define NEVER (INT64_MAX / 2) // a limit that no ip reaches

struct TickCounter tick_counter = {.bound = NEVER, .limit = NEVER};
static int64_t alarm_tick, longest;
static void (*alarm_function)(void);

int64_t ticks_base(void)
{
    return tick_counter.limit - tick_counter.bound;
}

static void set_base(int64_t base)
{
    tick_counter.bound = tick_counter.limit - base;
}

void ticks_turn_back(int64_t base, int64_t events)
{
    set_base(base);
    tick_counter.events = events;
}

static void update_limit(void)
{
    const int64_t slot = sizeof(Instruction);
    int64_t last = alarm_tick - longest; // the last tick before which the loop need not stop
    int64_t base = ticks_base();
    bool set = alarm_function && !tick_counter.near && last < NEVER / slot;
    tick_counter.limit = set ? last * slot : NEVER;
    set_base(base);
}

// While C runs: the slot after the last one begun.
static const Instruction *next_slot(void)
{
    return (thread_state.frame ? thread_state.frame->ip : NULL) + 1;
}

static void start_counting(bool start)
{
    counting = start;
    ticks_turn_back(-(int64_t)(intptr_t)next_slot(), 0);
    ticks_set_alarm(0, NULL);
}

void ticks_start(void)
{
    start_counting(true);
    int64_t number = 0;
    for (Frame *frame = thread_state.frame; frame; frame = frame->previous)
        frame->number = --number;
}

void ticks_stop(void)
{
    start_counting(false);
}

int64_t ticks_now(const Frame *frame)
{
    const Instruction *ip = frame ? frame->ip : next_slot();
    return (ticks_base() + (intptr_t)ip) / (int64_t)sizeof(Instruction);
}

int64_t ticks_longest(void)
{
    return longest;
}

void ticks_note_code(uint32_t count)
{
    if (count <= longest) return;
    longest = count;
    update_limit();
}

void ticks_set_alarm(int64_t tick, void (*alarm)(void))
{
    alarm_tick = tick;
    alarm_function = alarm;
    tick_counter.near = false;
    update_limit();
    tick_counter.near = alarm && ticks_reach(next_slot());
    update_limit();
    update_loops();
}

void ticks_come_near(void)
{
    tick_counter.near = true;
    update_limit();
    update_loops();
}

void ticks_ring(void)
{
    void (*alarm)(void) = alarm_function;
    ticks_set_alarm(0, NULL);
    if (alarm) alarm();
}

void observe_init(SwitchLoopsFn switcher)
{
    switch_loops = switcher;
    memset(observers, 0, sizeof observers);
    ticks_stop();
}
