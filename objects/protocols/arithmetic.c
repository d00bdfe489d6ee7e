// Arithmetic on any two values.
//
// An operator calls the slot of the left operand's type, then that of the right operand's type. If
// the right type is a subclass of the left one, its slot is called first. A slot returns
// NotImplemented for operands it does not know. `+` and `*` then try the sequence slots.
#include "objects/classes/object_parts.h"
#include "objects/operators.h"

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/classes/method.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

typedef struct Operator {
    size_t slot, inplace; // offsets in struct Type; 0 = no such slot
    const char *sign, *inplace_sign;
} Operator;

#define OPERATOR(field, sign)                                                                      \
    {offsetof(Type, field), offsetof(Type, inplace_##field), sign, sign "="}

static const Operator operators[BINARY_OP_COUNT] = {
    [OP_ADD] = OPERATOR(add, "+"),
    [OP_SUBTRACT] = OPERATOR(subtract, "-"),
    [OP_MULTIPLY] = OPERATOR(multiply, "*"),
    [OP_REMAINDER] = OPERATOR(remainder, "%"),
    [OP_DIVMOD] = {offsetof(Type, divmod), 0, "divmod()", "divmod()"},
    [OP_LSHIFT] = OPERATOR(lshift, "<<"),
    [OP_RSHIFT] = OPERATOR(rshift, ">>"),
    [OP_AND] = {offsetof(Type, and_), offsetof(Type, inplace_and), "&", "&="},
    [OP_XOR] = {offsetof(Type, xor_), offsetof(Type, inplace_xor), "^", "^="},
    [OP_OR] = {offsetof(Type, or_), offsetof(Type, inplace_or), "|", "|="},
    [OP_FLOOR_DIVIDE] = OPERATOR(floor_divide, "//"),
    [OP_TRUE_DIVIDE] = OPERATOR(true_divide, "/"),
    [OP_MATRIX_MULTIPLY] = OPERATOR(matrix_multiply, "@"),
};

static inline BinaryFn binary_slot(const Type *type, size_t offset)
{
    return *(const BinaryFn *)(const void *)((const char *)type + offset);
}

// ---- two operands

// NotImplemented if neither slot knows the operands.
static inline Value binary_slots(ValueRef left, ValueRef right, size_t offset)
{
    const Type *left_type = type_of(left), *right_type = type_of(right);
    BinaryFn first = binary_slot(left_type, offset), second = NULL;
    if (left_type != right_type) {
        second = binary_slot(right_type, offset);
        if (second == first) second = NULL;
    }
    if (first) {
        if (second && type_is_subtype(right_type, left_type)) {
            Value result = second(left, right);
            if (result != NOT_IMPLEMENTED) return result;
            second = NULL;
        }
        Value result = first(left, right);
        if (result != NOT_IMPLEMENTED) return result;
    }
    return second ? second(left, right) : NOT_IMPLEMENTED;
}

static bool is_print(ValueRef value)
{
    return is_exactly(value, &builtin_type) && strcmp(as_builtin(value)->def->name, "print") == 0;
}

static Value raise_unsupported(ValueRef left, ValueRef right, const char *sign)
{
    const char *hint = "";
    if (strcmp(sign, ">>") == 0 && is_print(left))
        hint = ". Did you mean \"print(<message>, file=<output_stream>)\"?";
    return raise_error(TypeError, "unsupported operand type(s) for %.100s: '%.100T' and '%.100T'%s",
                       sign, left, right, hint);
}

static Value sequence_repeat(ItemFn repeat, ValueRef sequence, ValueRef count)
{
    ssize_t number;
    if (!is_small(count) && !is_bool(count) && !type_of(count)->index)
        return raise_error(TypeError, "can't multiply sequence by non-int of type '%.200T'", count);
    if (!object_as_ssize(count, &number, OverflowError)) return VALUE_ERROR;
    return repeat(sequence, number);
}

// `+` and `*` of sequences, after the numeric slots; NotImplemented if neither operand is a
// sequence.
static Value sequence_binary(ValueRef left, ValueRef right, BinaryOp op, bool inplace)
{
    const Type *type = type_of(left), *right_type = type_of(right);
    if (op == OP_ADD) {
        if (inplace && type->inplace_concat) return type->inplace_concat(left, right);
        return type->concat ? type->concat(left, right) : NOT_IMPLEMENTED;
    }
    if (op != OP_MULTIPLY) return NOT_IMPLEMENTED;
    if (inplace && type->inplace_repeat) return sequence_repeat(type->inplace_repeat, left, right);
    if (type->repeat) return sequence_repeat(type->repeat, left, right);
    if (inplace && has_sequence_slots(type)) return NOT_IMPLEMENTED;
    return right_type->repeat ? sequence_repeat(right_type->repeat, right, left) : NOT_IMPLEMENTED;
}

Value object_binary(ValueRef left, ValueRef right, BinaryOp op)
{
    if (op == OP_POWER) return object_power(left, right, NONE);
    Value result = binary_slots(left, right, operators[op].slot);
    if (result == NOT_IMPLEMENTED) result = sequence_binary(left, right, op, false);
    if (result == NOT_IMPLEMENTED) return raise_unsupported(left, right, operators[op].sign);
    return result;
}

static Value inplace_power(ValueRef base, ValueRef exponent);

Value object_inplace(ValueRef left, ValueRef right, BinaryOp op)
{
    if (op == OP_POWER) return inplace_power(left, right);
    const Operator *entry = &operators[op];
    BinaryFn inplace = entry->inplace ? binary_slot(type_of(left), entry->inplace) : NULL;
    Value result = inplace ? inplace(left, right) : NOT_IMPLEMENTED;
    if (result == NOT_IMPLEMENTED) result = binary_slots(left, right, entry->slot);
    if (result == NOT_IMPLEMENTED) result = sequence_binary(left, right, op, true);
    if (result == NOT_IMPLEMENTED) return raise_unsupported(left, right, entry->inplace_sign);
    return result;
}

// ---- power: three operands

static TernaryFn power_slot(ValueRef value, size_t offset)
{
    return *(const TernaryFn *)(const void *)((const char *)type_of(value) + offset);
}

static Value raise_no_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    if (modulus == NONE) return raise_unsupported(base, exponent, "** or pow()");
    return raise_error(TypeError,
                       "unsupported operand type(s) for pow(): '%.100T', '%.100T', '%.100T'", base,
                       exponent, modulus);
}

static Value power(ValueRef base, ValueRef exponent, ValueRef modulus, size_t offset)
{
    TernaryFn slots[3] = {power_slot(base, offset), power_slot(exponent, offset),
                          power_slot(modulus, offset)};
    if (slots[1] == slots[0]) slots[1] = NULL;
    if (slots[2] == slots[0] || slots[2] == slots[1]) slots[2] = NULL;
    if (slots[0] && slots[1] && type_is_subtype(type_of(exponent), type_of(base))) {
        TernaryFn first = slots[1];
        slots[1] = slots[0];
        slots[0] = first;
    }
    for (int i = 0; i < 3; i++) {
        Value result = slots[i] ? slots[i](base, exponent, modulus) : NOT_IMPLEMENTED;
        if (result != NOT_IMPLEMENTED) return result;
    }
    return raise_no_power(base, exponent, modulus);
}

Value object_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    return power(base, exponent, modulus, offsetof(Type, power));
}

