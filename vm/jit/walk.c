#include "vm/jit/walk.h"

#include "compiler/opcode.h"
#include "objects/memory.h"
#include "vm/jit/jit.h"
#include "vm/jit/walk_parts.h"
#include "vm/quiet.h"

#include <stdio.h>

// ---- the instructions

bool walk_nothing(int index)
{
    return (void)index, true;
}

bool walk_load_constant(int index)
{
    ValueRef value = instruction_at(index)->value;
    return entry_push((Entry){.where = IN_CONSTANT, .kind = kind_of_value(value), .sample = value});
}

bool walk_duplicate(int index)
{
    int count = opcode_at(index) == DUP_TOP ? 1 : 2;
    for (int i = 0; i < count; i++) {
        Entry entry = walk.stack[walk.depth - count];
        if (entry.where == IN_REGISTER) ++*register_uses(entry.kind, entry.number);
        if (!entry_push(entry)) return false;
    }
    return true;
}

bool walk_rotate(int index)
{
    int count = opcode_at(index) == ROT_TWO ? 2 : 3;
    Entry top = entry_pop();
    for (int i = 0; i < count - 1; i++) walk.stack[walk.depth - i] = walk.stack[walk.depth - i - 1];
    walk.stack[walk.depth - count + 1] = top;
    walk.depth++;
    for (int i = 1; i <= count; i++) walk.stack[walk.depth - i].born = ++walk.born;
    return true;
}

// Emits what the instruction does; walk.next is the one after it.
static bool walk_instruction(int index)
{
    typedef bool WalkFn(int index);
    static WalkFn *const functions[QUICK_BASE] = {
#define WALK(opcode, function) [opcode] = function,
#include "vm/jit/walk.def"
    };
    int opcode = opcode_at(index);
    const Operator *operator= walk_operator_of(opcode);
    bool looks_below = opcode == FOR_ITER || opcode == LIST_APPEND; // below the loop
    if (!looks_below && walk.depth < opcode_looks(opcode, operand_at(index)))
        return jit_refuse("the loop is left");
    if (operator) return walk_binary(operator, opcode);
    return functions[opcode] ? functions[opcode](index) : jit_refuse(opcode_name(opcode));
}

// Notes what the instruction has pushed.
static void note_top(int index)
{
    int opcode = opcode_at(index), operand = operand_at(index);
    int pushed = opcode_looks(opcode, operand) + opcode_stack_effect(opcode, operand, false);
    if (pushed <= 0 || walk.depth == 0 || opcode == LIST_APPEND) return;
    const Entry *entry = &walk.stack[walk.depth - 1];
    const Type *type = entry->sample && is_object(entry->sample) ? type_of(entry->sample) : NULL;
    Top *top = &walk.tops[index - walk.head];
    *top = (Top){true, entry->where, entry->kind, NO_REGISTER, NULL};
    if (entry->where == IN_REGISTER) top->number = entry->number;
    if (entry->where == IN_VARIABLE) top->number = variables[entry->number].home;
    if (type && !(type->flags & TYPE_HEAP)) top->type = type;
}

// ---- statements

static void begin_statement(int index)
{
    walk_begin_statement(index);
    emit_bind(index - walk.head);
    walk_note(&walk.labels[index - walk.head]);
}

// There is no code for the statement, whose instruction `index` is the reason.
static bool leave_statement(int index)
{
    if (jit_problem == walk_no_register && walk.may_try_again) return false;
    if (jit_problem == walk_no_callee && walk.loop->attempts < ATTEMPTS_MAX) return false; // wait
    if (walk_problem_at < 0) walk_problem_at = index;
    emit_now = walk.mark;
    emit_for(walk.statement);
    for (int i = walk.statement; i <= index; i++) walk.tops[i - walk.head].known = false;
    walk.site_count = walk.statement_sites;
    Patch patch = {.target = walk_exit(EXIT_LEFT, walk.statement, walk.statement_shape, NULL)};
    registers_free_all();
    walk.result = (Entry){0};
    walk.depth = 0;
    walk.reachable = walk.changed = false;
    return emit_stencil("jump", &patch);
}

// Comes to an instruction, perhaps by a branch as well: then the stacks of both are alike.
static bool arrive(int index)
{
    const Label *label = &walk.labels[index - walk.head];
    bool meets = walk.reachable && label->known;
    if (meets && (!walk_settle() || !walk_has_shape(label->shape)) && !leave_statement(index))
        return false;
    if (label->known) walk_restore(label); // of an object there may be two types
    walk.reachable = true;
    if (walk_is_settled()) begin_statement(index);
    return true;
}

static bool walk_statements(void)
{
    const char *first_problem = NULL;
    for (int index = walk.head; index <= walk.end; index = walk.next) {
        walk.next = index + 1;
        if (!walk.reachable && !walk.labels[index - walk.head].known) continue;
        emit_for(index);
        if (!arrive(index)) return false;
        if (walk_instruction(index)) {
            if (walk.next == index + 1) note_top(index);
            continue;
        }
        if (!first_problem) first_problem = jit_problem;
        if (!leave_statement(index)) return false;
    }
    return walk.closed || jit_refuse(first_problem ? first_problem : "no jump back");
}

// ---- entering and leaving

