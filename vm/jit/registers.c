#include "vm/jit/registers.h"

#include "objects/object.h"

Variable variables[MAX_VARIABLES];
static Homes taken;
static int uses[2][FLOAT_REGISTERS]; // of the registers that are no homes; [0]: ints, [1]: floats

// bool and the others are told by their words; a heap int or a NaN is no kind that has code.
ValueKind kind_of_value(ValueRef value)
{
    if (is_small(value)) return KIND_INT;
    if (is_double(value)) return KIND_FLOAT;
    if (is_bool(value)) return KIND_BOOL;
    return is_object(value) ? KIND_OBJECT : KIND_OTHER;
}

void registers_begin(void)
{
    taken = (Homes){0, 0};
    registers_free_all();
    for (int slot = 0; slot < MAX_VARIABLES; slot++)
        variables[slot] = (Variable){.home = NO_REGISTER};
}

void variable_note(int slot, ValueRef value, int count, bool stored, bool may_have_home)
{
    Variable *variable = &variables[slot];
    variable->kind = kind_of_value(value);
    variable->sample = value;
    variable->uses += count;
    variable->stored |= stored;
    variable->may_have_home = may_have_home;
}

// Homes are the first registers of a kind.
static void settle_kind(ValueKind kind, int count, int *homes)
{
    for (*homes = 0; *homes < count; ++*homes) {
        Variable *best = NULL;
        for (Variable *variable = variables; variable < variables + MAX_VARIABLES; variable++)
            if (variable->kind == kind && variable->may_have_home &&
                variable->home == NO_REGISTER && (!best || variable->uses > best->uses))
                best = variable;
        if (!best) return;
        best->home = *homes;
    }
}

void registers_settle(Homes most)
{
    settle_kind(KIND_INT, most.ints, &taken.ints);
    settle_kind(KIND_FLOAT, most.floats, &taken.floats);
}

int register_take(ValueKind kind)
{
    bool is_float = is_in_float_register(kind);
    int first = is_float ? taken.floats : taken.ints;
    for (int number = (is_float ? FLOAT_REGISTERS : INT_REGISTERS) - 1; number >= first; number--)
        if (!uses[is_float][number]) {
            uses[is_float][number] = 1;
            return number;
        }
    return NO_REGISTER;
}

int *register_uses(ValueKind kind, int number)
{
    return &uses[is_in_float_register(kind)][number];
}

void registers_free_all(void)
{
    for (int number = 0; number < FLOAT_REGISTERS; number++) uses[0][number] = uses[1][number] = 0;
}
