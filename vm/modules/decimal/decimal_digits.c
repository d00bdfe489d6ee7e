// Operations that are about the digits of a number: its exponent changed, zeros cut off, digits
// shifted and rotated, and numbers of zeros and ones as rows of bits.
#include "vm/modules/decimal/decimal_number.h"

#include "objects/error.h"

// ---- the exponent

// Cuts -shift digits off and rounds, or adds zeros; returns what happened in *status.
static bool move_point(Number *number, int64_t shift, Rounding rounding, uint32_t *status)
{
    number->exponent -= shift;
    if (shift >= 0) return number_shift_left(number, shift);
    int cut = number_shift_right(number, -shift);
    *status |= cut ? ROUNDED | INEXACT : ROUNDED;
    if (!rounds_up(number, cut, rounding)) return true;
    if (!number_grow(number, (int64_t)number->size + 1)) return false;
    number_increment(number);
    return true;
}

bool number_quantize(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done;
    uint32_t status = 0;
    if (takes_nan(result, a, b, context, &done)) return done;
    if (is_special(a) && is_special(b)) return number_copy(result, a);
    int64_t exponent = b->exponent;
    if (is_special(a) || is_special(b) || exponent > context->emax ||
        exponent < context_etiny(context))
        return number_invalid(result, INVALID_OPERATION, context);
    int64_t shift = a->exponent - exponent;
    if (a->size && number_digits(a) + shift > context->prec)
        return number_invalid(result, INVALID_OPERATION, context);
    if (!number_copy(result, a)) return false;
    if (!a->size)
        result->exponent = exponent;
    else if (!move_point(result, shift, context->rounding, &status))
        return false;
    if (result->size &&
        (number_adjusted(result) > context->emax || number_digits(result) > context->prec))
        return number_invalid(result, INVALID_OPERATION, context);
    context->status |= status;
    return number_finish(result, context);
}

bool number_rescale(Number *number, int64_t exponent, Context *context)
{
    if (is_special(number)) return true;
    int64_t shift = number->exponent - exponent;
    if (exponent > MAX_EMAX + 1 || exponent < MIN_ETINY - 1 ||
        (number->size && number_digits(number) + shift > MAX_PREC + 1))
        return number_invalid(number, INVALID_OPERATION, context);
    if (!number->size) {
        number->exponent = exponent;
        return true;
    }
    return move_point(number, shift, context->rounding, &context->status);
}

static bool to_integral(Number *result, const Number *a, Context *context, uint32_t *status)
{
    bool done;
    if (takes_nan(result, a, NULL, context, &done)) return done;
    if (!number_copy(result, a)) return false;
    if (is_special(a) || a->exponent >= 0) return true;
    if (a->size) return move_point(result, a->exponent, context->rounding, status);
    result->exponent = 0;
    return true;
}

bool number_to_integral_exact(Number *result, const Number *a, Context *context)
{
    return to_integral(result, a, context, &context->status);
}

bool number_to_integral_value(Number *result, const Number *a, Context *context)
{
    uint32_t ignored = 0;
    return to_integral(result, a, context, &ignored);
}

bool number_truncate(Number *result, const Number *a)
{
    Context context = context_for_exact();
    context.rounding = ROUND_DOWN;
    return number_to_integral_value(result, a, &context);
}

bool number_reduce(Number *result, const Number *a, Context *context)
{
    bool done;
    if (takes_nan(result, a, NULL, context, &done)) return done;
    if (!number_round(result, a, context)) return false;
    if (is_special(result)) return true;
    if (!result->size) {
        result->exponent = 0;
        return true;
    }
    int64_t top = context->clamp ? context_etop(context) : context->emax;
    int64_t zeros = limbs_trailing_zeros(result->limbs, result->size);
    if (result->exponent + zeros > top) zeros = top - result->exponent;
    number_shift_right(result, zeros);
    result->exponent += zeros;
    return true;
}

bool number_logb(Number *result, const Number *a, Context *context)
{
    bool done;
    if (takes_nan(result, a, NULL, context, &done)) return done;
    if (is_special(a)) {
        number_set_special(result, INFINITE, false);
    } else if (!a->size) {
        number_set_special(result, INFINITE, true);
        context->status |= DIVISION_BY_ZERO;
    } else {
        number_set_int(result, number_adjusted(a));
        return number_finish(result, context);
    }
    return true;
}

// The second operand as a number of steps between -most and most: false where it is none.
static bool steps_of(const Number *b, int64_t most, int64_t *steps)
{
    return b->kind == FINITE && b->exponent == 0 && number_as_int64(b, steps) && *steps <= most &&
           *steps >= -most;
}

