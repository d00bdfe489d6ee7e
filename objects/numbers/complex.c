// complex: two doubles. Arithmetic also takes a float or an int as either operand.
//
// Division scales by the larger part of the divisor (Smith's method), so that intermediate results
// do not overflow. Powers to small whole numbers are multiplied out; others use the polar form.
// Errors are detected by the result (an infinite part), never by errno.
#include "objects/numbers/complex.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/float.h"
#include "objects/numbers/float_text.h"
#include "objects/numbers/int.h"
#include "objects/numbers/number_text.h"
#include "objects/operators.h"
#include "objects/text/format.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#include <math.h>

#define LARGEST_PLAIN_POWER 100
#define IMAGINARY_FACTOR 1000003 // of the hash

typedef struct Pair {
    double real, imag;
} Pair;

static Value instance(Type *type, double real, double imag)
{
    Complex *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    made->real = real;
    made->imag = imag;
    return own(made);
}

Value complex_new(double real, double imag)
{
    return instance(&complex_type, real, imag);
}

bool complex_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(object_of(value)->type, &complex_type);
}

// ---- operands

static inline Pair pair_of(ValueRef value)
{
    return (Pair){as_complex(value)->real, as_complex(value)->imag};
}

// Reads an operand; if false, the slot returns *answer: VALUE_ERROR or NotImplemented.
static bool read_operand(ValueRef value, Pair *pair, Value *answer)
{
    if (complex_check(value)) {
        *pair = pair_of(value);
        return true;
    }
    pair->imag = 0.0;
    *answer = NOT_IMPLEMENTED;
    if (float_check(value)) {
        pair->real = float_value(value);
        return true;
    }
    if (!int_check(value)) return false;
    *answer = VALUE_ERROR;
    return int_as_double(value, &pair->real);
}

static bool read_operands(ValueRef left, ValueRef right, Pair *a, Pair *b, Value *answer)
{
    return read_operand(left, a, answer) && read_operand(right, b, answer);
}

static Value slot_add(ValueRef left, ValueRef right)
{
    Pair a, b;
    Value answer;
    if (!read_operands(left, right, &a, &b, &answer)) return answer;
    return complex_new(a.real + b.real, a.imag + b.imag);
}

static Value slot_subtract(ValueRef left, ValueRef right)
{
    Pair a, b;
    Value answer;
    if (!read_operands(left, right, &a, &b, &answer)) return answer;
    return complex_new(a.real - b.real, a.imag - b.imag);
}

static Pair product(Pair a, Pair b)
{
    return (Pair){a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}

static Value slot_multiply(ValueRef left, ValueRef right)
{
    Pair a, b;
    Value answer;
    if (!read_operands(left, right, &a, &b, &answer)) return answer;
    Pair result = product(a, b);
    return complex_new(result.real, result.imag);
}

// False for a division by zero.
static bool quotient(Pair a, Pair b, Pair *result)
{
    double real_size = fabs(b.real), imag_size = fabs(b.imag);
    if (real_size >= imag_size) {
        if (real_size == 0.0) return false;
        double ratio = b.imag / b.real, divisor = b.real + b.imag * ratio;
        result->real = (a.real + a.imag * ratio) / divisor;
        result->imag = (a.imag - a.real * ratio) / divisor;
    } else if (imag_size >= real_size) {
        double ratio = b.real / b.imag, divisor = b.real * ratio + b.imag;
        result->real = (a.real * ratio + a.imag) / divisor;
        result->imag = (a.imag * ratio - a.real) / divisor;
    } else {
        result->real = result->imag = NAN;
    }
    return true;
}

static Value slot_true_divide(ValueRef left, ValueRef right)
{
    Pair a, b, result;
    Value answer;
    if (!read_operands(left, right, &a, &b, &answer)) return answer;
    if (!quotient(a, b, &result)) return raise_error(ZeroDivisionError, "complex division by zero");
    return complex_new(result.real, result.imag);
}

// ---- powers. False where the result is not defined.

static bool power_by_angle(Pair a, Pair b, Pair *result)
{
    *result = (Pair){0.0, 0.0};
    if (b.real == 0.0 && b.imag == 0.0) {
        result->real = 1.0;
        return true;
    }
    if (a.real == 0.0 && a.imag == 0.0) return b.imag == 0.0 && b.real >= 0.0;
    double size = hypot(a.real, a.imag), length = pow(size, b.real);
    double angle = atan2(a.imag, a.real), phase = angle * b.real;
    if (b.imag != 0.0) {
        length /= exp(angle * b.imag);
        phase += b.imag * log(size);
    }
    if (isinf(phase)) return false;
    *result = (Pair){length * cos(phase), length * sin(phase)};
    return true;
}

static bool power_by_products(Pair a, int exponent, Pair *result)
{
    Pair one = {1.0, 0.0}, power = one;
    int size = exponent < 0 ? -exponent : exponent;
    for (int mask = 1; size >= mask; mask <<= 1) {
        if (size & mask) power = product(power, a);
        a = product(a, a);
    }
    if (exponent > 0) {
        *result = power;
        return true;
    }
    return quotient(one, power, result);
}

Value complex_power(double ar, double ai, double br, double bi)
{
    Pair a = {ar, ai}, b = {br, bi}, result;
    bool small = bi == 0.0 && fabs(br) <= LARGEST_PLAIN_POWER && br == (int)br;
    bool defined = small ? power_by_products(a, (int)br, &result) : power_by_angle(a, b, &result);
    if (!defined) return raise_error(ZeroDivisionError, "0.0 to a negative or complex power");
    if (isinf(result.real) || isinf(result.imag))
        return raise_error(OverflowError, "complex exponentiation");
    return complex_new(result.real, result.imag);
}

static Value slot_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    Pair a, b;
    Value answer;
    if (!read_operands(base, exponent, &a, &b, &answer)) return answer;
    if (modulus != NONE) return raise_error(ValueError, "complex modulo");
    return complex_power(a.real, a.imag, b.real, b.imag);
}

