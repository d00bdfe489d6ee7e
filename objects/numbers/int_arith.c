// The arithmetic of ints: + - * // % divmod / << >> & | ^ ~, exact at any size.
//
// Each function tries small ints first. Otherwise it views its operands as sign and magnitude
// (IntView), calculates the magnitude of a new BigInt, and calls bigint_finish(), which makes the
// result small if it fits. The bitwise operators work on the two's complement, extended to the left
// without end; it is made limb by limb during the operation.
#include "objects/numbers/int_view.h"

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/dtoa.h"
#include "objects/numbers/float.h"

#include <math.h>

// ---- adding

// |a| + |b|
static Value add_magnitudes(const IntView *a, const IntView *b, bool negative)
{
    if (a->size < b->size) return add_magnitudes(b, a, negative);
    BigInt *made = bigint_new(a->size + 1);
    if (!made) return VALUE_ERROR;
    made->limbs[a->size] = bigint_add(made->limbs, a->limbs, a->size, b->limbs, b->size);
    return bigint_finish(made, a->size + 1, negative);
}

// |a| - |b|, negated if `negative`.
static Value subtract_magnitudes(const IntView *a, const IntView *b, bool negative)
{
    int order = bigint_compare(a->limbs, a->size, b->limbs, b->size);
    if (!order) return from_small(0);
    if (order < 0) return subtract_magnitudes(b, a, !negative);
    BigInt *made = bigint_new(a->size);
    if (!made) return VALUE_ERROR;
    bigint_subtract(made->limbs, a->limbs, a->size, b->limbs, b->size);
    return bigint_finish(made, a->size, negative);
}

static Value add_signed(const IntView *a, const IntView *b, bool b_negative)
{
    if (a->negative == b_negative) return add_magnitudes(a, b, a->negative);
    return subtract_magnitudes(a, b, a->negative);
}

Value int_add(ValueRef a, ValueRef b)
{
    if (are_small(a, b)) return int_new(small_value(a) + small_value(b));
    IntView left, right;
    int_view(a, &left);
    int_view(b, &right);
    return add_signed(&left, &right, right.negative);
}

Value int_subtract(ValueRef a, ValueRef b)
{
    if (are_small(a, b)) return int_new(small_value(a) - small_value(b));
    IntView left, right;
    int_view(a, &left);
    int_view(b, &right);
    return add_signed(&left, &right, !right.negative);
}

Value int_negative(ValueRef a)
{
    if (!is_object(a)) return int_new(-bool_or_small_value(a));
    IntView view;
    int_view(a, &view);
    return int_from_limbs(view.limbs, view.size, !view.negative);
}

// ---- multiplying

Value int_multiply(ValueRef a, ValueRef b)
{
    int64_t product;
    if (are_small(a, b) && !__builtin_mul_overflow(small_value(a), small_value(b), &product))
        return int_new(product);
    IntView left, right;
    int_view(a, &left);
    int_view(b, &right);
    if (!left.size || !right.size) return from_small(0);
    size_t size = left.size + right.size;
    BigInt *made = bigint_new(size);
    if (!made) return VALUE_ERROR;
    if (!bigint_multiply(made->limbs, left.limbs, left.size, right.limbs, right.size)) {
        drop(own(made));
        return VALUE_ERROR;
    }
    return bigint_finish(made, size, left.negative != right.negative);
}

// ---- dividing

// Computes the results whose pointers are not NULL. Rounds down, so that the remainder has the sign
// of b.
static bool divide_views(const IntView *a, const IntView *b, Value *quotient, Value *remainder)
{
    size_t digits = a->size >= b->size ? a->size - b->size + 1 : 0;
    BigInt *divided = bigint_new(digits + 1), *rest = divided ? bigint_new(b->size) : NULL;
    if (!rest) goto failed;
    if (!digits) {
        memset(rest->limbs, 0, b->size * sizeof(Limb));
        memcpy(rest->limbs, a->limbs, a->size * sizeof(Limb));
    } else if (!bigint_divide(divided->limbs, rest->limbs, a->limbs, a->size, b->limbs, b->size)) {
        goto failed;
    }
    divided->limbs[digits] = 0;
    if (a->negative != b->negative && bigint_normal_size(rest->limbs, b->size)) {
        bigint_add_limb(divided->limbs, digits + 1, 1);
        bigint_subtract(rest->limbs, b->limbs, b->size, rest->limbs, b->size);
    }
    if (quotient)
        *quotient = bigint_finish(divided, digits + 1, a->negative != b->negative);
    else
        drop(own(divided));
    if (remainder)
        *remainder = bigint_finish(rest, b->size, b->negative);
    else
        drop(own(rest));
    return true;
failed:
    if (divided) drop(own(divided));
    if (rest) drop(own(rest));
    return false;
}

