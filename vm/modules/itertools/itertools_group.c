// itertools.groupby and itertools.tee.
//
//     groupby   source -> current value, current key;  the group given out last reads from the same
//               place, and ends when the key is no longer its own
//
//     tee       data [ 0 .. 56 ] -> data [ 57 .. ] -> ...        a linked list of what was read;
//                     ^ one tee          ^ another               each tee holds the part it is in,
//                                                                so that parts go when all have
//                                                                passed
#include "vm/modules/itertools/itertools.h"

#include "objects/error.h"
#include "objects/names.h"
#include "objects/protocols/iterators.h"
#include "objects/upcalls.h"

// ---- groupby

typedef struct GroupBy {
    Object base;
    Value source, function; // function NONE = the item is its own key
    Value target_key;       // of the group given out last
    Value current_key;      // of the item read last
    Value current_value;    // that item, 0 once a group has given it out
    const void *group;      // the group given out last, for comparison only
} GroupBy;

typedef struct Grouper {
    Object base;
    Value parent, target_key;
} Grouper;

static GroupBy *as_groupby(ValueRef value)
{
    return (GroupBy *)object_of(value);
}

static Value groupby_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"iterable", "key", NULL};
    static const Signature signature = {"groupby", names, 1, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    Value source = object_iter(slots[0]);
    GroupBy *self = source ? object_alloc(type, 0) : NULL;
    if (!self) {
        drop(source);
        return VALUE_ERROR;
    }
    self->source = source;
    self->function = slots[1] ? retain(slots[1]) : NONE;
    return own(self);
}

static void groupby_release(Object *object)
{
    GroupBy *self = (GroupBy *)object;
    drop_slot(&self->source);
    drop_slot(&self->function);
    drop_slot(&self->target_key);
    drop_slot(&self->current_key);
    drop_slot(&self->current_value);
}

static void groupby_traverse(Object *object, VisitFn visit, void *arg)
{
    const GroupBy *self = (const GroupBy *)object;
    visit_item(self->source, visit, arg);
    visit_item(self->function, visit, arg);
    visit_item(self->target_key, visit, arg);
    visit_item(self->current_key, visit, arg);
    visit_item(self->current_value, visit, arg);
}

// Reads the next item and its key: NONE, ABSENT at the end, or VALUE_ERROR.
static Value groupby_read(GroupBy *self)
{
    Value value = next_of(self->source);
    if (!value || value == ABSENT) return value;
    Value key = self->function == NONE ? retain(value) : object_call_one(self->function, value);
    if (!key) {
        drop(value);
        return VALUE_ERROR;
    }
    replace_slot(&self->current_value, value);
    replace_slot(&self->current_key, key);
    return poll_signals() ? NONE : VALUE_ERROR;
}

static bool keys_equal(ValueRef target, ValueRef current, bool *equal)
{
    Value a = retain(target), b = retain(current);
    bool ok = object_equal(a, b, equal);
    drop(a);
    drop(b);
    return ok;
}

// Reads on to the first item of another group.
static Value groupby_skip(GroupBy *self)
{
    for (;;) {
        bool equal = true;
        if (self->current_key && !self->target_key) return NONE;
        if (self->current_key && !keys_equal(self->target_key, self->current_key, &equal))
            return VALUE_ERROR;
        if (!equal) return NONE;
        Value read = groupby_read(self);
        if (read != NONE) return read;
    }
}

static Value groupby_next(ValueRef value)
{
    GroupBy *self = as_groupby(value);
    self->group = NULL;
    Value skipped = groupby_skip(self);
    if (skipped != NONE) return skipped;
    replace_slot(&self->target_key, retain(self->current_key));
    Grouper *group = object_alloc(&itertools_grouper_type, 0);
    if (!group) return VALUE_ERROR;
    group->parent = retain(value);
    group->target_key = retain(self->target_key);
    self->group = group;
    Value pair = tuple_pack(2, self->current_key, ref_of(group));
    drop(own(group));
    return pair;
}

static Value groupby_reduce(ValueRef value, METHOD_ARGS)
{
    const GroupBy *self = as_groupby(value);
    Value arguments = tuple_pack(2, (ValueRef)self->source, (ValueRef)self->function);
    Value state = VALUE_ERROR;
    if (arguments && self->current_value && self->current_key && self->target_key) {
        state = tuple_pack(3, (ValueRef)self->current_value, (ValueRef)self->current_key,
                           (ValueRef)self->target_key);
        if (!state) replace_slot(&arguments, VALUE_ERROR);
    }
    return itertools_reduced(value, arguments, state);
}

