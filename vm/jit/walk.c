#include "vm/jit/walk.h"

#include "compiler/opcode.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/dict.h"
#include "objects/instance.h"
#include "objects/memory.h"
#include "objects/protocols/iterators.h"
#include "vm/jit/emit.h"
#include "vm/jit/jit.h"
#include "vm/numbers.h"
#include "vm/quicken.h"

#include <stdio.h>

#define MAX_LENGTH 2000 // of a loop, in instructions
#define MAX_DEPTH 16
#define MAX_EXITS 500
#define MAX_PUTS 4

typedef enum Where { IN_CONSTANT, IN_VARIABLE, IN_REGISTER } Where;

typedef struct Entry {
    Where where;
    ValueKind kind;
    int number;      // of the variable or the register
    ValueRef sample; // the constant; of an object: a value such as is to be expected there
    bool may_be_nan; // a result: it is tested before it is stored
} Entry;

// A Value that is to be stored where the register `address` points to.
typedef struct Put {
    Entry address, value;
} Put;

// The loop that is compiled. There is one at a time, and no script code runs meanwhile.
static struct {
    const Frame *frame;
    const QuickCode *quick;
    int head, end;
    Entry stack[MAX_DEPTH];
    int depth;
    int statement; // the instruction at which it begins
    bool changed;  // the statement has changed something: no guard may follow
    bool reachable, closed;
    bool may_try_again; // with fewer homes
    EmitMark mark;      // of the statement
    Put puts[MAX_PUTS]; // what it stores into objects, in this order, after all guards
    int put_count;
    bool targeted[MAX_LENGTH];
    struct {
        Exit exit;
        int label;
    } exits[MAX_EXITS];
    uint32_t exit_count;
} walk;

static const char no_register[] = "no register is free";
const char *walk_problem;
int walk_problem_at, walk_failing;
static int64_t guards_left; // until the one that --jit-fail names

static bool refuse(const char *why)
{
    walk_problem = why;
    return false;
}

static const Instruction *instruction_at(int index)
{
    return &walk.quick->instructions[index];
}

static int opcode_at(int index)
{
    return quick_opcode(walk.quick, instruction_at(index));
}

static int target_of(int index)
{
    return quick_jump_target(walk.quick, instruction_at(index));
}

// ---- emitting

static int exit_label(ExitKind kind, int instruction)
{
    for (uint32_t i = 0; i < walk.exit_count; i++)
        if (walk.exits[i].exit.kind == kind && walk.exits[i].exit.instruction == instruction)
            return walk.exits[i].label;
    if (walk.exit_count == MAX_EXITS) return -1;
    int label = emit_label();
    walk.exits[walk.exit_count].exit = (Exit){kind, instruction, 0};
    walk.exits[walk.exit_count++].label = label;
    return label;
}

// A stencil; `kind` is of the exit, where it is a guard.
static bool stencil_guarded(const char *name, ExitKind kind, Patch patch)
{
    if (emit_is_guard(name)) {
        if (walk.changed) return refuse("a guard after a change");
        patch.exit = exit_label(kind, walk.statement);
        if (patch.exit < 0) return refuse("too many exits");
        if (guards_left > 0 && --guards_left == 0) {
            walk_failing = walk.statement;
            return emit_stencil("jump", &(Patch){.target = patch.exit});
        }
    }
    return emit_stencil(name, &patch) || refuse(emit_problem);
}

static bool stencil(const char *name, Patch patch)
{
    return stencil_guarded(name, EXIT_GUARD, patch);
}

static char letter_of(ValueKind kind)
{
    return is_in_float_register(kind) ? 'd' : 'i';
}

// The stencils of one register, and of two.
static bool stencil_1(const char *operation, ValueKind kind, int a, Patch patch)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%c%d", operation, letter_of(kind), a);
    return stencil(name, patch);
}

static bool stencil_2(const char *operation, ValueKind left, int a, ValueKind right, int b,
                      Patch patch)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%c%d_%c%d", operation, letter_of(left), a, letter_of(right), b);
    return stencil(name, patch);
}

static uint32_t slot_offset_of(int slot)
{
    return (uint32_t)(offsetof(Frame, localsplus) + (size_t)slot * sizeof(Value));
}

// ---- the walk's stack

static bool push(Entry entry)
{
    if (walk.depth == MAX_DEPTH) return refuse("too deep");
    walk.stack[walk.depth++] = entry;
    return true;
}

static Entry pop(void)
{
    invariant(walk.depth > 0, "a statement takes what it has pushed");
    return walk.stack[--walk.depth];
}

static bool is_number(const Entry *entry)
{
    return entry->kind == KIND_INT || entry->kind == KIND_FLOAT;
}

static void free_entry(const Entry *entry)
{
    if (entry->where == IN_REGISTER) register_free(entry->kind, entry->number);
}

static bool take(Entry *entry, ValueKind kind)
{
    entry->where = IN_REGISTER;
    entry->kind = kind;
    entry->number = register_take(kind);
    return entry->number != NO_REGISTER || refuse(no_register);
}

