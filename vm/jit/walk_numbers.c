#include "objects/containers/list.h"
#include "vm/jit/walk_parts.h"
#include "vm/numbers.h"

#include <stdio.h>

// ---- operators

struct Operator {
    int opcode, inplace;
    const char *name;
};

static const Operator operators[] = {
    {BINARY_ADD, INPLACE_ADD, "add"},
    {BINARY_SUBTRACT, INPLACE_SUBTRACT, "subtract"},
    {BINARY_MULTIPLY, INPLACE_MULTIPLY, "multiply"},
    {BINARY_TRUE_DIVIDE, INPLACE_TRUE_DIVIDE, "true_divide"},
    {BINARY_FLOOR_DIVIDE, INPLACE_FLOOR_DIVIDE, "floor_divide"},
    {BINARY_MODULO, INPLACE_MODULO, "remainder"},
    {BINARY_AND, INPLACE_AND, "and"},
    {BINARY_OR, INPLACE_OR, "or"},
    {BINARY_XOR, INPLACE_XOR, "xor"},
    {BINARY_LSHIFT, INPLACE_LSHIFT, "lshift"},
    {BINARY_RSHIFT, INPLACE_RSHIFT, "rshift"},
    {BINARY_POWER, INPLACE_POWER, "power"},
};

const Operator *walk_operator_of(int opcode)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].opcode == opcode || operators[i].inplace == opcode) return &operators[i];
    return NULL;
}

// By a stencil for a constant, if the right operand is one and there is such a stencil.
static bool apply_operator(const Operator *operator, ValueKind kind, int left, Entry *right)
{
    Patch patch = {0};
    if (right->where == IN_CONSTANT) patch.word = walk_constant_bits(right->sample, kind);
    bool by_zero = operator->opcode == BINARY_TRUE_DIVIDE && patch.word << 1 == 0;
    if (right->where == IN_CONSTANT && !by_zero) {
        char name[32];
        snprintf(name, sizeof name, "%s_constant", operator->name);
        bool applied = walk_stencil_1(name, kind, left, patch);
        if (applied || jit_problem != emit_no_stencil) return applied;
    }
    int number = entry_register(right, kind);
    if (number != NO_REGISTER && operator->opcode == BINARY_POWER)
        return walk_stencil_1("put_result", kind, left, (Patch){0}) &&
               walk_stencil_1("apply", kind, number,
                              (Patch){.word = (uint64_t)(uintptr_t)quiet_power}) &&
               walk_stencil_1("result", kind, left, (Patch){0});
    return number != NO_REGISTER &&
           walk_stencil_2(operator->name, kind, left, kind, number, (Patch){0});
}

// x % 2**n and x // 2**n: in Python both round down, as the mask and the shift do.
static bool by_power_of_two(const Operator *operator, int number, int64_t divisor)
{
    Patch patch = {.word = (uint64_t)raised(from_small(divisor - 1)),
                   .number = (uint32_t)__builtin_ctzll((uint64_t)divisor)};
    return walk_stencil_1(operator->opcode == BINARY_MODULO ? "and_constant" : "halve", KIND_INT,
                          number, patch);
}

bool walk_binary(const Operator *operator, int opcode)
{
    Entry right = walk.stack[walk.depth - 1], left = walk.stack[walk.depth - 2];
    bool ints = left.kind == KIND_INT && right.kind == KIND_INT;
    if (!entry_is_number(&left) || !entry_is_number(&right) ||
        (ints && operator->opcode == BINARY_POWER)) {
        // Where the sum replaces the text, the interpreter lets that grow in its place.
        bool grows = operator->opcode ==
                     BINARY_ADD &&(opcode != BINARY_ADD || opcode_at(walk.next) == STORE_FAST);
        return grows ? jit_refuse("operands that are no numbers")
                     : walk_quiet(quiet_operate, 2, (size_t)opcode);
    }
    walk.depth -= 2;
    bool divides = operator->opcode == BINARY_MODULO || operator->opcode == BINARY_FLOOR_DIVIDE;
    ValueKind kind = ints && operator->opcode != BINARY_TRUE_DIVIDE ? KIND_INT : KIND_FLOAT;
    int64_t divisor = ints && divides && right.where == IN_CONSTANT ? small_value(right.sample) : 0;
    if (!entry_own_register(&left, kind)) return false;
    if (!(divisor > 0 && (divisor & (divisor - 1)) == 0
              ? by_power_of_two(operator, left.number, divisor)
              : apply_operator(operator, kind, left.number, &right)))
        return false;
    entry_free(&right);
    left.may_be_nan = kind == KIND_FLOAT;
    return entry_push(left);
}

