// keys(), values(), items(): views of a dict, and its iterators.
//
// A view is a reference to the dict and nothing else. keys and items behave like sets; their
// operators return plain sets. An iterator goes through the entries by index. It raises
// RuntimeError if the number of keys has changed, or if there are more keys than at the start
// ("keys changed"). CPython 3.9 notices no more either.
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/type.h"

// ---- iterators

typedef enum Part { PART_KEY, PART_VALUE, PART_ITEM } Part;

typedef struct DictIterator {
    Object base;
    Value dict;       // VALUE_ERROR = at its end
    ssize_t used;     // of the dict at the start, -1 = it has changed
    ssize_t position; // of the next entry to look at
    ssize_t left;
    Value pair; // of items: the tuple returned last, reused if only the iterator owns it
} DictIterator;

static DictIterator *as_iterator(ValueRef value)
{
    return (DictIterator *)object_of(value);
}

static Value iterator_new(Type *type, ValueRef dict, bool backwards)
{
    DictIterator *iterator = object_alloc(type, 0);
    if (!iterator) return VALUE_ERROR;
    iterator->dict = retain(dict);
    iterator->used = iterator->left = dict_size(dict);
    iterator->position = backwards ? as_dict(dict)->filled - 1 : 0;
    return own(iterator);
}

static void iterator_release(Object *self)
{
    DictIterator *iterator = (DictIterator *)self;
    drop_slot(&iterator->dict);
    drop_slot(&iterator->pair);
}

static void iterator_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((DictIterator *)self)->dict, visit, arg);
    visit_item(((DictIterator *)self)->pair, visit, arg);
}

// Moves to the next entry. NULL at the end, or if the dict has changed; the caller then returns
// *end.
static const DictEntry *next_entry(DictIterator *iterator, Value *end)
{
    *end = ABSENT;
    if (!iterator->dict) return NULL;
    const Dict *dict = as_dict(iterator->dict);
    if (iterator->used != dict->used) {
        iterator->used = -1; // every later call raises again
        *end = raise_error(RuntimeError, "dictionary changed size during iteration");
        return NULL;
    }
    ssize_t i = iterator->position;
    while (i < dict->filled && !dict->entries[i].key) i++;
    if (i >= dict->filled) return drop_slot(&iterator->dict), NULL;
    if (iterator->left == 0) {
        *end = raise_error(RuntimeError, "dictionary keys changed during iteration");
        return drop_slot(&iterator->dict), NULL;
    }
    iterator->position = i + 1;
    iterator->left--;
    return &dict->entries[i];
}

static const DictEntry *previous_entry(DictIterator *iterator, Value *end)
{
    *end = ABSENT;
    if (!iterator->dict) return NULL;
    const Dict *dict = as_dict(iterator->dict);
    if (iterator->used != dict->used) {
        iterator->used = -1;
        *end = raise_error(RuntimeError, "dictionary changed size during iteration");
        return NULL;
    }
    ssize_t i = iterator->position;
    if (i >= dict->filled) i = dict->filled - 1;
    while (i >= 0 && !dict->entries[i].key) i--;
    if (i < 0) return drop_slot(&iterator->dict), NULL;
    iterator->position = i - 1;
    iterator->left--;
    return &dict->entries[i];
}

// (key, value), in the tuple returned last if only the iterator owns it.
static Value pair_of(DictIterator *iterator, const DictEntry *entry)
{
    Value key = retain(entry->key), value = retain(entry->value);
    if (iterator->pair && object_of(iterator->pair)->refcount == 1) {
        Value *items = as_tuple(iterator->pair)->items;
        Value old_key = items[0], old_value = items[1];
        Value pair = retain(iterator->pair);
        track_again(object_of(pair));
        items[0] = key;
        items[1] = value;
        drop(old_key);
        drop(old_value);
        return pair;
    }
    Value pair = tuple_new(2);
    if (pair) {
        as_tuple(pair)->items[0] = key;
        as_tuple(pair)->items[1] = value;
        replace_slot(&iterator->pair, retain(pair));
        return pair;
    }
    drop(key);
    drop(value);
    return VALUE_ERROR;
}

