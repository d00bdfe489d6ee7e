// __reduce__ and __reduce_ex__ of `object`: how copy.copy() and pickle take an object apart.
//
//     protocol 2+   (copyreg.__newobj__, (class, *new arguments), state, list items, dict items)
//     protocol 0,1  what copyreg._reduce_ex() returns
//
// `state` is the result of __getstate__() if there is one. Else it is __dict__, or with __slots__
// (__dict__ or None, {slot: value}). The functions come from the library's module copyreg.
#include "objects/call.h"
#include "objects/classes/object_parts.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/instance.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

static Value copyreg_function(const char *name)
{
    if (!upcalls.import) return raise_error(ImportError, "No module named 'copyreg'");
    Value module = upcalls.import("copyreg");
    Value interned = module ? str_intern(name) : VALUE_ERROR;
    Value function = interned ? object_get(module, interned) : VALUE_ERROR;
    drop(module);
    drop(interned);
    return function;
}

static Value copyreg_call(const char *name, const ValueRef *args, size_t nargs)
{
    Value function = copyreg_function(name);
    Value result = function ? object_call(function, args, nargs, VALUE_ERROR) : VALUE_ERROR;
    drop(function);
    return result;
}

static Value raise_cannot_pickle(ValueRef self)
{
    return raise_error(TypeError, "cannot pickle '%.200T' object", self);
}

// ---- arguments for __new__

typedef struct NewArguments {
    Value args;   // tuple, or VALUE_ERROR
    Value kwargs; // dict, or VALUE_ERROR
} NewArguments;

static bool check_pair(ValueRef pair)
{
    if (!tuple_check(pair))
        return raise_error(TypeError, "__getnewargs_ex__ should return a tuple, not '%.200T'",
                           pair);
    if (tuple_size(pair) != 2)
        return raise_error(ValueError,
                           "__getnewargs_ex__ should return a tuple of length 2, not %zd",
                           tuple_size(pair));
    if (!tuple_check(tuple_at(pair, 0)))
        return raise_error(TypeError,
                           "first item of the tuple returned by __getnewargs_ex__ must be a tuple, "
                           "not '%.200T'",
                           tuple_at(pair, 0));
    if (!dict_check(tuple_at(pair, 1)))
        return raise_error(TypeError,
                           "second item of the tuple returned by __getnewargs_ex__ must be a dict, "
                           "not '%.200T'",
                           tuple_at(pair, 1));
    return true;
}

static bool take_pair(Value pair, NewArguments *arguments)
{
    bool fine = pair && check_pair(pair);
    if (fine) {
        arguments->args = retain(tuple_at(pair, 0));
        arguments->kwargs = retain(tuple_at(pair, 1));
    }
    drop(pair);
    return fine;
}

static bool find_new_arguments(ValueRef self, NewArguments *arguments)
{
    Value method = object_special(self, NAME(__getnewargs_ex__));
    if (!method) return false;
    if (method != ABSENT) {
        Value pair = object_call_none(method);
        drop(method);
        return take_pair(pair, arguments);
    }
    method = object_special(self, NAME(__getnewargs__));
    if (!method || method == ABSENT) return method != VALUE_ERROR;
    arguments->args = object_call_none(method);
    drop(method);
    if (!arguments->args || tuple_check(arguments->args)) return arguments->args != VALUE_ERROR;
    raise_error(TypeError, "__getnewargs__ should return a tuple, not '%.200T'",
                (ValueRef)arguments->args);
    drop_slot(&arguments->args);
    return false;
}

// (class, *args) for __newobj__.
static Value class_and_args(ValueRef self, ValueRef args)
{
    ssize_t count = args ? tuple_size(args) : 0;
    Value all = tuple_new(count + 1);
    if (!all) return VALUE_ERROR;
    as_tuple(all)->items[0] = retain(ref_of(type_of(self)));
    for (ssize_t i = 0; i < count; i++) as_tuple(all)->items[i + 1] = retain(tuple_at(args, i));
    return all;
}

// ---- state

static bool has_hidden_fields(ValueRef self)
{
    const Type *type = type_of(self);
    while (type->flags & TYPE_HEAP) type = type->base_type;
    return type->size > object_type.size || type->item_size;
}

static bool add_slot_value(ValueRef self, ValueRef values, ValueRef name)
{
    Value value = object_get_optional(self, name);
    if (value == ABSENT) return true;
    return value && dict_set_owned(values, name, value);
}

// The names of all slots: copyreg leaves them in the class. A list, or what a script has put there.
static Value slot_names(const Type *type)
{
    ValueRef class = ref_of(type), known = dict_peek_ascii(type->dict, "__slotnames__");
    if (known && (known == NONE || list_check(known))) return retain(known);
    return copyreg_call("_slotnames", &class, 1);
}

