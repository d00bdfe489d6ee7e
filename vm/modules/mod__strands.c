// The module _strands: flows of control that take turns, for the threads of vm/lib/_thread.mpy.
//
//     strand = create(function)    does not run yet
//     switch(strand)               this one waits; the other one begins, or goes on
//     ... until another one switches back: then switch() returns
//
// A strand ends when its function returns, which says by its result which strand goes on. Nothing
// else switches: so a program with strands does the same in every run.
//
//                    C stack          frame stack     pending and handled exceptions
//     that runs      the machine's    thread_state    objects/error.h
//     that waits     in its Strand, by swapcontext(3), with all that is in `kept`
//
// A C library without makecontext(3) (musl, emscripten) has no strands: create() refuses.
#include "vm/modules/strands.h"

#include "frames/frame.h"
#include "objects/call.h"
#include "objects/config.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/float.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/import/import.h"
#include "vm/outside/outside.h"

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

// What belongs to the strand that runs, and is kept here while it waits.
typedef struct Kept {
    ThreadState thread;
    HandledItem *handled_top;
    int recursion_depth;
    char *stack_floor, *stack_top;
} Kept;

typedef struct Strand {
    Object base;
    Value function; // 0 once it has begun
    bool begun, ended;
    struct Strand *previous, *next; // in the ring of those that have begun and not ended
    char *stack;                    // NULL: the machine's own
    HandledItem handled;            // the first of its list of handled exceptions
    Kept kept;
    ucontext_t context;
    void *sanitizer; // what the address sanitizer keeps
} Strand;

static Strand *main_strand, *current;
static Value sleeper; // what time.sleep() calls while there are strands
static Strand *ended; // its stack is freed by the one that goes on
static Strand ring = {.previous = &ring, .next = &ring};

static Strand *as_strand(ValueRef value)
{
    return (Strand *)object_of(value);
}

static void release(Object *self)
{
    Strand *strand = (Strand *)self;
    drop(strand->function);
    memory_free(strand->stack);
}

static void traverse(Object *self, VisitFn visit, void *arg)
{
    Value function = ((Strand *)self)->function;
    if (function) visit(function, arg);
}

static Type strand_type = {STATIC_TYPE("_strands.Strand", sizeof(Strand)), .flags = TYPE_GC,
                           .release = release, .traverse = traverse};

static bool strand_check(ValueRef value)
{
    return is_object(value) && type_of(value) == &strand_type;
}

// The one that runs when the first other one is made.
static bool main_exists(void)
{
    if (!main_strand) current = main_strand = object_alloc(&strand_type, 0);
    if (main_strand) main_strand->begun = true;
    return main_strand;
}

// ---- what is kept

static void keep(Kept *kept)
{
    kept->thread = thread_state;
    kept->handled_top = handled_top;
    kept->recursion_depth = recursion_depth;
    kept->stack_floor = stack_floor;
    kept->stack_top = stack_top;
}

// What is the same for all strands stays: hooks and observers.
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
}

// The state in which a new strand begins. False: there is no memory for its frame stack.
static bool keep_first(Strand *strand)
{
    Kept own;
    keep(&own);
    thread_state.frame = NULL;
    bool made = frame_stack_init();
    keep(&strand->kept);
    use(&own);
    strand->kept.handled_top = &strand->handled;
    strand->kept.recursion_depth = 0;
    strand->kept.stack_top = strand->stack + STRAND_STACK;
    strand->kept.stack_floor = strand->stack + STRAND_RESERVE;
    return made;
}

// ---- switching

static void link_in(Strand *strand)
{
    strand->next = &ring;
    strand->previous = ring.previous;
    ring.previous = ring.previous->next = strand;
}

static void unlink_from(Strand *strand)
{
    strand->previous->next = strand->next;
    strand->next->previous = strand->previous;
}

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

static void go(Strand *from, Strand *to)
{
    invariant(!error_pending(), "what is pending belongs to the strand that runs");
    keep(&from->kept);
    current = to;
    use(&to->kept);
    sanitizer_leave(from, to);
#if CAN_SWITCH
    swapcontext(&from->context, &to->context);
#endif
    sanitizer_arrive(from);
    if (!ended) return;
    Strand *gone = ended;
    ended = NULL;
    memory_free(gone->stack);
    gone->stack = NULL;
    drop(own(gone));
}

// Which strand goes on: the one that the function has named. One that is made to end goes back.
static Strand *heir_of(Value result)
{
    Strand *heir = main_strand;
    bool named = result && result != ref_of(current) && strand_check(result);
    if (named && !thread_state.ends && as_strand(result)->begun && !as_strand(result)->ended)
        heir = as_strand(result);
    drop(result);
    if (thread_state.ends)
        error_clear();
    else if (error_pending())
        report_unraisable(ref_of(current), "Exception ignored in");
    return heir;
}

