// The kinds of guards: each is made from a script's arguments, decided, and described. The text of
// a guard has the source of its value in the middle: "len(" L['x'] ") == 3".
//
// Nothing here runs script code. An object matched by identity is referred to weakly if possible.
// So the guard does not keep it alive, and is not deceived by a new object at the same address. The
// same holds for a type.
#include "frames/guards/guard_describe.h"
#include "frames/guards/guard_tree.h"

#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/looking/peek.h"
#include "objects/numbers/int.h"
#include "objects/protocols/iterators.h"
#include "objects/type.h"

// Steals both texts.
static bool set_text(Guard *guard, Value before, Value after)
{
    guard->text[0] = before;
    guard->text[1] = after;
    return before && after;
}

static bool take_number(Guard *guard, ValueRef argument)
{
    if (!is_small(argument) || small_value(argument) < 0)
        return raise_error(TypeError, "a length must be an int that is not negative, not '%T'",
                           argument);
    guard->number = small_value(argument);
    return true;
}

// Refers to what is matched by identity, weakly if it can die.
static bool expect_object(Guard *guard, ValueRef object)
{
    bool is_static = type_check(object) && !(as_type(object)->flags & TYPE_HEAP);
    guard->weak = is_object(object) && type_of(object)->weakref_offset && !is_static;
    guard->expected = guard->weak ? weakref_new(object, VALUE_ERROR) : retain(object);
    return guard->expected;
}

// ---- TYPE_MATCH: exactly of this type

static bool make_type_match(Guard *guard, const ValueRef *args)
{
    if (!type_check(args[0]))
        return raise_error(TypeError, "add_type_match_guard() takes a type, not '%T'", args[0]);
    if (!expect_object(guard, args[0])) return false;
    Value phrase = guard_type_phrase(as_type(args[0]));
    Value after = phrase ? format_text(" is %S", (ValueRef)phrase) : VALUE_ERROR;
    drop(phrase);
    return set_text(guard, str_new(""), after);
}

static inline bool type_match_holds(const Guard *guard, ValueRef value)
{
    return ref_of(type_of(value)) == guard_expected(guard);
}

// Does the guard's text end as one about `phrase` would?
static bool tells_the_same(const Guard *guard, ValueRef phrase)
{
    Value after = format_text(" is %S", phrase);
    bool same = after && guard->text[1] && str_equal(after, guard->text[1]);
    drop(after);
    return same;
}

static Value type_match_found(const Guard *guard, ValueRef value)
{
    Value phrase = guard_type_phrase(type_of(value));
    if (!phrase || !tells_the_same(guard, phrase)) return phrase;
    Value other = format_text("%S of another class", (ValueRef)phrase);
    drop(phrase);
    return other;
}

// ---- ID_MATCH: this very object

static bool make_id_match(Guard *guard, const ValueRef *args)
{
    if (!expect_object(guard, args[0])) return false;
    Value description = guard_describe(args[0]);
    Value after = description ? format_text(" is %S", (ValueRef)description) : VALUE_ERROR;
    drop(description);
    return set_text(guard, str_new(""), after);
}

static bool id_match_holds(const Guard *guard, ValueRef value)
{
    return value == guard_expected(guard);
}

static Value id_match_found(const Guard *guard, ValueRef value)
{
    if (!guard_expected(guard)) return str_new("that it is no more");
    Value description = guard_describe(value);
    if (!description || !tells_the_same(guard, description)) return description;
    Value other = format_text("another %S", (ValueRef)description);
    drop(description);
    return other;
}

// ---- NOT_NONE

static bool make_not_none(Guard *guard, const ValueRef *args)
{
    (void)args;
    return set_text(guard, str_new(""), str_new(" is not None"));
}

static bool not_none_holds(const Guard *guard, ValueRef value)
{
    (void)guard;
    return value != NONE;
}

// ---- DICT_VERSION: this dict, and nothing in it has been set or deleted since

