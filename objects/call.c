// Calling values, and binding the arguments of built-in functions.
//
// One array has all arguments: the positional ones, then the values of the keyword arguments. The
// tuple `kwnames` has the keywords. The callee borrows all of them; the caller keeps them alive
// until the call returns.
#include "objects/call.h"

#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"

#define FEW_ARGUMENTS 12

// ---- calling

static Value call_counted(CallFn call, ValueRef callable, const ValueRef *args, size_t nargs,
                          ValueRef kwnames)
{
    if (!stack_enter(" while calling a Python object")) return VALUE_ERROR;
    int depth = recursion_depth;
    Value result = call(callable, args, nargs, kwnames);
    invariant(recursion_depth == depth, "a call leaves every level that it enters");
    stack_leave();
    return result;
}

// A function counts as one level of recursion when its frame is entered, so the call itself does
// not count. Nor does a call of a type that CPython 3.9 calls directly (tp_vectorcall).
static inline bool counts(ValueRef callable, const Type *type)
{
    if (type == &function_type || type == &method_type) return false;
    if (type != &type_type) return true;
    const Type *callee = as_type(callable);
    return callee != &list_type && callee != &tuple_type && callee != &dict_type &&
           callee != &set_type && callee != &frozenset_type && callee != &range_type;
}

Value object_call(ValueRef callable, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const Type *type = type_of(callable);
    CallFn call = type->call;
    invariant(!is_object(callable) || is_alive(object_of(callable)), "the callable is alive");
    invariant(!kwnames || tuple_check(kwnames), "keywords come as a tuple of names");
    if (!counts(callable, type) && stack_has_room()) return call(callable, args, nargs, kwnames);
    if (!call) return raise_error(TypeError, "'%.200T' object is not callable", callable);
    return call_counted(call, callable, args, nargs, kwnames);
}

Value object_call_none(ValueRef callable)
{
    return object_call(callable, NULL, 0, 0);
}

Value object_call_one(ValueRef callable, ValueRef argument)
{
    return object_call(callable, &argument, 1, 0);
}

Value object_call_two(ValueRef callable, ValueRef first, ValueRef second)
{
    ValueRef args[] = {first, second};
    return object_call(callable, args, 2, 0);
}

bool object_is_callable(ValueRef value)
{
    return type_of(value)->call != NULL;
}

// ---- f(*args, **kwargs)

static void drop_values(ValueRef *values, size_t count)
{
    for (size_t i = 0; i < count; i++) drop(from_bits(bits_of(values[i])));
}

// The names of a dict of keyword arguments as a tuple, and their values, retained.
static Value spread_keywords(ValueRef kwargs, size_t count, bool any_names, ValueRef *values)
{
    Value names = tuple_new((ssize_t)count);
    if (!names) return VALUE_ERROR;
    ValueRef name, value;
    size_t found = 0;
    for (ssize_t at = 0; found < count && dict_next(kwargs, &at, &name, &value); found++) {
        if (!any_names && !str_check(name)) {
            drop(names);
            drop_values(values, found);
            return raise_error(TypeError, "keywords must be strings");
        }
        as_tuple(names)->items[found] = retain(name);
        values[found] = retain(value);
    }
    return names;
}

// Puts the arguments together in an array.
static bool spread_fill(SpreadArguments *spread, ValueRef self, ValueRef args, ValueRef kwargs,
                        bool any_names)
{
    size_t bound = self ? 1 : 0, nargs = spread->nargs, count = nargs + spread->keywords;
    ValueRef *array = count > FEW_ARGUMENTS ? memory_alloc(count * sizeof *array) : spread->few;
    if (!array) return raise_memory_error();
    if (self) array[0] = self;
    for (size_t i = bound; i < nargs; i++) array[i] = tuple_at(args, (ssize_t)(i - bound));
    spread->values = spread->array = array;
    if (!spread->keywords) return true;
    spread->names = spread_keywords(kwargs, spread->keywords, any_names, array + nargs);
    if (!spread->names && array != spread->few) memory_free(array);
    return spread->names;
}

