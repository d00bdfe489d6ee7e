// range: start, stop, step and the number of items, ints of any size; and its two iterators.
//
// Almost every range has small ints only. Then all arithmetic is done in int64_t: differences and
// products cannot overflow, as long as one factor is within the length.
#include "objects/containers/range.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/upcalls.h"

// ---- making

// The number of items of a range that goes forwards: (high - low - 1) // step + 1.
static Value count_steps(ValueRef low, ValueRef high, ValueRef step)
{
    if (int_compare(low, high) >= 0) return from_small(0);
    Value distance = int_subtract(high, low);
    Value most = distance ? int_subtract(distance, from_small(1)) : VALUE_ERROR;
    Value steps = most ? int_floor_divide(most, step) : VALUE_ERROR;
    Value count = steps ? int_add(steps, from_small(1)) : VALUE_ERROR;
    drop(steps);
    drop(most);
    drop(distance);
    return count;
}

static Value length_of(ValueRef start, ValueRef stop, ValueRef step)
{
    if (are_small(start, stop) && is_small(step)) {
        int64_t by = small_value(step);
        int64_t low = small_value(by > 0 ? start : stop), high = small_value(by > 0 ? stop : start);
        if (by < 0) by = -by;
        return low >= high ? from_small(0) : int_new((high - low - 1) / by + 1);
    }
    if (int_sign(step) > 0) return count_steps(start, stop, step);
    Value by = int_negative(step);
    Value count = by ? count_steps(stop, start, by) : VALUE_ERROR;
    drop(by);
    return count;
}

Value range_new(ValueRef start, ValueRef stop, ValueRef step)
{
    if (int_sign(step) == 0) return raise_error(ValueError, "range() arg 3 must not be zero");
    Value length = length_of(start, stop, step);
    if (!length) return VALUE_ERROR;
    Range *range = object_alloc(&range_type, 0);
    if (!range) {
        drop(length);
        return VALUE_ERROR;
    }
    range->start = retain(start);
    range->stop = retain(stop);
    range->step = retain(step);
    range->length = length;
    return own(range);
}

static Value new_range(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)type;
    if (!args_no_keywords("range", kwnames)) return VALUE_ERROR;
    if (!args_check("range", nargs, 0, 1, 3)) return VALUE_ERROR;
    Value start = nargs > 1 ? object_index(args[0]) : from_small(0);
    Value stop = start ? object_index(args[nargs > 1]) : VALUE_ERROR;
    Value step = stop ? (nargs > 2 ? object_index(args[2]) : from_small(1)) : VALUE_ERROR;
    Value range = step ? range_new(start, stop, step) : VALUE_ERROR;
    drop(start);
    drop(stop);
    drop(step);
    return range;
}

static void release(Object *self)
{
    Range *range = (Range *)self;
    drop(range->start);
    drop(range->stop);
    drop(range->step);
    drop(range->length);
}

// ---- items

// start + index * step, even if the range is shorter.
static Value item_at(const Range *range, ValueRef index)
{
    Value offset = int_multiply(index, range->step);
    Value item = offset ? int_add(range->start, offset) : VALUE_ERROR;
    drop(offset);
    return item;
}

static Value checked_item(const Range *range, ValueRef index)
{
    Value position = int_sign(index) < 0 ? int_add(range->length, index) : retain(index);
    if (!position) return VALUE_ERROR;
    Value item = VALUE_ERROR;
    if (int_sign(position) < 0 || int_compare(position, range->length) >= 0)
        raise_error(IndexError, "range object index out of range");
    else
        item = item_at(range, position);
    drop(position);
    return item;
}

static Value item(ValueRef self, ssize_t index)
{
    Value number = int_new(index);
    Value result = number ? checked_item(as_range(self), number) : VALUE_ERROR;
    drop(number);
    return result;
}

// slice.indices(length): the tuple (start, stop, step).
static Value slice_indices(ValueRef slice, ValueRef length)
{
    Value name = str_intern("indices");
    Value indices = name ? object_call_method_one(slice, name, length) : VALUE_ERROR;
    drop(name);
    return indices;
}

static Value get_slice(const Range *range, ValueRef slice)
{
    Value indices = slice_indices(slice, range->length);
    if (!indices) return VALUE_ERROR;
    Value step = int_multiply(tuple_at(indices, 2), range->step);
    Value start = step ? item_at(range, tuple_at(indices, 0)) : VALUE_ERROR;
    Value stop = start ? item_at(range, tuple_at(indices, 1)) : VALUE_ERROR;
    Value result = stop ? range_new(start, stop, step) : VALUE_ERROR;
    drop(stop);
    drop(start);
    drop(step);
    drop(indices);
    return result;
}

