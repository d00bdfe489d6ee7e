// Powers, with and without a modulus.
//
// An integer power is made of products that have some digits more than the result, so it may be
// wrong by one unit of the last digit; others are exp(exponent * ln(base)). libmpdec computes with
// the same digits, so the results are the same.
#include "vm/modules/decimal/decimal_number.h"

#include "objects/upcalls.h"

#define EXPONENT_DIGITS 19 // of the largest exponent

static bool times(Number *a, const Number *b, Context *context)
{
    Number product;
    number_begin(&product);
    bool done = number_multiply(&product, a, b, context);
    if (done) number_swap(a, &product);
    number_end(&product);
    return done && poll_signals();
}

// No further product changes what it is.
static bool is_settled(const Number *a, const Context *context)
{
    return is_special(a) || (!a->size && (context->status & CLAMPED));
}

// base^exponent from the highest bit of the exponent to the lowest; it is not 0.
static bool power_of_word(Number *result, const Number *base, uint64_t exponent, Context *context)
{
    if (!number_copy(result, base)) return false;
    uint64_t bit = (uint64_t)1 << (63 - __builtin_clzll(exponent));
    while (bit >>= 1) {
        if (!times(result, result, context)) return false;
        if ((exponent & bit) && !times(result, base, context)) return false;
        if (is_settled(result, context)) break;
    }
    return true;
}

// The same for an exponent of any size, from the lowest bit; both are used up.
static bool power_of_integer(Number *result, Number *base, Number *exponent, Context *context)
{
    bool done = number_shift_left(exponent, exponent->exponent);
    exponent->exponent = 0;
    number_set_small(result, 1, 0);
    while (done && exponent->size) {
        if (number_divide_small(exponent, 2)) {
            done = times(result, base, context);
            if (is_settled(result, context)) break;
        }
        done = done && times(base, base, context);
    }
    return done;
}

// A number beyond the limits, so that finishing makes what the rounding wants.
static void set_too_large(Number *result, bool negative)
{
    number_set_small(result, 1, 2 * MAX_EMAX);
    result->negative = negative;
}

static bool integer_power(Number *result, const Number *base, const Number *exponent, bool negative,
                          Context *context)
{
    Number factor, steps, one;
    Context work = *context;
    work.prec += number_digits(exponent) + exponent->exponent + 2 + exponent->negative;
    work.rounding = ROUND_HALF_EVEN;
    work.clamp = false;
    work.status = 0;
    number_begin(&factor);
    number_begin(&steps);
    number_begin(&one);
    number_set_small(&one, 1, 0);
    int64_t word;
    bool done =
        exponent->negative ? number_divide(&factor, &one, base, &work) : number_copy(&factor, base);
    if (done && number_as_int64(exponent, &word)) {
        uint64_t magnitude = word < 0 ? 0 - (uint64_t)word : (uint64_t)word;
        done = power_of_word(result, &factor, magnitude, &work);
    } else if (done) {
        done = number_copy(&steps, exponent) && power_of_integer(result, &factor, &steps, &work);
    }
    number_end(&one);
    number_end(&steps);
    number_end(&factor);
    context->status |= work.status;
    result->negative = negative;
    if (result->kind == INFINITE) set_too_large(result, negative);
    return done && number_finish(result, context);
}

static bool real_power(Number *result, const Number *base, const Number *exponent, Context *context)
{
    int64_t digits = number_digits(base);
    Context work =
        context_for_work((digits > context->prec ? digits : context->prec) + 4 + EXPONENT_DIGITS);
    Number logarithm;
    number_begin(&logarithm);
    bool done = number_ln(&logarithm, base, &work) && times(&logarithm, exponent, &work) &&
                number_exp(result, &logarithm, &work);
    number_end(&logarithm);
    context->status |= INEXACT | ROUNDED;
    if (result->kind == INFINITE) set_too_large(result, false);
    return done && number_finish(result, context);
}

