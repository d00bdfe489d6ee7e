// Division, remainders and the square root.
#include "vm/modules/decimal/decimal_number.h"

#include "objects/error.h"

// Where the precision is more than this, a result that might be exact is first sought with as many
// digits as an exact one can have: it may be short, where the precision would fill the memory.
#define MUCH_PRECISION 100000

// ---- coefficients

// The quotient of two coefficients and what is left over; b is not zero. Signs and exponents are
// the caller's.
static bool divide_coefficients(Number *quotient, Number *rest, const Number *a, const Number *b)
{
    if (limbs_compare(a->limbs, a->size, b->limbs, b->size) < 0) {
        quotient->size = 0;
        return number_copy(rest, a);
    }
    size_t size = a->size - b->size + 1;
    if (!number_reserve(quotient, (int64_t)size) || !number_reserve(rest, (int64_t)b->size) ||
        !limbs_divide(quotient->limbs, rest->limbs, a->limbs, a->size, b->limbs, b->size))
        return false;
    quotient->size = size;
    rest->size = b->size;
    number_normalize(quotient);
    number_normalize(rest);
    return true;
}

// The same of a * 10^shift and b, or of a and b * 10^-shift.
static bool divide_shifted(Number *quotient, Number *rest, const Number *a, const Number *b,
                           int64_t shift)
{
    Number shifted;
    number_begin(&shifted);
    const Number *longer = shift < 0 ? b : a;
    int64_t digits = shift < 0 ? -shift : shift;
    int64_t room = (int64_t)longer->size + limbs_for_digits(digits);
    bool done = !shift || (number_reserve(&shifted, room) && number_copy(&shifted, longer) &&
                           number_shift_left(&shifted, digits));
    if (shift < 0)
        done = done && divide_coefficients(quotient, rest, a, &shifted);
    else
        done = done && divide_coefficients(quotient, rest, shift ? &shifted : a, b);
    number_end(&shifted);
    return done;
}

uint32_t number_divide_small(Number *number, uint32_t divisor)
{
    uint32_t rest = limbs_divide_limb(number->limbs, number->limbs, number->size, divisor);
    number_normalize(number);
    return rest;
}

// Marks an inexact coefficient so that rounding sees that it is not the whole.
static bool mark_rest(Number *number)
{
    int last = number->size ? limbs_digit_at(number->limbs, 0) : 0;
    if (last != 0 && last != 5) return true;
    if (!number_grow(number, (int64_t)number->size + 1)) return false;
    number_increment(number);
    return true;
}

// Cuts zeros off, until the exponent is `ideal`.
static void cut_zeros(Number *number, int64_t ideal)
{
    if (!number->size || number->exponent >= ideal) return;
    int64_t zeros = limbs_trailing_zeros(number->limbs, number->size);
    if (zeros > ideal - number->exponent) zeros = ideal - number->exponent;
    number_shift_right(number, zeros);
    number->exponent += zeros;
}

// ---- quotients

// The operands that no division is made of; *done is what the operation returns. A quotient by
// infinity is a zero with this exponent.
static bool divides_special(Number *result, const Number *a, const Number *b, int64_t exponent,
                            Context *context, bool *done)
{
    if (takes_nan(result, a, b, context, done)) return true;
    bool negative = a->negative != b->negative;
    *done = true;
    if (a->kind == INFINITE && b->kind == INFINITE) {
        number_invalid(result, INVALID_OPERATION, context);
    } else if (a->kind == INFINITE) {
        number_set_special(result, INFINITE, negative);
    } else if (b->kind == INFINITE) {
        number_set_zero(result, negative, exponent);
    } else if (b->size) {
        return false;
    } else if (a->size) {
        number_set_special(result, INFINITE, negative);
        context->status |= DIVISION_BY_ZERO;
    } else {
        number_invalid(result, DIVISION_UNDEFINED, context);
    }
    return true;
}

// The quotient with so many digits and one more; *exact: nothing is left over.
static bool divide_to(Number *result, const Number *a, const Number *b, int64_t prec, bool *exact)
{
    Number rest;
    number_begin(&rest);
    int64_t shift = number_digits(b) - number_digits(a) + prec + 1;
    int64_t ideal = a->exponent - b->exponent;
    bool done = divide_shifted(result, &rest, a, b, shift);
    *exact = done && !rest.size;
    number_end(&rest);
    result->exponent = ideal - shift;
    if (!done || !*exact) return done && mark_rest(result);
    cut_zeros(result, ideal);
    return true;
}

