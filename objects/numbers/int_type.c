// The types int and bool as scripts see them: slots, methods, attributes.
//
// A slot gets its operands in either order, and returns NotImplemented if one of them is no int.
// bool differs only in its repr, in & | ^ of two bools, and in having only two instances.
#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int_view.h"
#include "objects/numbers/number_text.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/format.h"
#include "objects/text/str.h"
#include "objects/type.h"

// ---- construction

// Steals the number, an exact int.
static Value instance_of_subclass(Type *type, Value number)
{
    if (!number) return VALUE_ERROR;
    IntView view;
    int_view(number, &view);
    BigInt *made = object_alloc(type, view.size);
    if (made) {
        made->size = view.negative ? -(ssize_t)view.size : (ssize_t)view.size;
        memcpy(made->limbs, view.limbs, view.size * sizeof(Limb));
    }
    drop(number);
    return own(made);
}

static Value from_text_and_base(ValueRef text, ValueRef base_value)
{
    ssize_t base;
    if (!text) return raise_error(TypeError, "int() missing string argument");
    if (!object_as_ssize(base_value, &base, NULL)) return VALUE_ERROR;
    if ((base && base < 2) || base > 36)
        return raise_error(ValueError, "int() base must be >= 2 and <= 36, or 0");
    if (!str_check(text) && !bytes_check(text) && !type_is_subtype(type_of(text), &bytearray_type))
        return raise_error(TypeError, "int() can't convert non-string with explicit base");
    return int_from_text(text, (int)base);
}

static Value int_type_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"", "base", NULL};
    static const Signature signature = {"int", names, 0, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    Value number;
    if (slots[1])
        number = from_text_and_base(slots[0], slots[1]);
    else
        number = slots[0] ? object_int(slots[0]) : from_small(0);
    return type == &int_type ? number : instance_of_subclass(type, number);
}

static Value bool_type_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)type;
    bool truth = false;
    if (!args_no_keywords("bool", kwnames) || !args_check("bool", nargs, 0, 0, 1))
        return VALUE_ERROR;
    if (nargs && !object_truth(args[0], &truth)) return VALUE_ERROR;
    return from_bool(truth);
}

// ---- slots

static inline bool both_ints(ValueRef a, ValueRef b)
{
    return int_check(a) && int_check(b);
}

#define INT_SLOT(name)                                                                             \
    static Value slot_##name(ValueRef a, ValueRef b)                                               \
    {                                                                                              \
        return both_ints(a, b) ? int_##name(a, b) : NOT_IMPLEMENTED;                               \
    }
INT_SLOT(add)
INT_SLOT(subtract)
INT_SLOT(multiply)
INT_SLOT(remainder)
INT_SLOT(divmod)
INT_SLOT(lshift)
INT_SLOT(rshift)
INT_SLOT(and)
INT_SLOT(xor)
INT_SLOT(or)
INT_SLOT(floor_divide)
INT_SLOT(true_divide)
#undef INT_SLOT

static Value slot_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    if (!both_ints(base, exponent)) return NOT_IMPLEMENTED;
    if (modulus != NONE && !int_check(modulus)) return NOT_IMPLEMENTED;
    return int_power(base, exponent, modulus);
}

static Value slot_absolute(ValueRef self)
{
    return int_sign(self) < 0 ? int_negative(self) : int_exact(self);
}

static bool slot_truth(ValueRef self, bool *truth)
{
    *truth = int_sign(self) != 0;
    return true;
}

static Value slot_float(ValueRef self)
{
    double number;
    return int_as_double(self, &number) ? from_double(number) : VALUE_ERROR;
}

static bool slot_hash(ValueRef self, int64_t *hash)
{
    *hash = int_hash(self);
    return true;
}

static Value slot_repr(ValueRef self)
{
    return int_to_text(self, 10, false);
}

static Value slot_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!both_ints(left, right)) return NOT_IMPLEMENTED;
    return order_result(int_compare(left, right), op);
}

static Value bool_repr(ValueRef self)
{
    return str_intern(self == TRUE ? "True" : "False");
}

static Value bool_and(ValueRef a, ValueRef b)
{
    return is_bool(a) && is_bool(b) ? from_bool(a == TRUE && b == TRUE) : slot_and(a, b);
}

