// The module itertools: iterators made of iterators. groupby is in itertools_group.c, tee in
// itertools_tee.c, the combinatoric ones in itertools_combine.c.
//
// All of them are Stages (itertools.h). Nearly every step calls script code (the source's __next__,
// the function), and script code may call the same iterator again. So a stage retains what it uses
// across such a call, and stores its new state before it drops anything.
#include "vm/modules/itertools/itertools.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/protocols/iterators.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// ---- stages

Value stage_new(Type *type, Value source, Value function, Value kept)
{
    Itertool *stage = source ? object_alloc(type, 0) : NULL;
    if (!stage) {
        drop(source);
        drop(function);
        drop(kept);
        return VALUE_ERROR;
    }
    stage->source = source;
    stage->function = function;
    stage->kept = kept;
    return own(stage);
}

void stage_release(Object *self)
{
    Itertool *stage = (Itertool *)self;
    drop_slot(&stage->source);
    drop_slot(&stage->function);
    drop_slot(&stage->kept);
    drop_slot(&stage->result);
}

void stage_traverse(Object *self, VisitFn visit, void *arg)
{
    const Itertool *stage = (const Itertool *)self;
    visit_item(stage->source, visit, arg);
    visit_item(stage->function, visit, arg);
    visit_item(stage->kept, visit, arg);
    visit_item(stage->result, visit, arg);
}

Tuple *stage_result(Itertool *stage)
{
    if (object_of(stage->result)->refcount > 1) {
        const Tuple *last = as_tuple(stage->result);
        Value copy = tuple_from_array(lend(last->items), (size_t)last->size);
        if (!copy) return NULL;
        replace_slot(&stage->result, copy);
    }
    track_again(object_of(stage->result));
    return as_tuple(stage->result);
}

bool stage_arguments(const Type *type, const Type *exact, const char *name, size_t nargs,
                     ValueRef kwnames, ssize_t min, ssize_t max)
{
    if (type == exact && !args_no_keywords(name, kwnames)) return false;
    return args_check(name, nargs, 0, min, max);
}

// True where `item` is an item: neither the end nor a failure.
static inline bool is_item(ValueRef item)
{
    return item && item != ABSENT;
}

// ---- count: kept = the next number, function = the step

static bool is_number(ValueRef value)
{
    const Type *type = type_of(value);
    return type->index || type->int_ || type->float_ || type == &complex_type;
}

static Value count_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"start", "step", NULL};
    static const Signature signature = {"count", names, 0, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if ((slots[0] && !is_number(slots[0])) || (slots[1] && !is_number(slots[1])))
        return raise_error(TypeError, "a number is required");
    ValueRef step = slots[1] ? slots[1] : from_small(1), start = slots[0];
    bool by_one = int_check(step) && int_compare(step, from_small(1)) == 0;
    Value first = !start                       ? from_small(0)
                  : by_one && int_check(start) ? int_add(start, from_small(0))
                                               : retain(start);
    if (!first) return VALUE_ERROR;
    return stage_new(type, NONE, by_one ? from_small(1) : retain(step), first);
}

static Value count_next(ValueRef self)
{
    Itertool *stage = as_stage(self);
    Value number = stage->kept;
    if (are_small(number, stage->function)) {
        int64_t after = small_value(number) + small_value(stage->function);
        if (fits_small(after)) {
            stage->kept = from_small(after);
            return number;
        }
    }
    number = retain(number);
    Value after = object_binary(number, stage->function, OP_ADD);
    if (after) {
        replace_slot(&stage->kept, after);
        return number;
    }
    drop(number);
    return VALUE_ERROR;
}

static Value count_repr(ValueRef self)
{
    const Itertool *stage = as_stage(self);
    Value name = type_name(type_of(self)), text = VALUE_ERROR;
    if (!name) return VALUE_ERROR;
    if (stage->function == from_small(1))
        text = format_text("%S(%R)", name, stage->kept);
    else
        text = format_text("%S(%R, %R)", name, stage->kept, stage->function);
    drop(name);
    return text;
}

