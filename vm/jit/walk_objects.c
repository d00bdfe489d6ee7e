#include "objects/cell.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/dict.h"
#include "objects/instance.h"
#include "objects/text/str.h"
#include "vm/jit/walk_parts.h"

// ---- objects

// A Value that was read into a register becomes what the sample is.
bool entry_unbox(Entry *entry, ValueRef sample)
{
    ValueKind kind = sample ? kind_of_value(sample) : KIND_OTHER;
    int word = entry->number;
    entry->sample = sample;
    static const char *const names[] = {
        [KIND_INT] = "int", [KIND_BOOL] = "bool", [KIND_OBJECT] = "type", [KIND_RANGE] = NULL};
    if (kind == KIND_FLOAT) {
        if (!entry_take(entry, kind)) return false;
        --*register_uses(KIND_OBJECT, word);
        return walk_stencil_2("float", kind, entry->number, KIND_INT, word, (Patch){0});
    }
    if (!names[kind]) return jit_refuse("an item of another kind");
    entry->kind = kind;
    const Type *type = kind == KIND_OBJECT ? type_of(sample) : NULL;
    return walk_stencil_1(names[kind], kind, word, (Patch){.word = (uint64_t)(uintptr_t)type});
}

static bool is_list(const Entry *entry)
{
    return entry->kind == KIND_OBJECT && is_exactly(entry->sample, &list_type);
}

ValueRef walk_sample_item(ValueRef list)
{
    return list_size(list) > 0 ? list_at(list, list_size(list) / 2) : VALUE_ERROR;
}

// Takes list[index] from the stack. The list is in a register of its own; the stencil makes of it
// the item, or the item's address.
static bool pop_item(const char *stencil, Entry *list)
{
    Entry index = entry_pop();
    *list = entry_pop();
    if (!is_list(list)) return jit_refuse("a subscript of no list");
    if (index.kind != KIND_INT) return jit_refuse("an index that is no int");
    if (!entry_own_register(list, KIND_OBJECT)) return false;
    int number = entry_register(&index, KIND_INT);
    if (number == NO_REGISTER) return false;
    entry_free(&index);
    return walk_stencil_2(stencil, KIND_OBJECT, list->number, KIND_INT, number, (Patch){0});
}

bool walk_subscript(void)
{
    Entry list;
    return pop_item("item", &list) && entry_unbox(&list, walk_sample_item(list.sample)) &&
           entry_push(list);
}

// Into the Value whose address is in the register.
static bool entry_put(int address, Entry *value)
{
    if (value->where == IN_CONSTANT && !is_object(value->sample)) {
        if (!walk_begin_changes(value)) return false;
        walk.changed = true;
        return walk_stencil_1("put_constant", KIND_OBJECT, address,
                              (Patch){.word = bits_of(value->sample)});
    }
    if (!entry_is_number(value) && value->kind != KIND_BOOL)
        return jit_refuse("an object is stored");
    int number = entry_register(value, value->kind);
    if (number == NO_REGISTER || !walk_begin_changes(value)) return false;
    walk.changed = true;
    if (value->kind == KIND_FLOAT)
        return walk_stencil_2("put_float", KIND_FLOAT, number, KIND_OBJECT, address, (Patch){0});
    return walk_stencil_2(value->kind == KIND_INT ? "put_int" : "put_value", KIND_OBJECT, address,
                          KIND_INT, number, (Patch){0});
}

// Another store into an object follows, and nothing that could see the first.
static bool stores_again(int index)
{
    int opcode;
    do opcode = opcode_at(++index);
    while (index < walk.end && (opcode == LOAD_FAST || opcode == LOAD_CONST));
    return !walk_is_settled() && (opcode == STORE_SUBSCR || opcode == STORE_ATTR ||
                                  opcode == STORE_NAME || opcode == STORE_GLOBAL);
}

// Takes the value from the stack, for the instruction `index`. Where one statement stores several
// values, as a, b = b, a does, the guards of all come first.
static bool put_later(int index, const Entry *address)
{
    Entry value = entry_pop();
    if (walk.put_count == MAX_PUTS || walk.changed) return jit_refuse("a guard after a change");
    if (!entry_test(&value)) return false;
    bool again = stores_again(index);
    if (again && value.where == IN_VARIABLE && !entry_own_register(&value, value.kind))
        return false;
    walk.puts[walk.put_count++] = (Put){*address, value};
    if (again) return true;
    for (int i = 0; i < walk.put_count; i++) {
        if (!entry_put(walk.puts[i].address.number, &walk.puts[i].value)) return false;
        entry_free(&walk.puts[i].value);
        entry_free(&walk.puts[i].address);
    }
    walk.put_count = 0;
    return true;
}

