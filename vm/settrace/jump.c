// Jumps to another line: see the header.
//
// All paths through the code are followed once. That gives, for each instruction, the depth of the
// value stack before it and the list of what statements keep on the stack, the innermost last:
//
//     for x in a:        LOOP     the iterator
//         with b:        WITH     the exit function, and a block
//             try:       TRY      a block
//             except:    EXCEPT   three values of what was handled before, and a block
//                        RAISED   above those, three of what is raised, until they are taken off
//
// A jump may go to an instruction at which the line begins, if its list is a prefix of the list
// here and nothing else is on its stack: not into the middle of an expression.
#include "vm/settrace/jump.h"

#include "compiler/opcode.h"
#include "frames/generators/generator.h"
#include "frames/observe.h"
#include "vm/quicken.h"

#include "objects/error.h"
#include "objects/memory.h"

#include <limits.h>

#define NOWHERE (-1)

typedef enum Kind { KIND_WITH, KIND_LOOP, KIND_TRY, KIND_EXCEPT, KIND_RAISED } Kind;

// What a statement keeps on the stack.
typedef struct Item {
    int32_t below; // the number of the next outer one
    int32_t depth; // of the stack, up to and with this one's values
    uint8_t kind;
    bool clean; // nothing else is between it and the one below
} Item;

typedef struct State {
    int32_t depth; // NOWHERE = no path leads here
    int32_t top;   // the innermost item
} State;

typedef struct Flow {
    const QuickCode *quick;
    int32_t count;
    State *states;    // before each instruction
    Item *items;      // up to three for each instruction
    int32_t *waiting; // instructions to be followed
    int32_t waiting_count;
} Flow;

// ---- following the paths

static int32_t depth_of(const Flow *flow, int32_t item)
{
    return item == NOWHERE ? 0 : flow->items[item].depth;
}

static int32_t add_item(Flow *flow, int32_t item, Kind kind, int32_t below, int32_t values,
                        int32_t depth)
{
    bool clean = depth_of(flow, below) + values == depth;
    flow->items[item] = (Item){below, depth, (uint8_t)kind, clean};
    return item;
}

// The stack is taken down: an iterator may go, and what is raised.
static void cut(const Flow *flow, State *state, int64_t depth)
{
    while (state->top != NOWHERE) {
        const Item *top = &flow->items[state->top];
        if ((top->kind != KIND_LOOP && top->kind != KIND_RAISED) || top->depth <= depth) return;
        state->top = top->below;
    }
}

// A block ends, or a handler.
static void leave(const Flow *flow, State *state, bool handler)
{
    while (state->top != NOWHERE) {
        const Item *top = &flow->items[state->top];
        state->top = top->below;
        if (handler ? top->kind == KIND_EXCEPT : top->kind == KIND_TRY || top->kind == KIND_WITH)
            return;
    }
}

static void reach(Flow *flow, int64_t at, State state)
{
    if (at >= flow->count || flow->states[at].depth != NOWHERE) return;
    flow->states[at] = state;
    flow->waiting[flow->waiting_count++] = (int32_t)at;
}

static int opcode_of(const Flow *flow, int32_t at)
{
    return quick_opcode(flow->quick, &flow->quick->instructions[at]);
}

static int operand_of(const Flow *flow, int32_t at)
{
    return (int)quick_operand(flow->quick, &flow->quick->instructions[at]);
}

static int64_t target_of(const Flow *flow, int32_t at)
{
    bool relative = opcode_operand(opcode_of(flow, at)) == OPERAND_JUMP_RELATIVE;
    return operand_of(flow, at) / 2 + (relative ? (int64_t)at + 1 : 0);
}

// ---- following

static void set_up(Flow *flow, int32_t at, State *state)
{
    int opcode = opcode_of(flow, at), operand = operand_of(flow, at);
    int32_t handler = state->depth + (int32_t)opcode_stack_effect(opcode, operand, true);
    int32_t base = handler - HANDLER_VALUES;
    int32_t saved =
        add_item(flow, 3 * at, KIND_EXCEPT, state->top, SAVED_VALUES, base + SAVED_VALUES);
    int32_t raised = add_item(flow, 3 * at + 1, KIND_RAISED, saved, SAVED_VALUES, handler);
    reach(flow, target_of(flow, at), (State){handler, raised});
    bool is_try = opcode == SETUP_FINALLY;
    state->top =
        add_item(flow, 3 * at + 2, is_try ? KIND_TRY : KIND_WITH, state->top, !is_try, base);
}

