#include "vm/jit/walk_parts.h"
#include "vm/numbers.h"

#include <math.h>
#include <stdio.h>

// ---- operators

struct Operator {
    int opcode, inplace;
    const char *name;
    bool ints, floats;   // has stencils for these
    bool with_constants; // and such whose right operand is a constant; of ints:
    bool with_int_constants;
};

static const Operator operators[] = {
    {BINARY_ADD, INPLACE_ADD, "add", true, true, true, true},
    {BINARY_SUBTRACT, INPLACE_SUBTRACT, "subtract", true, true, true, true},
    {BINARY_MULTIPLY, INPLACE_MULTIPLY, "multiply", true, true, true, false},
    {BINARY_TRUE_DIVIDE, INPLACE_TRUE_DIVIDE, "true_divide", false, true, true, false},
    {BINARY_FLOOR_DIVIDE, INPLACE_FLOOR_DIVIDE, "floor_divide", true, false, false, false},
    {BINARY_MODULO, INPLACE_MODULO, "remainder", true, false, false, false},
    {BINARY_AND, INPLACE_AND, "and", true, false, false, false},
    {BINARY_OR, INPLACE_OR, "or", true, false, false, false},
    {BINARY_XOR, INPLACE_XOR, "xor", true, false, false, false},
    {BINARY_LSHIFT, INPLACE_LSHIFT, "lshift", true, false, false, false},
    {BINARY_RSHIFT, INPLACE_RSHIFT, "rshift", true, false, false, false},
    {BINARY_POWER, INPLACE_POWER, "power", false, true, false, false},
};

const Operator *walk_operator_of(int opcode)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].opcode == opcode || operators[i].inplace == opcode) return &operators[i];
    return NULL;
}

// a ** b where it is a float without more ado; else a NaN.
static double power(double a, double b)
{
    double result = a > 0.0 ? pow(a, b) : NAN;
    return isinf(a) || isinf(result) ? NAN : result;
}

static bool apply_operator(const Operator *operator, ValueKind kind, int left, Entry *right)
{
    bool constant =
        right->where == IN_CONSTANT && operator->with_constants &&(
                                           kind == KIND_FLOAT || operator->with_int_constants);
    uint64_t word = constant ? walk_constant_bits(right->sample, kind) : 0;
    if (constant && !(operator->opcode == BINARY_TRUE_DIVIDE && word << 1 == 0)) {
        char name[32];
        snprintf(name, sizeof name, "%s_constant", operator->name);
        return walk_stencil_1(name, kind, left, (Patch){.word = word});
    }
    int number = entry_register(right, kind);
    if (number != NO_REGISTER && operator->opcode == BINARY_POWER)
        return walk_stencil_1("first", kind, left, (Patch){0}) &&
               walk_stencil_1("second", kind, number, (Patch){0}) &&
               walk_stencil("apply", (Patch){.word = (uint64_t)(uintptr_t)power}) &&
               walk_stencil_1("fetch", kind, left, (Patch){0});
    return number != NO_REGISTER &&
           walk_stencil_2(operator->name, kind, left, kind, number, (Patch){0});
}

// x % 2**n and x // 2**n: in Python both round down, as the mask and the shift do.
static bool by_power_of_two(const Operator *operator, int number, const Entry *right)
{
    int64_t divisor = small_value(right->sample);
    uint64_t mask = (uint64_t)raised(from_small(divisor - 1));
    if (operator->opcode == BINARY_MODULO)
        return walk_stencil_1("and_constant", KIND_INT, number, (Patch){.word = mask});
    return walk_stencil_1("rshift_constant", KIND_INT, number,
                          (Patch){.number = (uint32_t)__builtin_ctzll((uint64_t)divisor)});
}

static bool divides_by_power_of_two(const Operator *operator, const Entry * right)
{
    if (operator->opcode != BINARY_MODULO && operator->opcode != BINARY_FLOOR_DIVIDE) return false;
    if (right->where != IN_CONSTANT || right->kind != KIND_INT) return false;
    int64_t divisor = small_value(right->sample);
    return divisor > 0 && (divisor & (divisor - 1)) == 0;
}

bool walk_binary(const Operator *operator)
{
    Entry right = entry_pop(), left = entry_pop();
    if (!entry_is_number(&left) || !entry_is_number(&right))
        return jit_refuse("operands that are no numbers");
    bool ints = left.kind == KIND_INT && right.kind == KIND_INT;
    if (ints ? operator->opcode == BINARY_POWER : !operator->floats)
        return jit_refuse("operands that are no ints");
    ints &= operator->ints;
    ValueKind kind = ints ? KIND_INT : KIND_FLOAT;
    if (!entry_own_register(&left, kind)) return false;
    if (!(divides_by_power_of_two(operator, & right) && ints
              ? by_power_of_two(operator, left.number, &right)
              : apply_operator(operator, kind, left.number, &right)))
        return false;
    entry_free(&right);
    left.may_be_nan = kind == KIND_FLOAT;
    return entry_push(left);
}

bool walk_negative(void)
{
    Entry entry = entry_pop();
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
    *known = (Label){true, walk_shape()};
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
bool walk_compare(int index, int jump)
{
    static const char *const when_true[] = {"lt", "le", "eq", "ne", "lt", "le"};
    static const char *const when_false[] = {"not_lt", "not_le", "ne", "eq", "not_lt", "not_le"};
    uint32_t operator= instruction_at(index)->arg;
    int opcode = opcode_at(jump), label;
    Entry right = entry_pop(), left = entry_pop();
    if (!entry_is_number(&left) || !entry_is_number(&right))
        return jit_refuse("operands that are no numbers");
    if (opcode != POP_JUMP_IF_FALSE && opcode != POP_JUMP_IF_TRUE)
        return jit_refuse("a comparison without a jump");
    bool ints = left.kind == KIND_INT && right.kind == KIND_INT;
    if (ints && opcode == POP_JUMP_IF_TRUE) operator= COMPARE_GE - operator; // the opposite
    ValueKind kind = ints ? KIND_INT : KIND_FLOAT;
    int a = entry_register(&left, kind);
    int b = a == NO_REGISTER ? a : entry_register(&right, kind);
    if (b == NO_REGISTER || !branch_to(jump, &label)) return false;
    bool swapped = operator== COMPARE_GT || operator== COMPARE_GE;
    entry_free(&left);
    entry_free(&right);
    bool goes_on = ints || opcode == POP_JUMP_IF_FALSE;
    return walk_stencil_2((goes_on ? when_true : when_false)[operator], kind,
                   swapped ? b : a, kind, swapped ? a : b, (Patch){.target = label});
}

// `is` and None, or another such constant: the type of the other operand says it.
bool walk_is(int operand)
{
    Entry right = entry_pop(), left = entry_pop();
    if (right.where != IN_CONSTANT || right.kind != KIND_OTHER || left.kind == KIND_OTHER)
        return jit_refuse("IS_OP");
    entry_free(&left);
    return entry_push(
        (Entry){.where = IN_CONSTANT, .kind = KIND_BOOL, .sample = from_bool(operand)});
}

bool walk_truth(int index)
{
    bool if_false = opcode_at(index) == POP_JUMP_IF_FALSE;
    int label;
    if (entry_is_list(&walk.stack[walk.depth - 1]) && !walk_length()) return false;
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
