// Struct sequences: see struct_sequence.h.
#include "objects/classes/struct_sequence.h"

#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"

static ssize_t field_count(const Type *type)
{
    ssize_t count = 0;
    while (type->members[count].name) count++;
    return count;
}

static ssize_t visible_count(const Type *type)
{
    return ((const StructType *)type)->visible;
}

// ---- making the type

static bool set_count(Type *type, const char *name, ssize_t count)
{
    return dict_set_ascii(type->dict, name, from_small(count));
}

bool struct_sequence_ready(StructType *self)
{
    Type *type = &self->type;
    return type_ready(type) && set_count(type, "n_sequence_fields", self->visible) &&
           set_count(type, "n_fields", field_count(type)) && set_count(type, "n_unnamed_fields", 0);
}

bool struct_sequence_ready_sealed(StructType *self)
{
    if (!struct_sequence_ready(self)) return false;
    self->type.new_ = NULL;
    return dict_delete(self->type.dict, NAME(__new__));
}

// ---- making instances

static Tuple *alloc(Type *type)
{
    Tuple *tuple = object_alloc(type, (size_t)field_count(type));
    if (tuple) tuple->size = visible_count(type);
    return tuple;
}

Value struct_sequence_from_owned(StructType *type, Value *items)
{
    ssize_t count = field_count(&type->type);
    bool complete = true;
    for (ssize_t i = 0; i < count; i++) complete = complete && items[i];
    Tuple *tuple = complete ? alloc(&type->type) : NULL;
    for (ssize_t i = 0; i < count; i++)
        if (tuple)
            tuple->items[i] = items[i];
        else
            drop(items[i]);
    return tuple ? own(tuple) : VALUE_ERROR;
}

static bool check_length(const Type *type, ssize_t length)
{
    ssize_t least = visible_count(type), most = field_count(type);
    if (least == most && length != least)
        return raise_error(TypeError, "%.500s() takes a %zd-sequence (%zd-sequence given)",
                           type->name, least, length);
    if (length < least)
        return raise_error(TypeError,
                           "%.500s() takes an at least %zd-sequence (%zd-sequence given)",
                           type->name, least, length);
    return length <= most || raise_error(TypeError,
                                         "%.500s() takes an at most %zd-sequence (%zd-sequence "
                                         "given)",
                                         type->name, most, length);
}

// Fields beyond the end of `items` come from the dict (or VALUE_ERROR); None if it lacks them.
static Value from_items(Type *type, ValueRef items, ValueRef dict)
{
    ssize_t length = tuple_size(items);
    Tuple *tuple = check_length(type, length) ? alloc(type) : NULL;
    if (!tuple) return VALUE_ERROR;
    for (ssize_t i = 0; i < length; i++) tuple->items[i] = retain(tuple_at(items, i));
    for (ssize_t i = length; type->members[i].name; i++) {
        ValueRef found = dict ? dict_peek_ascii(dict, type->members[i].name) : VALUE_ERROR;
        tuple->items[i] = found ? retain(found) : NONE;
    }
    return own(tuple);
}

Value struct_sequence_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"sequence", "dict", NULL};
    static const Signature signature = {"structseq", names, 1, 2};
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    Value sequence = sequence_fast(given[0], "constructor requires a sequence");
    Value items = sequence ? sequence_tuple(sequence) : VALUE_ERROR;
    drop(sequence);
    if (!items) return VALUE_ERROR;
    Value made = VALUE_ERROR;
    if (given[1] && !dict_check(given[1]))
        raise_error(TypeError, "%.500s() takes a dict as second arg, if any", type->name);
    else
        made = from_items(type, items, given[1]);
    drop(items);
    return made;
}

void struct_sequence_release(Object *self)
{
    Tuple *tuple = (Tuple *)self;
    for (ssize_t i = field_count(self->type); --i >= 0;) drop(tuple->items[i]);
}

void struct_sequence_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_items(((Tuple *)self)->items, field_count(self->type), visit, arg);
}

// ---- what a script sees

Value struct_sequence_repr(ValueRef self)
{
    const Type *type = type_of(self);
    StrBuilder builder;
    builder_begin(&builder);
    bool done = builder_text(&builder, type->name) && builder_char(&builder, '(');
    for (ssize_t i = 0; done && i < tuple_size(self); i++) {
        Value item = object_repr(tuple_at(self, i));
        done = item && builder_text(&builder, i ? ", " : "") &&
               builder_text(&builder, type->members[i].name) && builder_char(&builder, '=') &&
               builder_str(&builder, item);
        drop(item);
    }
    if (done && builder_char(&builder, ')')) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

// (type, (items, {name of a hidden field: its value}))
static Value reduce(ValueRef self, METHOD_ARGS)
{
    Type *type = type_of(self);
    Value items = tuple_slice(self, 0, tuple_size(self)), hidden = dict_new();
    bool done = items && hidden;
    for (ssize_t i = visible_count(type); done && type->members[i].name; i++)
        done = dict_set_ascii(hidden, type->members[i].name, as_tuple(self)->items[i]);
    Value inner = done ? tuple_pack(2, (ValueRef)items, (ValueRef)hidden) : VALUE_ERROR;
    Value result = inner ? tuple_pack(2, ref_of(type), (ValueRef)inner) : VALUE_ERROR;
    drop(items);
    drop(hidden);
    drop(inner);
    return result;
}

const MethodDef struct_sequence_methods[] = {{"__reduce__", reduce, NO_ARGS, NULL}, {0}};
