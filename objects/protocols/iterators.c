// Iterators: over sequences by index, over a callable until a sentinel; enumerate, zip, map,
// filter, reversed.
//
// An iterator that reaches its end drops the sequence, and so stays at its end. enumerate and zip
// return the same tuple again and again if only the iterator owns it (its count is 1): then they
// just replace its items.
#include "objects/protocols/iterators.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"

Value iterator_self(ValueRef self)
{
    return retain(self);
}

// ---- what all IndexIterators share

Value index_iterator_new(Type *type, ValueRef sequence, ssize_t index)
{
    IndexIterator *iterator = object_alloc(type, 0);
    if (!iterator) return VALUE_ERROR;
    iterator->index = index;
    iterator->sequence = retain(sequence);
    return own(iterator);
}

void index_iterator_release(Object *self)
{
    drop_slot(&((IndexIterator *)self)->sequence);
}

void index_iterator_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((IndexIterator *)self)->sequence, visit, arg);
}

// (function, (argument,), state), all stolen; state VALUE_ERROR = none.
static Value reduced(Value function, Value argument, Value state)
{
    Value result = VALUE_ERROR;
    Value arguments = function && argument ? tuple_pack(1, (ValueRef)argument) : VALUE_ERROR;
    if (arguments && state)
        result = tuple_pack(3, (ValueRef)function, (ValueRef)arguments, (ValueRef)state);
    else if (arguments)
        result = tuple_pack(2, (ValueRef)function, (ValueRef)arguments);
    drop(arguments);
    drop(function);
    drop(argument);
    drop(state);
    return result;
}

static Value empty_sequence(const Type *iterator)
{
    if (iterator == &str_iterator_type) return str_empty();
    bool of_list = iterator == &list_iterator_type || iterator == &list_reverse_iterator_type;
    return of_list ? list_new(0) : tuple_new(0);
}

Value index_iterator_reduce(ValueRef self, METHOD_ARGS)
{
    const IndexIterator *iterator = as_index_iterator(self);
    const Type *type = type_of(self);
    if (!iterator->sequence) return reduce_to_iter(empty_sequence(type));
    // Taken first: to find iter() may run script code that uses the iterator up.
    Value sequence = retain(iterator->sequence), index = int_new(iterator->index);
    Value function = type == &list_reverse_iterator_type ? retain(ref_of(&reversed_type))
                                                         : builtin_named("iter");
    return reduced(function, sequence, index);
}

// The size, without calling a __len__ of a subclass.
static ssize_t size_of(ValueRef sequence)
{
    if (list_check(sequence)) return list_size(sequence);
    if (tuple_check(sequence)) return tuple_size(sequence);
    if (str_check(sequence)) return str_length(sequence);
    return bytes_check(sequence) ? as_bytes(sequence)->size : as_bytearray(sequence)->size;
}

static Value index_hint(ValueRef self, METHOD_ARGS)
{
    const IndexIterator *iterator = as_index_iterator(self);
    ssize_t left = iterator->sequence ? size_of(iterator->sequence) - iterator->index : 0;
    return from_small(left < 0 ? 0 : left);
}

static Value index_setstate(ValueRef self, METHOD_ARGS)
{
    IndexIterator *iterator = as_index_iterator(self);
    ssize_t index;
    if (!int_as_ssize(args[0], &index)) return VALUE_ERROR;
    if (!iterator->sequence) return NONE;
    ssize_t size = size_of(iterator->sequence);
    iterator->index = index < 0 ? 0 : index > size ? size : index;
    return NONE;
}

const MethodDef index_iterator_methods[] = {
    {"__length_hint__", index_hint, NO_ARGS, NULL},
    {"__reduce__", index_iterator_reduce, NO_ARGS, NULL},
    {"__setstate__", index_setstate, ONE_ARG, NULL},
    {0},
};

// ---- over a sequence, by __getitem__

Value sequence_iterator_new(ValueRef sequence)
{
    return index_iterator_new(&sequence_iterator_type, sequence, 0);
}

