// Bytes of good code are flipped; what the verifier then accepts is run.
//
//     fuzz_bytecode [count [first]]      cases first .. first + count - 1; a case is the same in every
//                                        run, so that one that ends in a crash can be run alone
//
// A case takes one of the programs in tests/fuzz/bytecode/, changes some bytes of one of its code
// objects (or another field of it), and asks the verifier. A refusal must be SystemError. An
// accepted one runs three times in the whole of its program: in the observed loop with a limit of
// instructions, again with an exception raised at one of them, and in the plain loop. Afterwards
// the functions that are left, and the changed code itself, are called with arguments of all kinds,
// and what generators come of it are resumed, thrown into and closed. Memory, depth and time are
// limited; nothing is read or written.
//
// After every run the machine must be as it was: no frame, no exception handled, no depth, and now
// and then no block of memory more. Built with sanitizers: `make fuzz-bytecode`.
#include "compiler/compile.h"
#include "compiler/opcode.h"
#include "compiler/verify/disassemble.h"
#include "compiler/verify/verify.h"
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

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define FOLDER "tests/fuzz/bytecode"
#define MAX_PROGRAMS 40
#define MAX_CODES 100 // in a program
#define STEPS 3000    // instructions of a run
#define DEPTH 100     // of calls
#define MEMORY (8 << 20)
#define SECONDS 2 // of the processor's time
#define TRIES 40
#define CASES_BETWEEN_CHECKS 5000
#define BLOCKS_KEPT 200
#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct Program {
    Value codes[MAX_CODES]; // the module's first, each before those among its constants
    int parent[MAX_CODES];  // whose constant it is
    ssize_t index_in_parent[MAX_CODES];
    int count;
} Program;

static Program programs[MAX_PROGRAMS];
static int program_count;
static unsigned long current; // the case that runs
static struct {
    unsigned long unmade, refused, accepted, limited, timeouts;
} counts;

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "fuzz_bytecode: %s\n", what);
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

static void on_abort(int signal)
{
    (void)signal;
    fprintf(stderr, "fuzz_bytecode: this was case %lu\n", current);
}

// ---- random numbers, the same for the same case (splitmix64)

static uint64_t random_state;

