// Dividing magnitudes.
//
// By one limb: with a reciprocal computed once (Moeller and Granlund, "Improved division by
// invariant integers"), so that each limb costs two multiplications instead of a division.
//
// By more limbs: Knuth's algorithm D (The Art of Computer Programming 4.3.1) for up to
// RECURSIVE_LIMBS limbs of quotient, and by halves for more (divide_halves.h).
//
// Both algorithms guess a limb of the quotient by the top limbs of a and b, shifted so that the top
// bit of b is set. The first one shifts these limbs alone; for the second one all of a and b are
// shifted.
#include "objects/numbers/bigint.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/upcalls.h"

#define RECURSIVE_LIMBS 64
#define LOCAL_LIMBS 80 // below this no memory is asked for

// high:low / divisor by two digits of half a limb; the divisor's top bit is set, high is below it.
static Limb divide_two_limbs(Limb high, Limb low, Limb divisor)
{
#if defined __x86_64__
    Limb quotient, rest;
    __asm__("divq %4" : "=a"(quotient), "=d"(rest) : "0"(low), "1"(high), "rm"(divisor) : "cc");
    return quotient;
#else
    Limb top = divisor >> 32, next = (uint32_t)divisor, quotient = 0;
    for (int i = 0; i < 2; i++, low <<= 32) {
        Limb digit = high / top, rest = high % top;
        while (digit >> 32 || digit * next > (rest << 32 | low >> 32)) {
            digit--;
            rest += top;
            if (rest >> 32) break;
        }
        high = (high << 32 | low >> 32) - digit * divisor;
        quotient = quotient << 32 | digit;
    }
    return quotient;
#endif
}

LimbDivisor limb_divisor(Limb divisor)
{
    LimbDivisor made = {.shift = LIMB_BITS - limb_bit_length(divisor)};
    made.limb = divisor << made.shift;
    made.reciprocal = divide_two_limbs(~made.limb, ~(Limb)0, made.limb);
    return made;
}

Limb limb_divide(const LimbDivisor *divisor, Limb high, Limb low, Limb *remainder)
{
    Limb top, quotient = limb_multiply(divisor->reciprocal, high, &top);
    quotient += low;
    top += high + (quotient < low) + 1;
    Limb rest = low - top * divisor->limb;
    if (rest > quotient) {
        top--;
        rest += divisor->limb;
    }
    if (rest >= divisor->limb) {
        top++;
        rest -= divisor->limb;
    }
    *remainder = rest;
    return top;
}

// quotient NULL = only the remainder.
static Limb divide_by_limb(Limb *quotient, const Limb *a, size_t size, Limb divisor)
{
    if (!size) return 0;
    LimbDivisor by = limb_divisor(divisor);
    Limb rest = by.shift ? a[size - 1] >> (LIMB_BITS - by.shift) : 0;
    for (size_t i = size; i-- > 0;) {
        Limb limb = a[i] << by.shift;
        if (by.shift && i) limb |= a[i - 1] >> (LIMB_BITS - by.shift);
        Limb digit = limb_divide(&by, rest, limb, &rest);
        if (quotient) quotient[i] = digit;
    }
    return rest >> by.shift;
}

Limb bigint_divide_limb(Limb *quotient, const Limb *a, size_t size, Limb divisor)
{
    return divide_by_limb(quotient, a, size, divisor);
}

Limb bigint_remainder_limb(const Limb *a, size_t size, Limb divisor)
{
    return divide_by_limb(NULL, a, size, divisor);
}

// The limb at `index` of a number that is shifted left by 0..63 bits.
static inline Limb shifted_limb(const Limb *a, size_t index, int shift)
{
    Limb limb = a[index] << shift;
    return index ? limb | a[index - 1] >> 1 >> (LIMB_BITS - 1 - shift) : limb;
}

// What a limb of the quotient is guessed by: the top limbs of the divisor, shifted.
typedef struct TopLimbs {
    LimbDivisor top;
    Limb next;
    int shift;
} TopLimbs;

