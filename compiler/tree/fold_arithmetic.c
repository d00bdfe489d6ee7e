// Arithmetic on constants at compile time, with the limits of CPython 3.9's ast_opt.c.
//
// `1 << 100000` is better computed at run time than stored in the code object. So the size of a
// result is estimated first. Numbers of more than 128 bits, collections of more than 256 items
// (1,024 with those nested in them), and strings of more than 4,096 characters are not folded.
#include "compiler/tree/fold.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#define MAX_INT_BITS 128
#define MAX_COLLECTION 256
#define MAX_STRING 4096
#define MAX_TOTAL_ITEMS 1024

static bool is_collection(ValueRef value)
{
    return tuple_check(value) || set_check(value);
}

static int64_t collection_size(ValueRef value)
{
    return tuple_check(value) ? tuple_size(value) : set_size(value);
}

static bool is_string(ValueRef value)
{
    return str_check(value) || bytes_check(value);
}

static int64_t string_size(ValueRef value)
{
    return str_check(value) ? str_length(value) : as_bytes(value)->size;
}

// What is left of `limit` after counting all items of a collection, those inside its items as well.
static int64_t count_items(ValueRef value, int64_t limit)
{
    if (!is_collection(value)) return limit;
    limit -= collection_size(value);
    if (tuple_check(value)) {
        for (ssize_t i = 0; limit >= 0 && i < tuple_size(value); i++)
            limit = count_items(tuple_at(value, i), limit);
        return limit;
    }
    ssize_t position = 0;
    ValueRef item;
    while (limit >= 0 && set_next(value, &position, &item)) limit = count_items(item, limit);
    return limit;
}

static bool may_repeat(ValueRef count, ValueRef sequence)
{
    int64_t size = is_string(sequence) ? string_size(sequence) : collection_size(sequence);
    if (size == 0) return true;
    int64_t times;
    int64_t most = is_string(sequence) ? MAX_STRING : MAX_COLLECTION;
    if (int_as_int64_clamped(count, &times) != 0 || times < 0 || times > most / size) return false;
    return times == 0 || is_string(sequence) || count_items(sequence, MAX_TOTAL_ITEMS / times) >= 0;
}

static bool may_multiply(ValueRef left, ValueRef right)
{
    if (int_check(left) && int_check(right))
        return int_sign(left) == 0 || int_sign(right) == 0 ||
               int_bit_length(left) + int_bit_length(right) <= MAX_INT_BITS;
    if (int_check(left) && (is_collection(right) || is_string(right)))
        return may_repeat(left, right);
    if (int_check(right) && (is_collection(left) || is_string(left)))
        return may_repeat(right, left);
    return true;
}

static bool may_raise_to(ValueRef base, ValueRef exponent)
{
    if (!int_check(base) || !int_check(exponent)) return true;
    if (int_sign(base) == 0 || int_sign(exponent) <= 0) return true;
    int64_t times;
    if (int_as_int64_clamped(exponent, &times) != 0) return false;
    return int_bit_length(base) <= MAX_INT_BITS / times;
}

static bool may_shift_left(ValueRef number, ValueRef shift)
{
    if (!int_check(number) || !int_check(shift)) return true;
    if (int_sign(number) == 0 || int_sign(shift) == 0) return true;
    int64_t bits;
    if (int_as_int64_clamped(shift, &bits) != 0 || bits < 0) return false;
    return bits <= MAX_INT_BITS && int_bit_length(number) <= MAX_INT_BITS - bits;
}

Value fold_operation(operator op, ValueRef left, ValueRef right)
{
    switch (op) {
    case Add_op: return object_binary(left, right, OP_ADD);
    case Sub_op: return object_binary(left, right, OP_SUBTRACT);
    case Mult_op:
        return may_multiply(left, right) ? object_binary(left, right, OP_MULTIPLY) : ABSENT;
    case Div_op: return object_binary(left, right, OP_TRUE_DIVIDE);
    case FloorDiv_op: return object_binary(left, right, OP_FLOOR_DIVIDE);
    case Mod_op: // of a str or bytes it is formatting
        return is_string(left) ? ABSENT : object_binary(left, right, OP_REMAINDER);
    case Pow_op: return may_raise_to(left, right) ? object_power(left, right, NONE) : ABSENT;
    case LShift_op:
        return may_shift_left(left, right) ? object_binary(left, right, OP_LSHIFT) : ABSENT;
    case RShift_op: return object_binary(left, right, OP_RSHIFT);
    case BitOr_op: return object_binary(left, right, OP_OR);
    case BitXor_op: return object_binary(left, right, OP_XOR);
    case BitAnd_op: return object_binary(left, right, OP_AND);
    case MatMult_op: return ABSENT;
    }
    return ABSENT;
}