// Tests that what is in the slot is such a value.
static bool check(int slot, ValueKind kind, ValueRef sample)
{
    char name[32];
    Patch patch = {.number = walk_slot_offset(slot)};
    const char *test = walk_type_test(kind, sample, &patch.word);
    snprintf(name, sizeof name, "check_%s", test);
    return !test || walk_stencil(name, patch);
}

bool walk_check_variable(int slot)
{
    return check(slot, variables[slot].kind, variables[slot].sample);
}

bool walk_homes(const char *operation, bool stored)
{
    for (int slot = 0; slot < MAX_VARIABLES; slot++) {
        const Variable *variable = &variables[slot];
        if (variable->home != NO_REGISTER && variable->stored >= stored &&
            !walk_stencil_1(operation, variable->kind, variable->home,
                            (Patch){.number = walk_slot_offset(slot)}))
            return false;
    }
    return true;
}

bool walk_enter(void)
{
    walk.exit_kind = EXIT_ENTRY;
    for (int slot = 0; slot < MAX_VARIABLES; slot++)
        if (variables[slot].uses && walk_is_typed(slot) && !walk_check_variable(slot)) return false;
    bool has_names = !(as_code(walk.frame->code)->flags & CO_OPTIMIZED); // as in a module
    if (has_names && !walk_stencil("check_module", (Patch){0})) return false;
    if (opcode_at(walk.head) == FOR_ITER && !check(walk.base - 1, KIND_OBJECT, walk.frame->sp[-1]))
        return false;
    if (!walk_enter_names()) return false;
    walk.exit_kind = EXIT_GUARD;
    emit_bind(walk.inner = emit_label());
    return walk_homes("fill", false);
}

// Each exit says its number, and goes on to the code that all have in common.
static bool leave(Machine *machine)
{
    int common = emit_label();
    emit_for(FOR_EXITS);
    machine->exits = memory_alloc(walk.exit_count * sizeof(Exit) + 1);
    if (!machine->exits) return jit_refuse("no memory");
    machine->exit_count = walk.exit_count;
    for (uint32_t i = 0; i < walk.exit_count; i++) {
        if (walk.exits[i].label < 0) return jit_refuse("too many labels");
        emit_bind(walk.exits[i].label);
        machine->exits[i] = walk.exits[i].exit;
        machine->exits[i].machine = machine;
        Patch patch = {.word = (uint64_t)(uintptr_t)&machine->exits[i], .target = common};
        if (!emit_stencil("leave", &patch)) return false;
    }
    emit_bind(common);
    return emit_stencil("save", &(Patch){0});
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
                      opcode == STORE_FAST, walk_is_typed(slot));
    }
}

static bool keep(Machine *machine)
{
    machine->pieces = emit_pieces(&machine->piece_count);
    if (!machine->pieces) return jit_refuse("no memory");
    machine->base = walk.base;
    for (int slot = 0; slot < MAX_VARIABLES; slot++)
        if (variables[slot].home != NO_REGISTER && variables[slot].stored)
            machine->homes[machine->home_count++] =
                (Home){slot, variables[slot].home, variables[slot].kind};
    machine->size = (size_t)emit_now.size;
    if (!emit_finish(&machine->block, &machine->entry)) return false;
    machine->sites = walk.sites;
    machine->site_count = walk.site_count;
    machine->inner = emit_address(walk.inner);
    walk.sites = NULL;
    return true;
}

void machine_free_tables(Machine *machine)
{
    memory_free(machine->exits);
    memory_free(machine->pieces);
    memory_free(machine->tops);
}

static bool compile(Homes homes, Machine *machine)
{
    size_t length = (size_t)(walk.end - walk.head + 1);
    registers_begin();
    note_variables();
    registers_settle(homes);
    walk_problem_at = walk_failing = -1;
    emit_begin((int)length);
    *machine = (Machine){0};
    walk.tops = machine->tops = memory_alloc_zeroed(length * sizeof(Top));
    if (!walk.tops) return jit_refuse("no memory");
    if (walk_enter() && walk_statements() && leave(machine) && keep(machine)) return true;
    machine_free_tables(machine);
    memory_free(walk.sites);
    walk.sites = NULL;
    machine->entry = NULL;
    return false;
}

bool walk_loop(const Frame *frame, Loop *loop)
{
    static const Homes choices[] = {{3, 5}, {2, 4}, {1, 3}, {0, 2}};
    const QuickCode *quick = quick_of(as_code(frame->code));
    walk_problem_at = -1;
    if (loop->end - loop->head >= MAX_LENGTH) return jit_refuse("too long");
    for (size_t i = 0, count = sizeof choices / sizeof *choices; i < count; i++) {
        walk = (Walk){.frame = frame,
                      .quick = quick,
                      .loop = loop,
                      .head = loop->head,
                      .end = loop->end,
                      .statement = loop->head,
                      .base = (int)(frame->sp - frame->localsplus),
                      .arguments = -1,
                      .reachable = true,
                      .may_try_again = i + 1 < count,
                      .guards_left = jit_options.fail};
        if (loop->is_function) walk.base = quick->slots, walk.arguments = quick->simple_argcount;
        quiet_now = true;
        bool compiled = compile(choices[i], &loop->machine);
        quiet_now = false;
        quiet_let_go(); // the samples
        if (compiled) jit_options.fail = walk.guards_left;
        if (compiled || jit_problem != walk_no_register) return compiled;
    }
    return false;
}