static Value count_reduce(ValueRef self, METHOD_ARGS)
{
    const Itertool *stage = as_stage(self);
    ssize_t number; // CPython counts by one in a C integer while it can, and leaves out that step
    bool counts = stage->function == from_small(1) && int_check(stage->kept) &&
                  !int_as_ssize_clamped(stage->kept, &number);
    if (counts && number < PTRDIFF_MAX)
        return itertools_reduced(self, tuple_pack(1, stage->kept), VALUE_ERROR);
    return itertools_reduced(self, tuple_pack(2, stage->kept, stage->function), VALUE_ERROR);
}

static const MethodDef count_methods[] = {{"__reduce__", count_reduce, NO_ARGS, NULL}, {0}};
STAGE_TYPE(itertools_count_type, "count", .methods = count_methods, .new_ = count_new,
           .next = count_next, .repr = count_repr);

// ---- cycle: kept = the list of all items; started = it is complete, though the source goes on

static Value cycle_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!stage_arguments(type, &itertools_cycle_type, "cycle", nargs, kwnames, 1, 1))
        return VALUE_ERROR;
    Value source = object_iter(args[0]);
    Value saved = source ? list_new(0) : VALUE_ERROR;
    if (!saved) replace_slot(&source, VALUE_ERROR);
    return stage_new(type, source, VALUE_ERROR, saved);
}

static Value cycle_next(ValueRef self)
{
    Itertool *stage = as_stage(self);
    if (stage->source) {
        Value source = retain(stage->source);
        Value item = next_of(source);
        drop(source);
        if (item != ABSENT) {
            if (!item || stage->started || list_append(stage->kept, item)) return item;
            drop(item);
            return VALUE_ERROR;
        }
        drop_slot(&stage->source);
    }
    if (list_size(stage->kept) == 0) return ABSENT;
    // __reduce__() gives the list out, so a script can shorten it.
    if (stage->position >= list_size(stage->kept)) stage->position = 0;
    Value item = retain(list_at(stage->kept, stage->position));
    if (++stage->position >= list_size(stage->kept)) stage->position = 0;
    return item;
}

STAGE_TYPE(itertools_cycle_type, "cycle", .methods = itertools_cycle_methods, .new_ = cycle_new,
           .next = cycle_next);

// ---- repeat: kept = the object; stop = how often still, -1 = for ever

static Value repeat_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"object", "times", NULL};
    static const Signature signature = {"repeat", names, 1, 2};
    ValueRef slots[2];
    ssize_t times = -1;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (slots[1] && !argument_ssize(slots[1], &times)) return VALUE_ERROR;
    Value stage = stage_new(type, NONE, VALUE_ERROR, retain(slots[0]));
    if (stage) as_stage(stage)->stop = slots[1] && times < 0 ? 0 : times;
    return stage;
}

static Value repeat_next(ValueRef self)
{
    Itertool *stage = as_stage(self);
    if (stage->stop == 0) return ABSENT;
    if (stage->stop > 0) stage->stop--;
    return retain(stage->kept);
}

static Value repeat_repr(ValueRef self)
{
    const Itertool *stage = as_stage(self);
    Value name = type_name(type_of(self)), text = VALUE_ERROR;
    if (!name) return VALUE_ERROR;
    if (stage->stop == -1)
        text = format_text("%S(%R)", name, stage->kept);
    else
        text = format_text("%S(%R, %zd)", name, stage->kept, stage->stop);
    drop(name);
    return text;
}

static Value repeat_hint(ValueRef self, METHOD_ARGS)
{
    if (as_stage(self)->stop == -1) return raise_error(TypeError, "len() of unsized object");
    return int_new(as_stage(self)->stop);
}

static Value repeat_reduce(ValueRef self, METHOD_ARGS)
{
    const Itertool *stage = as_stage(self);
    if (stage->stop == -1) return itertools_reduced(self, tuple_pack(1, stage->kept), VALUE_ERROR);
    Value times = int_new(stage->stop);
    Value arguments = times ? tuple_pack(2, (ValueRef)stage->kept, (ValueRef)times) : VALUE_ERROR;
    drop(times);
    return itertools_reduced(self, arguments, VALUE_ERROR);
}

