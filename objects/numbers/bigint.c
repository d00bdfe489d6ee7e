// Adding, subtracting, shifting and multiplying magnitudes.
//
// Products of up to KARATSUBA_LIMBS limbs are made row by row, as in school, larger ones by halves
// (multiply_halves.h).
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

// a_size >= b_size > 0.
static void multiply_plain(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    result[a_size] = bigint_multiply_limb(result, a, a_size, b[0], 0);
    for (size_t i = 1; i < b_size; i++)
        result[a_size + i] = bigint_add_product(result + i, a, a_size, b[i]);
}

#define LIMB Limb
#define LIMBS(name) bigint_##name
#include "objects/numbers/multiply_halves.h"
