// The module _strands: the threads of a program, which take turns, for vm/lib/_thread.mpy.
//
//     number = create(function, thread)    ready to begin; the current thread in it is `thread`
//     park(key, until)                     the one that runs waits, and another one goes on
//     wake(key)                            the one that has waited longest for the key is ready
//     leave_to_main                        its exception is raised in the main thread next
//
// One strand runs at a time: it goes on until it waits, or until its turn is over. The loop counts
// a turn in polls, which are calls and jumps back (eval_poll()), not in time. So a program with
// threads does the same in every run, as far as it asks for no time. A turn ends between two
// instructions of the program's own code: a function in C or of the library is not interrupted.
//
//     ready    those that could go on, in the order in which they became ready
//     parked   those that wait, each for a key (any object), for a time, or for both
//
//                    C stack          frame stack     handled exceptions   variables of C
//     that runs      the machine's    thread_state    objects/error.h      objects/thread_parts.h
//     that waits     in its Strand, by swapcontext(3), with all that is in `kept`
//
// A C library without makecontext(3) (musl, emscripten) has no strands: create() refuses.
#include "vm/modules/strands.h"

#include "frames/observe.h"
#include "objects/call.h"
#include "objects/config.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/thread_parts.h"
#include "objects/type.h"
#include "objects/upcalls.h"
#include "vm/import/import.h"
#include "vm/import/library.h"
#include "vm/outside/files.h"
#include "vm/outside/outside.h"
#include "vm/sys/sys.h"

#include <poll.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <ucontext.h>
#define CAN_SWITCH 1
#else
#define CAN_SWITCH 0
typedef struct ucontext_t {
    int none;
} ucontext_t;
#endif
#if MEMORY_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

#define STRAND_STACK ((size_t)(MEMORY_SANITIZED ? 4 : 1) << 20)
#define STRAND_RESERVE (STRAND_STACK / 4) // in which an error can still be raised

#define FIRST_IDENT INT64_C(140000000000000)
#define IDENT_STEP 4096
#define NEVER INT64_MAX
#define FIRST_DELAY 50000 // nanoseconds until a descriptor is looked at again
#define LONGEST_DELAY 5000000
#define POLLS_PER_SECOND 2e6 // so a turn lasts about as long as sys.setswitchinterval() says

// What belongs to the strand that runs, and is kept here while it waits.
typedef struct Kept {
    ThreadState thread;
    HandledItem *handled_top;
    int recursion_depth;
    char *stack_floor, *stack_top;
    ThreadParts parts;
} Kept;

typedef struct Link {
    struct Link *previous, *next; // NULL = in no ring
} Link;

typedef struct Strand {
    Object base;
    Value function;  // 0 once it has begun
    Value thread;    // what current() returns
    Value interrupt; // the exception that it is to raise when it goes on, or 0
    int64_t ident;
    bool ended, woken;
    bool absent;         // of this copy of the process: it is only there to be freed
    int64_t parks;       // how often it has waited
    Value key;           // what it waits for, or 0
    int64_t until;       // when it goes on at the latest, on CLOCK_STEADY; NEVER
    Link living;         // in the ring of those that have not ended, without the first
    Link queued;         // in `ready`, `parked`, or none
    char *stack;         // NULL: the machine's own
    HandledItem handled; // the first of its list of handled exceptions
    Kept kept;
    ucontext_t context;
    void *sanitizer; // what the address sanitizer keeps
} Strand;

static Strand *first, *main_strand, *current; // another one than the first is main after a fork
static Strand *ended;                         // its stack is freed by the one that goes on
static Link living = {&living, &living}, ready = {&ready, &ready}, parked = {&parked, &parked};
static int64_t last_ident = FIRST_IDENT;
static int turn; // how many polls are left of it

static Value context; // PEP 567: of the thread that runs

static bool still_exist(void)
{
    return current || raise_error(RuntimeError, "there are no threads: the program has ended");
}

// ---- rings

static bool is_empty(const Link *ring)
{
    return ring->next == ring;
}

static bool is_queued(const Strand *strand)
{
    return strand->queued.next;
}

static void link_in(Link *ring, Link *link)
{
    invariant(!link->next, "what is linked in is in no other ring");
    link->next = ring;
    link->previous = ring->previous;
    ring->previous = ring->previous->next = link;
}

static void take_out(Link *link)
{
    if (!link->next) return;
    link->previous->next = link->next;
    link->next->previous = link->previous;
    link->next = link->previous = NULL;
}

static Strand *of_queue(Link *link)
{
    return (Strand *)(void *)((char *)link - offsetof(Strand, queued));
}

