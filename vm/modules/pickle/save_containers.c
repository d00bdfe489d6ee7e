// Saving tuples, lists, dicts and sets.
//
// A container is in the memo before its items are saved, so it may hold itself. A tuple and a
// frozenset exist only when their items do: one that is found in the memo after its items has
// been saved among them, and what was put on the stack is taken off again.
#include "objects/classes/object_parts.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "vm/modules/pickle/pickle.h"

// ---- fast mode: there is no memo, so that a circle would be saved for ever

#define FAST_DEPTH 50 // from this depth on the open containers are noted

static bool fast_enter(Pickler *self, ValueRef value)
{
    if (!self->fast || ++self->fast_depth < FAST_DEPTH) return true;
    bool found = false;
    if (!self->fast_open) self->fast_open = dict_new();
    Value id = self->fast_open ? int_new(value_id(value)) : VALUE_ERROR;
    bool done = id && dict_contains(self->fast_open, id, &found);
    if (found)
        done = raise_error(ValueError,
                           "fast mode: can't pickle cyclic objects including object type %.200T at "
                           "0x%llx",
                           value, (unsigned long long)value_id(value));
    done = done && dict_set(self->fast_open, id, NONE);
    drop(id);
    if (!done) self->fast_depth = 0;
    return done;
}

static bool fast_leave(Pickler *self, ValueRef value)
{
    if (!self->fast || self->fast_depth-- < FAST_DEPTH) return true;
    Value id = int_new(value_id(value)), noted = VALUE_ERROR;
    if (id && self->fast_open) noted = dict_pop(self->fast_open, id);
    drop(id);
    drop(noted);
    return noted;
}

// ---- tuples

static bool save_each(Pickler *self, ValueRef tuple)
{
    for (ssize_t i = 0; i < tuple_size(tuple); i++)
        if (!pickle_save_held(self, tuple_at(tuple, i))) return false;
    return true;
}

// The tuple is known already: `count` values are taken off the stack, and it is fetched.
static bool take_back(Pickler *self, const MemoEntry *known, ssize_t count)
{
    while (count--) output_op(&self->output, PICKLE_POP);
    return pickler_get(self, known);
}

static bool save_short_tuple(Pickler *self, ValueRef tuple)
{
    static const PickleOpcode ops[] = {PICKLE_EMPTY_TUPLE, PICKLE_TUPLE1, PICKLE_TUPLE2,
                                       PICKLE_TUPLE3};
    if (!save_each(self, tuple)) return false;
    const MemoEntry *known = pickler_known(self, tuple);
    if (known) return take_back(self, known, tuple_size(tuple));
    output_op(&self->output, ops[tuple_size(tuple)]);
    return pickler_memoize(self, tuple);
}

// Takes all down to the mark off the stack, and fetches what is known.
static bool take_back_to_mark(Pickler *self, const MemoEntry *known, ssize_t count)
{
    if (!self->binary) return take_back(self, known, count + 1);
    output_op(&self->output, PICKLE_POP_MARK);
    return pickler_get(self, known);
}

static bool save_tuple(Pickler *self, ValueRef tuple)
{
    ssize_t size = tuple_size(tuple);
    if (size == 0 && self->binary) {
        output_op(&self->output, PICKLE_EMPTY_TUPLE);
        return true;
    }
    if (size && size <= 3 && self->protocol >= 2) return save_short_tuple(self, tuple);
    output_op(&self->output, PICKLE_MARK);
    if (!save_each(self, tuple)) return false;
    const MemoEntry *known = size ? pickler_known(self, tuple) : NULL;
    if (known) return take_back_to_mark(self, known, size);
    output_op(&self->output, PICKLE_TUPLE);
    return size == 0 || pickler_memoize(self, tuple);
}

// ---- many items at once

// What saves one item of a batch, which it is given owned.
typedef bool (*SaveItem)(Pickler *self, Value item);

static bool save_item(Pickler *self, Value item)
{
    bool done = pickle_save(self, item);
    drop(item);
    return done;
}

