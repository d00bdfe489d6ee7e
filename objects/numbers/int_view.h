// An int of any kind taken apart: for the files that calculate with large ints (objects/int_*.c).
#pragma once

#include "objects/numbers/bigint.h"
#include "objects/numbers/int.h"

// Sign and magnitude. Does not outlive the int, and may not be copied: limbs may point to `single`.
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
    invariant(int_check(value), "what is taken apart is an int");
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

// A new int with room for `size` limbs, not filled in; NULL with MemoryError pending. Hand it to
// bigint_finish() when it is, or give it up by drop(own(...)).
BigInt *bigint_new(size_t size);
// Makes it an int: small where it fits. `size` limbs are filled in, zeros on top allowed.
Value bigint_finish(BigInt *made, size_t size, bool negative);
// The same from limbs elsewhere.
Value int_from_limbs(const Limb *limbs, size_t size, bool negative);
