// Adding, subtracting, shifting and multiplying magnitudes.
//
// Products of up to KARATSUBA_LIMBS limbs are made row by row, as in school, larger ones by halves
// (multiply_halves.h).
#include "objects/numbers/bigint.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/upcalls.h"

#if defined __x86_64__
#include <immintrin.h>
#endif

#define KARATSUBA_LIMBS 32

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

// *sum = a + b + carry; returns the carry of the next limb. A carry is 0 or 1.
static inline unsigned char add_limbs(unsigned char carry, Limb a, Limb b, Limb *sum)
{
#if defined __x86_64__
    return _addcarry_u64(carry, a, b, (unsigned long long *)sum);
#else
    Limb partial = a + b;
    *sum = partial + carry;
    return (partial < a) + (*sum < partial);
#endif
}

// *difference = a - b - borrow; returns the borrow of the next limb.
static inline unsigned char subtract_limbs(unsigned char borrow, Limb a, Limb b, Limb *difference)
{
#if defined __x86_64__
    return _subborrow_u64(borrow, a, b, (unsigned long long *)difference);
#else
    Limb partial = a - b;
    *difference = partial - borrow;
    return (a < b) + (partial < *difference);
#endif
}

// The loops over limbs do four at a time: then the carry stays where the processor keeps it.
#define BY_FOUR(i, size, step)                                                                     \
    size_t i = 0;                                                                                  \
    for (size_t fours = (size) & ~(size_t)3; i < fours; i += 4) {                                  \
        step(i);                                                                                   \
        step(i + 1);                                                                               \
        step(i + 2);                                                                               \
        step(i + 3);                                                                               \
    }                                                                                              \
    for (; i < (size); i++) step(i)

Limb bigint_add(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    unsigned char carry = 0;
#define STEP(at) carry = add_limbs(carry, a[at], b[at], &result[at])
    BY_FOUR(i, b_size, STEP);
#undef STEP
    if (result != a) memmove(result + i, a + i, (a_size - i) * sizeof(Limb));
    return bigint_add_limb(result + i, a_size - i, carry);
}

Limb bigint_subtract(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    unsigned char borrow = 0;
#define STEP(at) borrow = subtract_limbs(borrow, a[at], b[at], &result[at])
    BY_FOUR(i, b_size, STEP);
#undef STEP
    if (result != a) memmove(result + i, a + i, (a_size - i) * sizeof(Limb));
    return bigint_subtract_limb(result + i, a_size - i, borrow);
}

Limb bigint_multiply_limb(Limb *result, const Limb *a, size_t size, Limb factor, Limb carry)
{
#define STEP(at) result[at] = limb_multiply_add(a[at], factor, carry, &carry)
    BY_FOUR(i, size, STEP);
#undef STEP
    return carry;
}

// *result += a * factor + carry; returns the carry of the next limb.
static inline Limb add_product(Limb *result, Limb a, Limb factor, Limb carry)
{
    Limb high, low = limb_multiply_add(a, factor, *result, &high);
    limb_carry(&high, &low, carry); // last, because all else need not wait for the limb before
    *result = low;
    return high;
}

Limb bigint_add_product(Limb *result, const Limb *a, size_t size, Limb factor)
{
    Limb carry = 0;
#define STEP(at) carry = add_product(result + (at), a[at], factor, carry)
    BY_FOUR(i, size, STEP);
#undef STEP
    return carry;
}

// *result -= a * factor + borrow; returns the borrow of the next limb.
static inline Limb subtract_product(Limb *result, Limb a, Limb factor, Limb borrow)
{
    Limb high, low = limb_multiply(a, factor, &high), rest = *result;
    limb_borrow(&high, &rest, low);
    limb_borrow(&high, &rest, borrow);
    *result = rest;
    return high;
}

Limb bigint_subtract_product(Limb *result, const Limb *a, size_t size, Limb factor)
{
    Limb borrow = 0;
#define STEP(at) borrow = subtract_product(result + (at), a[at], factor, borrow)
    BY_FOUR(i, size, STEP);
#undef STEP
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

// a * a: the products of different limbs once, doubled, and the squares of the limbs.
static void square_plain(Limb *result, const Limb *a, size_t size)
{
    result[0] = 0;
    result[size] = bigint_multiply_limb(result + 1, a + 1, size - 1, a[0], 0);
    for (size_t i = 1; i < size; i++)
        result[size + i] = bigint_add_product(result + 2 * i + 1, a + i + 1, size - i - 1, a[i]);
    unsigned char carry = 0;
    Limb top = 0; // bit of the limb before, which doubling moves up
    for (size_t i = 0; i < size; i++) {
        Limb high, low = limb_multiply(a[i], a[i], &high);
        Limb even = result[2 * i], odd = result[2 * i + 1];
        carry = add_limbs(carry, even << 1 | top, low, &result[2 * i]);
        even = odd << 1 | even >> (LIMB_BITS - 1);
        carry = add_limbs(carry, even, high, &result[2 * i + 1]);
        top = odd >> (LIMB_BITS - 1);
    }
}

// a_size >= b_size > 0.
static void multiply_plain(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    if (a == b && a_size == b_size) {
        square_plain(result, a, a_size);
        return;
    }
    result[a_size] = bigint_multiply_limb(result, a, a_size, b[0], 0);
    for (size_t i = 1; i < b_size; i++)
        result[a_size + i] = bigint_add_product(result + i, a, a_size, b[i]);
}

#define LIMB Limb
#define LIMBS(name) bigint_##name
#include "objects/numbers/multiply_halves.h"
