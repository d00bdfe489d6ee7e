// The type float: slots, methods, conversion from other numbers.
//
// A float is the double in the word itself. A NaN (which has an identity) and every instance of a
// subclass is a heap Float. Arithmetic also takes an int as either operand; comparing with an int
// is exact, however large the int is. float_text.c has the text, dtoa.c the digits.
#include "objects/numbers/float.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/dtoa.h"
#include "objects/numbers/float_formats.h"
#include "objects/numbers/float_text.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/format.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#include <errno.h>
#include <math.h>

#define HASH_BITS 61
#define HASH_MODULUS (((uint64_t)1 << HASH_BITS) - 1)
#define HASH_INFINITY 314159

// ---- making

static Value heap_float(Type *type, double number)
{
    Float *made = object_alloc(type, 0);
    if (made) made->number = number;
    return own(made);
}

Value float_new_nan(double nan)
{
    return heap_float(&float_type, nan);
}

static Value exact(ValueRef self)
{
    return float_check_exact(self) ? retain(self) : float_new(float_value(self));
}

static Value float_type_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (type == &float_type && !args_no_keywords("float", kwnames)) return VALUE_ERROR;
    if (!args_check("float", nargs, 0, 0, 1)) return VALUE_ERROR;
    Value number = nargs ? object_float(args[0]) : from_double(0.0);
    if (!number || type == &float_type) return number;
    Value made = heap_float(type, float_value(number));
    drop(number);
    return made;
}

// ---- from other numbers

static bool from_float_method(ValueRef value, double *number)
{
    Value made = type_of(value)->float_(value);
    if (!made) return false;
    bool fine = true;
    if (!float_check(made)) {
        raise_error(TypeError, "%.50T.__float__ returned non-float (type %.50T)", value, made);
        fine = false;
    } else if (!float_check_exact(made)) {
        fine = warn(DeprecationWarning, 1,
                    "%.50T.__float__ returned non-float (type %.50T).  The ability to return an "
                    "instance of a strict subclass of float is deprecated, and may not be "
                    "supported in a future version of Python.",
                    value, made);
    }
    if (fine) *number = float_value(made);
    drop(made);
    return fine;
}

static bool from_index_method(ValueRef value, double *number)
{
    Value index = object_index(value);
    if (!index) return false;
    bool fine = int_as_double(index, number);
    drop(index);
    return fine;
}

bool float_from_value(ValueRef value, double *number)
{
    if (float_check(value)) {
        *number = float_value(value);
        return true;
    }
    if (int_check_exact(value)) return int_as_double(value, number);
    const Type *type = type_of(value);
    if (type->float_) return from_float_method(value, number);
    if (type->index) return from_index_method(value, number);
    return raise_error(TypeError, "must be real number, not %.50T", value);
}

// ---- arithmetic

typedef enum Operands { OPERANDS_FAILED, OPERANDS_FOREIGN, OPERANDS_READ } Operands;

static inline Operands read_operand(ValueRef value, double *number)
{
    if (float_check(value)) {
        *number = float_value(value);
        return OPERANDS_READ;
    }
    if (!int_check(value)) return OPERANDS_FOREIGN;
    return int_as_double(value, number) ? OPERANDS_READ : OPERANDS_FAILED;
}

static inline Operands read_operands(ValueRef left, ValueRef right, double *a, double *b)
{
    Operands state = read_operand(left, a);
    return state == OPERANDS_READ ? read_operand(right, b) : state;
}

// The result of a slot if read_operands() did not read both operands.
static inline Value not_read(Operands state)
{
    return state == OPERANDS_FAILED ? VALUE_ERROR : NOT_IMPLEMENTED;
}

static Value slot_add(ValueRef left, ValueRef right)
{
    double a, b;
    Operands state = read_operands(left, right, &a, &b);
    return state == OPERANDS_READ ? float_new(a + b) : not_read(state);
}

static Value slot_subtract(ValueRef left, ValueRef right)
{
    double a, b;
    Operands state = read_operands(left, right, &a, &b);
    return state == OPERANDS_READ ? float_new(a - b) : not_read(state);
}

static Value slot_multiply(ValueRef left, ValueRef right)
{
    double a, b;
    Operands state = read_operands(left, right, &a, &b);
    return state == OPERANDS_READ ? float_new(a * b) : not_read(state);
}

static Value slot_true_divide(ValueRef left, ValueRef right)
{
    double a, b;
    Operands state = read_operands(left, right, &a, &b);
    if (state != OPERANDS_READ) return not_read(state);
    if (b == 0.0) return raise_error(ZeroDivisionError, "float division by zero");
    return float_new(a / b);
}