static bool spread_any(SpreadArguments *spread, ValueRef self, ValueRef args, ValueRef kwargs,
                       bool any_names)
{
    spread->values = lend(as_tuple(args)->items);
    spread->nargs = (size_t)tuple_size(args) + (self ? 1 : 0);
    spread->keywords = kwargs ? (size_t)dict_size(kwargs) : 0;
    spread->names = VALUE_ERROR;
    spread->array = NULL;
    return (!self && !spread->keywords) || spread_fill(spread, self, args, kwargs, any_names);
}

bool spread_begin(SpreadArguments *spread, ValueRef self, ValueRef args, ValueRef kwargs)
{
    return spread_any(spread, self, args, kwargs, false);
}

void spread_end(SpreadArguments *spread)
{
    if (!spread->array) return;
    drop_values(spread->array + spread->nargs, spread->keywords);
    if (spread->array != spread->few) memory_free(spread->array);
    drop(spread->names);
}

static bool takes_any_names(ValueRef callable)
{
    return is_exactly(callable, &builtin_type) &&
           as_builtin(callable)->def->flags & METHOD_ANY_NAMES;
}

Value object_call_spread(ValueRef callable, ValueRef args, ValueRef kwargs)
{
    SpreadArguments spread;
    if (!spread_any(&spread, VALUE_ERROR, args, kwargs, takes_any_names(callable)))
        return VALUE_ERROR;
    Value result = object_call(callable, spread.values, spread.nargs, spread.names);
    spread_end(&spread);
    return result;
}

Value object_call_method(ValueRef name, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    bool bound;
    Value method = object_get_method(args[0], name, &bound);
    if (!method) return VALUE_ERROR;
    Value result = object_call(method, args + bound, nargs - bound, kwnames);
    drop(method);
    return result;
}

Value object_call_method_none(ValueRef self, ValueRef name)
{
    return object_call_method(name, &self, 1, 0);
}

Value object_call_method_one(ValueRef self, ValueRef name, ValueRef argument)
{
    ValueRef args[] = {self, argument};
    return object_call_method(name, args, 2, 0);
}

// ---- being called

static const char *plural(ssize_t count)
{
    return count == 1 ? "" : "s";
}

bool args_no_keywords(const char *function, ValueRef kwnames)
{
    if (!kwnames || tuple_size(kwnames) == 0) return true;
    return raise_error(TypeError, "%.200s() takes no keyword arguments", function);
}

bool args_check(const char *function, size_t nargs, ValueRef kwnames, ssize_t min, ssize_t max)
{
    if (!args_no_keywords(function, kwnames)) return false;
    ssize_t given = (ssize_t)nargs;
    if (given >= min && (max < 0 || given <= max)) return true;
    bool few = given < min;
    ssize_t bound = few ? min : max;
    const char *how = min == max ? "" : few ? "at least " : "at most ";
    return raise_error(TypeError, "%.200s expected %s%zd argument%s, got %zd", function, how, bound,
                       plural(bound), given);
}

Value args_keywords(const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Value dict = dict_new();
    ssize_t count = dict && kwnames ? tuple_size(kwnames) : 0;
    for (ssize_t i = 0; i < count; i++) {
        if (dict_set(dict, tuple_at(kwnames, i), args[(ssize_t)nargs + i])) continue;
        drop(dict);
        return VALUE_ERROR;
    }
    return dict;
}

// A signature and the arguments of one call.
typedef struct Binding {
    const Signature *signature;
    const ValueRef *args;
    ssize_t nargs;
    ValueRef kwnames;
    ssize_t keywords; // how many
    ssize_t positional_only, parameters;
} Binding;

static ValueRef find_keyword(const Binding *binding, const char *name)
{
    for (ssize_t i = 0; i < binding->keywords; i++)
        if (str_equal_ascii(tuple_at(binding->kwnames, i), name))
            return binding->args[binding->nargs + i];
    return VALUE_ERROR;
}