// An iterator between statements; that of a comprehension is on its function.
static void begin_loop(Flow *flow, int32_t at, State *state)
{
    if (depth_of(flow, state->top) + 1 == state->depth)
        state->top = add_item(flow, 3 * at, KIND_LOOP, state->top, 1, state->depth);
}

// A `return` has put its value under those of the handler.
static void lift(Flow *flow, int32_t at, State *state)
{
    if (state->top == NOWHERE || flow->items[state->top].kind != KIND_EXCEPT) return;
    if (state->depth != flow->items[state->top].depth + 1) return;
    flow->items[3 * at] = flow->items[state->top];
    flow->items[3 * at].clean = false;
    state->top = 3 * at;
}

static void change_items(Flow *flow, int32_t at, State *state)
{
    int opcode = opcode_of(flow, at);
    if (opcode != FOR_ITER)
        cut(flow, state, state->depth - opcode_takes(opcode, operand_of(flow, at)));
    if (opcode_is(opcode, SETS_UP_BLOCK)) set_up(flow, at, state);
    if (opcode_is(opcode, POPS_BLOCK | POPS_HANDLER))
        leave(flow, state, opcode_is(opcode, POPS_HANDLER));
    if (opcode == GET_ITER || opcode == GET_AITER) begin_loop(flow, at, state);
    if (opcode == ROT_FOUR) lift(flow, at, state);
}

static void go_on(Flow *flow, int32_t at, State state, bool jump)
{
    int opcode = opcode_of(flow, at);
    state.depth += (int32_t)opcode_stack_effect(opcode, operand_of(flow, at), jump);
    cut(flow, &state, state.depth);
    reach(flow, jump ? target_of(flow, at) : (int64_t)at + 1, state);
}

static void follow(Flow *flow, int32_t at)
{
    State state = flow->states[at];
    int opcode = opcode_of(flow, at);
    change_items(flow, at, &state);
    if (opcode_is_jump(opcode) && !opcode_is(opcode, SETS_UP_BLOCK)) go_on(flow, at, state, true);
    if (!opcode_is(opcode, ENDS_FLOW)) go_on(flow, at, state, false);
}

static void flow_free(Flow *flow)
{
    memory_free(flow->states);
    memory_free(flow->items);
    memory_free(flow->waiting);
}

static bool flow_make(Flow *flow, const QuickCode *quick)
{
    size_t count = quick->count;
    *flow = (Flow){.quick = quick, .count = (int32_t)count};
    flow->states = memory_alloc(count * sizeof(State));
    flow->items = memory_alloc(3 * count * sizeof(Item));
    flow->waiting = memory_alloc(count * sizeof(int32_t));
    if (!flow->states || !flow->items || !flow->waiting) {
        flow_free(flow);
        return raise_memory_error();
    }
    for (size_t i = 0; i < count; i++) flow->states[i] = (State){NOWHERE, NOWHERE};
    reach(flow, 0, (State){0, NOWHERE});
    while (flow->waiting_count > 0) follow(flow, flow->waiting[--flow->waiting_count]);
    return true;
}

// ---- lines

// Goes through the instructions with which lnotab has a line begin.
typedef struct LineWalk {
    const Bytes *lnotab;
    ssize_t position; // in it
    int line, offset; // of the entry that was read last
    int32_t next;     // the first instruction that no entry has covered
} LineWalk;

static LineWalk walk_lines(const Code *code)
{
    return (LineWalk){as_bytes(code->lnotab), 0, code->firstlineno, 0, 0};
}

