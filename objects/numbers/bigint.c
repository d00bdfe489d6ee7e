// Adding, subtracting, shifting and multiplying magnitudes.
//
// Products of up to KARATSUBA_LIMBS limbs are made row by row, as in school. Larger ones are made
// by Karatsuba's three products of half the size:
//
//     a = a1 * B^h + a0,  b = b1 * B^h + b0
//     a * b = a1*b1 * B^2h + ((a1 + a0) * (b1 + b0) - a1*b1 - a0*b0) * B^h + a0*b0
//
// The middle product is that of the differences |a1 - a0| and |b1 - b0| instead of the sums, so it
// has exactly 2h limbs. If one factor is much longer, it is cut into pieces of the length of the
// other. The scratch memory is allocated once, at the top.
#include "objects/numbers/bigint.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/upcalls.h"

#define KARATSUBA_LIMBS 36

size_t bigint_normal_size(const Limb *a, size_t size)
{
    while (size && !a[size - 1]) size--;
    return size;
}

int bigint_compare(const Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    if (a_size != b_size) return a_size < b_size ? -1 : 1;
    while (a_size--)
        if (a[a_size] != b[a_size]) return a[a_size] < b[a_size] ? -1 : 1;
    return 0;
}

int64_t bigint_bit_length(const Limb *a, size_t size)
{
    return size ? (int64_t)(size - 1) * LIMB_BITS + limb_bit_length(a[size - 1]) : 0;
}

Limb bigint_add_limb(Limb *a, size_t size, Limb limb)
{
    for (size_t i = 0; limb && i < size; i++) {
        a[i] += limb;
        limb = a[i] < limb;
    }
    return limb;
}

Limb bigint_subtract_limb(Limb *a, size_t size, Limb limb)
{
    for (size_t i = 0; limb && i < size; i++) {
        Limb old = a[i];
        a[i] = old - limb;
        limb = old < limb;
    }
    return limb;
}

Limb bigint_add(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    Limb carry = 0;
    size_t i = 0;
    for (; i < b_size; i++) {
        Limb addend = a[i], sum = addend + b[i];
        Limb more = sum < addend;
        result[i] = sum + carry;
        carry = more + (result[i] < carry);
    }
    if (result != a) memmove(result + i, a + i, (a_size - i) * sizeof(Limb));
    return bigint_add_limb(result + i, a_size - i, carry);
}

Limb bigint_subtract(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    Limb borrow = 0;
    size_t i = 0;
    for (; i < b_size; i++) {
        Limb minuend = a[i], difference = minuend - b[i];
        Limb less = minuend < b[i];
        result[i] = difference - borrow;
        borrow = less + (difference < borrow);
    }
    if (result != a) memmove(result + i, a + i, (a_size - i) * sizeof(Limb));
    return bigint_subtract_limb(result + i, a_size - i, borrow);
}

Limb bigint_multiply_limb(Limb *result, const Limb *a, size_t size, Limb factor, Limb carry)
{
    for (size_t i = 0; i < size; i++) result[i] = limb_multiply_add(a[i], factor, carry, 0, &carry);
    return carry;
}

Limb bigint_add_product(Limb *result, const Limb *a, size_t size, Limb factor)
{
    Limb carry = 0;
    for (size_t i = 0; i < size; i++)
        result[i] = limb_multiply_add(a[i], factor, result[i], carry, &carry);
    return carry;
}

Limb bigint_subtract_product(Limb *result, const Limb *a, size_t size, Limb factor)
{
    Limb borrow = 0;
    for (size_t i = 0; i < size; i++) {
        Limb low = limb_multiply_add(a[i], factor, borrow, 0, &borrow);
        borrow += result[i] < low;
        result[i] -= low;
    }
    return borrow;
}

Limb bigint_shift_left(Limb *result, const Limb *a, size_t size, int bits)
{
    if (!bits) {
        memmove(result, a, size * sizeof(Limb));
        return 0;
    }
    if (!size) return 0;
    Limb above = a[size - 1] >> (LIMB_BITS - bits);
    for (size_t i = size - 1; i > 0; i--) result[i] = a[i] << bits | a[i - 1] >> (LIMB_BITS - bits);
    result[0] = a[0] << bits;
    return above;
}

void bigint_shift_right(Limb *result, const Limb *a, size_t size, int bits)
{
    if (!bits) {
        memmove(result, a, size * sizeof(Limb));
        return;
    }
    if (!size) return;
    for (size_t i = 0; i + 1 < size; i++) result[i] = a[i] >> bits | a[i + 1] << (LIMB_BITS - bits);
    result[size - 1] = a[size - 1] >> bits;
}