static Value groupby_setstate(ValueRef value, METHOD_ARGS)
{
    GroupBy *self = as_groupby(value);
    if (!tuple_check(args[0])) return raise_error(TypeError, "state is not a tuple");
    if (tuple_size(args[0]) != 3)
        return raise_error(TypeError, "function takes exactly 3 arguments (%zd given)",
                           tuple_size(args[0]));
    replace_slot(&self->current_value, retain(tuple_at(args[0], 0)));
    replace_slot(&self->current_key, retain(tuple_at(args[0], 1)));
    replace_slot(&self->target_key, retain(tuple_at(args[0], 2)));
    return NONE;
}

static const MethodDef groupby_methods[] = {
    {"__reduce__", groupby_reduce, NO_ARGS, NULL},
    {"__setstate__", groupby_setstate, ONE_ARG, NULL},
    {0},
};

Type itertools_groupby_type = {
    STATIC_TYPE("itertools.groupby", sizeof(GroupBy)),
    .methods = groupby_methods,
    .getattribute = object_generic_get,
    .flags = TYPE_GC | TYPE_BASE,
    .new_ = groupby_new,
    .release = groupby_release,
    .traverse = groupby_traverse,
    .iter = iterator_self,
    .next = groupby_next,
};

static void grouper_release(Object *object)
{
    drop_slot(&((Grouper *)object)->parent);
    drop_slot(&((Grouper *)object)->target_key);
}

static void grouper_traverse(Object *object, VisitFn visit, void *arg)
{
    visit_item(((Grouper *)object)->parent, visit, arg);
    visit_item(((Grouper *)object)->target_key, visit, arg);
}

static Value grouper_next(ValueRef value)
{
    const Grouper *self = (const Grouper *)object_of(value);
    GroupBy *parent = as_groupby(self->parent);
    bool equal;
    if (parent->group != self) return ABSENT;
    if (!parent->current_value) {
        Value read = groupby_read(parent);
        if (read != NONE) return read;
    }
    if (!keys_equal(self->target_key, parent->current_key, &equal)) return VALUE_ERROR;
    if (!equal || !parent->current_value) return ABSENT;
    Value item = parent->current_value;
    parent->current_value = VALUE_ERROR;
    drop_slot(&parent->current_key);
    return item;
}

static Value grouper_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!args_check("_grouper", nargs, kwnames, 2, 2)) return VALUE_ERROR;
    if (type_of(args[0]) != &itertools_groupby_type)
        return raise_error(TypeError, "_grouper() argument 1 must be itertools.groupby, not %T",
                           args[0]);
    Grouper *self = object_alloc(type, 0);
    if (!self) return VALUE_ERROR;
    self->parent = retain(args[0]);
    self->target_key = retain(args[1]);
    as_groupby(args[0])->group = self;
    return own(self);
}

static Value grouper_reduce(ValueRef value, METHOD_ARGS)
{
    const Grouper *self = (const Grouper *)object_of(value);
    if (as_groupby(self->parent)->group != self) return reduce_to_iter(tuple_new(0));
    return itertools_reduced(
        value, tuple_pack(2, (ValueRef)self->parent, (ValueRef)self->target_key), VALUE_ERROR);
}

static const MethodDef grouper_methods[] = {{"__reduce__", grouper_reduce, NO_ARGS, NULL}, {0}};

Type itertools_grouper_type = {
    STATIC_TYPE("itertools._grouper", sizeof(Grouper)),
    .methods = grouper_methods,
    .getattribute = object_generic_get,
    .flags = TYPE_GC,
    .new_ = grouper_new,
    .release = grouper_release,
    .traverse = grouper_traverse,
    .iter = iterator_self,
    .next = grouper_next,
};

// ---- tee

#define LINK_ITEMS 57

typedef struct TeeData {
    Object base;
    Value source;
    Value next; // the part after this one, or 0
    int count;  // items read
    bool running;
    Value items[LINK_ITEMS];
} TeeData;

typedef struct Tee {
    Object base;
    Value data;
    int index; // of the next item in `data`
    Value weakrefs;
} Tee;

static TeeData *as_tee_data(ValueRef value)
{
    return (TeeData *)object_of(value);
}

static Value tee_data_new(ValueRef source)
{
    TeeData *data = object_alloc(&itertools_tee_data_type, 0);
    if (data) data->source = retain(source);
    return own(data);
}

static void tee_data_release(Object *object)
{
    TeeData *data = (TeeData *)object;
    drop_slot(&data->source);
    while (data->count > 0) drop_slot(&data->items[--data->count]);
    drop_slot(&data->next);
}

