// Dividing magnitudes.
//
// By one limb: with a reciprocal computed once (Moeller and Granlund, "Improved division by
// invariant integers"), so that each limb costs two multiplications instead of a division.
//
// By more limbs: Knuth's algorithm D (The Art of Computer Programming 4.3.1) for up to
// RECURSIVE_LIMBS limbs of quotient, and by halves for more (divide_halves.h).
//
// In this file b is shifted so that its top bit is set, and a is shifted by as much.
#include "objects/numbers/bigint.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/upcalls.h"

#define RECURSIVE_LIMBS 64
#define LOCAL_LIMBS 80 // below this no memory is asked for

// high:low / divisor by two digits of half a limb; the divisor's top bit is set, high is below it.
static Limb divide_by_digits(Limb high, Limb low, Limb divisor)
{
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
}

LimbDivisor limb_divisor(Limb divisor)
{
    LimbDivisor made = {.shift = LIMB_BITS - limb_bit_length(divisor)};
    made.limb = divisor << made.shift;
    made.reciprocal = divide_by_digits(~made.limb, ~(Limb)0, made.limb);
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

// One digit of the quotient of high:a[1]:a[0] by top:next, at most two too large.
static Limb estimate_digit(const LimbDivisor *top, Limb next, Limb high, const Limb *a)
{
    if (high >= top->limb) return ~(Limb)0;
    Limb rest, digit = limb_divide(top, high, a[1], &rest);
    Limb product_high, product = limb_multiply(digit, next, &product_high);
    while (product_high > rest || (product_high == rest && product > a[0])) {
        digit--;
        product_high -= product < next;
        product -= next;
        rest += top->limb;
        if (rest < top->limb) break;
    }
    return digit;
}

Limb bigint_divide_plain(Limb *quotient, Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    LimbDivisor top = limb_divisor(b[b_size - 1]);
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
        Limb high = a[j + b_size];
        Limb digit = estimate_digit(&top, b[b_size - 2], high, a + j + b_size - 2);
        Limb borrow = bigint_subtract_product(a + j, b, b_size, digit);
        for (Limb below = high - borrow; below;) {
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

bool bigint_divide(Limb *quotient, Limb *remainder, const Limb *a, size_t a_size, const Limb *b,
                   size_t b_size)
{
    size_t digits = a_size - b_size + 1;
    if (b_size == 1) {
        Limb rest = divide_by_limb(quotient, a, a_size, b[0]);
        if (remainder) remainder[0] = rest;
        return poll_signals();
    }
    size_t room = a_size + 1 + b_size + (quotient ? 0 : digits);
    Limb local[LOCAL_LIMBS],
        *work = room <= LOCAL_LIMBS ? local : memory_alloc(room * sizeof(Limb));
    if (!work) return raise_memory_error();
    Limb *divisor = work + a_size + 1;
    int shift = LIMB_BITS - limb_bit_length(b[b_size - 1]);
    bigint_shift_left(divisor, b, b_size, shift);
    work[a_size] = bigint_shift_left(work, a, a_size, shift);
    bool done =
        divide_shifted(quotient ? quotient : divisor + b_size, work, a_size + 1, divisor, b_size);
    if (done && remainder) bigint_shift_right(remainder, work, b_size, shift);
    if (work != local) memory_free(work);
    return done;
}