bool bigint_top_bits(const Limb *a, size_t size, Limb *high, Limb *low)
{
    Limb top[3] = {0, 0, 0}; // least significant first
    for (size_t i = 0; i < 3 && i < size; i++) top[2 - i] = a[size - 1 - i];
    bigint_shift_left(top, top, 3, LIMB_BITS - limb_bit_length(top[2]));
    *high = top[2];
    *low = top[1];
    bool below = top[0];
    for (size_t i = 3; i < size && !below; i++) below = a[size - 1 - i];
    return below;
}

static void multiply_plain(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    if (!b_size) {
        memset(result, 0, a_size * sizeof(Limb));
        return;
    }
    result[a_size] = bigint_multiply_limb(result, a, a_size, b[0], 0);
    for (size_t i = 1; i < b_size; i++)
        result[a_size + i] = bigint_add_product(result + i, a, a_size, b[i]);
}

// |a - b| for sizes a_size >= b_size >= a_size - 1 or so, into a_size limbs. True where a < b.
static bool absolute_difference(Limb *result, const Limb *a, size_t a_size, const Limb *b,
                                size_t b_size)
{
    size_t a_normal = bigint_normal_size(a, a_size), b_normal = bigint_normal_size(b, b_size);
    bool less = bigint_compare(a, a_normal, b, b_normal) < 0;
    if (less) {
        bigint_subtract(result, b, b_normal, a, a_normal);
        memset(result + b_normal, 0, (a_size - b_normal) * sizeof(Limb));
    } else {
        bigint_subtract(result, a, a_size, b, b_normal);
    }
    return less;
}

// a * b where a_size >= b_size > half of a_size. `scratch` has 2 * a_size + 128 limbs at least.
static bool multiply_karatsuba(Limb *result, const Limb *a, size_t a_size, const Limb *b,
                               size_t b_size, Limb *scratch)
{
    size_t half = (a_size + 1) / 2;
    if (b_size < KARATSUBA_LIMBS || b_size <= half) {
        multiply_plain(result, a, a_size, b, b_size);
        return poll_signals();
    }
    size_t a_rest = a_size - half, b_rest = b_size - half;
    Limb *middle = scratch, *rest = scratch + 2 * half;
    bool negative = absolute_difference(result, a, half, a + half, a_rest);
    negative ^= absolute_difference(result + half, b, half, b + half, b_rest);
    if (!multiply_karatsuba(middle, result, half, result + half, half, rest)) return false;
    if (!multiply_karatsuba(result, a, half, b, half, rest)) return false;
    if (!multiply_karatsuba(result + 2 * half, a + half, a_rest, b + half, b_rest, rest))
        return false;
    // middle = low + high -/+ middle, which cannot be negative; `top` is its limb 2 * half.
    size_t high_size = a_rest + b_rest;
    Limb top;
    if (negative)
        top = bigint_add(middle, middle, 2 * half, result, 2 * half);
    else
        top = 0 - bigint_subtract(middle, result, 2 * half, middle, 2 * half);
    top += bigint_add(middle, middle, 2 * half, result + 2 * half, high_size);
    // The middle is below B^(half + high_size), whatever its length here.
    size_t room = half + high_size, middle_size = 2 * half < room ? 2 * half : room;
    bigint_add(result + half, result + half, room, middle, middle_size);
    if (room > 2 * half) bigint_add_limb(result + 3 * half, room - 2 * half, top);
    return true;
}

// a much longer than b: pieces of b's length, one after the other.
static bool multiply_in_pieces(Limb *result, const Limb *a, size_t a_size, const Limb *b,
                               size_t b_size, Limb *scratch)
{
    Limb *product = scratch, *rest = scratch + 2 * b_size;
    memset(result, 0, (a_size + b_size) * sizeof(Limb));
    for (size_t done = 0; done < a_size;) {
        size_t piece = a_size - done < b_size ? a_size - done : b_size;
        if (!multiply_karatsuba(product, b, b_size, a + done, piece, rest)) return false;
        bigint_add(result + done, result + done, a_size + b_size - done, product, piece + b_size);
        done += piece;
    }
    return true;
}

bool bigint_multiply(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    if (a_size < b_size) return bigint_multiply(result, b, b_size, a, a_size);
    if (b_size < KARATSUBA_LIMBS) {
        multiply_plain(result, a, a_size, b, b_size);
        return poll_signals();
    }
    bool in_pieces = b_size <= (a_size + 1) / 2;
    size_t room = in_pieces ? 4 * b_size + 128 : 2 * a_size + 128;
    Limb *scratch = memory_alloc(room * sizeof(Limb));
    if (!scratch) return raise_memory_error();
    bool done = in_pieces ? multiply_in_pieces(result, a, a_size, b, b_size, scratch)
                          : multiply_karatsuba(result, a, a_size, b, b_size, scratch);
    memory_free(scratch);
    return done;
}