double double_remainder(double a, double b)
{
    double rest = fmod(a, b);
    if (rest == 0.0) return copysign(0.0, b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
}

static double floor_quotient(double a, double b, double *remainder)
{
    double rest = fmod(a, b), quotient = (a - rest) / b;
    if (rest == 0.0) {
        rest = copysign(0.0, b);
    } else if ((b < 0) != (rest < 0)) {
        rest += b;
        quotient -= 1.0;
    }
    *remainder = rest;
    if (quotient == 0.0) return copysign(0.0, a / b);
    double floored = floor(quotient);
    return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

static Value divmod_doubles(double a, double b)
{
    if (b == 0.0) return raise_error(ZeroDivisionError, "float divmod()");
    double rest, quotient = floor_quotient(a, b, &rest);
    Value pair[2] = {float_new(quotient), float_new(rest)};
    if (pair[0] && pair[1]) return tuple_from_owned(pair, 2);
    if (pair[0]) drop(pair[0]);
    if (pair[1]) drop(pair[1]);
    return VALUE_ERROR;
}

static Value slot_remainder(ValueRef left, ValueRef right)
{
    double a, b;
    Operands state = read_operands(left, right, &a, &b);
    if (state != OPERANDS_READ) return not_read(state);
    if (b == 0.0) return raise_error(ZeroDivisionError, "float modulo");
    return float_new(double_remainder(a, b));
}

static Value slot_divmod(ValueRef left, ValueRef right)
{
    double a, b;
    Operands state = read_operands(left, right, &a, &b);
    return state == OPERANDS_READ ? divmod_doubles(a, b) : not_read(state);
}

static Value slot_floor_divide(ValueRef left, ValueRef right)
{
    double a, b, rest;
    Operands state = read_operands(left, right, &a, &b);
    if (state != OPERANDS_READ) return not_read(state);
    if (b == 0.0) return raise_error(ZeroDivisionError, "float floor division by zero");
    return float_new(floor_quotient(a, b, &rest));
}

static bool is_odd_integer(double number)
{
    return fmod(fabs(number), 2.0) == 1.0;
}

// OverflowError(34, 'Numerical result out of range'), as from errno.
static Value raise_range_error(void)
{
    Value text = str_new("Numerical result out of range");
    if (!text) return VALUE_ERROR;
    Value error = object_call_two(ref_of(OverflowError), from_small(ERANGE), text);
    drop(text);
    if (!error) return VALUE_ERROR;
    raise_value(error);
    drop(error);
    return VALUE_ERROR;
}

// a ** b where b is infinite.
static double power_to_infinity(double a, double b)
{
    a = fabs(a);
    if (a == 1.0) return 1.0;
    return (b > 0.0) == (a > 1.0) ? fabs(b) : 0.0;
}

// a ** b where a is infinite or zero, and that is no error.
static double power_of_extreme(double a, double b)
{
    bool odd = is_odd_integer(b);
    if (b > 0.0) return odd ? a : fabs(a);
    return odd ? copysign(0.0, a) : 0.0;
}

// All cases that the pow() of some C library gets wrong are handled before it is called.
Value float_power(double a, double b)
{
    if (b == 0.0) return from_double(1.0);
    if (isnan(a)) return float_new(a);
    if (isnan(b)) return a == 1.0 ? from_double(1.0) : float_new(b);
    if (isinf(b)) return from_double(power_to_infinity(a, b));
    if (isinf(a)) return from_double(power_of_extreme(a, b));
    if (a == 0.0) {
        if (b > 0.0) return from_double(power_of_extreme(a, b));
        return raise_error(ZeroDivisionError, "0.0 cannot be raised to a negative power");
    }
    bool negative = false;
    if (a < 0.0) {
        if (b != floor(b)) return complex_power(a, 0.0, b, 0.0);
        a = -a;
        negative = is_odd_integer(b);
    }
    double result = a == 1.0 ? 1.0 : pow(a, b);
    if (isinf(result)) return raise_range_error();
    return float_new(negative ? -result : result);
}

static Value slot_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    double a, b;
    if (modulus != NONE)
        return raise_error(TypeError, "pow() 3rd argument not allowed unless all arguments are "
                                      "integers");
    Operands state = read_operands(base, exponent, &a, &b);
    return state == OPERANDS_READ ? float_power(a, b) : not_read(state);
}

static Value slot_negative(ValueRef self)
{
    return float_new(-float_value(self));
}

static Value slot_absolute(ValueRef self)
{
    return float_new(fabs(float_value(self)));
}

static bool slot_truth(ValueRef self, bool *truth)
{
    *truth = float_value(self) != 0.0;
    return true;
}

static Value slot_int(ValueRef self)
{
    return int_from_double(float_value(self));
}

// ---- comparing

static bool order_of_doubles(double a, double b, CompareOp op)
{
    switch (op) {
    case COMPARE_LT: return a < b;
    case COMPARE_LE: return a <= b;
    case COMPARE_EQ: return a == b;
    case COMPARE_NE: return a != b;
    case COMPARE_GT: return a > b;
    default: return a >= b;
    }
}

// Compares a finite number with an int of any size: the integral parts, then the fraction of the
// number.
static bool compare_with_int(double number, ValueRef integer, int *order)
{
    int64_t bits = int_bit_length(integer);
    int exponent;
    frexp(number, &exponent);
    int sign = (number > 0) - (number < 0), other_sign = int_sign(integer);
    if (sign != other_sign) {
        *order = sign < other_sign ? -1 : 1;
        return true;
    }
    if (exponent != bits) {
        *order = exponent < bits ? -sign : sign;
        return true;
    }
    double fraction = number - trunc(number);
    Value whole = int_from_double(number);
    if (!whole) return false;
    *order = int_compare(whole, integer);
    drop(whole);
    if (!*order) *order = (fraction > 0) - (fraction < 0);
    return true;
}

static Value slot_compare(ValueRef left, ValueRef right, CompareOp op)
{
    double a = float_value(left), b;
    int order;
    if (float_check(right)) {
        b = float_value(right);
    } else if (is_small(right)) {
        b = (double)small_value(right);
    } else if (!int_check(right)) {
        return NOT_IMPLEMENTED;
    } else if (a - a != 0.0) {
        b = 0.0; // infinities and NaN compare with every int as with this one
    } else {
        if (!compare_with_int(a, right, &order)) return VALUE_ERROR;
        a = order;
        b = 0.0;
    }
    return from_bool(order_of_doubles(a, b, op));
}

// The hash of an equal int, extended to fractions: multiplying by 2 modulo 2^61 - 1 rotates the 61
// bits by one bit.
int64_t double_hash(double number)
{
    if (number != number) return 0;
    if (number - number != 0.0) return number > 0 ? HASH_INFINITY : -HASH_INFINITY;
    int exponent;
    uint64_t hash = double_split(number, &exponent);
    int turn = exponent % HASH_BITS;
    if (turn < 0) turn += HASH_BITS;
    if (turn) hash = (hash << turn & HASH_MODULUS) | hash >> (HASH_BITS - turn);
    if (hash == HASH_MODULUS) hash = 0;
    int64_t result = number < 0 ? -(int64_t)hash : (int64_t)hash;
    return result == -1 ? -2 : result;
}

static bool slot_hash(ValueRef self, int64_t *hash)
{
    *hash = double_hash(float_value(self));
    return true;
}

static Value slot_repr(ValueRef self)
{
    char text[32];
    double_repr(float_value(self), text);
    return str_from_latin1(text, strlen(text));
}

// ---- methods

static Value method_self(ValueRef self, METHOD_ARGS)
{
    return exact(self);
}

static Value method_trunc(ValueRef self, METHOD_ARGS)
{
    return slot_int(self);
}

static Value method_floor(ValueRef self, METHOD_ARGS)
{
    return int_from_double(floor(float_value(self)));
}

static Value method_ceil(ValueRef self, METHOD_ARGS)
{
    return int_from_double(ceil(float_value(self)));
}

static double round_half_even(double number)
{
    double rounded = round(number);
    return fabs(number - rounded) == 0.5 ? 2.0 * round(number / 2.0) : rounded;
}

static Value method_round(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)kwnames;
    double number = float_value(self);
    if (!nargs || args[0] == NONE) return int_from_double(round_half_even(number));
    ssize_t digits;
    if (!object_as_ssize(args[0], &digits, NULL)) return VALUE_ERROR;
    if (digits > 400) digits = 400;
    if (digits < -400) digits = -400;
    double rounded = double_round(number, (int)digits);
    if (isinf(rounded) && !isinf(number))
        return raise_error(OverflowError, "rounded value too large to represent");
    return float_new(rounded);
}

