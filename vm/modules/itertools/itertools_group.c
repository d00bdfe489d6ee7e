// itertools.groupby: source -> current value, current key. The group given out last reads from the
// same source, and ends when the key is no longer its own.
#include "vm/modules/itertools/itertools.h"

#include "objects/error.h"
#include "objects/names.h"
#include "objects/protocols/iterators.h"
#include "objects/upcalls.h"

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

// Reads on to the first item of another group. The comparison may run script code that takes the
// current key from us, by the group it belongs to: then we read on.
static Value groupby_skip(GroupBy *self)
{
    for (;;) {
        bool equal = true;
        if (self->current_key && !self->target_key) return NONE;
        if (self->current_key && !keys_equal(self->target_key, self->current_key, &equal))
            return VALUE_ERROR;
        if (!equal && self->current_key) return NONE;
        Value read = groupby_read(self);
        if (read != NONE) return read;
    }
}

// A group that begins at an item with this key, and the key.
static Value groupby_pair(GroupBy *self, ValueRef key)
{
    replace_slot(&self->target_key, retain(key));
    Grouper *group = object_alloc(&itertools_grouper_type, 0);
    if (!group) return VALUE_ERROR;
    group->parent = retain(ref_of(self));
    group->target_key = retain(key);
    self->group = group;
    Value pair = tuple_pack(2, key, ref_of(group));
    drop(own(group));
    return pair;
}

static Value groupby_next(ValueRef value)
{
    GroupBy *self = as_groupby(value);
    self->group = NULL;
    Value skipped = groupby_skip(self);
    if (skipped != NONE) return skipped;
    Value key = retain(self->current_key);
    Value pair = groupby_pair(self, key);
    drop(key);
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
    .clear = groupby_release,
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
    // The key function and the comparison may run script code that reads from the same groupby.
    if (!parent->current_key) return ABSENT;
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
    .clear = grouper_release,
    .iter = iterator_self,
    .next = grouper_next,
};
