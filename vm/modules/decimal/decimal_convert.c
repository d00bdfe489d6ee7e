// Decimals as ints, floats, ratios, tuples and texts; their order and their hash among all numbers.
#include "objects/containers/tuple.h"
#include "objects/memory.h"
#include "objects/numbers/bigint.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/modules/decimal/decimal.h"

// ---- text

Value decimal_text(ValueRef self, bool engineering, bool capitals)
{
    Number number;
    size_t size;
    decimal_lend(&number, self);
    char *text = number_to_text(&number, engineering, capitals, &size);
    if (!text) return raise_memory_error();
    Value made = str_from_ascii(text, size);
    memory_free(text);
    return made;
}

// ---- ints and ratios

// A special number cannot become what is named.
static bool check_finite(const Number *number, const char *what)
{
    if (is_nan(number)) return raise_error(ValueError, "cannot convert NaN to %s", what);
    if (is_special(number))
        return raise_error(OverflowError, "cannot convert Infinity to %s", what);
    return true;
}

Value decimal_to_int(ValueRef self, Rounding rounding)
{
    Number number, whole;
    decimal_lend(&number, self);
    if (!check_finite(&number, "integer")) return VALUE_ERROR;
    Context work = context_for_exact();
    work.rounding = (uint8_t)rounding;
    number_begin(&whole);
    Value result = VALUE_ERROR;
    if (number_to_integral_value(&whole, &number, &work)) result = int_from_number(&whole);
    number_end(&whole);
    return result;
}

// 10^exponent, an int.
static Value power_of_ten_int(int64_t exponent)
{
    Value power = int_new(exponent);
    Value result = power ? int_power(from_small(10), power, NONE) : VALUE_ERROR;
    drop(power);
    return result;
}

Value decimal_as_integer_ratio(ValueRef self, METHOD_ARGS)
{
    Number number;
    decimal_lend(&number, self);
    if (!check_finite(&number, "integer ratio")) return VALUE_ERROR;
    int64_t below = number.exponent < 0 && number.size ? -number.exponent : 0;
    if (number.exponent < 0) number.exponent = 0;
    if (!number.size) number.exponent = 0;
    Value above = int_from_number(&number), ten = VALUE_ERROR, divisor = VALUE_ERROR;
    if (above) ten = power_of_ten_int(below);
    if (ten) divisor = int_gcd(above, ten);
    if (divisor) {
        replace_slot(&above, int_floor_divide(above, divisor));
        replace_slot(&ten, int_floor_divide(ten, divisor));
    }
    Value pair =
        divisor && above && ten ? tuple_pack(2, (ValueRef)above, (ValueRef)ten) : VALUE_ERROR;
    drop(divisor);
    drop(ten);
    drop(above);
    return pair;
}

// round(self) is an int, half to even; round(self, digits) is a Decimal.
Value decimal_round(ValueRef self, METHOD_ARGS)
{
    int64_t digits;
    if (!nargs) return decimal_to_int(self, ROUND_HALF_EVEN);
    if (!int_check(args[0])) return raise_error(TypeError, "optional arg must be an integer");
    if (!int64_from(args[0], &digits)) return VALUE_ERROR;
    ContextObject *context = current_context();
    if (!context) return VALUE_ERROR;
    Number number, unit, result;
    Context work;
    context_begin(context, &work);
    decimal_lend(&number, self);
    number_begin(&unit);
    number_begin(&result);
    number_set_small(&unit, 1, digits == INT64_MIN ? INT64_MAX : -digits);
    bool done = number_quantize(&result, &number, &unit, &work);
    return finish_operation(done, &result, context, &work);
}

// ---- floats

Value decimal_float(ValueRef self)
{
    Number number;
    decimal_lend(&number, self);
    if (number.kind == SIGNALING_NAN)
        return raise_error(ValueError, "cannot convert signaling NaN to float");
    if (number.kind == QUIET_NAN) number.size = 0;
    size_t size;
    char *text = number_to_text(&number, false, true, &size);
    if (!text) return raise_memory_error();
    Value str = str_from_ascii(text, size);
    memory_free(text);
    Value result = str ? float_from_text(str) : VALUE_ERROR;
    drop(str);
    return result;
}

// ---- tuples

static Value digits_of(const Number *number)
{
    int64_t digits =
        is_special(number) ? limbs_digits(number->limbs, number->size) : number_digits(number);
    Value tuple = tuple_new((ssize_t)digits);
    if (!tuple) return VALUE_ERROR;
    for (int64_t i = 0; i < digits; i++) {
        int digit = number->size ? limbs_digit_at(number->limbs, digits - 1 - i) : 0;
        as_tuple(tuple)->items[i] = from_small(digit);
    }
    return tuple;
}

Value decimal_as_tuple(ValueRef self, METHOD_ARGS)
{
    Number number;
    decimal_lend(&number, self);
    Value exponent, digits;
    if (number.kind == FINITE)
        exponent = int_new(number.exponent);
    else
        exponent = str_new(number.kind == INFINITE ? "F" : number.kind == QUIET_NAN ? "n" : "N");
    if (number.kind == INFINITE)
        digits = tuple_pack(1, (ValueRef)from_small(0));
    else
        digits = digits_of(&number);
    return decimal_tuple(from_small(number.negative), digits, exponent);
}

// ---- hash: the number modulo 2^61 - 1, as that of every number

#define HASH_MODULUS (((uint64_t)1 << 61) - 1)
#define HASH_INFINITY 314159
#define INVERSE_OF_TEN 2075258708292324556ull // times 10 is 1