bool number_scaleb(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done;
    int64_t steps;
    if (takes_nan(result, a, b, context, &done)) return done;
    if (!steps_of(b, 2 * (context->emax + context->prec), &steps))
        return number_invalid(result, INVALID_OPERATION, context);
    if (!number_copy(result, a)) return false;
    if (is_special(a)) return true;
    result->exponent += steps;
    return number_finish(result, context);
}

// ---- shifting and rotating

// Only the last digits stay, as many as the precision.
static void cap(Number *number, const Context *context)
{
    if (number_digits(number) > context->prec)
        number->size = limbs_cut(number->limbs, number->size, context->prec);
}

bool number_shift(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done;
    int64_t steps;
    if (takes_nan(result, a, b, context, &done)) return done;
    if (!steps_of(b, context->prec, &steps))
        return number_invalid(result, INVALID_OPERATION, context);
    if (!number_copy(result, a)) return false;
    if (is_special(a)) return true;
    if (steps >= 0 && !number_shift_left(result, steps)) return false;
    cap(result, context);
    if (steps < 0) number_shift_right(result, -steps);
    return true;
}

bool number_rotate(Number *result, const Number *a, const Number *b, Context *context)
{
    bool done;
    int64_t steps;
    if (takes_nan(result, a, b, context, &done)) return done;
    if (!steps_of(b, context->prec, &steps))
        return number_invalid(result, INVALID_OPERATION, context);
    if (!number_copy(result, a)) return false;
    if (is_special(a)) return true;
    cap(result, context);
    if (steps < 0) steps += context->prec;
    Number upper; // the digits that come round to the other end
    number_begin(&upper);
    done = number_copy(&upper, result);
    if (done) number_shift_right(&upper, context->prec - steps);
    done = done && number_shift_left(result, steps);
    if (done) cap(result, context);
    done = done &&
           number_grow(result, (int64_t)(upper.size > result->size ? upper.size : result->size));
    if (done) {
        for (; result->size < upper.size; result->size++) result->limbs[result->size] = 0;
        limbs_add(result->limbs, result->limbs, result->size, upper.limbs, upper.size);
    }
    number_end(&upper);
    return done;
}

// ---- rows of bits

// Is it a number of zeros and ones only, with the exponent 0?
static bool is_logical(const Number *a)
{
    if (a->kind != FINITE || a->negative || a->exponent) return false;
    for (size_t i = 0; i < a->size; i++)
        for (Limb9 rest = a->limbs[i]; rest; rest /= 10)
            if (rest % 10 > 1) return false;
    return true;
}

typedef enum LogicalOp { LOGICAL_AND, LOGICAL_OR, LOGICAL_XOR } LogicalOp;

static Limb9 combine(Limb9 x, Limb9 y, LogicalOp op)
{
    Limb9 result = 0;
    for (int i = LIMB9_DIGITS - 1; i >= 0; i--) {
        Limb9 p = x / powers_of_ten[i] % 10, q = y / powers_of_ten[i] % 10;
        result = result * 10 + (op == LOGICAL_AND ? p & q : op == LOGICAL_OR ? p | q : p ^ q);
    }
    return result;
}

static bool logical(Number *result, const Number *a, const Number *b, LogicalOp op,
                    Context *context)
{
    if (!is_logical(a) || !is_logical(b)) return number_invalid(result, INVALID_OPERATION, context);
    size_t longer = a->size > b->size ? a->size : b->size;
    if (!number_reserve(result, (int64_t)longer)) return false;
    number_set_zero(result, false, 0);
    for (size_t i = 0; i < longer; i++) {
        Limb9 x = i < a->size ? a->limbs[i] : 0, y = i < b->size ? b->limbs[i] : 0;
        result->limbs[i] = combine(x, y, op);
    }
    result->size = longer;
    number_normalize(result);
    cap(result, context);
    return true;
}

bool number_logical_and(Number *result, const Number *a, const Number *b, Context *context)
{
    return logical(result, a, b, LOGICAL_AND, context);
}

bool number_logical_or(Number *result, const Number *a, const Number *b, Context *context)
{
    return logical(result, a, b, LOGICAL_OR, context);
}

bool number_logical_xor(Number *result, const Number *a, const Number *b, Context *context)
{
    return logical(result, a, b, LOGICAL_XOR, context);
}

bool number_logical_invert(Number *result, const Number *a, Context *context)
{
    if (!is_logical(a)) return number_invalid(result, INVALID_OPERATION, context);
    Number ones;
    number_begin(&ones);
    bool done = number_set_nines(&ones, context->prec, 0);
    if (done) number_divide_small(&ones, 9);
    done = done && logical(result, a, &ones, LOGICAL_XOR, context);
    number_end(&ones);
    return done;
}
