// collections.defaultdict and collections.OrderedDict, which are subclasses of dict; the counting
// loop of Counter; and the descriptors of a namedtuple's fields.
//
// An OrderedDict needs no linked list: a dict keeps its keys in order, and moves one to either end,
// or takes it from there, in constant time on average (dict_move_to_end, dict_pop_end). Its
// iterators are stricter than a dict's: they compare the version of the keys. They know the last
// key when they come to it, so, as in CPython, a change after it raises nothing.
#include "vm/modules/collections/collections.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/protocols/iterators.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// ---- defaultdict

typedef struct DefaultDict {
    Dict dict;
    Value factory; // 0 = None
} DefaultDict;

static DefaultDict *as_default(ValueRef value)
{
    return (DefaultDict *)object_of(value);
}

static bool default_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Value factory = VALUE_ERROR;
    if (nargs) {
        if (args[0] != NONE && !object_is_callable(args[0]))
            return raise_error(TypeError, "first argument must be callable or None");
        if (args[0] != NONE) factory = retain(args[0]);
        args++;
        nargs--;
    }
    replace_slot(&as_default(self)->factory, factory);
    return dict_type.init(self, args, nargs, kwnames);
}

static void default_release(Object *self)
{
    drop_slot(&((DefaultDict *)self)->factory);
    dict_type.release(self);
}

static void default_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((DefaultDict *)self)->factory, visit, arg);
    dict_type.traverse(self, visit, arg);
}

static ValueRef factory_of(ValueRef self)
{
    return as_default(self)->factory ? as_default(self)->factory : NONE;
}

static Value default_missing(ValueRef self, METHOD_ARGS)
{
    Value factory = retain(factory_of(self));
    if (factory == NONE) return raise_key_error(args[0]);
    Value value = object_call_none(factory);
    drop(factory);
    if (!value || object_set_subscript(self, args[0], value)) return value;
    drop(value);
    return VALUE_ERROR;
}

// Another dict of the type of self, with the same factory, filled from source: owned. The factory
// is held, as a __new__ written in a script may set default_factory.
static Value default_like(ValueRef self, ValueRef source)
{
    Value factory = retain(factory_of(self));
    Value made = object_call_two(ref_of(type_of(self)), factory, source);
    drop(factory);
    return made;
}

static Value default_copy(ValueRef self, METHOD_ARGS)
{
    return default_like(self, self);
}

// (type, (factory,), None, None, iterator of items)
static Value default_reduce(ValueRef self, METHOD_ARGS)
{
    ValueRef factory = factory_of(self);
    Value arguments = factory == NONE ? tuple_new(0) : tuple_pack(1, factory);
    Value items = arguments ? object_call_method_none(self, NAME(items)) : VALUE_ERROR;
    Value iterator = items ? object_iter(items) : VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (iterator)
        result = tuple_pack(5, ref_of(type_of(self)), (ValueRef)arguments, (ValueRef)NONE,
                            (ValueRef)NONE, (ValueRef)iterator);
    drop(iterator);
    drop(items);
    drop(arguments);
    return result;
}

static Value factory_text(ValueRef self)
{
    Value factory = retain(factory_of(self)), text = VALUE_ERROR;
    bool shown = false;
    if (repr_enter(factory, &shown)) {
        text = shown ? str_new("...") : object_repr(factory);
        if (!shown) repr_leave(factory);
    }
    drop(factory);
    return text;
}

static Value default_repr(ValueRef self)
{
    Value items = dict_type.repr(self), name = items ? type_name(type_of(self)) : VALUE_ERROR;
    Value factory = name ? factory_text(self) : VALUE_ERROR;
    Value text = factory ? format_text("%S(%S, %S)", name, factory, items) : VALUE_ERROR;
    drop(factory);
    drop(name);
    drop(items);
    return text;
}

static Value default_or(ValueRef left, ValueRef right)
{
    bool ours = type_is_subtype(type_of(left), &defaultdict_type);
    ValueRef self = ours ? left : right, other = ours ? right : left;
    if (!dict_check(other)) return NOT_IMPLEMENTED;
    Value both = default_like(self, left);
    if (!both) return VALUE_ERROR;
    bool usual = dict_check(both); // a __new__ written in a script may return anything
    if (!usual) raise_bad_call("Objects/dictobject.c:2509");
    if (!usual || !dict_update(both, right)) drop_slot(&both);
    return both;
}

