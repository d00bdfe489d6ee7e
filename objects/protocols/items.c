// Functions that the containers share (items.h).
//
// A function that loops over items may run script code between two of them. So it reads the size
// again at each step, and retains an item while it is shown or compared.
#include "objects/protocols/items.h"

#include "objects/call.h"
#include "objects/classes/generic_alias.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/upcalls.h"

Value next_failed_within(ValueRef iterator)
{
    if (!type_of(iterator)->next)
        return raise_error(TypeError, "'%.200T' object is not an iterator", iterator);
    if (error_pending()) return VALUE_ERROR;
    return stack_check_room() ? raise_bad_call("next_of") : VALUE_ERROR;
}

Value next_failed(ValueRef iterator)
{
    next_failed_within(iterator);
    if (!error_is(StopIteration)) return VALUE_ERROR;
    error_clear();
    return ABSENT;
}

// Goes up to the first pair of items that differ, as a comparison does.
int quick_equal_tuples(ValueRef a, ValueRef b)
{
    ssize_t shorter = tuple_size(a) < tuple_size(b) ? tuple_size(a) : tuple_size(b);
    for (ssize_t i = 0; i < shorter; i++) {
        int known = quick_equal_atoms(tuple_at(a, i), tuple_at(b, i));
        if (known != 1) return known;
    }
    return tuple_size(a) == tuple_size(b);
}

bool items_equal(ValueRef a, ValueRef b, bool *equal)
{
    int known = quick_equal(a, b);
    if (known >= 0) {
        *equal = known;
        return true;
    }
    if ((a == NONE || b == NONE) && !is_object(a) && !is_object(b)) { // None and a number
        *equal = false;
        return true;
    }
    Value left = retain(a), right = retain(b);
    bool ok = object_equal(left, right, equal);
    drop(left);
    drop(right);
    return ok;
}

bool argument_ssize(ValueRef value, ssize_t *number)
{
    if (is_small(value) && !ssize_clamped(small_value(value), number)) return true;
    if (float_check(value)) return raise_error(TypeError, "integer argument expected, got float");
    Value index = object_index(value);
    if (!index) return false;
    int outside = int_as_ssize_clamped(index, number);
    drop(index);
    if (!outside) return true;
    return raise_error(OverflowError, "Python int too large to convert to C ssize_t");
}

static bool fits_int(int64_t wide, int *number)
{
    *number = (int)wide;
    return *number == wide;
}

bool argument_int(ValueRef value, int *number)
{
    if (is_small(value) && fits_int(small_value(value), number)) return true;
    if (float_check(value)) return raise_error(TypeError, "integer argument expected, got float");
    Value index = object_index_or_int(value);
    if (!index) return false;
    int64_t wide = 0;
    int outside = int_as_int64_clamped(index, &wide);
    drop(index);
    if (!outside && fits_int(wide, number)) return true;
    return raise_error(OverflowError, "Python int too large to convert to C int");
}

bool argument_slice_index(ValueRef value, ssize_t *number)
{
    if (!is_index(value))
        return raise_error(TypeError, "slice indices must be integers or have an __index__ method");
    return object_as_ssize(value, number, NULL);
}

Value compare_sizes(ssize_t left, ssize_t right, CompareOp op)
{
    return from_bool(order_holds((left > right) - (left < right), op));
}

static bool append_reprs(StrBuilder *builder, ItemArray array)
{
    for (ssize_t i = 0; i < *array.size; i++) {
        if (i && !builder_ascii(builder, ", ", 2)) return false;
        Value item = retain((*array.items)[i]);
        Value text = object_repr(item);
        drop(item);
        if (!text) return false;
        bool ok = builder_str(builder, text);
        drop(text);
        if (!ok) return false;
    }
    return true;
}

Value items_repr(ValueRef self, ItemArray array, const char *open, const char *alone,
                 const char *close, const char *again)
{
    bool shown = false;
    if (!repr_enter(self, &shown)) return VALUE_ERROR;
    if (shown) return str_new(again);
    StrBuilder builder;
    builder_begin(&builder);
    bool ok = builder_text(&builder, open) && append_reprs(&builder, array);
    if (ok && alone && *array.size == 1) ok = builder_text(&builder, alone);
    ok = ok && builder_text(&builder, close);
    repr_leave(self);
    if (ok) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

// Up to which index from `i` on both have the same words. No code of a script runs meanwhile.
static ssize_t skip_same(const Value *left, const Value *right, ssize_t i, ssize_t end)
{
    if (i < end && bits_of(left[i]) != bits_of(right[i])) return i;
    for (; end - i >= 4; i += 4) {
        uint64_t differ = 0;
        for (int k = 0; k < 4; k++) differ |= bits_of(left[i + k]) ^ bits_of(right[i + k]);
        if (differ) break;
    }
    while (i < end && bits_of(left[i]) == bits_of(right[i])) i++;
    return i;
}

// The first index at which the two differ, in *index; past the end of one where they do not.
static bool first_difference(ItemArray left, ItemArray right, ssize_t *index)
{
    ssize_t i;
    for (i = 0;; i++) {
        bool equal;
        ssize_t end = *left.size < *right.size ? *left.size : *right.size;
        i = skip_same(*left.items, *right.items, i, end);
        if (i >= end) break;
        if (!items_equal((*left.items)[i], (*right.items)[i], &equal)) return false;
        if (!equal) break;
    }
    *index = i;
    return true;
}

Value items_compare(ItemArray left, ItemArray right, CompareOp op)
{
    ssize_t i;
    if (!first_difference(left, right, &i)) return VALUE_ERROR;
    if (i >= *left.size || i >= *right.size) return compare_sizes(*left.size, *right.size, op);
    if (op == COMPARE_EQ) return FALSE;
    if (op == COMPARE_NE) return TRUE;
    Value a = retain((*left.items)[i]), b = retain((*right.items)[i]);
    Value result = object_compare(a, b, op);
    drop(a);
    drop(b);
    return result;
}

ssize_t items_find(ItemArray array, ValueRef item, ssize_t start, ssize_t stop)
{
    for (ssize_t i = start; i < stop && i < *array.size; i++) {
        bool equal;
        int known = quick_equal((*array.items)[i], item);
        if (known > 0) return i;
        if (known == 0) continue;
        if (!items_equal((*array.items)[i], item, &equal)) return -2;
        if (equal) return i;
    }
    return -1;
}

Value builtin_named(const char *name)
{
    if (!upcalls.import) return raise_error(RuntimeError, "no module named builtins yet");
    Value builtins = upcalls.import("builtins");
    if (!builtins) return VALUE_ERROR;
    Value text = str_intern(name);
    Value found = text ? object_get(builtins, text) : VALUE_ERROR;
    drop(text);
    drop(builtins);
    return found;
}

Value reduce_to_iter(Value sequence)
{
    if (!sequence) return VALUE_ERROR;
    Value function = builtin_named("iter");
    Value arguments = function ? tuple_pack(1, (ValueRef)sequence) : VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (arguments) result = tuple_pack(2, (ValueRef)function, (ValueRef)arguments);
    drop(arguments);
    drop(function);
    drop(sequence);
    return result;
}

Value class_getitem(ValueRef self, METHOD_ARGS)
{
    return generic_alias_new(self, args[0]);
}

Value new_zeroed(Type *type, METHOD_ARGS)
{
    return own(object_alloc(type, 0));
}