static inline Value step(ValueRef self, Part part, bool backwards)
{
    Value end;
    DictIterator *iterator = as_iterator(self);
    const DictEntry *entry =
        backwards ? previous_entry(iterator, &end) : next_entry(iterator, &end);
    if (!entry) return end;
    if (part == PART_ITEM) return pair_of(iterator, entry);
    return retain(part == PART_KEY ? entry->key : entry->value);
}

static Value next_key(ValueRef self)
{
    return step(self, PART_KEY, false);
}

static Value next_value(ValueRef self)
{
    return step(self, PART_VALUE, false);
}

static Value next_item(ValueRef self)
{
    return step(self, PART_ITEM, false);
}

Value dict_next_pair(ValueRef self, Value *second)
{
    Value end;
    const DictEntry *entry = next_entry(as_iterator(self), &end);
    if (!entry) return end;
    *second = retain(entry->value);
    return retain(entry->key);
}

static Value previous_key(ValueRef self)
{
    return step(self, PART_KEY, true);
}

static Value previous_value(ValueRef self)
{
    return step(self, PART_VALUE, true);
}

static Value previous_item(ValueRef self)
{
    return step(self, PART_ITEM, true);
}

static Value iterator_hint(ValueRef self, METHOD_ARGS)
{
    const DictIterator *iterator = as_iterator(self);
    bool intact = iterator->dict && iterator->used == dict_size(iterator->dict);
    return from_small(intact ? iterator->left : 0);
}

// (iter, ([the remaining items],)); the iterator does not move.
static Value iterator_reduce(ValueRef self, METHOD_ARGS)
{
    Value copy = own(object_alloc(type_of(self), 0));
    if (!copy) return VALUE_ERROR;
    const DictIterator *from = as_iterator(self);
    DictIterator *to = as_iterator(copy);
    to->dict = retain(from->dict);
    to->used = from->used;
    to->position = from->position;
    to->left = from->left;
    Value list = sequence_list(copy);
    drop(copy);
    return reduce_to_iter(list);
}

static const MethodDef iterator_methods[] = {
    {"__length_hint__", iterator_hint, NO_ARGS, NULL},
    {"__reduce__", iterator_reduce, NO_ARGS, NULL},
    {0},
};

// `getattribute` is NULL where CPython's type inherits it: its __dict__ shows that.
#define ITERATOR_TYPE(variable, type_name, next_function, getattribute_function)                   \
    Type variable = {                                                                              \
        STATIC_TYPE(type_name, sizeof(DictIterator)),                                              \
        .flags = TYPE_GC,                                                                          \
        .methods = iterator_methods,                                                               \
        .getattribute = getattribute_function,                                                     \
        .release = iterator_release,                                                               \
        .traverse = iterator_traverse,                                                             \
        .iter = iterator_self,                                                                     \
        .next = next_function,                                                                     \
    }

ITERATOR_TYPE(dict_key_iterator_type, "dict_keyiterator", next_key, object_generic_get);
ITERATOR_TYPE(dict_value_iterator_type, "dict_valueiterator", next_value, object_generic_get);
ITERATOR_TYPE(dict_item_iterator_type, "dict_itemiterator", next_item, object_generic_get);
ITERATOR_TYPE(dict_reverse_key_iterator_type, "dict_reversekeyiterator", previous_key, NULL);
ITERATOR_TYPE(dict_reverse_value_iterator_type, "dict_reversevalueiterator", previous_value, NULL);
ITERATOR_TYPE(dict_reverse_item_iterator_type, "dict_reverseitemiterator", previous_item, NULL);

Value dict_iter(ValueRef dict)
{
    return iterator_new(&dict_key_iterator_type, dict, false);
}

Value dict_reverse_iterator(ValueRef dict)
{
    return iterator_new(&dict_reverse_key_iterator_type, dict, true);
}

// ---- views

static ValueRef dict_of(ValueRef view)
{
    return as_dict_view(view)->dict;
}

Value dict_view_new(Type *type, ValueRef dict)
{
    DictView *view = object_alloc(type, 0);
    if (view) view->dict = retain(dict);
    return own(view);
}

Value dict_keys_view(ValueRef dict)
{
    return dict_view_new(&dict_keys_type, dict);
}

