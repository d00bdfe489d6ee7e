// Results rounded to a context: digits beyond the precision, exponents beyond the limits, NaNs.
#include "vm/modules/decimal/decimal_number.h"

#include "objects/error.h"

bool rounds_up(const Number *number, int cut, Rounding rounding)
{
    if (!cut) return false;
    int last = number->size ? limbs_digit_at(number->limbs, 0) : 0;
    switch (rounding) {
    case ROUND_UP: return true;
    case ROUND_CEILING: return !number->negative;
    case ROUND_FLOOR: return number->negative;
    case ROUND_HALF_UP: return cut >= 5;
    case ROUND_HALF_DOWN: return cut > 5;
    case ROUND_HALF_EVEN: return cut > 5 || (cut == 5 && last % 2);
    case ROUND_05UP: return last == 0 || last == 5;
    default: return false;
    }
}

// A number too large becomes infinity, or the largest that there is.
static bool overflow(Number *number, Context *context)
{
    bool to_largest = false;
    switch ((Rounding)context->rounding) {
    case ROUND_DOWN:
    case ROUND_05UP: to_largest = true; break;
    case ROUND_CEILING: to_largest = number->negative; break;
    case ROUND_FLOOR: to_largest = !number->negative; break;
    default: break;
    }
    context->status |= OVERFLOWED | INEXACT | ROUNDED;
    if (to_largest) return number_set_nines(number, context->prec, context_etop(context));
    number_set_special(number, INFINITE, number->negative);
    return true;
}

static void finish_zero(Number *number, Context *context)
{
    int64_t top = context->clamp ? context_etop(context) : context->emax;
    int64_t bottom = context_etiny(context), exponent = number->exponent;
    if (exponent > top)
        number->exponent = top;
    else if (exponent < bottom)
        number->exponent = bottom;
    if (number->exponent != exponent) context->status |= CLAMPED;
}

// Cuts digits off and rounds; the coefficient may get one digit more than are left.
static bool cut_digits(Number *number, int64_t digits, Context *context)
{
    int cut = number_shift_right(number, digits);
    number->exponent += digits;
    context->status |= cut ? ROUNDED | INEXACT : ROUNDED;
    if (!rounds_up(number, cut, context->rounding)) return true;
    if (!number_grow(number, (int64_t)number->size + 1)) return false;
    number_increment(number);
    return true;
}

// A number below the smallest normal one: its exponent is at least etiny.
static bool finish_subnormal(Number *number, Context *context)
{
    int64_t etiny = context_etiny(context);
    context->status |= SUBNORMAL;
    if (number->exponent >= etiny) return true;
    uint32_t before = context->status;
    context->status &= ~(uint32_t)INEXACT;
    if (!cut_digits(number, etiny - number->exponent, context)) return false;
    if (context->status & INEXACT) {
        context->status |= UNDERFLOWED;
        if (!number->size) context->status |= CLAMPED;
    }
    context->status |= before;
    return true;
}

static bool finish_precision(Number *number, Context *context)
{
    int64_t digits = number_digits(number);
    if (digits <= context->prec) return true;
    if (!cut_digits(number, digits - context->prec, context)) return false;
    if (number_digits(number) <= context->prec) return true;
    number_shift_right(number, 1); // 999.9 has become 1000
    number->exponent++;
    return number_adjusted(number) <= context->emax || overflow(number, context);
}

// The payload of a NaN is cut to the precision.
static void finish_nan(Number *number, const Context *context)
{
    int64_t most = context->prec - context->clamp;
    if (limbs_digits(number->limbs, number->size) > most)
        number->size = limbs_cut(number->limbs, number->size, most);
}

bool number_finish(Number *number, Context *context)
{
    if (is_special(number)) {
        if (is_nan(number)) finish_nan(number, context);
        return true;
    }
    if (!number->size) {
        finish_zero(number, context);
        return true;
    }
    int64_t adjusted = number_adjusted(number);
    if (adjusted > context->emax) return overflow(number, context);
    if (context->clamp && number->exponent > context_etop(context)) {
        context->status |= adjusted < context->emin ? CLAMPED | SUBNORMAL : CLAMPED;
        int64_t shift = number->exponent - context_etop(context);
        number->exponent -= shift;
        return number_shift_left(number, shift);
    }
    if (adjusted < context->emin) return finish_subnormal(number, context);
    return finish_precision(number, context);
}

bool number_round(Number *result, const Number *a, Context *context)
{
    return number_copy(result, a) && number_finish(result, context);
}

bool number_invalid(Number *result, Condition condition, Context *context)
{
    number_set_special(result, QUIET_NAN, false);
    context->status |= condition;
    return true;
}

bool takes_nan(Number *result, const Number *a, const Number *b, Context *context, bool *done)
{
    if (!is_nan(a) && (!b || !is_nan(b))) return false;
    const Number *chosen = is_nan(a) ? a : b;
    if (a->kind != SIGNALING_NAN && b && b->kind == SIGNALING_NAN) chosen = b;
    if (chosen->kind == SIGNALING_NAN) context->status |= INVALID_OPERATION;
    *done = number_round(result, chosen, context);
    result->kind = QUIET_NAN;
    return true;
}