// The same for a b of one limb: only the quotient needs memory.
static bool divide_by_limb(const IntView *a, const IntView *b, Value *quotient, Value *remainder)
{
    Limb divisor = b->limbs[0], rest;
    bool turn = a->negative != b->negative;
    if (quotient) {
        BigInt *made = bigint_new(a->size + 1);
        if (!made) return false;
        rest = bigint_divide_limb(made->limbs, a->limbs, a->size, divisor);
        made->limbs[a->size] = 0;
        if (turn && rest) bigint_add_limb(made->limbs, a->size + 1, 1);
        *quotient = bigint_finish(made, a->size + 1, turn);
    } else {
        rest = bigint_remainder_limb(a->limbs, a->size, divisor);
    }
    if (!remainder) return true;
    if (turn && rest) rest = divisor - rest;
    *remainder = int_from_limbs(&rest, 1, b->negative);
    if (*remainder) return true;
    if (quotient) drop_slot(quotient);
    return false;
}

static bool divide(ValueRef a, ValueRef b, Value *quotient, Value *remainder)
{
    IntView left, right;
    int_view(a, &left);
    int_view(b, &right);
    if (!right.size) return raise_error(ZeroDivisionError, "integer division or modulo by zero");
    if (right.size == 1) return divide_by_limb(&left, &right, quotient, remainder);
    return divide_views(&left, &right, quotient, remainder);
}

static inline bool both_small_and_divisible(ValueRef a, ValueRef b)
{
    return are_small(a, b) && small_value(b);
}

static inline int64_t floor_quotient(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    return quotient - (quotient * b != a && (a < 0) != (b < 0));
}

