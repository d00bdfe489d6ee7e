// The exponential function and logarithms, correctly rounded.
//
// Each function approximates its result with some digits more than are wanted, and an error below
// one unit of the last of them. Where the result rounds to the same from both ends of what it may
// be, that is it; else the next try has more digits (Ziv). The result is never exactly between two
// numbers of the context, so this ends.
//
// `prec` of an approximation is the number of digits that are right, to one unit; a step of the
// calculation has its own context, with some digits more.
#include "vm/modules/decimal/decimal_number.h"

#include "objects/upcalls.h"

#include <math.h>

#define GUARD_DIGITS 3
#define MORE_DIGITS 19
#define DOUBLE_DIGITS 14 // of log() of a double, that are surely right

// result = the function of a, with `prec` digits.
typedef bool (*Approximation)(Number *result, const Number *a, int64_t prec);

// a = a op b in the context.
static bool update(Number *a, BinaryOperation operation, const Number *b, Context *context)
{
    Number result;
    number_begin(&result);
    bool done = operation(&result, a, b, context);
    if (done) number_swap(a, &result);
    number_end(&result);
    return done;
}

static bool square(Number *a, Context *context)
{
    return update(a, number_multiply, a, context);
}

// ---- e^a

// a^10, `times` times over.
static bool raise_by_tens(Number *a, int64_t times, Context *context)
{
    Number one;
    bool done = true;
    for (; done && times; times--) {
        number_begin(&one);
        done = number_copy(&one, a) && square(a, context) && square(a, context) &&
               update(a, number_multiply, &one, context) && square(a, context);
        number_end(&one);
    }
    return done;
}

// How many terms of the series of e^r, for r below 10^-small.
static uint32_t count_terms(int64_t small, int64_t prec)
{
    double digits = 0;
    uint32_t count = 1;
    for (; digits < (double)prec; count++) digits += (double)small + log10(count + 1);
    return count;
}

// 1 + r/1 * (1 + r/2 * (1 + r/3 * ...)). What is further in needs fewer digits, as it is
// multiplied by a power of r, which is below 10^-small.
static bool sum_exponential(Number *sum, const Number *r, int64_t small, int64_t prec)
{
    Number one, factor;
    number_begin(&one);
    number_begin(&factor);
    number_set_small(&one, 1, 0);
    number_set_small(sum, 1, 0);
    bool done = true;
    for (uint32_t i = count_terms(small, prec); done && i; i--) {
        int64_t digits = prec - (int64_t)(i - 1) * small;
        Context context = context_for_work(digits < 9 ? 9 : digits);
        done = number_round(&factor, r, &context) &&
               update(sum, number_multiply, &factor, &context) &&
               number_divide_by_int(sum, i, &context) && update(sum, number_add, &one, &context) &&
               poll_signals();
    }
    number_end(&factor);
    number_end(&one);
    return done;
}

// exp(a) = exp(a * 10^-tens) ^ (10^tens): the series is short for a small number, and each step
// back costs four products and one digit.
static bool approximate_exp(Number *result, const Number *a, int64_t prec)
{
    int64_t above = number_adjusted(a) + 1; // |a| < 10^above
    int64_t small = 1 + (int64_t)(sqrt((double)prec) / 3);
    int64_t tens = above + small > 0 ? above + small : 0;
    Number r;
    number_share(&r, a);
    r.exponent -= tens;
    Context context = context_for_work(prec + tens + GUARD_DIGITS);
    return sum_exponential(result, &r, tens - above, context.prec) &&
           raise_by_tens(result, tens, &context);
}

// ---- logarithms

// The nearest double, of a positive number near 1.
static double double_of(const Number *a)
{
    double number = 0;
    size_t from = a->size > 3 ? a->size - 3 : 0;
    for (size_t i = a->size; i-- > from;) number = number * LIMB9_BASE + a->limbs[i];
    return number * pow(10, (double)(a->exponent + (int64_t)from * LIMB9_DIGITS));
}

static void set_double(Number *number, double value)
{
    number_set_small(number, (uint64_t)(fabs(value) * 1e16 + 0.5), -16);
    number->negative = value < 0;
}

