// The combinatoric iterators: product, permutations, combinations, combinations_with_replacement.
//
//     pools      the items to choose from: a tuple (product: a tuple of tuples)
//     indices    the index in the pool of each item of the last result
//     cycles     permutations only: how many choices each position still has
//
// The first result is made from the initial indices. Each later one reuses the last result's tuple
// if the script has dropped it, and replaces its items from the leftmost changed index on.
#include "vm/modules/itertools/itertools.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/protocols/iterators.h"
#include "objects/upcalls.h"

typedef struct Combiner {
    Object base;
    Value pools;
    Value result; // the tuple given out last, 0 = none yet
    ssize_t *indices, *cycles;
    ssize_t length; // of a result
    bool stopped;
} Combiner;

static Combiner *as_combiner(ValueRef value)
{
    return (Combiner *)object_of(value);
}

static void release(Object *object)
{
    Combiner *self = (Combiner *)object;
    drop_slot(&self->pools);
    drop_slot(&self->result);
    memory_free(self->indices);
    memory_free(self->cycles);
    self->indices = self->cycles = NULL;
}

static void traverse(Object *object, VisitFn visit, void *arg)
{
    const Combiner *self = (const Combiner *)object;
    visit_item(self->pools, visit, arg);
    visit_item(self->result, visit, arg);
}

// `count` indices 0, or 0, 1, 2, ...; NULL with MemoryError pending.
static ssize_t *new_indices(ssize_t count, bool rising)
{
    if (count > PTRDIFF_MAX / (ssize_t)sizeof(ssize_t)) return raise_memory_error(), NULL;
    ssize_t *indices = memory_alloc((size_t)(count ? count : 1) * sizeof *indices);
    if (!indices) return raise_memory_error(), NULL;
    for (ssize_t i = 0; i < count; i++) indices[i] = rising ? i : 0;
    return indices;
}

// Steals the pools; VALUE_ERROR passes through. `indices` of them are made.
static Value combiner_new(Type *type, Value pools, ssize_t length, ssize_t indices, bool rising)
{
    Combiner *self = pools ? object_alloc(type, 0) : NULL;
    if (!self) {
        drop(pools);
        return VALUE_ERROR;
    }
    self->pools = pools;
    self->length = length;
    self->indices = new_indices(indices, rising);
    if (self->indices) return own(self);
    drop(own(self));
    return VALUE_ERROR;
}

// The item at position i of the result.
typedef ValueRef (*ShowFn)(const Combiner *self, ssize_t i);

static ValueRef show_from_one(const Combiner *self, ssize_t i)
{
    return tuple_at(self->pools, self->indices[i]);
}

static ValueRef show_from_own(const Combiner *self, ssize_t i)
{
    return tuple_at(tuple_at(self->pools, i), self->indices[i]);
}

static Value first_result(Combiner *self, ShowFn show)
{
    Value result = tuple_new(self->length);
    if (!result) return VALUE_ERROR;
    for (ssize_t i = 0; i < self->length; i++) as_tuple(result)->items[i] = retain(show(self, i));
    replace_slot(&self->result, retain(result));
    return result;
}

// The result, with the items from position `changed` on replaced.
static Value next_result(Combiner *self, ShowFn show, ssize_t changed)
{
    if (!poll_signals()) return VALUE_ERROR;
    if (object_of(self->result)->refcount > 1) {
        const Tuple *last = as_tuple(self->result);
        Value copy = tuple_from_array(lend(last->items), (size_t)last->size);
        if (!copy) return VALUE_ERROR;
        replace_slot(&self->result, copy);
    }
    Value result = retain(self->result);
    track_again(object_of(result));
    for (ssize_t i = changed; i < self->length; i++)
        replace_slot(&as_tuple(result)->items[i], retain(show(self, i)));
    return result;
}

static Value stop(Combiner *self)
{
    self->stopped = true;
    return ABSENT;
}

// ---- copying

