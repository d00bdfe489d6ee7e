// Adding, subtracting and multiplying numbers.
#include "vm/modules/decimal/decimal_number.h"

#include "objects/error.h"

// ---- sums

// The difference of two coefficients with the same exponent, a not the smaller one.
static void subtract_coefficients(Number *result, const Number *a, const Number *b)
{
    limbs_subtract(result->limbs, a->limbs, a->size, b->limbs, b->size);
    result->size = a->size;
    number_normalize(result);
}

// a + b for numbers with the same exponent; b counts as having the sign `b_negative`.
static bool add_aligned(Number *result, const Number *a, const Number *b, bool b_negative,
                        Rounding rounding)
{
    size_t longer = a->size > b->size ? a->size : b->size;
    if (!number_reserve(result, (int64_t)longer + 1)) return false;
    result->kind = FINITE;
    result->exponent = a->exponent;
    result->negative = a->negative;
    if (a->negative == b_negative) {
        if (a->size < b->size) {
            const Number *other = a;
            a = b;
            b = other;
        }
        result->limbs[longer] = limbs_add(result->limbs, a->limbs, a->size, b->limbs, b->size);
        result->size = longer + (result->limbs[longer] != 0);
        return true;
    }
    int order = limbs_compare(a->limbs, a->size, b->limbs, b->size);
    if (order > 0) {
        subtract_coefficients(result, a, b);
    } else if (order < 0) {
        result->negative = b_negative;
        subtract_coefficients(result, b, a);
    } else {
        result->negative = rounding == ROUND_FLOOR;
    }
    return true;
}

// `small` may be so far below the digits that count that any number there gives the same result:
// then *tiny takes its place, so that `big` need not be shifted so far.
static const Number *or_tiny(const Number *small, const Number *big, Number *tiny,
                             const Context *context)
{
    int64_t digits = number_digits(big);
    int64_t exponent =
        big->exponent - 1 - (digits > context->prec ? 0 : context->prec - digits + 1);
    if (number_adjusted(small) >= exponent) return small;
    number_set_small(tiny, small->size != 0, exponent);
    tiny->negative = small->negative;
    return tiny;
}

// a + b of finite numbers.
static bool add_finite(Number *result, const Number *a, const Number *b, bool b_negative,
                       Context *context)
{
    if (a->exponent == b->exponent)
        return add_aligned(result, a, b, b_negative, context->rounding) &&
               number_finish(result, context);
    Number shifted, tiny;
    number_begin(&shifted);
    number_begin(&tiny);
    bool a_is_big = a->exponent > b->exponent;
    const Number *big = a_is_big ? a : b, *small = a_is_big ? b : a;
    if (big->size) small = or_tiny(small, big, &tiny, context);
    int64_t shift = big->exponent - small->exponent;
    bool done =
        number_reserve(&shifted, (int64_t)big->size + (big->size ? limbs_for_digits(shift) : 0)) &&
        number_copy(&shifted, big) && number_shift_left(&shifted, shift);
    shifted.exponent = small->exponent;
    done = done && (a_is_big ? add_aligned(result, &shifted, small, b_negative, context->rounding)
                             : add_aligned(result, small, &shifted, b_negative, context->rounding));
    number_end(&shifted);
    return done && number_finish(result, context);
}

static bool add_signed(Number *result, const Number *a, const Number *b, bool negate,
                       Context *context)
{
    bool done, b_negative = b->negative != negate;
    if (!is_special(a) && !is_special(b)) return add_finite(result, a, b, b_negative, context);
    if (takes_nan(result, a, b, context, &done)) return done;
    if (is_special(a) && is_special(b) && a->negative != b_negative)
        return number_invalid(result, INVALID_OPERATION, context);
    number_set_special(result, INFINITE, is_special(a) ? a->negative : b_negative);
    return true;
}

bool number_add(Number *result, const Number *a, const Number *b, Context *context)
{
    return add_signed(result, a, b, false, context);
}

bool number_subtract(Number *result, const Number *a, const Number *b, Context *context)
{
    return add_signed(result, a, b, true, context);
}

// ---- one operand

// The number with this sign; a zero has it only when rounding to the floor.
static bool with_sign(Number *result, const Number *a, bool negative, Context *context)
{
    bool done;
    if (takes_nan(result, a, NULL, context, &done)) return done;
    if (!number_copy(result, a)) return false;
    result->negative = negative && (!is_zero(a) || context->rounding == ROUND_FLOOR);
    return number_finish(result, context);
}

bool number_plus(Number *result, const Number *a, Context *context)
{
    return with_sign(result, a, a->negative, context);
}

bool number_minus(Number *result, const Number *a, Context *context)
{
    return with_sign(result, a, !a->negative, context);
}

bool number_abs(Number *result, const Number *a, Context *context)
{
    return a->negative ? number_minus(result, a, context) : number_plus(result, a, context);
}

// ---- products

bool number_multiply_exactly(Number *result, const Number *a, const Number *b)
{
    size_t size = a->size && b->size ? a->size + b->size : 0;
    if (!number_reserve(result, (int64_t)size)) return false;
    if (size && !limbs_multiply(result->limbs, a->limbs, a->size, b->limbs, b->size)) return false;
    result->kind = FINITE;
    result->negative = a->negative != b->negative;
    result->exponent = a->exponent + b->exponent;
    result->size = size;
    number_normalize(result);
    return true;
}

// Where an operand is special; *done is what the operation returns.
static bool multiplies_special(Number *result, const Number *a, const Number *b, Context *context,
                               bool *done)
{
    if (!is_special(a) && !is_special(b)) return false;
    if (takes_nan(result, a, b, context, done)) return true;
    *done = true;
    if (is_zero(a) || is_zero(b))
        number_invalid(result, INVALID_OPERATION, context);
    else
        number_set_special(result, INFINITE, a->negative != b->negative);
    return true;
}

bool number_multiply(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done;
    if (multiplies_special(result, a, b, context, &done)) return done;
    return number_multiply_exactly(result, a, b) && number_finish(result, context);
}

bool number_fma(Number *result, const Number *a, const Number *b, const Number *c, Context *context)
{
    Number product;
    bool done;
    number_begin(&product);
    uint32_t before = context->status;
    if (!multiplies_special(&product, a, b, context, &done))
        done = number_multiply_exactly(&product, a, b);
    if (done && (context->status & ~before & INVALID_OPERATION) && is_nan(&product))
        done = number_copy(result, &product);
    else
        done = done && number_add(result, &product, c, context);
    number_end(&product);
    return done;
}

bool number_scale(Number *number, uint32_t factor)
{
    if (!number_grow(number, (int64_t)number->size + 1)) return false;
    Limb9 top = limbs_multiply_limb(number->limbs, number->limbs, number->size, factor, 0);
    if (top) number->limbs[number->size++] = top;
    return true;
}

bool number_multiply_by_power(Number *number, uint32_t base, int64_t power)
{
    uint32_t step = base;
    int64_t in_step = 1;
    for (; (uint64_t)step * base < LIMB9_BASE; in_step++) step *= base;
    for (; power >= in_step; power -= in_step)
        if (!number_scale(number, step)) return false;
    for (; power > 0; power--)
        if (!number_scale(number, base)) return false;
    return true;
}