static void tee_data_traverse(Object *object, VisitFn visit, void *arg)
{
    const TeeData *data = (const TeeData *)object;
    visit_item(data->source, visit, arg);
    visit_items(data->items, data->count, visit, arg);
    visit_item(data->next, visit, arg);
}

Type itertools_tee_data_type = {
    STATIC_TYPE("itertools._tee_dataobject", sizeof(TeeData)),
    .getattribute = object_generic_get,
    .flags = TYPE_GC,
    .release = tee_data_release,
    .traverse = tee_data_traverse,
    .clear = tee_data_release,
};

// Item number `index` of the part, read from the source where it is the next one.
static Value tee_data_item(TeeData *data, int index)
{
    if (index < data->count) return retain(data->items[index]);
    if (data->running) return raise_error(RuntimeError, "cannot re-enter the tee iterator");
    data->running = true;
    Value item = next_of(data->source);
    data->running = false;
    if (!item || item == ABSENT) return item;
    data->items[data->count++] = item;
    return retain(item);
}

static Value tee_next(ValueRef value)
{
    Tee *self = (Tee *)object_of(value);
    if (self->index >= LINK_ITEMS) {
        TeeData *data = as_tee_data(self->data);
        if (!data->next && !(data->next = tee_data_new(data->source))) return VALUE_ERROR;
        replace_slot(&self->data, retain(data->next));
        self->index = 0;
    }
    Value held = retain(self->data);
    Value item = tee_data_item(as_tee_data(held), self->index);
    drop(held);
    if (item && item != ABSENT) self->index++;
    return item;
}

static Value tee_of_data(Type *type, Value data, int index)
{
    Tee *self = data ? object_alloc(type, 0) : NULL;
    if (!self) {
        drop(data);
        return VALUE_ERROR;
    }
    self->data = data;
    self->index = index;
    return own(self);
}

static Value tee_copy(ValueRef value, METHOD_ARGS)
{
    const Tee *self = (const Tee *)object_of(value);
    return tee_of_data(&itertools_tee_type, retain(self->data), self->index);
}

static Value tee_of_iterable(ValueRef iterable)
{
    Value source = object_iter(iterable);
    if (!source) return VALUE_ERROR;
    Value result;
    if (is_exactly(source, &itertools_tee_type))
        result = tee_copy(source, NULL, 0, 0);
    else
        result = tee_of_data(&itertools_tee_type, tee_data_new(source), 0);
    drop(source);
    return result;
}

static Value tee_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)type;
    if (!args_check("_tee", nargs, kwnames, 1, 1)) return VALUE_ERROR;
    return tee_of_iterable(args[0]);
}

static void tee_release(Object *object)
{
    drop_slot(&((Tee *)object)->data);
}

static void tee_traverse(Object *object, VisitFn visit, void *arg)
{
    visit_item(((Tee *)object)->data, visit, arg);
}

static const MethodDef tee_methods[] = {{"__copy__", tee_copy, NO_ARGS, NULL}, {0}};

Type itertools_tee_type = {
    STATIC_TYPE("itertools._tee", sizeof(Tee)),
    .getattribute = object_generic_get,
    .flags = TYPE_GC,
    .weakref_offset = offsetof(Tee, weakrefs),
    .methods = tee_methods,
    .new_ = tee_new,
    .release = tee_release,
    .traverse = tee_traverse,
    .clear = tee_release,
    .iter = iterator_self,
    .next = tee_next,
};

// An iterator that has __copy__ is copied; any other is wrapped in a tee.
static Value first_of_tee(ValueRef iterable)
{
    Value iterator = object_iter(iterable);
    if (!iterator) return VALUE_ERROR;
    Value copy = object_get_optional(iterator, NAME(__copy__));
    bool copies = copy && copy != ABSENT;
    if (copies) drop(copy);
    Value first = copies ? retain(iterator) : copy ? tee_of_iterable(iterator) : VALUE_ERROR;
    drop(iterator);
    return first;
}

Value itertools_tee(FUNCTION_ARGS)
{
    ssize_t count = 2;
    if (nargs > 1 && !argument_ssize(args[1], &count)) return VALUE_ERROR;
    if (count < 0) return raise_error(ValueError, "n must be >= 0");
    if (count == 0) return tuple_new(0);
    Value first = first_of_tee(args[0]);
    Value result = first ? tuple_new(count) : VALUE_ERROR;
    for (ssize_t i = 1; result && i < count; i++) {
        Value copy = object_call_method_none(first, NAME(__copy__));
        as_tuple(result)->items[i] = copy;
        if (!copy) replace_slot(&result, VALUE_ERROR);
    }
    if (result)
        as_tuple(result)->items[0] = first;
    else
        drop(first);
    return result;
}