static inline int64_t floor_rest(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

Value int_floor_divide(ValueRef a, ValueRef b)
{
    if (both_small_and_divisible(a, b))
        return int_new(floor_quotient(small_value(a), small_value(b)));
    Value quotient = VALUE_ERROR;
    return divide(a, b, &quotient, NULL) ? quotient : VALUE_ERROR;
}

Value int_remainder(ValueRef a, ValueRef b)
{
    if (both_small_and_divisible(a, b))
        return from_small(floor_rest(small_value(a), small_value(b)));
    Value remainder = VALUE_ERROR;
    return divide(a, b, NULL, &remainder) ? remainder : VALUE_ERROR;
}

Value int_divmod(ValueRef a, ValueRef b)
{
    Value pair[2];
    if (both_small_and_divisible(a, b)) {
        pair[0] = int_new(floor_quotient(small_value(a), small_value(b)));
        if (!pair[0]) return VALUE_ERROR;
        pair[1] = from_small(floor_rest(small_value(a), small_value(b)));
    } else if (!divide(a, b, &pair[0], &pair[1])) {
        return VALUE_ERROR;
    }
    return tuple_from_owned(pair, 2);
}

// |a| / |b| from the top bits of a quotient of 128 bits or more; `below` says whether it is
// inexact.
static bool divide_to_double(const IntView *a, const IntView *b, double *number)
{
    int64_t shift =
        bigint_bit_length(b->limbs, b->size) - bigint_bit_length(a->limbs, a->size) + 130;
    if (shift < -2000) {
        *number = INFINITY;
        return true;
    }
    // Large numbers divide as well without most of their low bits, but which would be sticky: so
    // only a is ever made longer.
    if (shift < 0) shift = 0;
    if (shift > 2000) {
        *number = 0.0;
        return true;
    }
    size_t limbs = (size_t)shift / LIMB_BITS, size = a->size + limbs + 1;
    size_t digits = size - b->size + 1;
    Limb *work = memory_alloc((size + digits + b->size) * sizeof(Limb));
    if (!work) return raise_memory_error();
    Limb *quotient = work + size, *rest = quotient + digits;
    memset(work, 0, limbs * sizeof(Limb));
    work[size - 1] = bigint_shift_left(work + limbs, a->limbs, a->size, (int)(shift % LIMB_BITS));
    bool done = bigint_divide(quotient, rest, work, size, b->limbs, b->size);
    if (done) {
        Limb high, low;
        digits = bigint_normal_size(quotient, digits);
        bool below = bigint_top_bits(quotient, digits, &high, &low);
        below |= bigint_normal_size(rest, b->size) != 0;
        int64_t exponent = bigint_bit_length(quotient, digits) - 128 - shift;
        *number = dtoa_assemble(high, low, below, (int)exponent);
    }
    memory_free(work);
    return done;
}

Value int_true_divide(ValueRef a, ValueRef b)
{
    if (both_small_and_divisible(a, b))
        return from_double((double)small_value(a) / (double)small_value(b));
    IntView left, right;
    int_view(a, &left);
    int_view(b, &right);
    if (!right.size) return raise_error(ZeroDivisionError, "division by zero");
    bool negative = left.negative != right.negative;
    if (!left.size) return from_double(negative ? -0.0 : 0.0);
    double number = 0.0;
    if (!divide_to_double(&left, &right, &number)) return VALUE_ERROR;
    if (number == INFINITY)
        return raise_error(OverflowError, "integer division result too large for a float");
    return from_double(negative ? -number : number);
}

// ---- shifting

#define MAX_SHIFT_BITS 66 // of a count that would need more limbs than can be counted

static Value shift_left(const IntView *a, uint64_t count)
{
    if (count / LIMB_BITS > PTRDIFF_MAX) return raise_memory_error();
    size_t limbs = (size_t)(count / LIMB_BITS), size = a->size + limbs + 1;
    BigInt *made = bigint_new(size);
    if (!made) return VALUE_ERROR;
    memset(made->limbs, 0, limbs * sizeof(Limb));
    made->limbs[size - 1] =
        bigint_shift_left(made->limbs + limbs, a->limbs, a->size, (int)(count % LIMB_BITS));
    return bigint_finish(made, size, a->negative);
}

Value int_lshift(ValueRef a, ValueRef b)
{
    if (are_small(a, b)) {
        int64_t count = small_value(b), number = small_value(a);
        if (count >= 0 && count < 15) return int_new(number * ((int64_t)1 << count));
        if (count >= 0 && count < 48 && number >> (48 - count) == 0)
            return from_small(number << count);
    }
    if (int_sign(b) < 0) return raise_error(ValueError, "negative shift count");
    if (!int_sign(a)) return from_small(0);
    int64_t count;
    if (int_as_int64_clamped(b, &count)) {
        if (int_bit_length(b) <= MAX_SHIFT_BITS) return raise_memory_error();
        return raise_error(OverflowError, "too many digits in integer");
    }
    IntView view;
    int_view(a, &view);
    return shift_left(&view, (uint64_t)count);
}

// Rounds down: a negative number that loses a bit becomes one less.
static Value shift_right(const IntView *a, uint64_t count)
{
    if (count / LIMB_BITS >= a->size) return from_small(a->negative ? -1 : 0);
    size_t limbs = (size_t)(count / LIMB_BITS), size = a->size - limbs;
    int bits = (int)(count % LIMB_BITS);
    BigInt *made = bigint_new(size + 1);
    if (!made) return VALUE_ERROR;
    bigint_shift_right(made->limbs, a->limbs + limbs, size, bits);
    made->limbs[size] = 0;
    if (a->negative) {
        bool lost = a->limbs[limbs] & (((Limb)1 << bits) - 1);
        for (size_t i = 0; i < limbs && !lost; i++) lost = a->limbs[i];
        bigint_add_limb(made->limbs, size + 1, lost);
    }
    return bigint_finish(made, size + 1, a->negative);
}

Value int_rshift(ValueRef a, ValueRef b)
{
    if (are_small(a, b) && small_value(b) >= 0) {
        int64_t count = small_value(b);
        return from_small(small_value(a) >> (count < 63 ? count : 63));
    }
    if (int_sign(b) < 0) return raise_error(ValueError, "negative shift count");
    int64_t count;
    int_as_int64_clamped(b, &count);
    IntView view;
    int_view(a, &view);
    return shift_right(&view, (uint64_t)count);
}

// ---- bit by bit

// Converts a magnitude into two's complement and back, from the lowest limb on; `carry` starts as
// 1.
static inline Limb complement_limb(Limb limb, Limb *carry)
{
    limb = ~limb + *carry;
    *carry = *carry && !limb;
    return limb;
}

static inline Limb next_limb(const IntView *view, size_t index, Limb *carry)
{
    Limb limb = index < view->size ? view->limbs[index] : 0;
    return view->negative ? complement_limb(limb, carry) : limb;
}

static inline Limb apply(char op, Limb a, Limb b)
{
    return op == '&' ? a & b : op == '|' ? a | b : a ^ b;
}

// Of numbers that are not negative, `b` the shorter one.
static Value bitwise_magnitudes(const IntView *a, const IntView *b, char op)
{
    size_t size = op == '&' ? b->size : a->size, both = b->size;
    BigInt *made = bigint_new(size ? size : 1);
    if (!made) return VALUE_ERROR;
    const Limb *left = a->limbs, *right = b->limbs;
    Limb *restrict to = made->limbs;
    if (op == '&')
        for (size_t i = 0; i < both; i++) to[i] = left[i] & right[i];
    else if (op == '|')
        for (size_t i = 0; i < both; i++) to[i] = left[i] | right[i];
    else
        for (size_t i = 0; i < both; i++) to[i] = left[i] ^ right[i];
    for (size_t i = both; i < size; i++) to[i] = left[i];
    return bigint_finish(made, size, false);
}

// Where a carry ends nothing is added any more: the limbs of a negative number are turned. a | b is
// the reverse of what both reversed have in common.
static void bitwise_rest(Limb *restrict to, size_t i, const IntView *a, const IntView *b, char op)
{
    const Limb *left = a->limbs, *right = b->limbs, turned = op == '|' ? ~(Limb)0 : 0;
    Limb a_turn = turned ^ -(Limb)a->negative, b_turn = turned ^ -(Limb)b->negative;
    if (op == '^') {
        for (; i < b->size; i++) to[i] = (left[i] ^ a_turn) ^ (right[i] ^ b_turn);
        for (; i < a->size; i++) to[i] = left[i] ^ a_turn ^ b_turn;
        to[i] = a_turn ^ b_turn;
    } else {
        for (; i < b->size; i++) to[i] = ((left[i] ^ a_turn) & (right[i] ^ b_turn)) ^ turned;
        Limb flip = a_turn ^ turned;
        if (b_turn && !flip && i < a->size) memcpy(to + i, left + i, (a->size - i) * sizeof *to);
        for (; i < a->size && (!b_turn || flip); i++) to[i] = b_turn ? left[i] ^ flip : turned;
        i = a->size;
        to[i] = (a_turn & b_turn) ^ turned;
    }
}

// Of numbers of which one is negative, `b` the shorter one.
static Value bitwise_complements(const IntView *a, const IntView *b, char op)
{
    size_t size = a->size + 1, i = 0;
    BigInt *made = bigint_new(size);
    if (!made) return VALUE_ERROR;
    Limb a_carry = a->negative, b_carry = b->negative, carry = 1;
    for (; i < a->size && (a_carry || b_carry); i++) {
        Limb left = next_limb(a, i, &a_carry);
        made->limbs[i] = apply(op, left, next_limb(b, i, &b_carry));
    }
    bitwise_rest(made->limbs, i, a, b, op);
    bool negative = apply(op, a->negative, b->negative);
    for (i = 0; negative && carry && i < size; i++)
        made->limbs[i] = complement_limb(made->limbs[i], &carry);
    for (; negative && i < size; i++) made->limbs[i] = ~made->limbs[i];
    return bigint_finish(made, size, negative);
}

static Value bitwise(const IntView *a, const IntView *b, char op)
{
    bool negative = a->negative || b->negative;
    const IntView *longer = a->size < b->size ? b : a, *shorter = longer == a ? b : a;
    return (negative ? bitwise_complements : bitwise_magnitudes)(longer, shorter, op);
}

static Value bitwise_values(ValueRef a, ValueRef b, char op)
{
    IntView left, right;
    int_view(a, &left);
    int_view(b, &right);
    return bitwise(&left, &right, op);
}

Value int_and(ValueRef a, ValueRef b)
{
    if (are_small(a, b)) return from_small(small_value(a) & small_value(b));
    return bitwise_values(a, b, '&');
}

Value int_or(ValueRef a, ValueRef b)
{
    if (are_small(a, b)) return from_small(small_value(a) | small_value(b));
    return bitwise_values(a, b, '|');
}

Value int_xor(ValueRef a, ValueRef b)
{
    if (are_small(a, b)) return from_small(small_value(a) ^ small_value(b));
    return bitwise_values(a, b, '^');
}

Value int_invert(ValueRef a)
{
    if (!is_object(a)) return int_new(~bool_or_small_value(a));
    Value negative = int_negative(a);
    if (!negative) return VALUE_ERROR;
    Value result = int_subtract(negative, from_small(1));
    drop(negative);
    return result;
}