static const MethodDef repeat_methods[] = {
    {"__length_hint__", repeat_hint, NO_ARGS, NULL},
    {"__reduce__", repeat_reduce, NO_ARGS, NULL},
    {0},
};
STAGE_TYPE(itertools_repeat_type, "repeat", .methods = repeat_methods, .new_ = repeat_new,
           .next = repeat_next, .repr = repeat_repr);

// ---- accumulate: kept = the total; function = what adds, 0 = +; result = the initial total

static Value accumulate_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"iterable", "func", "initial", NULL};
    static const Signature signature = {"accumulate", names, 1, 2};
    ValueRef slots[3];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    bool adds = !slots[1] || slots[1] == NONE;
    Value stage =
        stage_new(type, object_iter(slots[0]), adds ? VALUE_ERROR : retain(slots[1]), VALUE_ERROR);
    if (stage && slots[2] && slots[2] != NONE) as_stage(stage)->result = retain(slots[2]);
    return stage;
}

static Value accumulate_next(ValueRef self)
{
    Itertool *stage = as_stage(self);
    if (stage->result) {
        Value first = stage->result;
        stage->result = VALUE_ERROR;
        replace_slot(&stage->kept, retain(first)); // may run a __del__, which may come here again
        return first;
    }
    Value item = next_within(stage->source);
    if (!is_item(item)) return item;
    if (!stage->kept) {
        stage->kept = item;
        return retain(item);
    }
    Value total = retain(stage->kept);
    Value sum = stage->function ? object_call_two(stage->function, total, item)
                                : object_binary(total, item, OP_ADD);
    drop(total);
    drop(item);
    if (!sum) return VALUE_ERROR;
    replace_slot(&stage->kept, retain(sum));
    return sum;
}

STAGE_TYPE(itertools_accumulate_type, "accumulate", .methods = itertools_accumulate_methods,
           .new_ = accumulate_new, .next = accumulate_next);

// ---- chain: source = the iterator of iterables; kept = the iterator of the one we are in

static Value chain_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (type == &itertools_chain_type && !args_no_keywords("chain", kwnames)) return VALUE_ERROR;
    Value iterables = tuple_from_array(args, nargs);
    Value source = iterables ? object_iter(iterables) : VALUE_ERROR;
    drop(iterables);
    return stage_new(type, source, VALUE_ERROR, VALUE_ERROR);
}

static Value chain_from_iterable(ValueRef self, METHOD_ARGS)
{
    return stage_new(as_type(self), object_iter(args[0]), VALUE_ERROR, VALUE_ERROR);
}

// Goes on to the next iterable: NONE, or ABSENT or VALUE_ERROR at the end.
static Value chain_advance(Itertool *stage)
{
    Value source = retain(stage->source);
    Value iterable = next_of(source);
    drop(source);
    Value iterator = is_item(iterable) ? object_iter(iterable) : iterable;
    if (is_item(iterable)) drop(iterable);
    if (is_item(iterator)) {
        replace_slot(&stage->kept, iterator);
        return NONE;
    }
    drop_slot(&stage->source);
    return iterator;
}

static Value chain_next(ValueRef self)
{
    Itertool *stage = as_stage(self);
    while (stage->source) {
        if (!stage->kept) {
            Value advanced = chain_advance(stage);
            if (advanced != NONE) return advanced;
            continue;
        }
        Value item = next_of_list(stage->kept);
        if (item != ABSENT) return item;
        Value iterator = retain(stage->kept);
        item = next_of(iterator);
        drop(iterator);
        if (item != ABSENT) return item;
        drop_slot(&stage->kept);
        if (!poll_signals()) return VALUE_ERROR;
    }
    return ABSENT;
}

