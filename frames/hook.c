// The evaluator pointer, observers and ticks, and the registry of co_extra.
#include "frames/hook.h"

#include "objects/error.h"
#include "objects/function.h"
#include "objects/memory.h"

#include <string.h>

// ---- the pointer

static EvalFrameFn first;    // what hooks know as the default
static EvalFrameFn unhooked; // what runs in its place while nobody has a hook
static EvalFrameFn hook;

// As _Py_CheckFunctionResult: a value and no exception, or no value and an exception.
static Value checked(Value result, const Frame *frame)
{
    if ((result != VALUE_ERROR) != error_pending()) return result;
    ValueRef called = function_check(frame->holder) ? frame->holder : frame->code;
    if (!result)
        return raise_error(SystemError, "%R returned NULL without setting an error", called);
    drop(result);
    return raise_from_pending(SystemError, "%R returned a result with an error set", called);
}

// Stands in the pointer while there is a hook. A frame has its f_back before it runs.
static Value eval_frame_hooked(ThreadState *thread, Frame *frame, int throwflag)
{
    frame->previous = thread->frame;
    return checked(hook(thread, frame, throwflag), frame);
}

EvalFrameFn eval_frame_get(void)
{
    return hook;
}

void eval_frame_set(EvalFrameFn function)
{
    hook = function ? function : first;
    thread_state.hooked = hook != first;
    thread_state.eval_frame = thread_state.hooked ? eval_frame_hooked : unhooked;
}

EvalFrameFn eval_frame_first(void)
{
    return first;
}

// ---- observers

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

struct TickCounter tick_counter = {.limit = INT64_MAX};
static int64_t alarm_tick, longest;
static void (*alarm_function)(void);

static void update_limit(void)
{
    const int64_t slot = sizeof(Instruction);
    int64_t last = alarm_tick - longest; // that may be run fast
    bool set = alarm_function && !tick_counter.near && last < INT64_MAX / slot;
    tick_counter.limit = set ? last * slot : INT64_MAX;
}

// The first slot that is not begun yet, as far as it is known while C runs.
static const Instruction *next_slot(void)
{
    return (thread_state.frame ? thread_state.frame->ip : NULL) + 1;
}

static void start_counting(bool start)
{
    counting = start;
    tick_counter.base = -(int64_t)(intptr_t)next_slot();
    tick_counter.events = 0;
    ticks_set_alarm(0, NULL);
}

void ticks_start(void)
{
    start_counting(true);
}

void ticks_stop(void)
{
    start_counting(false);
}

int64_t ticks_now(const Frame *frame)
{
    const Instruction *ip = frame ? frame->ip : next_slot();
    return (tick_counter.base + (intptr_t)ip) / (int64_t)sizeof(Instruction);
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

// ---- co_extra

static struct {
    ExtraFreeFn release;
    ExtraTraverseFn traverse;
} extra_users[MAX_EXTRA_USERS];
static int extra_user_count;

void hook_init(EvalFrameFn function, EvalFrameFn stand_in, SwitchLoopsFn switcher)
{
    first = function;
    unhooked = stand_in;
    switch_loops = switcher;
    extra_user_count = 0;
    memset(observers, 0, sizeof observers);
    eval_frame_set(NULL);
    ticks_stop();
}

int extra_request_index(ExtraFreeFn release, ExtraTraverseFn traverse)
{
    if (extra_user_count >= MAX_EXTRA_USERS - 1) return -1;
    extra_users[extra_user_count].release = release;
    extra_users[extra_user_count].traverse = traverse;
    return extra_user_count++;
}

void *code_get_extra(const Code *code, int index)
{
    return index >= 0 && index < code->extra_count ? code->extra[index] : NULL;
}

static bool make_room(Code *code)
{
    size_t count = (size_t)extra_user_count;
    void **extra = memory_resize(code->extra, count * sizeof(void *));
    if (!extra) return raise_memory_error();
    for (size_t i = (size_t)code->extra_count; i < count; i++) extra[i] = NULL;
    code->extra = extra;
    code->extra_count = extra_user_count;
    return true;
}

bool code_set_extra(Code *code, int index, void *extra)
{
    if (index < 0 || index >= extra_user_count) return raise_bad_call("code_set_extra");
    if (index >= code->extra_count && !make_room(code)) return false;
    void *old = code->extra[index];
    code->extra[index] = extra;
    if (old && extra_users[index].release) extra_users[index].release(old);
    return true;
}

// What a free function hangs on the code meanwhile goes when the code is next cleared or freed.
void code_release_extra(Code *code)
{
    void **extra = code->extra;
    int count = code->extra_count;
    code->extra = NULL;
    code->extra_count = 0;
    for (int i = 0; i < count; i++)
        if (extra_users[i].release) extra_users[i].release(extra[i]);
    memory_free(extra);
}

void code_traverse_extra(Code *code, VisitFn visit, void *arg)
{
    for (int i = 0; i < code->extra_count; i++)
        if (code->extra[i] && extra_users[i].traverse)
            extra_users[i].traverse(code->extra[i], visit, arg);
}
