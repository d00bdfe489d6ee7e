// Copying and pickling the iterators of itertools: __reduce__ returns how to make an equal one, and
// __setstate__ restores its position. mod_itertools.c says what each type keeps in a Stage.
#include "vm/modules/itertools/itertools.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"

Value itertools_reduced(ValueRef self, Value arguments, Value state)
{
    Value result = VALUE_ERROR;
    if (arguments && state)
        result = tuple_pack(3, ref_of(type_of(self)), (ValueRef)arguments, (ValueRef)state);
    else if (arguments)
        result = tuple_pack(2, ref_of(type_of(self)), (ValueRef)arguments);
    drop(arguments);
    drop(state);
    return result;
}

static Value optional(ValueRef value)
{
    return value ? retain(value) : NONE;
}

// ---- cycle

// An iterator over the list of all items, from the position on.
static Value rest_of_cycle(const Itertool *stage)
{
    Value iterator = object_iter(stage->kept), name = VALUE_ERROR;
    if (!iterator || stage->position == 0) return iterator;
    name = str_intern("__setstate__");
    Value none = VALUE_ERROR;
    if (name) none = object_call_method_one(iterator, name, from_small(stage->position));
    if (!none) replace_slot(&iterator, VALUE_ERROR);
    drop(none);
    drop(name);
    return iterator;
}

static Value cycle_reduce(ValueRef self, METHOD_ARGS)
{
    const Itertool *stage = as_stage(self);
    bool complete = stage->started || !stage->source;
    Value iterator = stage->source ? retain(stage->source) : rest_of_cycle(stage);
    Value arguments = iterator ? tuple_pack(1, (ValueRef)iterator) : VALUE_ERROR;
    Value state = VALUE_ERROR;
    if (arguments) {
        state = tuple_pack(2, (ValueRef)stage->kept, (ValueRef)from_bool(complete));
        if (!state) replace_slot(&arguments, VALUE_ERROR);
    }
    drop(iterator);
    return itertools_reduced(self, arguments, state);
}

static Value cycle_setstate(ValueRef self, METHOD_ARGS)
{
    Itertool *stage = as_stage(self);
    int complete;
    if (!tuple_check(args[0])) return raise_error(TypeError, "state is not a tuple");
    if (tuple_size(args[0]) != 2)
        return raise_error(TypeError, "function takes exactly 2 arguments (%zd given)",
                           tuple_size(args[0]));
    ValueRef list = tuple_at(args[0], 0);
    if (!list_check(list)) return raise_error(TypeError, "argument 1 must be list, not %T", list);
    if (!argument_int(tuple_at(args[0], 1), &complete)) return VALUE_ERROR;
    replace_slot(&stage->kept, retain(list));
    stage->started = complete != 0;
    stage->position = 0;
    return NONE;
}

const MethodDef itertools_cycle_methods[] = {
    {"__reduce__", cycle_reduce, NO_ARGS, NULL},
    {"__setstate__", cycle_setstate, ONE_ARG, NULL},
    {0},
};

// ---- accumulate

// chain((first,), source)
static Value with_first(ValueRef first, ValueRef source)
{
    Value alone = tuple_pack(1, first), result = VALUE_ERROR;
    if (alone) result = object_call_two(ref_of(&itertools_chain_type), alone, source);
    drop(alone);
    return result;
}

// accumulate(source, function), as arguments. Steals the source; VALUE_ERROR passes through.
static Value accumulate_arguments(const Itertool *stage, Value source)
{
    ValueRef function = stage->function ? (ValueRef)stage->function : (ValueRef)NONE;
    Value arguments = source ? tuple_pack(2, (ValueRef)source, function) : VALUE_ERROR;
    drop(source);
    return arguments;
}

// A total that is None cannot be a state: then the copy begins one earlier, and leaves that out.
static Value accumulate_after_none(const Itertool *stage)
{
    Value arguments = accumulate_arguments(stage, with_first(NONE, stage->source));
    Value inner = VALUE_ERROR, sliced = VALUE_ERROR, result = VALUE_ERROR;
    if (arguments) inner = object_call_spread(ref_of(&itertools_accumulate_type), arguments, 0);
    if (inner) sliced = tuple_pack(3, (ValueRef)inner, (ValueRef)from_small(1), (ValueRef)NONE);
    if (sliced) result = tuple_pack(2, ref_of(&itertools_islice_type), (ValueRef)sliced);
    drop(sliced);
    drop(inner);
    drop(arguments);
    return result;
}

static Value accumulate_reduce(ValueRef self, METHOD_ARGS)
{
    const Itertool *stage = as_stage(self);
    if (stage->result) {
        Value source = with_first(stage->result, stage->source);
        return itertools_reduced(self, accumulate_arguments(stage, source), NONE);
    }
    if (stage->kept == NONE) return accumulate_after_none(stage);
    return itertools_reduced(self, accumulate_arguments(stage, retain(stage->source)),
                             optional(stage->kept));
}

static Value accumulate_setstate(ValueRef self, METHOD_ARGS)
{
    replace_slot(&as_stage(self)->kept, retain(args[0]));
    return NONE;
}

