#include "objects/containers/range.h"
#include "objects/protocols/iterators.h"
#include "vm/jit/walk_parts.h"

// ---- variables

bool walk_load(int index)
{
    int slot = (int)instruction_at(index)->arg;
    if (slot >= MAX_VARIABLES) return jit_refuse("too many variables");
    if (variables[slot].kind == KIND_OTHER) return jit_refuse("a variable of another kind");
    if (!walk_is_typed(slot) && !walk_check_variable(slot)) return false;
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
    if (!entry->sample || !is_object(variable->sample) ||
        type_of(entry->sample) != type_of(variable->sample))
        return jit_refuse("a variable changes its type");
    if (slot < walk.arguments) return jit_refuse("a parameter gets an object"); // it is borrowed
    bool is_leaf = quiet_is_leaf(variable->sample);
    walk.makes |= is_leaf;
    const char *name = is_leaf ? "store_leaf" : "store_object";
    if (!entry_stencil(name, entry, (Patch){.number = walk_slot_offset(slot)})) return false;
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

bool walk_store(int index)
{
    int slot = (int)instruction_at(index)->arg;
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

// FOR_ITER and the store after it. The iterator moves on after the guards of the item and of the
// variable.
static bool walk_item(int store, const char *const names[2], ValueRef list, Patch patch)
{
    int slot = (int)instruction_at(store)->arg;
    bool fast = opcode_at(store) == STORE_FAST;
    Entry item = {.where = IN_REGISTER, .kind = KIND_INT, .sample = from_small(0)};
    item.number = fast && !list && slot < MAX_VARIABLES && variables[slot].kind == KIND_INT
                      ? variables[slot].home
                      : NO_REGISTER;
    if (item.number == NO_REGISTER ? !entry_take(&item, KIND_INT)
                                   : !++*register_uses(KIND_INT, item.number))
        return false;
    return walk_stencil_1(names[0], KIND_INT, item.number, patch) &&
           (!list || entry_unbox(&item, walk_sample_item(list))) && entry_push(item) &&
           (fast ? walk_store(store) : walk_store_global(store)) && walk_stencil(names[1], patch);
}

// Within the loop the iterator of a range is free again at its end.
bool walk_for(int index)
{
    walk.next = index + 2;
    static const char *const names[][2] = {{"item_of_range", "move_range"},
                                           {"item_of_inner", "move_range"},
                                           {"item_of_list", "move_list"}};
    int store = opcode_at(index + 1);
    Patch patch = {.number = walk_slot_offset(walk.base - 1)};
    if (store != STORE_FAST && store != STORE_NAME && store != STORE_GLOBAL)
        return jit_refuse("items that are unpacked");
    if (!walk_stencil("poll", (Patch){0})) return false;
    if (index != walk.head) {
        if (!walk.depth || walk.stack[walk.depth - 1].kind != KIND_RANGE)
            return jit_refuse("an iterator of another kind");
        Entry iterator = entry_pop();
        patch.number = walk_slot_offset(iterator.number);
        return walk_label(target_of(index), &patch.target) && entry_push(iterator) &&
               walk_item(index + 1, names[1], VALUE_ERROR, patch);
    }
    ValueRef value = walk.frame->sp[-1];
    patch.target = walk_exit(EXIT_END, index, 0, NULL);
    if (is_exactly(value, &range_iterator_type))
        return walk_item(index + 1, names[0], VALUE_ERROR, patch);
    ValueRef list =
        is_exactly(value, &list_iterator_type) ? as_index_iterator(value)->sequence : VALUE_ERROR;
    return list ? walk_item(index + 1, names[2], list, patch)
                : jit_refuse("an iterator of another kind");
}

bool walk_pop(int index)
{
    (void)index;
    Entry entry = entry_pop();
    if (entry.kind == KIND_RANGE) // `break`
        return walk.changed = true,
               walk_stencil("end_range", (Patch){.number = walk_slot_offset(entry.number)});
    entry_free(&entry);
    return true;
}
