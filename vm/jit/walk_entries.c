#include "vm/jit/walk_parts.h"

#include "vm/jit/jit.h"
#include "vm/numbers.h"

#include <stdio.h>

Walk walk;
const char walk_no_register[] = "no register is free";
const char walk_no_callee[] = "a call of a function without machine code";
int walk_problem_at, walk_failing;

// ---- emitting

// The label of an exit: there is one of a kind.
int walk_exit(ExitKind kind, int instruction, uint64_t shape, const char *guard)
{
    for (uint32_t i = 0; i < walk.exit_count; i++) {
        const Exit *other = &walk.exits[i].exit;
        if (other->kind == kind && other->instruction == instruction && other->guard == guard)
            return walk.exits[i].label;
    }
    if (walk.exit_count == MAX_EXITS) return -1;
    int label = emit_label();
    const Entry *result = &walk.result;
    Exit *exit = &walk.exits[walk.exit_count].exit;
    *exit = (Exit){.kind = kind, .instruction = instruction, .shape = shape, .guard = guard};
    if (result->where == IN_REGISTER && kind != EXIT_END)
        exit->result = (Home){walk.result_slot, result->number, result->kind};
    walk.exits[walk.exit_count++].label = label;
    return label;
}

bool walk_stencil(const char *name, Patch patch)
{
    const char *guard = emit_guard(name);
    if (guard) {
        if (walk.changed) return jit_refuse("a guard after a change");
        patch.exit = walk_exit(walk.exit_kind, walk.statement, walk.statement_shape,
                               jit_options.trace ? guard : NULL);
        if (patch.exit < 0) return jit_refuse("too many exits");
        if (walk.guards_left > 0 && --walk.guards_left == 0) {
            walk_failing = walk.statement;
            return emit_stencil("jump", &(Patch){.target = patch.exit});
        }
    }
    return emit_stencil(name, &patch);
}

void walk_begin_statement(int index)
{
    entry_free(&walk.result);
    walk.result = (Entry){0};
    walk.statement = index;
    walk.statement_shape = walk_shape();
    walk.statement_depth = walk.depth;
    walk.changed = false;
    walk.mark = emit_now;
    walk.statement_sites = walk.site_count;
}

// The stencils of one register, and of two.
bool walk_stencil_1(const char *operation, ValueKind kind, int a, Patch patch)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%c%d", operation, REGISTER_LETTER(kind), a);
    return walk_stencil(name, patch);
}

bool walk_stencil_2(const char *operation, ValueKind left, int a, ValueKind right, int b,
                    Patch patch)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%c%d_%c%d", operation, REGISTER_LETTER(left), a,
             REGISTER_LETTER(right), b);
    return walk_stencil(name, patch);
}

uint32_t walk_slot_offset(int slot)
{
    return (uint32_t)(offsetof(Frame, localsplus) + (size_t)slot * sizeof(Value));
}

// ---- the walk's stack

bool entry_push(Entry entry)
{
    if (walk.depth == MAX_DEPTH) return jit_refuse("too deep");
    entry.born = ++walk.born;
    walk.stack[walk.depth++] = entry;
    return true;
}

Entry entry_pop(void)
{
    invariant(walk.depth > 0, "a statement takes what it has pushed");
    return walk.stack[--walk.depth];
}

bool entry_is_number(const Entry *entry)
{
    return entry->kind == KIND_INT || entry->kind == KIND_FLOAT;
}

ValueRef entry_always(const Entry *entry)
{
    return entry->where == IN_CONSTANT || entry->fixed ? entry->sample : VALUE_ERROR;
}

bool entry_is_plain(const Entry *entry)
{
    ValueRef sample = entry->where == IN_CONSTANT ? entry->sample : VALUE_ERROR;
    return entry->kind == KIND_OTHER ? sample && !is_object(sample) : entry->kind != KIND_RANGE;
}

void entry_free(const Entry *entry)
{
    if (entry->where == IN_REGISTER) --*register_uses(entry->kind, entry->number);
}

bool entry_take(Entry *entry, ValueKind kind)
{
    entry->where = IN_REGISTER;
    entry->kind = kind;
    entry->number = register_take(kind);
    return entry->number != NO_REGISTER || jit_refuse(walk_no_register);
}

// The bits of a constant, as a register has them.
uint64_t walk_constant_bits(ValueRef value, ValueKind kind)
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
    return entry_take(entry, kind) &&
           walk_stencil_1("constant", kind, entry->number,
                          (Patch){.word = walk_constant_bits(value, kind)});
}

static int home_of(const Entry *entry)
{
    return entry->where == IN_VARIABLE ? variables[entry->number].home : NO_REGISTER;
}

// A variable, or what is on the value stack.
static bool slot_into_register(Entry *entry)
{
    int slot = entry->number, home = home_of(entry);
    if (!entry_take(entry, entry->kind)) return false;
    if (home != NO_REGISTER)
        return walk_stencil_2("move", entry->kind, entry->number, entry->kind, home, (Patch){0});
    return walk_stencil_1(entry_is_number(entry) ? "fill" : "load", entry->kind, entry->number,
                          (Patch){.number = walk_slot_offset(slot)});
}

