#include "vm/jit/jit.h"

#include "frames/hook.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "vm/jit/walk.h"
#include "vm/numbers.h"
#include "vm/quicken.h"

#include <stdarg.h>
#include <stdio.h>

#define ATTEMPTS_MAX 3   // to compile a loop: each time for the types that its variables have then
#define FAILURES_MAX 100 // of the guards of one machine code, before it is thrown away

typedef struct Loop {
    int head, end;     // the first and the last instruction
    bool runs;         // there is machine code
    uint8_t attempts;  // to compile it
    uint16_t replaced; // the op at the head of a `for`, which FOR_ITER_MACHINE has replaced
    int failures;      // of this machine code
    Instruction *jump; // the one that counted
    Machine machine;
} Loop;

// What a code object has under jit_index in its co_extra.
typedef struct CodeLoops {
    const Code *code;
    uint32_t count;
    Loop *loops[]; // a loop does not move: its CodeBlock is in a list
} CodeLoops;

typedef void EnterFn(char *frame, int64_t, int64_t, int64_t, int64_t, int64_t, double, double,
                     double, double, double, double, double, double);

JitOptions jit_options;
JitSaved jit_saved;
static int jit_index;

// ---- --trace-jit

static void trace(const Code *code, int instruction, const char *format, ...)
{
    if (!jit_options.trace) return;
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *name = str_utf8(code->name, NULL);
    fprintf(stderr, "jit: %s, line %d: %s\n", name ? name : "?",
            code_line_at(code, 2 * instruction), text);
}

static void trace_exits(const Code *code, const Loop *loop)
{
    static const char *const kinds[EXIT_KINDS] = {
        [EXIT_ENTRY] = "entries refused, as a variable has another type",
        [EXIT_GUARD] = "guards failed",
        [EXIT_POLL] = "interrupted",
        [EXIT_END] = "ended",
        [EXIT_LEFT] = "left for a statement without code",
    };
    for (uint32_t i = 0; i < loop->machine.exit_count; i++) {
        const Exit *way = &loop->machine.exits[i];
        if (way->count) trace(code, way->instruction, "%u times %s", way->count, kinds[way->kind]);
    }
}

// ---- the loops of a code object

static void throw_away(const Code *code, Loop *loop)
{
    if (!loop->runs) return;
    trace_exits(code, loop);
    code_memory_give_back(&loop->machine.block);
    memory_free(loop->machine.exits);
    loop->runs = false;
}

static void release_loops(void *extra)
{
    CodeLoops *all = extra;
    for (uint32_t i = 0; all && i < all->count; i++) {
        throw_away(all->code, all->loops[i]);
        memory_free(all->loops[i]);
    }
    memory_free(all);
}

static int last_jump_to(const QuickCode *quick, int head)
{
    int last = head;
    for (int index = head; index < (int)quick->count; index++) {
        const Instruction *at = &quick->instructions[index];
        int opcode = quick_opcode(quick, at);
        if (opcode != JUMP_ABSOLUTE && opcode != POP_JUMP_IF_FALSE && opcode != POP_JUMP_IF_TRUE)
            continue;
        if (index + at->jump / (int)sizeof(Instruction) == head) last = index;
    }
    return last;
}

// NULL = no memory, which is no error.
static Loop *add_loop(Code *code, int head)
{
    CodeLoops *old = code_get_extra(code, jit_index);
    uint32_t count = old ? old->count : 0;
    CodeLoops *all = memory_alloc(sizeof *all + (count + 1) * sizeof(Loop *));
    Loop *loop = memory_alloc_zeroed(sizeof *loop);
    if (!all || !loop || count == UINT16_MAX) {
        memory_free(all);
        memory_free(loop);
        return NULL;
    }
    all->code = code;
    all->count = count + 1;
    for (uint32_t i = 0; i < count; i++) all->loops[i] = old->loops[i];
    all->loops[count] = loop;
    loop->head = head;
    loop->end = last_jump_to(quick_of(code), head);
    if (old) old->count = 0; // its loops have moved
    if (code_set_extra(code, jit_index, all)) return loop;
    error_clear();
    if (old) old->count = count;
    memory_free(all);
    memory_free(loop);
    return NULL;
}

static Loop *find_loop(Code *code, int head)
{
    const CodeLoops *all = code_get_extra(code, jit_index);
    for (uint32_t i = 0; all && i < all->count; i++)
        if (all->loops[i]->head == head) return all->loops[i];
    return add_loop(code, head);
}

static uint16_t number_of(const Code *code, const Loop *loop)
{
    const CodeLoops *all = code_get_extra(code, jit_index);
    uint16_t number = 0;
    while (all->loops[number] != loop) number++;
    return number;
}