// ---- what complex numbers have not

static Value slot_remainder(ValueRef left, ValueRef right)
{
    (void)left, (void)right;
    return raise_error(TypeError, "can't mod complex numbers.");
}

static Value slot_divmod(ValueRef left, ValueRef right)
{
    (void)left, (void)right;
    return raise_error(TypeError, "can't take floor or mod of complex number.");
}

static Value slot_floor_divide(ValueRef left, ValueRef right)
{
    (void)left, (void)right;
    return raise_error(TypeError, "can't take floor of complex number.");
}

static Value slot_int(ValueRef self)
{
    (void)self;
    return raise_error(TypeError, "can't convert complex to int");
}

static Value slot_float(ValueRef self)
{
    (void)self;
    return raise_error(TypeError, "can't convert complex to float");
}

// ---- the other slots

static Value slot_negative(ValueRef self)
{
    return complex_new(-as_complex(self)->real, -as_complex(self)->imag);
}

static Value slot_positive(ValueRef self)
{
    if (complex_check_exact(self)) return retain(self);
    return complex_new(as_complex(self)->real, as_complex(self)->imag);
}

static Value slot_absolute(ValueRef self)
{
    // hypot() is infinite where either part is, even if the other is a NaN.
    double real = as_complex(self)->real, imag = as_complex(self)->imag;
    double size = hypot(real, imag);
    if (isinf(size) && isfinite(real) && isfinite(imag))
        return raise_error(OverflowError, "absolute value too large");
    return float_new(size);
}

static bool slot_truth(ValueRef self, bool *truth)
{
    *truth = as_complex(self)->real != 0.0 || as_complex(self)->imag != 0.0;
    return true;
}

static bool slot_hash(ValueRef self, int64_t *hash)
{
    uint64_t real = (uint64_t)double_hash(as_complex(self)->real);
    uint64_t imag = (uint64_t)double_hash(as_complex(self)->imag);
    *hash = (int64_t)(real + IMAGINARY_FACTOR * imag);
    if (*hash == -1) *hash = -2;
    return true;
}

// The real part against a float or an int, exactly.
static bool real_equals(double real, ValueRef number, bool *equal)
{
    Value boxed = float_new(real);
    if (!boxed) return false;
    Value result = float_type.compare(boxed, number, COMPARE_EQ);
    drop(boxed);
    *equal = result == TRUE;
    return result != VALUE_ERROR;
}

static Value slot_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (op != COMPARE_EQ && op != COMPARE_NE) return NOT_IMPLEMENTED;
    Pair a = pair_of(left);
    bool equal = false;
    if (complex_check(right)) {
        Pair b = pair_of(right);
        equal = a.real == b.real && a.imag == b.imag;
    } else if (!int_check(right) && !float_check(right)) {
        return NOT_IMPLEMENTED;
    } else if (a.imag == 0.0 && !real_equals(a.real, right, &equal)) {
        return VALUE_ERROR;
    }
    return from_bool(equal == (op == COMPARE_EQ));
}

