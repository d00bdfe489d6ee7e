// The peephole pass: CPython 3.9's rewrites of the assembled bytes, in its order.
//
// An instruction has two bytes. A rewrite never makes the code longer: bytes that become free are
// filled with NOPs. At the end the NOPs are removed, and jumps and line table are corrected.
// `labels` numbers the blocks between jump targets; a rewrite must stay inside one block.
//
//     before  LOAD_CONST 1 | LOAD_CONST 2 | BUILD_TUPLE 2
//     after   NOP          | NOP          | LOAD_CONST 3        co_consts[3] = (1, 2)
#include "compiler/codegen/codegen.h"

#include "objects/containers/tuple.h"
#include "objects/operators.h"

typedef struct Peephole {
    CodeGenerator *g;
    Bytecode *code;
    int *labels;
    int constants;      // how many LOAD_CONST in a row end before the instruction looked at
    int last_constants; // the same, before that instruction was looked at
    int at;             // the instruction looked at: after its EXTENDED_ARGs
    int start;          // the first of its EXTENDED_ARGs, or itself
    int next;           // the instruction to be looked at afterwards, likewise
} Peephole;

// ---- instructions

static int opcode_at(const Peephole *p, int i)
{
    return p->code->bytes[2 * i];
}

static void set_opcode(Peephole *p, int i, int opcode)
{
    p->code->bytes[2 * i] = (uint8_t)opcode;
}

static int find_instruction(const Peephole *p, int i)
{
    while (i < p->code->size && opcode_at(p, i) == EXTENDED_ARG) i++;
    return i;
}

static unsigned operand_at(const Peephole *p, int i)
{
    return opcode_operand_at(p->code->bytes, i);
}

static void write_at(Peephole *p, int i, int opcode, unsigned operand, int size)
{
    write_instruction(p->code->bytes, i, opcode, operand, size);
}

static void fill_nops(Peephole *p, int start, int end)
{
    for (int i = start; i < end; i++) {
        p->code->bytes[2 * i] = NOP;
        p->code->bytes[2 * i + 1] = NOP;
    }
}

// Changes the operand of the instruction at i. Returns its new index, -1 if the operand does not
// fit.
static int set_operand(Peephole *p, int i, unsigned operand)
{
    unsigned old = operand_at(p, i);
    if (old == operand) return i;
    int old_size = instruction_size(old), size = instruction_size(operand);
    if (old_size < size) return -1;
    write_at(p, i + 1 - old_size, opcode_at(p, i), operand, size);
    fill_nops(p, i + 1 - old_size + size, i + 1);
    return i - old_size + size;
}

// Writes an instruction at the end of start..end, if it fits, and NOPs before it.
static void write_at_end(Peephole *p, int start, int end, int opcode, unsigned operand)
{
    int size = instruction_size(operand);
    if (start + size > end) return;
    write_at(p, end - size, opcode, operand, size);
    fill_nops(p, start, end - size);
}

static bool is_one_block(const Peephole *p, int start, int end)
{
    return p->labels[start] == p->labels[end];
}

static bool is_unconditional(int opcode)
{
    return opcode == JUMP_ABSOLUTE || opcode == JUMP_FORWARD;
}

static bool is_conditional(int opcode)
{
    return opcode == POP_JUMP_IF_FALSE || opcode == POP_JUMP_IF_TRUE ||
           opcode == JUMP_IF_FALSE_OR_POP || opcode == JUMP_IF_TRUE_OR_POP;
}

static bool jumps_on_true(int opcode)
{
    return opcode == POP_JUMP_IF_TRUE || opcode == JUMP_IF_TRUE_OR_POP;
}

static bool is_absolute(int opcode)
{
    return opcode_operand(opcode) == OPERAND_JUMP_ABSOLUTE;
}

static int jump_target(const Peephole *p, int i)
{
    int operand = (int)(operand_at(p, i) / 2);
    return is_absolute(opcode_at(p, i)) ? operand : operand + i + 1;
}

static void number_blocks(Peephole *p)
{
    int size = p->code->size, block = 0;
    p->labels = arena_alloc(p->g->arena, (size_t)size * sizeof *p->labels);
    for (int i = 0; i < size; i++)
        if (opcode_is_jump(opcode_at(p, i))) p->labels[jump_target(p, i)] = 1;
    for (int i = 0; i < size; i++) p->labels[i] = block += p->labels[i];
}

// ---- the rewrites

static ValueRef constant_at(const Peephole *p, int i)
{
    return p->g->unit->constants.entries[operand_at(p, i)].key;
}

