// General paths for names and attributes, and the filling of caches.
#include "vm/inline_cache.h"

#include "objects/classes/descriptor.h"
#include "objects/config.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/function.h"
#include "objects/instance.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

static QuickCode *quick_in(const Frame *frame)
{
    return quick_of(as_code(frame->code));
}

static bool keeps_name(int op)
{
    return op == LOAD_ATTR_MANY || op == STORE_ATTR_MANY || op == LOAD_METHOD_MANY;
}

// Back to the instruction of co_code, which has its operand in `arg`.
static void uncache(const Frame *frame, Instruction *ip)
{
    if (ip->op < QUICK_BASE || keeps_name(ip->op)) return;
    QuickCode *quick = quick_in(frame);
    ip->arg = quick_operand(quick, ip);
    quick_set_op(quick, ip, quick_opcode(quick, ip));
}

// The name that the instruction has, back to what it is in co_code.
static inline ValueRef name_of(const Frame *frame, Instruction *ip)
{
    uncache(frame, ip);
    return tuple_at(as_code(frame->code)->names, ip->arg);
}

// ---- globals and names

// Where the dict has the name in a cacheable entry: fills key and slot.
static bool cache_entry(ValueRef dict, ValueRef name, uint32_t *version, uint32_t *entry)
{
    if (!dict_check_exact(dict) || DEBUG_NO_QUICKEN || name == NAME(__builtins__)) return false;
    ssize_t index = dict_entry_index(dict, name);
    if (index < 0 || (uint64_t)index > UINT32_MAX) return false;
    *version = dict_keys_version(dict);
    *entry = (uint32_t)index;
    return *version != 0;
}

static void cache_global(const Frame *frame, Instruction *ip, ValueRef name, int op)
{
    if (!cache_entry(frame->globals, name, &ip->key, &ip->slot)) return;
    quick_set_op(quick_in(frame), ip, op);
}

// A name that the globals do not have, and the standard builtins have.
static void cache_builtin(const Frame *frame, Instruction *ip, ValueRef builtins, ValueRef name,
                          int op)
{
    uint32_t builtins_version, entry;
    if (builtins != upcalls.builtins() || !dict_check_exact(frame->globals)) return;
    if (!cache_entry(builtins, name, &builtins_version, &entry) || entry > UINT16_MAX) return;
    uint32_t globals_version = dict_keys_version(frame->globals);
    if (!globals_version) return;
    if (thread_state.builtin_names != builtins)
        replace_slot(&thread_state.builtin_names, retain(builtins));
    ip->key = globals_version;
    ip->slot = builtins_version;
    ip->index = (uint16_t)entry;
    quick_set_op(quick_in(frame), ip, op);
}

Value namespace_get(ValueRef namespace, ValueRef name)
{
    if (dict_check_exact(namespace)) {
        ValueRef found = dict_peek(namespace, name);
        return found ? retain(found) : ABSENT;
    }
    Value value = object_subscript(namespace, name);
    if (value || !error_is(KeyError)) return value;
    error_clear();
    return ABSENT;
}

static Value raise_name_error(ValueRef name)
{
    return raise_error(NameError, "name '%.200S' is not defined", name);
}

// In the globals, then in the builtins; fills the cache with one of the two ops.
static Value global_get(Frame *frame, Instruction *ip, ValueRef name, int module_op, int builtin_op)
{
    Value value = namespace_get(frame->globals, name);
    if (value != ABSENT) {
        if (value && module_op) cache_global(frame, ip, name, module_op);
        return value;
    }
    ValueRef builtins = globals_builtins(frame->globals);
    Value held = retain(builtins);
    value = namespace_get(held, name);
    if (value == ABSENT)
        value = raise_name_error(name);
    else if (value && builtin_op)
        cache_builtin(frame, ip, builtins, name, builtin_op);
    drop(held);
    return value;
}

Value load_global(Frame *frame, Instruction *ip)
{
    ValueRef name = name_of(frame, ip);
    return global_get(frame, ip, name, LOAD_GLOBAL_MODULE, LOAD_GLOBAL_BUILTIN);
}

Value load_name(Frame *frame, Instruction *ip)
{
    ValueRef name = name_of(frame, ip);
    if (!(frame->flags & FRAME_LOCALS))
        return raise_error(SystemError, "no locals when loading %R", name);
    if (frame->locals == frame->globals)
        return global_get(frame, ip, name, LOAD_NAME_MODULE, LOAD_NAME_BUILTIN);
    Value value = namespace_get(frame->locals, name);
    return value == ABSENT ? global_get(frame, ip, name, 0, 0) : value;
}

bool store_global(Frame *frame, Instruction *ip, ValueRef value)
{
    ValueRef name = name_of(frame, ip);
    if (!dict_set(frame->globals, name, value)) return false;
    cache_global(frame, ip, name, STORE_GLOBAL_MODULE);
    return true;
}