static Strand *of_living(Link *link)
{
    return (Strand *)(void *)((char *)link - offsetof(Strand, living));
}

// ---- the type

static void release(Object *self)
{
    Strand *strand = (Strand *)self;
    drop(strand->function);
    drop(strand->thread);
    drop(strand->interrupt);
    drop(strand->key);
    memory_free(strand->stack);
}

static void visit_part(ValueRef value, VisitFn visit, void *arg)
{
    if (value) visit(value, arg);
}

static void traverse(Object *self, VisitFn visit, void *arg)
{
    const Strand *strand = (Strand *)self;
    visit_part(strand->function, visit, arg);
    visit_part(strand->thread, visit, arg);
    visit_part(strand->interrupt, visit, arg);
    visit_part(strand->key, visit, arg);
}

static Type strand_type = {STATIC_TYPE("_strands.Strand", sizeof(Strand)), .flags = TYPE_GC,
                           .release = release, .traverse = traverse};

// ---- what is kept

static void keep(Kept *kept)
{
    kept->thread = thread_state;
    kept->handled_top = handled_top;
    kept->recursion_depth = recursion_depth;
    kept->stack_floor = stack_floor;
    kept->stack_top = stack_top;
    thread_parts_keep(&kept->parts);
}

// What is the same for all strands stays: hooks and most observers.
static void use(const Kept *kept)
{
    thread_state.frame = kept->thread.frame;
    thread_state.top = kept->thread.top;
    thread_state.limit = kept->thread.limit;
    thread_state.chunk = kept->thread.chunk;
    thread_state.ends = kept->thread.ends;
    handled_top = kept->handled_top;
    recursion_depth = kept->recursion_depth;
    stack_floor = kept->stack_floor;
    stack_top = kept->stack_top;
    thread_parts_use(&kept->parts);
}

// The state in which a new strand begins. False: there is no memory for its frame stack.
static bool keep_first(Strand *strand)
{
    Kept own;
    keep(&own);
    thread_state.frame = NULL;
    bool made = frame_stack_init();
    keep(&strand->kept);
    strand->kept.parts.used = 0;
    use(&own);
    strand->kept.handled_top = &strand->handled;
    strand->kept.recursion_depth = 0;
    strand->kept.stack_top = strand->stack + STRAND_STACK;
    strand->kept.stack_floor = strand->stack + STRAND_RESERVE;
    return made;
}

// ---- switching

static void sanitizer_leave(Strand *from, const Strand *to)
{
#if MEMORY_SANITIZED
    static const void *main_bottom;
    static size_t main_size;
    if (!main_bottom) main_size = (size_t)(stack_top - stack_floor), main_bottom = stack_floor;
    __sanitizer_start_switch_fiber(from->ended ? NULL : &from->sanitizer,
                                   to->stack ? to->stack : main_bottom,
                                   to->stack ? STRAND_STACK : main_size);
#else
    (void)from, (void)to;
#endif
}

static void sanitizer_arrive(Strand *at)
{
#if MEMORY_SANITIZED
    __sanitizer_finish_switch_fiber(at->sanitizer, NULL, NULL);
#else
    (void)at;
#endif
}

static void begin_turn(void)
{
    double polls = sys_switch_interval * POLLS_PER_SECOND;
    turn = polls > INT_MAX ? INT_MAX : (int)polls;
}

// The strand goes on, or begins, on its stack: another one may have ended on the stack before.
static void arrive(Strand *at)
{
    sanitizer_arrive(at);
    if (!ended) return;
    Strand *gone = ended;
    ended = NULL;
    memory_free(gone->stack);
    gone->stack = NULL;
    drop(own(gone));
}

static void switch_stacks(Strand *from, Strand *to)
{
    sanitizer_leave(from, to);
#if CAN_SWITCH
    swapcontext(&from->context, &to->context);
#endif
    arrive(from);
}

static bool end_of_strand(void)
{
    return raise_error(SystemExit, NULL);
}

// Does the loop have to ask whether a turn is over?
static void note_others(void)
{
    eval_breaker.strands = !is_empty(&living) || main_strand->interrupt;
}

// Raises what another one has left for it.
static bool raise_interrupt(Strand *strand)
{
    if (!strand->interrupt) return false;
    error_restore(strand->interrupt);
    strand->interrupt = VALUE_ERROR;
    note_others();
    return true;
}