// One limb of the quotient of a[at]:a[at - 1]:... by the divisor, at most two too large.
static Limb estimate_digit(const TopLimbs *divisor, const Limb *a, size_t at)
{
    int shift = divisor->shift;
    Limb high = shifted_limb(a, at, shift), last = shifted_limb(a, at - 2, shift);
    if (high >= divisor->top.limb) return ~(Limb)0;
    Limb rest, digit = limb_divide(&divisor->top, high, shifted_limb(a, at - 1, shift), &rest);
    Limb product_high, product = limb_multiply(digit, divisor->next, &product_high);
    while (product_high > rest || (product_high == rest && product > last)) {
        digit--;
        product_high -= product < divisor->next;
        product -= divisor->next;
        rest += divisor->top.limb;
        if (rest < divisor->top.limb) break;
    }
    return digit;
}

Limb bigint_divide_plain(Limb *quotient, Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    int shift = LIMB_BITS - limb_bit_length(b[b_size - 1]);
    TopLimbs divisor = {limb_divisor(shifted_limb(b, b_size - 1, shift)),
                        shifted_limb(b, b_size - 2, shift), shift};
    size_t digits = a_size - b_size;
    Limb *high_part = a + digits;
    bool over = true;
    for (size_t i = b_size; i-- > 0;) {
        if (high_part[i] == b[i]) continue;
        over = high_part[i] > b[i];
        break;
    }
    if (over) bigint_subtract(high_part, high_part, b_size, b, b_size);
    for (size_t j = digits; j-- > 0;) {
        Limb digit = estimate_digit(&divisor, a, j + b_size);
        Limb borrow = bigint_subtract_product(a + j, b, b_size, digit);
        for (Limb below = a[j + b_size] - borrow; below;) {
            digit--;
            below += bigint_add(a + j, a + j, b_size, b, b_size);
        }
        a[j + b_size] = 0;
        quotient[j] = digit;
    }
    return over;
}

#define LIMB Limb
#define LIMBS(name) bigint_##name
#include "objects/numbers/divide_halves.h"

bool bigint_divide_shifted(Limb *quotient, Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    return divide_shifted(quotient, a, a_size, b, b_size);
}

// bigint_divide() in `work`, which has room for a, b, one limb and the quotient if it is NULL.
static bool divide_in(Limb *work, Limb *quotient, Limb *remainder, const Limb *a, size_t a_size,
                      const Limb *b, size_t b_size)
{
    size_t digits = a_size - b_size + 1;
    Limb *divisor = work + a_size + 1;
    if (!quotient) quotient = divisor + b_size;
    if (digits < RECURSIVE_LIMBS || b_size < RECURSIVE_LIMBS) {
        memcpy(work, a, a_size * sizeof(Limb));
        work[a_size] = 0;
        bigint_divide_plain(quotient, work, a_size + 1, b, b_size);
        if (remainder) memcpy(remainder, work, b_size * sizeof(Limb));
        return poll_signals();
    }
    int shift = LIMB_BITS - limb_bit_length(b[b_size - 1]);
    bigint_shift_left(divisor, b, b_size, shift);
    work[a_size] = bigint_shift_left(work, a, a_size, shift);
    if (!divide_shifted(quotient, work, a_size + 1, divisor, b_size)) return false;
    if (remainder) bigint_shift_right(remainder, work, b_size, shift);
    return true;
}

bool bigint_divide(Limb *quotient, Limb *remainder, const Limb *a, size_t a_size, const Limb *b,
                   size_t b_size)
{
    if (b_size == 1) {
        Limb rest = divide_by_limb(quotient, a, a_size, b[0]);
        if (remainder) remainder[0] = rest;
        return poll_signals();
    }
    size_t room = a_size + 1 + b_size + (quotient ? 0 : a_size - b_size + 1);
    Limb local[LOCAL_LIMBS],
        *work = room <= LOCAL_LIMBS ? local : memory_alloc(room * sizeof(Limb));
    if (!work) return raise_memory_error();
    bool done = divide_in(work, quotient, remainder, a, a_size, b, b_size);
    if (work != local) memory_free(work);
    return done;
}