// Is the pending exception one that ends an iteration by index? Clears it then.
static bool is_end(void)
{
    if (!error_is(IndexError) && !error_is(StopIteration)) return false;
    error_clear();
    return true;
}

static Value sequence_next(ValueRef self)
{
    IndexIterator *iterator = as_index_iterator(self);
    if (!iterator->sequence) return ABSENT;
    if (iterator->index == SSIZE_MAX) return raise_error(OverflowError, "iter index too large");
    Value sequence = retain(iterator->sequence);
    Value item = sequence_item(sequence, iterator->index);
    if (item) {
        iterator->index++;
    } else if (is_end()) {
        drop_slot(&iterator->sequence);
        item = ABSENT;
    }
    drop(sequence);
    return item;
}

static Value sequence_hint(ValueRef self, METHOD_ARGS)
{
    const IndexIterator *iterator = as_index_iterator(self);
    ssize_t size;
    if (!iterator->sequence) return from_small(0);
    if (!type_of(iterator->sequence)->length) return NOT_IMPLEMENTED;
    if (!object_length(iterator->sequence, &size)) return VALUE_ERROR;
    return int_new(size < iterator->index ? 0 : size - iterator->index);
}

static Value sequence_setstate(ValueRef self, METHOD_ARGS)
{
    IndexIterator *iterator = as_index_iterator(self);
    ssize_t index;
    if (!int_as_ssize(args[0], &index)) return VALUE_ERROR;
    if (iterator->sequence) iterator->index = index < 0 ? 0 : index;
    return NONE;
}

static const MethodDef sequence_methods[] = {
    {"__length_hint__", sequence_hint, NO_ARGS, NULL},
    {"__reduce__", index_iterator_reduce, NO_ARGS, NULL},
    {"__setstate__", sequence_setstate, ONE_ARG, NULL},
    {0},
};

Type sequence_iterator_type = INDEX_ITERATOR("iterator", sequence_methods, sequence_next);

// ---- two references: the shape of callable_iterator, map, filter, enumerate, zip

// The two references of each type:
//     callable_iterator   callable    sentinel
//     map                 function    tuple of iterators
//     filter              function    iterator
//     enumerate           next index  iterator            pair
//     zip                 -           tuple of iterators  items
typedef struct Pipe {
    Object base;
    Value head;
    Value source; // VALUE_ERROR = at its end (callable_iterator)
    Value last;   // the tuple returned last
} Pipe;

static Pipe *as_pipe(ValueRef value)
{
    return (Pipe *)object_of(value);
}

static void pipe_release(Object *self)
{
    Pipe *pipe = (Pipe *)self;
    drop_slot(&pipe->head);
    drop_slot(&pipe->source);
    drop_slot(&pipe->last);
}

static void pipe_traverse(Object *self, VisitFn visit, void *arg)
{
    const Pipe *pipe = (const Pipe *)self;
    visit_item(pipe->head, visit, arg);
    visit_item(pipe->source, visit, arg);
    visit_item(pipe->last, visit, arg);
}

// Steals both, in failure too; either may be VALUE_ERROR, and then the result is.
static Value pipe_new(Type *type, Value head, Value source)
{
    Pipe *pipe = head && source ? object_alloc(type, 0) : NULL;
    if (pipe) {
        pipe->head = head;
        pipe->source = source;
        return own(pipe);
    }
    drop(head);
    drop(source);
    return VALUE_ERROR;
}

#define PIPE_TYPE(variable, type_name, text, type_flags, method_table, new_function,               \
                  next_function)                                                                   \
    Type variable = {                                                                              \
        STATIC_TYPE(type_name, sizeof(Pipe)),                                                      \
        .doc = text,                                                                               \
        .getattribute = object_generic_get,                                                        \
        .flags = TYPE_GC | (type_flags),                                                           \
        .methods = method_table,                                                                   \
        .new_ = new_function,                                                                      \
        .release = pipe_release,                                                                   \
        .traverse = pipe_traverse,                                                                 \
        .iter = iterator_self,                                                                     \
        .next = next_function,                                                                     \
    }