// The next instruction with which a line begins, and its line: false = there is none.
static bool walk_next(LineWalk *walk, int32_t count, int32_t *at, int *line)
{
    const Bytes *lnotab = walk->lnotab;
    while (walk->next < count && walk->position <= lnotab->size) {
        bool last = walk->position + 1 >= lnotab->size;
        *at = walk->next;
        *line = walk->line;
        if (!last) {
            walk->offset += (uint8_t)lnotab->data[walk->position];
            walk->line += (signed char)lnotab->data[walk->position + 1];
        }
        walk->position += 2;
        bool covers = last || walk->next * 2 < walk->offset;
        while (walk->next * 2 < walk->offset) walk->next++;
        if (covers) return true;
    }
    return false;
}

// The first line not before that one: -1 = there is none.
static int line_not_before(const Code *code, int32_t count, int wanted)
{
    int best = INT_MAX, line;
    int32_t at;
    LineWalk walk = walk_lines(code);
    while (walk_next(&walk, count, &at, &line))
        if (line >= wanted && line < best) best = line;
    return best == INT_MAX ? NOWHERE : best;
}

// ---- where to

// How many items; CPython does not know of what is raised.
static int length(const Flow *flow, int32_t top, bool all)
{
    int count = 0;
    for (; top != NOWHERE; top = flow->items[top].below)
        count += all || flow->items[top].kind != KIND_RAISED;
    return count;
}

static int32_t skip_raised(const Flow *flow, int32_t top)
{
    bool raised = top != NOWHERE && flow->items[top].kind == KIND_RAISED;
    return raised ? flow->items[top].below : top;
}

// Are the kinds of `to` those of the lower part of `from`? CPython's only condition.
static bool compatible(const Flow *flow, int32_t from, int32_t to)
{
    int count = length(flow, to, false);
    from = skip_raised(flow, from), to = skip_raised(flow, to);
    for (int extra = length(flow, from, false) - count; extra > 0; extra--)
        from = skip_raised(flow, flow->items[from].below);
    while (from != NOWHERE && to != NOWHERE && flow->items[from].kind == flow->items[to].kind) {
        from = skip_raised(flow, flow->items[from].below);
        to = skip_raised(flow, flow->items[to].below);
    }
    return from == to;
}

// The part of `from` that is as long as `to`.
static int32_t lower_part(const Flow *flow, int32_t from, int32_t to)
{
    for (int extra = length(flow, from, true) - length(flow, to, true); extra > 0; extra--)
        from = flow->items[from].below;
    return from;
}

// Does the stack hold at `from` what it has to at `to`?
static bool same_items(const Flow *flow, int32_t from, int32_t to)
{
    for (from = lower_part(flow, from, to); from != to;) {
        if (from == NOWHERE || to == NOWHERE) return false;
        const Item *one = &flow->items[from], *other = &flow->items[to];
        if (one->kind != other->kind || !one->clean || !other->clean) return false;
        from = one->below;
        to = other->below;
    }
    return true;
}

static bool takes_any_value(int opcode)
{
    return opcode == GET_ITER || opcode == RETURN_VALUE || opcode == STORE_FAST ||
           opcode == STORE_NAME || opcode == STORE_GLOBAL || opcode == STORE_DEREF;
}

// What a generator that waits is sent will be pushed, and the first instruction skipped. So that
// one must push what may be of any type: not the iterator of a comprehension, nor the code of a
// `def`.
static bool may_wait_at(const Flow *flow, int32_t at)
{
    if (at + 1 >= flow->count) return false;
    switch (opcode_of(flow, at)) {
    case LOAD_NAME:
    case LOAD_GLOBAL:
    case LOAD_DEREF: return true;
    case LOAD_FAST:
        return opcode_of(flow, at + 1) != FOR_ITER && opcode_of(flow, at + 1) != EXTENDED_ARG;
    case LOAD_CONST: return takes_any_value(opcode_of(flow, at + 1));
    default: return false;
    }
}

static bool may_arrive(const Flow *flow, int32_t from, int32_t at, bool waits)
{
    const State *state = &flow->states[at];
    return state->depth == depth_of(flow, state->top) && same_items(flow, from, state->top) &&
           (!waits || may_wait_at(flow, at));
}

