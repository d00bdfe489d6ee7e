// The type dict: its slots and methods. dict.c has the table, dict_views.c the views and iterators.
#include "objects/call.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/protocols/items.h"
#include "objects/upcalls.h"

// ---- life

static Value new_dict(Type *type, METHOD_ARGS)
{
    return dict_new_of_type(type);
}

// dict(...) and update(...): merges a mapping or pairs, then the keywords.
static bool update_from(ValueRef self, const char *function, METHOD_ARGS)
{
    if (!args_check(function, nargs, 0, 0, 1)) return false;
    if (nargs && !dict_update(self, args[0])) return false;
    ssize_t keywords = kwnames ? tuple_size(kwnames) : 0;
    for (ssize_t i = 0; i < keywords; i++) {
        if (!str_check(tuple_at(kwnames, i)))
            return raise_error(TypeError, "keywords must be strings");
        if (!dict_set(self, tuple_at(kwnames, i), args[nargs + (size_t)i])) return false;
    }
    return true;
}

static bool init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return update_from(self, "dict", args, nargs, kwnames);
}

static void release(Object *self)
{
    dict_clear(ref_of(self));
}

static void traverse(Object *self, VisitFn visit, void *arg)
{
    const Dict *dict = (const Dict *)self;
    invariant(dict->used <= dict->filled, "a dict that the collector sees is whole");
    for (ssize_t i = 0; i < dict->filled; i++) {
        if (!dict->str_keys) visit_item(dict->entries[i].key, visit, arg);
        visit_item(dict->entries[i].value, visit, arg);
    }
}

// ---- basics

static bool append_repr(StrBuilder *builder, ValueRef value)
{
    Value text = object_repr(value);
    bool ok = text && builder_str(builder, text);
    drop(text);
    return ok;
}

static bool append_pairs(StrBuilder *builder, ValueRef self)
{
    ssize_t position = 0;
    ValueRef next_key, next_value;
    bool ok = true;
    for (bool first = true; ok && dict_next(self, &position, &next_key, &next_value);
         first = false) {
        Value key = retain(next_key), value = retain(next_value);
        ok = (first || builder_ascii(builder, ", ", 2)) && append_repr(builder, key) &&
             builder_ascii(builder, ": ", 2) && append_repr(builder, value);
        drop(key);
        drop(value);
    }
    return ok;
}

static Value repr(ValueRef self)
{
    bool shown = false;
    if (!repr_enter(self, &shown)) return VALUE_ERROR;
    if (shown) return str_new("{...}");
    StrBuilder builder;
    builder_begin(&builder);
    bool ok =
        builder_char(&builder, '{') && append_pairs(&builder, self) && builder_char(&builder, '}');
    repr_leave(self);
    if (ok) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

static Value compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (op != COMPARE_EQ && op != COMPARE_NE) return NOT_IMPLEMENTED;
    if (!dict_check(left) || !dict_check(right)) return NOT_IMPLEMENTED;
    bool equal;
    if (!dict_equal(left, right, &equal)) return VALUE_ERROR;
    return from_bool(equal == (op == COMPARE_EQ));
}

// ---- as a mapping

static bool length(ValueRef self, ssize_t *size)
{
    *size = dict_size(self);
    return true;
}

static Value missing(ValueRef self, ValueRef key)
{
    if (!dict_check_exact(self)) {
        Value method = object_special(self, NAME(__missing__));
        if (!method) return VALUE_ERROR;
        if (method != ABSENT) {
            Value value = object_call_one(method, key);
            drop(method);
            return value;
        }
    }
    return raise_key_error(key);
}

static Value subscript(ValueRef self, ValueRef key)
{
    Value value = dict_get(self, key);
    return value == ABSENT ? missing(self, key) : value;
}

static bool set_subscript(ValueRef self, ValueRef key, ValueRef value)
{
    return value ? dict_set(self, key, value) : dict_delete(self, key);
}

static Value or_(ValueRef left, ValueRef right)
{
    if (!dict_check(left) || !dict_check(right)) return NOT_IMPLEMENTED;
    Value both = dict_copy(left);
    if (!both || dict_update(both, right)) return both;
    drop(both);
    return VALUE_ERROR;
}

static Value inplace_or(ValueRef self, ValueRef other)
{
    return dict_update(self, other) ? retain(self) : VALUE_ERROR;
}

// ---- methods

static Value contains_method(ValueRef self, METHOD_ARGS)
{
    bool found;
    return dict_contains(self, args[0], &found) ? from_bool(found) : VALUE_ERROR;
}

static Value getitem(ValueRef self, METHOD_ARGS)
{
    return subscript(self, args[0]);
}

static Value size_of(ValueRef self, METHOD_ARGS)
{
    return from_small((int64_t)(48 + type_of(self)->size - sizeof(Dict) + dict_table_bytes(self)));
}