// {slot: value} of the slots that are set.
static Value slot_values(ValueRef self)
{
    Value names = slot_names(type_of(self));
    if (!names) return VALUE_ERROR;
    Value values = dict_new();
    bool done = values;
    if (list_check(names))
        for (ssize_t i = 0; done && i < list_size(names); i++) {
            Value name = retain(list_at(names, i));
            done = add_slot_value(self, values, name);
            drop(name);
        }
    drop(names);
    if (!done) drop_slot(&values);
    return values;
}

// The dict of the instance; None where it has none, or an empty one.
static Value own_dict(ValueRef self)
{
    if (!type_of(self)->dict_offset) return NONE;
    ValueRef dict = object_dict(self);
    if (!dict) return VALUE_ERROR;
    return dict_size(dict) > 0 ? retain(dict) : NONE;
}

static Value default_state(ValueRef self, bool required)
{
    if (required && has_hidden_fields(self)) return raise_cannot_pickle(self);
    Value state = own_dict(self);
    Value values = state ? slot_values(self) : VALUE_ERROR;
    if (values && dict_size(values) > 0)
        replace_slot(&state, tuple_pack(2, (ValueRef)state, (ValueRef)values));
    else if (!values)
        drop_slot(&state);
    drop(values);
    return state;
}

static Value find_state(ValueRef self, bool required)
{
    Value method = object_get_optional(self, NAME(__getstate__));
    if (!method) return VALUE_ERROR;
    if (method == ABSENT) return default_state(self, required);
    Value state = object_call_none(method);
    drop(method);
    return state;
}

// ---- the parts

static Value list_items(ValueRef self)
{
    return list_check(self) ? object_iter(self) : NONE;
}

static Value dict_pairs(ValueRef self)
{
    if (!dict_check(self)) return NONE;
    Value items = object_call_method_none(self, NAME(items));
    Value iterator = items ? object_iter(items) : VALUE_ERROR;
    drop(items);
    return iterator;
}

static void take_constructor(ValueRef self, const NewArguments *arguments, Value parts[2])
{
    if (!arguments->kwargs || dict_size(arguments->kwargs) == 0) {
        parts[0] = copyreg_function("__newobj__");
        parts[1] = parts[0] ? class_and_args(self, arguments->args) : VALUE_ERROR;
        return;
    }
    parts[0] = copyreg_function("__newobj_ex__");
    parts[1] = parts[0] ? tuple_pack(3, ref_of(type_of(self)), (ValueRef)arguments->args,
                                     (ValueRef)arguments->kwargs)
                        : VALUE_ERROR;
}

static Value reduce_new(ValueRef self)
{
    if (!type_of(self)->new_) return raise_cannot_pickle(self);
    NewArguments arguments = {0};
    if (!find_new_arguments(self, &arguments)) return VALUE_ERROR;
    bool required = !arguments.args && !list_check(self) && !dict_check(self);
    Value parts[5] = {0};
    take_constructor(self, &arguments, parts);
    if (parts[1]) parts[2] = find_state(self, required);
    if (parts[2]) parts[3] = list_items(self);
    if (parts[3]) parts[4] = dict_pairs(self);
    drop(arguments.args);
    drop(arguments.kwargs);
    if (parts[4]) return tuple_from_owned(parts, 5);
    for (int i = 0; i < 4; i++) drop(parts[i]);
    return VALUE_ERROR;
}

static Value reduce_by_protocol(ValueRef self, int64_t protocol)
{
    if (protocol >= 2) return reduce_new(self);
    Value number = int_new(protocol);
    ValueRef args[] = {self, number};
    Value result = number ? copyreg_call("_reduce_ex", args, 2) : VALUE_ERROR;
    drop(number);
    return result;
}

Value reduce_to_getattr(ValueRef where, const char *name)
{
    Value getattr = builtin_named("getattr"), text = str_intern(name);
    Value pair = getattr && text ? tuple_pack(2, where, (ValueRef)text) : VALUE_ERROR;
    Value result = pair ? tuple_pack(2, (ValueRef)getattr, (ValueRef)pair) : VALUE_ERROR;
    drop(getattr);
    drop(text);
    drop(pair);
    return result;
}

// ---- methods

Value object_reduce(ValueRef self, METHOD_ARGS)
{
    return reduce_by_protocol(self, 0);
}

// A class's own __reduce__ goes first.
Value object_reduce_ex(ValueRef self, METHOD_ARGS)
{
    int protocol;
    if (!argument_int(args[0], &protocol)) return VALUE_ERROR;
    ValueRef own_method = type_lookup(type_of(self), NAME(__reduce__));
    ValueRef default_method = dict_peek(object_type.dict, NAME(__reduce__));
    if (!own_method || own_method == default_method) return reduce_by_protocol(self, protocol);
    Value method = object_get(self, NAME(__reduce__));
    Value result = method ? object_call_none(method) : VALUE_ERROR;
    drop(method);
    return result;
}
