// Powers, greatest common divisors and square roots of ints.
//
// pow(a, b) squares and multiplies along the bits of b, from the top. pow(a, b, m) also takes
// remainders: in registers if m has one limb, else in buffers of m's size.
//
// The gcd of large numbers is Lehmer's algorithm. It does the steps of Euclid's algorithm on the
// top 62 bits alone, as long as they are certain to be the steps of the whole numbers. Then it
// applies all of them to the whole numbers at once, as one matrix.
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int_view.h"

#include <math.h>

#define MAX_POWER_BITS ((int64_t)1 << 46) // no memory holds a larger one

// ---- powers

static bool power_in_registers(int64_t base, uint64_t exponent, int64_t *result)
{
    *result = 1;
    for (; exponent; exponent >>= 1) {
        if ((exponent & 1) && __builtin_mul_overflow(*result, base, result)) return false;
        if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return false;
    }
    return true;
}

static Value power_by_squares(ValueRef base, int64_t exponent)
{
    Value result = int_exact(base);
    for (int bit = limb_bit_length((Limb)exponent) - 2; result && bit >= 0; bit--) {
        replace_slot(&result, int_multiply(result, result));
        if (result && (exponent >> bit & 1)) replace_slot(&result, int_multiply(result, base));
    }
    return result;
}

// Powers of +-2^n are shifts.
static Value power_of_shift(ValueRef base, int64_t exponent)
{
    int64_t bits = (int_bit_length(base) - 1) * exponent;
    Value magnitude = int_lshift(from_small(1), from_small(bits));
    if (!magnitude || int_sign(base) > 0 || !(exponent & 1)) return magnitude;
    Value result = int_negative(magnitude);
    drop(magnitude);
    return result;
}

static bool is_power_of_two(const IntView *view)
{
    Limb top = view->limbs[view->size - 1];
    if (top & (top - 1)) return false;
    for (size_t i = 0; i + 1 < view->size; i++)
        if (view->limbs[i]) return false;
    return true;
}

// exponent >= 0
static Value power(ValueRef base, ValueRef exponent)
{
    int64_t small_base, small_exponent, result;
    bool large_base = int_as_int64_clamped(base, &small_base);
    bool large_exponent = int_as_int64_clamped(exponent, &small_exponent);
    if (!large_base && small_base >= -1 && small_base <= 1) {
        if (!small_exponent) return from_small(1);
        return from_small(small_base < 0 && !int_is_odd(exponent) ? 1 : small_base);
    }
    if (!large_base && !large_exponent && small_exponent < 64 &&
        power_in_registers(small_base, (uint64_t)small_exponent, &result)) {
        return int_new(result);
    }
    if (!small_exponent) return from_small(1);
    if (large_exponent || small_exponent >= MAX_POWER_BITS / int_bit_length(base))
        return raise_memory_error();
    IntView view;
    int_view(base, &view);
    if (is_power_of_two(&view)) return power_of_shift(base, small_exponent);
    return power_by_squares(base, small_exponent);
}

// ---- powers modulo m

static bool bit_of(const IntView *view, int64_t bit)
{
    return view->limbs[bit / LIMB_BITS] >> (bit % LIMB_BITS) & 1;
}

// (a * b) % m, a and the result being shifted as m is.
static inline Limb multiply_modulo(Limb a, Limb b, const LimbDivisor *m)
{
    Limb high, rest, low = limb_multiply(a, b, &high);
    limb_divide(m, high, low, &rest);
    return rest;
}

static Limb power_modulo_limb(Limb base, const IntView *exponent, Limb modulus)
{
    LimbDivisor m = limb_divisor(modulus);
    Limb result = (Limb)(modulus != 1) << m.shift;
    int64_t bits = bigint_bit_length(exponent->limbs, exponent->size);
    while (bits-- > 0) {
        result = multiply_modulo(result, result >> m.shift, &m);
        if (bit_of(exponent, bits)) result = multiply_modulo(result, base, &m);
    }
    return result >> m.shift;
}

