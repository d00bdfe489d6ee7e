// The functions of math that take many numbers: fsum, prod, hypot, dist.
//
// fsum keeps the exact sum as a list of partial sums that do not overlap (Shewchuk). A new number
// is added to each partial sum in turn: the rounding error of the addition replaces the partial
// sum, and the rounded sum is carried to the next. hypot and dist scale by the largest component
// and add the squares with their rounding errors.
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/upcalls.h"
#include "vm/modules/math/mod_math.h"

#include <math.h>

#define LOCAL_COUNT 16

// ---- fsum

typedef struct Partials {
    double local[LOCAL_COUNT * 2];
    double *items; // local, or owned
    size_t count, capacity;
    double special;  // the sum of those that are not finite
    double infinite; // of the infinities: NaN where there are both
} Partials;

static bool partials_push(Partials *partials, double number)
{
    if (partials->count == partials->capacity) {
        bool local = partials->items == partials->local;
        size_t bytes = partials->capacity * sizeof(double);
        double *grown = memory_resize(local ? NULL : partials->items, 2 * bytes);
        if (!grown) return raise_memory_error();
        if (local) memcpy(grown, partials->local, bytes);
        partials->items = grown;
        partials->capacity *= 2;
    }
    partials->items[partials->count++] = number;
    return true;
}

static bool partials_add_special(Partials *partials, double number)
{
    if (isfinite(number)) return raise_error(OverflowError, "intermediate overflow in fsum");
    if (isinf(number)) partials->infinite += number;
    partials->special += number;
    partials->count = 0;
    return true;
}

static bool partials_add(Partials *partials, double number)
{
    double x = number;
    size_t kept = 0;
    for (size_t i = 0; i < partials->count; i++) {
        double y = partials->items[i];
        if (fabs(x) < fabs(y)) {
            double other = x;
            x = y;
            y = other;
        }
        double high = x + y, rounded = high - x, low = y - rounded;
        if (low != 0.0) partials->items[kept++] = low;
        x = high;
    }
    partials->count = kept;
    if (x == 0.0) return true;
    return isfinite(x) ? partials_push(partials, x) : partials_add_special(partials, number);
}

// The sum rounded once. The partial sums below the first that is not exact decide a tie.
static double partials_round(const Partials *partials)
{
    size_t n = partials->count;
    double high = n ? partials->items[--n] : 0.0, low = 0.0;
    while (n && low == 0.0) {
        double x = high, y = partials->items[--n];
        high = x + y;
        low = y - (high - x);
    }
    if (n && ((low < 0.0 && partials->items[n - 1] < 0.0) ||
              (low > 0.0 && partials->items[n - 1] > 0.0))) {
        double twice = low * 2.0, next = high + twice;
        if (twice == next - high) high = next;
    }
    return high;
}

static bool sum_all(ValueRef iterator, Partials *partials)
{
    for (;;) {
        Value item = object_next(iterator);
        if (!item) return false;
        if (item == ABSENT) return true;
        double number;
        bool read = float_from_value(item, &number);
        drop(item);
        if (!read || !partials_add(partials, number) || !poll_signals()) return false;
    }
}

Value math_fsum(FUNCTION_ARGS)
{
    Value iterator = object_iter(args[0]), result = VALUE_ERROR;
    if (!iterator) return VALUE_ERROR;
    Partials partials = {.capacity = LOCAL_COUNT * 2};
    partials.items = partials.local;
    if (sum_all(iterator, &partials)) {
        if (partials.special == 0.0)
            result = float_new(partials_round(&partials));
        else if (isnan(partials.infinite))
            raise_error(ValueError, "-inf + inf in fsum");
        else
            result = float_new(partials.special);
    }
    if (partials.items != partials.local) memory_free(partials.items);
    drop(iterator);
    return result;
}

// ---- prod

static Value multiply(ValueRef a, ValueRef b)
{
    if (int_check_exact(a) && int_check_exact(b)) return int_multiply(a, b);
    return object_binary(a, b, OP_MULTIPLY);
}

Value math_prod(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self;
    static const char *const names[] = {"", "start", NULL};
    static const Signature signature = {"prod", names, 1, 1};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    Value iterator = object_iter(slots[0]);
    if (!iterator) return VALUE_ERROR;
    Value result = slots[1] ? retain(slots[1]) : from_small(1);
    while (result) {
        Value item = object_next(iterator);
        if (item == ABSENT) break;
        if (item) {
            replace_slot(&result, multiply(result, item));
            drop(item);
        }
        if (!item || !poll_signals()) drop_slot(&result);
    }
    drop(iterator);
    return result;
}

// ---- lengths

// Parts of a vector, made positive.
typedef struct Vector {
    double local[LOCAL_COUNT];
    double *parts; // local, or owned
    size_t count;
    double largest;
    bool has_nan;
} Vector;

static bool vector_begin(Vector *vector, size_t count)
{
    vector->parts = vector->local;
    vector->count = 0;
    vector->largest = 0.0;
    vector->has_nan = false;
    if (count > LOCAL_COUNT) vector->parts = memory_alloc(count * sizeof(double));
    return vector->parts || raise_memory_error();
}

static void vector_add(Vector *vector, double part)
{
    part = fabs(part);
    vector->parts[vector->count++] = part;
    vector->has_nan |= isnan(part);
    if (part > vector->largest) vector->largest = part;
}

// The sum starts at 1, which is more than any of the squares, so that each addition tells exactly
// what it lost.
static double vector_length(const Vector *vector)
{
    if (isinf(vector->largest)) return vector->largest;
    if (vector->has_nan) return NAN;
    if (vector->largest == 0.0 || vector->count <= 1) return vector->largest;
    double sum = 1.0, lost = 0.0;
    for (size_t i = 0; i < vector->count; i++) {
        double x = vector->parts[i] / vector->largest, before = sum;
        x = x * x;
        sum += x;
        lost += (before - sum) + x;
    }
    return vector->largest * sqrt(sum - 1.0 + lost);
}

static Value vector_end(Vector *vector, bool fine)
{
    Value result = fine ? float_new(vector_length(vector)) : VALUE_ERROR;
    if (vector->parts != vector->local) memory_free(vector->parts);
    return result;
}

Value math_hypot(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self, (void)kwnames;
    Vector vector;
    if (!vector_begin(&vector, nargs)) return VALUE_ERROR;
    bool fine = true;
    for (size_t i = 0; i < nargs && fine; i++) {
        double part;
        fine = float_from_value(args[i], &part);
        if (fine) vector_add(&vector, part);
    }
    return vector_end(&vector, fine);
}

static Value distance(ValueRef p, ValueRef q)
{
    ssize_t size = tuple_size(p);
    if (size != tuple_size(q))
        return raise_error(ValueError, "both points must have the same number of dimensions");
    Vector vector;
    if (!vector_begin(&vector, (size_t)size)) return VALUE_ERROR;
    bool fine = true;
    for (ssize_t i = 0; i < size && fine; i++) {
        double a, b;
        fine = float_from_value(tuple_at(p, i), &a) && float_from_value(tuple_at(q, i), &b);
        if (fine) vector_add(&vector, a - b);
    }
    return vector_end(&vector, fine);
}

Value math_dist(FUNCTION_ARGS)
{
    Value p = tuple_check(args[0]) ? retain(args[0]) : sequence_tuple(args[0]);
    if (!p) return VALUE_ERROR;
    Value q = tuple_check(args[1]) ? retain(args[1]) : sequence_tuple(args[1]);
    Value result = q ? distance(p, q) : VALUE_ERROR;
    drop(p);
    if (q) drop(q);
    return result;
}