static uint64_t random_word(void)
{
    uint64_t z = random_state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static uint32_t random_below(uint32_t bound)
{
    return bound ? (uint32_t)(random_word() % bound) : 0;
}

// ---- programs

static void add_codes(Program *program, ValueRef code, int parent, ssize_t index_in_parent)
{
    int index = program->count++;
    if (index == MAX_CODES) fail("a program has too many code objects");
    program->codes[index] = retain(code);
    program->parent[index] = parent;
    program->index_in_parent[index] = index_in_parent;
    ValueRef consts = as_code(code)->consts;
    for (ssize_t i = 0; i < tuple_size(consts); i++)
        if (code_check(tuple_at(consts, i))) add_codes(program, tuple_at(consts, i), index, i);
}

static void add_program(const char *name, const char *text, size_t size, CompileMode mode)
{
    Value filename = str_new(name);
    CompileOptions options = {.mode = mode, .filename = filename};
    Value code = compile_source(text, size, &options);
    if (!code || program_count == MAX_PROGRAMS) fail("cannot compile a program");
    add_codes(&programs[program_count++], code, 0, 0);
    drop(code);
    drop(filename);
}

static void add_file(const char *path)
{
    char text[1 << 14];
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot open a program");
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    add_program(path, text, size, MODE_EXEC);
}

// Operands beyond 255: of constants and names, and of jumps over them.
static void add_long_program(void)
{
    char text[1 << 14];
    int size = sprintf(text, "def f(g):\n  for i in range(2):\n    if g: g = [");
    for (int i = 0; i < 300; i++) size += sprintf(text + size, "%d.5, ", i);
    size += sprintf(text + size, "]\n    else:\n");
    for (int i = 0; i < 300; i++) size += sprintf(text + size, "      n%d = g\n", i);
    size += sprintf(text + size, "  return i\nf(0)\nf(1)\n");
    add_program("long", text, (size_t)size, MODE_EXEC);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_program(const struct dirent *entry)
{
    return strstr(entry->d_name, ".mpy") != NULL;
}

static void add_programs(void)
{
    struct dirent **entries;
    int count = scandir(FOLDER, &entries, is_program, by_name);
    if (count <= 0) fail("no programs in " FOLDER);
    for (int i = 0; i < count; i++) {
        char path[600];
        snprintf(path, sizeof path, FOLDER "/%s", entries[i]->d_name);
        add_file(path);
        free(entries[i]);
    }
    free(entries);
    add_long_program();
    static const char shown[] = "1 + 2; (3, 4)\n";
    add_program("shown", shown, sizeof shown - 1, MODE_SINGLE);
}

// Every opcode but NOP, which the peephole pass takes out.
static void check_coverage(void)
{
    bool seen[256] = {[NOP] = true};
    for (int i = 0; i < program_count; i++)
        for (int k = 0; k < programs[i].count; k++) {
            const Bytes *bytes = as_bytes(as_code(programs[i].codes[k])->code);
            for (ssize_t at = 0; at < bytes->size; at += 2) seen[(uint8_t)bytes->data[at]] = true;
        }
    for (int opcode = 0; opcode < 256; opcode++)
        if (opcode_name(opcode) && !seen[opcode]) fail(opcode_name(opcode));
}

// ---- changing a code object

static CodeFields fields_of(const Code *code)
{
    return (CodeFields){.argcount = code->argcount,
                        .posonlyargcount = code->posonlyargcount,
                        .kwonlyargcount = code->kwonlyargcount,
                        .nlocals = code->nlocals,
                        .stacksize = code->stacksize,
                        .flags = code->flags,
                        .firstlineno = code->firstlineno,
                        .code = code->code,
                        .consts = code->consts,
                        .names = code->names,
                        .varnames = code->varnames,
                        .freevars = code->freevars,
                        .cellvars = code->cellvars,
                        .filename = code->filename,
                        .name = code->name,
                        .lnotab = code->lnotab};
}

static uint8_t random_opcode(void)
{
    uint8_t opcode;
    do opcode = (uint8_t)random_word();
    while (!opcode_name(opcode));
    return opcode;
}

static void flip(uint8_t *bytes, uint32_t size)
{
    uint32_t at = random_below(size), pair = at & ~1u;
    switch (random_below(8)) {
    case 0:
    case 1: bytes[at] ^= (uint8_t)(1 << random_below(8)); break;
    case 2: bytes[at] = (uint8_t)random_word(); break;
    case 3:
    case 4: bytes[pair] = random_opcode(); break;
    case 5: bytes[pair + 1] = (uint8_t)random_below(10); break;
    case 6: bytes[pair + 1] = (uint8_t)(2 * random_below(size / 2)); break;
    default: memcpy(bytes + pair, bytes + 2 * random_below(size / 2), 2); break;
    }
}

static Value flipped_bytes(ValueRef bytes)
{
    Value copy = bytes_new(as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size);
    uint32_t size = (uint32_t)as_bytes(copy)->size & ~1u;
    for (uint32_t i = 0, flips = 1 + random_below(4); size && i < flips; i++)
        flip((uint8_t *)as_bytes(copy)->data, size);
    return copy;
}

// The same items in another order, or one twice, or one less.
static Value shuffled(ValueRef tuple)
{
    ssize_t size = tuple_size(tuple), keep = size - (size && random_below(4) == 0);
    Value copy = tuple_from_array(lend(as_tuple(tuple)->items), (size_t)keep);
    if (!keep) return copy;
    Value *items = as_tuple(copy)->items;
    Value *a = &items[random_below((uint32_t)keep)], *b = &items[random_below((uint32_t)keep)];
    Value first = *a;
    if (random_below(3) == 0) {
        replace_slot(a, retain(*b));
    } else {
        *a = *b;
        *b = first;
    }
    return copy;
}

static void change_number(CodeFields *f)
{
    int *const numbers[] = {&f->argcount, &f->posonlyargcount, &f->kwonlyargcount, &f->nlocals,
                            &f->stacksize};
    int *number = numbers[random_below(COUNT(numbers))];
    if (random_below(20) == 0)
        *number = (int)random_below(INT32_MAX);
    else
        *number += (int)random_below(5) - 2;
}

static Value change_tuple(CodeFields *f)
{
    ValueRef *const tuples[] = {&f->consts, &f->names, &f->varnames, &f->freevars, &f->cellvars};
    ValueRef *tuple = tuples[random_below(COUNT(tuples))];
    Value changed = shuffled(*tuple);
    *tuple = changed;
    return changed;
}

// Many flips, those only that the verifier accepts: code that is far from any compiler's.
static Value flipped_often(CodeFields fields)
{
    Value bytes = retain(fields.code);
    for (int i = 0; i < TRIES; i++) {
        Value next = flipped_bytes(bytes);
        fields.code = next;
        Value code = code_new(&fields);
        if (code && code_verify(as_code(code)))
            replace_slot(&bytes, next);
        else
            drop(next);
        error_clear();
        drop(code);
    }
    return bytes;
}

// 0 where code_new() refuses to make it.
static Value changed_code(const Code *code)
{
    CodeFields fields = fields_of(code);
    Value changed = VALUE_ERROR;
    switch (random_below(16)) {
    case 0: change_number(&fields); break;
    case 1: fields.flags ^= 1 << random_below(10); break;
    case 2: changed = change_tuple(&fields); break;
    case 3: fields.lnotab = changed = flipped_bytes(fields.lnotab); break;
    case 4:
    case 5: fields.code = changed = flipped_often(fields); break;
    default: fields.code = changed = flipped_bytes(fields.code); break;
    }
    Value made = code_new(&fields);
    drop(changed);
    error_clear();
    return made;
}

// A copy of a code object with another among its constants; as trusted as it was.
static Value with_constant(const Code *code, ssize_t index_in_parent, Value constant)
{
    CodeFields fields = fields_of(code);
    Value consts =
        tuple_from_array(lend(as_tuple(code->consts)->items), (size_t)tuple_size(code->consts));
    replace_slot(&as_tuple(consts)->items[index_in_parent], constant);
    fields.consts = consts;
    Value made = code_new(&fields);
    as_code(made)->compiled = code->compiled;
    drop(consts);
    return made;
}

static Value whole_program(const Program *program, int index, ValueRef changed)
{
    Value code = retain(changed);
    for (; index > 0; index = program->parent[index])
        code = with_constant(as_code(program->codes[program->parent[index]]),
                             program->index_in_parent[index], code);
    return code;
}

// ---- limits

static long steps;         // instructions left
static long raise_at = -1; // an exception at this many left
static bool ran_out;

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

static void on_timer(int signal)
{
    (void)signal;
    eval_breaker.signal = true;
}

static bool time_is_up(void)
{
    eval_breaker.signal = false;
    counts.timeouts++;
    fprintf(stderr, "fuzz_bytecode: case %lu runs out of time\n", current);
    return raise_error(KeyboardInterrupt, "too long");
}

static void set_timer(int seconds)
{
    struct itimerval timer = {.it_value.tv_sec = seconds, .it_interval.tv_usec = 100000};
    if (!seconds) timer.it_interval.tv_usec = 0;
    setitimer(ITIMER_PROF, &timer, NULL);
    eval_breaker.signal = false;
}

static void set_limits(bool on)
{
    memory_set_limit(on ? memory_counts().bytes + MEMORY : 0, NULL);
    set_timer(on ? SECONDS : 0);
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
        fail("no globals");
    drop(name);
    return globals;
}

static void check_machine(const Value *top)
{
    if (thread_state.frame) fail("a frame is left");
    if (thread_state.top != top) fail("something is left on the frame stack");
    if (handled_exception()) fail("an exception is still being handled");
    if (recursion_depth) fail("the depth is not 0");
    if (error_pending()) fail("an exception is pending");
}

static void run(ValueRef program, ValueRef changed)
{
    const Value *top = thread_state.top;
    Value globals = new_globals();
    set_limits(true);
    drop(code_run(as_code(program), globals, globals, NULL));
    error_clear();
    call_left_functions(globals);
    call_changed_code(changed, globals);
    dict_clear(globals);
    drop(globals);
    error_clear();
    set_limits(false);
    check_machine(top);
}

static void run_observed(ValueRef program, ValueRef changed, long at)
{
    steps = STEPS;
    raise_at = at;
    ran_out = false;
    observer_set(OBSERVER_DEBUGGER, count_steps);
    run(program, changed);
    observer_set(OBSERVER_DEBUGGER, NULL);
}

static void show(ValueRef code)
{
    Value listing = disassemble(code, false);
    fprintf(stderr, "%s", listing ? str_utf8(listing, NULL) : "?");
    drop(listing);
}

static void run_case(bool shown)
{
    random_state = current * 0x2545F4914F6CDD1D;
    const Program *program = &programs[random_below((uint32_t)program_count)];
    int index = (int)random_below((uint32_t)program->count);
    Value changed = changed_code(as_code(program->codes[index]));
    if (!changed) {
        counts.unmade++;
        return;
    }
    if (shown) show(changed);
    if (!code_verify(as_code(changed))) {
        if (!error_is(SystemError)) fail("refused by something else than SystemError");
        error_clear();
        drop(changed);
        counts.refused++;
        return;
    }
    counts.accepted++;
    Value whole = whole_program(program, index, changed);
    uint64_t before = random_state;
    run_observed(whole, changed, -1);
    bool limited = ran_out;
    counts.limited += limited;
    run_observed(whole, changed, STEPS - (long)random_below(200));
    random_state = before; // the same calls as in the first run, which came to an end
    if (!limited) run(whole, changed);
    drop(whole);
    drop(changed);
}

// ---- making the machine ready

static bool ignore_warning(ValueRef coroutine)
{
    (void)coroutine;
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

// What would reach outside is no builtin here.
static void limit_builtins(void)
{
    static const char *const names[] = {"print",   "input",   "open",       "exec", "eval",
                                        "exit",    "compile", "breakpoint", "quit", "help",
                                        "license", "credits", "copyright"};
    ValueRef builtins = builtins_dict();
    for (size_t i = 0; i < COUNT(names); i++) {
        Value name = str_intern(names[i]);
        if (dict_peek(builtins, name) && !dict_delete(builtins, name)) fail(names[i]);
        drop(name);
    }
    Value import = builtin_new(&import_def, VALUE_ERROR, VALUE_ERROR);
    if (!dict_set_ascii(builtins, "__import__", import)) fail("no __import__");
    drop(import);
    if (!sys_set("displayhook", ref_of(&str_type))) fail("no displayhook");
}

static void start(void)
{
    static const char *const words[] = {"fuzz_bytecode"};
    const SysOptions options = {.argc = 1, .argv = words, .executable = words[0]};
    if (!vm_init(&options)) fail("vm_init");
    signal(SIGABRT, on_abort);
    add_programs();
    check_coverage();
    limit_builtins();
    stack_set_limit(DEPTH);
    upcalls.report_unraisable = ignore_error;
    upcalls.warn_unawaited = ignore_warning;
    upcalls.signal_check = time_is_up;
    signal(SIGPROF, on_timer);
}

static int finish(void)
{
    for (int i = 0; i < program_count; i++)
        for (int k = 0; k < programs[i].count; k++) drop(programs[i].codes[k]);
    return vm_finish(0);
}

// Nothing may be left of the cases so far, but for what is made when it is first asked for. (At the
// end the allocator lists every block that is left.)
static void check_memory(void)
{
    static size_t most;
    gc_collect(2);
    size_t now = memory_counts().blocks;
    if (!most) most = now + BLOCKS_KEPT;
    if (now > most) fail("memory is lost, here or in the cases since the last check");
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    start();
    time_t began = time(NULL);
    for (current = first; current < first + count; current++) {
        run_case(count == 1);
        if (current % CASES_BETWEEN_CHECKS == CASES_BETWEEN_CHECKS - 1) check_memory();
    }
    check_memory();
    double seconds = difftime(time(NULL), began);
    printf("%lu cases: %lu not made, %lu refused, %lu accepted and run (%lu out of instructions, "
           "%lu out of time); %.0f a second\n",
           count, counts.unmade, counts.refused, counts.accepted, counts.limited, counts.timeouts,
           (double)count / (seconds > 0 ? seconds : 1));
    return finish();
}