static Value subscript(ValueRef self, ValueRef key)
{
    if (is_index(key)) {
        Value index = object_index(key);
        Value result = index ? checked_item(as_range(self), index) : VALUE_ERROR;
        drop(index);
        return result;
    }
    if (slice_check(key)) return get_slice(as_range(self), key);
    return raise_error(TypeError, "range indices must be integers or slices, not %T", key);
}

static bool length(ValueRef self, ssize_t *size)
{
    if (!int_as_ssize_clamped(as_range(self)->length, size)) return true;
    return raise_error(OverflowError, "Python int too large to convert to C ssize_t");
}

static bool truth(ValueRef self, bool *result)
{
    *result = int_sign(as_range(self)->length) != 0;
    return true;
}

// ---- looking for an item

// Calculates the index of an int; ABSENT if it is not in the range.
static Value index_of_int(const Range *range, ValueRef number)
{
    bool forwards = int_sign(range->step) > 0;
    int from_start = int_compare(number, range->start),
        from_stop = int_compare(number, range->stop);
    if (forwards ? from_start < 0 || from_stop >= 0 : from_start > 0 || from_stop <= 0)
        return ABSENT;
    Value offset = int_subtract(number, range->start);
    Value both = offset ? int_divmod(offset, range->step) : VALUE_ERROR;
    drop(offset);
    if (!both) return VALUE_ERROR;
    Value index = int_sign(tuple_at(both, 1)) == 0 ? retain(tuple_at(both, 0)) : ABSENT;
    drop(both);
    return index;
}

// For values that are no plain int: compares item by item. Counts the equal ones and stops after
// `most`; *index is the index of the last one found.
static bool search(ValueRef self, ValueRef wanted, ssize_t most, ssize_t *count, ssize_t *index)
{
    Value iterator = object_iter(self);
    bool ok = iterator;
    *count = 0;
    for (ssize_t i = 0; ok && *count < most; i++) {
        bool equal = false;
        Value number = next_of(iterator);
        if (number == ABSENT) break;
        ok = number && object_equal(number, wanted, &equal) && poll_signals();
        drop(number);
        *count += equal;
        *index = i;
    }
    drop(iterator);
    return ok;
}

static bool is_plain_int(ValueRef value)
{
    return int_check_exact(value) || is_bool(value);
}

static bool contains(ValueRef self, ValueRef wanted, bool *found)
{
    if (is_plain_int(wanted)) {
        Value index = index_of_int(as_range(self), wanted);
        *found = index != ABSENT;
        drop(index);
        return index;
    }
    ssize_t count, index;
    if (!search(self, wanted, 1, &count, &index)) return false;
    *found = count;
    return true;
}

static Value index_method(ValueRef self, METHOD_ARGS)
{
    if (is_plain_int(args[0])) {
        Value index = index_of_int(as_range(self), args[0]);
        if (index != ABSENT) return index;
        return raise_error(ValueError, "%R is not in range", args[0]);
    }
    ssize_t count, index;
    if (!search(self, args[0], 1, &count, &index)) return VALUE_ERROR;
    if (!count) return raise_error(ValueError, "sequence.index(x): x not in sequence");
    return from_small(index);
}

static Value count_method(ValueRef self, METHOD_ARGS)
{
    ssize_t count, index;
    if (is_plain_int(args[0])) {
        Value found = index_of_int(as_range(self), args[0]);
        if (!found) return VALUE_ERROR;
        drop(found);
        return from_small(found != ABSENT);
    }
    if (!search(self, args[0], PTRDIFF_MAX, &count, &index)) return VALUE_ERROR;
    return from_small(count);
}

// ---- basics

static bool is_one(ValueRef number)
{
    return number == from_small(1);
}

static Value repr(ValueRef self)
{
    const Range *range = as_range(self);
    if (is_one(range->step)) return format_text("range(%R, %R)", range->start, range->stop);
    return format_text("range(%R, %R, %R)", range->start, range->stop, range->step);
}

// Equal ranges have the same items, whatever their stop is.
static bool equal(const Range *a, const Range *b)
{
    if (a == b) return true;
    if (int_compare(a->length, b->length) != 0) return false;
    if (int_sign(a->length) == 0) return true;
    if (int_compare(a->start, b->start) != 0) return false;
    return is_one(a->length) || int_compare(a->step, b->step) == 0;
}