// Buffers for powers modulo m. The calculation is done modulo a multiple of m, m shifted left until
// its top bit is set: so no step has to shift. At the end comes one remainder of m.
typedef struct PowerRoom {
    size_t size;      // of the modulus
    Limb *modulus;    // shifted
    const Limb *base; // of base_size limbs, normal
    size_t base_size;
    Limb *result;             // `size` limbs
    Limb *product, *quotient; // 2 * size and size limbs
} PowerRoom;

// result = (result * factor) % modulus
static bool power_step(PowerRoom *room, const Limb *factor, size_t factor_size)
{
    size_t size = room->size, product_size = size + factor_size;
    if (!bigint_multiply(room->product, room->result, size, factor, factor_size)) return false;
    if (!bigint_divide_shifted(room->quotient, room->product, product_size, room->modulus, size))
        return false;
    memcpy(room->result, room->product, size * sizeof(Limb));
    return true;
}

// The exponent is not 0.
static bool power_modulo_limbs(PowerRoom *room, const IntView *exponent)
{
    memset(room->result, 0, room->size * sizeof(Limb));
    memcpy(room->result, room->base, room->base_size * sizeof(Limb));
    int64_t bits = bigint_bit_length(exponent->limbs, exponent->size) - 1;
    while (bits-- > 0) {
        if (!power_step(room, room->result, room->size)) return false;
        if (bit_of(exponent, bits) && !power_step(room, room->base, room->base_size)) return false;
    }
    return true;
}

// base in 0..modulus-1, exponent >= 0, modulus > 1
static Value power_modulo(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    IntView b, e, m;
    int_view(base, &b);
    int_view(exponent, &e);
    int_view(modulus, &m);
    if (!e.size) return from_small(1);
    if (m.size == 1)
        return int_from_uint64(power_modulo_limb(b.size ? b.limbs[0] : 0, &e, m.limbs[0]));
    if (!b.size) return from_small(0);
    size_t size = m.size;
    Limb *work = memory_alloc(5 * size * sizeof(Limb));
    if (!work) return raise_memory_error();
    PowerRoom room = {size, work, b.limbs, b.size, work + size, work + 2 * size, work + 4 * size};
    bigint_shift_left(work, m.limbs, size, LIMB_BITS - limb_bit_length(m.limbs[size - 1]));
    Value result = VALUE_ERROR;
    if (power_modulo_limbs(&room, &e) &&
        bigint_divide(NULL, room.product, room.result, size, m.limbs, size))
        result = int_from_limbs(room.product, size, false);
    memory_free(work);
    return result;
}

// a - b * c
static Value subtract_product(ValueRef a, ValueRef b, ValueRef c)
{
    Value product = int_multiply(b, c);
    if (!product) return VALUE_ERROR;
    Value result = int_subtract(a, product);
    drop(product);
    return result;
}

// One step of Euclid's algorithm: a, m = m, a % m and b, c = c, b - a // m * c. False with an
// exception pending; the slots stay owned.
static bool inverse_step(Value *a, Value *m, Value *b, Value *c)
{
    Value quotient = int_floor_divide(*a, *m);
    if (!quotient) return false;
    Value rest = subtract_product(*a, quotient, *m), next = VALUE_ERROR;
    if (rest) next = subtract_product(*b, quotient, *c);
    drop(quotient);
    if (!next) {
        if (rest) drop(rest);
        return false;
    }
    replace_slot(a, *m);
    *m = rest;
    replace_slot(b, *c);
    *c = next;
    return true;
}

// The number b with a * b = 1 modulo m.
static Value inverse_modulo(ValueRef number, ValueRef modulus)
{
    Value a = int_exact(number), m = int_exact(modulus);
    Value b = from_small(1), c = from_small(0);
    bool done = a && m;
    while (done && m != from_small(0)) done = inverse_step(&a, &m, &b, &c);
    if (done && a != from_small(1)) {
        raise_error(ValueError, "base is not invertible for the given modulus");
        done = false;
    }
    if (a) drop(a);
    if (m) drop(m);
    drop(c);
    if (done) return b;
    drop(b);
    return VALUE_ERROR;
}