static bool make_dict_version(Guard *guard, const ValueRef *args)
{
    if (!dict_check(args[0]))
        return raise_error(TypeError, "add_dict_version_guard() takes a dict, not '%T'", args[0]);
    guard->number = (int64_t)as_dict(args[0])->version; // that of no other dict
    return set_text(guard, str_new(""), str_new(" is unchanged"));
}

static bool dict_version_holds(const Guard *guard, ValueRef value)
{
    return dict_check(value) && as_dict(value)->version == (uint64_t)guard->number;
}

static Value dict_version_found(const Guard *guard, ValueRef value)
{
    (void)guard;
    return dict_check(value) ? str_new("changes, or another dict")
                             : guard_type_phrase(type_of(value));
}

// ---- LENGTH_CHECK

static bool make_length_check(Guard *guard, const ValueRef *args)
{
    if (!take_number(guard, args[0])) return false;
    return set_text(guard, str_new("len("), format_text(") == %lld", (long long)guard->number));
}

static bool length_check_holds(const Guard *guard, ValueRef value)
{
    return peek_length(value) == guard->number;
}

static Value number_found(ssize_t number, ValueRef value)
{
    if (number >= 0) return format_text("%zd", number);
    Value phrase = guard_type_phrase(type_of(value));
    Value text = phrase ? format_text("%S, whose length a guard cannot read", (ValueRef)phrase)
                        : VALUE_ERROR;
    drop(phrase);
    return text;
}

static Value length_check_found(const Guard *guard, ValueRef value)
{
    (void)guard;
    return number_found(peek_length(value), value);
}

// ---- DICT_LENGTH: a dict, of no other class, of so many keys

static bool make_dict_length(Guard *guard, const ValueRef *args)
{
    return make_length_check(guard, args);
}

static bool dict_length_holds(const Guard *guard, ValueRef value)
{
    return dict_check_exact(value) && peek_length(value) == guard->number;
}

static Value dict_length_found(const Guard *guard, ValueRef value)
{
    (void)guard;
    return dict_check_exact(value) ? number_found(peek_length(value), value)
                                   : guard_type_phrase(type_of(value));
}

// ---- DICT_KEYS: these keys in this order, each the same object or an equal constant

static bool make_dict_keys(Guard *guard, const ValueRef *args)
{
    if (!tuple_check_exact(args[0]))
        return raise_error(TypeError, "the keys must be a tuple, not '%T'", args[0]);
    guard->expected = retain(args[0]);
    return set_text(guard, str_new("list("), format_text(") == list(%R)", args[0]));
}

static bool dict_keys_holds(const Guard *guard, ValueRef value)
{
    if (!dict_check(value) || dict_size(value) != tuple_size(guard->expected)) return false;
    ssize_t position = 0;
    ValueRef key, item;
    for (ssize_t i = 0; dict_next(value, &position, &key, &item); i++) {
        ValueRef wanted = tuple_at(guard->expected, i);
        if (key != wanted && !(constant_check(wanted) && constant_equal(wanted, key))) return false;
    }
    return true;
}

static Value dict_keys_found(const Guard *guard, ValueRef value)
{
    (void)guard;
    return dict_check(value) ? str_new("other keys") : guard_type_phrase(type_of(value));
}

static Value keys_differ_text(ValueRef source, ssize_t index, ValueRef wanted)
{
    Value key = guard_key_text(wanted);
    Value text =
        key ? format_text("list(%S.keys())[%zd] == %S", source, index, (ValueRef)key) : VALUE_ERROR;
    drop(key);
    return text;
}