static const MethodDef chain_methods[] = {
    {"from_iterable", chain_from_iterable, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {"__reduce__", itertools_chain_reduce, NO_ARGS, NULL},
    {"__setstate__", itertools_chain_setstate, ONE_ARG, NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};
STAGE_TYPE(itertools_chain_type, "chain", .methods = chain_methods, .new_ = chain_new,
           .next = chain_next);

// ---- compress: kept = the iterator of selectors

static Value compress_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"data", "selectors", NULL};
    static const Signature signature = {"compress", names, 2, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    Value data = object_iter(slots[0]);
    Value selectors = data ? object_iter(slots[1]) : VALUE_ERROR;
    if (!selectors) replace_slot(&data, VALUE_ERROR);
    return stage_new(type, data, VALUE_ERROR, selectors);
}

static Value compress_next(ValueRef self)
{
    const Itertool *stage = as_stage(self);
    for (;;) {
        Value item = next_within(stage->source);
        if (!is_item(item)) return item;
        Value selector = next_within(stage->kept);
        if (!is_item(selector)) {
            drop(item);
            return selector;
        }
        bool selected, ok = object_truth(selector, &selected) && poll_signals();
        drop(selector);
        if (ok && selected) return item;
        drop(item);
        if (!ok) return VALUE_ERROR;
    }
}

static Value compress_reduce(ValueRef self, METHOD_ARGS)
{
    return itertools_reduced(self, tuple_pack(2, as_stage(self)->source, as_stage(self)->kept),
                             VALUE_ERROR);
}

static const MethodDef compress_methods[] = {{"__reduce__", compress_reduce, NO_ARGS, NULL}, {0}};
STAGE_TYPE(itertools_compress_type, "compress", .methods = compress_methods, .new_ = compress_new,
           .next = compress_next);

// ---- dropwhile, takewhile, filterfalse: function = the predicate; started = it has said no

static Value asking_new(Type *type, const Type *exact, const char *name, const ValueRef *args,
                        size_t nargs, ValueRef kwnames)
{
    if (!stage_arguments(type, exact, name, nargs, kwnames, 2, 2)) return VALUE_ERROR;
    return stage_new(type, object_iter(args[1]), retain(args[0]), VALUE_ERROR);
}

static bool ask(const Itertool *stage, ValueRef item, bool *truth)
{
    Value answer = object_call_one(stage->function, item);
    bool ok = answer && object_truth(answer, truth) && poll_signals();
    drop(answer);
    return ok;
}

static Value dropwhile_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return asking_new(type, &itertools_dropwhile_type, "dropwhile", args, nargs, kwnames);
}

static Value dropwhile_next(ValueRef self)
{
    Itertool *stage = as_stage(self);
    for (;;) {
        bool truth;
        Value item = next_within(stage->source);
        if (stage->started || !is_item(item)) return item;
        bool ok = ask(stage, item, &truth);
        if (ok && !truth) {
            stage->started = true;
            return item;
        }
        drop(item);
        if (!ok) return VALUE_ERROR;
    }
}

STAGE_TYPE(itertools_dropwhile_type, "dropwhile", .methods = itertools_dropwhile_methods,
           .new_ = dropwhile_new, .next = dropwhile_next);

static Value takewhile_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return asking_new(type, &itertools_takewhile_type, "takewhile", args, nargs, kwnames);
}

static Value takewhile_next(ValueRef self)
{
    Itertool *stage = as_stage(self);
    bool truth;
    if (stage->started) return ABSENT;
    Value item = next_within(stage->source);
    if (!is_item(item)) return item;
    bool ok = ask(stage, item, &truth);
    if (ok && truth) return item;
    stage->started = ok;
    drop(item);
    return ok ? ABSENT : VALUE_ERROR;
}

STAGE_TYPE(itertools_takewhile_type, "takewhile", .methods = itertools_takewhile_methods,
           .new_ = takewhile_new, .next = takewhile_next);

static Value filterfalse_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return asking_new(type, &itertools_filterfalse_type, "filterfalse", args, nargs, kwnames);
}

static Value filterfalse_next(ValueRef self)
{
    const Itertool *stage = as_stage(self);
    bool plain = stage->function == NONE || stage->function == ref_of(&bool_type);
    for (;;) {
        bool truth;
        Value item = next_within(stage->source);
        if (!is_item(item)) return item;
        bool ok = plain ? object_truth(item, &truth) && poll_signals() : ask(stage, item, &truth);
        if (ok && !truth) return item;
        drop(item);
        if (!ok) return VALUE_ERROR;
    }
}