static Value slot_repr(ValueRef self)
{
    Pair number = pair_of(self);
    bool alone = number.real == 0.0 && !signbit(number.real);
    char *real = alone ? NULL : double_format(number.real, 'r', 0, 0);
    if (!alone && !real) return VALUE_ERROR;
    char *imag = double_format(number.imag, 'r', 0, alone ? 0 : DOUBLE_SIGN);
    Value text = VALUE_ERROR;
    if (imag && alone) {
        text = format_text("%sj", imag);
    } else if (imag) {
        bool plus = isnan(number.imag);
        text = format_text("(%s%s%sj)", real, plus ? "+" : "", imag);
    }
    memory_free(real);
    memory_free(imag);
    return text;
}

// ---- construction

// The state of scanning a text.
typedef struct Scan {
    const char *at, *end;
} Scan;

static void skip_spaces(Scan *scan)
{
    while (scan->at < scan->end && is_ascii_space(*scan->at)) scan->at++;
}

static bool scan_char(Scan *scan, char lower)
{
    if (scan->at == scan->end || (*scan->at | 0x20) != lower) return false;
    scan->at++;
    return true;
}

static bool scan_number(Scan *scan, double *number)
{
    size_t length = double_scan(scan->at, (size_t)(scan->end - scan->at), number);
    scan->at += length;
    return length;
}

static bool at_sign(const Scan *scan)
{
    return scan->at < scan->end && (*scan->at == '+' || *scan->at == '-');
}

// [+-]j, the number before it being 1.
static bool scan_unit(Scan *scan, double *imag)
{
    *imag = at_sign(scan) && *scan->at == '-' ? -1.0 : 1.0;
    if (at_sign(scan)) scan->at++;
    return scan_char(scan, 'j');
}

// number | number j | number signed-number j | number sign j | [sign] j
static bool scan_parts(Scan *scan, Pair *parts)
{
    double number;
    *parts = (Pair){0.0, 0.0};
    if (!scan_number(scan, &number)) return scan_unit(scan, &parts->imag);
    if (at_sign(scan)) {
        parts->real = number;
        return scan_number(scan, &parts->imag) ? scan_char(scan, 'j')
                                               : scan_unit(scan, &parts->imag);
    }
    if (scan_char(scan, 'j'))
        parts->imag = number;
    else
        parts->real = number;
    return true;
}

static bool scan_complex(const char *text, size_t size, Pair *parts)
{
    Scan scan = {text, text + size};
    skip_spaces(&scan);
    bool bracket = scan.at < scan.end && *scan.at == '(';
    if (bracket) scan.at++;
    skip_spaces(&scan);
    if (!scan_parts(&scan, parts)) return false;
    skip_spaces(&scan);
    if (bracket) {
        if (scan.at == scan.end || *scan.at++ != ')') return false;
        skip_spaces(&scan);
    }
    return scan.at == scan.end;
}

// Reads a copy of the text without the underscores.
static Value from_copy(Type *type, ValueRef text, char *copy, size_t size)
{
    Pair parts;
    if (memchr(copy, '_', size) && !number_text_join(copy, &size))
        return raise_error(ValueError, "could not convert string to complex: %R", text);
    if (!scan_complex(copy, size, &parts))
        return raise_error(ValueError, "complex() arg is a malformed string");
    return instance(type, parts.real, parts.imag);
}

static Value from_text(Type *type, ValueRef text)
{
    NumberText source;
    if (!number_text_open(text, &source)) return VALUE_ERROR;
    Value made = VALUE_ERROR;
    char *copy = memory_alloc(source.size + 1);
    if (copy) {
        memcpy(copy, source.text, source.size);
        made = from_copy(type, text, copy, source.size);
        memory_free(copy);
    } else {
        raise_memory_error();
    }
    number_text_close(&source);
    return made;
}