static const char *name_of(const Signature *signature)
{
    return *signature->function ? signature->function : "function";
}

static const char *parentheses(const Signature *signature)
{
    return *signature->function ? "()" : "";
}

static bool check_positional(const Binding *binding)
{
    const Signature *signature = binding->signature;
    const char *function = name_of(signature), *ends = parentheses(signature);
    ssize_t given = binding->nargs, most = signature->positional;
    ssize_t least = signature->required < most ? signature->required : most;
    if (given + binding->keywords > binding->parameters)
        return raise_error(TypeError, "%.200s%s takes at most %zd %sargument%s (%zd given)",
                           function, ends, binding->parameters, given == 0 ? "keyword " : "",
                           plural(binding->parameters), given + binding->keywords);
    if (given > most && most == 0)
        return raise_error(TypeError, "%.200s%s takes no positional arguments", function, ends);
    if (given > most)
        return raise_error(TypeError, "%.200s%s takes %s %zd positional argument%s (%zd given)",
                           function, ends, least < most ? "at most" : "exactly", most, plural(most),
                           given);
    if (least > binding->positional_only) least = binding->positional_only;
    if (given < least)
        return raise_error(TypeError, "%.200s%s takes %s %zd positional argument%s (%zd given)",
                           function, ends, least < most ? "at least" : "exactly", least,
                           plural(least), given);
    return true;
}

// A keyword that no parameter took: given twice, or unknown.
static bool raise_bad_keyword(const Binding *binding)
{
    const Signature *signature = binding->signature;
    for (ssize_t i = binding->positional_only; i < binding->nargs; i++)
        if (find_keyword(binding, signature->names[i]))
            return raise_error(
                TypeError, "argument for %.200s%s given by name ('%s') and position (%zd)",
                name_of(signature), parentheses(signature), signature->names[i], i + 1);
    for (ssize_t k = 0; k < binding->keywords; k++) {
        ValueRef name = tuple_at(binding->kwnames, k);
        ssize_t i = binding->positional_only;
        while (i < binding->parameters && !str_equal_ascii(name, signature->names[i])) i++;
        if (i == binding->parameters)
            return raise_error(TypeError, "'%S' is an invalid keyword argument for %.200s%s", name,
                               *signature->function ? signature->function : "this function",
                               parentheses(signature));
    }
    return raise_error(TypeError, "invalid keyword argument for %.200s()", signature->function);
}

static bool bind(const Binding *binding, ValueRef *slots)
{
    const Signature *signature = binding->signature;
    ssize_t left = binding->keywords;
    for (ssize_t i = 0; i < binding->parameters; i++) {
        const char *name = signature->names[i];
        slots[i] = VALUE_ERROR;
        if (i < binding->nargs)
            slots[i] = binding->args[i];
        else if (left > 0 && i >= binding->positional_only)
            slots[i] = find_keyword(binding, name);
        if (i >= binding->nargs && slots[i]) left--;
        if (!slots[i] && i < signature->required)
            return raise_error(TypeError, "%.200s%s missing required argument '%s' (pos %zd)",
                               name_of(signature), parentheses(signature), name, i + 1);
    }
    return left == 0 || raise_bad_keyword(binding);
}

bool args_bind(const Signature *signature, const ValueRef *args, size_t nargs, ValueRef kwnames,
               ValueRef *slots)
{
    if (!kwnames && (int)nargs >= signature->required && (int)nargs <= signature->positional) {
        for (size_t i = 0; signature->names[i]; i++) slots[i] = i < nargs ? args[i] : VALUE_ERROR;
        return true;
    }
    Binding binding = {signature, args, (ssize_t)nargs, kwnames, 0, 0, 0};
    if (kwnames) binding.keywords = tuple_size(kwnames);
    while (signature->names[binding.parameters]) {
        if (!*signature->names[binding.parameters]) binding.positional_only++;
        binding.parameters++;
    }
    return check_positional(&binding) && bind(&binding, slots);
}
