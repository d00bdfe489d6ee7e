// Struct sequences: see struct_sequence.h. The number of items is the number of members.
#include "objects/struct_sequence.h"

#include "objects/error.h"
#include "objects/operators.h"
#include "objects/str.h"

static ssize_t field_count(const Type *type)
{
    ssize_t count = 0;
    while (type->members[count].name) count++;
    return count;
}

Value struct_sequence_from_owned(Type *type, Value *items)
{
    ssize_t count = field_count(type);
    bool complete = true;
    for (ssize_t i = 0; i < count; i++) complete = complete && items[i];
    Tuple *tuple = complete ? object_alloc(type, (size_t)count) : NULL;
    for (ssize_t i = 0; i < count; i++) {
        if (tuple)
            tuple->items[i] = items[i];
        else
            drop(items[i]);
    }
    if (!tuple) return VALUE_ERROR;
    tuple->size = count;
    return own(tuple);
}

Value struct_sequence_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"sequence", "dict", NULL};
    Signature signature = {type->name, names, 1, 2};
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    Value items = sequence_tuple(given[0]);
    if (!items) return VALUE_ERROR;
    ssize_t count = field_count(type);
    Tuple *tuple = NULL;
    if (tuple_size(items) == count)
        tuple = object_alloc(type, (size_t)count);
    else
        raise_error(TypeError, "%s() takes a %zd-sequence (%zd-sequence given)", type->name, count,
                    tuple_size(items));
    if (tuple) {
        tuple->size = count;
        for (ssize_t i = 0; i < count; i++) tuple->items[i] = retain(tuple_at(items, i));
    }
    drop(items);
    return tuple ? own(tuple) : VALUE_ERROR;
}

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