bool number_divide(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done, exact = false;
    if (divides_special(result, a, b, context_etiny(context), context, &done)) {
        if (a->kind == FINITE && b->kind == INFINITE) context->status |= CLAMPED;
        return done;
    }
    if (!a->size) {
        number_set_zero(result, a->negative != b->negative, a->exponent - b->exponent);
        return number_finish(result, context);
    }
    int64_t most = number_digits(a) + 4 * number_digits(b); // of an exact quotient
    if (context->prec > MUCH_PRECISION && context->prec > most &&
        !divide_to(result, a, b, most, &exact))
        return false;
    if (!exact && !divide_to(result, a, b, context->prec, &exact)) return false;
    result->kind = FINITE;
    result->negative = a->negative != b->negative;
    return number_finish(result, context);
}

bool number_divide_by_int(Number *number, uint32_t divisor, Context *context)
{
    int64_t shift = context->prec + 10 - number_digits(number);
    if (!number_shift_left(number, shift)) return false;
    if (shift > 0) number->exponent -= shift;
    bool exact = !number_divide_small(number, divisor);
    return (exact || mark_rest(number)) && number_finish(number, context);
}

// ---- integer quotients and remainders, of finite numbers and a divisor that is not zero

// The quotient, an integer, and the remainder. False is in *possible where the quotient has more
// digits than the precision.
static bool divide_whole(Number *quotient, Number *rest, const Number *a, const Number *b,
                         const Context *context, bool *possible)
{
    bool negative = a->negative != b->negative, done = true;
    int64_t exponent = a->exponent < b->exponent ? a->exponent : b->exponent;
    int64_t above = number_adjusted(a) - number_adjusted(b);
    *possible = true;
    if (!a->size || above < 0) {
        number_set_zero(quotient, negative, 0);
        done = number_copy(rest, a) && number_shift_left(rest, a->exponent - exponent);
        rest->exponent = exponent;
        return done;
    }
    *possible = above <= context->prec;
    if (!*possible) return true;
    done = divide_shifted(quotient, rest, a, b, a->exponent - b->exponent);
    if (done) *possible = number_digits(quotient) <= context->prec;
    quotient->kind = rest->kind = FINITE;
    quotient->negative = negative;
    rest->negative = a->negative;
    quotient->exponent = 0;
    rest->exponent = exponent;
    return done;
}

bool number_divide_int(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done, possible;
    if (divides_special(result, a, b, 0, context, &done)) return done;
    Number rest;
    number_begin(&rest);
    done = divide_whole(result, &rest, a, b, context, &possible);
    number_end(&rest);
    if (done && !possible) return number_invalid(result, DIVISION_IMPOSSIBLE, context);
    return done && number_finish(result, context);
}

// The operands that have no remainder, or one without a division.
static bool remains_special(Number *result, const Number *a, const Number *b, Context *context,
                            bool *done)
{
    if (takes_nan(result, a, b, context, done)) return true;
    if (a->kind == INFINITE || is_zero(b)) {
        Condition condition = is_zero(a) ? DIVISION_UNDEFINED : INVALID_OPERATION;
        *done = number_invalid(result, condition, context);
        return true;
    }
    if (b->kind == FINITE) return false;
    *done = number_round(result, a, context);
    return true;
}

bool number_remainder(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done, possible;
    if (remains_special(result, a, b, context, &done)) return done;
    Number quotient;
    number_begin(&quotient);
    done = divide_whole(&quotient, result, a, b, context, &possible);
    number_end(&quotient);
    if (done && !possible) return number_invalid(result, DIVISION_IMPOSSIBLE, context);
    return done && number_finish(result, context);
}

static bool is_all_nines(const Number *a)
{
    for (size_t i = 0; i + 1 < a->size; i++)
        if (a->limbs[i] != LIMB9_BASE - 1) return false;
    Limb9 top = a->size ? a->limbs[a->size - 1] : 0;
    return top && top + 1 == powers_of_ten[limb9_digits(top)];
}