// The bits of a constant, as a register has them.
static uint64_t constant_bits(ValueRef value, ValueKind kind)
{
    if (kind == KIND_INT) return (uint64_t)raised(value);
    if (kind != KIND_FLOAT) return bits_of(value);
    double number = is_small(value) ? (double)small_value(value) : double_value(value);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static bool constant_into_register(Entry *entry, ValueKind kind)
{
    ValueRef value = entry->sample;
    return take(entry, kind) &&
           stencil_1("constant", kind, entry->number, (Patch){.word = constant_bits(value, kind)});
}

static bool variable_into_register(Entry *entry)
{
    int slot = entry->number, home = variables[slot].home;
    if (!take(entry, entry->kind)) return false;
    if (home != NO_REGISTER)
        return stencil_2("move", entry->kind, entry->number, entry->kind, home, (Patch){0});
    return stencil_1(is_number(entry) ? "fill" : "load", entry->kind, entry->number,
                     (Patch){.number = slot_offset_of(slot)});
}

static bool int_into_float(Entry *entry)
{
    Entry number = *entry;
    if (!take(entry, KIND_FLOAT)) return false;
    free_entry(&number);
    return stencil_2("real", KIND_FLOAT, entry->number, KIND_INT, number.number, (Patch){0});
}

static int home_of(const Entry *entry)
{
    return entry->where == IN_VARIABLE ? variables[entry->number].home : NO_REGISTER;
}

// Into a register of its own.
static bool into_own_register(Entry *entry, ValueKind kind)
{
    if (entry->where == IN_CONSTANT) return constant_into_register(entry, kind);
    if (entry->where == IN_VARIABLE && !variable_into_register(entry)) return false;
    if (entry->kind == KIND_INT && kind == KIND_FLOAT) return int_into_float(entry);
    if (!register_is_shared(entry->kind, entry->number)) return true;
    Entry shared = *entry;
    register_free(shared.kind, shared.number);
    return take(entry, kind) &&
           stencil_2("move", kind, entry->number, kind, shared.number, (Patch){0});
}

// Into any register, such as the home of a variable, to be read: its number, or NO_REGISTER.
static int into_register(Entry *entry, ValueKind kind)
{
    int home = home_of(entry);
    if (home != NO_REGISTER && entry->kind == kind) return home;
    if (entry->where == IN_REGISTER && entry->kind == kind) return entry->number;
    return into_own_register(entry, kind) ? entry->number : NO_REGISTER;
}

// ---- operators

typedef struct Operator {
    int opcode, inplace;
    const char *name;
    bool ints, floats;   // has stencils for these
    bool with_constants; // and such whose right operand is a constant; of ints:
    bool with_int_constants;
} Operator;

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
};

static const Operator *operator_of(int opcode)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].opcode == opcode || operators[i].inplace == opcode) return &operators[i];
    return NULL;
}

static bool apply_operator(const Operator *operator, ValueKind kind, int left, Entry *right)
{
    bool constant =
        right->where == IN_CONSTANT && operator->with_constants &&(
                                           kind == KIND_FLOAT || operator->with_int_constants);
    uint64_t word = constant ? constant_bits(right->sample, kind) : 0;
    if (constant && !(operator->opcode == BINARY_TRUE_DIVIDE && word << 1 == 0)) {
        char name[32];
        snprintf(name, sizeof name, "%s_constant", operator->name);
        return stencil_1(name, kind, left, (Patch){.word = word});
    }
    int number = into_register(right, kind);
    return number != NO_REGISTER && stencil_2(operator->name, kind, left, kind, number, (Patch){0});
}

// x % 2**n and x // 2**n: in Python both round down, as the mask and the shift do.
static bool by_power_of_two(const Operator *operator, int number, const Entry *right)
{
    int64_t divisor = small_value(right->sample);
    uint64_t mask = (uint64_t)raised(from_small(divisor - 1));
    if (operator->opcode == BINARY_MODULO)
        return stencil_1("and_constant", KIND_INT, number, (Patch){.word = mask});
    return stencil_1("rshift_constant", KIND_INT, number,
                     (Patch){.number = (uint32_t)__builtin_ctzll((uint64_t)divisor)});
}

static bool divides_by_power_of_two(const Operator *operator, const Entry * right)
{
    if (operator->opcode != BINARY_MODULO && operator->opcode != BINARY_FLOOR_DIVIDE) return false;
    if (right->where != IN_CONSTANT || right->kind != KIND_INT) return false;
    int64_t divisor = small_value(right->sample);
    return divisor > 0 && (divisor & (divisor - 1)) == 0;
}

static bool walk_binary(const Operator *operator)
{
    Entry right = pop(), left = pop();
    if (!is_number(&left) || !is_number(&right)) return refuse("operands that are no numbers");
    bool ints = operator->ints && left.kind == KIND_INT && right.kind == KIND_INT;
    if (!ints && !operator->floats) return refuse("operands that are no ints");
    ValueKind kind = ints ? KIND_INT : KIND_FLOAT;
    if (!into_own_register(&left, kind)) return false;
    if (!(divides_by_power_of_two(operator, & right) && ints
              ? by_power_of_two(operator, left.number, &right)
              : apply_operator(operator, kind, left.number, &right)))
        return false;
    free_entry(&right);
    left.may_be_nan = kind == KIND_FLOAT;
    return push(left);
}