// numerator / denominator of a finite number.
static Value integer_ratio(double number)
{
    int exponent;
    double mantissa = frexp(number, &exponent);
    for (int i = 0; i < 300 && mantissa != floor(mantissa); i++) {
        mantissa *= 2.0;
        exponent--;
    }
    Value numerator = int_from_double(mantissa), one = from_small(1), pair = VALUE_ERROR;
    Value power = int_lshift(one, from_small(exponent < 0 ? -exponent : exponent));
    if (numerator && power && exponent > 0) {
        replace_slot(&numerator, int_multiply(numerator, power));
        replace_slot(&power, one);
    }
    if (numerator && power) pair = tuple_pack(2, numerator, power);
    if (numerator) drop(numerator);
    if (power) drop(power);
    return pair;
}

static Value method_as_integer_ratio(ValueRef self, METHOD_ARGS)
{
    double number = float_value(self);
    if (isinf(number))
        return raise_error(OverflowError, "cannot convert Infinity to integer ratio");
    if (isnan(number)) return raise_error(ValueError, "cannot convert NaN to integer ratio");
    return integer_ratio(number);
}

static Value method_is_integer(ValueRef self, METHOD_ARGS)
{
    double number = float_value(self);
    return from_bool(isfinite(number) && floor(number) == number);
}