// The exponent of the first digit of |ln(base)|, or less; base is positive and not 1.
static bool least_logarithm(const Number *base, int64_t *least)
{
    int64_t adjusted = number_adjusted(base);
    if (adjusted > 0 || adjusted < -1) { // |ln(base)| > the number of digits before it
        int64_t size = adjusted < 0 ? -adjusted - 1 : adjusted;
        for (*least = 0; size >= 10; size /= 10) ++*least;
        return true;
    }
    Context exact = context_for_exact();
    Number one, difference;
    number_begin(&one);
    number_begin(&difference);
    number_set_small(&one, 1, 0);
    bool done = number_subtract(&difference, base, &one, &exact);
    // |ln(base)| is at least |base - 1| / 10. For a base above 1 it is taken for one digit less, as
    // in libmpdec: what is not known to be beyond the limits may round to 0 on the way.
    *least = done ? number_adjusted(&difference) - 1 - !difference.negative : 0;
    number_end(&difference);
    return done;
}

// Is base^exponent, which is large or small, certainly beyond the limits of the context?
static bool is_beyond_limits(const Number *base, const Number *exponent, bool is_large,
                             const Context *context, bool *beyond)
{
    Number positive;
    int64_t least, digits = 1, limit = is_large ? context->emax : -context_etiny(context);
    number_share(&positive, base);
    positive.negative = false;
    for (; limit >= 10; limit /= 10) digits++;
    if (!least_logarithm(&positive, &least)) return false;
    *beyond = least + number_adjusted(exponent) > digits;
    return true;
}

static bool finish_beyond(Number *result, bool is_large, bool negative, Context *context)
{
    set_too_large(result, negative);
    if (!is_large) result->exponent = MIN_ETINY - 1;
    return number_finish(result, context);
}

// A power of 1 or -1 with as many zeros as its digits give.
static bool power_of_one(Number *result, const Number *base, const Number *exponent, bool negative,
                         Context *context)
{
    int64_t zeros = context->prec - 1, count;
    if (!number_is_integer(exponent)) {
        context->status |= INEXACT | ROUNDED;
    } else if (exponent->negative) {
        zeros = 0;
    } else {
        Number product, places;
        Context exact = context_for_exact();
        number_begin(&product);
        number_begin(&places);
        number_set_int(&places, -base->exponent);
        bool done = number_multiply(&product, exponent, &places, &exact);
        if (done && number_as_int64(&product, &count) && count <= zeros)
            zeros = count < 0 ? 0 : count;
        else
            context->status |= ROUNDED;
        number_end(&product);
        if (!done) return false;
    }
    bool done = number_set_padded_one(result, zeros + 1);
    result->negative = negative;
    return done;
}

// A power with an infinity, or of a zero: it is 0, 1 or infinite.
static bool special_power(Number *result, const Number *base, const Number *exponent, bool negative,
                          Context *context)
{
    if (is_zero(exponent)) {
        number_set_small(result, 1, 0);
        return true;
    }
    bool is_small = is_zero(base);
    if (is_special(exponent) && !is_small) {
        Number one;
        number_begin(&one);
        number_set_small(&one, 1, 0);
        int order = number_order(base, &one);
        if (!order) {
            context->status |= INEXACT | ROUNDED;
            return number_set_padded_one(result, context->prec);
        }
        is_small = order < 0;
    }
    if (is_small != exponent->negative)
        number_set_zero(result, negative, 0);
    else
        number_set_special(result, INFINITE, negative);
    return true;
}

bool number_power(Number *result, const Number *base, const Number *exponent, Context *context)
{
    bool done, beyond;
    if (takes_nan(result, base, exponent, context, &done)) return done;
    bool is_integer = number_is_integer(exponent);
    bool negative = base->negative && is_integer && number_is_odd(exponent);
    if (is_zero(base) && is_zero(exponent))
        return number_invalid(result, INVALID_OPERATION, context);
    if (base->negative && !is_zero(base) && !is_integer)
        return number_invalid(result, INVALID_OPERATION, context);
    if (is_special(base) || is_special(exponent) || is_zero(base) || is_zero(exponent))
        return special_power(result, base, exponent, negative, context);
    if (number_adjusted(base) == 0 && number_is_power_of_ten(base))
        return power_of_one(result, base, exponent, negative, context);
    bool is_large = (number_adjusted(base) >= 0) != exponent->negative;
    if (!is_beyond_limits(base, exponent, is_large, context, &beyond)) return false;
    if (beyond) return finish_beyond(result, is_large, negative, context);
    return is_integer ? integer_power(result, base, exponent, negative, context)
                      : real_power(result, base, exponent, context);
}

