// The module _functools: partial, reduce, cmp_to_key and the wrapper type of lru_cache.
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/protocols/items.h"
#include "objects/type.h"
#include "objects/upcalls.h"

static Type partial_type, key_maker_type, cache_type;

// ---- partial

typedef struct Partial {
    Object base;
    Value function;
    Value args;   // tuple
    Value kwargs; // dict
    Value dict;
    Value weakrefs;
} Partial;

static Partial *as_partial(ValueRef value)
{
    return (Partial *)object_of(value);
}

static bool add_keywords(ValueRef dict, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ssize_t count = kwnames ? tuple_size(kwnames) : 0;
    for (ssize_t i = 0; i < count; i++)
        if (!dict_set(dict, tuple_at(kwnames, i), args[nargs + (size_t)i])) return false;
    return true;
}

// A tuple and then an array of more.
static Value joined(ValueRef tuple, const ValueRef *more, size_t count)
{
    ssize_t size = tuple ? tuple_size(tuple) : 0;
    Value all = tuple_new(size + (ssize_t)count);
    if (!all) return VALUE_ERROR;
    Value *to = as_tuple(all)->items;
    for (ssize_t i = 0; i < size; i++) to[i] = retain(tuple_at(tuple, i));
    for (size_t i = 0; i < count; i++) to[size + (ssize_t)i] = retain(more[i]);
    return all;
}

static Value partial_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (nargs < 1) return raise_error(TypeError, "type 'partial' takes at least one argument");
    ValueRef function = args[0], first = 0, keywords = 0;
    if (type == &partial_type && is_exactly(function, &partial_type) &&
        !as_partial(function)->dict) { // a partial of a partial is one partial
        first = as_partial(function)->args;
        keywords = as_partial(function)->kwargs;
        function = as_partial(function)->function;
    }
    if (!object_is_callable(function))
        return raise_error(TypeError, "the first argument must be callable");
    Value self = own(object_alloc(type, 0));
    if (!self) return VALUE_ERROR;
    Partial *partial = as_partial(self);
    partial->function = retain(function);
    partial->args = joined(first, args + 1, nargs - 1);
    partial->kwargs = keywords ? dict_copy(keywords) : dict_new();
    bool ok =
        partial->args && partial->kwargs && add_keywords(partial->kwargs, args, nargs, kwnames);
    if (ok) return self;
    drop(self);
    return VALUE_ERROR;
}

static void partial_release(Object *self)
{
    Partial *partial = (Partial *)self;
    drop_slot(&partial->function);
    drop_slot(&partial->args);
    drop_slot(&partial->kwargs);
    drop_slot(&partial->dict);
}

static void partial_traverse(Object *self, VisitFn visit, void *arg)
{
    const Partial *partial = (const Partial *)self;
    visit_item(partial->function, visit, arg);
    visit_item(partial->args, visit, arg);
    visit_item(partial->kwargs, visit, arg);
    visit_item(partial->dict, visit, arg);
}

static Value call_with_keywords(const Partial *partial, const ValueRef *args, size_t nargs,
                                ValueRef kwnames)
{
    // Held: the function may change all that by __setstate__().
    Value function = retain(partial->function), all = joined(partial->args, args, nargs);
    Value keywords = all ? dict_copy(partial->kwargs) : VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (keywords && add_keywords(keywords, args, nargs, kwnames))
        result = object_call_spread(function, all, keywords);
    drop(keywords);
    drop(all);
    drop(function);
    return result;
}

static Value partial_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const Partial *partial = as_partial(self);
    size_t first = (size_t)tuple_size(partial->args), total = first + nargs;
    size_t keywords = kwnames ? (size_t)tuple_size(kwnames) : 0;
    if (dict_size(partial->kwargs) || total + keywords > FEW_ARGUMENTS)
        return call_with_keywords(partial, args, nargs, kwnames);
    ValueRef all[FEW_ARGUMENTS];
    Value held = retain(partial->args), function = retain(partial->function);
    for (size_t i = 0; i < first; i++) all[i] = tuple_at(held, (ssize_t)i);
    for (size_t i = 0; i < nargs + keywords; i++) all[first + i] = args[i];
    Value result = object_call(function, all, total, kwnames);
    drop(function);
    drop(held);
    return result;
}

