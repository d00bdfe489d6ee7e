// Instructions that make containers, and put the values above the last mark into them.
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/modules/pickle/pickle.h"

// ---- tuples

static bool push_tuple(Unpickler *self, ssize_t count)
{
    return unpickler_push(self, unpickler_pop_tuple(self, self->size - count));
}

bool load_EMPTY_TUPLE(Unpickler *self)
{
    return unpickler_push(self, tuple_new(0));
}

bool load_TUPLE1(Unpickler *self)
{
    return push_tuple(self, 1);
}

bool load_TUPLE2(Unpickler *self)
{
    return push_tuple(self, 2);
}

bool load_TUPLE3(Unpickler *self)
{
    return push_tuple(self, 3);
}

// The values above the last mark, as a tuple.
static Value pop_to_mark(Unpickler *self)
{
    ssize_t mark;
    return unpickler_mark(self, &mark) ? unpickler_pop_tuple(self, mark) : VALUE_ERROR;
}

bool load_TUPLE(Unpickler *self)
{
    return unpickler_push(self, pop_to_mark(self));
}

// ---- lists

bool load_EMPTY_LIST(Unpickler *self)
{
    return unpickler_push(self, list_new(0));
}

bool load_LIST(Unpickler *self)
{
    Value items = pop_to_mark(self);
    Value list = items ? sequence_list(items) : VALUE_ERROR;
    drop(items);
    return unpickler_push(self, list);
}

static bool call_with_each(ValueRef method, ValueRef items)
{
    for (ssize_t i = 0; i < tuple_size(items); i++) {
        Value result = object_call_one(method, tuple_at(items, i));
        drop(result);
        if (!result) return false;
    }
    return true;
}

// By extend(); by append() where it has none.
static bool extend_other(ValueRef list, ValueRef items)
{
    Value method = pickle_attribute(list, "extend");
    if (!method) return false;
    if (method == ABSENT) {
        Value name = str_intern("append");
        method = name ? object_get(list, name) : VALUE_ERROR;
        drop(name);
        bool done = method && call_with_each(method, items);
        drop(method);
        return done;
    }
    Value copy = sequence_list(items);
    Value result = copy ? object_call_one(method, copy) : VALUE_ERROR;
    drop(result);
    drop(copy);
    drop(method);
    return result;
}

static bool extend_list(ValueRef list, ValueRef items)
{
    for (ssize_t i = 0; i < tuple_size(items); i++)
        if (!list_append(list, tuple_at(items, i))) return false;
    return true;
}

// Puts the values from the index `start` on into the container below them.
static bool put_items(Unpickler *self, ssize_t start, bool (*put)(ValueRef, ValueRef))
{
    if (start > self->size || start <= self->fence) return unpickler_underflow(self);
    if (start == self->size) return true;
    Value container = retain(self->stack[start - 1]), items = unpickler_pop_tuple(self, start);
    bool done = items && put(container, items);
    drop(items);
    drop(container);
    return done;
}

static bool put_into_list(ValueRef list, ValueRef items)
{
    return (list_check_exact(list) ? extend_list : extend_other)(list, items);
}

bool load_APPEND(Unpickler *self)
{
    return put_items(self, self->size - 1, put_into_list);
}

bool load_APPENDS(Unpickler *self)
{
    ssize_t mark;
    return unpickler_mark(self, &mark) && put_items(self, mark, put_into_list);
}

// ---- dicts

bool load_EMPTY_DICT(Unpickler *self)
{
    return unpickler_push(self, dict_new());
}

static bool set_pairs(ValueRef dict, ValueRef items)
{
    bool exact = dict_check_exact(dict);
    for (ssize_t i = 0; i + 1 < tuple_size(items); i += 2)
        if (!(exact ? dict_set : object_set_subscript)(dict, tuple_at(items, i),
                                                       tuple_at(items, i + 1)))
            return false;
    return true;
}

bool load_DICT(Unpickler *self)
{
    ssize_t mark;
    if (!unpickler_mark(self, &mark)) return false;
    if ((self->size - mark) % 2) return unpickling_error("odd number of items for DICT");
    Value items = unpickler_pop_tuple(self, mark), dict = items ? dict_new() : VALUE_ERROR;
    if (dict && !set_pairs(dict, items)) drop_slot(&dict);
    drop(items);
    return unpickler_push(self, dict);
}

static bool put_into_dict(ValueRef dict, ValueRef items)
{
    if (tuple_size(items) % 2) return unpickling_error("odd number of items for SETITEMS");
    return set_pairs(dict, items);
}

bool load_SETITEM(Unpickler *self)
{
    return put_items(self, self->size - 2, put_into_dict);
}

bool load_SETITEMS(Unpickler *self)
{
    ssize_t mark;
    return unpickler_mark(self, &mark) && put_items(self, mark, put_into_dict);
}

// ---- sets

bool load_EMPTY_SET(Unpickler *self)
{
    return unpickler_push(self, set_new(VALUE_ERROR));
}

static bool put_into_set(ValueRef set, ValueRef items)
{
    if (set_check(set)) return set_update(set, items);
    Value name = str_intern("add");
    Value method = name ? object_get(set, name) : VALUE_ERROR;
    bool done = method && call_with_each(method, items);
    drop(method);
    drop(name);
    return done;
}

bool load_ADDITEMS(Unpickler *self)
{
    ssize_t mark;
    return unpickler_mark(self, &mark) && put_items(self, mark, put_into_set);
}

bool load_FROZENSET(Unpickler *self)
{
    Value items = pop_to_mark(self);
    Value set = items ? frozenset_new(items) : VALUE_ERROR;
    drop(items);
    return unpickler_push(self, set);
}
