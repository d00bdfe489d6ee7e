#include "objects/containers/range.h"
#include "objects/protocols/iterators.h"
#include "vm/jit/walk_parts.h"

// ---- variables

bool walk_load(int slot)
{
    if (slot >= MAX_VARIABLES) return jit_refuse("too many variables");
    if (variables[slot].kind == KIND_OTHER) return jit_refuse("a variable of another kind");
    if (!walk_is_typed(slot) && !walk_check_variable(slot, EXIT_GUARD)) return false;
    return entry_push((Entry){.where = IN_VARIABLE,
                              .kind = variables[slot].kind,
                              .number = slot,
                              .sample = variables[slot].sample});
}

// Entries that stand for the variable keep its old value.
static bool keep_old_value(int slot)
{
    for (Entry *entry = walk.stack; entry < walk.stack + walk.depth; entry++)
        if (entry->where == IN_VARIABLE && entry->number == slot &&
            !entry_own_register(entry, entry->kind))
            return false;
    return true;
}

static bool store_object(int slot, Entry *entry)
{
    const Variable *variable = &variables[slot];
    if (!entry->sample || entry->where == IN_CONSTANT || !is_object(variable->sample) ||
        type_of(entry->sample) != type_of(variable->sample))
        return jit_refuse("a variable changes its type");
    if (!entry_stencil("store_object", entry, (Patch){.number = walk_slot_offset(slot)}))
        return false;
    walk.changed = true;
    return true;
}

// A number or a bool, in a register or constant.
static bool store_number(int slot, Entry *entry)
{
    const Variable *variable = &variables[slot];
    ValueKind kind = variable->kind;
    walk.changed = true;
    if (variable->home == NO_REGISTER) return entry_store(slot, entry);
    if (entry->where == IN_CONSTANT)
        return walk_stencil_1("constant", kind, variable->home,
                              (Patch){.word = walk_constant_bits(entry->sample, kind)});
    int number = entry_register(entry, kind);
    return number == variable->home ||
           (number != NO_REGISTER &&
            walk_stencil_2("move", kind, variable->home, kind, number, (Patch){0}));
}

bool walk_store(int slot)
{
    Entry entry = entry_pop();
    if (slot >= MAX_VARIABLES) return jit_refuse("too many variables");
    if (!keep_old_value(slot)) return false;
    if (entry.kind != variables[slot].kind || entry.kind == KIND_OTHER)
        return jit_refuse("a variable changes its type");
    if (!walk_begin_changes(&entry)) return false;
    bool stored =
        entry.kind == KIND_OBJECT ? store_object(slot, &entry) : store_number(slot, &entry);
    entry_free(&entry);
    return stored;
}

// ---- iteration

// range(...) with `for` over it: the iterator is one of those that jit_run() has made in advance.
bool walk_new_range(int count)
{
    static const char *const names[] = {"range_stop", "range_start", "range_step"};
    static const int order[][3] = {{0}, {1, 0}, {1, 0, 2}};
    if (count < 1 || count > 3) return jit_refuse("a range without arguments");
    Entry all[] = {{.kind = KIND_OTHER},
                   {.where = IN_CONSTANT, .kind = KIND_INT, .sample = from_small(0)},
                   {.where = IN_CONSTANT, .kind = KIND_INT, .sample = from_small(1)}};
    for (int i = count - 1; i >= 0; i--) all[order[count - 1][i]] = entry_pop();
    entry_pop(); // range
    for (int i = 0; i < 3; i++) {
        if (all[i].kind != KIND_INT) return jit_refuse("a range of what are no ints");
        if (!entry_stencil(names[i], &all[i], (Patch){0})) return false;
        entry_free(&all[i]);
    }
    int slot = walk.base + walk.depth;
    if (!walk_is_settled()) return jit_refuse("a loop within a statement");
    return walk_stencil("new_range", (Patch){.number = walk_slot_offset(slot)}) &&
           entry_push((Entry){.where = IN_FRAME, .kind = KIND_RANGE, .number = slot});
}