static bool append_owned(StrBuilder *builder, Value text)
{
    bool ok = text && builder_str(builder, text);
    drop(text);
    return ok;
}

// A key shown may change the dict, and __setstate__() may change both.
static bool append_arguments(StrBuilder *builder, ValueRef args, ValueRef kwargs)
{
    bool ok = true;
    for (ssize_t i = 0; ok && i < tuple_size(args); i++)
        ok = append_owned(builder, format_text(", %R", tuple_at(args, i)));
    ssize_t position = 0;
    ValueRef key, value;
    while (ok && dict_next(kwargs, &position, &key, &value)) {
        Value held = retain(value), name = object_str(key);
        ok = name && append_owned(builder, format_text(", %S=%R", name, held));
        drop(name);
        drop(held);
    }
    return ok;
}

static Value partial_repr(ValueRef self)
{
    const Partial *partial = as_partial(self);
    bool shown = false;
    if (!repr_enter(self, &shown)) return VALUE_ERROR;
    if (shown) return str_new("...");
    StrBuilder builder;
    builder_begin(&builder);
    Value text = VALUE_ERROR, args = retain(partial->args), kwargs = retain(partial->kwargs);
    if (append_arguments(&builder, args, kwargs)) {
        Value arguments = builder_finish(&builder), function = retain(partial->function);
        if (arguments) text = format_text("%T(%R%S)", self, function, arguments);
        drop(arguments);
        drop(function);
    } else {
        builder_abandon(&builder);
    }
    drop(args);
    drop(kwargs);
    repr_leave(self);
    return text;
}

// (type, (function,), (function, args, keywords, __dict__ or None))
static Value partial_reduce(ValueRef self, METHOD_ARGS)
{
    const Partial *partial = as_partial(self);
    ValueRef dict = partial->dict ? (ValueRef)partial->dict : (ValueRef)NONE;
    Value arguments = tuple_pack(1, (ValueRef)partial->function);
    Value state = tuple_pack(4, (ValueRef)partial->function, (ValueRef)partial->args,
                             (ValueRef)partial->kwargs, dict);
    Value result = VALUE_ERROR;
    if (arguments && state)
        result = tuple_pack(3, ref_of(type_of(self)), (ValueRef)arguments, (ValueRef)state);
    drop(state);
    drop(arguments);
    return result;
}

static Value partial_setstate(ValueRef self, METHOD_ARGS)
{
    Partial *partial = as_partial(self);
    ValueRef state = args[0];
    if (!tuple_check(state) || tuple_size(state) != 4 || !object_is_callable(tuple_at(state, 0)) ||
        !tuple_check(tuple_at(state, 1)) ||
        (tuple_at(state, 2) != NONE && !dict_check(tuple_at(state, 2))) ||
        (tuple_at(state, 3) != NONE && !dict_check(tuple_at(state, 3))))
        return raise_error(TypeError, "invalid partial state");
    ValueRef given = tuple_at(state, 2), dict = tuple_at(state, 3);
    Value arguments = sequence_tuple(tuple_at(state, 1));
    Value keywords = given == NONE             ? dict_new()
                     : dict_check_exact(given) ? retain(given)
                                               : dict_copy(given);
    if (!arguments || !keywords) {
        drop(arguments);
        drop(keywords);
        return VALUE_ERROR;
    }
    replace_slot(&partial->function, retain(tuple_at(state, 0)));
    replace_slot(&partial->args, arguments);
    replace_slot(&partial->kwargs, keywords);
    replace_slot(&partial->dict, dict == NONE ? VALUE_ERROR : retain(dict));
    return NONE;
}