static bool walk_negative(void)
{
    Entry entry = pop();
    if (!is_number(&entry)) return refuse("an operand that is no number");
    return into_own_register(&entry, entry.kind) &&
           stencil_1("negative", entry.kind, entry.number, (Patch){0}) && push(entry);
}

// ---- branches

// Where a branch to this instruction goes.
static int label_to(int target)
{
    if (target < walk.head || target > walk.end) return exit_label(EXIT_END, target);
    walk.targeted[target - walk.head] = true;
    return target - walk.head;
}

static bool is_for(int index)
{
    return opcode_at(index) == FOR_ITER;
}

// Every jump back polls, but for those to a FOR_ITER, which polls itself.
static bool poll_before(int jump)
{
    int target = target_of(jump);
    if (target > jump || is_for(target)) return true;
    return stencil_guarded("poll", EXIT_POLL, (Patch){0});
}

static bool walk_jump(int index)
{
    int target = target_of(index);
    if (walk.depth) return refuse("a jump within a statement");
    if (!poll_before(index)) return false;
    walk.closed |= target == walk.head;
    walk.reachable = false;
    return stencil("jump", (Patch){.target = label_to(target)});
}

// The comparison at `index` with the jump that follows.
static bool walk_compare(int index, int jump)
{
    static const char *const when_true[] = {"lt", "le", "eq", "ne", "lt", "le"};
    static const char *const when_false[] = {"not_lt", "not_le", "ne", "eq", "not_lt", "not_le"};
    uint32_t operator= instruction_at(index)->arg;
    int opcode = opcode_at(jump);
    Entry right = pop(), left = pop();
    if (!is_number(&left) || !is_number(&right)) return refuse("operands that are no numbers");
    if (opcode != POP_JUMP_IF_FALSE && opcode != POP_JUMP_IF_TRUE)
        return refuse("a comparison without a jump");
    if (walk.depth) return refuse("a jump within a statement");
    if (!poll_before(jump)) return false;
    bool ints = left.kind == KIND_INT && right.kind == KIND_INT;
    ValueKind kind = ints ? KIND_INT : KIND_FLOAT;
    int a = into_register(&left, kind);
    int b = a == NO_REGISTER ? a : into_register(&right, kind);
    if (b == NO_REGISTER) return false;
    bool swapped = operator== COMPARE_GT || operator== COMPARE_GE;
    free_entry(&left);
    free_entry(&right);
    walk.closed |= target_of(jump) == walk.head;
    return stencil_2((opcode == POP_JUMP_IF_FALSE ? when_true : when_false)[operator], kind,
                   swapped ? b : a, kind, swapped ? a : b,
                   (Patch){.target = label_to(target_of(jump))});
}

static bool walk_truth(int index)
{
    bool if_false = opcode_at(index) == POP_JUMP_IF_FALSE;
    Entry entry = pop();
    if (walk.depth) return refuse("a jump within a statement");
    if (!is_number(&entry) && entry.kind != KIND_BOOL) return refuse("the truth of an object");
    if (!poll_before(index)) return false;
    int number = into_register(&entry, entry.kind);
    if (number == NO_REGISTER) return false;
    free_entry(&entry);
    walk.closed |= target_of(index) == walk.head;
    const char *name = entry.kind == KIND_BOOL ? if_false ? "bool_true" : "bool_false"
                       : if_false              ? "true"
                                               : "false";
    return stencil_1(name, entry.kind, number, (Patch){.target = label_to(target_of(index))});
}

// ---- objects

// A Value that was read into a register becomes what the sample is.
static bool unbox(Entry *entry, ValueRef sample)
{
    ValueKind kind = sample ? kind_of_value(sample) : KIND_OTHER;
    int word = entry->number;
    entry->sample = sample;
    switch (kind) {
    case KIND_INT: entry->kind = kind; return stencil_1("int", kind, word, (Patch){0});
    case KIND_BOOL: entry->kind = kind; return stencil_1("bool", kind, word, (Patch){0});
    case KIND_OBJECT:
        entry->kind = kind;
        return stencil_1("type", kind, word,
                         (Patch){.word = (uint64_t)(uintptr_t)object_of(sample)->type});
    case KIND_FLOAT:
        if (!take(entry, kind)) return false;
        register_free(KIND_OBJECT, word);
        return stencil_2("float", kind, entry->number, KIND_INT, word, (Patch){0});
    default: return refuse("an item of another kind");
    }
}

static bool is_list(const Entry *entry)
{
    return entry->kind == KIND_OBJECT && is_exactly(entry->sample, &list_type);
}

static ValueRef sample_item(ValueRef list)
{
    return list_size(list) > 0 ? list_at(list, list_size(list) / 2) : VALUE_ERROR;
}

