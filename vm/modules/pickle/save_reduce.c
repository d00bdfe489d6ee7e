// Saving what has taken itself apart: the tuple that __reduce__() returns.
//
//     (callable, arguments, state, list items, dict items, state setter)
//
// All but the first two may be None or left out. The functions __newobj__ and __newobj_ex__ of
// copyreg are known by their names: the class and the arguments are saved, and NEWOBJ calls the
// __new__ of the class.
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/modules/pickle/pickle.h"

enum { CALLABLE, ARGUMENTS, STATE, ITEMS, PAIRS, SETTER, PART_COUNT };

// callable(*arguments), and what it returns is the value that is memoized.
static bool save_call(Pickler *self, ValueRef callable, ValueRef arguments)
{
    if (!pickle_save(self, callable) || !pickle_save(self, arguments)) return false;
    output_op(&self->output, PICKLE_REDUCE);
    return true;
}

// The value may have been saved among its own arguments: then that one is taken.
static bool memoize_made(Pickler *self, ValueRef value)
{
    const MemoEntry *known = pickler_known(self, value);
    if (!known) return pickler_memoize(self, value);
    output_op(&self->output, PICKLE_POP);
    return pickler_get(self, known);
}

bool pickle_save_call(Pickler *self, ValueRef callable, Value arguments, ValueRef value)
{
    bool done = arguments && save_call(self, callable, arguments);
    drop(arguments);
    return done && (!value || memoize_made(self, value));
}

// ---- NEWOBJ

// partial(class.__new__, class, *arguments, **keywords)(), for protocols without NEWOBJ_EX.
static bool save_partial(Pickler *self, ValueRef class, ValueRef arguments, ValueRef keywords)
{
    Value partial = pickle_attribute_of("functools", "partial");
    Value function = partial ? object_get(class, NAME(__new__)) : VALUE_ERROR;
    Value all = function ? tuple_new(tuple_size(arguments) + 2) : VALUE_ERROR, made = VALUE_ERROR;
    if (all) {
        as_tuple(all)->items[0] = retain(function);
        as_tuple(all)->items[1] = retain(class);
        for (ssize_t i = 0; i < tuple_size(arguments); i++)
            as_tuple(all)->items[i + 2] = retain(tuple_at(arguments, i));
        made = object_call_spread(partial, all, keywords);
    }
    bool done = made && pickle_save_call(self, made, tuple_new(0), VALUE_ERROR);
    drop(made);
    drop(all);
    drop(function);
    drop(partial);
    return done;
}

static bool save_newobj_ex(Pickler *self, ValueRef parts)
{
    if (tuple_size(parts) != 3)
        return pickling_error("length of the NEWOBJ_EX argument tuple must be exactly 3, not %zd",
                              tuple_size(parts));
    ValueRef class = tuple_at(parts, 0), arguments = tuple_at(parts, 1),
             keywords = tuple_at(parts, 2);
    if (!type_check(class))
        return pickling_error("first item from NEWOBJ_EX argument tuple must be a class, not "
                              "%.200T",
                              class);
    if (!tuple_check(arguments))
        return pickling_error("second item from NEWOBJ_EX argument tuple must be a tuple, not "
                              "%.200T",
                              arguments);
    if (!dict_check(keywords))
        return pickling_error("third item from NEWOBJ_EX argument tuple must be a dict, not "
                              "%.200T",
                              keywords);
    if (self->protocol < 4) return save_partial(self, class, arguments, keywords);
    if (!pickle_save(self, class) || !pickle_save(self, arguments) || !pickle_save(self, keywords))
        return false;
    output_op(&self->output, PICKLE_NEWOBJ_EX);
    return true;
}

static bool check_class(ValueRef class, ValueRef value)
{
    if (!type_check(class)) return pickling_error("args[0] from __newobj__ args is not a type");
    Value found = value ? object_get(value, NAME(__class__)) : retain(class);
    drop(found);
    if (found && found != class) pickling_error("args[0] from __newobj__ args has the wrong class");
    return found == class;
}