static Value inverse_power_modulo(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    Value inverse = inverse_modulo(base, modulus);
    if (!inverse) return VALUE_ERROR;
    Value reduced = int_remainder(inverse, modulus), positive = int_negative(exponent);
    Value result = VALUE_ERROR;
    if (reduced && positive) result = power_modulo(reduced, positive, modulus);
    drop(inverse);
    if (reduced) drop(reduced);
    if (positive) drop(positive);
    return result;
}

// modulus > 0
static Value power_of_residue(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    if (modulus == from_small(1)) return from_small(0);
    if (int_sign(exponent) < 0) return inverse_power_modulo(base, exponent, modulus);
    Value reduced = int_remainder(base, modulus);
    if (!reduced) return VALUE_ERROR;
    Value result = power_modulo(reduced, exponent, modulus);
    drop(reduced);
    return result;
}

static Value power_with_modulus(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    int sign = int_sign(modulus);
    if (!sign) return raise_error(ValueError, "pow() 3rd argument cannot be 0");
    Value positive = sign < 0 ? int_negative(modulus) : int_exact(modulus);
    if (!positive) return VALUE_ERROR;
    Value result = power_of_residue(base, exponent, positive);
    drop(positive);
    if (sign < 0 && result && int_sign(result)) replace_slot(&result, int_add(result, modulus));
    return result;
}

Value int_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    if (modulus != NONE) return power_with_modulus(base, exponent, modulus);
    if (int_sign(exponent) >= 0) return power(base, exponent);
    double a, b;
    if (!int_as_double(base, &a) || !int_as_double(exponent, &b)) return VALUE_ERROR;
    return float_power(a, b);
}

// ---- greatest common divisors

static uint64_t gcd_limbs(uint64_t a, uint64_t b)
{
    if (!a || !b) return a | b;
    int shift = __builtin_ctzll(a | b);
    a >>= __builtin_ctzll(a);
    while (b) {
        b >>= __builtin_ctzll(b);
        if (a > b) {
            uint64_t old = a;
            a = b;
            b = old;
        }
        b -= a;
    }
    return a << shift;
}

// The steps that are certain from the top bits x >= y of two numbers: a, b = A*a - B*b, D*b - C*a
// if the number of steps is even, B*b - A*a, C*a - D*b if it is odd.
typedef struct Cofactors {
    int64_t a, b, c, d;
    int steps;
} Cofactors;

static Cofactors lehmer_steps(int64_t x, int64_t y)
{
    Cofactors f = {1, 0, 0, 1, 0};
    while (y != f.c) {
        int64_t quotient = (x + (f.a - 1)) / (y - f.c);
        int64_t s = f.b + quotient * f.d, t = x - quotient * y;
        if (s > t) break;
        x = y;
        y = t;
        t = f.a + quotient * f.c;
        f.a = f.d;
        f.b = f.c;
        f.c = s;
        f.d = t;
        f.steps++;
    }
    return f;
}

// result = factor * a - other * b, which is not negative and has no more limbs.
static void combine(Limb *result, const Limb *a, int64_t factor, const Limb *b, int64_t other,
                    size_t size)
{
    bigint_multiply_limb(result, a, size, (Limb)factor, 0);
    bigint_subtract_product(result, b, size, (Limb)other);
}

static void apply_steps(const Cofactors *f, Limb *a, Limb *b, size_t size, Limb *work)
{
    Limb *next_a = work, *next_b = work + size;
    if (f->steps & 1) {
        combine(next_a, b, f->a, a, f->b, size);
        combine(next_b, a, f->d, b, f->c, size);
    } else {
        combine(next_a, a, f->a, b, f->b, size);
        combine(next_b, b, f->d, a, f->c, size);
    }
    memcpy(a, next_a, size * sizeof(Limb));
    memcpy(b, next_b, size * sizeof(Limb));
}

// The 62 bits that begin where the top bit of a number of `size` limbs and `bits` top bits is.
static int64_t top_bits(const Limb *a, size_t size, int bits)
{
    Limb top = a[size - 1] << (LIMB_BITS - bits);
    if (bits < LIMB_BITS) top |= a[size - 2] >> bits;
    return (int64_t)(top >> 2);
}