static const MethodDef partial_methods[] = {
    {"__reduce__", partial_reduce, NO_ARGS, NULL},
    {"__setstate__", partial_setstate, ONE_ARG, NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

static const MemberDef partial_members[] = {
    {"func", MEMBER_VALUE, offsetof(Partial, function), true, NULL},
    {"args", MEMBER_VALUE, offsetof(Partial, args), true, NULL},
    {"keywords", MEMBER_VALUE, offsetof(Partial, kwargs), true, NULL},
    {0},
};

static const GetSetDef dict_getset[] = {
    {"__dict__", generic_get_dict, generic_set_dict, NULL},
    {0},
};

static Type partial_type = {
    STATIC_TYPE("functools.partial", sizeof(Partial)),
    .flags = TYPE_BASE | TYPE_GC,
    .dict_offset = offsetof(Partial, dict),
    .weakref_offset = offsetof(Partial, weakrefs),
    .methods = partial_methods,
    .members = partial_members,
    .getset = dict_getset,
    .new_ = partial_new,
    .release = partial_release,
    .traverse = partial_traverse,
    .clear = partial_release,
    .call = partial_call,
    .repr = partial_repr,
    .getattribute = object_generic_get,
    .setattr = object_generic_set,
};

// ---- cmp_to_key: a KeyMaker, which called on an object makes a key, a KeyMaker with the object

typedef struct KeyMaker {
    Object base;
    Value compare;
    Value object; // 0 = not a key yet
} KeyMaker;

static Value key_maker_new(ValueRef compare, ValueRef object)
{
    KeyMaker *maker = object_alloc(&key_maker_type, 0);
    if (!maker) return VALUE_ERROR;
    maker->compare = retain(compare);
    maker->object = retain(object);
    return own(maker);
}

static KeyMaker *as_key_maker(ValueRef value)
{
    return (KeyMaker *)object_of(value);
}

static void key_maker_release(Object *self)
{
    drop_slot(&((KeyMaker *)self)->compare);
    drop_slot(&((KeyMaker *)self)->object);
}

static void key_maker_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((KeyMaker *)self)->compare, visit, arg);
    visit_item(((KeyMaker *)self)->object, visit, arg);
}

static Value key_maker_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"obj", NULL};
    static const Signature signature = {"K", names, 1, 1};
    ValueRef object;
    if (!args_bind(&signature, args, nargs, kwnames, &object)) return VALUE_ERROR;
    return key_maker_new(as_key_maker(self)->compare, object);
}

static Value key_maker_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!is_exactly(right, &key_maker_type))
        return raise_error(TypeError, "other argument must be K instance");
    ValueRef a = as_key_maker(left)->object, b = as_key_maker(right)->object;
    if (!a || !b) return raise_error(AttributeError, "object");
    Value held_a = retain(a), held_b = retain(b), compare = retain(as_key_maker(left)->compare);
    Value order = object_call_two(compare, held_a, held_b);
    drop(compare);
    drop(held_a);
    drop(held_b);
    if (!order) return VALUE_ERROR;
    Value result = object_compare(order, from_small(0), op);
    drop(order);
    return result;
}

static const MemberDef key_maker_members[] = {
    {"obj", MEMBER_VALUE, offsetof(KeyMaker, object), false, NULL},
    {0},
};

static Type key_maker_type = {
    STATIC_TYPE("functools.KeyWrapper", sizeof(KeyMaker)),
    .getattribute = object_generic_get,
    .flags = TYPE_GC,
    .members = key_maker_members,
    .release = key_maker_release,
    .traverse = key_maker_traverse,
    .clear = key_maker_release,
    .compare = key_maker_compare,
    .call = key_maker_call,
};

static Value cmp_to_key(FUNCTION_ARGS)
{
    static const char *const names[] = {"mycmp", NULL};
    static const Signature signature = {"cmp_to_key", names, 1, 1};
    ValueRef compare;
    if (!args_bind(&signature, args, nargs, kwnames, &compare)) return VALUE_ERROR;
    return key_maker_new(compare, 0);
}

// ---- reduce

static Value reduce(FUNCTION_ARGS)
{
    Value iterator = object_iter(args[1]);
    if (!iterator) {
        if (!error_is(TypeError)) return VALUE_ERROR;
        return raise_error(TypeError, "reduce() arg 2 must support iteration");
    }
    Value result = nargs > 2 ? retain(args[2]) : next_of(iterator);
    if (result == ABSENT)
        result = raise_error(TypeError, "reduce() of empty sequence with no initial value");
    while (result) {
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        if (item)
            replace_slot(&result, object_call_two(args[0], result, item));
        else
            replace_slot(&result, VALUE_ERROR);
        drop(item);
        if (!poll_signals()) replace_slot(&result, VALUE_ERROR);
    }
    drop(iterator);
    return result;
}

