// The storage of a number, and small questions about one. See decimal_number.h.
#include "vm/modules/decimal/decimal_number.h"

#include "objects/error.h"
#include "objects/memory.h"

Context context_for_work(int64_t prec)
{
    return (Context){.prec = prec, .emax = MAX_EMAX, .emin = MIN_EMIN, .rounding = ROUND_HALF_EVEN};
}

// ---- storage

void number_free(Number *number)
{
    memory_free(number->limbs);
    number->limbs = number->few;
    number->capacity = FEW_LIMBS;
}

bool number_grow(Number *number, int64_t limbs)
{
    if (limbs <= (int64_t)number->capacity) return true;
    if ((uint64_t)limbs > PTRDIFF_MAX / sizeof(Limb9)) return raise_memory_error();
    bool is_few = number->capacity <= FEW_LIMBS;
    Limb9 *grown = is_few ? memory_alloc((size_t)limbs * sizeof(Limb9))
                          : memory_resize(number->limbs, (size_t)limbs * sizeof(Limb9));
    if (!grown) return raise_memory_error();
    if (is_few) memcpy(grown, number->limbs, number->size * sizeof(Limb9));
    number->limbs = grown;
    number->capacity = (size_t)limbs;
    return true;
}

bool number_reserve(Number *number, int64_t limbs)
{
    number->size = 0;
    return number_grow(number, limbs);
}

bool number_copy(Number *result, const Number *a)
{
    if (!number_reserve(result, (int64_t)a->size)) return false;
    result->kind = a->kind;
    result->negative = a->negative;
    result->exponent = a->exponent;
    result->size = a->size;
    memcpy(result->limbs, a->limbs, a->size * sizeof(Limb9));
    return true;
}

void number_swap(Number *a, Number *b)
{
    bool a_few = a->limbs == a->few, b_few = b->limbs == b->few;
    Number kept = *a;
    *a = *b;
    *b = kept;
    if (b_few) a->limbs = a->few;
    if (a_few) b->limbs = b->few;
}

void number_set_special(Number *number, NumberKind kind, bool negative)
{
    number->kind = kind;
    number->negative = negative;
    number->exponent = 0;
    number->size = 0;
}

void number_set_small(Number *number, uint64_t coefficient, int64_t exponent)
{
    number->kind = FINITE;
    number->negative = false;
    number->exponent = exponent;
    for (number->size = 0; coefficient; coefficient /= LIMB9_BASE)
        number->limbs[number->size++] = (Limb9)(coefficient % LIMB9_BASE);
}

void number_set_int(Number *number, int64_t integer)
{
    number_set_small(number, integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer, 0);
    number->negative = integer < 0;
}

bool number_set_padded_one(Number *number, int64_t digits)
{
    number_set_small(number, 1, 1 - digits);
    return number_shift_left(number, digits - 1);
}

bool number_set_nines(Number *number, int64_t digits, int64_t exponent)
{
    int64_t limbs = limbs_for_digits(digits);
    if (!number_reserve(number, limbs)) return false;
    number->kind = FINITE;
    number->exponent = exponent;
    number->size = (size_t)limbs;
    for (size_t i = 0; i < number->size; i++) number->limbs[i] = LIMB9_BASE - 1;
    int64_t above = limbs * LIMB9_DIGITS - digits;
    if (above) number->limbs[limbs - 1] = powers_of_ten[LIMB9_DIGITS - above] - 1;
    return true;
}

// ---- digits

bool number_shift_left(Number *number, int64_t digits)
{
    if (!number->size || digits <= 0) return true;
    int64_t room = (int64_t)number->size + limbs_for_digits(digits);
    if (!number_grow(number, room)) return false;
    limbs_shift_left(number->limbs, number->limbs, number->size, digits);
    number->size = (size_t)room;
    number_normalize(number);
    return true;
}

int number_shift_right(Number *number, int64_t digits)
{
    int cut = limbs_shift_right(number->limbs, number->limbs, number->size, digits);
    int64_t limbs = digits / LIMB9_DIGITS;
    number->size = limbs < (int64_t)number->size ? number->size - (size_t)limbs : 0;
    number_normalize(number);
    return cut;
}

void number_increment(Number *number)
{
    if (limbs_add_limb(number->limbs, number->size, 1) || !number->size)
        number->limbs[number->size++] = 1;
}

bool number_is_integer(const Number *a)
{
    if (is_special(a)) return false;
    if (!a->size || a->exponent >= 0) return true;
    if (number_adjusted(a) < 0) return false;
    return limbs_trailing_zeros(a->limbs, a->size) >= -a->exponent;
}

bool number_is_odd(const Number *a)
{
    if (!a->size || a->exponent > 0 || number_adjusted(a) < 0) return false;
    return limbs_digit_at(a->limbs, -a->exponent) % 2;
}

bool number_is_power_of_ten(const Number *a)
{
    return a->size && limbs_trailing_zeros(a->limbs, a->size) == number_digits(a) - 1 &&
           limbs_digit_at(a->limbs, number_digits(a) - 1) == 1;
}

bool number_as_int64(const Number *a, int64_t *integer)
{
    if (!number_is_integer(a) || (a->size && number_adjusted(a) > 18)) return false;
    uint64_t magnitude = 0;
    for (int64_t i = number_digits(a) - 1; a->size && i >= 0 && i + a->exponent >= 0; i--)
        magnitude = magnitude * 10 + (uint64_t)limbs_digit_at(a->limbs, i);
    if (a->size)
        for (int64_t i = 0; i < a->exponent; i++) magnitude *= 10;
    if (magnitude > (uint64_t)INT64_MAX + a->negative) return false;
    *integer = (int64_t)(a->negative ? 0 - magnitude : magnitude);
    return true;
}