static Value bool_xor(ValueRef a, ValueRef b)
{
    return is_bool(a) && is_bool(b) ? from_bool(a != b) : slot_xor(a, b);
}

static Value bool_or(ValueRef a, ValueRef b)
{
    return is_bool(a) && is_bool(b) ? from_bool(a == TRUE || b == TRUE) : slot_or(a, b);
}

// ---- methods

static Value method_self(ValueRef self, METHOD_ARGS)
{
    return int_exact(self);
}

static Value method_bit_length(ValueRef self, METHOD_ARGS)
{
    return int_new(int_bit_length(self));
}

static Value pair_with(ValueRef self, bool with_one)
{
    Value number = int_exact(self);
    if (!number) return VALUE_ERROR;
    Value tuple = with_one ? tuple_pack(2, number, from_small(1)) : tuple_pack(1, number);
    drop(number);
    return tuple;
}

static Value method_as_integer_ratio(ValueRef self, METHOD_ARGS)
{
    return pair_with(self, true);
}

static Value method_getnewargs(ValueRef self, METHOD_ARGS)
{
    return pair_with(self, false);
}

// The size of CPython's object: a header of 24 bytes, and 4 bytes for each 30 bits.
static Value method_sizeof(ValueRef self, METHOD_ARGS)
{
    return from_small(24 + (int_bit_length(self) + 29) / 30 * 4);
}

static Value method_format(ValueRef self, METHOD_ARGS)
{
    return int_format(self, args[0]);
}

// self - rest or self + unit - rest, whichever is nearer; the even multiple in the middle.
static Value nearest_multiple(ValueRef self, ValueRef unit, ValueRef quotient, ValueRef rest)
{
    Value twice = int_add(rest, rest), result = VALUE_ERROR;
    if (!twice) return VALUE_ERROR;
    int order = int_compare(twice, unit);
    drop(twice);
    Value below = int_subtract(self, rest);
    if (below && (order > 0 || (order == 0 && int_is_odd(quotient)))) {
        result = int_add(below, unit);
        drop(below);
        return result;
    }
    return below;
}

// Rounded to a multiple of 10^digits, digits > 0.
static Value round_to_tens(ValueRef self, int64_t digits)
{
    if (digits > int_bit_length(self) / 3 + 1) return from_small(0);
    Value unit = int_power(from_small(10), from_small(digits), NONE), result = VALUE_ERROR;
    if (!unit) return VALUE_ERROR;
    Value pair = int_divmod(self, unit);
    if (pair) {
        result = nearest_multiple(self, unit, tuple_at(pair, 0), tuple_at(pair, 1));
        drop(pair);
    }
    drop(unit);
    return result;
}

static Value method_round(ValueRef self, METHOD_ARGS)
{
    if (!nargs) return int_exact(self);
    if (nargs > 1)
        return raise_error(TypeError, "function takes at most 1 argument (%zu given)", nargs);
    Value digits_value = object_index(args[0]);
    if (!digits_value) return VALUE_ERROR;
    int64_t digits;
    int_as_int64_clamped(digits_value, &digits);
    drop(digits_value);
    if (digits >= 0) return int_exact(self);
    return round_to_tens(self, digits == INT64_MIN ? INT64_MAX : -digits);
}

// ---- bytes

// The arguments that to_bytes and from_bytes share.
typedef struct ByteOrder {
    bool little_endian, is_signed;
} ByteOrder;

static bool read_byte_order(const char *method, ValueRef order, ValueRef is_signed, ByteOrder *read)
{
    if (!str_check(order))
        return raise_error(TypeError, "%s() argument 'byteorder' must be str, not %G", method,
                           order);
    read->is_signed = false;
    if (is_signed && !object_truth(is_signed, &read->is_signed)) return false;
    read->little_endian = str_equal_ascii(order, "little");
    if (read->little_endian || str_equal_ascii(order, "big")) return true;
    return raise_error(ValueError, "byteorder must be either 'little' or 'big'");
}