static bool save_pair(Pickler *self, Value pair)
{
    bool done = tuple_check(pair) && tuple_size(pair) == 2;
    if (!done) raise_error(TypeError, "dict items iterator must return 2-tuples");
    done = done && pickle_save(self, tuple_at(pair, 0)) && pickle_save(self, tuple_at(pair, 1));
    drop(pair);
    return done;
}

static bool save_one_by_one(Pickler *self, ValueRef iterator, SaveItem save, PickleOpcode one)
{
    Value item;
    while ((item = next_of(iterator)) != ABSENT) {
        if (!item || !save(self, item)) return false;
        output_op(&self->output, one);
    }
    return true;
}

// The rest of a batch, whose first item is given; *last: the iterator has ended.
static bool save_batch(Pickler *self, ValueRef iterator, Value item, SaveItem save, bool *last)
{
    for (int count = 1;; count++) {
        if (!item || !save(self, item)) return false;
        if (count == BATCH_SIZE) return true;
        item = next_of(iterator);
        *last = item == ABSENT;
        if (*last) return true;
    }
}

// A single item has an instruction of its own. *last as above.
static bool save_first(Pickler *self, ValueRef iterator, SaveItem save, const PickleOpcode ops[2],
                       bool *last)
{
    Value first = next_of(iterator);
    *last = first == ABSENT;
    if (*last) return true;
    Value second = first ? next_of(iterator) : VALUE_ERROR;
    if (!second) {
        drop(first);
        return false;
    }
    *last = second == ABSENT;
    if (!*last) output_op(&self->output, PICKLE_MARK);
    bool done = save(self, first);
    if (!*last && done)
        done = save_batch(self, iterator, second, save, last);
    else
        drop(second);
    output_op(&self->output, second == ABSENT ? ops[0] : ops[1]);
    return done;
}

static bool save_from(Pickler *self, ValueRef iterator, SaveItem save, const PickleOpcode ops[2])
{
    if (!self->protocol) return save_one_by_one(self, iterator, save, ops[0]);
    bool last = false, done = true;
    while (done && !last) done = save_first(self, iterator, save, ops, &last);
    return done;
}

bool pickle_save_items(Pickler *self, ValueRef iterator)
{
    static const PickleOpcode ops[] = {PICKLE_APPEND, PICKLE_APPENDS};
    return save_from(self, iterator, save_item, ops);
}

bool pickle_save_pairs(Pickler *self, ValueRef iterator)
{
    static const PickleOpcode ops[] = {PICKLE_SETITEM, PICKLE_SETITEMS};
    return save_from(self, iterator, save_pair, ops);
}

// ---- lists

static bool save_list_items(Pickler *self, ValueRef list)
{
    if (!self->protocol) {
        Value iterator = object_iter(list);
        bool done = iterator && pickle_save_items(self, iterator);
        drop(iterator);
        return done;
    }
    if (list_size(list) == 1) {
        if (!pickle_save_held(self, list_at(list, 0))) return false;
        output_op(&self->output, PICKLE_APPEND);
        return true;
    }
    for (ssize_t i = 0; i < list_size(list);) {
        ssize_t end = i + BATCH_SIZE;
        output_op(&self->output, PICKLE_MARK);
        for (; i < list_size(list) && i < end; i++)
            if (!pickle_save_held(self, list_at(list, i))) return false;
        output_op(&self->output, PICKLE_APPENDS);
    }
    return true;
}

static bool begin(Pickler *self, ValueRef value, PickleOpcode empty, PickleOpcode of_mark)
{
    if (!self->binary) output_op(&self->output, PICKLE_MARK);
    output_op(&self->output, self->binary ? empty : of_mark);
    return pickler_memoize(self, value);
}

static bool save_list(Pickler *self, ValueRef list)
{
    if (!begin(self, list, PICKLE_EMPTY_LIST, PICKLE_LIST)) return false;
    if (list_size(list) == 0) return true;
    if (!stack_enter(" while pickling an object")) return false;
    bool done = save_list_items(self, list);
    stack_leave();
    return done;
}

// ---- dicts

static bool save_entry(Pickler *self, ValueRef key, ValueRef value)
{
    Value held = retain(value);
    bool done = pickle_save_held(self, key) && pickle_save(self, held);
    drop(held);
    return done;
}