static const MethodDef default_methods[] = {
    {"__missing__", default_missing, ONE_ARG,
     "Called by d[key] for a key that is not there: puts in what default_factory makes."},
    {"copy", default_copy, NO_ARGS, "A new dict of the same type with the same pairs."},
    {"__copy__", default_copy, NO_ARGS, NULL},
    {"__reduce__", default_reduce, NO_ARGS, NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

static const MemberDef default_members[] = {
    {"default_factory", MEMBER_VALUE, offsetof(DefaultDict, factory), false, NULL},
    {0},
};

Type defaultdict_type = {
    STATIC_TYPE("collections.defaultdict", sizeof(DefaultDict)),
    .doc = "A dict that calls default_factory for the value of a key that is not there.",
    .getattribute = object_generic_get,
    .flags = TYPE_BASE | TYPE_GC | TYPE_DICT,
    .base_type = &dict_type,
    .methods = default_methods,
    .members = default_members,
    .init = default_init,
    .release = default_release,
    .traverse = default_traverse,
    .clear = default_release,
    .repr = default_repr,
    .or_ = default_or,
};

// ---- counting

static Value one_more(ValueRef number)
{
    if (is_small(number) && small_value(number) < SMALL_MAX)
        return from_small(small_value(number) + 1);
    return object_binary(number, from_small(1), OP_ADD);
}

static bool count_in_dict(ValueRef dict, ValueRef key)
{
    int64_t hash;
    if (!item_hash(key, &hash)) return false;
    Value old = dict_get_hashed(dict, key, hash);
    if (!old) return false;
    Value number = old == ABSENT ? from_small(1) : one_more(old);
    drop(old);
    bool ok = number && dict_set_hashed(dict, key, hash, number);
    drop(number);
    return ok;
}

static bool count_in_mapping(ValueRef mapping, ValueRef get, ValueRef key)
{
    Value old = object_call_two(get, key, from_small(0));
    Value number = old ? one_more(old) : VALUE_ERROR;
    bool ok = number && object_set_subscript(mapping, key, number);
    drop(number);
    drop(old);
    return ok;
}

// Neither get nor __setitem__ is overridden.
static bool counts_like_dict(ValueRef mapping)
{
    Type *type = type_of(mapping);
    return dict_check(mapping) &&
           type_lookup(type, NAME(get)) == type_lookup(&dict_type, NAME(get)) &&
           type_lookup(type, NAME(__setitem__)) == type_lookup(&dict_type, NAME(__setitem__));
}

Value count_elements(FUNCTION_ARGS)
{
    ValueRef mapping = args[0];
    Value iterator = object_iter(args[1]);
    if (!iterator) return VALUE_ERROR;
    Value get = counts_like_dict(mapping) ? NONE : object_get(mapping, NAME(get));
    bool ok = get;
    while (ok) {
        Value key = next_of(iterator);
        if (key == ABSENT) break;
        ok = key &&
             (get == NONE ? count_in_dict(mapping, key) : count_in_mapping(mapping, get, key));
        ok = ok && poll_signals();
        drop(key);
    }
    drop(get);
    drop(iterator);
    return ok ? NONE : VALUE_ERROR;
}

// ---- OrderedDict

typedef struct OrderedDict {
    Dict dict;
    Value attributes; // __dict__
    Value weakrefs;
} OrderedDict;

static bool odict_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(type_of(value), &ordered_dict_type);
}

static bool odict_exact(ValueRef value)
{
    return is_exactly(value, &ordered_dict_type);
}

static bool store(ValueRef self, ValueRef key, ValueRef value)
{
    return odict_exact(self) ? dict_set(self, key, value) : object_set_subscript(self, key, value);
}

static bool store_pair(ValueRef self, ValueRef item)
{
    Value pair = sequence_tuple(item);
    if (!pair) return false;
    ssize_t size = tuple_size(pair);
    bool ok;
    if (size == 2)
        ok = store(self, tuple_at(pair, 0), tuple_at(pair, 1));
    else if (size < 2)
        ok = raise_error(ValueError, "need more than %zd value%s to unpack", size,
                         size == 1 ? "" : "s");
    else
        ok = raise_error(ValueError, "too many values to unpack (expected 2)");
    drop(pair);
    return ok;
}

// Stores each pair of an iterable, or each key of it with mapping[key].
static bool store_all(ValueRef self, ValueRef iterable, ValueRef mapping)
{
    Value iterator = object_iter(iterable);
    bool ok = iterator;
    while (ok) {
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        if (item && mapping) {
            Value value = object_subscript(mapping, item);
            ok = value && store(self, item, value);
            drop(value);
        } else {
            ok = item && store_pair(self, item);
        }
        drop(item);
    }
    drop(iterator);
    return ok;
}

// From a mapping, from anything with items(), or from pairs.
static bool update_from(ValueRef self, ValueRef other)
{
    if (dict_check_exact(other)) {
        Value items = dict_items(other);
        bool ok = items && store_all(self, items, 0);
        drop(items);
        return ok;
    }
    Value method = object_get_optional(other, NAME(keys));
    bool by_keys = method && method != ABSENT;
    if (method == ABSENT) method = object_get_optional(other, NAME(items));
    if (!method) return false;
    if (method == ABSENT) return store_all(self, other, 0);
    Value all = object_call_none(method);
    drop(method);
    bool ok = all && store_all(self, all, by_keys ? other : 0);
    drop(all);
    return ok;
}

static bool update_keywords(ValueRef self, METHOD_ARGS)
{
    for (ssize_t i = 0; kwnames && i < tuple_size(kwnames); i++)
        if (!store(self, tuple_at(kwnames, i), args[nargs + (size_t)i])) return false;
    return true;
}

static bool odict_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (nargs > 1) return raise_error(TypeError, "expected at most 1 arguments, got %zu", nargs);
    if (nargs && !update_from(self, args[0])) return false;
    return update_keywords(self, args, nargs, kwnames);
}

