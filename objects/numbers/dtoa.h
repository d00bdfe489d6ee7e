// Doubles as decimal digits and back, always correctly rounded, without printf, strtod or a locale.
//
//     number = 0.d1 d2 d3 ... * 10^point
//
// dtoa.c makes digits, dtoa_parse.c reads them, dtoa_wide.c has the exact arithmetic for the cases
// that both cannot decide faster. float.h declares the functions for the rest of minivm. Nothing
// here can fail.
#pragma once

#include "objects/numbers/bigint.h"

// A double has at most 767 significant digits.
#define DECIMAL_DIGITS 800

typedef struct Decimal {
    int point;
    int count;                   // without zeros at either end; 0 where the number (or what is left
                                 // of it after rounding) is zero, whose point is 1
    char digits[DECIMAL_DIGITS]; // '0'..'9', no NUL
} Decimal;

// ---- dtoa_parse.c
double dtoa_to_double(const Decimal *decimal);
// The double nearest to high:low * 2^exponent, ties to even; the top bit of `high` is set. `below`:
// the number is slightly larger than that. Infinity if it is too large.
double dtoa_assemble(Limb high, Limb low, bool below, int exponent);

// ---- dtoa_wide.c
// A magnitude on the C stack, large enough for the exact ratio of any double to any power of ten.
#define WIDE_LIMBS 128
typedef struct Wide {
    size_t size; // normal
    Limb limbs[WIDE_LIMBS];
} Wide;
void wide_set(Wide *wide, Limb limb);
void wide_multiply_add(Wide *wide, Limb factor, Limb addend);
void wide_multiply_power_of_five(Wide *wide, int power);
void wide_shift_left(Wide *wide, int bits);
// number / divisor; `number` becomes the remainder.
void wide_divide(Wide *number, const Wide *divisor, Wide *quotient);
// number / 2^bits, rounded half to even.
void wide_shift_right_rounded(Wide *number, int bits);
// number = number / divisor, rounded half to even.
void wide_divide_rounded(Wide *number, const Wide *divisor);
// The top 128 bits, the highest of them set; returns whether any bit below is set. Not for zero.
static inline bool wide_top_bits(const Wide *wide, Limb *high, Limb *low)
{
    return bigint_top_bits(wide->limbs, wide->size, high, low);
}

// The top 128 bits of 10^power, cut off: 10^power = high:low... * 2^(decimal_log2(power) - 127).
typedef struct PowerOfTen {
    Limb high, low;
} PowerOfTen;
#define POWER_MIN (-342)
#define POWER_MAX 324
const PowerOfTen *power_of_ten(int power);
static inline bool power_of_ten_is_exact(int power)
{
    return power >= 0 && power <= 55;
}
// floor(log2(10^power)) and floor(log10(2^power)), for the powers of doubles.
static inline int decimal_log2(int power)
{
    return (power * 1741647) >> 19;
}
static inline int binary_log10(int power)
{
    return (power * 1262611) >> 22;
}

// |number| = mantissa * 2^exponent, for a finite number.
static inline uint64_t double_split(double number, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7FF);
    uint64_t fraction = bits & 0xFFFFFFFFFFFFFull;
    *exponent = (biased ? biased : 1) - 1075;
    return biased ? fraction | 1ull << 52 : fraction;
}