// What is saved may empty the dict and fill it with as many items: then no more may follow.
static bool save_entries(Pickler *self, ValueRef dict)
{
    ssize_t size = dict_size(dict), position = 0, saved = 0;
    ValueRef key, value;
    for (bool more = true; more && saved < size;) {
        if (size > 1) output_op(&self->output, PICKLE_MARK);
        ssize_t end = saved + BATCH_SIZE;
        for (; saved < end && (more = dict_next(dict, &position, &key, &value)); saved++)
            if (!save_entry(self, key, value)) return false;
        output_op(&self->output, size > 1 ? PICKLE_SETITEMS : PICKLE_SETITEM);
        if (dict_size(dict) != size)
            return raise_error(RuntimeError, "dictionary changed size during iteration");
    }
    return true;
}

static bool save_dict_items(Pickler *self, ValueRef dict)
{
    if (self->protocol) return save_entries(self, dict);
    Value items = object_call_method_none(dict, NAME(items));
    Value iterator = items ? object_iter(items) : VALUE_ERROR;
    bool done = iterator && pickle_save_pairs(self, iterator);
    drop(iterator);
    drop(items);
    return done;
}

static bool save_dict(Pickler *self, ValueRef dict)
{
    if (!begin(self, dict, PICKLE_EMPTY_DICT, PICKLE_DICT)) return false;
    if (dict_size(dict) == 0) return true;
    if (!stack_enter(" while pickling an object")) return false;
    bool done = save_dict_items(self, dict);
    stack_leave();
    return done;
}

// ---- sets

// Protocols below 4 have no sets: set([...]).
static bool save_as_call(Pickler *self, ValueRef set)
{
    Value items = sequence_list(set);
    Value arguments = items ? tuple_pack(1, (ValueRef)items) : VALUE_ERROR;
    drop(items);
    return pickle_save_call(self, ref_of(type_of(set)), arguments, set);
}

static bool save_members(Pickler *self, ValueRef set)
{
    ssize_t size = set_size(set), position = 0, saved = 0;
    ValueRef member;
    for (bool more = true; more && saved < size;) {
        ssize_t end = saved + BATCH_SIZE;
        output_op(&self->output, PICKLE_MARK);
        for (; saved < end && (more = set_next(set, &position, &member)); saved++)
            if (!pickle_save_held(self, member)) return false;
        output_op(&self->output, PICKLE_ADDITEMS);
        if (set_size(set) != size)
            return raise_error(RuntimeError, "set changed size during iteration");
    }
    return true;
}

static bool save_set(Pickler *self, ValueRef set)
{
    if (self->protocol < 4) return save_as_call(self, set);
    output_op(&self->output, PICKLE_EMPTY_SET);
    return pickler_memoize(self, set) && save_members(self, set);
}

static bool save_frozenset(Pickler *self, ValueRef set)
{
    if (self->protocol < 4) return save_as_call(self, set);
    ssize_t position = 0;
    ValueRef member;
    output_op(&self->output, PICKLE_MARK);
    while (set_next(set, &position, &member))
        if (!pickle_save_held(self, member)) return false;
    const MemoEntry *known = pickler_known(self, set);
    if (known) return take_back_to_mark(self, known, 0);
    output_op(&self->output, PICKLE_FROZENSET);
    return pickler_memoize(self, set);
}

bool pickle_save_container(Pickler *self, ValueRef value, bool *done)
{
    static const struct {
        const Type *type;
        bool (*save)(Pickler *, ValueRef);
        bool is_noted; // in fast mode
    } rows[] = {{&dict_type, save_dict, true},
                {&list_type, save_list, true},
                {&tuple_type, save_tuple, false},
                {&set_type, save_set, false},
                {&frozenset_type, save_frozenset, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *done = is_exactly(value, rows[i].type);
        if (*done && !rows[i].is_noted) return rows[i].save(self, value);
        if (*done)
            return fast_enter(self, value) && rows[i].save(self, value) && fast_leave(self, value);
    }
    return true;
}
