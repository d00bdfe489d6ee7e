// itertools.tee: several iterators over what one source gives.
//
//     data [ 0 .. 56 ] -> data [ 57 .. ] -> ...    a linked list of what was read; each tee holds
//           ^ one tee          ^ another           the part it is in, so that parts go when all
//                                                  have passed
//
// Copying a tee copies its position. Pickled, it is its part and its index there; a part is its
// source, the items read and the next part.
#include "vm/modules/itertools/itertools.h"

#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/protocols/iterators.h"
#include "objects/upcalls.h"

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

static bool fill_tee_data(TeeData *data, const List *items, ValueRef next)
{
    bool full = items->size == LINK_ITEMS;
    if (items->size > LINK_ITEMS ||
        (next != NONE && !(full && is_exactly(next, &itertools_tee_data_type))))
        return raise_error(ValueError, "Invalid arguments");
    for (ssize_t i = 0; i < items->size; i++) data->items[data->count++] = retain(items->items[i]);
    if (next != NONE) data->next = retain(next);
    return true;
}

// _tee_dataobject(iterator, items, next part or None): what __reduce__ says.
static Value tee_data_make(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)type;
    if (!args_check("teedataobject", nargs, kwnames, 3, 3)) return VALUE_ERROR;
    if (!list_check(args[1]))
        return raise_error(TypeError, "teedataobject() argument 2 must be list, not %T", args[1]);
    Value data = tee_data_new(args[0]);
    if (data && !fill_tee_data(as_tee_data(data), as_list(args[1]), args[2])) drop_slot(&data);
    return data;
}

static Value tee_data_reduce(ValueRef value, METHOD_ARGS)
{
    const TeeData *data = as_tee_data(value);
    Value items = list_from_array((const ValueRef *)data->items, (size_t)data->count);
    Value arguments = VALUE_ERROR;
    if (items)
        arguments = tuple_pack(3, (ValueRef)data->source, (ValueRef)items,
                               data->next ? (ValueRef)data->next : (ValueRef)NONE);
    drop(items);
    return itertools_reduced(value, arguments, VALUE_ERROR);
}

static const MethodDef tee_data_methods[] = {{"__reduce__", tee_data_reduce, NO_ARGS, NULL}, {0}};

Type itertools_tee_data_type = {
    STATIC_TYPE("itertools._tee_dataobject", sizeof(TeeData)),
    .getattribute = object_generic_get,
    .flags = TYPE_GC,
    .methods = tee_data_methods,
    .new_ = tee_data_make,
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

// A tee of nothing, and the state that puts it at its position.
static Value tee_reduce(ValueRef value, METHOD_ARGS)
{
    const Tee *self = (const Tee *)object_of(value);
    Value nothing = tuple_new(0);
    Value arguments = nothing ? tuple_pack(1, (ValueRef)nothing) : VALUE_ERROR;
    Value state = VALUE_ERROR;
    if (arguments && !(state = tuple_pack(2, (ValueRef)self->data, from_small(self->index))))
        drop_slot(&arguments);
    drop(nothing);
    return itertools_reduced(value, arguments, state);
}

static Value tee_setstate(ValueRef value, METHOD_ARGS)
{
    Tee *self = (Tee *)object_of(value);
    int index;
    if (!tuple_check(args[0])) return raise_error(TypeError, "state is not a tuple");
    if (tuple_size(args[0]) != 2)
        return raise_error(TypeError, "function takes exactly 2 arguments (%zd given)",
                           tuple_size(args[0]));
    ValueRef data = tuple_at(args[0], 0);
    if (!is_exactly(data, &itertools_tee_data_type))
        return raise_error(TypeError, "argument 1 must be itertools._tee_dataobject, not %T", data);
    if (!argument_int(tuple_at(args[0], 1), &index)) return VALUE_ERROR;
    if (index < 0 || index > LINK_ITEMS) return raise_error(ValueError, "Index out of range");
    replace_slot(&self->data, retain(data));
    self->index = index;
    return NONE;
}

static const MethodDef tee_methods[] = {
    {"__copy__", tee_copy, NO_ARGS, NULL},
    {"__reduce__", tee_reduce, NO_ARGS, NULL},
    {"__setstate__", tee_setstate, ONE_ARG, NULL},
    {0},
};

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