static Value indices_as_tuple(const ssize_t *indices, ssize_t count)
{
    Value tuple = tuple_new(count);
    for (ssize_t i = 0; tuple && i < count; i++) as_tuple(tuple)->items[i] = from_small(indices[i]);
    return tuple;
}

// The arguments of the constructor: the pools, and the length of a result (not of product).
static Value constructor_arguments(const Combiner *self, bool is_product)
{
    if (is_product && !self->stopped) return retain(self->pools);
    Value pool = self->stopped ? tuple_new(0) : retain(self->pools), arguments = VALUE_ERROR;
    Value length = int_new(self->length);
    if (pool && is_product)
        arguments = tuple_pack(1, (ValueRef)pool);
    else if (pool && length)
        arguments = tuple_pack(2, (ValueRef)pool, (ValueRef)length);
    drop(length);
    drop(pool);
    return arguments;
}

static Value reduce_by_indices(ValueRef value, bool is_product)
{
    const Combiner *self = as_combiner(value);
    Value arguments = constructor_arguments(self, is_product), state = VALUE_ERROR;
    if (arguments && self->result && !self->stopped) {
        state = indices_as_tuple(self->indices, self->length);
        if (!state) replace_slot(&arguments, VALUE_ERROR);
    }
    return itertools_reduced(value, arguments, state);
}

static Value product_reduce(ValueRef self, METHOD_ARGS)
{
    return reduce_by_indices(self, true);
}

static Value combinations_reduce(ValueRef self, METHOD_ARGS)
{
    return reduce_by_indices(self, false);
}

// Reads a tuple of `count` indices into an array, all or none of them; wrong kinds are ValueError.
// The caller limits them at once: an index is used without another look.
static bool read_indices(ValueRef state, ssize_t count, ssize_t *indices)
{
    if (!tuple_check(state) || tuple_size(state) != count)
        return raise_error(ValueError, "invalid arguments");
    size_t bytes = (size_t)count * sizeof *indices;
    ssize_t *read = memory_alloc(bytes), i = 0;
    if (!read) return raise_memory_error();
    while (i < count && argument_ssize(tuple_at(state, i), &read[i])) i++;
    if (i == count && bytes) memcpy(indices, read, bytes);
    memory_free(read);
    return i == count;
}

// The size under CPython: that of its structure, and 8 for each index and each value that a
// subclass adds.
static Value size_of(ValueRef self, int64_t bytes, ssize_t indices)
{
    int64_t added = (int64_t)((type_of(self)->size - sizeof(Combiner)) / sizeof(Value));
    return int_new(bytes + (added + indices) * 8);
}

static void limit(ssize_t *number, ssize_t least, ssize_t most)
{
    if (*number > most) *number = most;
    if (*number < least) *number = least;
}

#define COMBINER_TYPE(variable, type_name, new_function, next_function)                            \
    Type variable = {                                                                              \
        STATIC_TYPE("itertools." type_name, sizeof(Combiner)),                                     \
        .getattribute = object_generic_get,                                                        \
        .flags = TYPE_GC | TYPE_BASE,                                                              \
        .new_ = new_function,                                                                      \
        .release = release,                                                                        \
        .traverse = traverse,                                                                      \
        .clear = release,                                                                          \
        .iter = iterator_self,                                                                     \
        .next = next_function,                                                                     \
        .methods = next_function##_methods,                                                        \
    }

// ---- product

// All the iterables as tuples, `times` times over.
static Value pools_of(const ValueRef *args, size_t nargs, ssize_t times)
{
    ssize_t count;
    if (__builtin_mul_overflow((ssize_t)nargs, times, &count))
        return raise_error(OverflowError, "repeat argument too large");
    Value pools = tuple_new(count);
    for (ssize_t i = 0; pools && i < count; i++) {
        Value pool = i < (ssize_t)nargs ? sequence_tuple(args[i])
                                        : retain(tuple_at(pools, i - (ssize_t)nargs));
        as_tuple(pools)->items[i] = pool;
        if (!pool) replace_slot(&pools, VALUE_ERROR);
    }
    return pools;
}

