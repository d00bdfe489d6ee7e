// See growing.h.
#include "vm/growing.h"

#include "compiler/opcode.h"
#include "frames/observe.h"
#include "vm/quicken.h"

#include "objects/cell.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/text/str.h"

// The last string that grew while the debugger observed.
static struct {
    Value *variable;
    ssize_t length; // of the old text
    int64_t until;  // the tick of the store
} growing;

// ---- which variable

static Value *variable_in(ValueRef namespace, const Frame *frame, uint32_t name)
{
    if (!dict_check(namespace)) return NULL;
    ssize_t index = dict_entry_index(namespace, tuple_at(as_code(frame->code)->names, name));
    return index < 0 ? NULL : &as_dict(namespace)->entries[index].value;
}

static Value *variable_in_cell(ValueRef cell)
{
    return cell ? &as_cell(cell)->contents : NULL;
}

static const Instruction *store_after(const Frame *frame)
{
    const Instruction *store = frame->ip + 1;
    while (store->op == EXTENDED_ARG) store++;
    return store;
}

// The variable that the store after the addition overwrites, if it runs no script code; *namespace
// is the dict that changes with it.
static Value *variable_of(const Frame *frame, ValueRef *namespace)
{
    const Instruction *store = store_after(frame);
    switch (store->op) {
    case STORE_FAST:
    case STORE_FAST_LOAD_FAST: return (Value *)&frame->localsplus[store->arg];
    case STORE_DEREF: return variable_in_cell(frame->localsplus[store->slot]);
    case STORE_GLOBAL:
    case STORE_GLOBAL_MODULE: return variable_in(*namespace = frame->globals, frame, store->arg);
    case STORE_NAME:
    case STORE_NAME_MODULE:
        if (!(frame->flags & FRAME_LOCALS) || !dict_check_exact(frame->locals)) return NULL;
        return variable_in(*namespace = frame->locals, frame, store->arg);
    default: return NULL;
    }
}

// ---- growing

// Does no observer within the program look at the variable before the store? Notes it for the
// debugger, which will.
static bool may_grow(const Frame *frame, Value *variable)
{
    if (!thread_state.observed) return true;
    growing.variable = observers_within() ? NULL : variable;
    growing.length = str_length(*variable);
    growing.until = ticks_now(frame) + (store_after(frame) - frame->ip);
    return growing.variable;
}

// What is rare stays apart, so that add_texts() has no registers to save.
#define APART static __attribute__((noinline))

APART Value append(Value left, ValueRef right)
{
    str_append(&left, right);
    return left;
}

// `left` and the variable hold the only two references to the string.
static Value grow(Value *variable, Value left, ValueRef right)
{
    object_of(left)->refcount--;
    if (str_grow(variable, right)) return retain(*variable);
    object_of(left)->refcount++;
    growing_forget();
    return append(left, right);
}

APART Value add_to_variable(const Frame *frame, Value left, ValueRef right)
{
    ValueRef namespace = VALUE_ERROR;
    Value *variable = variable_of(frame, &namespace);
    if (!variable || *variable != left || !may_grow(frame, variable)) return append(left, right);
    if (namespace) dict_modified(namespace);
    return grow(variable, left, right);
}

Value add_texts(const Frame *frame, Value left, ValueRef right)
{
    if (object_of(left)->refcount != 2) return append(left, right);
    const Instruction *store = frame->ip + 1;
    bool is_fast = store->op == STORE_FAST || store->op == STORE_FAST_LOAD_FAST;
    if (!is_fast || thread_state.observed) return add_to_variable(frame, left, right);
    Value *variable = (Value *)&frame->localsplus[store->arg]; // in short, for it is common
    return *variable == left ? grow(variable, left, right) : append(left, right);
}

// ---- for the debugger

ValueRef growing_in_variable(void)
{
    const Frame *frame = thread_state.frame;
    bool is_stale = frame && growing.variable && ticks_now(frame) <= growing.until;
    return is_stale ? (ValueRef)*growing.variable : VALUE_ERROR;
}

ssize_t growing_old_length(void)
{
    return growing.length;
}

void growing_forget(void)
{
    growing.variable = NULL;
}

bool growing_undo(void)
{
    ValueRef text = growing_in_variable();
    Value *variable = growing.variable;
    growing_forget();
    if (!text) return true;
    Value old = str_substring(text, 0, growing.length);
    if (old) replace_slot(variable, old);
    return old != VALUE_ERROR;
}
