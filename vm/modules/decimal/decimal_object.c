// Decimals made of numbers, and numbers of values: Decimals, ints, floats, texts and tuples.
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int_view.h"
#include "objects/numbers/number_text.h"
#include "objects/operators.h"
#include "objects/upcalls.h"
#include "vm/modules/decimal/decimal.h"

#include <math.h>

Value decimal_make(Type *type, const Number *number)
{
    size_t bytes = sizeof(DecimalObject) + number->size * sizeof(Limb9);
    DecimalObject *made = type == &decimal_type ? object_alloc_unfilled(type, bytes)
                                                : object_alloc(type, number->size);
    if (!made) return VALUE_ERROR;
    made->hash = -1;
    made->kind = (uint8_t)number->kind;
    made->negative = number->negative;
    made->exponent = number->exponent;
    made->size = number->size;
    memcpy(made->limbs, number->limbs, number->size * sizeof(Limb9));
    return own(made);
}

Value decimal_from_small(int64_t integer)
{
    Number number;
    number_begin(&number);
    number_set_int(&number, integer);
    return decimal_new(&number);
}

Value attribute_of(const char *module_name, const char *name)
{
    Value module = upcalls.import(module_name), key = module ? str_intern(name) : VALUE_ERROR;
    Value found = key ? object_get(module, key) : VALUE_ERROR;
    drop(key);
    drop(module);
    return found;
}

// ---- ints

bool int64_from(ValueRef integer, int64_t *number)
{
    return !int_as_int64_clamped(integer, number) ||
           raise_error(OverflowError, "Python int too large to convert to C ssize_t");
}

// A large int goes through its decimal digits, which take less than quadratic time.
static bool number_from_large_int(Number *number, ValueRef integer)
{
    IntView view;
    int_view(integer, &view);
    char *text = memory_alloc(bigint_decimal_size(view.limbs, view.size));
    size_t digits;
    if (!text) return raise_memory_error();
    Context exact = context_for_exact();
    bool done = bigint_to_decimal(view.limbs, view.size, text, &digits) &&
                number_from_text(number, text, digits, true, &exact);
    memory_free(text);
    number->negative = view.negative;
    return done;
}

bool number_from_int(Number *number, ValueRef integer)
{
    int64_t small;
    if (is_object(integer) && int_as_int64_clamped(integer, &small))
        return number_from_large_int(number, integer);
    number_set_int(number, is_object(integer) ? small : bool_or_small_value(integer));
    return true;
}

bool is_operand(ValueRef value)
{
    return decimal_check(value) || int_check(value);
}

bool operand_from(Number *number, ValueRef value)
{
    if (decimal_check(value)) {
        decimal_lend(number, value);
        return true;
    }
    number_begin(number);
    if (int_check(value)) return number_from_int(number, value);
    return raise_error(TypeError, "conversion from %T to Decimal is not supported", value);
}

static Value int_from_digits_of(const Number *number, size_t digits, size_t zeros)
{
    size_t count = digits + zeros, limbs = bigint_digits_limbs(count, 10), size;
    char *text = memory_alloc(count + 1);
    BigInt *made = text ? bigint_new(limbs) : NULL;
    if (!made) {
        memory_free(text);
        return text ? VALUE_ERROR : raise_memory_error();
    }
    write_digits(text, number->limbs, number->size, (int64_t)digits);
    for (size_t i = 0; i < digits; i++) text[i] = (char)(text[i] - '0');
    memset(text + digits, 0, zeros);
    bool done = bigint_from_digits((const unsigned char *)text, count, 10, made->limbs, &size);
    memory_free(text);
    if (done) return bigint_finish(made, size, number->negative);
    drop(own(made));
    return VALUE_ERROR;
}

Value int_from_number(const Number *number)
{
    Number whole;
    int64_t small;
    number_begin(&whole);
    Value result = VALUE_ERROR;
    if (number_truncate(&whole, number)) {
        int64_t digits = number_digits(&whole);
        if (number_as_int64(&whole, &small))
            result = int_new(small);
        else if (whole.exponent > PTRDIFF_MAX - digits - 1)
            raise_memory_error();
        else
            result = int_from_digits_of(&whole, (size_t)digits, (size_t)whole.exponent);
    }
    number_end(&whole);
    return result;
}

// ---- floats

bool number_from_double(Number *number, double value)
{
    if (!isfinite(value)) {
        number_set_special(number, isnan(value) ? QUIET_NAN : INFINITE, value < 0);
        return true;
    }
    int exponent;
    double fraction = frexp(value, &exponent);
    uint64_t mantissa = (uint64_t)ldexp(fabs(fraction), 53);
    for (exponent -= 53; mantissa && !(mantissa & 1); exponent++) mantissa >>= 1;
    if (!mantissa) exponent = 0;
    number_set_small(number, mantissa, exponent < 0 ? exponent : 0);
    number->negative = signbit(value);
    if (exponent >= 0) return number_multiply_by_power(number, 2, exponent);
    return number_multiply_by_power(number, 5, -exponent);
}

bool number_from_real(Number *number, ValueRef value)
{
    if (int_check(value)) return number_from_int(number, value);
    if (float_check(value)) return number_from_double(number, float_value(value));
    return raise_error(TypeError, "argument must be int or float");
}

// ---- texts

