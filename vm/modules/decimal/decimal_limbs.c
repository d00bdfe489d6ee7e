// Adding, subtracting, shifting and multiplying coefficients.
//
// Products of up to KARATSUBA_LIMBS limbs are made column by column, as in school, so that a column
// is divided by the base once. Larger ones are made by Karatsuba's three products of half the size,
// as objects/numbers/bigint.c makes them:
//
//     a = a1 * B^h + a0,  b = b1 * B^h + b0
//     a * b = a1*b1 * B^2h + (a1*b1 + a0*b0 - (a1 - a0) * (b1 - b0)) * B^h + a0*b0
#include "vm/modules/decimal/decimal_limbs.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/upcalls.h"

#define KARATSUBA_LIMBS 48
#define PRODUCTS_MAX 16 // so many products of limbs, and a carry, fit 64 bits

const Limb9 powers_of_ten[LIMB9_DIGITS + 1] = {1,      10,      100,      1000,      10000,
                                               100000, 1000000, 10000000, 100000000, 1000000000};

int limbs_compare(const Limb9 *a, size_t a_size, const Limb9 *b, size_t b_size)
{
    if (a_size != b_size) return a_size < b_size ? -1 : 1;
    while (a_size--)
        if (a[a_size] != b[a_size]) return a[a_size] < b[a_size] ? -1 : 1;
    return 0;
}

int64_t limbs_trailing_zeros(const Limb9 *a, size_t size)
{
    int64_t zeros = 0;
    invariant(limbs_any(a, size), "only a number that is not zero ends with zeros");
    for (; !*a; a++) zeros += LIMB9_DIGITS;
    for (Limb9 limb = *a; limb % 10 == 0; limb /= 10) zeros++;
    return zeros;
}

bool limbs_any(const Limb9 *a, size_t size)
{
    return limbs_normal_size(a, size) > 0;
}

Limb9 limbs_add_limb(Limb9 *a, size_t size, Limb9 limb)
{
    for (size_t i = 0; limb && i < size; i++) {
        Limb9 sum = a[i] + limb;
        limb = sum >= LIMB9_BASE;
        a[i] = limb ? sum - LIMB9_BASE : sum;
    }
    return limb;
}

Limb9 limbs_subtract_limb(Limb9 *a, size_t size, Limb9 limb)
{
    for (size_t i = 0; limb && i < size; i++) {
        Limb9 old = a[i], borrow = old < limb;
        a[i] = old - limb + (borrow ? LIMB9_BASE : 0);
        limb = borrow;
    }
    return limb;
}

Limb9 limbs_add(Limb9 *result, const Limb9 *a, size_t a_size, const Limb9 *b, size_t b_size)
{
    Limb9 carry = 0;
    for (size_t i = 0; i < b_size; i++) {
        Limb9 sum = a[i] + b[i] + carry; // below 2^31
        carry = sum >= LIMB9_BASE;
        result[i] = carry ? sum - LIMB9_BASE : sum;
    }
    if (result != a) memcpy(result + b_size, a + b_size, (a_size - b_size) * sizeof(Limb9));
    return limbs_add_limb(result + b_size, a_size - b_size, carry);
}

Limb9 limbs_subtract(Limb9 *result, const Limb9 *a, size_t a_size, const Limb9 *b, size_t b_size)
{
    Limb9 borrow = 0;
    for (size_t i = 0; i < b_size; i++) {
        Limb9 less = b[i] + borrow, old = a[i];
        borrow = old < less;
        result[i] = old - less + (borrow ? LIMB9_BASE : 0);
    }
    if (result != a) memcpy(result + b_size, a + b_size, (a_size - b_size) * sizeof(Limb9));
    return limbs_subtract_limb(result + b_size, a_size - b_size, borrow);
}

Limb9 limbs_multiply_limb(Limb9 *result, const Limb9 *a, size_t size, Limb9 factor, Limb9 carry)
{
    for (size_t i = 0; i < size; i++) {
        uint64_t product = (uint64_t)a[i] * factor + carry;
        carry = (Limb9)(product / LIMB9_BASE);
        result[i] = (Limb9)(product - (uint64_t)carry * LIMB9_BASE);
    }
    return carry;
}

