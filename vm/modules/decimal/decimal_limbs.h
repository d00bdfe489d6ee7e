// Coefficients: natural numbers in base 10^9, as arrays of limbs, the least significant first.
//
// `normal` means that the top limb is not 0; zero has no limbs. The base is a power of ten, so to
// shift by digits and to cut digits off takes linear time, and text needs no conversion. It is 9
// digits because products of two limbs fit 64 bits on every machine. (Ints have limbs of 64 bits:
// objects/numbers/bigint.h has the same calls.)
//
// Functions that can take long or need memory return false with an exception pending; the others
// cannot fail. The result may be the same array as an operand if the line says "in place".
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t Limb9;
#define LIMB9_DIGITS 9
#define LIMB9_BASE 1000000000u

extern const Limb9 powers_of_ten[LIMB9_DIGITS + 1];

// The number of decimal digits of a limb: 0 for 0.
static inline int limb9_digits(Limb9 limb)
{
    if (limb >= 10000) {
        if (limb >= 10000000) return limb >= 100000000 ? 9 : 8;
        return limb >= 1000000 ? 7 : limb >= 100000 ? 6 : 5;
    }
    if (limb >= 100) return limb >= 1000 ? 4 : 3;
    return limb >= 10 ? 2 : limb != 0;
}
static inline size_t limbs_normal_size(const Limb9 *a, size_t size)
{
    while (size && !a[size - 1]) size--;
    return size;
}
// Of a normal coefficient: 0 for zero.
static inline int64_t limbs_digits(const Limb9 *a, size_t size)
{
    return size ? (int64_t)(size - 1) * LIMB9_DIGITS + limb9_digits(a[size - 1]) : 0;
}
// How many limbs so many digits take.
static inline int64_t limbs_for_digits(int64_t digits)
{
    return (digits + LIMB9_DIGITS - 1) / LIMB9_DIGITS;
}
// The digit with this index, 0 = the last one; within the limbs.
static inline int limbs_digit_at(const Limb9 *a, int64_t index)
{
    return (int)(a[index / LIMB9_DIGITS] / powers_of_ten[index % LIMB9_DIGITS] % 10);
}

int limbs_compare(const Limb9 *a, size_t a_size, const Limb9 *b, size_t b_size); // normal
// How many zeros the digits end with; normal and not zero.
int64_t limbs_trailing_zeros(const Limb9 *a, size_t size);
bool limbs_any(const Limb9 *a, size_t size); // is any of them not 0?
// a + b and a - b for a_size >= b_size, in place with a or b; returns the carry (borrow).
Limb9 limbs_add(Limb9 *result, const Limb9 *a, size_t a_size, const Limb9 *b, size_t b_size);
Limb9 limbs_subtract(Limb9 *result, const Limb9 *a, size_t a_size, const Limb9 *b, size_t b_size);
Limb9 limbs_add_limb(Limb9 *a, size_t size, Limb9 limb);      // a += limb; the carry
Limb9 limbs_subtract_limb(Limb9 *a, size_t size, Limb9 limb); // a -= limb; the borrow
// a * factor + carry, in place; returns the limb that goes on top.
Limb9 limbs_multiply_limb(Limb9 *result, const Limb9 *a, size_t size, Limb9 factor, Limb9 carry);
// a / divisor, in place; returns the remainder.
Limb9 limbs_divide_limb(Limb9 *quotient, const Limb9 *a, size_t size, Limb9 divisor);
// a * 10^digits into `size + limbs_for_digits(digits)` limbs, whose top ones may be 0; in place.
void limbs_shift_left(Limb9 *result, const Limb9 *a, size_t size, int64_t digits);
// a / 10^digits into the limbs that are left of `size`, in place; returns what tells how to round:
// the highest digit that was cut off, but 1 for 0 and 6 for 5 if others below it are not 0.
int limbs_shift_right(Limb9 *result, const Limb9 *a, size_t size, int64_t digits);
// The last `digits` digits, of a number of `size` limbs; returns the normal size. In place.
size_t limbs_cut(Limb9 *a, size_t size, int64_t digits);
// a * b into a_size + b_size limbs that overlap neither.
bool limbs_multiply(Limb9 *result, const Limb9 *a, size_t a_size, const Limb9 *b, size_t b_size);

// ---- decimal_limbs_divide.c
// a / b: b is normal and not 0, a_size >= b_size. The quotient has a_size - b_size + 1 limbs, the
// remainder b_size. No overlaps.
bool limbs_divide(Limb9 *quotient, Limb9 *remainder, const Limb9 *a, size_t a_size, const Limb9 *b,
                  size_t b_size);
// The integer part of the square root of a normal number, into (size + 1) / 2 limbs. *exact:
// nothing is left over.
bool limbs_square_root(Limb9 *root, const Limb9 *a, size_t size, bool *exact);