bool walk_store_subscript(int at)
{
    Entry list;
    return pop_item("item_slot", &list) && put_later(at, &list);
}

// ---- a list that grows

static bool put_object(int address, Entry *value)
{
    int number = entry_register(value, KIND_OBJECT);
    return number != NO_REGISTER &&
           walk_stencil_2("put_value", KIND_OBJECT, address, KIND_OBJECT, number, (Patch){0}) &&
           walk_stencil_1("retain", KIND_OBJECT, number, (Patch){0});
}

// The list is in a register of its own, which then has the address of the new item.
static bool append(Entry *list, Entry *value)
{
    if (!walk_stencil_1("room", KIND_OBJECT, list->number, (Patch){0}) ||
        !walk_begin_changes(value) ||
        !walk_stencil_1("grown", KIND_OBJECT, list->number, (Patch){0}))
        return false;
    walk.changed = true;
    bool done = value->kind == KIND_OBJECT ? put_object(list->number, value)
                                           : entry_put(list->number, value);
    entry_free(list);
    entry_free(value);
    return done;
}

bool walk_method(int index)
{
    ValueRef name = tuple_at(as_code(walk.frame->code)->names, operand_at(index));
    Entry owner = entry_pop();
    if (!is_list(&owner) || !str_equal_ascii(name, "append")) return jit_refuse("LOAD_METHOD");
    return entry_push((Entry){.where = IN_CONSTANT, .kind = KIND_OTHER}) && entry_push(owner);
}

bool walk_append(int count)
{
    Entry value = entry_pop(), list = entry_pop();
    if (count != 1 || !is_list(&list)) return jit_refuse("CALL_METHOD");
    entry_pop();
    return entry_own_register(&list, KIND_OBJECT) && append(&list, &value) &&
           entry_push((Entry){.where = IN_CONSTANT, .kind = KIND_OTHER, .sample = NONE});
}

bool walk_append_at(int operand)
{
    Entry value = entry_pop(), list = {0};
    Patch patch = {.number = walk_slot_offset(walk.base + walk.depth - operand)};
    return entry_take(&list, KIND_OBJECT) &&
           walk_stencil_1("load", KIND_OBJECT, list.number, patch) && append(&list, &value);
}

bool walk_contents(int slot)
{
    Entry entry = {0};
    ValueRef cell = walk.frame->localsplus[slot];
    Patch patch = {.number = walk_slot_offset(slot)};
    return entry_take(&entry, KIND_OBJECT) &&
           walk_stencil_1("contents", KIND_OBJECT, entry.number, patch) &&
           entry_unbox(&entry, cell ? as_cell(cell)->contents : VALUE_ERROR) && entry_push(entry);
}

// ---- names and attributes, where the instruction has a cache

// The entry of a dict that a cache names.
static Patch entry_patch(uint32_t entry, uint64_t versions)
{
    size_t offset = entry * sizeof(DictEntry) + offsetof(DictEntry, value);
    return (Patch){.number = (uint32_t)offset, .word = versions};
}

static bool walk_global(int index)
{
    const Instruction *at = instruction_at(index);
    const Dict *globals = as_dict(walk.frame->globals);
    Entry entry = {0};
    if ((at->op != LOAD_GLOBAL_MODULE && at->op != LOAD_NAME_MODULE) ||
        globals->keys_version != at->key)
        return jit_refuse("a name that is not found by its cache");
    return entry_take(&entry, KIND_OBJECT) &&
           walk_stencil_1("global", KIND_OBJECT, entry.number, entry_patch(at->slot, at->key)) &&
           entry_unbox(&entry, globals->entries[at->slot].value) && entry_push(entry);
}

// That the Value in the register is what it is now. A builtin function may die, and another object
// get its address; but no other function has its MethodDef. Other objects are compared by address,
// if they never die.
static bool same_builtin(int number, ValueRef value)
{
    Patch patch = {.word = bits_of(value)};
    if (is_exactly(value, &builtin_type)) {
        Patch type = {.word = (uint64_t)(uintptr_t)&builtin_type};
        patch.word = (uint64_t)(uintptr_t)as_builtin(value)->def;
        if (!walk_stencil_1("type", KIND_OBJECT, number, type) ||
            !walk_stencil_1("definition", KIND_OBJECT, number, (Patch){0}))
            return false;
    } else if (value != ref_of(&range_type)) {
        return jit_refuse("a builtin name that is no function");
    }
    return walk_stencil_1("same", KIND_OBJECT, number, patch);
}