// iter() of each: a tuple.
static Value iterators_of(const ValueRef *iterables, size_t count)
{
    Value iterators = tuple_new((ssize_t)count);
    for (size_t i = 0; iterators && i < count; i++) {
        Value iterator = object_iter(iterables[i]);
        if (!iterator) {
            drop(iterators);
            return VALUE_ERROR;
        }
        as_tuple(iterators)->items[i] = iterator;
    }
    return iterators;
}

// The tuple returned last if only the pipe owns it, else a new one, which the pipe keeps. It
// belongs to the pipe; the caller replaces its items.
static Tuple *tuple_to_fill(Pipe *pipe, ssize_t size)
{
    if (pipe->last && object_of(pipe->last)->refcount == 1) {
        track_again(object_of(pipe->last));
        return as_tuple(pipe->last);
    }
    Value tuple = tuple_new(size);
    if (!tuple) return NULL;
    for (ssize_t i = 0; i < size; i++) as_tuple(tuple)->items[i] = NONE;
    replace_slot(&pipe->last, tuple);
    return as_tuple(pipe->last);
}

// ---- iter(callable, sentinel)

Value callable_iterator_new(ValueRef callable, ValueRef sentinel)
{
    return pipe_new(&callable_iterator_type, retain(callable), retain(sentinel));
}

static void end_calls(Pipe *pipe)
{
    drop_slot(&pipe->head);
    drop_slot(&pipe->source);
}

static Value callable_next(ValueRef self)
{
    Pipe *pipe = as_pipe(self);
    if (!pipe->head) return ABSENT;
    Value callable = retain(pipe->head), sentinel = retain(pipe->source);
    Value result = object_call_none(callable);
    bool equal = false;
    if (!result && error_is(StopIteration)) {
        error_clear();
        end_calls(pipe);
        result = ABSENT;
    } else if (result && !object_equal(sentinel, result, &equal)) {
        replace_slot(&result, VALUE_ERROR);
    } else if (equal) {
        replace_slot(&result, ABSENT);
        end_calls(pipe);
    }
    drop(callable);
    drop(sentinel);
    return result;
}

static Value callable_reduce(ValueRef self, METHOD_ARGS)
{
    const Pipe *pipe = as_pipe(self);
    if (!pipe->head) return reduce_to_iter(tuple_new(0));
    // The pair first: to find iter() may run script code that uses the iterator up.
    Value both = tuple_pack(2, (ValueRef)pipe->head, (ValueRef)pipe->source);
    Value function = builtin_named("iter");
    Value result = VALUE_ERROR;
    if (function && both) result = tuple_pack(2, (ValueRef)function, (ValueRef)both);
    drop(both);
    drop(function);
    return result;
}

static const MethodDef callable_methods[] = {
    {"__reduce__", callable_reduce, NO_ARGS, NULL},
    {0},
};

PIPE_TYPE(callable_iterator_type, "callable_iterator", NULL, 0, callable_methods, NULL,
          callable_next);

// ---- enumerate

static Value enumerate_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"iterable", "start", NULL};
    static const Signature signature = {"enumerate", names, 1, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    Value start = slots[1] ? object_index(slots[1]) : from_small(0);
    return pipe_new(type, start, start ? object_iter(slots[0]) : VALUE_ERROR);
}

static inline Value one_more(ValueRef number)
{
    if (is_small(number) && small_value(number) < SMALL_MAX)
        return from_small(small_value(number) + 1);
    return int_add(number, from_small(1));
}

static Value enumerate_next(ValueRef self)
{
    Pipe *pipe = as_pipe(self);
    Value item = next_within(pipe->source);
    if (!item || item == ABSENT) return item;
    Value after = one_more(pipe->head);
    Tuple *pair = after ? tuple_to_fill(pipe, 2) : NULL;
    if (!pair) {
        drop(after);
        drop(item);
        return VALUE_ERROR;
    }
    Value result = retain(ref_of(pair));
    Value old_number = pair->items[0], old_item = pair->items[1];
    pair->items[0] = pipe->head;
    pair->items[1] = item;
    pipe->head = after;
    drop(old_number);
    drop(old_item);
    return result;
}