const MethodDef itertools_accumulate_methods[] = {
    {"__reduce__", accumulate_reduce, NO_ARGS, NULL},
    {"__setstate__", accumulate_setstate, ONE_ARG, NULL},
    {0},
};

// ---- chain

Value itertools_chain_reduce(ValueRef self, METHOD_ARGS)
{
    const Itertool *stage = as_stage(self);
    Value arguments = tuple_new(0), state = VALUE_ERROR;
    if (!stage->source) return itertools_reduced(self, arguments, VALUE_ERROR);
    if (stage->kept)
        state = tuple_pack(2, (ValueRef)stage->source, (ValueRef)stage->kept);
    else
        state = tuple_pack(1, (ValueRef)stage->source);
    if (!state) replace_slot(&arguments, VALUE_ERROR);
    return itertools_reduced(self, arguments, state);
}

Value itertools_chain_setstate(ValueRef self, METHOD_ARGS)
{
    Itertool *stage = as_stage(self);
    ValueRef state = args[0];
    if (!tuple_check(state)) return raise_error(TypeError, "state is not a tuple");
    ssize_t size = tuple_size(state);
    if (size < 1 || size > 2)
        return raise_error(TypeError, "function takes at %s %d argument%s (%zd given)",
                           size < 1 ? "least" : "most", size < 1 ? 1 : 2, size < 1 ? "" : "s",
                           size);
    for (ssize_t i = 0; i < size; i++)
        if (!object_is_iterator(tuple_at(state, i)))
            return raise_error(TypeError, "Arguments must be iterators.");
    replace_slot(&stage->source, retain(tuple_at(state, 0)));
    replace_slot(&stage->kept, size == 2 ? retain(tuple_at(state, 1)) : VALUE_ERROR);
    return NONE;
}

// ---- dropwhile, takewhile

static Value while_reduce(ValueRef self, METHOD_ARGS)
{
    const Itertool *stage = as_stage(self);
    Value arguments = tuple_pack(2, (ValueRef)stage->function, (ValueRef)stage->source);
    return itertools_reduced(self, arguments, from_small(stage->started));
}

static Value while_setstate(ValueRef self, METHOD_ARGS)
{
    bool truth;
    if (!object_truth(args[0], &truth)) return VALUE_ERROR;
    as_stage(self)->started = truth;
    return NONE;
}

const MethodDef itertools_dropwhile_methods[] = {
    {"__reduce__", while_reduce, NO_ARGS, NULL},
    {"__setstate__", while_setstate, ONE_ARG, NULL},
    {0},
};
const MethodDef itertools_takewhile_methods[] = {
    {"__reduce__", while_reduce, NO_ARGS, NULL},
    {"__setstate__", while_setstate, ONE_ARG, NULL},
    {0},
};

// ---- islice

static Value ended_islice(ValueRef self)
{
    Value nothing = list_new(0), iterator = nothing ? object_iter(nothing) : VALUE_ERROR;
    Value arguments = VALUE_ERROR;
    if (iterator) arguments = tuple_pack(2, (ValueRef)iterator, (ValueRef)from_small(0));
    drop(iterator);
    drop(nothing);
    return itertools_reduced(self, arguments, from_small(0));
}

static Value islice_reduce(ValueRef self, METHOD_ARGS)
{
    const Itertool *stage = as_stage(self);
    if (!stage->source) return ended_islice(self);
    Value next = int_new(stage->next), stop = stage->stop == -1 ? NONE : int_new(stage->stop);
    Value step = int_new(stage->step), position = int_new(stage->position);
    Value arguments = VALUE_ERROR;
    if (next && stop && step && position)
        arguments =
            tuple_pack(4, (ValueRef)stage->source, (ValueRef)next, (ValueRef)stop, (ValueRef)step);
    drop(next);
    drop(stop);
    drop(step);
    return itertools_reduced(self, arguments, position);
}

static Value islice_setstate(ValueRef self, METHOD_ARGS)
{
    if (!int_check(args[0])) return raise_error(TypeError, "an integer is required");
    return argument_ssize(args[0], &as_stage(self)->position) ? NONE : VALUE_ERROR;
}

const MethodDef itertools_islice_methods[] = {
    {"__reduce__", islice_reduce, NO_ARGS, NULL},
    {"__setstate__", islice_setstate, ONE_ARG, NULL},
    {0},
};

// ---- zip_longest

// An iterator at its end is an empty tuple among the arguments.
static Value longest_reduce(ValueRef self, METHOD_ARGS)
{
    const Itertool *stage = as_stage(self);
    const Tuple *iterators = as_tuple(stage->source);
    Value arguments = tuple_new(iterators->size);
    for (ssize_t i = 0; arguments && i < iterators->size; i++) {
        bool ended = iterators->items[i] == NONE;
        as_tuple(arguments)->items[i] = ended ? tuple_new(0) : retain(iterators->items[i]);
    }
    return itertools_reduced(self, arguments, retain(stage->kept));
}

static Value longest_setstate(ValueRef self, METHOD_ARGS)
{
    replace_slot(&as_stage(self)->kept, retain(args[0]));
    return NONE;
}

const MethodDef itertools_zip_longest_methods[] = {
    {"__reduce__", longest_reduce, NO_ARGS, NULL},
    {"__setstate__", longest_setstate, ONE_ARG, NULL},
    {0},
};