// The result of __complex__: owned, or ABSENT if the type has none.
static Value call_complex_method(ValueRef value)
{
    if (complex_check_exact(value)) return ABSENT;
    Value method = object_special(value, NAME(__complex__));
    if (!method || method == ABSENT) return method;
    Value result = object_call_none(method);
    drop(method);
    if (!result || complex_check_exact(result)) return result;
    if (!complex_check(result)) {
        raise_error(TypeError, "__complex__ returned non-complex (type %.200T)", result);
        drop_slot(&result);
    } else if (!warn(DeprecationWarning, 1,
                     "__complex__ returned non-complex (type %.200T).  The ability to return an "
                     "instance of a strict subclass of complex is deprecated, and may not be "
                     "supported in a future version of Python.",
                     result)) {
        drop_slot(&result);
    }
    return result;
}

static bool is_number(ValueRef value)
{
    return type_of(value)->float_ || type_of(value)->index;
}

// One of the two arguments, itself any number.
static bool read_argument(ValueRef value, Pair *pair)
{
    if (complex_check(value)) {
        *pair = pair_of(value);
        return true;
    }
    Value number = object_float(value);
    if (!number) return false;
    *pair = (Pair){float_value(number), 0.0};
    drop(number);
    return true;
}

// real + imag * 1j; imag VALUE_ERROR = not given.
static Value from_numbers(Type *type, ValueRef real, ValueRef imag)
{
    Pair a, b = {0.0, 0.0};
    if (!is_number(real))
        return raise_error(
            TypeError, "complex() first argument must be a string or a number, not '%.200T'", real);
    if (imag && !is_number(imag))
        return raise_error(TypeError, "complex() second argument must be a number, not '%.200T'",
                           imag);
    if (!read_argument(real, &a) || (imag && !read_argument(imag, &b))) return VALUE_ERROR;
    if (!imag) return instance(type, a.real, a.imag);
    if (complex_check(imag)) a.real -= b.imag;
    if (complex_check(real)) b.real += a.imag;
    return instance(type, a.real, b.real);
}

static Value complex_type_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"real", "imag", NULL};
    static const Signature signature = {"complex", names, 0, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    ValueRef real = slots[0] ? slots[0] : (ValueRef)from_small(0), imag = slots[1];
    if (complex_check_exact(real) && !imag && type == &complex_type) return retain(real);
    if (str_check(real)) {
        if (!imag) return from_text(type, real);
        return raise_error(TypeError, "complex() can't take second arg if first is a string");
    }
    if (imag && str_check(imag))
        return raise_error(TypeError, "complex() second arg can't be a string");
    Value converted = call_complex_method(real);
    if (!converted) return VALUE_ERROR;
    if (converted == ABSENT) return from_numbers(type, real, imag);
    Value made = from_numbers(type, converted, imag);
    drop(converted);
    return made;
}

// ---- methods

static Value method_conjugate(ValueRef self, METHOD_ARGS)
{
    return complex_new(as_complex(self)->real, -as_complex(self)->imag);
}

static Value method_getnewargs(ValueRef self, METHOD_ARGS)
{
    Value parts[2] = {float_new(as_complex(self)->real), float_new(as_complex(self)->imag)};
    if (parts[0] && parts[1]) return tuple_from_owned(parts, 2);
    drop(parts[0]);
    drop(parts[1]);
    return VALUE_ERROR;
}

static Value method_format(ValueRef self, METHOD_ARGS)
{
    if (str_check(args[0])) return complex_format(self, args[0]);
    return raise_error(TypeError, "__format__() argument 1 must be str, not %G", args[0]);
}

static const MethodDef complex_methods[] = {
    {"conjugate", method_conjugate, NO_ARGS, NULL},
    {"__getnewargs__", method_getnewargs, NO_ARGS, NULL},
    {"__format__", method_format, PARSED_ARGS(1, 1), NULL},
    {0},
};

static const MemberDef complex_members[] = {
    {"real", MEMBER_DOUBLE, offsetof(Complex, real), true, "the real part of a complex number"},
    {"imag", MEMBER_DOUBLE, offsetof(Complex, imag), true,
     "the imaginary part of a complex number"},
    {0},
};

Type complex_type = {
    STATIC_TYPE("complex", sizeof(Complex)),
    .flags = TYPE_BASE,
    .methods = complex_methods,
    .members = complex_members,
    .new_ = complex_type_new,
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
    .positive = slot_positive,
    .absolute = slot_absolute,
    .truth = slot_truth,
    .int_ = slot_int,
    .float_ = slot_float,
    .floor_divide = slot_floor_divide,
    .true_divide = slot_true_divide,
};