// `exact`: spaces around the number and underscores in it are left out.
static bool number_from_str(Number *number, ValueRef value, bool exact, Context *work)
{
    NumberText source;
    if (!number_text_open(value, &source)) return false;
    const char *text = source.text;
    size_t size = source.size;
    char *joined = NULL;
    if (exact) {
        for (; size && is_ascii_space(*text); size--) text++;
        while (size && is_ascii_space(text[size - 1])) size--;
        if (memchr(text, '_', size)) {
            joined = memory_alloc(size);
            if (!joined) {
                number_text_close(&source);
                return raise_memory_error();
            }
            size_t kept = 0;
            for (size_t i = 0; i < size; i++)
                if (text[i] != '_') joined[kept++] = text[i];
            text = joined;
            size = kept;
        }
    }
    bool done = number_from_text(number, text, size, exact, work);
    memory_free(joined);
    number_text_close(&source);
    return done;
}

// ---- tuples: (sign, digits, exponent)

// A list or a tuple is not asked for its items, whatever its class says.
static Value items_of(ValueRef sequence)
{
    if (tuple_check(sequence)) return retain(sequence);
    return list_check(sequence) ? list_to_tuple(sequence) : sequence_tuple(sequence);
}

static bool set_digits(Number *number, ValueRef digits)
{
    static const char refusal[] = "coefficient must be a tuple of digits";
    ssize_t count = tuple_size(digits);
    int64_t limbs = limbs_for_digits(count);
    if (!number_reserve(number, limbs)) return false;
    memset(number->limbs, 0, (size_t)limbs * sizeof(Limb9));
    for (ssize_t i = 0; i < count; i++) {
        ValueRef digit = tuple_at(digits, i);
        int64_t value;
        if (!int_check(digit)) return raise_error(ValueError, refusal);
        if (int_as_int64_clamped(digit, &value) || value < 0 || value > 9)
            return raise_error(ValueError, refusal);
        Limb9 *limb = &number->limbs[(count - 1 - i) / LIMB9_DIGITS];
        *limb = *limb * 10 + (Limb9)value;
    }
    number->size = (size_t)limbs;
    number_normalize(number);
    return true;
}

// What the third item says: an exponent, or what kind of number it is.
static bool set_kind(Number *number, ValueRef third)
{
    if (str_check(third)) {
        if (str_equal_ascii(third, "F"))
            number->kind = INFINITE;
        else if (str_equal_ascii(third, "n"))
            number->kind = QUIET_NAN;
        else if (str_equal_ascii(third, "N"))
            number->kind = SIGNALING_NAN;
        else
            return raise_error(ValueError, "string argument in the third position must be 'F', "
                                           "'n' or 'N'");
        return true;
    }
    if (!int_check(third)) return raise_error(ValueError, "exponent must be an integer");
    return int64_from(third, &number->exponent);
}

static bool number_from_tuple(Number *number, ValueRef tuple)
{
    int64_t sign;
    if (tuple_size(tuple) != 3)
        return raise_error(ValueError, "argument must be a sequence of length 3");
    ValueRef first = tuple_at(tuple, 0), second = tuple_at(tuple, 1);
    if (!int_check(first) || int_as_int64_clamped(first, &sign) || (sign != 0 && sign != 1))
        return raise_error(ValueError, "sign must be an integer with the value 0 or 1");
    number->negative = sign;
    if (!set_kind(number, tuple_at(tuple, 2))) return false;
    if (!tuple_check(second) && !list_check(second))
        return raise_error(ValueError, "coefficient must be a tuple of digits");
    Value digits = items_of(second);
    bool done = digits && set_digits(number, digits);
    drop(digits);
    if (number->kind == INFINITE) number->size = 0;
    return done;
}

// A tuple, rounded as the same number in text would be.
static bool number_from_sequence(Number *number, ValueRef value, bool exact, Context *work)
{
    Value tuple = items_of(value);
    bool done = tuple && number_from_tuple(number, tuple);
    drop(tuple);
    if (!done) return false;
    Context largest = context_for_exact();
    const Context *limits = exact ? &largest : work;
    if (is_nan(number) && limbs_digits(number->limbs, number->size) > limits->prec - limits->clamp)
        return number_invalid(number, CONVERSION_SYNTAX, work);
    return exact ? number_finish_exactly(number, work) : number_finish(number, work);
}

// ---- any of them

// A copy of a Decimal; in a context, rounded.
static bool number_from_decimal(Number *number, ValueRef value, bool exact, Context *work)
{
    Number lent;
    decimal_lend(&lent, value);
    if (exact) return number_copy(number, &lent);
    if (is_nan(&lent) && limbs_digits(lent.limbs, lent.size) > work->prec - work->clamp)
        return number_invalid(number, CONVERSION_SYNTAX, work);
    return number_round(number, &lent, work);
}

bool number_from_value(Number *number, ValueRef value, bool exact, ContextObject *context,
                       Context *work)
{
    if (!value) return true;
    if (decimal_check(value)) return number_from_decimal(number, value, exact, work);
    if (str_check(value)) return number_from_str(number, value, exact, work);
    if (int_check(value)) {
        if (!number_from_int(number, value)) return false;
        return exact || number_finish(number, work);
    }
    if (tuple_check(value) || list_check(value))
        return number_from_sequence(number, value, exact, work);
    if (!float_check(value))
        return raise_error(TypeError, "conversion from %T to Decimal is not supported", value);
    if (!context_raise(context, FLOAT_OPERATION)) return false;
    if (!number_from_double(number, float_value(value))) return false;
    return exact || number_finish(number, work);
}
