// See fuzzing.h.
#include "tests/fuzz/fuzzing.h"

#include "frames/generators/generator.h"
#include "frames/observe.h"
#include "vm/builtins/builtins.h"
#include "vm/function_call.h"
#include "vm/vm.h"

#include "objects/cell.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define DEPTH 100 // of calls
#define SECONDS 2 // of the processor's time; then KeyboardInterrupt is raised, again and again
#define RINGS 100 // tenths of a second after that: nothing in C may last so long
#define BLOCKS_KEPT 200
#define COUNT(array) (sizeof(array) / sizeof *(array))

void fuzz_fail(const char *what)
{
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

// The sanitizers end in abort(), so that the case can be named.
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__asan_default_options(void)
{
    return "abort_on_error=1";
}
const char *__ubsan_default_options(void)
{
    return "abort_on_error=1:print_stacktrace=1";
}

// ---- random numbers, the same for the same case (splitmix64)

uint64_t random_state;

uint64_t random_word(void)
{
    uint64_t z = random_state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

uint32_t random_below(uint32_t bound)
{
    return bound ? (uint32_t)(random_word() % bound) : 0;
}

// ---- limits

static long steps;         // instructions left
static long raise_at = -1; // an exception at this many left
static bool ran_out, timed_out;

static bool count_steps(Frame *frame, FrameEvent event, ValueRef value)
{
    (void)frame;
    (void)value;
    if (event != EVENT_OPCODE) return true;
    if (--steps == raise_at) return raise_error(ValueError, "raised by the fuzzer");
    if (steps > 0) return true;
    ran_out = true;
    return raise_error(RuntimeError, "too many instructions");
}

static int rings;

static void on_timer(int signal)
{
    (void)signal;
    eval_breaker.signal = true;
    if (++rings > RINGS) fuzz_fail("hangs");
}

static bool time_is_up(void)
{
    eval_breaker.signal = false;
    timed_out = true;
    return raise_error(KeyboardInterrupt, "too long");
}

static void set_timer(int seconds)
{
    struct itimerval timer = {.it_value.tv_sec = seconds, .it_interval.tv_usec = 100000};
    if (!seconds) timer.it_interval.tv_usec = 0;
    setitimer(ITIMER_PROF, &timer, NULL);
    eval_breaker.signal = false;
    rings = 0;
}

void fuzz_limits(size_t bytes)
{
    memory_set_limit(bytes ? memory_counts().bytes + bytes : 0, NULL);
    set_timer(bytes ? SECONDS : 0);
}

bool fuzz_timed_out(void)
{
    bool was = timed_out;
    timed_out = false;
    return was;
}

// ---- running

static Value some_argument(void)
{
    switch (random_below(6)) {
    case 0: return NONE;
    case 1: return list_new(0);
    case 2: return str_new("ab");
    case 3: return object_call_one(ref_of(&range_type), from_small(3));
    case 4: return retain(ref_of(ValueError));
    default: return from_small(random_below(4));
    }
}

static void call_method(ValueRef value, const char *method, ValueRef argument)
{
    Value name = str_intern(method);
    Value result = name && argument ? object_call_method_one(value, name, argument)
                   : name           ? object_call_method_none(value, name)
                                    : VALUE_ERROR;
    drop(name);
    error_clear();
    if (!result) return;
    Value item = type_of(result)->next ? object_next(result) : VALUE_ERROR; // of an async generator
    drop(item);
    drop(result);
    error_clear();
}

// Whatever has these methods.
static void resume(ValueRef value)
{
    static const char *const async[] = {"asend", "athrow", "aclose"};
    static const char *const plain[] = {"send", "throw", "close"};
    Type *type = type_of(value);
    if (!generator_check(value) && !type->anext) return;
    for (int i = 0; i < 6; i++) {
        uint32_t action = random_below(8);
        uint32_t method = action < 5 ? 0 : action < 7 ? 1 : 2;
        ValueRef argument = method == 1 ? ref_of(ValueError) : i ? from_small(i) : NONE;
        call_method(value, (type->anext ? async : plain)[method],
                    method == 2 ? VALUE_ERROR : argument);
    }
}

static void call(ValueRef function)
{
    const Code *code = as_code(as_function(function)->code);
    Value args[4] = {0};
    size_t nargs = (size_t)code->argcount < 4 ? (size_t)code->argcount : 4;
    for (size_t i = 0; i < nargs; i++) args[i] = some_argument();
    Value result = object_call(function, lend(args), nargs, VALUE_ERROR);
    error_clear();
    if (result) resume(result);
    for (size_t i = 0; i < nargs; i++) drop(args[i]);
    drop(result);
}

static void call_left_functions(ValueRef globals)
{
    Value values = list_new(0);
    ssize_t position = 0;
    ValueRef name, value;
    while (values && dict_next(globals, &position, &name, &value))
        if (function_check(value)) list_append(values, value);
    error_clear();
    for (ssize_t i = 0; values && i < list_size(values); i++) call(list_at(values, i));
    drop(values);
}

// The changed code as a function of its own, with cells for its free variables.
static void call_changed_code(ValueRef code, ValueRef globals)
{
    int cells = code_free_count(as_code(code));
    Value function = function_new(code, globals, VALUE_ERROR);
    Value closure = function && cells ? tuple_new(cells) : VALUE_ERROR;
    for (int i = 0; closure && i < cells; i++)
        as_tuple(closure)->items[i] = cell_new(from_small(i));
    if (function && (closure || !cells) && !error_pending()) {
        as_function(function)->closure = closure;
        call(function);
    } else {
        drop(closure);
    }
    error_clear();
    drop(function);
}

static Value new_globals(void)
{
    Value globals = dict_new(), name = str_new("fuzz");
    if (!dict_set_ascii(globals, "__builtins__", builtins_module()) ||
        !dict_set_ascii(globals, "__name__", name))
        fuzz_fail("no globals");
    drop(name);
    return globals;
}

void fuzz_check_machine(const Value *top)
{
    if (thread_state.frame) fuzz_fail("a frame is left");
    if (thread_state.top != top) fuzz_fail("something is left on the frame stack");
    if (handled_exception()) fuzz_fail("an exception is still being handled");
    if (recursion_depth) fuzz_fail("the depth is not 0");
    if (error_pending()) fuzz_fail("an exception is pending");
}

void fuzz_run(ValueRef program, ValueRef changed)
{
    const Value *top = thread_state.top;
    Value globals = new_globals();
    fuzz_limits(FUZZ_MEMORY);
    drop(code_run(as_code(program), globals, globals, NULL));
    error_clear();
    call_left_functions(globals);
    call_changed_code(changed, globals);
    dict_clear(globals);
    drop(globals);
    error_clear();
    fuzz_limits(0);
    fuzz_check_machine(top);
}

bool fuzz_run_observed(ValueRef program, ValueRef changed, long at)
{
    steps = FUZZ_STEPS;
    raise_at = at;
    ran_out = false;
    observer_set(OBSERVER_DEBUGGER, count_steps);
    fuzz_run(program, changed);
    observer_set(OBSERVER_DEBUGGER, NULL);
    return ran_out;
}

// What is made when it is first asked for may be left. (At the end the allocator lists every block
// that is left.)
void fuzz_check_memory(void)
{
    static size_t most;
    gc_collect(2);
    size_t now = memory_counts().blocks;
    if (!most) most = now + BLOCKS_KEPT;
    if (now > most) fuzz_fail("memory is lost, here or in the cases since the last check");
}

// ---- making the machine ready

static bool ignore_warning(ValueRef coroutine)
{
    (void)coroutine;
    return true;
}

static bool ignore_explicit(Type *category, const char *message, ValueRef filename, int line)
{
    (void)category;
    (void)message;
    (void)filename;
    (void)line;
    return true;
}

static void ignore_error(ValueRef exception, ValueRef where, const char *message)
{
    (void)exception;
    (void)where;
    (void)message;
}

// __import__() gives a module with some names in it.
static Value import_nothing(FUNCTION_ARGS)
{
    static const char *const names[] = {"alpha", "beta", "delta", "epsilon", "theta", "iota"};
    Value name = str_new("nothing"), module = name ? module_new(name) : VALUE_ERROR;
    for (size_t i = 0; module && i < COUNT(names); i++)
        if (!module_add(module, names[i], ref_of(&int_type))) drop_slot(&module);
    drop(name);
    return module;
}

static const MethodDef import_def = {"__import__ of the fuzzer", import_nothing, KEYWORD_ARGS,
                                     NULL};

void fuzz_confine(void)
{
    static const char *const names[] = {"print",   "input",   "open",       "exec", "eval",
                                        "exit",    "compile", "breakpoint", "quit", "help",
                                        "license", "credits", "copyright"};
    ValueRef builtins = builtins_dict();
    for (size_t i = 0; i < COUNT(names); i++) {
        Value name = str_intern(names[i]);
        if (dict_peek(builtins, name) && !dict_delete(builtins, name)) fuzz_fail(names[i]);
        drop(name);
    }
    Value import = builtin_new(&import_def, VALUE_ERROR, VALUE_ERROR);
    if (!dict_set_ascii(builtins, "__import__", import)) fuzz_fail("no __import__");
    drop(import);
    if (!sys_set("displayhook", ref_of(&str_type))) fuzz_fail("no displayhook");
}

void fuzz_start(void)
{
    static const char *const words[] = {"fuzz"};
    const SysOptions options = {.argc = 1, .argv = words, .executable = words[0]};
    if (!vm_init(&options)) fuzz_fail("vm_init");
    stack_set_limit(DEPTH);
    upcalls.report_unraisable = ignore_error;
    upcalls.warn_unawaited = ignore_warning;
    upcalls.warn_explicit = ignore_explicit;
    upcalls.signal_check = time_is_up;
    signal(SIGPROF, on_timer);
}