static __attribute__((noinline)) Value enumerate_any_pair(Pipe *pipe, Value *second)
{
    *second = next_of(pipe->source);
    if (!*second || *second == ABSENT) return *second;
    Value number = pipe->head, after = one_more(number);
    if (after)
        pipe->head = after;
    else
        drop(*second);
    return after ? number : VALUE_ERROR;
}

// Of a list it needs no call, and so no registers to be kept.
static Value enumerate_next_pair(ValueRef self, Value *second)
{
    Pipe *pipe = as_pipe(self);
    Value number = pipe->head;
    if (!is_small(number) || small_value(number) >= SMALL_MAX)
        return enumerate_any_pair(pipe, second);
    *second = next_of_list(pipe->source);
    if (*second == ABSENT) return enumerate_any_pair(pipe, second);
    pipe->head = from_small(small_value(number) + 1);
    return number;
}

static Value enumerate_reduce(ValueRef self, METHOD_ARGS)
{
    const Pipe *pipe = as_pipe(self);
    Value arguments = tuple_pack(2, (ValueRef)pipe->source, (ValueRef)pipe->head);
    Value result = VALUE_ERROR;
    if (arguments) result = tuple_pack(2, ref_of(type_of(self)), (ValueRef)arguments);
    drop(arguments);
    return result;
}

static const MethodDef enumerate_methods[] = {
    {"__reduce__", enumerate_reduce, NO_ARGS, NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

PIPE_TYPE(enumerate_type, "enumerate",
          "enumerate(iterable, start=0)\n\nPairs of a number, counting up, and an item.", TYPE_BASE,
          enumerate_methods, enumerate_new, enumerate_next);

// ---- zip

static Value zip_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (type == &zip_type && !args_no_keywords("zip", kwnames)) return VALUE_ERROR;
    return pipe_new(type, NONE, iterators_of(args, nargs));
}

static Value zip_next(ValueRef self)
{
    Pipe *pipe = as_pipe(self);
    const Tuple *iterators = as_tuple(pipe->source);
    ssize_t count = iterators->size;
    if (count == 0) return ABSENT;
    Tuple *items = tuple_to_fill(pipe, count);
    if (!items) return VALUE_ERROR;
    Value result = retain(ref_of(items));
    for (ssize_t i = 0; i < count; i++) {
        Value item = next_within(iterators->items[i]);
        if (!item || item == ABSENT) {
            drop(result);
            return item;
        }
        replace_slot(&items->items[i], item);
    }
    return result;
}

static Value zip_next_pair(ValueRef self, Value *second)
{
    const Value *iterators = as_tuple(as_pipe(self)->source)->items;
    Value first = next_of(iterators[0]);
    if (!first || first == ABSENT) return first;
    *second = next_of(iterators[1]);
    if (*second && *second != ABSENT) return first;
    drop(first);
    return *second;
}

static Value zip_reduce(ValueRef self, METHOD_ARGS)
{
    return tuple_pack(2, ref_of(type_of(self)), (ValueRef)as_pipe(self)->source);
}

static const MethodDef zip_methods[] = {
    {"__reduce__", zip_reduce, NO_ARGS, NULL},
    {0},
};

PIPE_TYPE(zip_type, "zip",
          "zip(*iterables)\n\nTuples of one item of each, until one has no more.\n\n"
          ">>> list(zip('ab', range(9)))\n[('a', 0), ('b', 1)]",
          TYPE_BASE, zip_methods, zip_new, zip_next);

PairFn iterator_pair_function(const Object *iterator)
{
    const Type *type = iterator->type;
    if (type == &enumerate_type) return enumerate_next_pair;
    if (type == &dict_item_iterator_type) return dict_next_pair;
    bool pairs = type == &zip_type && tuple_size(((const Pipe *)iterator)->source) == 2;
    return pairs ? zip_next_pair : NULL;
}

// ---- map

#define FEW_ITERATORS 6

static Value map_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (type == &map_type && !args_no_keywords("map", kwnames)) return VALUE_ERROR;
    if (nargs < 2) return raise_error(TypeError, "map() must have at least two arguments.");
    return pipe_new(type, retain(args[0]), iterators_of(args + 1, nargs - 1));
}