static void odict_release(Object *self)
{
    drop_slot(&((OrderedDict *)self)->attributes);
    dict_type.release(self);
}

static void odict_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((OrderedDict *)self)->attributes, visit, arg);
    dict_type.traverse(self, visit, arg);
}

static Value odict_pairs(ValueRef self)
{
    if (odict_exact(self)) return dict_items(self);
    Value items = object_call_method_none(self, NAME(items));
    Value list = items ? sequence_list(items) : VALUE_ERROR;
    drop(items);
    return list;
}

static Value odict_repr(ValueRef self)
{
    bool shown = false;
    Value name = type_name(type_of(self)), text = VALUE_ERROR;
    if (!name) return VALUE_ERROR;
    if (dict_size(self) == 0) {
        text = format_text("%S()", name);
    } else if (repr_enter(self, &shown)) {
        Value pairs = shown ? VALUE_ERROR : odict_pairs(self);
        if (shown)
            text = str_new("...");
        else if (pairs)
            text = format_text("%S(%R)", name, pairs);
        drop(pairs);
        if (!shown) repr_leave(self);
    }
    drop(name);
    return text;
}

static bool same_order(ValueRef left, ValueRef right, bool *equal)
{
    Value ours = dict_keys(left), theirs = ours ? dict_keys(right) : VALUE_ERROR;
    bool ok = theirs && object_equal(ours, theirs, equal);
    drop(theirs);
    drop(ours);
    return ok;
}

static Value odict_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) || !dict_check(right)) return NOT_IMPLEMENTED;
    bool equal;
    if (!dict_equal(left, right, &equal)) return VALUE_ERROR;
    if (equal && odict_check(right) && !same_order(left, right, &equal)) return VALUE_ERROR;
    return from_bool(equal == (op == COMPARE_EQ));
}

static Value odict_or(ValueRef left, ValueRef right)
{
    ValueRef self = odict_check(left) ? left : right, other = self == left ? right : left;
    if (!dict_check(other)) return NOT_IMPLEMENTED;
    Value both = object_call_one(ref_of(type_of(self)), left);
    if (!both || update_from(both, right)) return both;
    drop(both);
    return VALUE_ERROR;
}