// Returns when another one has gone on with this one. False: an exception is pending, which that
// one has left, or which makes this one end. One that was woken may have been given something, a
// lock: it asks was_woken(), and passes it on.
static bool go(Strand *from, Strand *to)
{
    invariant(!error_pending(), "what is pending belongs to the strand that runs");
    invariant(!is_queued(to), "who goes on waits for nothing");
    if (from != to) {
        keep(&from->kept);
        current = to;
        begin_turn();
        ticks_move_frame(from->kept.thread.frame, to->kept.thread.frame);
        use(&to->kept);
        switch_stacks(from, to);
        const Frame *frame = thread_state.frame;
        if (frame && ticks_reach(frame->ip + 1)) ticks_come_near();
    }
    if (thread_state.ends) return end_of_strand();
    return !raise_interrupt(from);
}

// ---- whose turn it is

// It waits for nothing any more.
static void make_ready(Strand *strand)
{
    take_out(&strand->queued);
    link_in(&ready, &strand->queued);
}

// Makes those ready whose time has come. Returns how long the next one of the others waits.
static int64_t rouse(void)
{
    int64_t now = 0, soonest = NEVER;
    for (Link *link = parked.next, *next; link != &parked; link = next) {
        Strand *strand = of_queue(link);
        next = link->next;
        if (strand->until == NEVER) continue;
        if (!now) now = outside_clock(CLOCK_STEADY);
        if (strand->until <= now)
            make_ready(strand);
        else if (strand->until - now < soonest)
            soonest = strand->until - now;
    }
    return soonest;
}

static Strand *take_ready(void)
{
    Strand *strand = of_queue(ready.next);
    take_out(&strand->queued);
    return strand;
}

// Who goes on while `waiting` (or NULL) waits: itself, if it has gone on meanwhile, in a signal's
// handler. NULL with an exception pending: what a handler raised, or that nobody ever goes on.
static Strand *choose(Strand *waiting)
{
    for (;;) {
        if (waiting && !is_queued(waiting)) return waiting;
        int64_t soonest = rouse();
        if (!is_empty(&ready)) return take_ready();
        if (soonest == NEVER) {
            raise_error(RuntimeError, "deadlock: each thread waits for another one");
            return NULL;
        }
        if (!outside_sleep(soonest)) return NULL;
    }
}

// True: it was woken. False: its time has come. None: it may look again whether it need wait, as a
// signal's handler has waited meanwhile. Steals the key.
static Value park(Value key, int64_t until)
{
    Strand *self = current;
    if (thread_state.ends) {
        drop(key);
        end_of_strand();
        return VALUE_ERROR;
    }
    take_out(&self->queued);
    replace_slot(&self->key, key);
    self->until = until;
    self->woken = false;
    int64_t number = ++self->parks;
    link_in(&parked, &self->queued);
    Strand *next = choose(self);
    bool goes_on = next && go(self, next);
    take_out(&self->queued);
    drop_slot(&self->key);
    if (!goes_on) return VALUE_ERROR;
    return number == self->parks ? from_bool(self->woken) : NONE;
}

static bool take_turns(void)
{
    if (turn > 1 && !current->interrupt) {
        turn--;
        return true;
    }
    const Frame *frame = thread_state.frame;
    if (thread_state.ends || is_queued(current) || is_library_file(as_code(frame->code)->filename))
        return true;
    if (raise_interrupt(current)) return false;
    begin_turn();
    rouse();
    if (is_empty(&ready)) return true;
    current->woken = false;
    link_in(&ready, &current->queued);
    return go(current, take_ready());
}

// ---- beginning and ending

// The pending exception goes to the main thread, which is ready then.
static void leave_to_main(void)
{
    replace_slot(&main_strand->interrupt, error_take());
    note_others();
    if (current != main_strand) make_ready(main_strand);
}

// The first function on a strand's stack. It does not return. One that is made to end goes back.
static void run_strand(void)
{
    Strand *self = current;
    arrive(self);
    Value function = self->function;
    self->function = VALUE_ERROR;
    Value result = thread_state.ends ? VALUE_ERROR : object_call_none(function);
    if (!result && error_pending() && !thread_state.ends)
        report_unraisable(ref_of(self), "Exception ignored in");
    error_clear();
    drop(result);
    drop(function);
    thread_parts_end();
    if (self == main_strand) main_strand = first;
    Strand *heir = thread_state.ends ? first : choose(NULL);
    if (!heir) {
        leave_to_main();
        heir = take_ready();
    }
    frame_stack_finish();
    self->ended = true;
    take_out(&self->living);
    note_others();
    invariant(!ended, "who goes on has freed the one that ended before");
    ended = self;
    go(self, heir);
    abort();
}