// One item of each iterator into `items`, which begin empty; ABSENT or VALUE_ERROR where one ends.
static Value take_items(const Tuple *iterators, Value *items)
{
    for (ssize_t i = 0; i < iterators->size; i++) {
        Value item = next_within(iterators->items[i]);
        if (!item || item == ABSENT) return item;
        items[i] = item;
    }
    return NONE;
}

static Value map_next_of_many(const Pipe *pipe, const Tuple *iterators)
{
    Value few[FEW_ITERATORS] = {0}, many = VALUE_ERROR, *items = few;
    if (iterators->size > FEW_ITERATORS) {
        many = tuple_new(iterators->size);
        if (!many) return VALUE_ERROR;
        items = as_tuple(many)->items;
    }
    Value result = take_items(iterators, items);
    if (result == NONE) result = object_call(pipe->head, lend(items), (size_t)iterators->size, 0);
    if (items == few)
        for (ssize_t i = 0; i < iterators->size; i++) drop(few[i]);
    drop(many);
    return result;
}

static Value map_next(ValueRef self)
{
    const Pipe *pipe = as_pipe(self);
    const Tuple *iterators = as_tuple(pipe->source);
    if (iterators->size > 1) return map_next_of_many(pipe, iterators);
    Value item = next_within(iterators->items[0]);
    if (!item || item == ABSENT) return item;
    Value result = object_call_one(pipe->head, item);
    drop(item);
    return result;
}

static Value map_reduce(ValueRef self, METHOD_ARGS)
{
    const Pipe *pipe = as_pipe(self);
    const Tuple *iterators = as_tuple(pipe->source);
    Value arguments = tuple_new(iterators->size + 1), result = VALUE_ERROR;
    if (!arguments) return VALUE_ERROR;
    as_tuple(arguments)->items[0] = retain(pipe->head);
    for (ssize_t i = 0; i < iterators->size; i++)
        as_tuple(arguments)->items[i + 1] = retain(iterators->items[i]);
    result = tuple_pack(2, ref_of(type_of(self)), (ValueRef)arguments);
    drop(arguments);
    return result;
}

static const MethodDef map_methods[] = {
    {"__reduce__", map_reduce, NO_ARGS, NULL},
    {0},
};

PIPE_TYPE(map_type, "map",
          "map(func, *iterables)\n\nThe results of the function for one item of each iterable.",
          TYPE_BASE, map_methods, map_new, map_next);

// ---- filter

static Value filter_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (type == &filter_type && !args_no_keywords("filter", kwnames)) return VALUE_ERROR;
    if (!args_check("filter", nargs, 0, 2, 2)) return VALUE_ERROR;
    return pipe_new(type, retain(args[0]), object_iter(args[1]));
}

static bool passes(ValueRef function, ValueRef item, bool *truth)
{
    if (function == NONE || function == ref_of(&bool_type)) {
        *truth = item != from_small(0);
        return is_small(item) || object_truth(item, truth);
    }
    Value answer = object_call_one(function, item);
    bool ok = answer && object_truth(answer, truth);
    drop(answer);
    return ok;
}

static Value filter_next(ValueRef self)
{
    const Pipe *pipe = as_pipe(self);
    for (;;) {
        bool truth;
        Value item = next_within(pipe->source);
        if (!item || item == ABSENT) return item;
        bool ok = passes(pipe->head, item, &truth);
        if (ok && truth) return item;
        drop(item);
        if (!ok || !poll_signals()) return VALUE_ERROR;
    }
}

static Value filter_reduce(ValueRef self, METHOD_ARGS)
{
    const Pipe *pipe = as_pipe(self);
    Value arguments = tuple_pack(2, (ValueRef)pipe->head, (ValueRef)pipe->source);
    Value result = VALUE_ERROR;
    if (arguments) result = tuple_pack(2, ref_of(type_of(self)), (ValueRef)arguments);
    drop(arguments);
    return result;
}