static Value method_to_bytes(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"length", "byteorder", "signed", NULL};
    static const Signature signature = {"to_bytes", names, 2, 2};
    ValueRef slots[3];
    ssize_t length;
    ByteOrder order;
    if (!args_bind(&signature, args, nargs, kwnames, slots) || !argument_ssize(slots[0], &length) ||
        !read_byte_order("to_bytes", slots[1], slots[2], &order)) {
        return VALUE_ERROR;
    }
    if (length < 0) return raise_error(ValueError, "length argument must be non-negative");
    Value bytes = bytes_new(NULL, (size_t)length);
    if (!bytes) return VALUE_ERROR;
    if (int_to_bytes(self, (unsigned char *)as_bytes(bytes)->data, (size_t)length,
                     order.little_endian, order.is_signed)) {
        return bytes;
    }
    drop(bytes);
    return VALUE_ERROR;
}

static Value method_from_bytes(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"bytes", "byteorder", "signed", NULL};
    static const Signature signature = {"from_bytes", names, 2, 2};
    ValueRef slots[3];
    ByteOrder order;
    if (!args_bind(&signature, args, nargs, kwnames, slots) ||
        !read_byte_order("from_bytes", slots[1], slots[2], &order)) {
        return VALUE_ERROR;
    }
    Value bytes = bytes_from_object(slots[0]);
    if (!bytes) return VALUE_ERROR;
    Value number =
        int_from_bytes((const unsigned char *)as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size,
                       order.little_endian, order.is_signed);
    drop(bytes);
    if (!number || as_type(self) == &int_type) return number;
    Value result = object_call_one(self, number);
    drop(number);
    return result;
}

// ---- the types

static Value get_zero(ValueRef self)
{
    (void)self;
    return from_small(0);
}

static Value get_one(ValueRef self)
{
    (void)self;
    return from_small(1);
}

static const MethodDef int_methods[] = {
    {"conjugate", method_self, NO_ARGS, NULL},
    {"bit_length", method_bit_length, NO_ARGS,
     "bit_length($self, /)\n--\n\nHow many binary digits the number has.\n\n"
     ">>> (37).bit_length()\n6"},
    {"to_bytes", method_to_bytes, KEYWORD_ARGS, NULL},
    {"from_bytes", method_from_bytes, METHOD_KEYWORDS, METHOD_CLASS, 0, -1, NULL},
    {"as_integer_ratio", method_as_integer_ratio, NO_ARGS,
     "as_integer_ratio($self, /)\n--\n\nThe number as a fraction: itself over 1.\n\n"
     ">>> (10).as_integer_ratio()\n(10, 1)"},
    {"__trunc__", method_self, NO_ARGS, NULL},
    {"__floor__", method_self, NO_ARGS, NULL},
    {"__ceil__", method_self, NO_ARGS, NULL},
    {"__round__", method_round, UNPACKED_ARGS(0, -1), NULL},
    {"__getnewargs__", method_getnewargs, NO_ARGS, NULL},
    {"__format__", method_format, ONE_ARG, NULL},
    {"__sizeof__", method_sizeof, NO_ARGS, NULL},
    {0},
};

static const GetSetDef int_getset[] = {
    {"real", int_exact, NULL, NULL},
    {"imag", get_zero, NULL, NULL},
    {"numerator", int_exact, NULL, NULL},
    {"denominator", get_one, NULL, NULL},
    {0},
};

Type int_type = {
    STATIC_TYPE("int", sizeof(BigInt)),
    .item_size = sizeof(Limb),
    .flags = TYPE_BASE | TYPE_INT | TYPE_LEAF,
    .doc = "int([x]), int(x, base=10)\n\nA whole number: of a number, or of a text in a base.\n\n"
           ">>> int('0b100', base=0)\n4",
    .methods = int_methods,
    .getset = int_getset,
    .new_ = int_type_new,
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
    .negative = int_negative,
    .positive = int_exact,
    .absolute = slot_absolute,
    .truth = slot_truth,
    .invert = int_invert,
    .lshift = slot_lshift,
    .rshift = slot_rshift,
    .and_ = slot_and,
    .xor_ = slot_xor,
    .or_ = slot_or,
    .int_ = int_exact,
    .float_ = slot_float,
    .floor_divide = slot_floor_divide,
    .true_divide = slot_true_divide,
    .index = int_exact,
};

Type bool_type = {
    STATIC_TYPE("bool", sizeof(BigInt)),
    .item_size = sizeof(Limb),
    .flags = TYPE_INT,
    .base_type = &int_type,
    .new_ = bool_type_new,
    .repr = bool_repr,
    .and_ = bool_and,
    .xor_ = bool_xor,
    .or_ = bool_or,
};