static bool begin(Strand *strand)
{
#if CAN_SWITCH
    strand->stack = memory_alloc(STRAND_STACK);
    if (!strand->stack || !keep_first(strand)) return raise_memory_error();
    getcontext(&strand->context);
    strand->context.uc_stack.ss_sp = strand->stack;
    strand->context.uc_stack.ss_size = STRAND_STACK;
    strand->context.uc_link = NULL;
    makecontext(&strand->context, run_strand, 0);
    link_in(&living, &strand->living);
    link_in(&ready, &strand->queued);
    note_others();
    retain(ref_of(strand)); // until it has ended
    return true;
#else
    (void)strand, (void)keep_first, (void)run_strand;
    return raise_error(RuntimeError, "can't start new thread: this C library switches no stacks");
#endif
}

static Strand *strand_new(ValueRef function, ValueRef thread)
{
    Strand *strand = object_alloc(&strand_type, 0);
    if (!strand) return NULL;
    strand->function = retain(function);
    strand->thread = retain(thread);
    strand->until = NEVER;
    return strand;
}

// ---- the functions of the module

// What stands for the thread that the program begins in.
static Value set_main(FUNCTION_ARGS)
{
    if (!still_exist()) return VALUE_ERROR;
    replace_slot(&main_strand->thread, retain(args[0]));
    return int_new(main_strand->ident);
}

static Value create(FUNCTION_ARGS)
{
    Strand *strand = still_exist() ? strand_new(args[0], args[1]) : NULL;
    if (!strand) return VALUE_ERROR;
    strand->ident = last_ident + IDENT_STEP;
    bool begun = begin(strand);
    if (begun) last_ident = strand->ident;
    drop(own(strand));
    return begun ? int_new(last_ident) : VALUE_ERROR;
}

static Value get_current(FUNCTION_ARGS)
{
    return still_exist() ? retain(current->thread) : VALUE_ERROR;
}

static bool until_argument(ValueRef value, int64_t *until)
{
    double seconds;
    *until = NEVER;
    if (value == NONE) return true;
    if (!float_from_value(value, &seconds)) return false;
    if (seconds < 9e9) *until = (int64_t)(seconds * 1e9);
    return true;
}

static Value park_function(FUNCTION_ARGS)
{
    int64_t until;
    if (!still_exist() || !until_argument(args[1], &until)) return VALUE_ERROR;
    return park(retain(args[0]), until);
}

static Value wake(FUNCTION_ARGS)
{
    for (Link *link = parked.next; link != &parked; link = link->next) {
        Strand *strand = of_queue(link);
        if (strand->key != args[0]) continue;
        strand->woken = true;
        make_ready(strand);
        return TRUE;
    }
    return FALSE;
}

// Had it been woken when an exception ended its wait?
static Value was_woken(FUNCTION_ARGS)
{
    return still_exist() ? from_bool(current->woken) : VALUE_ERROR;
}

static Value leave_to_main_function(FUNCTION_ARGS)
{
    if (!still_exist()) return VALUE_ERROR;
    raise_value(args[0]);
    leave_to_main();
    return NONE;
}

// In a copy of the process there is only the thread that made it.
static Value forget_others(FUNCTION_ARGS)
{
    if (!still_exist()) return VALUE_ERROR;
    while (!is_empty(&ready)) take_out(ready.next);
    while (!is_empty(&parked)) take_out(parked.next);
    first->absent = first != current;
    for (Link *link = living.next; link != &living; link = link->next)
        of_living(link)->absent = of_living(link) != current;
    main_strand = current;
    eval_breaker.strands = false;
    return NONE;
}

ValueRef strands_context(void)
{
    return context;
}

// The current context of PEP 567: None = the thread has none yet.
static Value get_context(FUNCTION_ARGS)
{
    return context ? retain(context) : NONE;
}

static Value set_context(FUNCTION_ARGS)
{
    replace_slot(&context, retain(args[0]));
    return NONE;
}

static void drop_context(void)
{
    drop_slot(&context);
}

// ---- for the rest of the machine

Value strands_sleep(int64_t nanoseconds)
{
    Value woken = park(VALUE_ERROR, outside_clock(CLOCK_STEADY) + nanoseconds);
    return woken ? NONE : VALUE_ERROR;
}

static bool others_can_go_on(void)
{
    return rouse() != NEVER || !is_empty(&ready);
}

bool strands_await_input(int descriptor)
{
    struct pollfd asked = {.fd = descriptor, .events = POLLIN}, answer;
    int64_t delay = FIRST_DELAY;
    while (others_can_go_on()) {
        if (!outside_poll(&asked, &answer, 1, 0))
            return !error_pending(); // reading says what it is
        if (answer.revents) return true;
        Value slept = strands_sleep(delay);
        if (!slept) return false;
        delay = delay < LONGEST_DELAY ? delay * 2 : delay;
    }
    return true;
}

