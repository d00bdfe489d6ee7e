// The verifier's second pass: every path through the code, from the first instruction.
//
// Each instruction is followed once. The first path to it decides its FlowState. Every other path
// must bring the same state, so nothing is computed again, and the pass is linear.
//
//     value stack  | a | b | mark, self | 1 | 2 |         depth 6
//                            LOAD_METHOD pushed both: the mark is NULL, or a function and `self`
//                            its argument; only the CALL_METHOD 2 that takes all four may read it
//
//     block        SETUP_FINALLY: level = depth; the block may not take values below its level
//     handler      | ... level | s | s | s | traceback | exception | type |
//                  entered with six values; the lower three are of the exception handled before,
//                  and the handler may not take them before POP_EXCEPT (or END_ASYNC_FOR)
//
// A `return` inside a handler moves its value below these three with ROT_FOUR and then executes
// POP_EXCEPT. Between the two the handler is "lifted", and no other instruction may come.
#include "compiler/verify/verify_parts.h"

#include "objects/config.h"

// ---- marks

// The mark that represents all marks found to be equivalent to this one.
static int32_t find_mark(const Verifier *v, int32_t mark)
{
    while (mark != NOTHING && v->slots[mark].same != NOTHING) {
        Slot *slot = &v->slots[mark];
        const Slot *next = &v->slots[slot->same];
        if (next->same != NOTHING) slot->same = next->same;
        mark = slot->same;
    }
    return mark;
}

// Are this mark and all marks below at the same depths? Pairs that were compared become
// equivalent, so no pair is compared twice.
static bool same_marks(const Verifier *v, int32_t left, int32_t right)
{
    for (;;) {
        left = find_mark(v, left);
        right = find_mark(v, right);
        if (left == right) return true;
        if (left == NOTHING || right == NOTHING) return false;
        Slot *a = &v->slots[left], *b = &v->slots[right];
        if (a->level != b->level) return false;
        a->same = right;
        left = a->below;
        right = b->below;
    }
}

// Only the CALL_METHOD for which it was made may take a mark off the stack, and no instruction may
// read one.
static bool check_marks(const Verifier *v, int32_t at, FlowState *state)
{
    int opcode = opcode_at(v, at), operand = v->slots[at].operand;
    if (state->mark == NOTHING) return true;
    const Slot *made = &v->slots[state->mark];
    if (made->level < state->depth - opcode_looks(opcode, operand)) return true;
    if (opcode == CALL_METHOD && made->level == state->depth - opcode_takes(opcode, operand)) {
        state->mark = made->below;
        return true;
    }
    return refuse(v, at, "uses what the LOAD_METHOD at offset %d left for its CALL_METHOD",
                  2 * (int)state->mark);
}

// ---- blocks

static int count_blocks(const Verifier *v, int32_t setup)
{
    int count = 0;
    for (; setup != NOTHING; setup = v->slots[setup].below) count++;
    return count;
}

// Are there as many blocks, each of the same level? Their handlers may differ: an exception goes to
// that of the block which was set up, and each handler is followed from its own SETUP.
static bool same_blocks(const Verifier *v, const FlowState *left, const FlowState *right)
{
    int32_t a = left->setup, b = right->setup;
    Form a_form = left->form, b_form = right->form;
    for (;;) {
        if (a == b) return a == NOTHING || a_form == b_form;
        if (a == NOTHING || b == NOTHING || a_form != b_form) return false;
        const Slot *one = &v->slots[a], *other = &v->slots[b];
        if (one->level != other->level) return false;
        a = one->below, a_form = one->below_form;
        b = other->below, b_form = other->below_form;
    }
}

static void leave_block(const Verifier *v, FlowState *state)
{
    invariant(state->setup != NOTHING, "a block that is left was entered");
    const Slot *setup = &v->slots[state->setup];
    state->setup = setup->below;
    state->form = setup->below_form;
}

static bool in_handler(const FlowState *state)
{
    return state->setup != NOTHING && state->form != FORM_SETUP;
}

// An instruction must leave what the innermost block needs.
static bool check_floor(const Verifier *v, int32_t at, const FlowState *state)
{
    if (state->setup == NOTHING) return true;
    const Slot *setup = &v->slots[state->setup];
    int64_t left = state->depth - opcode_takes(opcode_at(v, at), v->slots[at].operand);
    if (state->form != FORM_SETUP)
        return left >= setup->level + SAVED_VALUES ||
               refuse(v, at, "takes one of the three values that are for POP_EXCEPT");
    return left >= setup->level ||
           refuse(v, at, "takes a value from outside of the block that begins at offset %d",
                  2 * (int)state->setup);
}

// ---- paths

// A path reaches an instruction.
static bool reach(Verifier *v, int32_t at, const FlowState *state)
{
    Slot *slot = &v->slots[at];
    invariant(at >= 0 && at < v->count, "a path leads to an instruction of the code");
    invariant(state->depth >= 0, "no path leaves less than nothing on the stack");
    if (slot->state.depth == NOTHING) {
        slot->state = *state;
        slot->next = v->waiting;
        v->waiting = at;
        return true;
    }
    if (slot->state.depth != state->depth)
        return refuse(v, at, "the stack is %d deep on one way to here and %d on another",
                      (int)slot->state.depth, (int)state->depth);
    if (!same_blocks(v, &slot->state, state))
        return refuse(v, at, "the paths to here are inside of different blocks");
    return same_marks(v, slot->state.mark, state->mark) ||
           refuse(v, at, "the paths to here have different LOAD_METHODs open");
}