// `while True:` that was not seen in the tree: LOAD_CONST true, POP_JUMP_IF_FALSE go away.
static void remove_true_test(Peephole *p)
{
    p->constants = p->last_constants + 1;
    if (p->next >= p->code->size || opcode_at(p, p->next) != POP_JUMP_IF_FALSE) return;
    if (!is_one_block(p, p->start, p->at + 1)) return;
    bool truth;
    if (!object_truth(constant_at(p, p->at), &truth)) arena_fail(p->g->arena);
    if (!truth) return;
    fill_nops(p, p->start, p->next + 1);
    p->constants = 0;
}

// The first unit of the count-th LOAD_CONST before i.
static int constant_start(const Peephole *p, int i, int count)
{
    while (count > 0)
        if (opcode_at(p, --i) == LOAD_CONST) count--;
    while (i > 0 && opcode_at(p, i - 1) == EXTENDED_ARG) i--;
    return i;
}

// LOAD_CONST 1, LOAD_CONST 2, BUILD_TUPLE 2 becomes LOAD_CONST (1, 2): defaults are made like that.
// The new constant is appended even if an equal one is there; the old ones stay.
static void fold_constant_tuple(Peephole *p, int start, int count)
{
    Value tuple = tuple_new(count);
    int i = start;
    for (int k = 0; tuple && k < count; k++, i++) {
        i = find_instruction(p, i);
        as_tuple(tuple)->items[k] = retain(constant_at(p, i));
    }
    ValueRef held = arena_hold(p->g->arena, tuple);
    ValueRef merged = constant_merge(p->g->arena, &p->g->constants, held);
    int index = map_append(&p->g->unit->constants, p->g->arena, merged);
    write_at_end(p, start, p->at + 1, LOAD_CONST, (unsigned)index);
}

// a, b = b, a: makes no tuple, but reverses 1 to 3 values on the stack.
static void replace_packing(Peephole *p, int count)
{
    if (p->next >= p->code->size || opcode_at(p, p->next) != UNPACK_SEQUENCE) return;
    if (!is_one_block(p, p->start, p->at + 1) || (unsigned)count != operand_at(p, p->next)) return;
    if (count > 3) return;
    int end = p->next + 1;
    int at = p->start;
    if (count == 3) write_at(p, at++, ROT_THREE, 0, 1);
    if (count >= 2) write_at(p, at++, ROT_TWO, 0, 1);
    fill_nops(p, at, end);
}

static void rewrite_tuple(Peephole *p)
{
    int count = (int)operand_at(p, p->at);
    if (count > 0 && p->last_constants >= count) {
        int start = constant_start(p, p->start, count);
        if (is_one_block(p, start, p->start)) {
            fold_constant_tuple(p, start, count);
            return;
        }
    }
    replace_packing(p, count);
}

// `a and b` in a condition: a jump that keeps its value leads to a second conditional jump. If the
// second is then always taken, the first becomes like it and leads to its target. If the second is
// then never taken, the first leads past it and drops the value. True if the first was rewritten,
// which is then visited again.
static bool skip_second_test(Peephole *p)
{
    int target = find_instruction(p, (int)(operand_at(p, p->at) / 2));
    int opcode = opcode_at(p, p->at), second = opcode_at(p, target), at;
    if (!is_conditional(second)) return false;
    if (jumps_on_true(second) == jumps_on_true(opcode)) {
        at = set_operand(p, p->at, operand_at(p, target));
    } else {
        at = set_operand(p, p->at, (unsigned)(target + 1) * 2);
        second = jumps_on_true(opcode) ? POP_JUMP_IF_TRUE : POP_JUMP_IF_FALSE;
    }
    if (at < 0) return false;
    set_opcode(p, at, second);
    p->next = at;
    return true;
}

// A jump to a RETURN_VALUE is one.
static void replace_jump_to_return(Peephole *p)
{
    write_at(p, p->start, RETURN_VALUE, 0, 1);
    fill_nops(p, p->start + 1, p->at + 1);
}

// A jump to an unconditional jump gets the second one's target. JUMP_FORWARD becomes JUMP_ABSOLUTE,
// which can also jump back.
static void follow_jump(Peephole *p, int second)
{
    int opcode = opcode_at(p, p->at), target = jump_target(p, second);
    if (opcode == JUMP_FORWARD) opcode = JUMP_ABSOLUTE;
    write_at_end(p, p->start, p->at + 1, opcode, (unsigned)target * 2);
}

