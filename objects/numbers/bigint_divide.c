// Dividing magnitudes.
//
// By one limb: with a reciprocal computed once (Moeller and Granlund, "Improved division by
// invariant integers"), so that each limb costs two multiplications instead of a division.
//
// By more limbs: Knuth's algorithm D (The Art of Computer Programming 4.3.1) for up to
// RECURSIVE_LIMBS limbs of quotient. Longer quotients are computed in halves (Brent and Zimmermann,
// Modern Computer Arithmetic 1.4.3). Dividing by the upper part of b gives the upper half of the
// quotient. Its product with the lower part of b is subtracted; if the result is negative, the half
// was too large and is corrected. The lower half follows in the same way. This is as fast as
// multiplication.
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

// Takes product (one half of the quotient times the lower part of b) from a; each time this goes
// below zero that half of the quotient was one too large. `over` is its limb on top.
static void correct_half(Limb *quotient, size_t digits, Limb *over, Limb *a, const Limb *b,
                         size_t b_size, Limb borrow)
{
    while (borrow) {
        *over -= bigint_subtract_limb(quotient, digits, 1);
        borrow -= bigint_add(a, a, b_size, b, b_size);
    }
}

// As bigint_divide_plain(), for digits = a_size - b_size <= b_size. `scratch` has `digits` limbs.
static bool divide_by_halves(Limb *quotient, Limb *a, size_t digits, const Limb *b, size_t b_size,
                             Limb *scratch, Limb *over)
{
    if (digits < RECURSIVE_LIMBS) {
        *over = bigint_divide_plain(quotient, a, digits + b_size, b, b_size);
        return poll_signals();
    }
    size_t low = digits / 2, high = digits - low;
    Limb *upper = quotient + low, over_low;
    if (!divide_by_halves(upper, a + 2 * low, high, b + low, b_size - low, scratch, over))
        return false;
    if (!bigint_multiply(scratch, upper, high, b, low)) return false;
    Limb borrow = bigint_subtract(a + low, a + low, b_size, scratch, digits);
    if (*over) borrow += bigint_subtract(a + low + high, a + low + high, b_size - high, b, low);
    correct_half(upper, high, over, a + low, b, b_size, borrow);
    if (!divide_by_halves(quotient, a + low, low, b + low, b_size - low, scratch, &over_low))
        return false;
    if (!bigint_multiply(scratch, quotient, low, b, low)) return false;
    borrow = bigint_subtract(a, a, b_size, scratch, 2 * low);
    if (over_low) borrow += bigint_subtract(a + low, a + low, b_size - low, b, low);
    correct_half(quotient, low, &over_low, a, b, b_size, borrow);
    *over += bigint_add_limb(upper, high, over_low);
    return true;
}

// Divides b_size limbs of quotient at a time, from the top; `a` is below b * B^(a_size - b_size).
static bool divide_shifted(Limb *quotient, Limb *a, size_t a_size, const Limb *b, size_t b_size)
{
    size_t digits = a_size - b_size;
    if (digits < RECURSIVE_LIMBS || b_size < RECURSIVE_LIMBS) {
        bigint_divide_plain(quotient, a, a_size, b, b_size);
        return poll_signals();
    }
    Limb *scratch = memory_alloc(b_size * sizeof(Limb)), over;
    if (!scratch) return raise_memory_error();
    bool done = true;
    for (size_t piece = (digits - 1) % b_size + 1; done && digits; piece = b_size) {
        digits -= piece;
        done = divide_by_halves(quotient + digits, a + digits, piece, b, b_size, scratch, &over);
    }
    memory_free(scratch);
    return done;
}

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
