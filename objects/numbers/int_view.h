// A view of any int as sign and magnitude, for the files that calculate with large ints
// (objects/numbers/int_*.c).
#pragma once

#include "objects/numbers/bigint.h"
#include "objects/numbers/int.h"

// Sign and magnitude. Valid as long as the int. Do not copy it: limbs may point to `single`.
typedef struct IntView {
    const Limb *limbs; // normal
    size_t size;
    bool negative;
    Limb single;
} IntView;

static inline int64_t bool_or_small_value(ValueRef value)
{
    return is_small(value) ? small_value(value) : value == TRUE;
}

static inline void int_view(ValueRef value, IntView *view)
{
    invariant(int_check(value), "a view is made of an int only");
    if (is_object(value)) {
        const BigInt *big = (const BigInt *)object_of(value);
        view->limbs = big->limbs;
        view->negative = big->size < 0;
        view->size = (size_t)(view->negative ? -big->size : big->size);
        invariant(!view->size || view->limbs[view->size - 1], "the top limb is not 0");
        return;
    }
    int64_t number = bool_or_small_value(value);
    view->negative = number < 0;
    view->single = (Limb)(number < 0 ? -number : number);
    view->limbs = &view->single;
    view->size = number != 0;
}

// A new int with room for `size` limbs, not filled in; NULL with MemoryError pending. Fill it and
// call bigint_finish(), or drop(own(...)) it.
BigInt *bigint_new(size_t size);
// Finishes the int: a small int if it fits. `size` limbs are filled in; the top ones may be 0.
Value bigint_finish(BigInt *made, size_t size, bool negative);
// The same from limbs elsewhere.
Value int_from_limbs(const Limb *limbs, size_t size, bool negative);
