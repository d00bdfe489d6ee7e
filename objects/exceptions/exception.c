// BaseException, and the types of exceptions.def.
//
//     +------+------+------+-----------+---------+-------+------------------+-----------+
//     | head | dict | args | traceback | context | cause | suppress_context | extra ... |
//     +------+------+------+-----------+---------+-------+------------------+-----------+
//
// Every built-in exception type is a static Type made from its row. All share this struct; the
// layout in the row (exception_layout.h) says which part of `extra` the type uses. The variables of
// error.h (TypeError, ...) point to the types.
#include "objects/exceptions/exception.h"

#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception_layout.h"
#include "objects/gc.h"
#include "objects/instance.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#include <string.h>

enum ExceptionIndex {
#define EXCEPTION(name, base, layout, doc) INDEX_##name,
#include "objects/exceptions/exceptions.def"
#undef EXCEPTION
    EXCEPTION_COUNT
};

static Type types[EXCEPTION_COUNT];

#define EXCEPTION(name, base, layout, doc) Type *name = &types[INDEX_##name];
#include "objects/exceptions/exceptions.def"
#undef EXCEPTION

typedef struct Row {
    const char *name, *doc;
    const ExceptionLayout *layout;
} Row;

static const Row rows[EXCEPTION_COUNT] = {
#define EXCEPTION(name, base, layout, doc) {#name, doc, &layout_##layout},
#include "objects/exceptions/exceptions.def"
#undef EXCEPTION
};

static Type *base_of(enum ExceptionIndex index)
{
    switch (index) {
#define EXCEPTION(name, base, layout, doc)                                                         \
    case INDEX_##name: return base;
#include "objects/exceptions/exceptions.def"
#undef EXCEPTION
    default: return NULL;
    }
}

// MemoryErrors made in advance. They are lent out, and return here when they are freed.
#define SPARES 8
static struct {
    Value ready[SPARES];
    int count;
    ValueRef last; // the last one lent: it is alive while no other is ready
    bool take_back;
} spares;

// The row of the built-in type from which a type is derived.
static const Row *row_of(const Type *type)
{
    while ((uintptr_t)type - (uintptr_t)types >= sizeof types) type = type->base_type;
    return &rows[type - types];
}

// ---- life

Value exception_alloc(Type *type, const ValueRef *args, size_t nargs)
{
    ExceptionObject *self = object_alloc(type, 0);
    if (!self) return VALUE_ERROR;
    self->args = tuple_from_array(args, nargs);
    if (self->args) return own(self);
    drop(own(self));
    return VALUE_ERROR;
}

static Value base_new(Type *type, METHOD_ARGS)
{
    return exception_alloc(type, args, nargs);
}

bool exception_init_args(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!args_no_keywords(type_of(self)->name, kwnames)) return false;
    Value tuple = tuple_from_array(args, nargs);
    if (!tuple) return false;
    replace_slot(&as_exception(self)->args, tuple);
    return true;
}

static void exception_release(Object *self)
{
    ExceptionObject *exception = (ExceptionObject *)self;
    drop_slot(&exception->dict);
    drop_slot(&exception->args);
    drop_slot(&exception->traceback);
    drop_slot(&exception->context);
    drop_slot(&exception->cause);
    int values = row_of(self->type)->layout->values;
    for (int i = 0; i < values; i++) drop_slot(&exception->extra[i]);
}

// A cleared exception may still be read, so it always has its tuple.
static void exception_clear(Object *self)
{
    exception_release(self);
    ((ExceptionObject *)self)->args = tuple_new(0);
}

static void exception_traverse(Object *self, VisitFn visit, void *arg)
{
    ExceptionObject *exception = (ExceptionObject *)self;
    visit(exception->dict, arg);
    visit(exception->args, arg);
    visit(exception->traceback, arg);
    visit(exception->context, arg);
    visit(exception->cause, arg);
    int values = row_of(self->type)->layout->values;
    for (int i = 0; i < values; i++) visit(exception->extra[i], arg);
}

Value exception_new(Type *type, const ValueRef *args, size_t nargs)
{
    if (type->flags & TYPE_HEAP) return object_call(ref_of(type), args, nargs, 0);
    if (type->init == exception_init_args && type->new_ == base_new)
        return exception_alloc(type, args, nargs);
    Value self = type->new_(type, args, nargs, 0);
    if (!self || type_of(self)->init(self, args, nargs, 0)) return self;
    drop(self);
    return VALUE_ERROR;
}

Value exception_out_of_memory(void)
{
    if (spares.count == 0) return retain(spares.last);
    Value spare = spares.ready[--spares.count];
    spares.last = spare;
    gc_track(object_of(spare));
    return spare;
}

// The finalizer of MemoryError: empties one that was lent, and takes it back.
static void memory_error_finalize(Object *self)
{
    if (!spares.take_back || spares.count == SPARES || self->type != MemoryError) return;
    gc_untrack(self);
    gc_head(self)->flags &= ~GC_FINALIZED;
    exception_clear(self);
    ((ExceptionObject *)self)->suppress_context = false;
    spares.ready[spares.count++] = retain(ref_of(self));
}