static const char *refusal(const Flow *flow, int32_t from, int32_t at)
{
    const State *state = &flow->states[at];
    if (state->depth == NOWHERE) return "code may be unreachable.";
    int32_t top = skip_raised(flow, state->top);
    if (top == NOWHERE || compatible(flow, from, top))
        return "can't jump into the middle of an expression";
    switch (flow->items[top].kind) {
    case KIND_WITH: return "can't jump into the body of a with statement";
    case KIND_LOOP: return "can't jump into the body of a for loop";
    case KIND_TRY: return "can't jump into the body of a try statement";
    default: return "can't jump into an 'except' block as there's no exception";
    }
}

// Of the instructions at which the line begins, the innermost one that a jump may reach. NOWHERE
// with ValueError pending.
static int32_t find_instruction(const Flow *flow, int32_t from, int wanted, bool waits)
{
    int32_t best = NOWHERE, at;
    int line;
    const char *reason = "cannot find bytecode for specified line";
    LineWalk walk = walk_lines(flow->quick->code);
    while (walk_next(&walk, flow->count, &at, &line)) {
        if (line != wanted) continue;
        const State *state = &flow->states[at];
        if (state->depth == NOWHERE || !may_arrive(flow, from, at, waits))
            reason = refusal(flow, from, at);
        else if (best == NOWHERE ||
                 length(flow, state->top, false) > length(flow, flow->states[best].top, false))
            best = at;
    }
    if (best == NOWHERE) raise_error(ValueError, "%s", reason);
    return best;
}

// ---- going there

// How many blocks the jump leaves. NOWHERE with ValueError pending.
static int count_blocks(const Flow *flow, int32_t from, int32_t to)
{
    int count = 0;
    int32_t last = lower_part(flow, from, to);
    for (; from != last; from = flow->items[from].below) {
        int kind = flow->items[from].kind;
        if (kind == KIND_EXCEPT) {
            raise_error(ValueError, "can't jump out of an 'except' block");
            return NOWHERE;
        }
        count += kind == KIND_TRY || kind == KIND_WITH;
    }
    return count;
}

// Script code that runs here finds a generator that runs. The ticks: where a trace function asks
// for the jump, its return moves them, for it goes to the new offset.
static void move(Frame *frame, const Flow *flow, int32_t at, int blocks)
{
    Generator *generator = frame->flags & FRAME_GENERATOR ? generator_of(frame) : NULL;
    uint8_t state = generator ? generator->state : 0;
    if (generator) generator->state = GENERATOR_RUNNING;
    frame->block_count -= (uint32_t)blocks;
    const Value *stack = frame_stack(frame);
    frame_drop_stack(frame, frame->sp, stack + depth_of(flow, flow->states[at].top));
    Instruction *ip = (Instruction *)&flow->quick->instructions[at];
    if (frame == thread_state.frame) ticks_move(frame->ip, ip);
    frame->ip = ip;
    frame->flags &= ~(uint32_t)FRAME_DELEGATES;
    if (generator) generator->state = state;
}

static bool jump_by(const Flow *flow, Frame *frame, int line, bool waits)
{
    int32_t from = flow->states[frame_lasti(frame) / 2].top;
    int32_t at = find_instruction(flow, from, line, waits);
    if (at == NOWHERE) return false;
    int blocks = count_blocks(flow, from, flow->states[at].top);
    if (blocks == NOWHERE) return false;
    move(frame, flow, at, blocks);
    if (frame->flags & FRAME_OBJECT) as_frame_object(frame->object)->line = line;
    return true;
}

bool frame_set_lineno(Frame *frame, int line, bool waits)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    if (line < quick->code->firstlineno)
        return raise_error(ValueError, "line %d comes before the current code block", line);
    int found = line_not_before(quick->code, (int32_t)quick->count, line);
    if (found < 0)
        return raise_error(ValueError, "line %d comes after the current code block", line);
    Flow flow;
    if (!flow_make(&flow, quick)) return false;
    bool done = jump_by(&flow, frame, found, waits);
    flow_free(&flow);
    return done;
}

bool frame_jump(Frame *frame, int line)
{
    return frame_set_lineno(frame, line, false);
}
