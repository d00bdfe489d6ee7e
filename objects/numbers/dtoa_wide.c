// Exact arithmetic for the digits of doubles: magnitudes of up to 8192 bits on the C stack, and the
// table of the powers of ten.
//
// 128 bits of a power of ten are enough for nearly every conversion. There are 667 powers and a
// script uses few, so each is computed exactly when it is first needed, and kept.
#include "objects/numbers/dtoa.h"

#define FIVES_PER_LIMB 27 // 5^27 is the largest power of five in one limb

void wide_set(Wide *wide, Limb limb)
{
    wide->limbs[0] = limb;
    wide->size = limb != 0;
}

void wide_multiply_add(Wide *wide, Limb factor, Limb addend)
{
    Limb top = bigint_multiply_limb(wide->limbs, wide->limbs, wide->size, factor, addend);
    if (top) wide->limbs[wide->size++] = top;
}

void wide_multiply_power_of_five(Wide *wide, int power)
{
    for (; power >= FIVES_PER_LIMB; power -= FIVES_PER_LIMB)
        wide_multiply_add(wide, 7450580596923828125ull, 0);
    Limb rest = 1;
    while (power-- > 0) rest *= 5;
    if (rest > 1) wide_multiply_add(wide, rest, 0);
}

void wide_shift_left(Wide *wide, int bits)
{
    if (!wide->size) return;
    size_t limbs = (size_t)bits / LIMB_BITS;
    Limb *moved = wide->limbs + limbs;
    Limb top = bigint_shift_left(moved, wide->limbs, wide->size, bits % LIMB_BITS);
    memset(wide->limbs, 0, limbs * sizeof(Limb));
    wide->size += limbs;
    if (top) wide->limbs[wide->size++] = top;
}

static int compare(const Wide *a, const Wide *b)
{
    return bigint_compare(a->limbs, a->size, b->limbs, b->size);
}

void wide_divide(Wide *number, const Wide *divisor, Wide *quotient)
{
    quotient->size = 0;
    if (compare(number, divisor) < 0) return;
    if (divisor->size == 1) {
        Limb rest =
            bigint_divide_limb(quotient->limbs, number->limbs, number->size, divisor->limbs[0]);
        quotient->size = bigint_normal_size(quotient->limbs, number->size);
        wide_set(number, rest);
        return;
    }
    size_t digits = number->size - divisor->size + 1;
    number->limbs[number->size] = 0;
    bigint_divide_plain(quotient->limbs, number->limbs, number->size + 1, divisor->limbs,
                        divisor->size);
    quotient->size = bigint_normal_size(quotient->limbs, digits);
    number->size = bigint_normal_size(number->limbs, divisor->size);
}

static void round_up(Wide *number)
{
    if (bigint_add_limb(number->limbs, number->size, 1)) number->limbs[number->size++] = 1;
    if (!number->size) wide_set(number, 1);
}

static bool is_odd(const Wide *number)
{
    return number->size && (number->limbs[0] & 1);
}

void wide_shift_right_rounded(Wide *number, int bits)
{
    if (!bits || !number->size) return;
    size_t half_limb = (size_t)(bits - 1) / LIMB_BITS, limbs = (size_t)bits / LIMB_BITS;
    int half_bit = (bits - 1) % LIMB_BITS;
    bool half = false, below = false;
    if (half_limb < number->size) {
        half = number->limbs[half_limb] >> half_bit & 1;
        below = number->limbs[half_limb] & (((Limb)1 << half_bit) - 1);
        for (size_t i = 0; i < half_limb && !below; i++) below = number->limbs[i];
    }
    size_t left = number->size > limbs ? number->size - limbs : 0;
    if (left) {
        memmove(number->limbs, number->limbs + limbs, left * sizeof(Limb));
        bigint_shift_right(number->limbs, number->limbs, left, bits % LIMB_BITS);
    }
    number->size = bigint_normal_size(number->limbs, left);
    if (half && (below || is_odd(number))) round_up(number);
}

void wide_divide_rounded(Wide *number, const Wide *divisor)
{
    Wide quotient;
    wide_divide(number, divisor, &quotient);
    wide_shift_left(number, 1);
    int half = compare(number, divisor);
    number->size = quotient.size;
    memcpy(number->limbs, quotient.limbs, quotient.size * sizeof(Limb));
    if (half > 0 || (half == 0 && is_odd(number))) round_up(number);
}

static void make_power(int power, PowerOfTen *made)
{
    Wide five, number, quotient;
    wide_set(&five, 1);
    wide_multiply_power_of_five(&five, power < 0 ? -power : power);
    if (power >= 0) {
        wide_top_bits(&five, &made->high, &made->low);
        return;
    }
    wide_set(&number, 1);
    wide_shift_left(&number, (int)bigint_bit_length(five.limbs, five.size) + 127);
    wide_divide(&number, &five, &quotient);
    wide_top_bits(&quotient, &made->high, &made->low);
}

const PowerOfTen *power_of_ten(int power)
{
    static PowerOfTen table[POWER_MAX - POWER_MIN + 1];
    PowerOfTen *found = &table[power - POWER_MIN];
    if (!found->high) make_power(power, found);
    return found;
}
