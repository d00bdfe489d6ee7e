// Products of magnitudes by halves (Karatsuba), for one type of limbs: bigint.c includes this text
// for ints, vm/modules/decimal/decimal_limbs.c for decimals. It defines LIMBS(multiply).
//
// Before it: LIMB, the type; LIMBS(x), the name of the function x on such limbs; KARATSUBA_LIMBS,
// the length from which halves pay; multiply_plain(), for a_size >= b_size > 0.
//
//     a = a1 * B^h + a0,  b = b1 * B^h + b0
//     a * b = high * B^2h + (high + low - (a1 - a0) * (b1 - b0)) * B^h + low
//
// where high = a1 * b1 and low = a0 * b0: three products of half the size. If one factor is much
// longer, it is cut into pieces of the length of the other. The scratch memory is allocated once,
// at the top.

// |a - b| for sizes a_size >= b_size, into a_size limbs. True where a < b.
static bool absolute_difference(LIMB *result, const LIMB *a, size_t a_size, const LIMB *b,
                                size_t b_size)
{
    size_t a_normal = LIMBS(normal_size)(a, a_size), b_normal = LIMBS(normal_size)(b, b_size);
    bool less = LIMBS(compare)(a, a_normal, b, b_normal) < 0;
    if (less) {
        LIMBS(subtract)(result, b, b_normal, a, a_normal);
        memset(result + b_normal, 0, (a_size - b_normal) * sizeof(LIMB));
    } else {
        LIMBS(subtract)(result, a, a_size, b, b_normal);
    }
    return less;
}

// a * b where a_size >= b_size > half of a_size. `scratch` has 2 * a_size + 128 limbs at least.
static bool multiply_karatsuba(LIMB *result, const LIMB *a, size_t a_size, const LIMB *b,
                               size_t b_size, LIMB *scratch)
{
    size_t half = (a_size + 1) / 2;
    if (b_size < KARATSUBA_LIMBS || b_size <= half) {
        multiply_plain(result, a, a_size, b, b_size);
        return poll_signals();
    }
    size_t a_rest = a_size - half, b_rest = b_size - half, high_size = a_rest + b_rest;
    LIMB *middle = scratch, *rest = scratch + 2 * half;
    bool negative = absolute_difference(result, a, half, a + half, a_rest);
    const LIMB *difference = result; // of a square, both are one
    if (a == b && a_size == b_size) {
        negative = false;
    } else {
        difference += half;
        negative ^= absolute_difference(result + half, b, half, b + half, b_rest);
    }
    if (!multiply_karatsuba(middle, result, half, difference, half, rest) ||
        !multiply_karatsuba(result, a, half, b, half, rest) ||
        !multiply_karatsuba(result + 2 * half, a + half, a_rest, b + half, b_rest, rest))
        return false;
    // middle = low + high -/+ middle, which cannot be negative; `top` is its limb 2 * half.
    LIMB top = negative ? LIMBS(add)(middle, middle, 2 * half, result, 2 * half)
                        : 0 - LIMBS(subtract)(middle, result, 2 * half, middle, 2 * half);
    top += LIMBS(add)(middle, middle, 2 * half, result + 2 * half, high_size);
    // The middle is below B^(half + high_size), whatever its length here.
    size_t room = half + high_size, middle_size = 2 * half < room ? 2 * half : room;
    LIMBS(add)(result + half, result + half, room, middle, middle_size);
    if (room > 2 * half) LIMBS(add_limb)(result + 3 * half, room - 2 * half, top);
    return true;
}

// a much longer than b: pieces of b's length, one after the other.
static bool multiply_in_pieces(LIMB *result, const LIMB *a, size_t a_size, const LIMB *b,
                               size_t b_size, LIMB *scratch)
{
    LIMB *product = scratch, *rest = scratch + 2 * b_size;
    memset(result, 0, (a_size + b_size) * sizeof(LIMB));
    for (size_t done = 0; done < a_size;) {
        size_t piece = a_size - done < b_size ? a_size - done : b_size;
        if (!multiply_karatsuba(product, b, b_size, a + done, piece, rest)) return false;
        LIMBS(add)(result + done, result + done, a_size + b_size - done, product, piece + b_size);
        done += piece;
    }
    return true;
}

bool LIMBS(multiply)(LIMB *result, const LIMB *a, size_t a_size, const LIMB *b, size_t b_size)
{
    if (a_size < b_size) return LIMBS(multiply)(result, b, b_size, a, a_size);
    if (!b_size) {
        memset(result, 0, a_size * sizeof(LIMB));
        return true;
    }
    if (b_size < KARATSUBA_LIMBS) {
        multiply_plain(result, a, a_size, b, b_size);
        return poll_signals();
    }
    bool in_pieces = b_size <= (a_size + 1) / 2;
    size_t room = in_pieces ? 4 * b_size + 128 : 2 * a_size + 128;
    LIMB *scratch = memory_alloc(room * sizeof(LIMB));
    if (!scratch) return raise_memory_error();
    bool done = in_pieces ? multiply_in_pieces(result, a, a_size, b, b_size, scratch)
                          : multiply_karatsuba(result, a, a_size, b, b_size, scratch);
    memory_free(scratch);
    return done;
}

#undef LIMB
#undef LIMBS