// a >= b, both of `size` limbs, a's normal size being that; work has 2 * size limbs. The gcd is
// left in a when b is 0, or both are brought down to one limb.
static bool lehmer_gcd(Limb *a, Limb *b, size_t size, Limb *work)
{
    while ((size = bigint_normal_size(a, size)) > 1) {
        size_t b_size = bigint_normal_size(b, size);
        if (!b_size) return true;
        int bits = limb_bit_length(a[size - 1]);
        Cofactors f = lehmer_steps(top_bits(a, size, bits), top_bits(b, size, bits));
        if (f.steps) {
            apply_steps(&f, a, b, size, work);
            continue;
        }
        if (!bigint_divide(NULL, work, a, size, b, b_size)) return false;
        memcpy(a, b, size * sizeof(Limb));
        memset(b, 0, size * sizeof(Limb));
        memcpy(b, work, b_size * sizeof(Limb));
    }
    return true;
}

static Value gcd_large(const IntView *a, const IntView *b)
{
    size_t size = a->size;
    Limb *left = memory_alloc_zeroed(4 * size * sizeof(Limb)), *right = left + size;
    if (!left) return raise_memory_error();
    memcpy(left, a->limbs, size * sizeof(Limb));
    memcpy(right, b->limbs, b->size * sizeof(Limb));
    Value result = VALUE_ERROR;
    if (lehmer_gcd(left, right, size, right + size)) {
        if (bigint_normal_size(left, size) > 1)
            result = int_from_limbs(left, size, false);
        else
            result = int_from_uint64(gcd_limbs(left[0], right[0]));
    }
    memory_free(left);
    return result;
}

Value int_gcd(ValueRef a, ValueRef b)
{
    IntView left, right;
    int_view(a, &left);
    int_view(b, &right);
    if (left.size <= 1 && right.size <= 1)
        return int_from_uint64(
            gcd_limbs(left.size ? left.limbs[0] : 0, right.size ? right.limbs[0] : 0));
    if (bigint_compare(left.limbs, left.size, right.limbs, right.size) < 0)
        return gcd_large(&right, &left);
    return gcd_large(&left, &right);
}

// ---- square roots

// One step towards the root of n: (a << shift) + (n >> drop_bits) // a.
static Value isqrt_step(ValueRef a, ValueRef n, int64_t shift, int64_t drop_bits)
{
    Value upper = int_lshift(a, from_small(shift)), lower = VALUE_ERROR;
    Value rest = upper ? int_rshift(n, from_small(drop_bits)) : VALUE_ERROR;
    if (rest) {
        lower = int_floor_divide(rest, a);
        drop(rest);
    }
    Value result = lower ? int_add(upper, lower) : VALUE_ERROR;
    if (upper) drop(upper);
    if (lower) drop(lower);
    return result;
}

// Newton's iteration with twice as many bits in each round; the result may be one too large.
static Value isqrt_estimate(ValueRef n)
{
    int64_t bits = (int_bit_length(n) - 1) / 2, done = 0;
    Value a = from_small(1);
    for (int s = limb_bit_length((Limb)bits); a && s-- > 0;) {
        int64_t before = done;
        done = bits >> s;
        replace_slot(&a, isqrt_step(a, n, done - before - 1, 2 * bits - before - done + 1));
    }
    return a;
}

Value int_isqrt(ValueRef value)
{
    int sign = int_sign(value);
    if (sign < 0) return raise_error(ValueError, "isqrt() argument must be nonnegative");
    if (is_small(value)) return from_small((int64_t)sqrt((double)small_value(value)));
    if (!sign) return from_small(0);
    Value root = isqrt_estimate(value);
    Value square = root ? int_multiply(root, root) : VALUE_ERROR;
    if (square && int_compare(square, value) > 0)
        replace_slot(&root, int_subtract(root, from_small(1)));
    if (square)
        drop(square);
    else if (root)
        drop_slot(&root);
    return root;
}