static Value get(ValueRef self, METHOD_ARGS)
{
    Value value = dict_get(self, args[0]);
    if (value != ABSENT) return value;
    return nargs > 1 ? retain(args[1]) : NONE;
}

static Value setdefault(ValueRef self, METHOD_ARGS)
{
    return dict_set_default(self, args[0], nargs > 1 ? args[1] : NONE);
}

static Value pop(ValueRef self, METHOD_ARGS)
{
    Value value = dict_pop(self, args[0]);
    if (value != ABSENT) return value;
    return nargs > 1 ? retain(args[1]) : raise_key_error(args[0]);
}

static Value popitem(ValueRef self, METHOD_ARGS)
{
    return dict_pop_last(self);
}

static Value keys(ValueRef self, METHOD_ARGS)
{
    return dict_keys_view(self);
}

static Value items(ValueRef self, METHOD_ARGS)
{
    return dict_items_view(self);
}

static Value values(ValueRef self, METHOD_ARGS)
{
    return dict_values_view(self);
}

static Value update(ValueRef self, METHOD_ARGS)
{
    return update_from(self, "update", args, nargs, kwnames) ? NONE : VALUE_ERROR;
}

// Sets and dicts know the hashes of their items, so no iterator is needed.
static bool add_keys_of(ValueRef dict, ValueRef source, ValueRef value)
{
    ssize_t position = 0;
    ValueRef item, ignored;
    bool is_dict = dict_check_exact(source), ok = true;
    while (ok && (is_dict ? dict_next(source, &position, &item, &ignored)
                          : set_next(source, &position, &item))) {
        int64_t hash = is_dict ? as_dict(source)->entries[position - 1].hash
                               : as_set(source)->table[position - 1].hash;
        Value key = retain(item);
        ok = dict_set_hashed(dict, key, hash, value);
        drop(key);
    }
    return ok;
}

static bool add_keys(ValueRef dict, ValueRef iterable, ValueRef value)
{
    bool plain = dict_check_exact(dict);
    bool direct = dict_check_exact(iterable) || is_exactly(iterable, &set_type) ||
                  is_exactly(iterable, &frozenset_type);
    if (plain && direct && dict_size(dict) == 0) return add_keys_of(dict, iterable, value);
    Value iterator = object_iter(iterable);
    bool ok = iterator;
    while (ok) {
        Value key = next_of(iterator);
        if (key == ABSENT) break;
        ok = key && (plain ? dict_set(dict, key, value) : object_set_subscript(dict, key, value)) &&
             poll_signals();
        drop(key);
    }
    drop(iterator);
    return ok;
}

static Value fromkeys(ValueRef self, METHOD_ARGS)
{
    Value made = object_call_none(self);
    if (!made || add_keys(made, args[0], nargs > 1 ? args[1] : NONE)) return made;
    drop(made);
    return VALUE_ERROR;
}

static Value clear(ValueRef self, METHOD_ARGS)
{
    dict_clear(self);
    return NONE;
}

static Value copy(ValueRef self, METHOD_ARGS)
{
    return dict_copy(self);
}

static Value reversed(ValueRef self, METHOD_ARGS)
{
    return dict_reverse_iterator(self);
}

static const MethodDef methods[] = {
    {"__contains__", contains_method, METHOD_ONE, METHOD_COEXIST, 1, 1, NULL},
    {"__getitem__", getitem, METHOD_ONE, METHOD_COEXIST, 1, 1, NULL},
    {"__sizeof__", size_of, NO_ARGS, NULL},
    {"get", get, ARGS(1, 2), NULL},
    {"setdefault", setdefault, ARGS(1, 2), NULL},
    {"pop", pop, ARGS(1, 2), NULL},
    {"popitem", popitem, NO_ARGS, NULL},
    {"keys", keys, NO_ARGS, NULL},
    {"items", items, NO_ARGS, NULL},
    {"values", values, NO_ARGS, NULL},
    {"update", update, KEYWORD_ARGS, NULL},
    {"fromkeys", fromkeys, METHOD_POSITIONAL, METHOD_CLASS, 1, 2, NULL},
    {"clear", clear, NO_ARGS, NULL},
    {"copy", copy, NO_ARGS, NULL},
    {"__reversed__", reversed, NO_ARGS, NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

Type dict_type = {
    STATIC_TYPE("dict", sizeof(Dict)),
    .getattribute = object_generic_get,
    .flags = TYPE_BASE | TYPE_GC | TYPE_DICT,
    .methods = methods,
    .new_ = new_dict,
    .init = init,
    .release = release,
    .traverse = traverse,
    .clear = release,
    .repr = repr,
    .hash = object_hash_unhashable,
    .compare = compare,
    .iter = dict_iter,
    .or_ = or_,
    .inplace_or = inplace_or,
    .length = length,
    .contains = dict_contains,
    .subscript = subscript,
    .set_subscript = set_subscript,
};
