// Quotients of magnitudes by halves, as fast as multiplication (Brent and Zimmermann, Modern
// Computer Arithmetic 1.4.3), for one type of limbs: bigint_divide.c includes this text for ints,
// vm/modules/decimal/decimal_limbs_divide.c for decimals. It defines divide_shifted().
//
// Dividing by the upper part of b gives the upper half of the quotient. Its product with the lower
// part of b is subtracted; if the result is negative, the half was too large and is corrected. The
// lower half follows in the same way.
//
// Before it: LIMB, the type; LIMBS(x), the name of the function x on such limbs; RECURSIVE_LIMBS,
// the length from which halves pay; LIMBS(divide_plain), whose divisor's top limb is at least half
// of the base.

// A half of the quotient was too large where the remainder has gone below zero: `borrow` says how
// often. `over` is the half's limb on top.
static void correct_half(LIMB *quotient, size_t count, LIMB *over, LIMB *a, const LIMB *b,
                         size_t b_size, LIMB borrow)
{
    while (borrow) {
        *over -= LIMBS(subtract_limb)(quotient, count, 1);
        borrow -= LIMBS(add)(a, a, b_size, b, b_size);
    }
}

// As LIMBS(divide_plain)(), for count = a_size - b_size <= b_size. `scratch` has `count` limbs.
static bool divide_by_halves(LIMB *quotient, LIMB *a, size_t count, const LIMB *b, size_t b_size,
                             LIMB *scratch, LIMB *over)
{
    if (count < RECURSIVE_LIMBS) {
        *over = LIMBS(divide_plain)(quotient, a, count + b_size, b, b_size);
        return poll_signals();
    }
    size_t low = count / 2, high = count - low;
    LIMB *upper = quotient + low, over_low;
    if (!divide_by_halves(upper, a + 2 * low, high, b + low, b_size - low, scratch, over) ||
        !LIMBS(multiply)(scratch, upper, high, b, low))
        return false;
    LIMB borrow = LIMBS(subtract)(a + low, a + low, b_size, scratch, count);
    if (*over) borrow += LIMBS(subtract)(a + low + high, a + low + high, b_size - high, b, low);
    correct_half(upper, high, over, a + low, b, b_size, borrow);
    if (!divide_by_halves(quotient, a + low, low, b + low, b_size - low, scratch, &over_low) ||
        !LIMBS(multiply)(scratch, quotient, low, b, low))
        return false;
    borrow = LIMBS(subtract)(a, a, b_size, scratch, 2 * low);
    if (over_low) borrow += LIMBS(subtract)(a + low, a + low, b_size - low, b, low);
    correct_half(quotient, low, &over_low, a, b, b_size, borrow);
    *over += LIMBS(add_limb)(upper, high, over_low);
    return true;
}

// Divides b_size limbs of quotient at a time, from the top; `a` is below b * B^(a_size - b_size).
static bool divide_shifted(LIMB *quotient, LIMB *a, size_t a_size, const LIMB *b, size_t b_size)
{
    size_t count = a_size - b_size;
    if (count < RECURSIVE_LIMBS || b_size < RECURSIVE_LIMBS) {
        LIMBS(divide_plain)(quotient, a, a_size, b, b_size);
        return poll_signals();
    }
    LIMB *scratch = memory_alloc(b_size * sizeof(LIMB)), over;
    if (!scratch) return raise_memory_error();
    bool done = true;
    for (size_t piece = (count - 1) % b_size + 1; done && count; piece = b_size) {
        count -= piece;
        done = divide_by_halves(quotient + count, a + count, piece, b, b_size, scratch, &over);
    }
    memory_free(scratch);
    return done;
}

#undef LIMB
#undef LIMBS