Value dict_values_view(ValueRef dict)
{
    return dict_view_new(&dict_values_type, dict);
}

Value dict_items_view(ValueRef dict)
{
    return dict_view_new(&dict_items_type, dict);
}

static void view_release(Object *self)
{
    drop_slot(&((DictView *)self)->dict);
}

static void view_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((DictView *)self)->dict, visit, arg);
}

static bool view_length(ValueRef self, ssize_t *length)
{
    *length = dict_size(dict_of(self));
    return true;
}

static Value view_repr(ValueRef self)
{
    bool shown = false;
    if (!repr_enter(self, &shown)) return VALUE_ERROR;
    if (shown) return str_new("...");
    Value list = sequence_list(self);
    Value text = list ? format_text("%T(%R)", self, list) : VALUE_ERROR;
    drop(list);
    repr_leave(self);
    return text;
}

static Value keys_iter(ValueRef self)
{
    return iterator_new(&dict_key_iterator_type, dict_of(self), false);
}

static Value values_iter(ValueRef self)
{
    return iterator_new(&dict_value_iterator_type, dict_of(self), false);
}

static Value items_iter(ValueRef self)
{
    return iterator_new(&dict_item_iterator_type, dict_of(self), false);
}

static Value keys_reversed(ValueRef self, METHOD_ARGS)
{
    return iterator_new(&dict_reverse_key_iterator_type, dict_of(self), true);
}

static Value values_reversed(ValueRef self, METHOD_ARGS)
{
    return iterator_new(&dict_reverse_value_iterator_type, dict_of(self), true);
}

static Value items_reversed(ValueRef self, METHOD_ARGS)
{
    return iterator_new(&dict_reverse_item_iterator_type, dict_of(self), true);
}

static bool keys_contains(ValueRef self, ValueRef item, bool *found)
{
    return dict_contains(dict_of(self), item, found);
}

static bool items_contains(ValueRef self, ValueRef item, bool *found)
{
    *found = false;
    if (!tuple_check(item) || tuple_size(item) != 2) return true;
    Value value = dict_get(dict_of(self), tuple_at(item, 0));
    if (value == ABSENT) return true;
    bool ok = value && object_equal(value, tuple_at(item, 1), found);
    drop(value);
    return ok;
}

// ---- views as sets

// keys or items, of an OrderedDict as well.
static bool is_view(ValueRef value, const Type *type)
{
    return is_exactly(value, type) || type_is_subtype(type_of(value), type);
}

static bool is_set_view(ValueRef value)
{
    return is_view(value, &dict_keys_type) || is_view(value, &dict_items_type);
}

// All items of one are in the other.
static bool all_contained(ValueRef one, ValueRef other, bool *result)
{
    Value iterator = object_iter(one);
    bool ok = iterator;
    *result = true;
    while (ok && *result) {
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        ok = item && object_contains(other, item, result);
        drop(item);
    }
    drop(iterator);
    return ok;
}

static Value view_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!set_check(right) && !is_set_view(right)) return NOT_IMPLEMENTED;
    ssize_t ours, theirs;
    if (!object_length(left, &ours) || !object_length(right, &theirs)) return VALUE_ERROR;
    bool result = false, ok = true;
    switch (op) {
    case COMPARE_EQ:
    case COMPARE_NE:
        if (ours == theirs) ok = all_contained(left, right, &result);
        if (op == COMPARE_NE) result = !result;
        break;
    case COMPARE_LT:
        if (ours < theirs) ok = all_contained(left, right, &result);
        break;
    case COMPARE_LE:
        if (ours <= theirs) ok = all_contained(left, right, &result);
        break;
    case COMPARE_GT:
        if (ours > theirs) ok = all_contained(right, left, &result);
        break;
    case COMPARE_GE:
        if (ours >= theirs) ok = all_contained(right, left, &result);
        break;
    }
    return ok ? from_bool(result) : VALUE_ERROR;
}

// set(view); the keys of a plain dict are taken without an iterator.
static Value to_set(ValueRef view)
{
    bool direct = is_view(view, &dict_keys_type) && dict_check_exact(dict_of(view));
    return set_new(direct ? dict_of(view) : view);
}