// ---- with a modulus

// a = a * b % modulus
static bool times_modulo(Number *a, const Number *b, const Number *modulus)
{
    Number product;
    Context exact = context_for_exact();
    number_begin(&product);
    bool done =
        number_multiply_exactly(&product, a, b) && number_remainder(a, &product, modulus, &exact);
    number_end(&product);
    return done && poll_signals();
}

// a = a^power % modulus, for a small power.
static bool raise_modulo(Number *a, int power, const Number *modulus)
{
    Number factor;
    number_begin(&factor);
    bool done = number_copy(&factor, a);
    number_set_small(a, 1, 0);
    for (; done && power; power--) done = times_modulo(a, &factor, modulus);
    number_end(&factor);
    return done;
}

// result = coefficient * 10^exponent % modulus, of an integer.
static bool reduce(Number *result, const Number *a, const Number *modulus)
{
    Number whole, ten;
    number_begin(&whole);
    number_begin(&ten);
    Context exact = context_for_exact();
    bool done = number_truncate(&whole, a);
    int64_t exponent = whole.exponent;
    whole.exponent = 0;
    whole.negative = false;
    done = done && number_remainder(result, &whole, modulus, &exact);
    number_set_small(&ten, 10, 0);
    for (; done && exponent; exponent /= 2) {
        if (exponent % 2) done = times_modulo(result, &ten, modulus);
        Number *same = &ten;
        done = done && times_modulo(&ten, same, modulus);
    }
    number_end(&ten);
    number_end(&whole);
    return done;
}

// One digit of the exponent after the other: result^10 * base^digit.
static bool power_by_digits(Number *result, const Number *base, const Number *exponent,
                            const Number *modulus)
{
    Number part;
    bool done = true;
    number_set_small(result, 1, 0);
    for (int64_t i = number_digits(exponent) - 1; done && i >= 0; i--) {
        number_begin(&part);
        done = number_copy(&part, base) &&
               raise_modulo(&part, limbs_digit_at(exponent->limbs, i), modulus) &&
               raise_modulo(result, 10, modulus) && times_modulo(result, &part, modulus);
        number_end(&part);
    }
    for (int64_t i = 0; done && i < exponent->exponent; i++)
        done = raise_modulo(result, 10, modulus);
    return done;
}

bool number_power_modulo(Number *result, const Number *base, const Number *exponent,
                         const Number *modulus, Context *context)
{
    bool done;
    if (takes_nan(result, base, exponent, context, &done)) return done;
    if (takes_nan(result, modulus, NULL, context, &done)) return done;
    if (!number_is_integer(base) || !number_is_integer(exponent) || !number_is_integer(modulus) ||
        exponent->negative || !modulus->size || number_adjusted(modulus) >= context->prec ||
        (!base->size && !exponent->size))
        return number_invalid(result, INVALID_OPERATION, context);
    bool negative = base->negative && number_is_odd(exponent);
    Number divisor, factor, steps;
    number_begin(&divisor);
    number_begin(&factor);
    number_begin(&steps);
    done = number_truncate(&divisor, modulus) && number_shift_left(&divisor, divisor.exponent);
    divisor.exponent = 0;
    divisor.negative = false;
    done = done && reduce(&factor, base, &divisor) && number_truncate(&steps, exponent);
    if (done && !steps.size) {
        Number one;
        Context exact = context_for_exact();
        number_begin(&one);
        number_set_small(&one, 1, 0);
        done = number_remainder(result, &one, &divisor, &exact);
    } else {
        done = done && power_by_digits(result, &factor, &steps, &divisor);
    }
    result->negative = negative;
    number_end(&steps);
    number_end(&factor);
    number_end(&divisor);
    return done;
}