static Value function_reduce(ValueRef self, METHOD_ARGS)
{
    return itertools_reduced(self, tuple_pack(2, as_stage(self)->function, as_stage(self)->source),
                             VALUE_ERROR);
}

static const MethodDef function_methods[] = {{"__reduce__", function_reduce, NO_ARGS, NULL}, {0}};
STAGE_TYPE(itertools_filterfalse_type, "filterfalse", .methods = function_methods,
           .new_ = filterfalse_new, .next = filterfalse_next);

// ---- starmap

static Value starmap_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return asking_new(type, &itertools_starmap_type, "starmap", args, nargs, kwnames);
}

static Value starmap_next(ValueRef self)
{
    const Itertool *stage = as_stage(self);
    Value item = next_within(stage->source);
    if (!is_item(item)) return item;
    Value arguments = sequence_tuple(item);
    drop(item);
    if (!arguments) return VALUE_ERROR;
    Value result = object_call(stage->function, lend(as_tuple(arguments)->items),
                               (size_t)tuple_size(arguments), 0);
    drop(arguments);
    return result;
}

STAGE_TYPE(itertools_starmap_type, "starmap", .methods = function_methods, .new_ = starmap_new,
           .next = starmap_next);

// ---- islice: position = items taken from the source, next = the one wanted, stop (-1 = none)

// An index of islice(), or None, which leaves *number alone. What is no index is -1.
static ssize_t islice_index(ValueRef value, ssize_t if_none)
{
    ssize_t number;
    if (value == NONE) return if_none;
    if (!is_index(value)) return -1;
    if (object_as_ssize(value, &number, OverflowError)) return number;
    error_clear();
    return -1;
}

static bool islice_bounds(const ValueRef *args, size_t nargs, ssize_t *start, ssize_t *stop,
                          ssize_t *step)
{
    ValueRef end = nargs == 2 ? args[1] : args[2];
    *start = nargs == 2 ? 0 : islice_index(args[1], 0);
    *stop = islice_index(end, -1);
    *step = nargs == 4 ? islice_index(args[3], 1) : 1;
    if (*stop == -1 && end != NONE)
        return raise_error(ValueError, "Stop argument for islice() must be None or an integer: "
                                       "0 <= x <= sys.maxsize.");
    if (*start < 0 || *stop < -1)
        return raise_error(ValueError, "Indices for islice() must be None or an integer: "
                                       "0 <= x <= sys.maxsize.");
    if (*step < 1)
        return raise_error(ValueError, "Step for islice() must be a positive integer or None.");
    return true;
}

static Value islice_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ssize_t start, stop, step;
    if (!stage_arguments(type, &itertools_islice_type, "islice", nargs, kwnames, 2, 4) ||
        !islice_bounds(args, nargs, &start, &stop, &step))
        return VALUE_ERROR;
    Value made = stage_new(type, object_iter(args[0]), VALUE_ERROR, VALUE_ERROR);
    if (!made) return VALUE_ERROR;
    Itertool *stage = as_stage(made);
    stage->next = start;
    stage->stop = stop;
    stage->step = step;
    return made;
}

// Items of a list are passed over without a look at them.
static void islice_skip_in_list(Itertool *stage, ValueRef source)
{
    if (!is_exactly(source, &list_iterator_type)) return;
    IndexIterator *list = as_index_iterator(source);
    ssize_t left = list->sequence ? list_size(list->sequence) - list->index : 0;
    ssize_t skipped = stage->next - stage->position;
    if (skipped > left) skipped = left;
    if (skipped <= 0) return;
    list->index += skipped;
    stage->position += skipped;
}

