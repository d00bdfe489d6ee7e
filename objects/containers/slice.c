// slice: start, stop and step, of any type until the slice is applied to a sequence.
#include "objects/containers/slice.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"

Value slice_new(ValueRef start, ValueRef stop, ValueRef step)
{
    Slice *self = object_alloc_unfilled(&slice_type, sizeof(Slice));
    if (!self) return VALUE_ERROR;
    self->start = retain(start ? start : NONE);
    self->stop = retain(stop ? stop : NONE);
    self->step = retain(step ? step : NONE);
    return own(self);
}

static Value slice_make(Type *type, METHOD_ARGS)
{
    (void)type;
    if (!args_check("slice", nargs, kwnames, 1, 3)) return VALUE_ERROR;
    if (nargs == 1) return slice_new(NONE, args[0], NONE);
    return slice_new(args[0], args[1], nargs == 3 ? args[2] : NONE);
}

static void slice_traverse(Object *object, VisitFn visit, void *arg)
{
    const Slice *self = (const Slice *)object;
    visit_item(self->start, visit, arg);
    visit_item(self->stop, visit, arg);
    visit_item(self->step, visit, arg);
}

static void slice_release(Object *object)
{
    const Slice *self = (const Slice *)object;
    drop(self->start);
    drop(self->stop);
    drop(self->step);
}

// ---- indices in C

// An index, clamped to the range of ssize_t; stays as it is for None.
static bool take_index(ValueRef value, ssize_t *index)
{
    if (value == NONE) return true;
    if (is_index(value)) return object_as_ssize(value, index, NULL);
    return raise_error(TypeError,
                       "slice indices must be integers or None or have an __index__ method");
}

#define SSIZE_MAXIMUM PTRDIFF_MAX
#define SSIZE_MINIMUM PTRDIFF_MIN

bool slice_unpack(ValueRef slice, ssize_t *start, ssize_t *stop, ssize_t *step)
{
    const Slice *self = (const Slice *)object_of(slice);
    *step = 1;
    if (!take_index(self->step, step)) return false;
    if (*step == 0) return raise_error(ValueError, "slice step cannot be zero");
    if (*step < -SSIZE_MAXIMUM) *step = -SSIZE_MAXIMUM; // so that -step fits
    *start = *step < 0 ? SSIZE_MAXIMUM : 0;
    *stop = *step < 0 ? SSIZE_MINIMUM : SSIZE_MAXIMUM;
    return take_index(self->start, start) && take_index(self->stop, stop);
}

static ssize_t clamp_index(ssize_t index, ssize_t length, ssize_t step)
{
    if (index < 0) {
        index += length;
        return index < 0 ? (step < 0 ? -1 : 0) : index;
    }
    return index < length ? index : step < 0 ? length - 1 : length;
}

void slice_adjust(ssize_t length, ssize_t *start, ssize_t *stop, ssize_t step, ssize_t *count)
{
    *start = clamp_index(*start, length, step);
    *stop = clamp_index(*stop, length, step);
    *count = 0;
    if (step < 0 && *stop < *start) *count = (*start - *stop - 1) / -step + 1;
    if (step > 0 && *start < *stop) *count = (*stop - *start - 1) / step + 1;
}

// ---- indices(length): the same with ints of any size

static Value evaluate_index(ValueRef value)
{
    if (is_index(value)) return object_index(value);
    return raise_error(TypeError,
                       "slice indices must be integers or None or have an __index__ method");
}

// A bound, counted from the end if it is negative, clamped to lower..upper.
static Value bound_index(ValueRef value, ValueRef fallback, ValueRef length, ValueRef lower,
                         ValueRef upper)
{
    if (value == NONE) return retain(fallback);
    Value index = evaluate_index(value);
    if (!index) return VALUE_ERROR;
    if (int_sign(index) < 0) {
        replace_slot(&index, int_add(index, length));
        if (index && int_compare(index, lower) < 0) replace_slot(&index, retain(lower));
    } else if (int_compare(index, upper) > 0) {
        replace_slot(&index, retain(upper));
    }
    return index;
}