static Value odict_inplace_or(ValueRef self, ValueRef other)
{
    return update_from(self, other) ? retain(self) : VALUE_ERROR;
}

// ---- the iterators of OrderedDict

typedef enum OdictPart { PART_KEY, PART_VALUE, PART_ITEM } OdictPart;

typedef struct OdictIterator {
    Object base;
    Value dict; // 0 = at its end
    uint32_t keys_version;
    OdictPart part;
    ssize_t step;     // 1 or -1
    ssize_t position; // of the next entry or a deleted one before it, -1 = there is none
} OdictIterator;

// The next entry. There is one, as no key was taken out since the end was looked for.
static const DictEntry *step_to_entry(OdictIterator *iterator)
{
    const Dict *dict = as_dict(iterator->dict);
    ssize_t position = iterator->position;
    while (!dict->entries[position].key) position += iterator->step;
    bool at_end = position == dict_end_entry(iterator->dict, iterator->step > 0);
    iterator->position = at_end ? -1 : position + iterator->step;
    return &dict->entries[position];
}

static Value odict_iterator(ValueRef dict, OdictPart part, bool backwards)
{
    OdictIterator *iterator = object_alloc(&odict_iterator_type, 0);
    if (!iterator) return VALUE_ERROR;
    iterator->dict = retain(dict);
    iterator->keys_version = dict_keys_version(dict);
    iterator->part = part;
    iterator->step = backwards ? -1 : 1;
    iterator->position = dict_end_entry(dict, backwards);
    return own(iterator);
}

static void iterator_release(Object *self)
{
    drop_slot(&((OdictIterator *)self)->dict);
}

static void iterator_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((OdictIterator *)self)->dict, visit, arg);
}

static Value iterator_next(ValueRef self)
{
    OdictIterator *iterator = (OdictIterator *)object_of(self);
    if (!iterator->dict) return ABSENT;
    const Dict *dict = as_dict(iterator->dict);
    if (iterator->position < 0 || dict_keys_version(iterator->dict) != iterator->keys_version) {
        bool changed = iterator->position >= 0;
        drop_slot(&iterator->dict);
        if (!changed) return ABSENT;
        // clear() leaves no table, and in CPython only a size that differs
        return raise_error(RuntimeError, "OrderedDict %s during iteration",
                           dict->entries ? "mutated" : "changed size");
    }
    const DictEntry *entry = step_to_entry(iterator);
    if (iterator->part == PART_KEY) return retain(entry->key);
    if (iterator->part == PART_VALUE) return retain(entry->value);
    return tuple_pack(2, (ValueRef)entry->key, (ValueRef)entry->value);
}

static Value iterator_reduce(ValueRef self, METHOD_ARGS)
{
    const OdictIterator *from = (const OdictIterator *)object_of(self);
    OdictIterator *copy = object_alloc(&odict_iterator_type, 0);
    if (!copy) return VALUE_ERROR;
    copy->dict = retain(from->dict);
    copy->keys_version = from->keys_version;
    copy->part = from->part;
    copy->step = from->step;
    copy->position = from->position;
    Value list = sequence_list(ref_of(copy));
    drop(own(copy));
    return reduce_to_iter(list);
}

static const MethodDef iterator_methods[] = {{"__reduce__", iterator_reduce, NO_ARGS, NULL}, {0}};

Type odict_iterator_type = {
    STATIC_TYPE("odict_iterator", sizeof(OdictIterator)),
    .getattribute = object_generic_get,
    .flags = TYPE_GC,
    .methods = iterator_methods,
    .release = iterator_release,
    .traverse = iterator_traverse,
    .iter = iterator_self,
    .next = iterator_next,
};

static Value keys_iter(ValueRef view)
{
    return odict_iterator(as_dict_view(view)->dict, PART_KEY, false);
}

static Value values_iter(ValueRef view)
{
    return odict_iterator(as_dict_view(view)->dict, PART_VALUE, false);
}

static Value items_iter(ValueRef view)
{
    return odict_iterator(as_dict_view(view)->dict, PART_ITEM, false);
}