// ---- lru_cache

// The cache is a dict of results, the least recently used first: a hit moves its key to the end.
typedef struct Cache {
    Object base;
    Value function;
    Value results; // dict
    Value info_type;
    ssize_t hits, misses;
    ssize_t max; // -1 = no limit, 0 = nothing is kept
    bool typed;
    Value dict;
    Value weakrefs;
} Cache;

static Cache *as_cache(ValueRef value)
{
    return (Cache *)object_of(value);
}

static bool read_max(ValueRef value, ssize_t *max)
{
    *max = -1;
    if (value == NONE) return true;
    if (!is_index(value)) return raise_error(TypeError, "maxsize should be integer or None");
    if (!object_as_ssize(value, max, OverflowError)) return false;
    if (*max < 0) *max = 0;
    return true;
}

static Value cache_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"user_function", "maxsize", "typed", "cache_info_type",
                                        NULL};
    static const Signature signature = {"lru_cache", names, 4, 4};
    ValueRef slots[4];
    ssize_t max;
    bool typed;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (!object_is_callable(slots[0]))
        return raise_error(TypeError, "the first argument must be callable");
    if (!read_max(slots[1], &max) || !object_truth(slots[2], &typed)) return VALUE_ERROR;
    Value results = dict_new();
    Cache *cache = results ? object_alloc(type, 0) : NULL;
    if (!cache) {
        drop(results);
        return VALUE_ERROR;
    }
    cache->results = results;
    cache->function = retain(slots[0]);
    cache->info_type = retain(slots[3]);
    cache->max = max;
    cache->typed = typed;
    return own(cache);
}

static void cache_release(Object *self)
{
    Cache *cache = (Cache *)self;
    drop_slot(&cache->results);
    drop_slot(&cache->function);
    drop_slot(&cache->info_type);
    drop_slot(&cache->dict);
}

static void cache_clear_slot(Object *self)
{
    dict_clear(((Cache *)self)->results);
    drop_slot(&((Cache *)self)->dict);
}

static void cache_traverse(Object *self, VisitFn visit, void *arg)
{
    const Cache *cache = (const Cache *)self;
    visit_item(cache->results, visit, arg);
    visit_item(cache->function, visit, arg);
    visit_item(cache->info_type, visit, arg);
    visit_item(cache->dict, visit, arg);
}

// The key of a call: the arguments, then (where there are keywords) the mark, names and values,
// then (if typed) all types; a single int or str stands for itself.
static Value make_key(const Cache *cache, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    size_t keywords = kwnames ? (size_t)tuple_size(kwnames) : 0, all = nargs + keywords;
    if (!cache->typed && keywords == 0) {
        if (nargs == 1 && (str_check_exact(args[0]) || int_check_exact(args[0])))
            return retain(args[0]);
        return tuple_from_array(args, nargs);
    }
    size_t size = nargs + (keywords ? 1 + 2 * keywords : 0) + (cache->typed ? all : 0);
    Value key = tuple_new((ssize_t)size);
    if (!key) return VALUE_ERROR;
    Value *to = as_tuple(key)->items;
    for (size_t i = 0; i < nargs; i++) *to++ = retain(args[i]);
    if (keywords) *to++ = retain(ref_of(&cache_type)); // a separator that no call passes
    for (size_t i = 0; i < keywords; i++) {
        *to++ = retain(tuple_at(kwnames, (ssize_t)i));
        *to++ = retain(args[nargs + i]);
    }
    for (size_t i = 0; cache->typed && i < all; i++) *to++ = retain(ref_of(type_of(args[i])));
    return key;
}