// The remainder becomes the one nearest to zero. *possible as divide_whole() says.
static bool move_near(Number *rest, const Number *quotient, const Number *b, const Context *context,
                      bool *possible)
{
    Context exact = context_for_exact();
    Number twice, divisor;
    number_begin(&twice);
    bool done = number_copy(&twice, rest) && number_scale(&twice, 2);
    int order = done ? number_order_of_sizes(&twice, b) : 0;
    if (done && (order > 0 || (order == 0 && number_is_odd(quotient)))) {
        number_share(&divisor, b);
        divisor.negative = rest->negative;
        done = number_subtract(&twice, rest, &divisor, &exact);
        number_swap(rest, &twice);
        *possible = number_digits(quotient) < context->prec || !is_all_nines(quotient);
    }
    number_end(&twice);
    return done;
}

bool number_remainder_near(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done, possible;
    if (remains_special(result, a, b, context, &done)) return done;
    Number quotient;
    number_begin(&quotient);
    done = divide_whole(&quotient, result, a, b, context, &possible) &&
           (!possible || move_near(result, &quotient, b, context, &possible));
    number_end(&quotient);
    if (done && !possible) return number_invalid(result, DIVISION_IMPOSSIBLE, context);
    return done && number_finish(result, context);
}

bool number_divmod(Number *quotient, Number *remainder, const Number *a, const Number *b,
                   Context *context)
{
    bool done, possible;
    if (takes_nan(quotient, a, b, context, &done)) return done && number_copy(remainder, quotient);
    if (divides_special(quotient, a, b, 0, context, &done)) {
        if (a->kind == FINITE && b->kind == INFINITE) return number_round(remainder, a, context);
        bool undefined = is_zero(a) && is_zero(b);
        return number_invalid(remainder, undefined ? 0 : INVALID_OPERATION, context);
    }
    if (!divide_whole(quotient, remainder, a, b, context, &possible)) return false;
    if (possible) return number_finish(quotient, context) && number_finish(remainder, context);
    return number_invalid(quotient, DIVISION_IMPOSSIBLE, context) &&
           number_invalid(remainder, DIVISION_IMPOSSIBLE, context);
}

// ---- square root

// The root of a finite positive number, with so many digits and one more at least, cut off and
// marked. An exact one has the ideal exponent, which is half of a's.
static bool root_to(Number *result, const Number *a, int64_t prec, bool *exact)
{
    int64_t odd = a->exponent & 1, ideal = (a->exponent - odd) / 2;
    int64_t length = (number_digits(a) + odd + 1) / 2; // digits of the coefficient's root
    int64_t shift = prec + 1 - length;
    Number scaled;
    number_begin(&scaled);
    int64_t room = (int64_t)a->size + (shift > 0 ? limbs_for_digits(2 * shift + 1) : 1);
    bool done = number_reserve(&scaled, room) && number_copy(&scaled, a), whole = true;
    if (done && 2 * shift + odd >= 0)
        done = number_shift_left(&scaled, 2 * shift + odd);
    else if (done)
        whole = !number_shift_right(&scaled, -(2 * shift + odd));
    size_t size = (scaled.size + 1) / 2;
    done = done && number_reserve(result, (int64_t)size + 1) &&
           limbs_square_root(result->limbs, scaled.limbs, scaled.size, exact);
    number_end(&scaled);
    if (!done) return false;
    result->kind = FINITE;
    result->negative = false;
    result->size = size;
    number_normalize(result);
    result->exponent = ideal - shift;
    *exact = *exact && whole;
    if (!*exact) return mark_rest(result);
    if (shift < 0) done = number_shift_left(result, -shift);
    if (shift > 0) number_shift_right(result, shift);
    result->exponent = ideal;
    return done;
}

bool number_sqrt(Number *result, const Number *a, Context *context)
{
    bool done, exact = false;
    if (takes_nan(result, a, NULL, context, &done)) return done;
    if (is_zero(a)) {
        number_set_zero(result, a->negative, (a->exponent - (a->exponent & 1)) / 2);
        return number_finish(result, context);
    }
    if (a->negative) return number_invalid(result, INVALID_OPERATION, context);
    if (is_special(a)) return number_copy(result, a);
    Context half_even = *context;
    half_even.rounding = ROUND_HALF_EVEN;
    int64_t most = number_digits(a) / 2 + 2;
    if (context->prec > MUCH_PRECISION && context->prec > most && !root_to(result, a, most, &exact))
        return false;
    done =
        (exact || root_to(result, a, context->prec, &exact)) && number_finish(result, &half_even);
    context->status |= half_even.status;
    return done;
}