// list[index] on the stack: the list in a register of its own, the index in any.
static bool pop_list_and_index(Entry *list, Entry *index, int *number)
{
    *index = pop();
    *list = pop();
    if (!is_list(list)) return refuse("a subscript of no list");
    if (index->kind != KIND_INT) return refuse("an index that is no int");
    if (!into_own_register(list, KIND_OBJECT)) return false;
    *number = into_register(index, KIND_INT);
    return *number != NO_REGISTER;
}

static bool walk_subscript(void)
{
    Entry list, index;
    int number;
    if (!pop_list_and_index(&list, &index, &number)) return false;
    if (!stencil_2("item", KIND_OBJECT, list.number, KIND_INT, number, (Patch){0})) return false;
    free_entry(&index);
    return unbox(&list, sample_item(list.sample)) && push(list);
}

static bool test_number(Entry *entry)
{
    if (!entry->may_be_nan) return true;
    entry->may_be_nan = false;
    return stencil_1("number", KIND_FLOAT, entry->number, (Patch){0});
}

// Before the first change: what is stored later in the statement is tested now.
static bool begin_changes(Entry *stored)
{
    if (walk.changed) return true;
    for (Entry *entry = walk.stack; entry < walk.stack + walk.depth; entry++)
        if (!test_number(entry)) return false;
    return test_number(stored);
}

// Into the Value whose address is in the register.
static bool put(int address, Entry *value)
{
    if (value->where == IN_CONSTANT && !is_object(value->sample)) {
        if (!begin_changes(value)) return false;
        walk.changed = true;
        return stencil_1("put_constant", KIND_OBJECT, address,
                         (Patch){.word = bits_of(value->sample)});
    }
    if (!is_number(value) && value->kind != KIND_BOOL) return refuse("an object is stored");
    int number = into_register(value, value->kind);
    if (number == NO_REGISTER || !begin_changes(value)) return false;
    walk.changed = true;
    if (value->kind == KIND_FLOAT)
        return stencil_2("put_float", KIND_FLOAT, number, KIND_OBJECT, address, (Patch){0});
    return stencil_2(value->kind == KIND_INT ? "put_int" : "put_value", KIND_OBJECT, address,
                     KIND_INT, number, (Patch){0});
}

// Several items that are stored in one statement, as by a, b = b, a: the guards of all come first.
static bool put_later(const Entry *address, Entry *value)
{
    if (walk.put_count == MAX_PUTS || walk.changed) return refuse("a guard after a change");
    if (!test_number(value)) return false;
    if (value->where == IN_VARIABLE && !into_own_register(value, value->kind)) return false;
    walk.puts[walk.put_count++] = (Put){*address, *value};
    return true;
}

static bool put_all(void)
{
    for (int i = 0; i < walk.put_count; i++) {
        if (!put(walk.puts[i].address.number, &walk.puts[i].value)) return false;
        free_entry(&walk.puts[i].value);
        free_entry(&walk.puts[i].address);
    }
    walk.put_count = 0;
    return true;
}

// Another store into an item follows, and nothing that could see the first.
static bool stores_again(int index)
{
    int opcode;
    do opcode = opcode_at(++index);
    while (index < walk.end && (opcode == LOAD_FAST || opcode == LOAD_CONST));
    return walk.depth > 0 && opcode == STORE_SUBSCR;
}

static bool walk_store_subscript(int at)
{
    Entry list, index;
    int number;
    if (!pop_list_and_index(&list, &index, &number)) return false;
    if (!stencil_2("item_slot", KIND_OBJECT, list.number, KIND_INT, number, (Patch){0}))
        return false;
    free_entry(&index);
    Entry value = pop();
    return put_later(&list, &value) && (stores_again(at) || put_all());
}

// ---- names and attributes, where the instruction has a cache

static bool walk_global(int index)
{
    const Instruction *at = instruction_at(index);
    const Dict *globals = as_dict(walk.frame->globals);
    Entry entry = {0};
    if ((at->op != LOAD_GLOBAL_MODULE && at->op != LOAD_NAME_MODULE) ||
        globals->keys_version != at->key)
        return refuse("a name that is not found by its cache");
    Patch patch = {.number = at->slot * (uint32_t)sizeof(DictEntry) +
                             (uint32_t)offsetof(DictEntry, value),
                   .word = at->key};
    return take(&entry, KIND_OBJECT) && stencil_1("global", KIND_OBJECT, entry.number, patch) &&
           unbox(&entry, globals->entries[at->slot].value) && push(entry);
}

// A builtin function is on the walk's stack until it is called; no register has it.
static bool walk_builtin(int index)
{
    const Instruction *at = instruction_at(index);
    const Dict *builtins = as_dict(thread_state.builtin_names);
    Entry entry = {0};
    if (builtins->keys_version != at->slot) return refuse("a name that is not found by its cache");
    ValueRef function = builtins->entries[at->index].value;
    Patch patch = {.number = at->index * (uint32_t)sizeof(DictEntry) +
                             (uint32_t)offsetof(DictEntry, value),
                   .word = at->key | (uint64_t)at->slot << 32};
    if (!take(&entry, KIND_OBJECT) || !stencil_1("builtin", KIND_OBJECT, entry.number, patch) ||
        !stencil_1("same", KIND_OBJECT, entry.number, (Patch){.word = bits_of(function)}))
        return false;
    free_entry(&entry);
    return push((Entry){.where = IN_CONSTANT, .kind = KIND_OTHER, .sample = function});
}