static const MethodDef filter_methods[] = {
    {"__reduce__", filter_reduce, NO_ARGS, NULL},
    {0},
};

PIPE_TYPE(filter_type, "filter",
          "filter(function or None, iterable)\n\nThe items for which the function is true.",
          TYPE_BASE, filter_methods, filter_new, filter_next);

// ---- reversed

static Value reversed_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ssize_t size;
    if (type == &reversed_type && !args_no_keywords("reversed", kwnames)) return VALUE_ERROR;
    if (!args_check("reversed", nargs, 0, 1, 1)) return VALUE_ERROR;
    Value method = object_special(args[0], NAME(__reversed__));
    if (!method) return VALUE_ERROR;
    if (method != ABSENT && method != NONE) {
        Value iterator = object_call_none(method);
        drop(method);
        return iterator;
    }
    if (method == NONE || !sequence_check(args[0]))
        return raise_error(TypeError, "'%T' object is not reversible", args[0]);
    if (!object_length(args[0], &size)) return VALUE_ERROR;
    return index_iterator_new(type, args[0], size - 1);
}

static Value reversed_next(ValueRef self)
{
    IndexIterator *iterator = as_index_iterator(self);
    Value item = ABSENT;
    if (iterator->index >= 0 && iterator->sequence) {
        if (is_exactly(iterator->sequence, &tuple_type) || str_check_exact(iterator->sequence)) {
            ItemFn slot = type_of(iterator->sequence)->item; // which runs nothing of a script
            item = slot(iterator->sequence, iterator->index);
            iterator->index -= item != VALUE_ERROR;
            return item;
        }
        Value sequence = retain(iterator->sequence);
        item = sequence_item(sequence, iterator->index);
        drop(sequence);
        if (item) {
            iterator->index--;
            return item;
        }
        if (is_end()) item = ABSENT;
    }
    iterator->index = -1;
    drop_slot(&iterator->sequence);
    return item;
}

static Value reversed_hint(ValueRef self, METHOD_ARGS)
{
    const IndexIterator *iterator = as_index_iterator(self);
    ssize_t size, left = iterator->index + 1;
    if (!iterator->sequence) return from_small(0);
    if (!object_length(iterator->sequence, &size)) return VALUE_ERROR;
    return int_new(size < left ? 0 : left);
}

static Value reversed_reduce(ValueRef self, METHOD_ARGS)
{
    const IndexIterator *iterator = as_index_iterator(self);
    Value type = retain(ref_of(type_of(self)));
    if (!iterator->sequence) return reduced(type, tuple_new(0), VALUE_ERROR);
    return reduced(type, retain(iterator->sequence), int_new(iterator->index));
}

static Value reversed_setstate(ValueRef self, METHOD_ARGS)
{
    IndexIterator *iterator = as_index_iterator(self);
    ssize_t index, size;
    if (!int_as_ssize(args[0], &index)) return VALUE_ERROR;
    if (!iterator->sequence) return NONE;
    if (!object_length(iterator->sequence, &size)) return VALUE_ERROR;
    iterator->index = index < -1 ? -1 : index > size - 1 ? size - 1 : index;
    return NONE;
}

static const MethodDef reversed_methods[] = {
    {"__length_hint__", reversed_hint, NO_ARGS, NULL},
    {"__reduce__", reversed_reduce, NO_ARGS, NULL},
    {"__setstate__", reversed_setstate, ONE_ARG, NULL},
    {0},
};

Type reversed_type = {
    STATIC_TYPE("reversed", sizeof(IndexIterator)),
    .getattribute = object_generic_get,
    .flags = TYPE_GC | TYPE_BASE,
    .methods = reversed_methods,
    .new_ = reversed_new,
    .release = index_iterator_release,
    .traverse = index_iterator_traverse,
    .iter = iterator_self,
    .next = reversed_next,
};