static bool await_owner(const int64_t *owner)
{
    int64_t delay = FIRST_DELAY;
    while (*owner && *owner != current->ident && others_can_go_on()) {
        if (!strands_sleep(delay)) return false;
        delay = delay < LONGEST_DELAY ? delay * 2 : delay;
    }
    return true;
}

static int64_t thread_ident(void)
{
    return current ? current->ident : FIRST_IDENT;
}

bool strands_is_main(void)
{
    return current == main_strand;
}

bool strands_interrupt_main(void)
{
    leave_to_main();
    take_out(&main_strand->queued);
    if (!is_queued(current)) make_ready(current);
    current->woken = false;
    return go(current, main_strand);
}

// The innermost frame of the program's: a thread that waits for a lock does so in C in CPython.
static Frame *shown_frame(const Strand *strand)
{
    Frame *frame = strand == current ? thread_state.frame : strand->kept.thread.frame;
    while (frame && is_library_file(as_code(frame->code)->filename) &&
           str_equal_ascii(as_code(frame->code)->filename, LIBRARY_ENTRY "/_thread.mpy"))
        frame = frame->previous;
    return frame;
}

static bool add_frame(ValueRef frames, const Strand *strand)
{
    Frame *frame = strand->absent ? NULL : shown_frame(strand);
    if (!frame) return true;
    Value number = int_new(strand->ident);
    ValueRef object = number ? frame_object(frame) : VALUE_ERROR;
    bool added = object && dict_set(frames, number, object);
    drop(number);
    return added;
}

static Value thread_frames(void)
{
    if (!still_exist()) return VALUE_ERROR;
    Value frames = dict_new();
    bool added = frames && add_frame(frames, first);
    for (Link *link = living.next; added && link != &living; link = link->next)
        added = add_frame(frames, of_living(link));
    if (!added) drop_slot(&frames);
    return frames;
}

// Calls a function of a module, if the program has imported that. What it raises is shown.
static void call_of(const char *module, const char *function)
{
    ValueRef found = dict_peek_ascii(import_modules(), module);
    Value name = found ? str_intern(function) : VALUE_ERROR;
    Value held = name ? retain(found) : VALUE_ERROR;
    Value done = held ? object_call_method_none(held, name) : VALUE_ERROR;
    if (held && !done) report_unraisable(held, "Exception ignored in");
    error_clear();
    drop(done);
    drop(held);
    drop(name);
}

void strands_shutdown(void)
{
    call_of("threading", "_shutdown");
}

// After the end of the others only this thread is left, as in a copy of the process: no list of
// threads may keep what they worked on until the modules' names are gone.
void strands_finish(void)
{
    bool alone = is_empty(&living);
    while (!is_empty(&living)) {
        Strand *strand = of_living(living.next);
        take_out(&strand->queued);
        strand->kept.thread.ends = true;
        go(first, strand);
    }
    eval_breaker.strands = false;
    if (alone) return;
    call_of("_thread", "_forget_others");
    call_of("threading", "_after_fork");
}

void strands_forget(void)
{
    drop_context();
    Strand *gone = first;
    first = main_strand = current = NULL;
    if (gone) drop(own(gone));
}

static const MethodDef functions[] = {
    {"create", create, ARGS(2, 2), NULL},
    {"current", get_current, NO_ARGS, NULL},
    {"forget_others", forget_others, NO_ARGS, NULL},
    {"get_context", get_context, NO_ARGS, NULL},
    {"leave_to_main", leave_to_main_function, ONE_ARG, NULL},
    {"park", park_function, ARGS(2, 2), NULL},
    {"set_context", set_context, ONE_ARG, NULL},
    {"set_main", set_main, ONE_ARG, NULL},
    {"wake", wake, ONE_ARG, NULL},
    {"was_woken", was_woken, NO_ARGS, NULL},
    {0},
};

static bool fill(ValueRef module)
{
    static ThreadPart part = {&context, sizeof context, NULL, NULL, drop_context, NULL};
    (void)module;
    object_add_thread_parts();
    thread_part_add(&part);
    upcalls.take_turns = take_turns;
    upcalls.await_input = strands_await_input;
    upcalls.await_owner = await_owner;
    upcalls.thread_ident = thread_ident;
    upcalls.thread_frames = thread_frames;
    if (!type_ready(&strand_type)) return false;
    if (!first) first = main_strand = current = strand_new(VALUE_ERROR, NONE);
    if (first) first->ident = FIRST_IDENT;
    return first;
}

const ModuleDef _strands_module = {
    .name = "_strands",
    .doc = "Threads that take turns.",
    .functions = functions,
    .fill = fill,
};