// Keeps a result, and gives up the least recently used one where there is no room.
static bool keep(Cache *cache, ValueRef key, int64_t hash, ValueRef result)
{
    bool found = false;
    if (cache->max > 0) {
        if (!dict_contains_hashed(cache->results, key, hash, &found)) return false;
        if (found) return true; // the call has come here itself
        if (dict_size(cache->results) >= cache->max) {
            Value oldest = dict_pop_end(cache->results, false);
            if (!oldest) return false;
            drop(oldest);
        }
    }
    return dict_set_hashed(cache->results, key, hash, result);
}

static Value call_and_keep(Cache *cache, ValueRef key, const ValueRef *args, size_t nargs,
                           ValueRef kwnames)
{
    int64_t hash;
    bool found;
    if (!item_hash(key, &hash)) return VALUE_ERROR;
    Value result = dict_get_hashed(cache->results, key, hash);
    if (result != ABSENT) {
        if (result) cache->hits++;
        if (result && cache->max > 0 &&
            !dict_move_to_end_hashed(cache->results, key, hash, true, &found))
            replace_slot(&result, VALUE_ERROR);
        return result;
    }
    cache->misses++;
    result = object_call(cache->function, args, nargs, kwnames);
    if (result && !keep(cache, key, hash, result)) replace_slot(&result, VALUE_ERROR);
    return result;
}

static Value cache_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Cache *cache = as_cache(self);
    if (cache->max == 0) {
        cache->misses++;
        return object_call(cache->function, args, nargs, kwnames);
    }
    Value key = make_key(cache, args, nargs, kwnames);
    if (!key) return VALUE_ERROR;
    Value result = call_and_keep(cache, key, args, nargs, kwnames);
    drop(key);
    return result;
}

static Value cache_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    (void)owner;
    return instance && instance != NONE ? method_new(self, instance) : retain(self);
}

static Value cache_info(ValueRef self, METHOD_ARGS)
{
    const Cache *cache = as_cache(self);
    Value max = cache->max < 0 ? NONE : int_new(cache->max);
    if (!max) return VALUE_ERROR;
    ValueRef fields[] = {from_small(cache->hits), from_small(cache->misses), max,
                         from_small(dict_size(cache->results))};
    Value info = object_call(cache->info_type, fields, 4, 0);
    drop(max);
    return info;
}

static Value cache_clear(ValueRef self, METHOD_ARGS)
{
    Cache *cache = as_cache(self);
    cache->hits = cache->misses = 0;
    dict_clear(cache->results);
    return NONE;
}

static Value cache_reduce(ValueRef self, METHOD_ARGS)
{
    return object_get(self, NAME(__qualname__));
}

static Value cache_copy(ValueRef self, METHOD_ARGS)
{
    return retain(self);
}

static const MethodDef cache_methods[] = {
    {"cache_info", cache_info, NO_ARGS, NULL},       {"cache_clear", cache_clear, NO_ARGS, NULL},
    {"__reduce__", cache_reduce, NO_ARGS, NULL},     {"__copy__", cache_copy, ARGS(0, -1), NULL},
    {"__deepcopy__", cache_copy, ARGS(0, -1), NULL}, {0},
};

static Type cache_type = {
    STATIC_TYPE("functools._lru_cache_wrapper", sizeof(Cache)),
    .flags = TYPE_BASE | TYPE_GC | TYPE_METHOD,
    .dict_offset = offsetof(Cache, dict),
    .weakref_offset = offsetof(Cache, weakrefs),
    .methods = cache_methods,
    .getset = dict_getset,
    .new_ = cache_new,
    .release = cache_release,
    .traverse = cache_traverse,
    .clear = cache_clear_slot,
    .call = cache_call,
    .get = cache_get,
};

// ---- the module

static bool fill(ValueRef module)
{
    return type_ready(&partial_type) && type_ready(&key_maker_type) && type_ready(&cache_type) &&
           module_add_type(module, &partial_type) && module_add_type(module, &cache_type);
}

static const MethodDef functions[] = {
    {"reduce", reduce, UNPACKED_ARGS(2, 3), NULL},
    {"cmp_to_key", cmp_to_key, KEYWORD_ARGS, NULL},
    {0},
};

const ModuleDef _functools_module = {
    .name = "_functools",
    .functions = functions,
    .fill = fill,
};
