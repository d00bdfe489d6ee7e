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

// The variable that a store overwrites, if the store runs no script code; *namespace is the dict
// that changes with it.
static Value *variable_of(const Frame *frame, const Instruction *store, ValueRef *namespace)
{
    switch (quick_opcode(quick_of(as_code(frame->code)), store)) {
    case STORE_FAST: return (Value *)&frame->localsplus[store->arg];
    case STORE_DEREF: return variable_in_cell(frame->localsplus[store->slot]);
    case STORE_GLOBAL: return variable_in(*namespace = frame->globals, frame, store->arg);
    case STORE_NAME:
        if (!(frame->flags & FRAME_LOCALS) || !dict_check_exact(frame->locals)) return NULL;
        return variable_in(*namespace = frame->locals, frame, store->arg);
    default: return NULL;
    }
}

// ---- growing

static void note_growing(const Frame *frame, const Instruction *store, Value *variable,
                         ssize_t length)
{
    growing.variable = variable;
    growing.length = length;
    growing.until = ticks_now(frame) + (store - frame->ip);
}

// The sum, if `left` and the variable hold the only two references to the string: then it grows in
// place. Steals left then.
static Value grow_in_variable(const Frame *frame, Value left, ValueRef right)
{
    const Instruction *store = frame->ip + 1;
    while (store->op == EXTENDED_ARG) store++;
    ValueRef namespace = VALUE_ERROR;
    Value *variable = variable_of(frame, store, &namespace);
    if (!variable || *variable != left || observers_within()) return VALUE_ERROR;
    ssize_t length = str_length(left);
    object_of(left)->refcount--;
    if (!str_grow(variable, right)) {
        object_of(left)->refcount++;
        return VALUE_ERROR;
    }
    if (namespace) dict_modified(namespace);
    if (thread_state.observed) note_growing(frame, store, variable, length);
    return retain(*variable);
}

Value add_texts(const Frame *frame, Value left, ValueRef right)
{
    Value sum = VALUE_ERROR;
    if (object_of(left)->refcount == 2) sum = grow_in_variable(frame, left, right);
    if (sum) return sum;
    str_append(&left, right);
    return left;
}

// ---- for the debugger

ValueRef growing_in_variable(void)
{
    const Frame *frame = thread_state.frame;
    bool is_behind = frame && growing.variable && ticks_now(frame) <= growing.until;
    return is_behind ? (ValueRef)*growing.variable : VALUE_ERROR;
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