static Value compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!is_exactly(right, &range_type) || (op != COMPARE_EQ && op != COMPARE_NE))
        return NOT_IMPLEMENTED;
    return from_bool(equal(as_range(left), as_range(right)) == (op == COMPARE_EQ));
}

static bool hash(ValueRef self, int64_t *result)
{
    const Range *range = as_range(self);
    bool empty = int_sign(range->length) == 0;
    ValueRef start = empty ? NONE : range->start;
    ValueRef step = empty || is_one(range->length) ? NONE : range->step;
    Value key = tuple_pack(3, (ValueRef)range->length, start, step);
    bool ok = key && object_hash(key, result);
    drop(key);
    return ok;
}

static Value reduce(ValueRef self, METHOD_ARGS)
{
    const Range *range = as_range(self);
    Value parts =
        tuple_pack(3, (ValueRef)range->start, (ValueRef)range->stop, (ValueRef)range->step);
    Value result = parts ? tuple_pack(2, ref_of(&range_type), (ValueRef)parts) : VALUE_ERROR;
    drop(parts);
    return result;
}

// ---- iterators

// Iterates over `length` numbers from `start` on that do not all fit small ints.
typedef struct LongIterator {
    Object base;
    Value index, start, step, length; // ints
} LongIterator;

static Value iterator_over(ValueRef start, ValueRef step, ValueRef length)
{
    if (are_small(start, length) && is_small(step)) {
        int64_t first = small_value(start), by = small_value(step), last;
        bool fits = !__builtin_mul_overflow(by, small_value(length), &last) &&
                    !__builtin_add_overflow(last, first, &last) && fits_small(last);
        if (fits) {
            RangeIterator *iterator =
                object_alloc_unfilled(&range_iterator_type, sizeof(RangeIterator));
            if (!iterator) return VALUE_ERROR;
            iterator->next = iterator->start = first;
            iterator->step = by;
            iterator->left = small_value(length);
            return own(iterator);
        }
    }
    LongIterator *iterator = object_alloc(&long_range_iterator_type, 0);
    if (!iterator) return VALUE_ERROR;
    iterator->index = from_small(0);
    iterator->start = retain(start);
    iterator->step = retain(step);
    iterator->length = retain(length);
    return own(iterator);
}

static Value iter(ValueRef self)
{
    const Range *range = as_range(self);
    return iterator_over(range->start, range->step, range->length);
}

static Value reversed(ValueRef self, METHOD_ARGS)
{
    const Range *range = as_range(self);
    Value last_index = int_subtract(range->length, from_small(1));
    Value start = last_index ? item_at(range, last_index) : VALUE_ERROR;
    Value step = start ? int_negative(range->step) : VALUE_ERROR;
    Value iterator = step ? iterator_over(start, step, range->length) : VALUE_ERROR;
    drop(step);
    drop(start);
    drop(last_index);
    return iterator;
}

static const MethodDef methods[] = {
    {"__reversed__", reversed, NO_ARGS, NULL},
    {"__reduce__", reduce, NO_ARGS, NULL},
    {"count", count_method, ONE_ARG, NULL},
    {"index", index_method, ONE_ARG, NULL},
    {0},
};

static const MemberDef members[] = {
    {"start", MEMBER_VALUE_REQUIRED, offsetof(Range, start), true, NULL},
    {"stop", MEMBER_VALUE_REQUIRED, offsetof(Range, stop), true, NULL},
    {"step", MEMBER_VALUE_REQUIRED, offsetof(Range, step), true, NULL},
    {0},
};

Type range_type = {
    STATIC_TYPE("range", sizeof(Range)),
    .getattribute = object_generic_get,
    .methods = methods,
    .members = members,
    .new_ = new_range,
    .release = release,
    .repr = repr,
    .hash = hash,
    .compare = compare,
    .iter = iter,
    .truth = truth,
    .length = length,
    .item = item,
    .contains = contains,
    .subscript = subscript,
};

static RangeIterator *as_iterator(ValueRef value)
{
    return (RangeIterator *)object_of(value);
}

static Value iterator_next(ValueRef self)
{
    RangeIterator *iterator = as_iterator(self);
    if (iterator->left <= 0) return ABSENT;
    int64_t number = iterator->next;
    iterator->next = number + iterator->step;
    iterator->left--;
    return from_small(number);
}

static Value iterator_hint(ValueRef self, METHOD_ARGS)
{
    return from_small(as_iterator(self)->left);
}