static bool walk_name(int index)
{
    int op = instruction_at(index)->op;
    return op == LOAD_GLOBAL_BUILTIN || op == LOAD_NAME_BUILTIN ? walk_builtin(index)
                                                                : walk_global(index);
}

// len() of a list.
static bool walk_call(int count)
{
    Entry argument = pop(), function = walk.stack[walk.depth - 1];
    if (count != 1 || function.where != IN_CONSTANT || !is_exactly(function.sample, &builtin_type))
        return refuse("a call");
    pop();
    if (strcmp(as_builtin(function.sample)->def->name, "len") != 0 || !is_list(&argument))
        return refuse("a call of a builtin function");
    if (!into_own_register(&argument, KIND_OBJECT)) return false;
    argument.kind = KIND_INT;
    return stencil_1("length", KIND_INT, argument.number, (Patch){0}) && push(argument);
}

// The address of the Value that belongs to a global name.
static bool global_address(int index, Entry *address)
{
    const Instruction *at = instruction_at(index);
    Patch patch = {.number = at->slot * (uint32_t)sizeof(DictEntry) +
                             (uint32_t)offsetof(DictEntry, value),
                   .word = at->key};
    if (at->op != STORE_GLOBAL_MODULE && at->op != STORE_NAME_MODULE)
        return refuse("a name that is not found by its cache");
    *address = (Entry){0};
    return take(address, KIND_OBJECT) &&
           stencil_1("global_slot", KIND_OBJECT, address->number, patch);
}

static bool put_global(const Entry *address, Entry *value)
{
    bool done = put(address->number, value) && stencil("globals_changed", (Patch){0});
    free_entry(value);
    free_entry(address);
    return done;
}

static bool walk_store_global(int index)
{
    Entry value = pop(), address;
    return global_address(index, &address) && put_global(&address, &value);
}

// The cache of a LOAD_ATTR or STORE_ATTR fits the object that is to be expected there.
static bool attribute_patch(const Instruction *at, const Entry *owner, bool in_instance,
                            Patch *patch)
{
    if (owner->kind != KIND_OBJECT || owner->where == IN_CONSTANT ||
        type_of(owner->sample)->version != at->key)
        return refuse("an attribute that is not found by its cache");
    *patch = (Patch){.number = at->slot, .word = at->key};
    if (!in_instance) return true;
    if (at->slot >= as_instance(owner->sample)->count)
        return refuse("an attribute that is not set");
    patch->number = (uint32_t)(offsetof(Instance, values) + at->slot * sizeof(Value));
    patch->word |= (uint64_t)at->slot << 32;
    return true;
}

static bool walk_attribute(int index)
{
    const Instruction *at = instruction_at(index);
    bool in_instance = at->op == LOAD_ATTR_SLOT;
    Entry owner = pop();
    Patch patch;
    if (!in_instance && at->op != LOAD_ATTR_MEMBER) return refuse("an attribute of another kind");
    if (!attribute_patch(at, &owner, in_instance, &patch)) return false;
    if (!into_own_register(&owner, KIND_OBJECT)) return false;
    ValueRef sample = *(Value *)(void *)((char *)object_of(owner.sample) + patch.number);
    return stencil_1(in_instance ? "attribute" : "member", KIND_OBJECT, owner.number, patch) &&
           unbox(&owner, sample) && push(owner);
}

static bool walk_store_attribute(int index)
{
    const Instruction *at = instruction_at(index);
    bool in_instance = at->op == STORE_ATTR_SLOT;
    Entry owner = pop(), value = pop();
    Patch patch;
    if (!in_instance && at->op != STORE_ATTR_MEMBER) return refuse("an attribute of another kind");
    if (!attribute_patch(at, &owner, in_instance, &patch)) return false;
    if (!into_own_register(&owner, KIND_OBJECT)) return false;
    if (!stencil_1(in_instance ? "attribute_slot" : "member_slot", KIND_OBJECT, owner.number,
                   patch))
        return false;
    bool done = put(owner.number, &value);
    free_entry(&value);
    free_entry(&owner);
    return done;
}

// ---- variables

static bool walk_load(int slot)
{
    if (slot >= MAX_VARIABLES) return refuse("too many variables");
    if (variables[slot].kind == KIND_OTHER) return refuse("a variable of another kind");
    return push((Entry){.where = IN_VARIABLE,
                        .kind = variables[slot].kind,
                        .number = slot,
                        .sample = variables[slot].sample});
}

// Entries that stand for the variable keep its old value.
static bool keep_old_value(int slot)
{
    for (Entry *entry = walk.stack; entry < walk.stack + walk.depth; entry++)
        if (entry->where == IN_VARIABLE && entry->number == slot &&
            !into_own_register(entry, entry->kind))
            return false;
    return true;
}