// As in CPython 3.9, __pow__ is not tried after an __ipow__ that returned NotImplemented.
static Value inplace_power(ValueRef base, ValueRef exponent)
{
    bool own_slot = type_of(base)->inplace_power != NULL;
    return power(base, exponent, NONE,
                 own_slot ? offsetof(Type, inplace_power) : offsetof(Type, power));
}

// ---- one operand

Value object_negative(ValueRef value)
{
    UnaryFn slot = type_of(value)->negative;
    if (slot) return slot(value);
    return raise_error(TypeError, "bad operand type for unary -: '%.200T'", value);
}

Value object_positive(ValueRef value)
{
    UnaryFn slot = type_of(value)->positive;
    if (slot) return slot(value);
    return raise_error(TypeError, "bad operand type for unary +: '%.200T'", value);
}

Value object_invert(ValueRef value)
{
    UnaryFn slot = type_of(value)->invert;
    if (slot) return slot(value);
    return raise_error(TypeError, "bad operand type for unary ~: '%.200T'", value);
}

Value object_absolute(ValueRef value)
{
    UnaryFn slot = type_of(value)->absolute;
    if (slot) return slot(value);
    return raise_error(TypeError, "bad operand type for abs(): '%.200T'", value);
}

// ---- conversions

// Checks the result of __int__ or __index__: it must be an int, and should be exactly one. Drops
// the result if it is wrong.
static Value check_int(Value result, const char *method)
{
    if (!result || int_check_exact(result)) return result;
    if (!int_check(result))
        raise_error(TypeError, "%s returned non-int (type %.200T)", method, (ValueRef)result);
    else if (warn(DeprecationWarning, 1,
                  "%s returned non-int (type %.200T).  The ability to return an instance of a "
                  "strict subclass of int is deprecated, and may be removed in a future version "
                  "of Python.",
                  method, (ValueRef)result))
        return result;
    drop(result);
    return VALUE_ERROR;
}

bool object_is_number(ValueRef value)
{
    const Type *type = type_of(value);
    return type->index || type->int_ || type->float_;
}