static Value product_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"repeat", NULL};
    static const Signature signature = {"product", names, 0, 1};
    ValueRef repeat;
    ssize_t times = 1;
    if (!args_bind(&signature, args + nargs, 0, kwnames, &repeat)) return VALUE_ERROR;
    if (repeat && !argument_ssize(repeat, &times)) return VALUE_ERROR;
    if (times < 0) return raise_error(ValueError, "repeat argument cannot be negative");
    Value pools = pools_of(args, times ? nargs : 0, times);
    ssize_t length = pools ? tuple_size(pools) : 0;
    return combiner_new(type, pools, length, length, false);
}

// Increments the rightmost index that can be, and sets those after it to 0. Its position, -1 =
// none.
static ssize_t product_turn(Combiner *self)
{
    for (ssize_t i = self->length - 1; i >= 0; i--) {
        if (++self->indices[i] < tuple_size(tuple_at(self->pools, i))) return i;
        self->indices[i] = 0;
    }
    return -1;
}

static Value product_next(ValueRef value)
{
    Combiner *self = as_combiner(value);
    if (self->stopped) return ABSENT;
    if (!self->result) {
        for (ssize_t i = 0; i < self->length; i++)
            if (tuple_size(tuple_at(self->pools, i)) == 0) return stop(self);
        return first_result(self, show_from_own);
    }
    ssize_t changed = product_turn(self);
    return changed < 0 ? stop(self) : next_result(self, show_from_own, changed);
}

static Value product_setstate(ValueRef value, METHOD_ARGS)
{
    Combiner *self = as_combiner(value);
    if (!read_indices(args[0], self->length, self->indices)) return VALUE_ERROR;
    for (ssize_t i = 0; i < self->length; i++) {
        ssize_t size = tuple_size(tuple_at(self->pools, i));
        self->stopped |= size == 0;
        limit(&self->indices[i], 0, size - 1);
    }
    if (self->stopped) return NONE;
    Value result = first_result(self, show_from_own);
    drop(result);
    return result ? NONE : VALUE_ERROR;
}

static Value product_sizeof(ValueRef self, METHOD_ARGS)
{
    return size_of(self, 48, as_combiner(self)->length);
}

static const MethodDef product_next_methods[] = {
    {"__reduce__", product_reduce, NO_ARGS, NULL},
    {"__setstate__", product_setstate, ONE_ARG, NULL},
    {"__sizeof__", product_sizeof, NO_ARGS, NULL},
    {0},
};
COMBINER_TYPE(itertools_product_type, "product", product_new, product_next);

// ---- combinations, with and without replacement

// The arguments of both: the iterable as a tuple, and the length of a result.
static Value combinations_arguments(const char *name, const ValueRef *args, size_t nargs,
                                    ValueRef kwnames, ssize_t *length)
{
    static const char *const names[] = {"iterable", "r", NULL};
    const Signature signature = {name, names, 2, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (!argument_ssize(slots[1], length)) return VALUE_ERROR;
    Value pool = sequence_tuple(slots[0]);
    if (!pool || *length >= 0) return pool;
    drop(pool);
    return raise_error(ValueError, "r must be non-negative");
}

static Value combinations_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ssize_t length = 0;
    Value pool = combinations_arguments("combinations", args, nargs, kwnames, &length);
    bool none = pool && length > tuple_size(pool);
    Value self = combiner_new(type, pool, length, none ? 0 : length, true);
    if (self) as_combiner(self)->stopped = none;
    return self;
}

static Value combinations_next(ValueRef value)
{
    Combiner *self = as_combiner(value);
    if (self->stopped) return ABSENT;
    if (!self->result) return first_result(self, show_from_one);
    ssize_t *indices = self->indices, i = self->length - 1;
    ssize_t spare = tuple_size(self->pools) - self->length;
    while (i >= 0 && indices[i] == i + spare) i--;
    if (i < 0) return stop(self);
    indices[i]++;
    for (ssize_t j = i + 1; j < self->length; j++) indices[j] = indices[j - 1] + 1;
    return next_result(self, show_from_one, i);
}