bool walk_negative(int index)
{
    Entry entry = entry_pop();
    (void)index;
    if (!entry_is_number(&entry)) return jit_refuse("an operand that is no number");
    Patch minus_one = {.word = walk_constant_bits(from_small(-1), KIND_FLOAT)};
    const char *name = entry.kind == KIND_INT ? "negative" : "multiply_constant";
    return entry_own_register(&entry, entry.kind) &&
           walk_stencil_1(name, entry.kind, entry.number, minus_one) && entry_push(entry);
}

// ---- branches

// The entries of all branches to an instruction are alike.
bool walk_label(int target, int *label)
{
    if (target < walk.head || target > walk.end) {
        *label = walk_exit(EXIT_END, target, walk_shape(), NULL);
        return true;
    }
    Label *known = &walk.labels[target - walk.head];
    *label = target - walk.head;
    if (known->known && !walk_has_shape(known->shape)) return false;
    walk_note(known);
    return true;
}

// Every jump back polls, but for those to a FOR_ITER, which polls itself.
static bool branch_to(int jump, int *label)
{
    int target = target_of(jump);
    walk.closed |= target == walk.head;
    for (int i = 0; target <= jump && i < walk.depth; i++) // what is there may have another type
        if (walk.stack[i].kind == KIND_OBJECT) return jit_refuse("an object waits for a jump back");
    if (target <= jump && opcode_at(target) != FOR_ITER && !walk_stencil("poll", (Patch){0}))
        return false;
    if (target <= jump && walk.makes && !walk_stencil("let_go", (Patch){0})) return false;
    return walk_settle() && walk_label(target, label);
}

bool walk_jump(int index)
{
    int label;
    if (!branch_to(index, &label)) return false;
    walk.reachable = false;
    return walk_stencil("jump", (Patch){.target = label});
}

// The comparison at `index` with the jump that follows.
bool walk_compare(int index)
{
    static const char *const when_true[] = {"lt", "le", "eq", "ne", "lt", "le"};
    static const char *const when_false[] = {"not_lt", "not_le", "ne", "eq", "not_lt", "not_le"};
    uint32_t operator= instruction_at(index)->arg;
    int jump = walk.next, label;
    while (opcode_at(jump) == EXTENDED_ARG) jump++;
    int opcode = opcode_at(jump);
    Entry right = walk.stack[walk.depth - 1], left = walk.stack[walk.depth - 2];
    bool characters = entry_is_character(&left) && entry_is_character(&right);
    if ((opcode != POP_JUMP_IF_FALSE && opcode != POP_JUMP_IF_TRUE) ||
        (!characters && (!entry_is_number(&left) || !entry_is_number(&right))))
        return walk_quiet(quiet_compare, 2, operator);
    walk.depth -= 2;
    walk.next = jump + 1;
    if (characters && (!entry_ord(&left) || !entry_ord(&right))) return false;
    bool ints = left.kind == KIND_INT && right.kind == KIND_INT;
    ValueKind kind = ints ? KIND_INT : KIND_FLOAT;
    int a = entry_register(&left, kind);
    int b = a == NO_REGISTER ? a : entry_register(&right, kind);
    if (b == NO_REGISTER || !branch_to(jump, &label)) return false;
    bool swapped = operator== COMPARE_GT || operator== COMPARE_GE;
    entry_free(&left);
    entry_free(&right);
    return walk_stencil_2((opcode == POP_JUMP_IF_FALSE ? when_true : when_false)[operator], kind,
                   swapped ? b : a, kind, swapped ? a : b, (Patch){.target = label});
}

// `is` and None, or another such constant: the type of the other operand says it.
bool walk_is(int index)
{
    Entry right = entry_pop(), left = entry_pop();
    if (right.where != IN_CONSTANT || right.kind != KIND_OTHER || left.kind == KIND_OTHER)
        return jit_refuse("IS_OP");
    entry_free(&left);
    return entry_push(
        (Entry){.where = IN_CONSTANT, .kind = KIND_BOOL, .sample = from_bool(operand_at(index))});
}

bool walk_truth(int index)
{
    bool if_false = opcode_at(index) == POP_JUMP_IF_FALSE;
    int label;
    if (entry_is(&walk.stack[walk.depth - 1], &list_type) && !walk_length()) return false;
    Entry entry = entry_pop();
    if (!entry_is_number(&entry) && entry.kind != KIND_BOOL)
        return jit_refuse("the truth of an object");
    int number = entry_register(&entry, entry.kind);
    if (number == NO_REGISTER || !branch_to(index, &label)) return false;
    entry_free(&entry);
    const char *name = entry.kind == KIND_BOOL ? if_false ? "bool_true" : "bool_false"
                       : if_false              ? "true"
                                               : "false";
    return walk_stencil_1(name, entry.kind, number, (Patch){.target = label});
}