static bool int_into_float(Entry *entry)
{
    Entry number = *entry;
    if (!entry_take(entry, KIND_FLOAT)) return false;
    entry_free(&number);
    return walk_stencil_2("real", KIND_FLOAT, entry->number, KIND_INT, number.number, (Patch){0});
}

bool entry_own_register(Entry *entry, ValueKind kind)
{
    entry->fixed = false; // it may become another value there
    if (entry->where == IN_CONSTANT) return constant_into_register(entry, kind);
    if (entry->where != IN_REGISTER && !slot_into_register(entry)) return false;
    if (entry->kind == KIND_INT && kind == KIND_FLOAT) return int_into_float(entry);
    if (*register_uses(entry->kind, entry->number) == 1) return true;
    Entry shared = *entry;
    --*register_uses(shared.kind, shared.number);
    return entry_take(entry, kind) &&
           walk_stencil_2("move", kind, entry->number, kind, shared.number, (Patch){0});
}

int entry_register(Entry *entry, ValueKind kind)
{
    int home = home_of(entry);
    if (home != NO_REGISTER && entry->kind == kind) return home;
    if (entry->where == IN_REGISTER && entry->kind == kind) return entry->number;
    return entry_own_register(entry, kind) ? entry->number : NO_REGISTER;
}

bool entry_stencil(const char *operation, Entry *entry, Patch patch)
{
    int number = entry_register(entry, entry->kind);
    return number != NO_REGISTER && walk_stencil_1(operation, entry->kind, number, patch);
}

bool entry_test(Entry *entry)
{
    if (!entry->may_be_nan) return true;
    entry->may_be_nan = false;
    return walk_stencil_1("number", KIND_FLOAT, entry->number, (Patch){0});
}

bool walk_begin_changes(Entry *stored)
{
    if (walk.changed) return true;
    for (Entry *entry = walk.stack; entry < walk.stack + walk.depth; entry++)
        if (!entry_test(entry)) return false;
    return entry_test(stored);
}

// ---- the walk's stack in the frame

static bool is_in_its_slot(int position)
{
    const Entry *entry = &walk.stack[position];
    return entry->where == IN_FRAME && entry->number == walk.base + position;
}

bool walk_is_settled(void)
{
    for (int i = 0; i < walk.depth; i++)
        if (!is_in_its_slot(i)) return false;
    return true;
}

bool entry_store(int slot, Entry *entry)
{
    Patch patch = {.number = walk_slot_offset(slot)};
    if (entry->where == IN_CONSTANT) {
        patch.word = bits_of(entry->sample);
        return walk_stencil("store_constant", patch);
    }
    return entry_stencil(entry_is_number(entry) ? "spill" : "store", entry, patch);
}

bool walk_settle_from(int first)
{
    for (int i = first; i < walk.depth; i++) {
        Entry *entry = &walk.stack[i];
        if (is_in_its_slot(i)) continue;
        if (!entry_is_plain(entry)) return jit_refuse("a value of another kind waits");
        if (!entry_test(entry)) return false;
        if (entry->where == IN_FRAME && !entry_own_register(entry, entry->kind)) return false;
    }
    for (int i = first; i < walk.depth; i++) {
        if (is_in_its_slot(i)) continue;
        if (!entry_store(walk.base + i, &walk.stack[i])) return false;
        entry_free(&walk.stack[i]);
        walk.stack[i].fixed = walk.stack[i].where == IN_CONSTANT;
        walk.stack[i].where = IN_FRAME;
        walk.stack[i].number = walk.base + i;
        walk.changed |= i < walk.statement_depth;
    }
    return true;
}

bool walk_settle(void)
{
    return walk_settle_from(0);
}

uint64_t walk_shape(void)
{
    uint64_t shape = 0;
    for (int i = 0; i < walk.depth; i++) shape |= (uint64_t)(walk.stack[i].kind + 1) << 4 * i;
    return shape;
}

bool walk_has_shape(uint64_t shape)
{
    return walk_shape() == shape || jit_refuse("values of several types meet");
}

void walk_note(Label *label)
{
    *label = (Label){true, walk_shape(), label->known ? label->born : walk.born};
}

// What waited already when a branch was taken is the same value by each way to the label.
void walk_restore(const Label *label)
{
    walk.depth = 0;
    for (uint64_t shape = label->shape; shape; shape >>= 4, walk.depth++) {
        Entry *entry = &walk.stack[walk.depth];
        if (entry->born <= label->born && is_in_its_slot(walk.depth) &&
            entry->kind == (ValueKind)((shape & 15) - 1))
            continue;
        *entry = (Entry){.where = IN_FRAME,
                         .kind = (ValueKind)((shape & 15) - 1),
                         .number = walk.base + walk.depth};
    }
}