static Value evaluate_step(ValueRef step)
{
    Value number = step == NONE ? from_small(1) : evaluate_index(step);
    if (!number || int_sign(number) != 0) return number;
    drop(number);
    return raise_error(ValueError, "slice step cannot be zero");
}

// Steals the step.
static Value adjusted_indices(const Slice *self, ValueRef length, Value step)
{
    bool backwards = int_sign(step) < 0;
    Value lower = from_small(backwards ? -1 : 0);
    Value upper = backwards ? int_add(length, from_small(-1)) : retain(length);
    Value start = VALUE_ERROR, stop = VALUE_ERROR;
    if (upper) start = bound_index(self->start, backwards ? upper : lower, length, lower, upper);
    if (start) stop = bound_index(self->stop, backwards ? lower : upper, length, lower, upper);
    drop(upper);
    if (stop) return tuple_from_owned((Value[]){start, stop, step}, 3);
    drop(start);
    drop(step);
    return VALUE_ERROR;
}

static Value slice_indices(ValueRef self, METHOD_ARGS)
{
    Value length = object_index(args[0]);
    if (!length) return VALUE_ERROR;
    if (int_sign(length) < 0) {
        drop(length);
        return raise_error(ValueError, "length should not be negative");
    }
    const Slice *slice = (const Slice *)object_of(self);
    Value step = evaluate_step(slice->step);
    Value result = step ? adjusted_indices(slice, length, step) : VALUE_ERROR;
    drop(length);
    return result;
}

// ---- the type

static Value slice_repr(ValueRef self)
{
    const Slice *slice = (const Slice *)object_of(self);
    return format_text("slice(%R, %R, %R)", (ValueRef)slice->start, (ValueRef)slice->stop,
                       (ValueRef)slice->step);
}

static Value as_parts(ValueRef self)
{
    const Slice *slice = (const Slice *)object_of(self);
    return tuple_pack(3, (ValueRef)slice->start, (ValueRef)slice->stop, (ValueRef)slice->step);
}

static Value slice_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!slice_check(left) || !slice_check(right)) return NOT_IMPLEMENTED;
    if (left == right) return from_bool(op == COMPARE_EQ || op == COMPARE_LE || op == COMPARE_GE);
    Value a = as_parts(left), b = a ? as_parts(right) : VALUE_ERROR;
    Value result = b ? object_compare(a, b, op) : VALUE_ERROR;
    drop(a);
    drop(b);
    return result;
}

static Value slice_reduce(ValueRef self, METHOD_ARGS)
{
    Value parts = as_parts(self);
    Value result = parts ? tuple_pack(2, ref_of(&slice_type), (ValueRef)parts) : VALUE_ERROR;
    drop(parts);
    return result;
}

static const MethodDef methods[] = {
    {"indices", slice_indices, ONE_ARG,
     "S.indices(len) -> (start, stop, stride)\n\n"
     "Assuming a sequence of length len, calculate the start and stop\n"
     "indices, and the stride length of the extended slice described by\n"
     "S. Out of bounds indices are clipped in a manner consistent with the\n"
     "handling of normal slices."},
    {"__reduce__", slice_reduce, NO_ARGS, "Return state information for pickling."},
    {0},
};

static const MemberDef members[] = {
    {"start", MEMBER_VALUE, offsetof(Slice, start), true, NULL},
    {"stop", MEMBER_VALUE, offsetof(Slice, stop), true, NULL},
    {"step", MEMBER_VALUE, offsetof(Slice, step), true, NULL},
    {0},
};

Type slice_type = {
    STATIC_TYPE("slice", sizeof(Slice)),
    .flags = TYPE_GC,
    .doc = "slice(stop)\nslice(start, stop[, step])\n\n"
           "Create a slice object.  This is used for extended slicing (e.g. a[0:10:2]).",
    .methods = methods,
    .members = members,
    .new_ = slice_make,
    .release = slice_release,
    .traverse = slice_traverse,
    .repr = slice_repr,
    .hash = object_hash_unhashable,
    .compare = slice_compare,
    .getattribute = object_generic_get,
};