static void rewrite_jump(Peephole *p)
{
    int target = find_instruction(p, jump_target(p, p->at));
    if (is_unconditional(opcode_at(p, p->at)) && opcode_at(p, target) == RETURN_VALUE)
        replace_jump_to_return(p);
    else if (is_unconditional(opcode_at(p, target)))
        follow_jump(p, target);
}

// What follows a return in its block is unreachable and removed, up to a SETUP_FINALLY or RERAISE:
// 3.9 looks for these when a debugger sets f_lineno.
static void remove_unreachable(Peephole *p)
{
    int end = p->at + 1;
    for (; end < p->code->size && is_one_block(p, p->at, end); end++) {
        int opcode = opcode_at(p, end);
        if (opcode != SETUP_FINALLY && opcode != RERAISE) continue;
        while (end > p->at + 1 && opcode_at(p, end - 1) == EXTENDED_ARG) end--;
        break;
    }
    if (end == p->at + 1) return;
    fill_nops(p, p->at + 1, end);
    p->next = find_instruction(p, end);
}

static void rewrite(Peephole *p)
{
    p->last_constants = p->constants;
    p->constants = 0;
    switch (opcode_at(p, p->at)) {
    case LOAD_CONST: remove_true_test(p); break;
    case BUILD_TUPLE: rewrite_tuple(p); break;
    case JUMP_IF_FALSE_OR_POP:
    case JUMP_IF_TRUE_OR_POP:
        if (!skip_second_test(p)) rewrite_jump(p);
        break;
    case POP_JUMP_IF_FALSE:
    case POP_JUMP_IF_TRUE:
    case JUMP_FORWARD:
    case JUMP_ABSOLUTE: rewrite_jump(p); break;
    case RETURN_VALUE: remove_unreachable(p); break;
    default: break;
    }
}

// ---- removing the NOPs

// From now on `labels` has the new index of each instruction. Returns the number of NOPs.
static int number_instructions(Peephole *p)
{
    int nops = 0;
    for (int i = 0; i < p->code->size; i++) {
        p->labels[i] = i - nops;
        if (opcode_at(p, i) == NOP) nops++;
    }
    return nops;
}

static void shorten_lnotab(Peephole *p)
{
    uint8_t *table = p->code->lnotab;
    int old = 0, last = 0;
    for (int i = 0; i < p->code->lnotab_size; i += 2) {
        old += table[i];
        int offset = p->labels[old / 2] * 2;
        table[i] = (uint8_t)(offset - last);
        last = offset;
    }
}

// Moves the instructions to their new indices and corrects the jumps. False, with nothing done, if
// a jump does not fit any more: CPython gives up then.
static bool squeeze(Peephole *p, bool write)
{
    int out = 0, size = p->code->size;
    for (int i = 0; i < size; i++) {
        int start = i;
        i = find_instruction(p, i);
        int opcode = opcode_at(p, i);
        if (opcode == NOP) continue;
        unsigned operand = operand_at(p, i);
        if (opcode_is_jump(opcode)) {
            int target = p->labels[jump_target(p, i)];
            operand = (unsigned)(is_absolute(opcode) ? target : target - p->labels[i] - 1) * 2;
        }
        int length = i - start + 1;
        if (instruction_size(operand) > length || length > 4) return false;
        if (write) {
            memmove(&p->code->positions[out], &p->code->positions[start],
                    (size_t)length * sizeof *p->code->positions);
            write_at(p, out, opcode, operand, length);
        }
        out += length;
    }
    if (write) p->code->size = out;
    return true;
}

// Steps of 255 bytes stand for longer ones: 3.9 leaves such code alone.
static bool is_too_complex(const Bytecode *code)
{
    for (int i = 0; i < code->lnotab_size; i += 2)
        if (code->lnotab[i] == 255) return true;
    return false;
}

void peephole(CodeGenerator *g, Bytecode *code)
{
    if (is_too_complex(code)) return;
    Peephole peephole = {.g = g, .code = code}, *p = &peephole;
    number_blocks(p);
    for (p->at = find_instruction(p, 0); p->at < code->size; p->at = p->next) {
        p->start = p->at;
        while (p->start >= 1 && opcode_at(p, p->start - 1) == EXTENDED_ARG) p->start--;
        p->next = find_instruction(p, p->at + 1);
        rewrite(p);
    }
    if (!number_instructions(p) || !squeeze(p, false)) return;
    shorten_lnotab(p);
    squeeze(p, true);
}