static Value combinations_setstate(ValueRef value, METHOD_ARGS)
{
    Combiner *self = as_combiner(value);
    ssize_t spare = tuple_size(self->pools) - self->length;
    if (spare < 0) return raise_error(ValueError, "invalid arguments");
    if (!read_indices(args[0], self->length, self->indices)) return VALUE_ERROR;
    for (ssize_t i = 0; i < self->length; i++) limit(&self->indices[i], 0, i + spare);
    Value result = first_result(self, show_from_one);
    drop(result);
    return result ? NONE : VALUE_ERROR;
}

static Value combinations_sizeof(ValueRef self, METHOD_ARGS)
{
    return size_of(self, 56, as_combiner(self)->length);
}

static const MethodDef combinations_next_methods[] = {
    {"__reduce__", combinations_reduce, NO_ARGS, NULL},
    {"__setstate__", combinations_setstate, ONE_ARG, NULL},
    {"__sizeof__", combinations_sizeof, NO_ARGS, NULL},
    {0},
};
COMBINER_TYPE(itertools_combinations_type, "combinations", combinations_new, combinations_next);

static Value replacement_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ssize_t length = 0;
    Value pool =
        combinations_arguments("combinations_with_replacement", args, nargs, kwnames, &length);
    bool none = pool && length > 0 && tuple_size(pool) == 0;
    Value self = combiner_new(type, pool, length, length, false);
    if (self) as_combiner(self)->stopped = none;
    return self;
}

static Value replacement_next(ValueRef value)
{
    Combiner *self = as_combiner(value);
    if (self->stopped) return ABSENT;
    if (!self->result) return first_result(self, show_from_one);
    ssize_t *indices = self->indices, i = self->length - 1, last = tuple_size(self->pools) - 1;
    while (i >= 0 && indices[i] == last) i--;
    if (i < 0) return stop(self);
    ssize_t index = indices[i] + 1;
    for (ssize_t j = i; j < self->length; j++) indices[j] = index;
    return next_result(self, show_from_one, i);
}

static Value replacement_setstate(ValueRef value, METHOD_ARGS)
{
    Combiner *self = as_combiner(value);
    ssize_t last = tuple_size(self->pools) - 1;
    if (self->length && last < 0) return raise_error(ValueError, "invalid arguments");
    if (!read_indices(args[0], self->length, self->indices)) return VALUE_ERROR;
    for (ssize_t i = 0; i < self->length; i++) limit(&self->indices[i], 0, last);
    Value result = first_result(self, show_from_one);
    drop(result);
    return result ? NONE : VALUE_ERROR;
}

static const MethodDef replacement_next_methods[] = {
    {"__reduce__", combinations_reduce, NO_ARGS, NULL},
    {"__setstate__", replacement_setstate, ONE_ARG, NULL},
    {"__sizeof__", combinations_sizeof, NO_ARGS, NULL},
    {0},
};
COMBINER_TYPE(itertools_combinations_with_replacement_type, "combinations_with_replacement",
              replacement_new, replacement_next);

// ---- permutations

static Value permutations_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"iterable", "r", NULL};
    static const Signature signature = {"permutations", names, 1, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    Value pool = sequence_tuple(slots[0]);
    if (!pool) return VALUE_ERROR;
    ssize_t count = tuple_size(pool), length = count;
    bool ok = true;
    if (slots[1] && slots[1] != NONE) {
        ok = int_check(slots[1]) || raise_error(TypeError, "Expected int as r");
        ok = ok && argument_ssize(slots[1], &length);
        if (ok && length < 0) ok = raise_error(ValueError, "r must be non-negative");
    }
    if (!ok) {
        drop(pool);
        return VALUE_ERROR;
    }
    bool none = length > count;
    Value self = combiner_new(type, pool, length, count, true);
    if (!self) return VALUE_ERROR;
    as_combiner(self)->stopped = none;
    ssize_t *cycles = as_combiner(self)->cycles = new_indices(none ? 0 : length, false);
    for (ssize_t i = 0; cycles && !none && i < length; i++) cycles[i] = count - i;
    if (cycles) return self;
    drop(self);
    return VALUE_ERROR;
}