// The set of the left operand, changed by one of its own methods.
static Value set_changed_by(ValueRef left, ValueRef method, ValueRef right)
{
    Value result = to_set(left);
    if (!result) return VALUE_ERROR;
    Value none = object_call_method_one(result, method, right);
    if (none) return drop(none), result;
    drop(result);
    return VALUE_ERROR;
}

static Value view_subtract(ValueRef left, ValueRef right)
{
    return set_changed_by(left, NAME(difference_update), right);
}

static Value view_xor(ValueRef left, ValueRef right)
{
    return set_changed_by(left, NAME(symmetric_difference_update), right);
}

static Value view_or(ValueRef left, ValueRef right)
{
    Value result = to_set(left);
    if (!result || set_update(result, right)) return result;
    drop(result);
    return VALUE_ERROR;
}

// Adds the items that are in both the iterable and the view.
static bool add_common(ValueRef result, ValueRef view, ValueRef iterable)
{
    ContainsFn contains = is_view(view, &dict_keys_type) ? keys_contains : items_contains;
    Value iterator = object_iter(iterable);
    bool ok = iterator;
    while (ok) {
        bool found;
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        ok = item && contains(view, item, &found) && (!found || set_add(result, item));
        drop(item);
    }
    drop(iterator);
    return ok;
}

static Value view_and(ValueRef left, ValueRef right)
{
    ValueRef view = is_set_view(left) ? left : right, other = view == left ? right : left;
    ssize_t size = dict_size(dict_of(view));
    if (is_exactly(other, &set_type) && size <= set_size(other))
        return object_call_method_one(other, NAME(intersection), view);
    if (is_set_view(other) && dict_size(dict_of(other)) > size) {
        ValueRef smaller = view;
        view = other;
        other = smaller;
    }
    Value result = set_new(0);
    if (!result || add_common(result, view, other)) return result;
    drop(result);
    return VALUE_ERROR;
}

static Value isdisjoint(ValueRef self, METHOD_ARGS)
{
    ValueRef other = args[0];
    if (self == other) return from_bool(dict_size(dict_of(self)) == 0);
    if (set_check(other) || is_set_view(other)) {
        ssize_t size;
        if (!object_length(other, &size)) return VALUE_ERROR;
        if (size > dict_size(dict_of(self))) {
            other = self;
            self = args[0];
        }
    }
    Value iterator = object_iter(other);
    bool ok = iterator, found = false;
    while (ok && !found) {
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        ok = item && object_contains(self, item, &found);
        drop(item);
    }
    drop(iterator);
    return ok ? from_bool(!found) : VALUE_ERROR;
}

static const MethodDef keys_methods[] = {
    {"isdisjoint", isdisjoint, ONE_ARG, NULL},
    {"__reversed__", keys_reversed, NO_ARGS, NULL},
    {0},
};
static const MethodDef values_methods[] = {
    {"__reversed__", values_reversed, NO_ARGS, NULL},
    {0},
};
static const MethodDef items_methods[] = {
    {"isdisjoint", isdisjoint, ONE_ARG, NULL},
    {"__reversed__", items_reversed, NO_ARGS, NULL},
    {0},
};

#define VIEW_SLOTS(method_table, iter_function)                                                    \
    .flags = TYPE_GC, .methods = method_table, .release = view_release, .traverse = view_traverse, \
    .repr = view_repr, .iter = iter_function, .length = view_length
#define SET_SLOTS(contains_function)                                                               \
    .compare = view_compare, .contains = contains_function, .subtract = view_subtract,             \
    .and_ = view_and, .xor_ = view_xor, .or_ = view_or

Type dict_keys_type = {
    STATIC_TYPE("dict_keys", sizeof(DictView)),
    .getattribute = object_generic_get,
    VIEW_SLOTS(keys_methods, keys_iter),
    SET_SLOTS(keys_contains),
};
Type dict_values_type = {
    STATIC_TYPE("dict_values", sizeof(DictView)),
    .getattribute = object_generic_get,
    VIEW_SLOTS(values_methods, values_iter),
};
Type dict_items_type = {
    STATIC_TYPE("dict_items", sizeof(DictView)),
    .getattribute = object_generic_get,
    VIEW_SLOTS(items_methods, items_iter),
    SET_SLOTS(items_contains),
};