// (iter, (range,), index). Steals the range and the index.
static Value reduced(Value range, Value index)
{
    Value function = range && index ? builtin_named("iter") : VALUE_ERROR;
    Value arguments = function ? tuple_pack(1, (ValueRef)range) : VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (arguments) result = tuple_pack(3, (ValueRef)function, (ValueRef)arguments, (ValueRef)index);
    drop(arguments);
    drop(function);
    drop(range);
    drop(index);
    return result;
}

static int64_t iterator_index(const RangeIterator *iterator)
{
    return (iterator->next - iterator->start) / iterator->step;
}

static Value iterator_reduce(ValueRef self, METHOD_ARGS)
{
    const RangeIterator *iterator = as_iterator(self);
    int64_t end = iterator->next + iterator->left * iterator->step;
    Value range =
        range_new(from_small(iterator->start), from_small(end), from_small(iterator->step));
    return reduced(range, from_small(iterator_index(iterator)));
}

static Value iterator_setstate(ValueRef self, METHOD_ARGS)
{
    RangeIterator *iterator = as_iterator(self);
    Value given = object_index_or_int(args[0]);
    int64_t index;
    bool known = given && int_as_int64(given, &index);
    drop(given);
    if (!known) return VALUE_ERROR;
    int64_t length_ = iterator_index(iterator) + iterator->left;
    if (index < 0) index = 0;
    if (index > length_) index = length_;
    iterator->next = iterator->start + index * iterator->step;
    iterator->left = length_ - index;
    return NONE;
}

static const MethodDef iterator_methods[] = {
    {"__length_hint__", iterator_hint, NO_ARGS, NULL},
    {"__reduce__", iterator_reduce, NO_ARGS, NULL},
    {"__setstate__", iterator_setstate, ONE_ARG, NULL},
    {0},
};

Type range_iterator_type = {
    STATIC_TYPE("range_iterator", sizeof(RangeIterator)),
    .flags = TYPE_LEAF,
    .getattribute = object_generic_get,
    .methods = iterator_methods,
    .iter = iterator_self,
    .next = iterator_next,
};

static LongIterator *as_long_iterator(ValueRef value)
{
    return (LongIterator *)object_of(value);
}

static void long_release(Object *self)
{
    LongIterator *iterator = (LongIterator *)self;
    drop(iterator->index);
    drop(iterator->start);
    drop(iterator->step);
    drop(iterator->length);
}

static Value long_next(ValueRef self)
{
    LongIterator *iterator = as_long_iterator(self);
    if (int_compare(iterator->index, iterator->length) >= 0) return ABSENT;
    Value after = int_add(iterator->index, from_small(1));
    Value offset = after ? int_multiply(iterator->index, iterator->step) : VALUE_ERROR;
    Value number = offset ? int_add(iterator->start, offset) : VALUE_ERROR;
    drop(offset);
    if (number)
        replace_slot(&iterator->index, after);
    else
        drop(after);
    return number;
}

static Value long_hint(ValueRef self, METHOD_ARGS)
{
    const LongIterator *iterator = as_long_iterator(self);
    return int_subtract(iterator->length, iterator->index);
}

static Value long_reduce(ValueRef self, METHOD_ARGS)
{
    const LongIterator *iterator = as_long_iterator(self);
    Value distance = int_multiply(iterator->length, iterator->step);
    Value stop = distance ? int_add(iterator->start, distance) : VALUE_ERROR;
    Value range = stop ? range_new(iterator->start, stop, iterator->step) : VALUE_ERROR;
    drop(stop);
    drop(distance);
    return reduced(range, retain(iterator->index));
}

static Value long_setstate(ValueRef self, METHOD_ARGS)
{
    LongIterator *iterator = as_long_iterator(self);
    Value index = object_index(args[0]);
    if (!index) return VALUE_ERROR;
    if (int_sign(index) < 0) replace_slot(&index, from_small(0));
    if (int_compare(index, iterator->length) > 0) replace_slot(&index, retain(iterator->length));
    replace_slot(&iterator->index, index);
    return NONE;
}

static const MethodDef long_methods[] = {
    {"__length_hint__", long_hint, NO_ARGS, NULL},
    {"__reduce__", long_reduce, NO_ARGS, NULL},
    {"__setstate__", long_setstate, ONE_ARG, NULL},
    {0},
};

Type long_range_iterator_type = {
    STATIC_TYPE("longrange_iterator", sizeof(LongIterator)),
    .getattribute = object_generic_get,
    .methods = long_methods,
    .release = long_release,
    .iter = iterator_self,
    .next = long_next,
};