static Value keys_reversed(ValueRef view, METHOD_ARGS)
{
    return odict_iterator(as_dict_view(view)->dict, PART_KEY, true);
}

static Value values_reversed(ValueRef view, METHOD_ARGS)
{
    return odict_iterator(as_dict_view(view)->dict, PART_VALUE, true);
}

static Value items_reversed(ValueRef view, METHOD_ARGS)
{
    return odict_iterator(as_dict_view(view)->dict, PART_ITEM, true);
}

static const MethodDef keys_methods[] = {{"__reversed__", keys_reversed, NO_ARGS, NULL}, {0}};
static const MethodDef values_methods[] = {{"__reversed__", values_reversed, NO_ARGS, NULL}, {0}};
static const MethodDef items_methods[] = {{"__reversed__", items_reversed, NO_ARGS, NULL}, {0}};

#define ODICT_VIEW(variable, type_name, base, method_table, iter_function)                         \
    Type variable = {                                                                              \
        STATIC_TYPE(type_name, sizeof(DictView)),                                                  \
        .getattribute = object_generic_get,                                                        \
        .flags = TYPE_GC,                                                                          \
        .base_type = &(base),                                                                      \
        .methods = method_table,                                                                   \
        .iter = iter_function,                                                                     \
    }

ODICT_VIEW(odict_keys_type, "odict_keys", dict_keys_type, keys_methods, keys_iter);
ODICT_VIEW(odict_values_type, "odict_values", dict_values_type, values_methods, values_iter);
ODICT_VIEW(odict_items_type, "odict_items", dict_items_type, items_methods, items_iter);

// ---- the methods of OrderedDict

static bool odict_set_subscript(ValueRef self, ValueRef key, ValueRef value)
{
    if (!dict_type.set_subscript(self, key, value)) return false;
    if (!value) dict_compact(self);
    return true;
}

static Value odict_iter(ValueRef self)
{
    return odict_iterator(self, PART_KEY, false);
}

static Value odict_reversed(ValueRef self, METHOD_ARGS)
{
    return odict_iterator(self, PART_KEY, true);
}

static Value odict_keys(ValueRef self, METHOD_ARGS)
{
    return dict_view_new(&odict_keys_type, self);
}

static Value odict_values(ValueRef self, METHOD_ARGS)
{
    return dict_view_new(&odict_values_type, self);
}

static Value odict_items(ValueRef self, METHOD_ARGS)
{
    return dict_view_new(&odict_items_type, self);
}

static Value odict_fromkeys(ValueRef type, METHOD_ARGS)
{
    static const char *const names[] = {"iterable", "value", NULL};
    static const Signature signature = {"fromkeys", names, 1, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    Value made = object_call_none(type), iterator = made ? object_iter(slots[0]) : VALUE_ERROR;
    bool ok = iterator;
    while (ok) {
        Value key = next_of(iterator);
        if (key == ABSENT) break;
        ok = key && object_set_subscript(made, key, slots[1] ? slots[1] : NONE);
        drop(key);
    }
    drop(iterator);
    if (ok) return made;
    drop(made);
    return VALUE_ERROR;
}

static Value odict_setdefault(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"key", "default", NULL};
    static const Signature signature = {"setdefault", names, 1, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    ValueRef fallback = slots[1] ? slots[1] : NONE;
    if (odict_exact(self)) return dict_set_default(self, slots[0], fallback);
    bool found;
    if (!object_contains(self, slots[0], &found)) return VALUE_ERROR;
    if (found) return object_subscript(self, slots[0]);
    return object_set_subscript(self, slots[0], fallback) ? retain(fallback) : VALUE_ERROR;
}

static Value odict_pop(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"key", "default", NULL};
    static const Signature signature = {"pop", names, 1, 2};
    ValueRef slots[2];
    int64_t hash;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (!item_hash(slots[0], &hash)) return VALUE_ERROR;
    Value value = dict_pop(self, slots[0]);
    if (value && value != ABSENT) dict_compact(self);
    if (value != ABSENT) return value;
    return slots[1] ? retain(slots[1]) : raise_key_error(slots[0]);
}

