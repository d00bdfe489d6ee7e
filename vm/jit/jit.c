#include "vm/jit/jit.h"

#include "frames/hook.h"
#include "objects/config.h"
#include "objects/containers/range.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "vm/jit/walk.h"
#include "vm/numbers.h"
#include "vm/quicken.h"
#include "vm/quiet.h"

#include <stdarg.h>
#include <stdio.h>

#define ENTRY_COST 20 // of entering and leaving machine code, in instructions that it saves
#define SPARES 4      // iterators that machine code may take
#define CREDIT (100 * ENTRY_COST) // machine code that has lost so much is thrown away

typedef int64_t EnterFn(char *frame, int64_t, int64_t, int64_t, int64_t, int64_t, double, double,
                        double, double, double, double, double, double);

JitOptions jit_options;
JitSaved jit_saved;
static int jit_index;
static int code_count; // of the code objects that have loops, in their co_extra

// ---- --trace-jit

static void trace(const Code *code, int instruction, const char *format, ...)
{
    if (!jit_options.trace) return;
    const char *name = str_utf8(code->name, NULL);
    fprintf(stderr, "jit: %s, line %d: ", name ? name : "?", code_line_at(code, 2 * instruction));
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

const char *const jit_exit_names[] = {
    [EXIT_ENTRY] = "refused at the entry",
    [EXIT_GUARD] = "left as a guard failed",
    [EXIT_END] = "ended",
    [EXIT_LEFT] = "left for a statement without code",
};

const char *jit_reason(const char *guard)
{
    static const char *const reasons[][2] = {
#define REASON(stencil, text) {#stencil, text},
#include "vm/jit/reasons.def"
    };
    if (guard && strncmp(guard, "check_", 6) == 0) guard += 6;
    for (size_t i = 0; guard && i < sizeof reasons / sizeof *reasons; i++) {
        size_t length = strlen(reasons[i][0]);
        if (strncmp(guard, reasons[i][0], length) == 0 && strchr("_", guard[length]))
            return reasons[i][1];
    }
    return "";
}

static void trace_exits(const Loop *loop)
{
    for (uint32_t i = 0; i < loop->machine.exit_count; i++) {
        const Exit *way = &loop->machine.exits[i];
        if (way->count)
            trace(loop->code, way->instruction, way->guard ? "%u times %s, %s: %s" : "%u times %s",
                  way->count, jit_exit_names[way->kind], way->guard, jit_reason(way->guard));
    }
}

// ---- iterators for the loops within loops

static RangeIterator *spare_after(const RangeIterator *range)
{
    return (RangeIterator *)(uintptr_t)range->next;
}

static void make_spares(void)
{
    int count = 0;
    for (const RangeIterator *range = jit_saved.spare; range; range = spare_after(range)) count++;
    for (; count < SPARES; count++) {
        RangeIterator *range = object_alloc_unfilled(&range_iterator_type, sizeof *range);
        if (!range) return error_clear();
        range->next = (int64_t)(uintptr_t)jit_saved.spare;
        jit_saved.spare = range;
    }
}

static void drop_spares(void)
{
    for (RangeIterator *range; (range = jit_saved.spare); drop(own(range)))
        jit_saved.spare = spare_after(range);
}

// ---- the loops of a code object

// Dropping code may run script code: all is forgotten by then.
static void throw_away(Loop *loop)
{
    if (!loop->runs) return;
    const Code *code = loop->code;
    trace_exits(loop);
    Machine machine = loop->machine;
    code_memory_give_back(&loop->machine.block);
    machine_free_tables(&machine);
    loop->machine = (Machine){0};
    loop->runs = false;
    for (int i = 0; i < machine.site_count; i++)
        if (machine.sites[i].code != code) drop(own(machine.sites[i].code));
    memory_free(machine.sites);
}

static void release_loops(void *extra)
{
    for (Loop *loop = extra, *next; loop; loop = next) {
        next = loop->next;
        throw_away(loop);
        memory_free(loop);
    }
    if (extra && --code_count == 0) drop_spares();
}

static void traverse_loops(void *extra, VisitFn visit, void *arg)
{
    for (const Loop *loop = extra; loop; loop = loop->next)
        for (int i = 0; i < loop->machine.site_count; i++)
            if (loop->machine.sites[i].code != loop->code)
                visit(ref_of(loop->machine.sites[i].code), arg);
}

Loop *jit_loops(const Code *code)
{
    return jit_is_on() ? code_get_extra(code, jit_index) : NULL;
}

static Loop *loop_at(const Code *code, int head)
{
    Loop *loop = jit_loops(code);
    while (loop && loop->head != head) loop = loop->next;
    return loop;
}

static int last_jump_to(const QuickCode *quick, int head)
{
    int last = head;
    for (int index = head; index < (int)quick->count; index++) {
        const Instruction *at = &quick->instructions[index];
        int opcode = quick_opcode(quick, at);
        if (opcode != JUMP_ABSOLUTE && opcode != POP_JUMP_IF_FALSE && opcode != POP_JUMP_IF_TRUE)
            continue;
        if (quick_jump_target(quick, at) == head) last = index;
    }
    return last;
}

// NULL = no memory, which is no error.
static Loop *add_loop(Code *code, int head)
{
    Loop *first = jit_loops(code), *loop = memory_alloc(sizeof *loop);
    if (!loop) return NULL;
    *loop = (Loop){.code = code, .head = head, .end = last_jump_to(quick_of(code), head)};
    if (first) {
        while (first->next) first = first->next;
        first->next = loop;
    } else if (code_set_extra(code, jit_index, loop)) {
        code_count++;
    } else {
        error_clear();
        memory_free(loop);
        return NULL;
    }
    return loop;
}

// ---- planting

static bool is_for(const QuickCode *quick, const Instruction *at)
{
    return quick_opcode(quick, at) == FOR_ITER;
}

// Back to what it was: counting, or as it would be without the JIT.
static void unplant(const QuickCode *quick, Instruction *at, bool counts)
{
    bool fuses = !counts && !DEBUG_NO_QUICKEN;
    at->index = 0;
    switch (quick_opcode(quick, at)) {
    case RETURN_VALUE:
        at->op = counts ? RETURN_WARM : RETURN_VALUE;
        if (at > quick->instructions && at[-1].op == (fuses ? LOAD_FAST : LOAD_FAST_RETURN_VALUE))
            at[-1].op = fuses ? LOAD_FAST_RETURN_VALUE : LOAD_FAST;
        break;
    case FOR_ITER:
        fuses = fuses && quick_opcode(quick, at + 1) == STORE_FAST;
        at->op = counts ? FOR_ITER_WARM : fuses ? FOR_ITER_STORE_FAST : FOR_ITER;
        break;
    default: at->op = counts ? JUMP_WARM : JUMP_ABSOLUTE;
    }
}

static void plant(QuickCode *quick, Loop *loop, Instruction *at)
{
    loop->counter = at;
    if (loop->is_function) {
        unplant(quick, at, false);
        Instruction *first = quick->instructions;
        if (first->op == ENTER_MACHINE) return;
        loop->first_op = first->op;
        first->op = ENTER_MACHINE;
        return;
    }
    at->op = is_for(quick, at) ? FOR_ITER_MACHINE : JUMP_MACHINE;
}

// The guards fail too often: perhaps for other types, after so many more turns. A function that is
// only too short to be entered by the interpreter is kept for those that are machine code.
static void give_up(QuickCode *quick, Loop *loop, bool returned)
{
    if (loop->is_function && quick->instructions->op == ENTER_MACHINE)
        quick->instructions->op = loop->first_op;
    trace(quick->code, loop->head, "%s: it does not pay",
          returned ? "not entered any more" : "thrown away");
    if (returned) return;
    throw_away(loop);
    unplant(quick, loop->counter, loop->attempts < ATTEMPTS_MAX);
}

static bool compile(Frame *frame, const QuickCode *quick, Loop *loop)
{
    if (loop->attempts++ == ATTEMPTS_MAX) return false;
    loop->runs = walk_loop(frame, loop);
    loop->problem = loop->runs ? NULL : jit_problem;
    loop->problem_at = walk_problem_at < 0 ? loop->head : walk_problem_at;
    const char *what = loop->is_function ? "function" : "loop";
    for (int i = 0; i < loop->machine.site_count; i++)
        if (loop->machine.sites[i].code != quick->code) retain(ref_of(loop->machine.sites[i].code));
    if (loop->runs)
        trace(quick->code, loop->head, "a %s of %d instructions, compiled to %zu bytes", what,
              loop->end - loop->head + 1, loop->machine.size);
    else
        trace(quick->code, loop->problem_at, "the %s is not compiled: %s", what, loop->problem);
    if (loop->runs && walk_failing >= 0) trace(quick->code, walk_failing, "a guard always fails");
    loop->credit = CREDIT;
    return loop->runs;
}

static int head_of(const QuickCode *quick, const Instruction *at)
{
    if (quick_opcode(quick, at) == RETURN_VALUE) return 0;
    return is_for(quick, at) ? (int)(at - quick->instructions) : quick_jump_target(quick, at);
}

void jit_compile(Frame *frame, Instruction *at)
{
    Code *code = as_code(frame->code);
    QuickCode *quick = quick_of(code);
    int head = head_of(quick, at);
    Loop *loop = loop_at(code, head);
    if (!loop) loop = add_loop(code, head);
    if (loop && !loop->runs && quick_opcode(quick, at) == RETURN_VALUE) {
        loop->is_function = true;
        loop->end = (int)quick->count - 1;
        if (!loop->is_called) loop->result = kind_of_value(frame->sp[-1]);
    }
    if (loop && (loop->runs || compile(frame, quick, loop)))
        plant(quick, loop, at);
    else
        unplant(quick, at, loop && loop->attempts < ATTEMPTS_MAX);
}

int jit_first_op(const Frame *frame)
{
    return loop_at(as_code(frame->code), 0)->first_op;
}

// ---- running

static Value value_of(ValueKind kind, int64_t word, double number)
{
    if (kind == KIND_INT) return lowered(word);
    return kind == KIND_FLOAT ? from_double(number) : (Value)(uint64_t)word;
}

static void write_back(Frame *frame, const Home *home)
{
    frame->localsplus[home->slot] = value_of(
        home->kind, jit_saved.ints[home->number % INT_REGISTERS], jit_saved.floats[home->number]);
}

static Value *retain_stack(Frame *frame, int base, uint64_t shape)
{
    Value *sp = frame->localsplus + base;
    for (; shape; shape >>= 4, sp++)
        if ((shape & 15) == KIND_OBJECT + 1) retain(*sp);
    return sp;
}

// The frames that machine code has begun, from the last one on: fills in what is missing.
static void complete_frames(Frame *frame, const Frame *entered)
{
    for (Frame *caller; frame != entered; frame = caller) {
        const CallSite *site = (const CallSite *)(uintptr_t)frame->code;
        caller = frame->previous;
        frame->code = retain(ref_of(site->code));
        retain(frame->globals_owner);
        frame->flags = frame->block_count = 0;
        for (int i = 0; i < quick_of(site->code)->simple_argcount; i++)
            if (is_object(frame->localsplus[i])) retain(frame->localsplus[i]);
        caller->ip = site->call;
        caller->sp = retain_stack(caller, site->base, site->shape);
        recursion_depth++;
    }
}

// A turn of a `for` that has begun is no saving yet. A function that has returned is one, as are
// those that it calls.
static void account(Loop *loop, bool is_for, bool returned)
{
    int64_t turns = (int64_t)jit_saved.turns - (is_for && jit_saved.turns > 0);
    if (returned) turns += 1 + loop->machine.site_count;
    loop->credit += turns * (loop->end - loop->head) - ENTRY_COST;
    if (loop->credit > CREDIT) loop->credit = CREDIT;
}

// So many frames that the recursion limit holds, as each is larger than a Frame.
static char *frames_bound(void)
{
    if (thread_state.hooked || recursion_depth >= recursion_bound) return NULL;
    char *top = (char *)thread_state.top, *limit = (char *)thread_state.limit;
    size_t left = (size_t)(recursion_bound - recursion_depth);
    return left < (size_t)(limit - top) / sizeof(Frame) ? top + left * sizeof(Frame) : limit;
}

// By an exit, which says where the interpreter goes on.
static Instruction *leave(const Frame *entered)
{
    Exit *way = jit_saved.exit;
    const Machine *machine = way->machine;
    Frame *frame = thread_state.frame = jit_saved.frame;
    way->count++;
    for (int i = 0; i < machine->home_count && way->kind != EXIT_ENTRY; i++)
        write_back(frame, &machine->homes[i]);
    if (way->result.kind != KIND_OTHER) write_back(frame, &way->result);
    complete_frames(frame, entered);
    frame->sp = retain_stack(frame, machine->base, way->shape);
    const QuickCode *quick = quick_of(as_code(frame->code));
    if (frame != entered) thread_state.top = (Value *)frame + quick->frame_words;
    return (Instruction *)&quick->instructions[way->instruction];
}

// A function has come to its end: with the result on its stack the interpreter does RETURN_VALUE.
static Instruction *come_back(Frame *frame, const Loop *loop, int64_t result)
{
    Value value = value_of(loop->result, result, jit_saved.number);
    *frame->sp++ = is_object(value) ? retain(value) : value;
    return frame->ip;
}

Instruction *jit_run(Frame *frame, Instruction *planted)
{
    Code *code = as_code(frame->code);
    QuickCode *quick = quick_of(code);
    Loop *loop = loop_at(code, planted->op == ENTER_MACHINE ? 0 : head_of(quick, planted));
    if (!loop->runs) { // thrown away, and this is not the jump that has counted
        unplant(quick, planted, true);
        return &quick->instructions[loop->head];
    }
    if (loop->is_function && frame->flags & FRAME_OBJECT) return planted; // which shows variables
    make_spares();
    EnterFn *enter = (EnterFn *)(uintptr_t)loop->machine.entry;
    jit_saved.turns = 0;
    jit_saved.bound = frames_bound();
    quiet_now = true;
    int64_t result = enter((char *)frame, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    quiet_now = false;
    Instruction *next = result == JIT_LEFT ? leave(frame) : come_back(frame, loop, result);
    account(loop, is_for(quick, planted), result != JIT_LEFT);
    if (loop->credit < 0) give_up(quick, loop, result != JIT_LEFT);
    quiet_let_go();
    return next;
}

void jit_init(const JitOptions *options)
{
    if (!options->threshold) return;
    int index = extra_request_index(release_loops, traverse_loops);
    if (index < 0) return;
    jit_index = index;
    jit_options = *options;
    jit_saved.characters = str_shared_characters;
}
