// Magnitudes: natural numbers as arrays of limbs, the least significant first. Ints larger than a
// small int (int.c) are calculated here, and the digits of doubles (dtoa.c).
//
// A magnitude is a pointer and a number of limbs. `normal` means that the top limb is not 0; zero
// has no limbs. Functions that can take long or need memory return false with an exception pending;
// the others cannot fail. The result may be the same array as an operand if the line says "in
// place".
#pragma once

#include "objects/object.h"

typedef uint64_t Limb;
#define LIMB_BITS 64
#define LIMB_TOP ((Limb)1 << (LIMB_BITS - 1))

// An int outside of the small range, or an instance of a subclass of int (of any size).
typedef struct BigInt {
    Object base;
    ssize_t size; // limbs in use; negative where the number is
    Limb limbs[]; // normal
} BigInt;

// ---- one limb
// The low limb of a * b; the high one in *high.
static inline Limb limb_multiply(Limb a, Limb b, Limb *high)
{
#if defined __SIZEOF_INT128__ && UINTPTR_MAX > UINT32_MAX // WebAssembly would call a function
    unsigned __int128 product = (unsigned __int128)a * b;
    *high = (Limb)(product >> LIMB_BITS);
    return (Limb)product;
#else
    Limb a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    Limb middle = a1 * b0 + (a0 * b0 >> 32);
    Limb cross = a0 * b1 + (uint32_t)middle;
    *high = a1 * b1 + (middle >> 32) + (cross >> 32);
    return a * b;
#endif
}
// *high:*low += more, which must fit. (Of several in a row compilers make twice the instructions.)
static inline void limb_carry(Limb *high, Limb *low, Limb more)
{
#if defined __x86_64__
    __asm__("add %2, %0\n\tadc $0, %1" : "+r"(*low), "+r"(*high) : "rm"(more) : "cc");
#else
    *low += more;
    *high += *low < more;
#endif
}
// *low -= less, and the borrow is added to *high.
static inline void limb_borrow(Limb *high, Limb *low, Limb less)
{
#if defined __x86_64__
    __asm__("sub %2, %0\n\tadc $0, %1" : "+r"(*low), "+r"(*high) : "rm"(less) : "cc");
#else
    *high += *low < less;
    *low -= less;
#endif
}
// The low limb of a * b + c, which always fits two limbs.
static inline Limb limb_multiply_add(Limb a, Limb b, Limb c, Limb *high)
{
    Limb low = limb_multiply(a, b, high);
    limb_carry(high, &low, c);
    return low;
}
// The bit length of the limb: 0 for 0.
static inline int limb_bit_length(Limb limb)
{
    return limb ? LIMB_BITS - __builtin_clzll(limb) : 0;
}

// A divisor of one limb with its reciprocal, by which dividing takes only multiplications (Moeller
// and Granlund).
typedef struct LimbDivisor {
    Limb limb;       // shifted so that its top bit is set
    Limb reciprocal; // (2^128 - 1) / limb - 2^64
    int shift;
} LimbDivisor;
LimbDivisor limb_divisor(Limb divisor); // not 0
// Divides high:low by the shifted divisor; high < divisor->limb.
Limb limb_divide(const LimbDivisor *divisor, Limb high, Limb low, Limb *remainder);

// ---- bigint.c
size_t bigint_normal_size(const Limb *a, size_t size); // without the zeros on top
int bigint_compare(const Limb *a, size_t a_size, const Limb *b, size_t b_size); // normal; <0, 0, >0
int64_t bigint_bit_length(const Limb *a, size_t size);                          // normal
// a + b and a - b for a_size >= b_size, in place with a or b. The result has a_size limbs; returns
// the carry (borrow).
Limb bigint_add(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size);
Limb bigint_subtract(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size);
Limb bigint_add_limb(Limb *a, size_t size, Limb limb);      // a += limb; the carry
Limb bigint_subtract_limb(Limb *a, size_t size, Limb limb); // a -= limb; the borrow
// a * factor + carry, in place; returns the limb that goes on top.
Limb bigint_multiply_limb(Limb *result, const Limb *a, size_t size, Limb factor, Limb carry);
// result += a * factor; returns the limb that goes on top of `size`.
Limb bigint_add_product(Limb *result, const Limb *a, size_t size, Limb factor);
Limb bigint_subtract_product(Limb *result, const Limb *a, size_t size, Limb factor);
// Shifts by 0..63 bits, in place. Left returns the bits that go on top, right drops the low ones.
Limb bigint_shift_left(Limb *result, const Limb *a, size_t size, int bits);
void bigint_shift_right(Limb *result, const Limb *a, size_t size, int bits);
// The top 128 bits, the highest of them set; returns whether any bit below is set. Not for zero.
bool bigint_top_bits(const Limb *a, size_t size, Limb *high, Limb *low);
// a * b into a_size + b_size limbs that overlap neither; sizes of 0 are allowed.
bool bigint_multiply(Limb *result, const Limb *a, size_t a_size, const Limb *b, size_t b_size);

// ---- bigint_divide.c
// a / divisor into `size` limbs, in place; returns the remainder.
Limb bigint_divide_limb(Limb *quotient, const Limb *a, size_t size, Limb divisor);
Limb bigint_remainder_limb(const Limb *a, size_t size, Limb divisor);
// a / b: b is normal and not 0, a_size >= b_size. The quotient has a_size - b_size + 1 limbs, the
// remainder b_size. Either may be NULL; no overlaps.
bool bigint_divide(Limb *quotient, Limb *remainder, const Limb *a, size_t a_size, const Limb *b,
                   size_t b_size);
// The same where b has its top bit set and b_size >= 2, and the quotient fits a_size - b_size
// limbs; a becomes the remainder.
bool bigint_divide_shifted(Limb *quotient, Limb *a, size_t a_size, const Limb *b, size_t b_size);
// The schoolbook division that it uses, without memory of its own. b is normal, b_size >= 2, and
// the top b_size limbs of a are below 2 * b; a becomes the remainder. The quotient gets
// a_size - b_size limbs; its top limb (0 or 1) is returned.
Limb bigint_divide_plain(Limb *quotient, Limb *a, size_t a_size, const Limb *b, size_t b_size);

// ---- bigint_convert.c
// How many characters bigint_to_decimal() needs at most.
size_t bigint_decimal_size(const Limb *a, size_t size);
// Decimal digits without leading zeros ("0" for zero), no NUL. Changes nothing but `text`.
bool bigint_to_decimal(const Limb *a, size_t size, char *text, size_t *length);
// Exactly `width` decimal digits of a magnitude below 10^width, which is destroyed. For few limbs.
void bigint_write_decimal(Limb *a, size_t size, char *text, size_t width);
// Digits in a base that is a power of two (1..5 bits each), lower case; exactly as many as needed.
size_t bigint_to_bits(const Limb *a, size_t size, int bits, char *text);
// The number of limbs that `count` digits of the base need at most.
size_t bigint_digits_limbs(size_t count, int base);
// Values (not characters) of digits, most significant first, into that many limbs (normal size in
// *size).
bool bigint_from_digits(const unsigned char *digits, size_t count, int base, Limb *result,
                        size_t *size);