static bool last_argument(const Signature *signature, METHOD_ARGS, ValueRef *slots, bool *last)
{
    if (!args_bind(signature, args, nargs, kwnames, slots)) return false;
    ValueRef given = slots[signature->positional - 1];
    return !given || object_truth(given, last);
}

static Value odict_popitem(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"last", NULL};
    static const Signature signature = {"popitem", names, 0, 1};
    ValueRef slots[1];
    bool last = true;
    if (!last_argument(&signature, args, nargs, kwnames, slots, &last)) return VALUE_ERROR;
    if (dict_size(self) == 0) return raise_error(KeyError, "dictionary is empty");
    Value pair = dict_pop_end(self, last);
    if (pair) dict_compact(self);
    return pair;
}

static Value odict_move_to_end(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"key", "last", NULL};
    static const Signature signature = {"move_to_end", names, 1, 2};
    ValueRef slots[2];
    bool last = true, found;
    if (!last_argument(&signature, args, nargs, kwnames, slots, &last)) return VALUE_ERROR;
    if (!dict_move_to_end(self, slots[0], last, &found)) return VALUE_ERROR;
    return found ? NONE : raise_key_error(slots[0]);
}

static Value odict_update(ValueRef self, METHOD_ARGS)
{
    if (nargs > 1)
        return raise_error(TypeError, "update() takes at most 1 positional argument (%zu given)",
                           nargs);
    if (nargs && !update_from(self, args[0])) return VALUE_ERROR;
    return update_keywords(self, args, nargs, kwnames) ? NONE : VALUE_ERROR;
}

static Value odict_copy(ValueRef self, METHOD_ARGS)
{
    Value copy = object_call_none(ref_of(type_of(self)));
    if (!copy) return VALUE_ERROR;
    Value keys = odict_exact(self) ? dict_items(self) : dict_keys(self);
    bool ok = keys && store_all(copy, keys, odict_exact(self) ? 0 : self);
    drop(keys);
    if (ok) return copy;
    drop(copy);
    return VALUE_ERROR;
}

// (type, (), __dict__ or None, None, iterator of items)
static Value odict_reduce(ValueRef self, METHOD_ARGS)
{
    Value state = object_get_optional(self, NAME(__dict__));
    if (state && state != ABSENT && dict_check(state) && dict_size(state) == 0)
        replace_slot(&state, ABSENT);
    Value items = state ? object_call_method_none(self, NAME(items)) : VALUE_ERROR;
    Value iterator = items ? object_iter(items) : VALUE_ERROR;
    Value nothing = tuple_new(0), result = VALUE_ERROR;
    if (iterator)
        result = tuple_pack(5, ref_of(type_of(self)), (ValueRef)nothing,
                            (ValueRef)(state == ABSENT ? NONE : state), (ValueRef)NONE,
                            (ValueRef)iterator);
    drop(nothing);
    drop(iterator);
    drop(items);
    drop(state);
    return result;
}

static const MethodDef odict_methods[] = {
    {"fromkeys", odict_fromkeys, METHOD_KEYWORDS, METHOD_CLASS, 0, -1,
     "A new dict with the keys of an iterable, all with one value."},
    {"__reduce__", odict_reduce, NO_ARGS, NULL},
    {"setdefault", odict_setdefault, KEYWORD_ARGS,
     "The value of a key, which is put in with the default if it is not there."},
    {"pop", odict_pop, KEYWORD_ARGS,
     "Take out a key and return its value, or the default if it is not there."},
    {"popitem", odict_popitem, KEYWORD_ARGS,
     "Take out the last pair (the first, if last is false) and return it."},
    {"keys", odict_keys, NO_ARGS, "A view of the keys, in their order."},
    {"values", odict_values, NO_ARGS, "A view of the values, in the order of their keys."},
    {"items", odict_items, NO_ARGS, "A view of the pairs, in the order of their keys."},
    {"update", odict_update, ANY_KEYWORD_ARGS,
     "Put in the pairs of a mapping or an iterable, and the keywords."},
    {"copy", odict_copy, NO_ARGS, "A new dict of the same type with the same pairs."},
    {"__reversed__", odict_reversed, NO_ARGS, NULL},
    {"move_to_end", odict_move_to_end, KEYWORD_ARGS,
     "Move a key to the end (to the front, if last is false)."},
    {0},
};