// The first that differs, as the text after the dict's source.
Value guard_dict_keys_differ(const Guard *guard, ValueRef dict, ValueRef source)
{
    ssize_t size = tuple_size(guard->expected), position = 0;
    if (!dict_check(dict) || dict_size(dict) != size)
        return format_text("len(%S) != %zd", source, size);
    ValueRef key, item;
    for (ssize_t i = 0; dict_next(dict, &position, &key, &item); i++) {
        ValueRef wanted = tuple_at(guard->expected, i);
        if (key != wanted && !(constant_check(wanted) && constant_equal(wanted, key)))
            return keys_differ_text(source, i, wanted);
    }
    return str_new("");
}

// ---- TUPLE_ITERATOR_LEN: so many items are still to come

static bool make_tuple_iterator_length(Guard *guard, const ValueRef *args)
{
    if (!take_number(guard, args[0])) return false;
    return set_text(guard, str_new("___tuple_iterator_len("),
                    format_text(") == %lld", (long long)guard->number));
}

static ssize_t items_left(ValueRef value)
{
    if (!is_exactly(value, &tuple_iterator_type)) return -1;
    const IndexIterator *iterator = as_index_iterator(value);
    return iterator->sequence ? tuple_size(iterator->sequence) - iterator->index : 0;
}

static bool tuple_iterator_length_holds(const Guard *guard, ValueRef value)
{
    return items_left(value) == guard->number;
}

static Value tuple_iterator_length_found(const Guard *guard, ValueRef value)
{
    (void)guard;
    return number_found(items_left(value), value);
}

// ---- WEAKREF_ALIVE: a weak reference whose object lives

static bool make_weakref_alive(Guard *guard, const ValueRef *args)
{
    (void)args;
    return set_text(guard, str_new(""), str_new("() is not None"));
}

static bool weakref_alive_holds(const Guard *guard, ValueRef value)
{
    (void)guard;
    return is_exactly(value, &weakref_type) && weakref_target(value);
}

static Value weakref_alive_found(const Guard *guard, ValueRef value)
{
    (void)guard;
    return is_exactly(value, &weakref_type) ? str_new("None") : guard_type_phrase(type_of(value));
}

// ---- EQUALS_MATCH: of the same type and equal, a constant

static bool make_equals_match(Guard *guard, const ValueRef *args)
{
    if (!constant_check(args[0]))
        return raise_error(TypeError,
                           "add_equals_match_guard() takes a constant (None, a bool, a number, a "
                           "str, bytes, or a small tuple of these), not '%T': comparing it could "
                           "run script code",
                           args[0]);
    guard->expected = retain(args[0]);
    Value description = guard_describe(args[0]);
    Value after = description ? format_text(" == %S", (ValueRef)description) : VALUE_ERROR;
    drop(description);
    return set_text(guard, str_new(""), after);
}

static bool equals_match_holds(const Guard *guard, ValueRef value)
{
    return guard->expected && constant_equal(guard->expected, value);
}

// ---- DICT_CONTAINS: of any class, as a dict has the key

static bool make_dict_contains(Guard *guard, const ValueRef *args)
{
    if (!is_bool(args[0]))
        return raise_error(TypeError, "contains must be a bool, not '%T'", args[0]);
    if (!constant_check(args[1]))
        return raise_error(TypeError, "a key must be a constant, not '%T'", args[1]);
    guard->contains = args[0] == TRUE;
    guard->expected = retain(args[1]);
    Value key = guard_describe(args[1]);
    const char *in = guard->contains ? "in" : "not in";
    Value before = key ? format_text("%S %s ", (ValueRef)key, in) : VALUE_ERROR;
    drop(key);
    return set_text(guard, before, str_new(""));
}

static bool dict_contains_holds(const Guard *guard, ValueRef value)
{
    if (!dict_check(value)) return false;
    ValueRef found = peek_key(value, guard->expected);
    return found != PEEK_REFUSED && (found != ABSENT) == guard->contains;
}

static Value dict_contains_found(const Guard *guard, ValueRef value)
{
    if (!dict_check(value)) return guard_type_phrase(type_of(value));
    if (peek_key(value, guard->expected) == PEEK_REFUSED)
        return str_new("a key that only its own __eq__ can tell from it");
    return str_new(guard->contains ? "no such key" : "that key");
}