static bool save_newobj(Pickler *self, ValueRef parts, ValueRef value)
{
    if (tuple_size(parts) < 1) return pickling_error("__newobj__ arglist is empty");
    if (!check_class(tuple_at(parts, 0), value) || !pickle_save(self, tuple_at(parts, 0)))
        return false;
    Value arguments = tuple_slice(parts, 1, tuple_size(parts));
    bool done = arguments && pickle_save(self, arguments);
    drop(arguments);
    output_op(&self->output, PICKLE_NEWOBJ);
    return done;
}

// ---- the parts

static bool check_iterator(ValueRef part, const char *which)
{
    return !part || object_is_iterator(part) ||
           pickling_error("%s element of the tuple returned by __reduce__ must be an iterator, not "
                          "%T",
                          which, part);
}

static bool check_parts(const ValueRef parts[PART_COUNT])
{
    if (!object_is_callable(parts[CALLABLE]))
        return pickling_error("first item of the tuple returned by __reduce__ must be callable");
    if (!tuple_check(parts[ARGUMENTS]))
        return pickling_error("second item of the tuple returned by __reduce__ must be a tuple");
    if (!check_iterator(parts[ITEMS], "fourth") || !check_iterator(parts[PAIRS], "fifth"))
        return false;
    return !parts[SETTER] || object_is_callable(parts[SETTER]) ||
           pickling_error("sixth element of the tuple returned by __reduce__ must be a function, "
                          "not %T",
                          parts[SETTER]);
}

static bool take_parts(ValueRef reduced, ValueRef parts[PART_COUNT])
{
    if (!tuple_check(reduced)) return pickling_error("__reduce__ must return a string or tuple");
    ssize_t size = tuple_size(reduced);
    if (size < 2 || size > PART_COUNT)
        return pickling_error("tuple returned by __reduce__ must contain 2 through 6 elements");
    for (ssize_t i = 0; i < PART_COUNT; i++) {
        parts[i] = i < size ? tuple_at(reduced, i) : (ValueRef)VALUE_ERROR;
        if (i >= STATE && parts[i] == NONE) parts[i] = VALUE_ERROR;
    }
    return check_parts(parts);
}

static bool save_made(Pickler *self, const ValueRef parts[PART_COUNT], ValueRef value)
{
    if (self->protocol < 2) return save_call(self, parts[CALLABLE], parts[ARGUMENTS]);
    Value name = object_get_optional(parts[CALLABLE], NAME(__name__));
    if (!name) return false;
    bool is_str = str_check(name);
    bool with_keywords = is_str && str_equal_ascii(name, "__newobj_ex__");
    bool without = is_str && str_equal_ascii(name, "__newobj__");
    drop(name);
    if (with_keywords) return save_newobj_ex(self, parts[ARGUMENTS]);
    if (without) return save_newobj(self, parts[ARGUMENTS], value);
    return save_call(self, parts[CALLABLE], parts[ARGUMENTS]);
}

// state_setter(value, state), whose result is dropped.
static bool save_setter_call(Pickler *self, const ValueRef parts[PART_COUNT], ValueRef value)
{
    if (!pickle_save(self, parts[SETTER]) || !pickle_save(self, value) ||
        !pickle_save(self, parts[STATE]))
        return false;
    output_op(&self->output, PICKLE_TUPLE2);
    output_op(&self->output, PICKLE_REDUCE);
    output_op(&self->output, PICKLE_POP);
    return true;
}

bool pickle_save_reduced(Pickler *self, ValueRef reduced, ValueRef value)
{
    ValueRef parts[PART_COUNT];
    if (!take_parts(reduced, parts) || !save_made(self, parts, value) ||
        !memoize_made(self, value) || (parts[ITEMS] && !pickle_save_items(self, parts[ITEMS])) ||
        (parts[PAIRS] && !pickle_save_pairs(self, parts[PAIRS])))
        return false;
    if (!parts[STATE]) return true;
    if (parts[SETTER]) return save_setter_call(self, parts, value);
    if (!pickle_save(self, parts[STATE])) return false;
    output_op(&self->output, PICKLE_BUILD);
    return true;
}