static bool change_depth(const Verifier *v, int32_t at, FlowState *state, bool jump)
{
    int64_t effect = opcode_stack_effect(opcode_at(v, at), v->slots[at].operand, jump);
    int64_t depth = state->depth + effect;
    if (depth > v->code->stacksize)
        return refuse(v, at, "makes the stack %lld deep, but co_stacksize is %d", (long long)depth,
                      v->code->stacksize);
    state->depth = (int32_t)depth;
    return true;
}

// ---- instructions that do more than take and push

static bool open_block(Verifier *v, int32_t at, FlowState *state)
{
    Slot *slot = &v->slots[at];
    if (count_blocks(v, state->setup) == MAX_BLOCKS)
        return refuse(v, at, "is inside of %d blocks, the most there may be", MAX_BLOCKS);
    FlowState handler = *state;
    if (!change_depth(v, at, &handler, true)) return false;
    slot->level = handler.depth - HANDLER_VALUES;
    slot->below = state->setup;
    slot->below_form = state->form;
    state->setup = handler.setup = at;
    state->form = FORM_SETUP;
    handler.form = FORM_HANDLER;
    return reach(v, slot->target, &handler);
}

static bool close_block(const Verifier *v, int32_t at, FlowState *state)
{
    if (state->setup == NOTHING || state->form != FORM_SETUP)
        return refuse(v, at, "there is no block to end here");
    leave_block(v, state);
    return true;
}

// A handler, with so many values on the stack above its level.
static bool check_handler(const Verifier *v, int32_t at, const FlowState *state, int values)
{
    if (!in_handler(state)) return refuse(v, at, "there is no handler here");
    int have = state->depth - v->slots[state->setup].level;
    return have == values ||
           refuse(v, at, "needs the handler's %d values on top, not %d", values, have);
}

// POP_EXCEPT takes the saved values, END_ASYNC_FOR all, and the iterator that is under them.
static bool end_handler(const Verifier *v, int32_t at, FlowState *state)
{
    int64_t takes = opcode_takes(opcode_at(v, at), v->slots[at].operand);
    int values = takes < HANDLER_VALUES ? (int)takes : HANDLER_VALUES;
    bool lifted = in_handler(state) && state->form == FORM_LIFTED;
    if (!check_handler(v, at, state, values + lifted)) return false;
    leave_block(v, state);
    return check_floor(v, at, state);
}

static bool rotate_four(const Verifier *v, int32_t at, FlowState *state)
{
    if (in_handler(state) && state->depth == v->slots[state->setup].level + SAVED_VALUES + 1) {
        state->form = FORM_LIFTED;
        return true;
    }
    return check_floor(v, at, state);
}

static bool check_return(const Verifier *v, int32_t at, const FlowState *state)
{
    return state->setup == NOTHING ||
           refuse(v, at, "returns from the block of offset %d", 2 * (int)state->setup);
}

static void leave_mark(Verifier *v, int32_t at, FlowState *state)
{
    Slot *slot = &v->slots[at];
    slot->level = state->depth - 1;
    slot->below = state->mark;
    state->mark = at;
}

// What the instruction does to blocks; for most, nothing.
static bool change_blocks(Verifier *v, int32_t at, FlowState *state)
{
    int opcode = opcode_at(v, at);
    if (opcode_is(opcode, POPS_HANDLER)) return end_handler(v, at, state);
    if (opcode_is(opcode, LEAVES_FRAME)) return check_return(v, at, state);
    switch (opcode) { // those with a rule of their own
    case ROT_FOUR: return rotate_four(v, at, state);
    case WITH_EXCEPT_START: return check_handler(v, at, state, HANDLER_VALUES);
    default: break;
    }
    if (!check_floor(v, at, state)) return false;
    if (opcode_is(opcode, POPS_BLOCK)) return close_block(v, at, state);
    return !opcode_is(opcode, SETS_UP_BLOCK) || open_block(v, at, state);
}

// ---- the pass

static bool follow_jump(Verifier *v, int32_t at, FlowState state)
{
    int opcode = opcode_at(v, at);
    if (!opcode_is_jump(opcode) || opcode_is(opcode, SETS_UP_BLOCK))
        return true; // open_block() has
    return change_depth(v, at, &state, true) && reach(v, v->slots[at].target, &state);
}

static bool follow_on(Verifier *v, int32_t at, FlowState state)
{
    if (opcode_is(opcode_at(v, at), ENDS_FLOW)) return true;
    if (!change_depth(v, at, &state, false)) return false;
    if (at + 1 == v->count) return refuse(v, at, "runs off the end of the code");
    return reach(v, at + 1, &state);
}

static bool follow(Verifier *v, int32_t at)
{
    FlowState state = v->slots[at].state;
    int opcode = opcode_at(v, at);
    int64_t looks = opcode_looks(opcode, v->slots[at].operand);
    if (looks > state.depth)
        return refuse(v, at, "needs %lld values, but the stack holds %d", (long long)looks,
                      (int)state.depth);
    if (in_handler(&state) && state.form == FORM_LIFTED && opcode != POP_EXCEPT)
        return refuse(v, at, "only POP_EXCEPT may come after a ROT_FOUR that moves its values");
    if (!check_marks(v, at, &state) || !change_blocks(v, at, &state)) return false;
    if (opcode == LOAD_METHOD) leave_mark(v, at, &state);
    return follow_jump(v, at, state) && follow_on(v, at, state);
}

bool verify_flow(Verifier *v)
{
    const FlowState first = {.depth = 0, .mark = NOTHING, .setup = NOTHING};
    v->waiting = NOTHING;
    bool good = reach(v, 0, &first);
    while (good && v->waiting != NOTHING) {
        int32_t at = v->waiting;
        invariant(v->slots[at].state.depth != NOTHING, "what waits to be followed was reached");
        v->waiting = v->slots[at].next;
        good = follow(v, at);
    }
    return good;
}