static bool store_object(int slot, Entry *entry)
{
    const Variable *variable = &variables[slot];
    if (entry->where == IN_CONSTANT || !is_object(variable->sample) ||
        type_of(entry->sample) != type_of(variable->sample))
        return refuse("a variable changes its type");
    int number = into_register(entry, KIND_OBJECT);
    if (number == NO_REGISTER) return false;
    if (!stencil_1("store_object", KIND_OBJECT, number, (Patch){.number = slot_offset_of(slot)}))
        return false;
    walk.changed = true;
    return true;
}

// A number or a bool, in a register or constant.
static bool store_number(int slot, Entry *entry)
{
    const Variable *variable = &variables[slot];
    ValueKind kind = variable->kind;
    bool constant = entry->where == IN_CONSTANT;
    if (constant && variable->home == NO_REGISTER) {
        walk.changed = true;
        return stencil("store_constant",
                       (Patch){.number = slot_offset_of(slot), .word = bits_of(entry->sample)});
    }
    if (constant) {
        walk.changed = true;
        return stencil_1("constant", kind, variable->home,
                         (Patch){.word = constant_bits(entry->sample, kind)});
    }
    int number = into_register(entry, kind);
    if (number == NO_REGISTER) return false;
    walk.changed = true;
    if (variable->home != NO_REGISTER)
        return number == variable->home ||
               stencil_2("move", kind, variable->home, kind, number, (Patch){0});
    return stencil_1(kind == KIND_BOOL ? "store" : "spill", kind, number,
                     (Patch){.number = slot_offset_of(slot)});
}

static bool walk_store(int slot)
{
    Entry entry = pop();
    if (slot >= MAX_VARIABLES) return refuse("too many variables");
    if (!keep_old_value(slot)) return false;
    if (entry.kind != variables[slot].kind || entry.kind == KIND_OTHER)
        return refuse("a variable changes its type");
    if (!begin_changes(&entry)) return false;
    bool stored =
        entry.kind == KIND_OBJECT ? store_object(slot, &entry) : store_number(slot, &entry);
    free_entry(&entry);
    return stored;
}

// ---- iteration

// Into the register of an entry, or of a variable.
static bool next_of_range(int number, uint32_t iterator)
{
    Patch patch = {.number = iterator, .target = exit_label(EXIT_END, walk.head)};
    walk.changed = true;
    return stencil_1("next_of_range", KIND_INT, number, patch);
}

static bool walk_range(int store, uint32_t iterator)
{
    Entry item = {.sample = from_small(0)}, address;
    int slot = (int)instruction_at(store)->arg;
    if (opcode_at(store) != STORE_FAST) // the guard of the name comes first
        return global_address(store, &address) && take(&item, KIND_INT) &&
               next_of_range(item.number, iterator) && put_global(&address, &item);
    if (slot >= MAX_VARIABLES || variables[slot].kind != KIND_INT)
        return refuse("a variable changes its type");
    if (variables[slot].home != NO_REGISTER) return next_of_range(variables[slot].home, iterator);
    return take(&item, KIND_INT) && next_of_range(item.number, iterator) && push(item) &&
           walk_store(slot);
}

// The iterator moves on after the guards of the item and of the variable.
static bool walk_list(int store, uint32_t iterator, ValueRef list)
{
    Entry item = {0};
    Patch patch = {.number = iterator, .target = exit_label(EXIT_END, walk.head)};
    if (!list) return refuse("the end of a list");
    if (!take(&item, KIND_OBJECT) || !stencil_1("item_to_come", KIND_OBJECT, item.number, patch))
        return false;
    if (!unbox(&item, sample_item(list)) || !push(item)) return false;
    bool stored = opcode_at(store) == STORE_FAST ? walk_store((int)instruction_at(store)->arg)
                                                 : walk_store_global(store);
    return stored && stencil("move_on", patch);
}

static bool stores_name(int opcode)
{
    return opcode == STORE_FAST || opcode == STORE_NAME || opcode == STORE_GLOBAL;
}

// FOR_ITER at the loop's head with the store after it.
static bool walk_for(int index)
{
    uint32_t iterator = slot_offset_of((int)(walk.frame->sp - walk.frame->localsplus) - 1);
    ValueRef value = walk.frame->sp[-1];
    if (index != walk.head || walk.depth) return refuse("a loop within the loop");
    if (!stores_name(opcode_at(index + 1))) return refuse("items that are unpacked");
    if (!stencil_guarded("poll", EXIT_POLL, (Patch){0})) return false;
    if (is_exactly(value, &range_iterator_type)) return walk_range(index + 1, iterator);
    if (is_exactly(value, &list_iterator_type))
        return walk_list(index + 1, iterator, as_index_iterator(value)->sequence);
    return refuse("an iterator of another kind");
}

// ---- the instructions