Value object_index(ValueRef value)
{
    if (int_check(value)) return retain(value);
    UnaryFn slot = type_of(value)->index;
    if (slot) return check_int(slot(value), "__index__");
    return raise_error(TypeError, "'%.200T' object cannot be interpreted as an integer", value);
}

// Calls __int__ if there is no __index__: CPython has warned of it since 3.8.
static Value int_implicitly(ValueRef value)
{
    Value number = check_int(type_of(value)->int_(value), "__int__");
    if (!number) return VALUE_ERROR;
    if (warn(DeprecationWarning, 1,
             "an integer is required (got type %.200T).  Implicit conversion to integers using "
             "__int__ is deprecated, and may be removed in a future version of Python.",
             value))
        return number;
    drop(number);
    return VALUE_ERROR;
}

Value object_index_or_int(ValueRef value)
{
    if (int_check(value) || type_of(value)->index) return object_index(value);
    if (type_of(value)->int_) return int_implicitly(value);
    return raise_error(TypeError, "an integer is required (got type %.200T)", value);
}

bool object_as_ssize(ValueRef value, ssize_t *number, Type *error)
{
    if (is_small(value) && !ssize_clamped(small_value(value), number)) return true;
    Value index = object_index(value);
    if (!index) return false;
    int outside = int_as_ssize_clamped(index, number);
    drop(index);
    if (!outside || !error) return true;
    return raise_error(error, "cannot fit '%.200T' into an index-sized integer", value);
}

// An int as exactly an int.
static Value exact_int(Value number)
{
    if (!number || int_check_exact(number)) return number;
    Value exact = int_add(number, from_small(0));
    drop(number);
    return exact;
}

static Value int_from_trunc(Value method)
{
    Value result = object_call_none(method);
    drop(method);
    if (!result) return VALUE_ERROR;
    Value number = VALUE_ERROR;
    if (int_check(result))
        number = retain(result);
    else if (type_of(result)->index || type_of(result)->int_)
        number = object_index_or_int(result);
    else
        raise_error(TypeError, "__trunc__ returned non-Integral (type %.200T)", (ValueRef)result);
    drop(result);
    return exact_int(number);
}

// int(b"12"): read as text, but a mistake is shown as bytes.
static Value int_from_buffer(const Buffer *buffer)
{
    Value text = str_from_latin1(buffer->bytes, (size_t)buffer->size);
    if (!text) return VALUE_ERROR;
    Value number = int_from_text(text, 10);
    drop(text);
    if (number || !error_is(ValueError)) return number;
    Value bytes = bytes_new(buffer->bytes, (size_t)buffer->size);
    if (bytes)
        raise_error(ValueError, "invalid literal for int() with base 10: %.200R", (ValueRef)bytes);
    drop(bytes);
    return VALUE_ERROR;
}

static Value int_from_readable(ValueRef value)
{
    if (str_check(value)) return int_from_text(value, 10);
    if (!buffer_check(value))
        return raise_error(TypeError,
                           "int() argument must be a string, a bytes-like object or a number, not "
                           "'%.200T'",
                           value);
    Buffer buffer;
    if (!buffer_get(value, &buffer, false)) return VALUE_ERROR;
    Value number = int_from_buffer(&buffer);
    buffer_release(&buffer);
    return number;
}

Value object_int(ValueRef value)
{
    if (int_check_exact(value)) return retain(value);
    const Type *type = type_of(value);
    if (type->int_) return exact_int(check_int(type->int_(value), "__int__"));
    if (type->index) return exact_int(object_index(value));
    Value trunc = object_special(value, NAME(__trunc__));
    if (trunc != ABSENT) return trunc ? int_from_trunc(trunc) : VALUE_ERROR;
    return int_from_readable(value);
}

// The result of __float__ as exactly a float; steals it.
static Value exact_float(Value result, ValueRef value)
{
    if (!result || float_check_exact(result)) return result;
    Value exact = VALUE_ERROR;
    if (!float_check(result))
        raise_error(TypeError, "%.50T.__float__ returned non-float (type %.50T)", value,
                    (ValueRef)result);
    else if (warn(DeprecationWarning, 1,
                  "%.50T.__float__ returned non-float (type %.50T).  The ability to return an "
                  "instance of a strict subclass of float is deprecated, and may be removed in a "
                  "future version of Python.",
                  value, (ValueRef)result))
        exact = float_new(float_value(result));
    drop(result);
    return exact;
}

Value object_float(ValueRef value)
{
    if (float_check_exact(value)) return retain(value);
    const Type *type = type_of(value);
    if (type->float_) return exact_float(type->float_(value), value);
    if (type->index) {
        Value index = object_index(value);
        double number;
        bool done = index && int_as_double(index, &number);
        drop(index);
        return done ? float_new(number) : VALUE_ERROR;
    }
    return float_from_text(value);
}