// The first function on a strand's stack. It does not return.
static void run_strand(void)
{
    Strand *self = current;
    sanitizer_arrive(self);
    Value function = self->function;
    self->function = VALUE_ERROR;
    Value result = object_call_none(function);
    drop(function);
    Strand *heir = heir_of(result);
    frame_stack_finish();
    self->ended = true;
    unlink_from(self);
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
    strand->begun = true;
    link_in(strand);
    retain(ref_of(strand)); // until it has ended
    return true;
#else
    (void)strand, (void)keep_first, (void)link_in, (void)run_strand;
    return raise_error(RuntimeError, "can't start new thread: this C library switches no stacks");
#endif
}

static Value create(FUNCTION_ARGS)
{
    if (!main_exists()) return VALUE_ERROR;
    Strand *strand = object_alloc(&strand_type, 0);
    if (!strand) return VALUE_ERROR;
    strand->function = retain(args[0]);
    if (begin(strand)) return own(strand);
    drop(own(strand));
    return VALUE_ERROR;
}

static Value get_current(FUNCTION_ARGS)
{
    return main_exists() ? retain(ref_of(current)) : VALUE_ERROR;
}

static Value end_of_strand(void)
{
    return raise_error(SystemExit, NULL);
}

static Value switch_to(FUNCTION_ARGS)
{
    if (!strand_check(args[0])) return raise_error(TypeError, "a strand is expected");
    Strand *strand = as_strand(args[0]), *self_strand = current;
    if (thread_state.ends) return end_of_strand();
    if (!strand->begun || strand->ended) return raise_error(ValueError, "the strand has ended");
    if (strand != self_strand) go(self_strand, strand);
    return thread_state.ends ? end_of_strand() : NONE;
}

static Value set_sleep(FUNCTION_ARGS)
{
    replace_slot(&sleeper, args[0] == NONE ? VALUE_ERROR : retain(args[0]));
    return NONE;
}

static Value sleep_alone(FUNCTION_ARGS)
{
    double seconds;
    if (!float_from_value(args[0], &seconds)) return VALUE_ERROR;
    return seconds <= 0 || outside_sleep((int64_t)(seconds * 1e9)) ? NONE : VALUE_ERROR;
}

// ---- for the rest of the machine

bool strands_exist(void)
{
    return sleeper;
}

Value strands_sleep(int64_t nanoseconds)
{
    Value seconds = float_new((double)nanoseconds / 1e9);
    Value result = seconds ? object_call_one(sleeper, seconds) : VALUE_ERROR;
    drop(seconds);
    return result;
}

bool strands_is_main(void)
{
    return current == main_strand;
}

bool strands_interrupt_main(void)
{
    ValueRef threads = dict_peek_ascii(import_modules(), "_thread");
    Value name = str_intern("_interrupt_main"), error = error_take();
    Value done = threads && name ? object_call_method_one(threads, name, error) : VALUE_ERROR;
    drop(error);
    drop(name);
    drop(done);
    return done;
}

void strands_shutdown(void)
{
    ValueRef threading = dict_peek_ascii(import_modules(), "threading");
    Value name = threading ? str_intern("_shutdown") : VALUE_ERROR;
    Value held = name ? retain(threading) : VALUE_ERROR;
    Value done = held ? object_call_method_none(held, name) : VALUE_ERROR;
    if (held && !done) report_unraisable(held, "Exception ignored in");
    error_clear();
    drop(done);
    drop(held);
    drop(name);
}

void strands_finish(void)
{
    drop_slot(&sleeper);
    while (ring.next != &ring) {
        Strand *strand = ring.next;
        strand->kept.thread.ends = true;
        go(main_strand, strand);
    }
    Strand *gone = main_strand;
    main_strand = current = NULL;
    if (gone) drop(own(gone));
}

static const MethodDef functions[] = {
    {"create", create, ONE_ARG, NULL},     {"current", get_current, NO_ARGS, NULL},
    {"switch", switch_to, ONE_ARG, NULL},  {"set_sleep", set_sleep, ONE_ARG, NULL},
    {"sleep", sleep_alone, ONE_ARG, NULL}, {0},
};

static bool fill(ValueRef module)
{
    (void)module;
    return type_ready(&strand_type);
}

const ModuleDef _strands_module = {
    .name = "_strands",
    .doc = "Flows of control that take turns.",
    .functions = functions,
    .fill = fill,
};