// A builtin function is on the walk's stack until it is called; no register has it.
static bool walk_builtin(int index)
{
    const Instruction *at = instruction_at(index);
    const Dict *builtins = as_dict(thread_state.builtin_names);
    Entry entry = {0};
    if (builtins->keys_version != at->slot)
        return jit_refuse("a name that is not found by its cache");
    ValueRef function = builtins->entries[at->index].value;
    Patch patch = entry_patch(at->index, at->key | (uint64_t)at->slot << 32);
    if (!entry_take(&entry, KIND_OBJECT) ||
        !walk_stencil_1("builtin", KIND_OBJECT, entry.number, patch) ||
        !same_builtin(entry.number, function))
        return false;
    entry_free(&entry);
    return entry_push((Entry){.where = IN_CONSTANT, .kind = KIND_OTHER, .sample = function});
}

bool walk_name(int index)
{
    int op = instruction_at(index)->op;
    return op == LOAD_GLOBAL_BUILTIN || op == LOAD_NAME_BUILTIN ? walk_builtin(index)
                                                                : walk_global(index);
}

static bool walk_length(void)
{
    Entry argument = entry_pop();
    entry_pop();
    if (!is_list(&argument)) return jit_refuse("the length of no list");
    if (!entry_own_register(&argument, KIND_OBJECT)) return false;
    argument.kind = KIND_INT;
    return walk_stencil_1("length", KIND_INT, argument.number, (Patch){0}) && entry_push(argument);
}

// len() of a list, and `for` over a range.
bool walk_call(int index, int *next)
{
    int count = operand_at(index);
    ValueRef function = walk.stack[walk.depth - count - 1].sample;
    if (walk.stack[walk.depth - count - 1].where != IN_CONSTANT)
        return walk_function_call(index, count);
    if (function == ref_of(&range_type) && opcode_at(*next) == GET_ITER)
        return ++*next, walk_new_range(count);
    bool is_builtin = is_exactly(function, &builtin_type);
    if (count == 1 && is_builtin && strcmp(as_builtin(function)->def->name, "len") == 0)
        return walk_length();
    return jit_refuse("a call of a builtin function");
}

// The address of the Value that belongs to a global name.
bool walk_global_address(int index, Entry *address)
{
    const Instruction *at = instruction_at(index);
    if (at->op != STORE_GLOBAL_MODULE && at->op != STORE_NAME_MODULE)
        return jit_refuse("a name that is not found by its cache");
    *address = (Entry){0};
    return entry_take(address, KIND_OBJECT) &&
           walk_stencil_1("global_slot", KIND_OBJECT, address->number,
                          entry_patch(at->slot, at->key));
}

bool walk_put_global(const Entry *address, Entry *value)
{
    bool done = entry_put(address->number, value) && walk_stencil("globals_changed", (Patch){0});
    entry_free(value);
    entry_free(address);
    return done;
}

bool walk_store_global(int index)
{
    Entry address;
    return walk_global_address(index, &address) && walk_stencil("globals_changed", (Patch){0}) &&
           put_later(index, &address);
}

// Takes the owner from the stack, whose class the cache knows. In a register of its own it becomes
// the attribute, or the place of the attribute.
static bool pop_owner(int index, bool place, Entry *owner, ValueRef *sample)
{
    static const char *const names[][2] = {{"member", "member_slot"},
                                           {"attribute", "attribute_slot"}};
    const Instruction *at = instruction_at(index);
    bool in_instance = at->op == LOAD_ATTR_SLOT || at->op == STORE_ATTR_SLOT;
    *owner = entry_pop();
    if (!in_instance && at->op != LOAD_ATTR_MEMBER && at->op != STORE_ATTR_MEMBER)
        return jit_refuse("an attribute of another kind");
    if (owner->kind != KIND_OBJECT || !owner->sample || owner->where == IN_CONSTANT ||
        type_of(owner->sample)->version != at->key)
        return jit_refuse("an attribute that is not found by its cache");
    if (in_instance && at->slot >= as_instance(owner->sample)->count)
        return jit_refuse("an attribute that is not set");
    Patch patch = {.number = at->slot, .word = at->key};
    if (in_instance) {
        patch.number = (uint32_t)(offsetof(Instance, values) + at->slot * sizeof(Value));
        patch.word |= (uint64_t)at->slot << 32;
    }
    *sample = *(Value *)(void *)((char *)object_of(owner->sample) + patch.number);
    return entry_own_register(owner, KIND_OBJECT) &&
           walk_stencil_1(names[in_instance][place], KIND_OBJECT, owner->number, patch);
}

bool walk_attribute(int index)
{
    Entry owner;
    ValueRef sample;
    return pop_owner(index, false, &owner, &sample) && entry_unbox(&owner, sample) &&
           entry_push(owner);
}

bool walk_store_attribute(int index)
{
    Entry owner;
    ValueRef old;
    return pop_owner(index, true, &owner, &old) && put_later(index, &owner);
}
