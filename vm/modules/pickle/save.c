// save(): the order in which a pickler asks what a value is, and the memo.
//
//     persistent_id -> atoms -> the memo -> bytes, str -> containers -> reducer_override
//         -> classes and functions by name -> dispatch table -> __reduce_ex__, __reduce__
#include "objects/dict.h"
#include "objects/function.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "vm/modules/pickle/pickle.h"

#include <stdio.h>

// ---- the memo

static bool write_index(Pickler *self, const PickleOpcode ops[3], ssize_t index)
{
    char text[24];
    if (!self->binary) {
        snprintf(text, sizeof text, "%lld", (long long)index);
        output_line(&self->output, ops[0], text);
    } else if (index < 256) {
        output_op_number(&self->output, ops[1], (uint64_t)index, 1);
    } else if ((uint64_t)index <= UINT32_MAX) {
        output_op_number(&self->output, ops[2], (uint64_t)index, 4);
    } else {
        return pickling_error("memo id too large for LONG_BINGET");
    }
    return true;
}

bool pickler_get(Pickler *self, const MemoEntry *known)
{
    static const PickleOpcode ops[] = {PICKLE_GET, PICKLE_BINGET, PICKLE_LONG_BINGET};
    return write_index(self, ops, known->index);
}

bool pickler_memoize(Pickler *self, ValueRef value)
{
    static const PickleOpcode ops[] = {PICKLE_PUT, PICKLE_BINPUT, PICKLE_LONG_BINPUT};
    if (self->fast) return true;
    ssize_t index = self->memo.count;
    if (!memo_table_put(&self->memo, bits_of(value), value, index)) return false;
    if (self->protocol < 4) return write_index(self, ops, index);
    output_op(&self->output, PICKLE_MEMOIZE);
    return true;
}

// ---- persistent ids

static bool save_text_id(Pickler *self, ValueRef id)
{
    Value text = object_str(id);
    if (!text) return false;
    bool ascii = as_str(text)->ascii;
    if (ascii)
        output_line(&self->output, PICKLE_PERSID, as_str(text)->data);
    else
        pickling_error("persistent IDs in protocol 0 must be ASCII strings");
    drop(text);
    return ascii;
}

// *done: the value has a persistent id, which is saved in its place.
static bool save_persistent(Pickler *self, ValueRef value, bool *done)
{
    Value id = hook_call(&self->persistent_id, ref_of(self), value);
    *done = id != NONE;
    bool saved = id;
    if (id && *done && self->binary) {
        saved = pickle_save_id(self, id);
        output_op(&self->output, PICKLE_BINPERSID);
    } else if (id && *done) {
        saved = save_text_id(self, id);
    }
    drop(id);
    return saved;
}

// ---- what takes itself apart

// The function that the dispatch table has for the type: owned, ABSENT = none.
static Value dispatched(Pickler *self, const Type *type)
{
    if (self->dispatch_table) {
        Value table = retain(self->dispatch_table);
        Value function = object_subscript(table, ref_of(type));
        drop(table);
        if (function || !error_is(KeyError)) return function;
        error_clear();
        return ABSENT;
    }
    if (!self->copyreg_table) self->copyreg_table = pickle_table("copyreg", "dispatch_table");
    return self->copyreg_table ? dict_get(self->copyreg_table, ref_of(type)) : VALUE_ERROR;
}

static Value reduce_by_method(const Pickler *self, ValueRef value)
{
    Value method = pickle_attribute(value, "__reduce_ex__"), result;
    if (method != ABSENT) {
        result = method ? object_call_one(method, from_small(self->protocol)) : VALUE_ERROR;
    } else {
        method = object_get_optional(value, NAME(__reduce__));
        if (method == ABSENT)
            return pickling_error("can't pickle '%.200T' object: %R", value, value);
        result = method ? object_call_none(method) : VALUE_ERROR;
    }
    drop(method);
    return result;
}

static bool save_reduced(Pickler *self, ValueRef value, Value reduced)
{
    bool done = reduced;
    if (done && str_check(reduced))
        done = pickle_save_global(self, value, reduced);
    else if (done)
        done = pickle_save_reduced(self, reduced, value);
    drop(reduced);
    return done;
}

static bool save_by_reducing(Pickler *self, ValueRef value)
{
    if (self->reducer_override) {
        Value reducer = retain(self->reducer_override);
        Value reduced = object_call_one(reducer, value);
        drop(reducer);
        if (reduced != NOT_IMPLEMENTED) return save_reduced(self, value, reduced);
    }
    const Type *type = type_of(value);
    if (type == &type_type) return pickle_save_type(self, value);
    if (type == &function_type) return pickle_save_global(self, value, VALUE_ERROR);
    Value function = dispatched(self, type);
    if (!function) return false;
    if (function == ABSENT && type_check(value))
        return pickle_save_global(self, value, VALUE_ERROR);
    if (function == ABSENT) return save_reduced(self, value, reduce_by_method(self, value));
    Value reduced = object_call_one(function, value);
    drop(function);
    return save_reduced(self, value, reduced);
}

// ---- save

static bool save_object(Pickler *self, ValueRef value)
{
    bool done;
    if (!pickle_save_text(self, value, &done)) return false;
    if (done) return true;
    if (!stack_enter(" while pickling an object")) return false;
    bool saved = pickle_save_container(self, value, &done);
    if (saved && !done) saved = save_by_reducing(self, value);
    stack_leave();
    return saved;
}

static bool save(Pickler *self, ValueRef value, bool is_id)
{
    bool done = false;
    if (!output_boundary(&self->output)) return false;
    if (self->persistent_id.function && !is_id && !save_persistent(self, value, &done))
        return false;
    if (done) return true;
    if (!pickle_save_atom(self, value, &done)) return false;
    if (done) return true;
    const MemoEntry *known = pickler_known(self, value);
    return known ? pickler_get(self, known) : save_object(self, value);
}

bool pickle_save(Pickler *self, ValueRef value)
{
    return save(self, value, false);
}

bool pickle_save_id(Pickler *self, ValueRef id)
{
    return save(self, id, true);
}