static bool walk_duplicate(int count)
{
    for (int i = 0; i < count; i++) {
        Entry entry = walk.stack[walk.depth - count];
        if (entry.where == IN_REGISTER) register_share(entry.kind, entry.number);
        if (!push(entry)) return false;
    }
    return true;
}

static bool walk_rotate(int count)
{
    Entry top = pop();
    for (int i = 0; i < count - 1; i++) walk.stack[walk.depth - i] = walk.stack[walk.depth - i - 1];
    walk.stack[walk.depth - count + 1] = top;
    walk.depth++;
    return true;
}

static bool walk_constant(ValueRef value)
{
    return push((Entry){.where = IN_CONSTANT, .kind = kind_of_value(value), .sample = value});
}

static bool walk_pop(void)
{
    Entry entry = pop();
    free_entry(&entry);
    return true;
}

// Emits what the instruction does; *next is the one after it.
static bool walk_instruction(int index, int *next)
{
    const Instruction *at = instruction_at(index);
    int opcode = opcode_at(index);
    const Operator *operator= operator_of(opcode);
    if (opcode == FOR_ITER) return ++*next, walk_for(index);
    if (walk.depth < opcode_looks(opcode, (int)at->arg)) return refuse("the loop is left");
    if (operator) return walk_binary(operator);
    switch (opcode) {
    case NOP:
    case EXTENDED_ARG: return true;
    case LOAD_FAST: return walk_load((int)at->arg);
    case LOAD_CONST: return walk_constant(at->value);
    case STORE_FAST: return walk_store((int)at->arg);
    case POP_TOP: return walk_pop();
    case ROT_TWO: return walk_rotate(2);
    case ROT_THREE: return walk_rotate(3);
    case DUP_TOP: return walk_duplicate(1);
    case DUP_TOP_TWO: return walk_duplicate(2);
    case UNARY_NEGATIVE: return walk_negative();
    case LOAD_GLOBAL:
    case LOAD_NAME: return walk_name(index);
    case STORE_GLOBAL:
    case STORE_NAME: return walk_store_global(index);
    case LOAD_ATTR: return walk_attribute(index);
    case STORE_ATTR: return walk_store_attribute(index);
    case CALL_FUNCTION: return walk_call((int)at->arg);
    case BINARY_SUBSCR: return walk_subscript();
    case STORE_SUBSCR: return walk_store_subscript(index);
    case COMPARE_OP:
        while (opcode_at(*next) == EXTENDED_ARG) ++*next;
        return walk_compare(index, (*next)++);
    case POP_JUMP_IF_FALSE:
    case POP_JUMP_IF_TRUE: return walk_truth(index);
    case JUMP_ABSOLUTE:
    case JUMP_FORWARD: return walk_jump(index);
    default: return refuse(opcode_name(opcode));
    }
}

// ---- statements

static void begin_statement(int index)
{
    walk.statement = index;
    walk.changed = false;
    walk.mark = emit_mark();
    emit_bind(index - walk.head);
}

// Does control leave the loop with this statement, or right after it: `break`, `return`?
static bool ends_loop(int statement)
{
    for (int index = statement; index <= walk.end; index++) {
        int opcode = opcode_at(index);
        if (opcode == RETURN_VALUE || opcode == RAISE_VARARGS) return true;
        if (opcode != JUMP_ABSOLUTE && opcode != JUMP_FORWARD) continue;
        return target_of(index) < walk.head || target_of(index) > walk.end;
    }
    return true;
}

// There is no code for the statement, whose instruction `index` is the reason.
static bool leave_statement(int index)
{
    if (walk_problem == no_register && walk.may_try_again) return false;
    if (walk_problem_at < 0) walk_problem_at = index;
    emit_cut(walk.mark);
    registers_free_all();
    walk.depth = walk.put_count = 0;
    walk.reachable = walk.changed = false;
    ExitKind kind = ends_loop(walk.statement) ? EXIT_END : EXIT_LEFT;
    Patch patch = {.target = exit_label(kind, walk.statement)};
    return emit_stencil("jump", &patch) || refuse(emit_problem);
}

static bool walk_statements(void)
{
    const char *first_problem = NULL;
    for (int index = walk.head, next; index <= walk.end; index = next) {
        next = index + 1;
        bool targeted = walk.targeted[index - walk.head];
        if (!walk.reachable && !targeted) continue;
        if (targeted && walk.depth) return refuse("a jump into a statement");
        walk.reachable = true;
        if (!walk.depth) begin_statement(index);
        if (walk_instruction(index, &next)) continue;
        if (!first_problem) first_problem = walk_problem;
        if (!leave_statement(index)) return false;
    }
    return walk.closed || refuse(first_problem ? first_problem : "no jump back");
}

// ---- entering and leaving

