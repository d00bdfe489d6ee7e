// The order of numbers: comparing, the larger and the smaller one, the next one, and classes.
#include "vm/modules/decimal/decimal_number.h"

// ---- the order

// The nine digits of the coefficient that begin `from` digits after the first one.
static Limb9 nine_digits(const Number *a, int64_t digits, int64_t from)
{
    int64_t start = digits - from - LIMB9_DIGITS; // the index of the last of them
    if (start < 0) {
        int64_t left = start + LIMB9_DIGITS;
        return left <= 0 ? 0 : a->limbs[0] % powers_of_ten[left] * powers_of_ten[-start];
    }
    size_t limb = (size_t)(start / LIMB9_DIGITS);
    int few = (int)(start % LIMB9_DIGITS);
    Limb9 low = a->limbs[limb] / powers_of_ten[few];
    if (!few) return low;
    return low + a->limbs[limb + 1] % powers_of_ten[few] * powers_of_ten[LIMB9_DIGITS - few];
}

// The coefficients as fractions 0.123...: of normal ones that are not zero.
static int order_of_digits(const Number *a, const Number *b)
{
    if (a->exponent == b->exponent) return limbs_compare(a->limbs, a->size, b->limbs, b->size);
    int64_t a_digits = number_digits(a), b_digits = number_digits(b);
    int64_t longer = a_digits > b_digits ? a_digits : b_digits;
    for (int64_t from = 0; from < longer; from += LIMB9_DIGITS) {
        Limb9 x = nine_digits(a, a_digits, from), y = nine_digits(b, b_digits, from);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

int number_order_of_sizes(const Number *a, const Number *b)
{
    if (is_special(a) || is_special(b)) return is_special(a) - is_special(b);
    if (!a->size || !b->size) return (a->size > 0) - (b->size > 0);
    int64_t a_adjusted = number_adjusted(a), b_adjusted = number_adjusted(b);
    if (a_adjusted != b_adjusted) return a_adjusted < b_adjusted ? -1 : 1;
    return order_of_digits(a, b);
}

int number_order(const Number *a, const Number *b)
{
    if (is_zero(a) && is_zero(b)) return 0;
    if (is_zero(b)) return a->negative ? -1 : 1;
    if (is_zero(a)) return b->negative ? 1 : -1;
    if (a->negative != b->negative) return a->negative ? -1 : 1;
    int order = number_order_of_sizes(a, b);
    return a->negative ? -order : order;
}

// Of numbers that are equal: by sign, then by exponent.
static int order_of_equals(const Number *a, const Number *b)
{
    if (a->negative != b->negative) return a->negative ? -1 : 1;
    int order = (a->exponent > b->exponent) - (a->exponent < b->exponent);
    return a->negative ? -order : order;
}

// What comes after what, where the sizes do not say it: numbers, sNaN, NaN.
static int rank(const Number *a)
{
    return a->kind == QUIET_NAN ? 2 : a->kind == SIGNALING_NAN;
}

int number_order_total(const Number *a, const Number *b)
{
    if (a->negative != b->negative) return a->negative ? -1 : 1;
    int order = rank(a) - rank(b);
    if (!order && is_nan(a)) order = limbs_compare(a->limbs, a->size, b->limbs, b->size);
    if (order || is_nan(a)) {
        order = (order > 0) - (order < 0);
        return a->negative ? -order : order;
    }
    order = number_order(a, b);
    return order ? order : order_of_equals(a, b);
}

int number_order_total_mag(const Number *a, const Number *b)
{
    Number x, y;
    number_share(&x, a);
    number_share(&y, b);
    x.negative = y.negative = false;
    return number_order_total(&x, &y);
}

// ---- operations

bool number_compare(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done;
    if (takes_nan(result, a, b, context, &done)) return done;
    number_set_int(result, number_order(a, b));
    return true;
}

bool number_compare_signal(Number *result, const Number *a, const Number *b, Context *context)
{
    if (is_nan(a) || is_nan(b)) context->status |= INVALID_OPERATION;
    return number_compare(result, a, b, context);
}

typedef int (*OrderFn)(const Number *a, const Number *b);

// The larger one (sign 1) or the smaller one (-1). A number wins over a NaN.
static bool choose(Number *result, const Number *a, const Number *b, OrderFn order, int sign,
                   Context *context)
{
    bool done;
    if (a->kind == QUIET_NAN && !is_nan(b)) return number_round(result, b, context);
    if (b->kind == QUIET_NAN && !is_nan(a)) return number_round(result, a, context);
    if (takes_nan(result, a, b, context, &done)) return done;
    int found = order(a, b);
    if (!found) found = order_of_equals(a, b);
    return number_round(result, found * sign < 0 ? b : a, context);
}

bool number_max(Number *result, const Number *a, const Number *b, Context *context)
{
    return choose(result, a, b, number_order, 1, context);
}

bool number_min(Number *result, const Number *a, const Number *b, Context *context)
{
    return choose(result, a, b, number_order, -1, context);
}

bool number_max_mag(Number *result, const Number *a, const Number *b, Context *context)
{
    return choose(result, a, b, number_order_of_sizes, 1, context);
}

bool number_min_mag(Number *result, const Number *a, const Number *b, Context *context)
{
    return choose(result, a, b, number_order_of_sizes, -1, context);
}

// The next number that the context can have: above (ROUND_CEILING) or below (ROUND_FLOOR).
static bool next(Number *result, const Number *a, Rounding rounding, Context *context)
{
    bool done, down = rounding == ROUND_FLOOR;
    if (takes_nan(result, a, NULL, context, &done)) return done;
    if (is_special(a)) {
        if (a->negative == down) return number_copy(result, a);
        if (!number_set_nines(result, context->prec, context_etop(context))) return false;
        result->negative = a->negative;
        return true;
    }
    Context work = *context;
    work.status = 0;
    work.rounding = (uint8_t)rounding;
    if (!number_round(result, a, &work)) return false;
    if (work.status & INEXACT) return true;
    Number tiny;
    number_begin(&tiny);
    number_set_small(&tiny, 1, context_etiny(context) - 1);
    tiny.negative = down;
    return number_add(result, a, &tiny, &work);
}

bool number_next_minus(Number *result, const Number *a, Context *context)
{
    return next(result, a, ROUND_FLOOR, context);
}

bool number_next_plus(Number *result, const Number *a, Context *context)
{
    return next(result, a, ROUND_CEILING, context);
}

bool number_next_toward(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done;
    if (takes_nan(result, a, b, context, &done)) return done;
    int order = number_order(a, b);
    if (!order) {
        if (!number_copy(result, a)) return false;
        result->negative = b->negative;
        return true;
    }
    if (!next(result, a, order < 0 ? ROUND_CEILING : ROUND_FLOOR, context)) return false;
    if (is_special(result)) {
        context->status |= OVERFLOWED | ROUNDED | INEXACT;
    } else if (number_adjusted(result) < context->emin) {
        context->status |= UNDERFLOWED | SUBNORMAL | ROUNDED | INEXACT;
        if (!result->size) context->status |= CLAMPED;
    }
    return true;
}

// ---- classes

bool number_is_normal(const Number *a, const Context *context)
{
    return a->kind == FINITE && a->size && number_adjusted(a) >= context->emin;
}

bool number_is_subnormal(const Number *a, const Context *context)
{
    return a->kind == FINITE && a->size && number_adjusted(a) < context->emin;
}

bool number_same_quantum(const Number *a, const Number *b)
{
    if (is_nan(a) || is_nan(b)) return is_nan(a) && is_nan(b);
    return a->kind == b->kind && a->exponent == b->exponent;
}

const char *number_class(const Number *a, const Context *context)
{
    if (is_nan(a)) return a->kind == QUIET_NAN ? "NaN" : "sNaN";
    if (is_special(a)) return a->negative ? "-Infinity" : "+Infinity";
    if (!a->size) return a->negative ? "-Zero" : "+Zero";
    if (number_is_subnormal(a, context)) return a->negative ? "-Subnormal" : "+Subnormal";
    return a->negative ? "-Normal" : "+Normal";
}
