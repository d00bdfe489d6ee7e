#include "objects/cell.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/dict.h"
#include "objects/function.h"
#include "objects/instance.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/jit/walk_parts.h"

// ---- objects

const char *walk_type_test(ValueKind kind, ValueRef sample, uint64_t *word)
{
    static const char *const names[] = {NULL, "int", "float", "bool", "type", "class"};
    if (kind != KIND_OBJECT) return names[kind];
    const Type *type = type_of(sample);
    bool by_version = type->flags & TYPE_HEAP && type->version;
    *word = by_version ? type->version : (uint64_t)(uintptr_t)type;
    return names[kind + by_version];
}

// A Value that was read into a register becomes what the sample is.
bool entry_unbox(Entry *entry, ValueRef sample)
{
    Patch patch = {0};
    int word = entry->number;
    entry->kind = sample ? kind_of_value(sample) : KIND_OTHER;
    entry->sample = sample;
    const char *name = walk_type_test(entry->kind, sample, &patch.word);
    if (!name) return jit_refuse("an item of another kind");
    if (entry->kind != KIND_FLOAT) return walk_stencil_1(name, entry->kind, word, patch);
    --*register_uses(KIND_OBJECT, word);
    return entry_take(entry, KIND_FLOAT) &&
           walk_stencil_2(name, KIND_FLOAT, entry->number, KIND_INT, word, patch);
}

bool entry_is(const Entry *entry, const Type *type)
{
    return entry->kind == KIND_OBJECT && entry->sample && is_exactly(entry->sample, type);
}

ValueRef walk_sample_item(ValueRef list)
{
    return list_size(list) > 0 ? list_at(list, list_size(list) / 2) : VALUE_ERROR;
}

bool entry_is_character(const Entry *entry)
{
    ValueRef sample = entry->sample;
    return entry_is(entry, &str_type) && as_str(sample)->kind == 1 && str_length(sample) == 1;
}

bool entry_ord(Entry *entry)
{
    if (entry->where == IN_CONSTANT)
        entry->sample = from_small(str_at(as_str(entry->sample), 0));
    else if (!entry_own_register(entry, KIND_OBJECT) ||
             !walk_stencil_1("ord", KIND_OBJECT, entry->number, (Patch){0}))
        return false;
    entry->kind = KIND_INT;
    return true;
}

// Takes list[index] from the stack. The list is in a register of its own; the stencil makes of it
// the item, or the item's address.
static bool pop_item(const char *stencil, Entry *list)
{
    Entry index = entry_pop();
    *list = entry_pop();
    if (index.kind != KIND_INT) return jit_refuse("an index that is no int");
    if (!entry_own_register(list, KIND_OBJECT)) return false;
    int number = entry_register(&index, KIND_INT);
    if (number == NO_REGISTER) return false;
    entry_free(&index);
    return walk_stencil_2(stencil, KIND_OBJECT, list->number, KIND_INT, number, (Patch){0});
}

bool walk_subscript(int index)
{
    (void)index;
    const Entry *key = &walk.stack[walk.depth - 1], *container = key - 1;
    bool backwards =
        key->where == IN_CONSTANT && key->kind == KIND_INT && small_value(key->sample) < 0;
    Entry list;
    if (key->kind != KIND_INT || backwards) return walk_quiet(quiet_subscript, 2, 0);
    if (entry_is(container, &list_type))
        return pop_item("item", &list) && entry_unbox(&list, walk_sample_item(list.sample)) &&
               entry_push(list);
    if (!entry_is(container, &str_type)) return walk_quiet(quiet_subscript, 2, 0);
    if (!pop_item("character", &list)) return false;
    list.sample = str_shared_at(list.sample, str_length(list.sample) / 2);
    return list.sample ? entry_push(list) : jit_refuse("an item of another kind");
}

// Takes a value from the stack, into the Value whose address is in the register; or into a new item
// of the list that is there. Where the statement stores several values, as a, b = b, a does, those
// that wait are stored in the frame, and a new statement begins.
static bool put(Entry *address, bool grows)
{
    Entry value = entry_pop();
    if (!entry_is_plain(&value)) return jit_refuse("a value of another kind is stored");
    int number = entry_register(&value, value.kind);
    if (number == NO_REGISTER || !entry_test(&value) || !walk_settle()) return false;
    if (grows && !entry_stencil("grown", address, (Patch){0})) return false;
    walk.changed = true;
    entry_free(&value);
    entry_free(address);
    if (value.kind == KIND_FLOAT)
        return walk_stencil_2("put_float", KIND_FLOAT, number, KIND_OBJECT, address->number,
                              (Patch){0});
    return walk_stencil_2(value.kind == KIND_INT ? "put_int" : "put_value", KIND_OBJECT,
                          address->number, KIND_INT, number, (Patch){0}) &&
           (value.kind != KIND_OBJECT || walk_stencil_1("retain", KIND_OBJECT, number, (Patch){0}));
}