// One step of Halley's method: y + 2 * (a - exp(y)) / (a + exp(y)) has three times as many digits
// of ln(a) as y.
static bool improve_logarithm(Number *y, const Number *a, int64_t prec)
{
    Context context = context_for_work(prec);
    Number power, above, below;
    number_begin(&power);
    number_begin(&above);
    number_begin(&below);
    bool done = approximate_exp(&power, y, prec) && number_subtract(&above, a, &power, &context) &&
                number_add(&below, a, &power, &context) && number_scale(&above, 2) &&
                update(&above, number_divide, &below, &context) &&
                update(y, number_add, &above, &context);
    number_end(&below);
    number_end(&above);
    number_end(&power);
    return done;
}

// ln(a) for a number of about one digit before the point, not near 1: to 10^-prec.
static bool logarithm_by_steps(Number *y, const Number *a, int64_t prec)
{
    int64_t steps[64];
    int count = 0;
    for (int64_t digits = prec + 2; digits > DOUBLE_DIGITS; digits = digits / 3 + 2)
        steps[count++] = digits;
    set_double(y, log(double_of(a)));
    while (count--)
        if (!improve_logarithm(y, a, steps[count])) return false;
    return true;
}

// ln(a) = 2 * (z + z^3/3 + z^5/5 + ...), z = (a - 1) / (a + 1), for a near 1.
static bool logarithm_near_one(Number *result, const Number *a, int64_t prec)
{
    Context context = context_for_work(prec + GUARD_DIGITS), exact = context_for_exact();
    Number one, z, z2;
    number_begin(&one);
    number_begin(&z);
    number_begin(&z2);
    number_set_small(&one, 1, 0);
    bool done = number_add(&z2, a, &one, &exact) && number_subtract(&z, a, &one, &exact) &&
                update(&z, number_divide, &z2, &context) && number_multiply(&z2, &z, &z, &context);
    int64_t small = done ? -number_adjusted(&z2) - 1 : 1;
    int64_t terms = context.prec / (small > 1 ? small : 1) + 1;
    number_set_zero(result, false, 0);
    for (; done && terms >= 0; terms--) {
        Number part;
        number_begin(&part);
        number_set_small(&part, 1, 0);
        done = update(result, number_multiply, &z2, &context) &&
               number_divide_by_int(&part, (uint32_t)(2 * terms + 1), &context) &&
               update(result, number_add, &part, &context) && poll_signals();
        number_end(&part);
    }
    done = done && number_scale(&z, 2) && update(result, number_multiply, &z, &context);
    number_end(&z2);
    number_end(&z);
    number_end(&one);
    return done;
}

static Number ln_10; // the digits that were needed so far; begun if kept_digits is not 0
static int64_t kept_digits;

void logarithms_finish(void)
{
    if (kept_digits) number_end(&ln_10);
    kept_digits = 0;
}

static bool need_ln_10(int64_t prec)
{
    if (prec <= kept_digits) return true;
    Number ten, made;
    number_begin(&ten);
    number_begin(&made);
    number_set_small(&ten, 10, 0);
    bool done = logarithm_by_steps(&made, &ten, prec);
    if (done) {
        if (!kept_digits) number_begin(&ln_10);
        number_swap(&ln_10, &made);
        kept_digits = prec;
    }
    number_end(&made);
    return done;
}

// Is it between 0.9 and 1.1?
static bool is_near_one(const Number *a)
{
    Number bound;
    number_begin(&bound);
    number_set_small(&bound, 9, -1);
    if (number_order(a, &bound) < 0) return false;
    number_set_small(&bound, 11, -1);
    return number_order(a, &bound) < 0;
}

// result += power * ln(10)
static bool add_powers_of_ten(Number *result, int64_t power, int64_t prec)
{
    Context context = context_for_work(prec + 20);
    Number product;
    number_begin(&product);
    number_set_int(&product, power);
    bool done = need_ln_10(prec + 20) && update(&product, number_multiply, &ln_10, &context) &&
                update(result, number_add, &product, &context);
    number_end(&product);
    return done;
}

// ln(a) = ln(m) + power * ln(10), with m between 0.3 and 3.
static bool approximate_ln(Number *result, const Number *a, int64_t prec)
{
    Number m, three;
    int64_t power = number_adjusted(a);
    number_share(&m, a);
    m.exponent -= power;
    number_begin(&three);
    number_set_small(&three, 3, 0);
    if (number_order(&m, &three) > 0) {
        power++;
        m.exponent--;
    }
    bool done;
    if (number_order(&m, &three) < 0 && number_is_power_of_ten(&m)) {
        number_set_zero(result, false, 0);
        done = true;
    } else if (is_near_one(&m)) {
        done = logarithm_near_one(result, &m, prec + GUARD_DIGITS);
    } else {
        done = logarithm_by_steps(result, &m, prec + GUARD_DIGITS);
    }
    if (!power) return done;
    return done && add_powers_of_ten(result, power, prec + GUARD_DIGITS);
}