// The next item of an iterator in the slot with this offset, or a branch to the label `end`.
typedef struct Iteration {
    bool outer; // of the whole loop
    uint32_t iterator;
    int store, end; // the instruction that stores the item, and the label
} Iteration;

// Into the register of an entry, or of a variable.
static bool next_of_range(const Iteration *loop, int number)
{
    Patch patch = {.number = loop->iterator, .target = loop->end};
    walk.changed = true;
    return walk_stencil_1(loop->outer ? "next_of_range" : "next_of_inner", KIND_INT, number, patch);
}

static bool walk_range(const Iteration *loop)
{
    Entry item = {.sample = from_small(0)}, address;
    int slot = (int)instruction_at(loop->store)->arg;
    if (opcode_at(loop->store) != STORE_FAST) // the guard of the name comes first
        return walk_global_address(loop->store, &address) && entry_take(&item, KIND_INT) &&
               next_of_range(loop, item.number) && walk_put_global(&address, &item);
    if (slot >= MAX_VARIABLES || variables[slot].kind != KIND_INT)
        return jit_refuse("a variable changes its type");
    if (variables[slot].home != NO_REGISTER) return next_of_range(loop, variables[slot].home);
    return entry_take(&item, KIND_INT) && next_of_range(loop, item.number) && entry_push(item) &&
           walk_store(slot);
}

// The iterator moves on after the guards of the item and of the variable.
static bool walk_list(const Iteration *loop, ValueRef list)
{
    Entry item = {0};
    Patch patch = {.number = loop->iterator, .target = loop->end};
    if (!list) return jit_refuse("the end of a list");
    if (!entry_take(&item, KIND_OBJECT) ||
        !walk_stencil_1("item_to_come", KIND_OBJECT, item.number, patch))
        return false;
    if (!entry_unbox(&item, walk_sample_item(list)) || !entry_push(item)) return false;
    bool stored = opcode_at(loop->store) == STORE_FAST
                      ? walk_store((int)instruction_at(loop->store)->arg)
                      : walk_store_global(loop->store);
    return stored && walk_stencil("move_on", patch);
}

static bool stores_name(int opcode)
{
    return opcode == STORE_FAST || opcode == STORE_NAME || opcode == STORE_GLOBAL;
}

// FOR_ITER within the loop: at the end of the range its iterator is free again.
static bool walk_inner_for(int index)
{
    Iteration loop = {.store = index + 1};
    if (!walk.depth || walk.stack[walk.depth - 1].kind != KIND_RANGE)
        return jit_refuse("an iterator of another kind");
    loop.iterator = walk_slot_offset(walk.stack[walk.depth - 1].number);
    Entry iterator = entry_pop();
    return walk_label(target_of(index), &loop.end) && entry_push(iterator) && walk_range(&loop);
}

// FOR_ITER with the store after it.
bool walk_for(int index)
{
    if (!stores_name(opcode_at(index + 1))) return jit_refuse("items that are unpacked");
    if (!walk_stencil_guarded("poll", EXIT_POLL, (Patch){0})) return false;
    if (index != walk.head) return walk_inner_for(index);
    ValueRef value = walk.frame->sp[-1];
    Iteration loop = {true, walk_slot_offset(walk.base - 1), index + 1,
                      walk_exit(EXIT_END, index, 0, NULL)};
    if (is_exactly(value, &range_iterator_type)) return walk_range(&loop);
    if (is_exactly(value, &list_iterator_type))
        return walk_list(&loop, as_index_iterator(value)->sequence);
    return jit_refuse("an iterator of another kind");
}

bool walk_pop(void)
{
    Entry entry = entry_pop();
    if (entry.kind == KIND_RANGE) // `break`
        return walk.changed = true,
               walk_stencil("end_range", (Patch){.number = walk_slot_offset(entry.number)});
    entry_free(&entry);
    if (entry.where != IN_FRAME || entry_is_number(&entry)) return true;
    Patch patch = {.number = walk_slot_offset(entry.number), .word = 1};
    if (!walk_stencil("may_drop", patch)) return false;
    walk.changed = true;
    return walk_stencil("release", patch);
}