Limb9 limbs_divide_limb(Limb9 *quotient, const Limb9 *a, size_t size, Limb9 divisor)
{
    Limb9 rest = 0;
    for (size_t i = size; i-- > 0;) {
        uint64_t part = (uint64_t)rest * LIMB9_BASE + a[i];
        quotient[i] = (Limb9)(part / divisor);
        rest = (Limb9)(part % divisor);
    }
    return rest;
}

// ---- shifting by digits

void limbs_shift_left(Limb9 *result, const Limb9 *a, size_t size, int64_t digits)
{
    size_t limbs = (size_t)(digits / LIMB9_DIGITS);
    int few = (int)(digits % LIMB9_DIGITS);
    if (!few) {
        memmove(result + limbs, a, size * sizeof(Limb9));
    } else {
        Limb9 factor = powers_of_ten[few], divisor = powers_of_ten[LIMB9_DIGITS - few];
        Limb9 above = 0; // what the limb above takes from this one
        for (size_t i = size; i-- > 0;) {
            Limb9 high = a[i] / divisor;
            result[limbs + i + 1] = above + high;
            above = (a[i] - high * divisor) * factor;
        }
        result[limbs] = above;
    }
    memset(result, 0, limbs * sizeof(Limb9));
}

int limbs_shift_right(Limb9 *result, const Limb9 *a, size_t size, int64_t digits)
{
    if (!digits) {
        memmove(result, a, size * sizeof(Limb9));
        return 0;
    }
    int64_t all = (int64_t)size * LIMB9_DIGITS;
    if (digits > all) return limbs_any(a, size); // the highest digit cut off is a zero above them
    size_t limbs = (size_t)(digits / LIMB9_DIGITS);
    int few = (int)(digits % LIMB9_DIGITS);
    int first = limbs_digit_at(a, digits - 1);
    size_t last_limb = (size_t)((digits - 1) / LIMB9_DIGITS);
    bool others = a[last_limb] % powers_of_ten[(digits - 1) % LIMB9_DIGITS] ||
                  ((first == 0 || first == 5) && limbs_any(a, last_limb));
    if (!few) {
        memmove(result, a + limbs, (size - limbs) * sizeof(Limb9));
    } else {
        Limb9 divisor = powers_of_ten[few], factor = powers_of_ten[LIMB9_DIGITS - few];
        Limb9 low = a[limbs] / divisor;
        for (size_t i = limbs + 1; i < size; i++) {
            Limb9 high = a[i] / divisor;
            result[i - limbs - 1] = low + (a[i] - high * divisor) * factor;
            low = high;
        }
        result[size - limbs - 1] = low;
    }
    return (first == 0 || first == 5) && others ? first + 1 : first;
}

size_t limbs_cut(Limb9 *a, size_t size, int64_t digits)
{
    size_t limbs = (size_t)(digits / LIMB9_DIGITS);
    if (size > limbs) {
        size = limbs + 1;
        a[limbs] %= powers_of_ten[digits % LIMB9_DIGITS];
    }
    return limbs_normal_size(a, size);
}

// ---- multiplying

// a[first] * b[0] + a[first - 1] * b[1] ..., `count` products.
static inline uint64_t sum_of_products(const Limb9 *a, const Limb9 *b, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += (uint64_t) * (a - i) * b[i];
    return sum;
}

// a_size >= b_size > 0.
static void multiply_plain(Limb9 *result, const Limb9 *a, size_t a_size, const Limb9 *b,
                           size_t b_size)
{
    uint64_t carry = 0;
    for (size_t column = 0; column + 1 < a_size + b_size; column++) {
        size_t from = column < a_size ? 0 : column - a_size + 1; // in b
        size_t to = column < b_size ? column + 1 : b_size;
        uint64_t above = 0;
        for (; to - from > PRODUCTS_MAX; from += PRODUCTS_MAX) {
            carry += sum_of_products(a + column - from, b + from, PRODUCTS_MAX);
            above += carry / LIMB9_BASE;
            carry %= LIMB9_BASE;
        }
        carry += sum_of_products(a + column - from, b + from, to - from);
        uint64_t quotient = carry / LIMB9_BASE;
        result[column] = (Limb9)(carry - quotient * LIMB9_BASE);
        carry = quotient + above;
    }
    result[a_size + b_size - 1] = (Limb9)carry;
}

#define LIMB Limb9
#define LIMBS(name) limbs_##name
#include "objects/numbers/multiply_halves.h"