// Advances the rightmost position that has a choice left. That position, or -1 = none has.
static ssize_t permutations_turn(Combiner *self)
{
    ssize_t *indices = self->indices, *cycles = self->cycles;
    ssize_t count = tuple_size(self->pools);
    for (ssize_t i = self->length - 1; i >= 0; i--) {
        ssize_t index = indices[i];
        if (--cycles[i] > 0) {
            ssize_t other = count - cycles[i];
            indices[i] = indices[other];
            indices[other] = index;
            return i;
        }
        memmove(indices + i, indices + i + 1, (size_t)(count - 1 - i) * sizeof *indices);
        indices[count - 1] = index;
        cycles[i] = count - i;
    }
    return -1;
}

static Value permutations_next(ValueRef value)
{
    Combiner *self = as_combiner(value);
    if (self->stopped) return ABSENT;
    if (!self->result) return first_result(self, show_from_one);
    ssize_t changed = permutations_turn(self);
    return changed < 0 ? stop(self) : next_result(self, show_from_one, changed);
}

static Value permutations_reduce(ValueRef value, METHOD_ARGS)
{
    const Combiner *self = as_combiner(value);
    Value arguments = constructor_arguments(self, false), state = VALUE_ERROR;
    if (arguments && self->result && !self->stopped) {
        Value indices = indices_as_tuple(self->indices, tuple_size(self->pools));
        Value cycles = indices ? indices_as_tuple(self->cycles, self->length) : VALUE_ERROR;
        if (cycles) state = tuple_pack(2, (ValueRef)indices, (ValueRef)cycles);
        if (!state) replace_slot(&arguments, VALUE_ERROR);
        drop(cycles);
        drop(indices);
    }
    return itertools_reduced(value, arguments, state);
}

static Value permutations_setstate(ValueRef value, METHOD_ARGS)
{
    Combiner *self = as_combiner(value);
    ssize_t count = tuple_size(self->pools);
    if (!tuple_check(args[0])) return raise_error(TypeError, "state is not a tuple");
    if (tuple_size(args[0]) != 2)
        return raise_error(TypeError, "function takes exactly 2 arguments (%zd given)",
                           tuple_size(args[0]));
    for (ssize_t i = 0; i < 2; i++)
        if (!tuple_check(tuple_at(args[0], i)))
            return raise_error(TypeError, "argument %zd must be tuple, not %T", i + 1,
                               tuple_at(args[0], i));
    if (self->length > count) return raise_error(ValueError, "invalid arguments");
    if (!read_indices(tuple_at(args[0], 0), count, self->indices)) return VALUE_ERROR;
    for (ssize_t i = 0; i < count; i++) limit(&self->indices[i], 0, count - 1);
    if (!read_indices(tuple_at(args[0], 1), self->length, self->cycles)) return VALUE_ERROR;
    for (ssize_t i = 0; i < self->length; i++) limit(&self->cycles[i], 1, count - i);
    Value result = first_result(self, show_from_one);
    drop(result);
    return result ? NONE : VALUE_ERROR;
}

static Value permutations_sizeof(ValueRef self, METHOD_ARGS)
{
    const Combiner *combiner = as_combiner(self);
    return size_of(self, 64, tuple_size(combiner->pools) + combiner->length);
}

static const MethodDef permutations_next_methods[] = {
    {"__reduce__", permutations_reduce, NO_ARGS, NULL},
    {"__setstate__", permutations_setstate, ONE_ARG, NULL},
    {"__sizeof__", permutations_sizeof, NO_ARGS, NULL},
    {0},
};
COMBINER_TYPE(itertools_permutations_type, "permutations", permutations_new, permutations_next);