static bool approximate_log10(Number *result, const Number *a, int64_t prec)
{
    Context context = context_for_work(prec + GUARD_DIGITS);
    return approximate_ln(result, a, prec + GUARD_DIGITS) && need_ln_10(prec + GUARD_DIGITS) &&
           update(result, number_divide, &ln_10, &context);
}

// ---- rounding correctly

// Does it round to the same, one unit above and one below? A unit is that of the `digits`th digit.
static bool is_certain(const Number *a, int64_t digits, int64_t prec, bool *certain)
{
    Number unit, above, below;
    Context context = context_for_work(prec);
    number_begin(&unit);
    number_begin(&above);
    number_begin(&below);
    number_set_small(&unit, 1, number_adjusted(a) + 1 - digits);
    bool done =
        number_add(&above, a, &unit, &context) && number_subtract(&below, a, &unit, &context);
    *certain = done && number_order(&above, &below) == 0;
    number_end(&below);
    number_end(&above);
    return done;
}

// Rounds half to even, whatever the rounding of the context is.
static bool finish_half_even(Number *number, Context *context)
{
    uint8_t rounding = context->rounding;
    context->rounding = ROUND_HALF_EVEN;
    bool done = number_finish(number, context);
    context->rounding = rounding;
    return done;
}

static bool round_correctly(Number *result, const Number *a, Approximation function,
                            Context *context)
{
    bool certain = false;
    // An inexact result fills the precision: whether there is memory for that shows at once.
    if (!number_reserve(result, limbs_for_digits(context->prec))) return false;
    for (int64_t prec = context->prec + GUARD_DIGITS; !certain; prec += MORE_DIGITS) {
        if (!function(result, a, prec)) return false;
        certain = is_special(result) || !result->size;
        if (!certain && !is_certain(result, prec, context->prec, &certain)) return false;
    }
    int64_t missing = context->prec - number_digits(result);
    if (!is_special(result) && result->size && missing > 0) {
        result->exponent -= missing;
        if (!number_shift_left(result, missing)) return false;
    }
    if (is_special(result)) number_set_small(result, 1, 2 * MAX_EMAX);
    if (!result->size) number_set_small(result, 1, MIN_ETINY - 1);
    context->status |= INEXACT | ROUNDED;
    return finish_half_even(result, context);
}

bool number_exp(Number *result, const Number *a, Context *context)
{
    bool done;
    if (takes_nan(result, a, NULL, context, &done)) return done;
    if (is_special(a)) {
        if (a->negative)
            number_set_zero(result, false, 0);
        else
            number_set_special(result, INFINITE, false);
        return true;
    }
    if (!a->size) {
        number_set_small(result, 1, 0);
        return true;
    }
    if (number_adjusted(a) < 19) return round_correctly(result, a, approximate_exp, context);
    // More than the largest exponent, or less than the smallest one.
    number_set_small(result, 1, a->negative ? MIN_ETINY - 1 : 2 * MAX_EMAX);
    return finish_half_even(result, context);
}

// The operands of which there is no logarithm, or an exact one.
static bool is_special_logarithm(Number *result, const Number *a, Context *context, bool *done)
{
    if (takes_nan(result, a, NULL, context, done)) return true;
    *done = true;
    if (is_zero(a))
        number_set_special(result, INFINITE, true);
    else if (a->negative)
        number_invalid(result, INVALID_OPERATION, context);
    else if (is_special(a))
        number_set_special(result, INFINITE, false);
    else
        return false;
    return true;
}

bool number_ln(Number *result, const Number *a, Context *context)
{
    bool done;
    if (is_special_logarithm(result, a, context, &done)) return done;
    if (number_adjusted(a) == 0 && number_is_power_of_ten(a)) {
        number_set_zero(result, false, 0);
        return true;
    }
    return round_correctly(result, a, approximate_ln, context);
}

bool number_log10(Number *result, const Number *a, Context *context)
{
    bool done;
    if (is_special_logarithm(result, a, context, &done)) return done;
    if (number_is_power_of_ten(a)) {
        number_set_int(result, number_adjusted(a));
        return finish_half_even(result, context);
    }
    return round_correctly(result, a, approximate_log10, context);
}