// ---- planting

static bool is_for(const QuickCode *quick, int head)
{
    return quick_opcode(quick, &quick->instructions[head]) == FOR_ITER;
}

static void set_jump(const QuickCode *quick, Instruction *jump, int head, bool counts)
{
    jump->index = 0;
    if (is_for(quick, head))
        jump->op = counts ? JUMP_FOR_ITER_WARM : JUMP_FOR_ITER;
    else
        jump->op = counts ? JUMP_WARM : JUMP_ABSOLUTE;
}

static void plant(QuickCode *quick, Loop *loop, Instruction *jump)
{
    Instruction *head = &quick->instructions[loop->head];
    uint16_t number = number_of(quick->code, loop);
    if (!is_for(quick, loop->head)) {
        jump->op = JUMP_MACHINE;
        jump->index = number;
        return;
    }
    set_jump(quick, jump, loop->head, false);
    if (head->op == FOR_ITER_MACHINE) return;
    loop->replaced = head->op;
    head->op = FOR_ITER_MACHINE;
    head->index = number;
}

// The guards fail too often: perhaps for other types, after so many more turns.
static void give_up(QuickCode *quick, Loop *loop)
{
    trace(quick->code, loop->head, "thrown away after %d failures", loop->failures);
    throw_away(quick->code, loop);
    if (is_for(quick, loop->head)) {
        quick->instructions[loop->head].op = loop->replaced;
        quick->instructions[loop->head].index = 0;
    }
    set_jump(quick, loop->jump, loop->head, loop->attempts < ATTEMPTS_MAX);
}

static bool can_be_planted(const QuickCode *quick, const Loop *loop)
{
    int op = quick->instructions[loop->head].op; // CHECKED would keep its index there
    return !is_for(quick, loop->head) || op == FOR_ITER || op == FOR_ITER_STORE_FAST;
}

static bool compile(Frame *frame, const QuickCode *quick, Loop *loop)
{
    if (!can_be_planted(quick, loop) || loop->attempts++ == ATTEMPTS_MAX) return false;
    loop->runs = walk_loop(frame, loop->head, loop->end, &loop->machine);
    if (loop->runs)
        trace(quick->code, loop->head, "a loop of %d instructions, compiled to %zu bytes",
              loop->end - loop->head + 1, loop->machine.size);
    else
        trace(quick->code, walk_problem_at < 0 ? loop->head : walk_problem_at,
              "the loop is not compiled: %s", walk_problem);
    if (loop->runs && walk_failing >= 0) trace(quick->code, walk_failing, "a guard always fails");
    loop->failures = 0;
    return loop->runs;
}

void jit_compile(Frame *frame, Instruction *jump)
{
    Code *code = as_code(frame->code);
    QuickCode *quick = quick_of(code);
    int head = (int)(jump - quick->instructions) + jump->jump / (int)sizeof(Instruction);
    Loop *loop = find_loop(code, head);
    if (loop && (loop->runs || compile(frame, quick, loop))) {
        loop->jump = jump;
        plant(quick, loop, jump);
    } else {
        set_jump(quick, jump, head, loop && loop->attempts < ATTEMPTS_MAX);
    }
}

// ---- running

static void write_back(Frame *frame, const Machine *machine)
{
    for (const Home *home = machine->homes; home < machine->homes + machine->home_count; home++)
        frame->localsplus[home->slot] = home->is_float ? from_double(jit_saved.floats[home->number])
                                                       : lowered(jit_saved.ints[home->number]);
}

Instruction *jit_run(Frame *frame, const Instruction *planted)
{
    Code *code = as_code(frame->code);
    QuickCode *quick = quick_of(code);
    const CodeLoops *all = code_get_extra(code, jit_index);
    Loop *loop = all->loops[planted->index];
    if (!loop->runs) { // thrown away, and this is not the jump that has counted
        set_jump(quick, (Instruction *)(uintptr_t)planted, loop->head, true);
        return &quick->instructions[loop->head];
    }
    EnterFn *enter = (EnterFn *)(uintptr_t)loop->machine.entry;
    enter((char *)frame, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    Exit *way = &loop->machine.exits[jit_saved.exit];
    Instruction *next = &quick->instructions[way->instruction];
    way->count++;
    if (way->kind != EXIT_ENTRY) write_back(frame, &loop->machine);
    if (way->kind != EXIT_ENTRY && way->kind != EXIT_GUARD) return next;
    if (++loop->failures == FAILURES_MAX) give_up(quick, loop);
    return next;
}

void jit_init(const JitOptions *options)
{
    if (!options->threshold) return;
    int index = extra_request_index(release_loops, NULL);
    if (index < 0) return;
    jit_index = index;
    jit_options = *options;
}