static bool enter_variable(int slot)
{
    const Variable *variable = &variables[slot];
    Patch patch = {.number = slot_offset_of(slot)};
    switch (variable->kind) {
    case KIND_INT:
    case KIND_FLOAT:
        if (!stencil_guarded(variable->kind == KIND_INT ? "check_int" : "check_float", EXIT_ENTRY,
                             patch))
            return false;
        return variable->home == NO_REGISTER ||
               stencil_1("fill", variable->kind, variable->home, patch);
    case KIND_BOOL: return stencil_guarded("check_bool", EXIT_ENTRY, patch);
    case KIND_OBJECT:
        patch.word = (uint64_t)(uintptr_t)object_of(variable->sample)->type;
        return stencil_guarded("check_type", EXIT_ENTRY, patch);
    default: return true;
    }
}

// What the loop relies on: the types of its variables, and of the iterator.
static bool enter(void)
{
    walk.statement = walk.head;
    for (int slot = 0; slot < MAX_VARIABLES; slot++)
        if (variables[slot].uses && !enter_variable(slot)) return false;
    for (int index = walk.head; index <= walk.end; index++)
        if (opcode_at(index) == LOAD_NAME || opcode_at(index) == STORE_NAME) {
            if (!stencil_guarded("check_module", EXIT_ENTRY, (Patch){0})) return false;
            break;
        }
    if (!is_for(walk.head)) return true;
    int slot = (int)(walk.frame->sp - walk.frame->localsplus) - 1;
    uint64_t type = (uint64_t)(uintptr_t)object_of(walk.frame->sp[-1])->type;
    return stencil_guarded("check_type", EXIT_ENTRY,
                           (Patch){.number = slot_offset_of(slot), .word = type});
}

// Each exit says its number, and goes on to the code that all have in common.
static bool leave(void)
{
    int common = emit_label();
    for (uint32_t i = 0; i < walk.exit_count; i++) {
        if (walk.exits[i].label < 0) return refuse("too many labels");
        emit_bind(walk.exits[i].label);
        if (!emit_stencil("leave", &(Patch){.number = i, .target = common}))
            return refuse(emit_problem);
    }
    emit_bind(common);
    return emit_stencil("save", &(Patch){0}) || refuse(emit_problem);
}

// ---- the whole

// What is in a loop within the loop counts more.
static void weigh(int weights[MAX_LENGTH])
{
    for (int i = 0; i <= walk.end - walk.head; i++) weights[i] = 1;
    for (int jump = walk.head; jump < walk.end; jump++) {
        int opcode = opcode_at(jump);
        if (opcode != JUMP_ABSOLUTE && opcode != POP_JUMP_IF_FALSE && opcode != POP_JUMP_IF_TRUE)
            continue;
        int target = target_of(jump);
        for (int i = target; target > walk.head && i <= jump; i++)
            if (weights[i - walk.head] < 1000) weights[i - walk.head] *= 8;
    }
}

static void note_variables(void)
{
    static int weights[MAX_LENGTH];
    weigh(weights);
    for (int index = walk.head; index <= walk.end; index++) {
        int opcode = opcode_at(index), slot = (int)instruction_at(index)->arg;
        if ((opcode != LOAD_FAST && opcode != STORE_FAST) || slot >= MAX_VARIABLES) continue;
        variable_note(slot, walk.frame->localsplus[slot], weights[index - walk.head],
                      opcode == STORE_FAST);
    }
    registers_settle();
}

static bool keep(Machine *machine)
{
    machine->exits = memory_alloc(walk.exit_count * sizeof(Exit) + 1);
    if (!machine->exits) return refuse("no memory");
    machine->exit_count = walk.exit_count;
    for (uint32_t i = 0; i < walk.exit_count; i++) machine->exits[i] = walk.exits[i].exit;
    machine->home_count = 0;
    for (int slot = 0; slot < MAX_VARIABLES; slot++)
        if (variables[slot].home != NO_REGISTER && variables[slot].stored)
            machine->homes[machine->home_count++] =
                (Home){slot, variables[slot].home, is_in_float_register(variables[slot].kind)};
    machine->size = emit_size();
    if (emit_finish(&machine->block, &machine->entry)) return true;
    memory_free(machine->exits);
    return refuse(emit_problem);
}

static bool compile(Homes homes, Machine *machine)
{
    registers_begin(homes);
    note_variables();
    walk.depth = walk.put_count = 0;
    walk.exit_count = 0;
    walk.changed = walk.closed = false;
    walk.reachable = true;
    walk_problem_at = walk_failing = -1;
    memset(walk.targeted, 0, sizeof walk.targeted);
    emit_begin(walk.end - walk.head + 1);
    return enter() && walk_statements() && leave() && keep(machine);
}

bool walk_loop(const Frame *frame, int head, int end, Machine *machine)
{
    static const Homes choices[] = {{3, 5}, {2, 4}, {1, 3}, {0, 2}};
    walk.frame = frame;
    walk.quick = quick_of(as_code(frame->code));
    walk.head = head;
    walk.end = end;
    walk_problem_at = -1;
    if (end - head >= MAX_LENGTH) return refuse("too long");
    for (size_t i = 0, count = sizeof choices / sizeof *choices; i < count; i++) {
        walk.may_try_again = i + 1 < count;
        guards_left = jit_options.fail;
        if (compile(choices[i], machine)) {
            jit_options.fail = guards_left;
            return true;
        }
    }
    return false;
}