bool walk_store_subscript(int index)
{
    (void)index;
    Entry list;
    if (!entry_is(&walk.stack[walk.depth - 2], &list_type))
        return jit_refuse("a subscript of no list");
    return pop_item("item_slot", &list) && put(&list, false);
}

static bool has_class(const Entry *owner, uint32_t version)
{
    return owner->kind == KIND_OBJECT && owner->sample && owner->where != IN_CONSTANT &&
           type_of(owner->sample)->version == version;
}

// Of a built-in type, which never changes, or a function that the cache knows.
bool walk_method(int index)
{
    const Instruction *at = instruction_at(index);
    ValueRef name = tuple_at(as_code(walk.frame->code)->names, operand_at(index));
    Entry owner = entry_pop(), method = {.where = IN_CONSTANT, .kind = KIND_OBJECT};
    if (entry_is(&owner, &list_type) || entry_is(&owner, &str_type)) {
        method.sample = type_lookup(type_of(owner.sample), name);
        return (method.sample && is_exactly(method.sample, &method_descriptor_type) &&
                entry_push(method) && entry_push(owner)) ||
               jit_refuse("a method of another kind");
    }
    bool in_instance = at->op == LOAD_METHOD_INSTANCE;
    if ((!in_instance && at->op != LOAD_METHOD_TYPE) || !has_class(&owner, at->version) ||
        !function_check(at->value))
        return jit_refuse("a method that is no function of a script");
    if (in_instance && !entry_stencil("plain", &owner, (Patch){0})) return false;
    method.sample = at->value;
    Entry function = method;
    Patch code = {.word = bits_of(as_function(at->value)->code)};
    if (!entry_stencil("code", &function, code)) return false;
    entry_free(&function);
    return entry_push(method) && entry_push(owner);
}

static bool walk_append(int count)
{
    Entry value = entry_pop(), list = entry_pop();
    if (count != 1 || !entry_is(&list, &list_type)) return jit_refuse("CALL_METHOD");
    entry_pop();
    return entry_own_register(&list, KIND_OBJECT) && entry_stencil("room", &list, (Patch){0}) &&
           entry_push(value) && put(&list, true) &&
           entry_push((Entry){.where = IN_CONSTANT, .kind = KIND_OTHER, .sample = NONE});
}

bool walk_call_method(int index)
{
    int count = operand_at(index);
    ValueRef method = entry_always(&walk.stack[walk.depth - count - 2]);
    if (!method || !is_exactly(method, &method_descriptor_type))
        return walk_function_call(index, count + 1);
    if (strcmp(as_method_descriptor(method)->def->name, "append") == 0) return walk_append(count);
    return walk_quiet_call(count + 1, method);
}

bool walk_append_at(int index) // of a comprehension
{
    int operand = operand_at(index);
    Entry list = {0};
    Patch patch = {.number = walk_slot_offset(walk.base + walk.depth - 1 - operand)};
    return entry_take(&list, KIND_OBJECT) &&
           walk_stencil_1("load", KIND_OBJECT, list.number, patch) &&
           entry_stencil("room", &list, (Patch){0}) && put(&list, true);
}