static bool make_spares(void)
{
    for (; spares.count < SPARES; spares.count++) {
        Value spare = exception_alloc(MemoryError, NULL, 0);
        if (!spare) return false;
        gc_untrack(object_of(spare));
        spares.ready[spares.count] = spare;
    }
    spares.take_back = true;
    return true;
}

// ---- text

Value exception_str(ValueRef self)
{
    ValueRef args = as_exception(self)->args;
    if (tuple_size(args) == 0) return str_new("");
    return object_str(tuple_size(args) == 1 ? tuple_at(args, 0) : args);
}

static Value exception_repr(ValueRef self)
{
    const char *name = type_of(self)->name, *dot = strrchr(name, '.');
    if (dot) name = dot + 1;
    Value args = retain(as_exception(self)->args);
    Value text = tuple_size(args) == 1 ? format_text("%s(%R)", name, tuple_at(args, 0))
                                       : format_text("%s%R", name, (ValueRef)args);
    drop(args);
    return text;
}

// ---- methods

Value exception_reduce_with(ValueRef self, ValueRef args, ValueRef state)
{
    return state ? tuple_pack(3, ref_of(type_of(self)), args, state)
                 : tuple_pack(2, ref_of(type_of(self)), args);
}

static Value exception_reduce(ValueRef self, METHOD_ARGS)
{
    return exception_reduce_with(self, as_exception(self)->args, as_exception(self)->dict);
}

static bool set_all(ValueRef self, ValueRef items)
{
    for (ssize_t i = 0; i < list_size(items); i++) {
        ValueRef pair = list_at(items, i);
        if (!object_set(self, tuple_at(pair, 0), tuple_at(pair, 1))) return false;
    }
    return true;
}

static Value exception_setstate(ValueRef self, METHOD_ARGS)
{
    if (args[0] == NONE) return NONE;
    if (!dict_check(args[0])) return raise_error(TypeError, "state is not a dictionary");
    Value items = dict_items(args[0]);
    if (!items) return VALUE_ERROR;
    bool done = set_all(self, items);
    drop(items);
    return done ? NONE : VALUE_ERROR;
}

static bool set_traceback(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(TypeError, "__traceback__ may not be deleted");
    if (value != NONE && !(upcalls.traceback_type && is_exactly(value, upcalls.traceback_type)))
        return raise_error(TypeError, "__traceback__ must be a traceback or None");
    replace_slot(&as_exception(self)->traceback, value == NONE ? VALUE_ERROR : retain(value));
    return true;
}

static Value exception_with_traceback(ValueRef self, METHOD_ARGS)
{
    return set_traceback(self, args[0]) ? retain(self) : VALUE_ERROR;
}

static const MethodDef methods[] = {
    {"__reduce__", exception_reduce, NO_ARGS, NULL},
    {"__setstate__", exception_setstate, ONE_ARG, NULL},
    {"with_traceback", exception_with_traceback, ONE_ARG,
     "Exception.with_traceback(tb) --\n    set self.__traceback__ to tb and return self."},
    {0},
};

// ---- attributes

static Value or_none(ValueRef value)
{
    return value ? retain(value) : NONE;
}

static Value get_dict(ValueRef self)
{
    ValueRef dict = object_dict(self);
    return dict ? retain(dict) : VALUE_ERROR;
}

static bool set_dict(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(TypeError, "cannot delete __dict__");
    if (!dict_check(value))
        return raise_error(TypeError, "__dict__ must be set to a dictionary, not a '%.200T'",
                           value);
    replace_slot(&as_exception(self)->dict, retain(value));
    return true;
}

static Value get_args(ValueRef self)
{
    return or_none(as_exception(self)->args);
}

static bool set_args(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(TypeError, "args may not be deleted");
    Value tuple = sequence_tuple(value);
    if (!tuple) return false;
    replace_slot(&as_exception(self)->args, tuple);
    return true;
}

static Value get_traceback(ValueRef self)
{
    return or_none(as_exception(self)->traceback);
}

static Value get_context(ValueRef self)
{
    return or_none(as_exception(self)->context);
}

static bool set_context(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(TypeError, "__context__ may not be deleted");
    if (value != NONE && !exception_check(value))
        return raise_error(TypeError,
                           "exception context must be None or derive from BaseException");
    exception_set_context(self, value);
    return true;
}

static Value get_cause(ValueRef self)
{
    return or_none(as_exception(self)->cause);
}

static bool set_cause(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(TypeError, "__cause__ may not be deleted");
    if (value != NONE && !exception_check(value))
        return raise_error(TypeError, "exception cause must be None or derive from BaseException");
    exception_set_cause(self, value);
    return true;
}

static const GetSetDef getset[] = {
    {"__dict__", get_dict, set_dict, NULL},
    {"args", get_args, set_args, NULL},
    {"__traceback__", get_traceback, set_traceback, NULL},
    {"__context__", get_context, set_context, "exception context"},
    {"__cause__", get_cause, set_cause, "exception cause"},
    {0},
};