bool store_name(Frame *frame, Instruction *ip, ValueRef value)
{
    ValueRef name = name_of(frame, ip);
    if (!(frame->flags & FRAME_LOCALS))
        return raise_error(SystemError, "no locals found when storing %R", name);
    if (!dict_check_exact(frame->locals)) return object_set_subscript(frame->locals, name, value);
    if (!dict_set(frame->locals, name, value)) return false;
    if (frame->locals == frame->globals) cache_global(frame, ip, name, STORE_NAME_MODULE);
    return true;
}

// ---- attributes

// After so many misses an instruction keeps to the general path.
#define MISSES_MAX 8

// Then it becomes `many`, which asks the table of all lookups (objects/type.h).
static bool misses_often(const Frame *frame, Instruction *ip, ValueRef name, int many)
{
    if (ip->index < MISSES_MAX) {
        ip->index++;
        return false;
    }
    if (ip->op != many && !DEBUG_NO_QUICKEN) {
        ip->value = name;
        quick_set_op(quick_in(frame), ip, many);
    }
    return true;
}

// What that table has of an instance of a class. NULL = it is none, or nothing is known.
static inline const Lookup *lookup_in_instance(ValueRef owner, ValueRef name)
{
    const Type *type = type_of(owner);
    if (!(type->flags & TYPE_INLINE) || as_instance(owner)->dict) return NULL;
    return type_known(type, name);
}

static inline bool is_set(const Lookup *known, ValueRef owner)
{
    return known->key >= 0 && (uint32_t)known->key < as_instance(owner)->count;
}

// Owned; VALUE_ERROR = not known, nothing is raised.
static Value known_attr(ValueRef owner, ValueRef name)
{
    const Lookup *known = lookup_in_instance(owner, name);
    if (!known || type_of(owner)->getattribute != object_generic_get) return VALUE_ERROR;
    if (known->found && is_data_descriptor(known->found)) return VALUE_ERROR;
    if (is_set(known, owner)) return retain(as_instance(owner)->values[known->key]);
    return known->found && !type_of(known->found)->get ? retain(known->found) : VALUE_ERROR;
}

// A function that takes the owner as its first argument: owned. VALUE_ERROR = not known.
static Value known_method(ValueRef owner, ValueRef name)
{
    const Lookup *known = lookup_in_instance(owner, name);
    if (!known || type_of(owner)->getattribute != object_generic_get) return VALUE_ERROR;
    if (!known->found || !(type_of(known->found)->flags & TYPE_METHOD)) return VALUE_ERROR;
    return is_set(known, owner) ? VALUE_ERROR : retain(known->found);
}

// False = not known, nothing is changed.
static bool set_known(ValueRef owner, ValueRef name, ValueRef value)
{
    const Lookup *known = lookup_in_instance(owner, name);
    if (!known || !is_set(known, owner)) return false;
    if (type_of(owner)->setattr != object_generic_set) return false;
    if (known->found && is_data_descriptor(known->found)) return false;
    replace_slot(&as_instance(owner)->values[known->key], retain(value));
    return true;
}

// The version of a type whose instances use the default attribute lookup; 0 = no caching.
static uint32_t cacheable_version(Type *type, ValueRef name)
{
    if (DEBUG_NO_QUICKEN || type->getattribute != object_generic_get) return 0;
    return as_str(name)->interned ? type_version(type) : 0;
}

static void cache_value(const Frame *frame, Instruction *ip, int op, uint32_t version,
                        ValueRef value)
{
    invariant(version && value, "what is cached is good for a version");
    ip->version = version;
    ip->value = value;
    quick_set_op(quick_in(frame), ip, op);
}

static void cache_slot(const Frame *frame, Instruction *ip, int op, uint32_t version, uint32_t slot)
{
    invariant(version, "what is cached is good for a version");
    ip->key = version;
    ip->slot = slot;
    quick_set_op(quick_in(frame), ip, op);
}

static void cache_instance_attr(const Frame *frame, Instruction *ip, ValueRef owner, ValueRef name)
{
    Type *type = type_of(owner);
    uint32_t version = cacheable_version(type, name);
    if (!version || as_instance(owner)->dict) return;
    ValueRef found = type_lookup(type, name);
    if (found && is_data_descriptor(found)) return;
    int index = instance_key_index(type, name);
    if (index >= 0 && (uint32_t)index < as_instance(owner)->count)
        cache_slot(frame, ip, LOAD_ATTR_SLOT, version, (uint32_t)index);
    else if (index < 0 && found && !type_of(found)->get)
        cache_value(frame, ip, LOAD_ATTR_CLASS, version, found);
}

static void cache_member(const Frame *frame, Instruction *ip, ValueRef owner, ValueRef name, int op)
{
    Type *type = type_of(owner);
    uint32_t version = cacheable_version(type, name);
    size_t offset = version ? slot_offset(type_lookup(type, name), type) : 0;
    if (offset) cache_slot(frame, ip, op, version, (uint32_t)offset);
}