// ---- NO_HASATTR

static bool make_no_hasattr(Guard *guard, const ValueRef *args)
{
    if (!str_check_exact(args[0]))
        return raise_error(TypeError, "a name must be a str, not '%T'", args[0]);
    guard->expected = retain(args[0]);
    str_intern_in_place(&guard->expected);
    Value after = guard->expected ? format_text(", %R)", args[0]) : VALUE_ERROR;
    return set_text(guard, str_new("not hasattr("), after);
}

static bool no_hasattr_holds(const Guard *guard, ValueRef value)
{
    return guard->expected && peek_attribute(value, guard->expected) == ABSENT;
}

static Value no_hasattr_found(const Guard *guard, ValueRef value)
{
    bool refused = peek_attribute(value, guard->expected) == PEEK_REFUSED;
    return str_new(refused ? "what only code could tell" : "that attribute");
}

// ---- LAMBDA_GUARD: a function of the script says so (guard.c calls it)

static bool make_lambda(Guard *guard, const ValueRef *args)
{
    if (!object_is_callable(args[0]))
        return raise_error(TypeError, "a lambda guard must be callable, not '%T'", args[0]);
    guard->expected = retain(args[0]);
    ValueRef name = function_check(args[0]) ? as_function(args[0])->name : VALUE_ERROR;
    bool named = name && str_check_exact(name);
    return set_text(guard, named ? format_text("%S(", name) : str_new("guard("), str_new(")"));
}

static bool lambda_holds(const Guard *guard, ValueRef value)
{
    (void)guard;
    (void)value;
    return true;
}

// ---- all of them

typedef struct KindDef {
    bool (*make)(Guard *guard, const ValueRef *args);
    bool (*holds)(const Guard *guard, ValueRef value);
    Value (*found)(const Guard *guard, ValueRef value);
} KindDef;

static Value described(const Guard *guard, ValueRef value)
{
    (void)guard;
    return guard_describe(value);
}

#define make_tensor_match guard_make_tensor_match
#define tensor_match_holds guard_tensor_match_holds
#define tensor_match_found guard_tensor_match_found
#define make_dynamic_indices guard_make_dynamic_indices
#define dynamic_indices_holds guard_dynamic_indices_holds
#define dynamic_indices_found guard_dynamic_indices_found
#define make_global_state guard_make_global_state
#define global_state_holds guard_global_state_holds
#define global_state_found guard_global_state_found
#define make_default_device guard_make_default_device
#define default_device_holds guard_always_holds
#define default_device_found described
#define make_torch_function_mode_stack guard_make_mode_stack
#define torch_function_mode_stack_holds guard_mode_stack_holds
#define torch_function_mode_stack_found guard_mode_stack_found
#define not_none_found described
#define equals_match_found described
#define lambda_found described
static const KindDef kinds[] = {
#define GUARD(KIND, name, parameters) {make_##name, name##_holds, name##_found},
#define ACCESSOR(...)
#include "frames/guards/guard.def"
#undef ACCESSOR
#undef GUARD
};

bool guard_make(Guard *guard, GuardKind kind, const ValueRef *args)
{
    *guard = (Guard){.kind = kind};
    if (kinds[kind].make(guard, args)) return true;
    guard_drop(guard);
    return false;
}

bool guard_holds(const Guard *guard, ValueRef value)
{
    return kinds[guard->kind].holds(guard, value);
}

Value guard_found(const Guard *guard, ValueRef value)
{
    return kinds[guard->kind].found(guard, value);
}

bool guard_found_says_all(const Guard *guard)
{
    return guard->kind == TENSOR_MATCH || guard->kind == GLOBAL_STATE ||
           guard->kind == TORCH_FUNCTION_MODE_STACK;
}