static const MemberDef members[] = {
    {"__suppress_context__", MEMBER_BOOL, offsetof(ExceptionObject, suppress_context), false, NULL},
    {0},
};

void exception_set_context(ValueRef exception, ValueRef context)
{
    bool none = !context || context == NONE;
    replace_slot(&as_exception(exception)->context, none ? VALUE_ERROR : retain(context));
}

void exception_set_cause(ValueRef exception, ValueRef cause)
{
    bool none = !cause || cause == NONE;
    as_exception(exception)->suppress_context = true;
    replace_slot(&as_exception(exception)->cause, none ? VALUE_ERROR : retain(cause));
}

const ExceptionLayout layout_plain = {
    .new_everywhere = true, .new_ = base_new, .init = exception_init_args};

// ---- raising exceptions with attributes

Value raise_syntax_error(Type *type, const char *message, ValueRef filename, int line, int offset,
                         ValueRef text)
{
    ValueRef none = NONE;
    Value location = tuple_pack(4, filename ? filename : none, (ValueRef)from_small(line),
                                (ValueRef)from_small(offset), text ? text : none);
    Value words = location ? str_new(message) : VALUE_ERROR;
    ValueRef args[] = {words, location};
    Value exception = words ? exception_new(type, args, 2) : VALUE_ERROR;
    drop(words);
    drop(location);
    if (!exception) return VALUE_ERROR;
    raise_value(exception);
    drop(exception);
    return VALUE_ERROR;
}

static Value raise_unicode_error(Type *type, const char *encoding, ValueRef object, ssize_t start,
                                 ssize_t end, const char *reason)
{
    Value name = str_new(encoding), words = str_new(reason);
    ValueRef args[] = {name, object, from_small(start), from_small(end), words};
    Value exception = name && words ? exception_new(type, args, 5) : VALUE_ERROR;
    drop(name);
    drop(words);
    if (!exception) return VALUE_ERROR;
    raise_value(exception);
    drop(exception);
    return VALUE_ERROR;
}

Value raise_decode_error(const char *encoding, const void *bytes, size_t size, ssize_t start,
                         ssize_t end, const char *reason)
{
    Value object = bytes_new(bytes, size);
    if (!object) return VALUE_ERROR;
    raise_unicode_error(UnicodeDecodeError, encoding, object, start, end, reason);
    drop(object);
    return VALUE_ERROR;
}

Value raise_encode_error(const char *encoding, ValueRef text, ssize_t start, ssize_t end,
                         const char *reason)
{
    return raise_unicode_error(UnicodeEncodeError, encoding, text, start, end, reason);
}

Value raise_stop_iteration(ValueRef value)
{
    Value exception = exception_new(StopIteration, &value, value == NONE ? 0 : 1);
    if (!exception) return VALUE_ERROR;
    raise_value(exception);
    drop(exception);
    return VALUE_ERROR;
}

Value stop_iteration_take(void)
{
    if (!error_is(StopIteration)) return ABSENT;
    Value exception = error_take();
    Value value = or_none(as_exception(exception)->stop_iteration.value);
    drop(exception);
    return value;
}

// ---- the types

static void fill_type(Type *type, const Row *row, Type *base)
{
    const ExceptionLayout *layout = row->layout;
    bool first = !base || row_of(base)->layout != layout;
    *type = (Type){STATIC_TYPE(row->name, sizeof(ExceptionObject))};
    type->flags = TYPE_BASE | TYPE_GC | TYPE_EXCEPTION;
    type->doc = row->doc;
    type->base_type = base ? base : &object_type;
    type->dict_offset = offsetof(ExceptionObject, dict);
    type->release = exception_release;
    type->clear = exception_clear;
    type->traverse = exception_traverse;
    type->init = layout->init;
    if (first || layout->new_everywhere) type->new_ = layout->new_;
    if (!first) return;
    type->str = layout->str;
    type->methods = layout->methods;
    type->members = layout->members;
    type->getset = layout->getset;
}

static void fill_base(Type *type)
{
    type->repr = exception_repr;
    type->str = exception_str;
    type->getattribute = object_generic_get;
    type->setattr = object_generic_set;
    type->methods = methods;
    type->members = members;
    type->getset = getset;
}

bool exceptions_init(void)
{
    for (int i = 0; i < EXCEPTION_COUNT; i++) {
        fill_type(&types[i], &rows[i], base_of((enum ExceptionIndex)i));
        if (i == INDEX_BaseException) fill_base(&types[i]);
        if (!type_ready(&types[i])) return false;
    }
    MemoryError->finalize = memory_error_finalize; // no __del__ that a script could see
    return make_spares();
}

void exceptions_finish(void)
{
    spares.take_back = false;
    while (spares.count > 0) drop(spares.ready[--spares.count]);
    spares.last = VALUE_ERROR;
}