static bool is_plain_module(ValueRef owner, ValueRef name)
{
    return is_exactly(owner, &module_type) && !type_lookup(&module_type, name);
}

static void cache_module_attr(const Frame *frame, Instruction *ip, ValueRef owner, ValueRef name,
                              int op)
{
    if (!cache_entry(as_module(owner)->dict, name, &ip->key, &ip->slot)) return;
    quick_set_op(quick_in(frame), ip, op);
}

Value load_attr(Frame *frame, Instruction *ip, ValueRef owner)
{
    ValueRef name = name_of(frame, ip);
    if (!is_object(owner)) return object_get(owner, name);
    if (misses_often(frame, ip, name, LOAD_ATTR_MANY)) {
        Value known = known_attr(owner, name);
        return known ? known : object_get(owner, name);
    }
    if (type_of(owner)->flags & TYPE_INLINE)
        cache_instance_attr(frame, ip, owner, name);
    else if (is_plain_module(owner, name))
        cache_module_attr(frame, ip, owner, name, LOAD_ATTR_MODULE);
    else
        cache_member(frame, ip, owner, name, LOAD_ATTR_MEMBER);
    return object_get(owner, name);
}

static void cache_store(const Frame *frame, Instruction *ip, ValueRef owner, ValueRef name)
{
    Type *type = type_of(owner);
    if (DEBUG_NO_QUICKEN || type->setattr != object_generic_set || !as_str(name)->interned) return;
    uint32_t version = type_version(type);
    ValueRef found = version ? type_lookup(type, name) : VALUE_ERROR;
    size_t offset = slot_offset(found, type);
    if (offset) cache_slot(frame, ip, STORE_ATTR_MEMBER, version, (uint32_t)offset);
    if (!version || !(type->flags & TYPE_INLINE) || (found && is_data_descriptor(found))) return;
    int index = instance_key_index(type, name);
    if (index >= 0 && (uint32_t)index < as_instance(owner)->count)
        cache_slot(frame, ip, STORE_ATTR_SLOT, version, (uint32_t)index);
}

bool store_attr(Frame *frame, Instruction *ip, ValueRef owner, ValueRef value)
{
    ValueRef name = name_of(frame, ip);
    bool caches = is_object(owner) && !misses_often(frame, ip, name, STORE_ATTR_MANY);
    if (!caches && is_object(owner) && set_known(owner, name, value)) return true;
    if (!object_set(owner, name, value)) return false;
    if (caches) cache_store(frame, ip, owner, name);
    return true;
}

static void cache_method(const Frame *frame, Instruction *ip, ValueRef owner, ValueRef name)
{
    Type *type = type_of(owner);
    uint32_t version = cacheable_version(type, name);
    ValueRef found = version ? type_lookup(type, name) : VALUE_ERROR;
    if (!found || !(type_of(found)->flags & TYPE_METHOD)) return;
    if (type->flags & TYPE_INLINE) {
        if (!as_instance(owner)->dict && instance_key_index(type, name) < 0)
            cache_value(frame, ip, LOAD_METHOD_INSTANCE, version, found);
    } else if (!type->dict_offset) {
        cache_value(frame, ip, LOAD_METHOD_TYPE, version, found);
    }
}

Value load_method(Frame *frame, Instruction *ip, Value *on, bool *bound)
{
    ValueRef name = name_of(frame, ip), owner = *on, self;
    if (is_exactly(owner, &super_type)) {
        Value method = super_find_method(owner, name, &self);
        if (method) {
            *bound = false;
            replace_slot(on, retain(self));
            return method;
        }
    }
    if (!is_object(owner)) return object_get_method(owner, name, bound);
    if (misses_often(frame, ip, name, LOAD_METHOD_MANY)) {
        Value known = known_method(owner, name);
        *bound = false;
        return known ? known : object_get_method(owner, name, bound);
    }
    if (is_plain_module(owner, name))
        cache_module_attr(frame, ip, owner, name, LOAD_METHOD_MODULE);
    else
        cache_method(frame, ip, owner, name);
    return object_get_method(owner, name, bound);
}

// ---- calling a class

// Both make an instance of just that type.

const Function *cache_class_call(Instruction *ip, Type *type)
{
    if (type->base.type != &type_type || !(type->flags & TYPE_HEAP)) return NULL;
    if (type->new_ != object_type.new_ && type->new_ != BaseException->new_) return NULL;
    uint32_t version = type_version(type);
    ValueRef init = version ? type_lookup(type, NAME(__init__)) : VALUE_ERROR;
    if (!init || !function_check(init)) return NULL;
    if (ip->op == CALL_FUNCTION && ip->arg <= UINT16_MAX && !DEBUG_NO_QUICKEN) {
        ip->op = CALL_CLASS;
        ip->index = (uint16_t)ip->arg;
    }
    if (ip->op == CALL_CLASS) {
        ip->version = version;
        ip->value = init;
    }
    return as_function(init);
}