static Value method_hex(ValueRef self, METHOD_ARGS)
{
    return double_to_hex(float_value(self));
}

static Value method_fromhex(ValueRef self, METHOD_ARGS)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "bad argument type for built-in operation");
    double number;
    if (!double_from_hex(args[0], &number)) return VALUE_ERROR;
    Value made = float_new(number);
    if (!made || as_type(self) == &float_type) return made;
    Value result = object_call_one(self, made);
    drop(made);
    return result;
}

static Value method_getnewargs(ValueRef self, METHOD_ARGS)
{
    Value number = exact(self);
    if (!number) return VALUE_ERROR;
    return tuple_from_owned(&number, 1);
}

static Value method_format(ValueRef self, METHOD_ARGS)
{
    return float_format(self, args[0]);
}

static Value get_zero(ValueRef self)
{
    (void)self;
    return from_double(0.0);
}

static const MethodDef float_methods[] = {
    {"conjugate", method_self, NO_ARGS, NULL},
    {"__trunc__", method_trunc, NO_ARGS, NULL},
    {"__floor__", method_floor, NO_ARGS, NULL},
    {"__ceil__", method_ceil, NO_ARGS, NULL},
    {"__round__", method_round, ARGS(0, 1), NULL},
    {"as_integer_ratio", method_as_integer_ratio, NO_ARGS,
     "as_integer_ratio($self, /)\n--\n\nThe number as a fraction, exactly.\n\n"
     ">>> (0.75).as_integer_ratio()\n(3, 4)"},
    {"fromhex", method_fromhex, METHOD_ONE, METHOD_CLASS, 1, 1,
     "fromhex($type, string, /)\n--\n\nA float of hexadecimal digits.\n\n"
     ">>> float.fromhex('0x1.8p+1')\n3.0"},
    {"hex", method_hex, NO_ARGS,
     "hex($self, /)\n--\n\nThe number in hexadecimal digits, exactly.\n\n"
     ">>> (3.0).hex()\n'0x1.8000000000000p+1'"},
    {"is_integer", method_is_integer, NO_ARGS, NULL},
    {"__getnewargs__", method_getnewargs, NO_ARGS, NULL},
    {"__getformat__", float_getformat, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {"__setformat__", float_setformat, METHOD_POSITIONAL, METHOD_CLASS, 2, 2, NULL},
    {"__format__", method_format, ONE_ARG, NULL},
    {0},
};

static const GetSetDef float_getset[] = {
    {"real", exact, NULL, NULL},
    {"imag", get_zero, NULL, NULL},
    {0},
};

Type float_type = {
    STATIC_TYPE("float", sizeof(Float)),
    .flags = TYPE_BASE | TYPE_FLOAT | TYPE_LEAF,
    .methods = float_methods,
    .getset = float_getset,
    .new_ = float_type_new,
    .repr = slot_repr,
    .hash = slot_hash,
    .compare = slot_compare,
    .getattribute = object_generic_get,
    .add = slot_add,
    .subtract = slot_subtract,
    .multiply = slot_multiply,
    .remainder = slot_remainder,
    .divmod = slot_divmod,
    .power = slot_power,
    .negative = slot_negative,
    .positive = exact,
    .absolute = slot_absolute,
    .truth = slot_truth,
    .int_ = slot_int,
    .float_ = exact,
    .floor_divide = slot_floor_divide,
    .true_divide = slot_true_divide,
};