static const GetSetDef odict_getset[] = {
    {"__dict__", generic_get_dict, generic_set_dict, NULL},
    {0},
};

Type ordered_dict_type = {
    STATIC_TYPE("collections.OrderedDict", sizeof(OrderedDict)),
    .doc = "A dict whose order counts when two are compared, and can be changed.",
    .getattribute = object_generic_get,
    .flags = TYPE_BASE | TYPE_GC | TYPE_DICT,
    .base_type = &dict_type,
    .dict_offset = offsetof(OrderedDict, attributes),
    .weakref_offset = offsetof(OrderedDict, weakrefs),
    .methods = odict_methods,
    .getset = odict_getset,
    .init = odict_init,
    .release = odict_release,
    .traverse = odict_traverse,
    .clear = odict_release,
    .repr = odict_repr,
    .hash = object_hash_unhashable,
    .compare = odict_compare,
    .iter = odict_iter,
    .set_subscript = odict_set_subscript,
    .or_ = odict_or,
    .inplace_or = odict_inplace_or,
};

// ---- the field of a namedtuple

typedef struct TupleGetter {
    Object base;
    ssize_t index;
    Value doc;
} TupleGetter;

static TupleGetter *as_getter(ValueRef value)
{
    return (TupleGetter *)object_of(value);
}

static Value getter_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ssize_t index;
    if (!args_check("_tuplegetter", nargs, kwnames, 2, 2) || !argument_ssize(args[0], &index))
        return VALUE_ERROR;
    TupleGetter *getter = object_alloc(type, 0);
    if (!getter) return VALUE_ERROR;
    getter->index = index;
    getter->doc = retain(args[1]);
    return own(getter);
}

static void getter_release(Object *self)
{
    drop_slot(&((TupleGetter *)self)->doc);
}

static void getter_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((TupleGetter *)self)->doc, visit, arg);
}

static Value getter_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    ssize_t index = as_getter(self)->index;
    if (!instance || (instance == NONE && owner)) return retain(self);
    if (!tuple_check(instance))
        return raise_error(TypeError,
                           "descriptor for index '%zd' for tuple subclasses doesn't apply to "
                           "'%T' object",
                           index, instance);
    if (index < 0 || index >= tuple_size(instance))
        return raise_error(IndexError, "tuple index out of range");
    return retain(tuple_at(instance, index));
}

static bool getter_set(ValueRef self, ValueRef instance, ValueRef value)
{
    (void)self;
    (void)instance;
    return raise_error(AttributeError, value ? "can't set attribute" : "can't delete attribute");
}

static Value getter_repr(ValueRef self)
{
    Value name = type_name(type_of(self));
    if (!name) return VALUE_ERROR;
    Value text = format_text("%S(%zd, %R)", name, as_getter(self)->index, as_getter(self)->doc);
    drop(name);
    return text;
}

static Value getter_reduce(ValueRef self, METHOD_ARGS)
{
    Value arguments =
        tuple_pack(2, (ValueRef)from_small(as_getter(self)->index), (ValueRef)as_getter(self)->doc);
    Value result = VALUE_ERROR;
    if (arguments) result = tuple_pack(2, ref_of(type_of(self)), (ValueRef)arguments);
    drop(arguments);
    return result;
}

static const MethodDef getter_methods[] = {{"__reduce__", getter_reduce, NO_ARGS, NULL}, {0}};
static const MemberDef getter_members[] = {
    {"__doc__", MEMBER_VALUE, offsetof(TupleGetter, doc), false, NULL},
    {0},
};

Type tuplegetter_type = {
    STATIC_TYPE("_collections._tuplegetter", sizeof(TupleGetter)),
    .getattribute = object_generic_get,
    .flags = TYPE_GC,
    .methods = getter_methods,
    .members = getter_members,
    .new_ = getter_new,
    .release = getter_release,
    .traverse = getter_traverse,
    .clear = getter_release,
    .repr = getter_repr,
    .get = getter_get,
    .set = getter_set,
};
