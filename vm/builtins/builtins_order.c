// Built-in functions of several values: min, max, sum, sorted; also round and pow.
#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/type.h"
#include "objects/upcalls.h"
#include "vm/builtins/builtins.h"
#include "vm/numbers.h"

// ---- min and max

typedef struct Best {
    Value item, key; // what is the best so far; 0 = nothing yet
} Best;

// Keeps the item if it is better than the one before. Steals it.
static bool best_offer(Best *best, Value item, ValueRef key_function, CompareOp op)
{
    Value key = key_function ? object_call_one(key_function, item) : retain(item);
    bool better = !best->item;
    bool known = key && (better || object_compare_bool(key, best->key, op, &better));
    if (!known || !better) {
        drop(item);
        drop(key);
        return known;
    }
    replace_slot(&best->item, item);
    replace_slot(&best->key, key);
    return true;
}

static Value best_of(ValueRef iterable, ValueRef key_function, CompareOp op)
{
    Value iterator = object_iter(iterable);
    if (!iterator) return VALUE_ERROR;
    Best best = {0};
    Value item;
    while ((item = next_of(iterator)) && item != ABSENT)
        if (!best_offer(&best, item, key_function, op) || !poll_signals()) break;
    drop(iterator);
    drop(best.key);
    if (!error_pending()) return best.item ? best.item : ABSENT;
    drop(best.item);
    return VALUE_ERROR;
}

// The caller owns the arguments, so that the best so far needs no owner here.
static Value best_argument(const ValueRef *args, size_t nargs, CompareOp op)
{
    ValueRef best = args[0];
    for (size_t i = 1; i < nargs; i++) {
        bool better;
        if (!object_compare_bool(args[i], best, op, &better) || !poll_signals()) return VALUE_ERROR;
        if (better) best = args[i];
    }
    return retain(best);
}

static Value min_max(const char *name, CompareOp op, const ValueRef *args, size_t nargs,
                     ValueRef kwnames)
{
    static const char *const names[] = {"key", "default", NULL};
    Signature signature = {name, names, 0, 0};
    ValueRef given[2];
    if (nargs > 1 && !kwnames) return best_argument(args, nargs, op);
    if (nargs == 0) return raise_error(TypeError, "%s expected at least 1 argument, got 0", name);
    if (!args_bind(&signature, args + nargs, 0, kwnames, given)) return VALUE_ERROR;
    if (nargs > 1 && given[1])
        return raise_error(TypeError,
                           "Cannot specify a default for %s() with multiple positional arguments",
                           name);
    Value several = nargs > 1 ? tuple_from_array(args, nargs) : retain(args[0]);
    ValueRef key_function = given[0] == NONE ? 0 : given[0];
    Value best = several ? best_of(several, key_function, op) : VALUE_ERROR;
    drop(several);
    if (best != ABSENT) return best;
    if (given[1]) return retain(given[1]);
    return raise_error(ValueError, "%s() arg is an empty sequence", name);
}

Value builtin_min(FUNCTION_ARGS)
{
    return min_max("min", COMPARE_LT, args, nargs, kwnames);
}

Value builtin_max(FUNCTION_ARGS)
{
    return min_max("max", COMPARE_GT, args, nargs, kwnames);
}

// ---- sum

static Value add_item(Value sum, Value item)
{
    Value result;
    if (is_double(sum) && is_small(item))
        result = from_double(double_value(sum) + (double)small_value(item));
    else if (!number_add(sum, item, &result))
        result = object_binary(sum, item, OP_ADD);
    drop(sum);
    drop(item);
    return result;
}

static Value check_start(ValueRef start)
{
    if (!start) return from_small(0);
    if (has_flag(start, TYPE_STR))
        return raise_error(TypeError, "sum() can't sum strings [use ''.join(seq) instead]");
    if (has_flag(start, TYPE_BYTES))
        return raise_error(TypeError, "sum() can't sum bytes [use b''.join(seq) instead]");
    if (type_is_subtype(type_of(start), &bytearray_type))
        return raise_error(TypeError, "sum() can't sum bytearray [use b''.join(seq) instead]");
    return retain(start);
}

Value builtin_sum(FUNCTION_ARGS)
{
    static const char *const names[] = {"", "start", NULL};
    static const Signature signature = {"sum", names, 1, 2};
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    Value iterator = object_iter(given[0]);
    Value sum = iterator ? check_start(given[1]) : VALUE_ERROR, item = ABSENT;
    while (sum && (item = next_of(iterator)) && item != ABSENT) {
        sum = add_item(sum, item);
        if (sum && !poll_signals()) drop_slot(&sum);
    }
    drop(iterator);
    if (item) return sum;
    drop(sum);
    return VALUE_ERROR;
}

// ---- sorted

Value builtin_sorted(FUNCTION_ARGS)
{
    if (nargs != 1) return raise_error(TypeError, "sorted expected 1 argument, got %zu", nargs);
    Value list = sequence_list(args[0]);
    if (!list) return VALUE_ERROR;
    Value sort = object_get(list, NAME(sort));
    Value done = sort ? object_call(sort, args + 1, 0, kwnames) : VALUE_ERROR;
    drop(sort);
    drop(done);
    if (done) return list;
    drop(list);
    return VALUE_ERROR;
}

// ---- round and pow

Value builtin_round(FUNCTION_ARGS)
{
    static const char *const names[] = {"number", "ndigits", NULL};
    static const Signature signature = {"round", names, 1, 2};
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    Value method = object_special(given[0], NAME(__round__));
    if (method == ABSENT)
        return raise_error(TypeError, "type %.100T doesn't define __round__ method", given[0]);
    bool with_digits = given[1] && given[1] != NONE;
    Value result = method ? object_call(method, given + 1, with_digits, 0) : VALUE_ERROR;
    drop(method);
    return result;
}

Value builtin_pow(FUNCTION_ARGS)
{
    static const char *const names[] = {"base", "exp", "mod", NULL};
    static const Signature signature = {"pow", names, 2, 3};
    ValueRef given[3];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    return object_power(given[0], given[1], given[2] ? given[2] : NONE);
}