static uint64_t multiply_modulo(uint64_t a, uint64_t b)
{
    uint64_t high, low = limb_multiply(a, b, &high);
    uint64_t sum = (low & HASH_MODULUS) + (high << 3 | low >> 61);
    return sum >= HASH_MODULUS ? sum - HASH_MODULUS : sum;
}

static uint64_t power_modulo(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = multiply_modulo(result, base);
        base = multiply_modulo(base, base);
    }
    return result;
}

static int64_t hash_finite(const Number *number)
{
    uint64_t hash = 0, exponent = (uint64_t)number->exponent;
    for (size_t i = number->size; i-- > 0;) {
        hash = multiply_modulo(hash, LIMB9_BASE) + number->limbs[i];
        if (hash >= HASH_MODULUS) hash -= HASH_MODULUS;
    }
    if (number->exponent >= 0)
        hash = multiply_modulo(hash, power_modulo(10, exponent));
    else
        hash = multiply_modulo(hash, power_modulo(INVERSE_OF_TEN, 0 - exponent));
    return number->negative ? -(int64_t)hash : (int64_t)hash;
}

bool decimal_hash(ValueRef self, int64_t *hash)
{
    DecimalObject *object = as_decimal(self);
    if (object->hash == -1) {
        Number number;
        decimal_lend(&number, self);
        if (number.kind == SIGNALING_NAN)
            return raise_error(TypeError, "Cannot hash a signaling NaN value");
        if (number.kind == QUIET_NAN)
            object->hash = 0;
        else if (number.kind == INFINITE)
            object->hash = number.negative ? -HASH_INFINITY : HASH_INFINITY;
        else
            object->hash = hash_finite(&number);
        if (object->hash == -1) object->hash = -2;
    }
    *hash = object->hash;
    return true;
}

// ---- the order

// Is it an instance of numbers.Rational?
static bool is_rational(ValueRef value, bool *result)
{
    Value class = attribute_of("numbers", "Rational");
    bool done = class && object_is_instance(value, class, result);
    drop(class);
    return done;
}

// An attribute of a Rational, which must be an int, as a number.
static bool number_from_part(Number *number, ValueRef rational, const char *name)
{
    Value key = str_intern(name), part = key ? object_get(rational, key) : VALUE_ERROR;
    bool done = part && (int_check(part) || raise_error(TypeError, "%s must be an int", name)) &&
                number_from_int(number, part);
    drop(part);
    drop(key);
    return done;
}

// self * denominator and numerator, which have the order of self and the Rational.
static bool scale_to_rational(Number *self, Number *other, ValueRef rational)
{
    if (!number_from_part(other, rational, "numerator")) return false;
    if (is_special(self)) return true;
    Number denominator, scaled;
    number_begin(&denominator);
    number_begin(&scaled);
    bool done = number_from_part(&denominator, rational, "denominator") &&
                number_multiply_exactly(&scaled, self, &denominator);
    if (done) number_swap(self, &scaled);
    number_end(&scaled);
    number_end(&denominator);
    return done;
}

typedef enum Comparable { COMPARABLE, INCOMPARABLE, COMPARE_FAILED } Comparable;

// The other number of a comparison; `self` may be scaled with it.
static Comparable other_number(Number *self, Number *other, ValueRef value, CompareOp op,
                               ContextObject *context)
{
    bool equality = op == COMPARE_EQ || op == COMPARE_NE, is_ratio, done;
    if (decimal_check(value)) {
        decimal_lend(other, value);
        return COMPARABLE;
    }
    if (int_check(value)) {
        done = number_from_int(other, value);
    } else if (float_check(value) || (complex_check(value) && equality)) {
        bool is_float = float_check(value);
        if (!is_float && as_complex(value)->imag != 0) return INCOMPARABLE;
        if (equality)
            *signal_bits(context->flags) |= FLOAT_OPERATION; // never trapped
        else if (!context_raise(context, FLOAT_OPERATION))
            return COMPARE_FAILED;
        done = number_from_double(other, is_float ? float_value(value) : as_complex(value)->real);
    } else {
        if (!is_rational(value, &is_ratio)) return COMPARE_FAILED;
        if (!is_ratio) return INCOMPARABLE;
        done = scale_to_rational(self, other, value);
    }
    return done ? COMPARABLE : COMPARE_FAILED;
}

// With a NaN nothing is true but !=; a signalling one, or an order, is invalid.
static Value compare_nan(const Number *a, const Number *b, CompareOp op, ContextObject *context)
{
    bool signals = a->kind == SIGNALING_NAN || b->kind == SIGNALING_NAN ||
                   (op != COMPARE_EQ && op != COMPARE_NE);
    if (signals && !context_raise(context, INVALID_OPERATION)) return VALUE_ERROR;
    return from_bool(op == COMPARE_NE);
}

Value decimal_compare(ValueRef left, ValueRef right, CompareOp op)
{
    Number self, other;
    ContextObject *context = current_context();
    if (!context) return VALUE_ERROR;
    Value held = retain(ref_of(context)), result = VALUE_ERROR;
    decimal_lend(&self, left);
    number_begin(&other);
    Comparable comparable = other_number(&self, &other, right, op, context);
    if (comparable == INCOMPARABLE)
        result = NOT_IMPLEMENTED;
    else if (comparable == COMPARABLE && (is_nan(&self) || is_nan(&other)))
        result = compare_nan(&self, &other, op, context);
    else if (comparable == COMPARABLE)
        result = order_result(number_order(&self, &other), op);
    number_end(&other);
    number_end(&self);
    drop(held);
    return result;
}