// The next item of the source that the slice wants, or the end.
static Value islice_take(Itertool *stage, ValueRef source)
{
    islice_skip_in_list(stage, source);
    while (stage->position < stage->next) {
        Value skipped = next_within(source);
        if (!is_item(skipped)) return skipped;
        drop(skipped);
        stage->position++;
        if (!poll_signals()) return VALUE_ERROR;
    }
    if (stage->stop != -1 && stage->position >= stage->stop) return ABSENT;
    Value item = next_within(source);
    if (!is_item(item)) return item;
    stage->position++;
    bool beyond = __builtin_add_overflow(stage->next, stage->step, &stage->next);
    if (beyond || (stage->stop != -1 && stage->next > stage->stop))
        stage->next = stage->stop == -1 ? PTRDIFF_MAX : stage->stop;
    return item;
}

static Value islice_next(ValueRef self)
{
    Itertool *stage = as_stage(self);
    if (!stage->source) return ABSENT;
    Value source = retain(stage->source);
    Value item = islice_take(stage, source);
    drop(source);
    if (!is_item(item)) drop_slot(&stage->source);
    return item;
}

STAGE_TYPE(itertools_islice_type, "islice", .methods = itertools_islice_methods, .new_ = islice_new,
           .next = islice_next);

// ---- zip_longest: source = a tuple of iterators, None for those at their end; kept = what fills;
// ---- position = how many still have items

static Value longest_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ValueRef fill = NONE;
    if (kwnames && tuple_size(kwnames)) {
        if (tuple_size(kwnames) > 1 || !str_equal_ascii(tuple_at(kwnames, 0), "fillvalue"))
            return raise_error(TypeError, "zip_longest() got an unexpected keyword argument");
        fill = args[nargs];
    }
    Value iterators = tuple_new((ssize_t)nargs);
    Value last = iterators ? tuple_new((ssize_t)nargs) : VALUE_ERROR;
    for (size_t i = 0; last && i < nargs; i++) {
        as_tuple(last)->items[i] = NONE;
        Value iterator = object_iter(args[i]);
        if (!iterator)
            replace_slot(&last, VALUE_ERROR);
        else
            as_tuple(iterators)->items[i] = iterator;
    }
    if (!last) replace_slot(&iterators, VALUE_ERROR);
    Value stage = stage_new(type, iterators, VALUE_ERROR, retain(fill));
    if (stage) {
        as_stage(stage)->position = (ssize_t)nargs;
        as_stage(stage)->result = last;
    } else {
        drop(last);
    }
    return stage;
}

// The next item of iterator i, or what fills; ABSENT or VALUE_ERROR ends it all.
static Value longest_item(Itertool *stage, ssize_t i)
{
    Value *slot = &as_tuple(stage->source)->items[i];
    if (*slot == NONE) return retain(stage->kept);
    Value iterator = retain(*slot);
    Value item = next_of(iterator);
    drop(iterator);
    if (item != ABSENT) {
        if (!item) stage->position = 0;
        return item;
    }
    if (stage->position > 0 && --stage->position == 0) return ABSENT;
    replace_slot(slot, NONE);
    return retain(stage->kept);
}

static Value longest_next(ValueRef self)
{
    Itertool *stage = as_stage(self);
    ssize_t count = tuple_size(stage->source);
    if (count == 0 || stage->position == 0) return ABSENT;
    Tuple *items = stage_result(stage);
    if (!items) return VALUE_ERROR;
    Value result = retain(ref_of(items));
    for (ssize_t i = 0; i < count; i++) {
        Value item = longest_item(stage, i);
        if (!is_item(item)) {
            drop(result);
            return item;
        }
        replace_slot(&items->items[i], item);
    }
    return result;
}

STAGE_TYPE(itertools_zip_longest_type, "zip_longest", .methods = itertools_zip_longest_methods,
           .new_ = longest_new, .next = longest_next);

// ---- the module

static bool fill(ValueRef module)
{
    static Type *const types[] = {
#define TYPE_OF(name) &itertools_##name##_type,
        ITERTOOLS_TYPES(TYPE_OF)
#undef TYPE_OF
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!type_ready(types[i]) || !module_add_type(module, types[i])) return false;
    return true;
}

static const MethodDef functions[] = {
    {"tee", itertools_tee, ARGS(1, 2), NULL},
    {0},
};

const ModuleDef itertools_module = {
    .name = "itertools",
    .functions = functions,
    .fill = fill,
};