bool walk_contents(int index) // of a cell
{
    int slot = (int)instruction_at(index)->slot;
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

// Such as int: it never dies.
static bool is_static_type(ValueRef value)
{
    return is_exactly(value, &type_type) && !(as_type(value)->flags & TYPE_HEAP);
}

// What the instruction loads, if that is a function or a builtin. It stays the same while machine
// code runs, which stores nothing over an object: so it is tested at the entry.
static ValueRef fixed_value(int index)
{
    const Instruction *at = instruction_at(index);
    const Dict *names = as_dict(walk.frame->globals);
    if (at->op == LOAD_GLOBAL_MODULE || at->op == LOAD_NAME_MODULE) {
        ValueRef value = names->keys_version == at->key ? names->entries[at->slot].value : NONE;
        return value && function_check(value) ? value : VALUE_ERROR;
    }
    if (at->op != LOAD_GLOBAL_BUILTIN && at->op != LOAD_NAME_BUILTIN) return VALUE_ERROR;
    names = as_dict(thread_state.builtin_names);
    ValueRef value = names->keys_version == at->slot ? names->entries[at->index].value : NONE;
    return is_exactly(value, &builtin_type) || is_static_type(value) ? value : VALUE_ERROR;
}

// That the Value in the register is what it is now. It may have died, and another object have its
// address; but not another of the same type and the same code, or MethodDef.
static bool same_value(int number, ValueRef value)
{
    bool is_function = function_check(value);
    Patch address = {.word = bits_of(value)}, type = {.word = (uint64_t)(uintptr_t)type_of(value)};
    Patch code = {.word = is_function ? bits_of(as_function(value)->code)
                          : is_exactly(value, &builtin_type)
                              ? (uint64_t)(uintptr_t)as_builtin(value)->def
                              : 0};
    bool own = is_function && as_function(value)->globals == walk.frame->globals;
    return walk_stencil_1("same", KIND_OBJECT, number, address) &&
           (is_static_type(value) || (walk_stencil_1("type", KIND_OBJECT, number, type) &&
                                      walk_stencil_1("code", KIND_OBJECT, number, code))) &&
           (!own || walk_stencil_1("own_globals", KIND_OBJECT, number, (Patch){0}));
}

static bool enter_name(int index)
{
    const Instruction *at = instruction_at(index);
    Entry entry = {0};
    bool in_module = at->op == LOAD_GLOBAL_MODULE || at->op == LOAD_NAME_MODULE;
    Patch patch = in_module ? entry_patch(at->slot, at->key)
                            : entry_patch(at->index, at->key | (uint64_t)at->slot << 32);
    return entry_take(&entry, KIND_OBJECT) &&
           walk_stencil_1(in_module ? "global" : "builtin", KIND_OBJECT, entry.number, patch) &&
           same_value(entry.number, fixed_value(index)) && (entry_free(&entry), true);
}

bool walk_enter_names(void)
{
    for (int index = walk.head; index <= walk.end; index++) {
        ValueRef value = fixed_value(index);
        int first = walk.head;
        while (value && first < index && fixed_value(first) != value) first++;
        if (value && first == index && !enter_name(index)) return false;
    }
    return true;
}

bool walk_name(int index)
{
    const Instruction *at = instruction_at(index);
    const Dict *globals = as_dict(walk.frame->globals);
    ValueRef fixed = fixed_value(index);
    Entry entry = {.where = IN_CONSTANT, .kind = KIND_OBJECT, .sample = fixed};
    if (fixed) return entry_push(entry);
    if ((at->op != LOAD_GLOBAL_MODULE && at->op != LOAD_NAME_MODULE) ||
        globals->keys_version != at->key)
        return jit_refuse("a name that is not found by its cache");
    return entry_take(&entry, KIND_OBJECT) &&
           walk_stencil_1("global", KIND_OBJECT, entry.number, entry_patch(at->slot, at->key)) &&
           entry_unbox(&entry, globals->entries[at->slot].value) && entry_push(entry);
}

bool walk_length(void)
{
    Entry argument = entry_pop();
    if (!entry_own_register(&argument, KIND_OBJECT)) return false;
    argument.kind = KIND_INT;
    return walk_stencil_1("length", KIND_INT, argument.number, (Patch){0}) && entry_push(argument);
}

// len() of a list, and `for` over a range.
bool walk_call(int index)
{
    int count = operand_at(index);
    ValueRef function = entry_always(&walk.stack[walk.depth - count - 1]);
    if (function == ref_of(&range_type) && opcode_at(walk.next) == GET_ITER)
        return ++walk.next, walk_new_range(count);
    if (function && is_static_type(function)) return jit_refuse("a call of a builtin type");
    if (!function || !is_exactly(function, &builtin_type)) return walk_function_call(index, count);
    bool is_len = strcmp(as_builtin(function)->def->name, "len") == 0;
    if (count == 1 && entry_is(&walk.stack[walk.depth - 1], &list_type) && is_len)
        return walk_length() && (walk.stack[walk.depth - 2] = entry_pop(), true);
    return walk_quiet_call(count, function);
}

bool walk_store_global(int index)
{
    const Instruction *at = instruction_at(index);
    Entry address = {0};
    if (at->op != STORE_GLOBAL_MODULE && at->op != STORE_NAME_MODULE)
        return jit_refuse("a name that is not found by its cache");
    return entry_take(&address, KIND_OBJECT) &&
           walk_stencil_1("global_slot", KIND_OBJECT, address.number,
                          entry_patch(at->slot, at->key)) &&
           walk_stencil("globals_changed", (Patch){0}) && put(&address, false);
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
    if (!has_class(owner, at->key))
        return jit_refuse("an attribute that is not found by its cache");
    if (in_instance && at->slot >= as_instance(owner->sample)->count)
        return jit_refuse("an attribute that is not set");
    Patch patch = {.number = at->slot, .word = at->slot};
    if (in_instance)
        patch.number = (uint32_t)(offsetof(Instance, values) + at->slot * sizeof(Value));
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
    return pop_owner(index, true, &owner, &old) && put(&owner, false);
}
