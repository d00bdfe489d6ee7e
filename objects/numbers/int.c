// Ints: making them, and reading them in C.
//
// An int is a small int (in the word), True or False, or a BigInt: sign and magnitude in limbs of
// 64 bits. A BigInt whose type is exactly int is always outside of the small range; an instance of
// a subclass is a BigInt whatever its number. All functions of int.h accept any of them; results
// are exactly int. The other files: int_arith.c and int_power.c calculate, int_text.c reads and
// writes text, int_type.c has the types `int` and `bool`.
#include "objects/numbers/int.h"

#include "objects/error.h"
#include "objects/numbers/dtoa.h"
#include "objects/numbers/int_view.h"

#include <math.h>

#define HASH_BITS 61
#define HASH_MODULUS (((uint64_t)1 << HASH_BITS) - 1)

// ---- making

BigInt *bigint_new(size_t size)
{
    if (size > PTRDIFF_MAX / LIMB_BITS) { // so that its bits can be counted
        raise_memory_error();
        return NULL;
    }
    BigInt *made = object_alloc_unfilled(&int_type, sizeof(BigInt) + size * sizeof(Limb));
    if (made) made->size = (ssize_t)size;
    return made;
}

static bool bigint_is_sound(const BigInt *number)
{
    size_t size = (size_t)(number->size < 0 ? -number->size : number->size);
    invariant(size == 0 || number->limbs[size - 1] != 0, "the top limb of a number is not 0");
    invariant(number->base.type != &int_type || size > 1 ||
                  (size == 1 && number->limbs[0] > (Limb)SMALL_MAX + (number->size < 0)),
              "an int that fits the word is in the word");
    return true;
}

Value bigint_finish(BigInt *made, size_t size, bool negative)
{
    invariant(made->base.refcount == 1, "a number that is not finished has a single owner");
    invariant(size <= (size_t)made->size, "a number has no more limbs than it was made with");
    size = bigint_normal_size(made->limbs, size);
    made->size = negative ? -(ssize_t)size : (ssize_t)size;
    Limb low = size ? made->limbs[0] : 0;
    if (size > 1 || low > (Limb)SMALL_MAX + negative) {
        invariant(bigint_is_sound(made), "a number is finished once");
        return own(made);
    }
    drop(own(made));
    return from_small(negative ? -(int64_t)low : (int64_t)low);
}

Value int_from_limbs(const Limb *limbs, size_t size, bool negative)
{
    size = bigint_normal_size(limbs, size);
    if (!size) return from_small(0);
    if (size == 1 && limbs[0] <= (Limb)SMALL_MAX + negative)
        return from_small(negative ? -(int64_t)limbs[0] : (int64_t)limbs[0]);
    BigInt *made = bigint_new(size);
    if (!made) return VALUE_ERROR;
    memcpy(made->limbs, limbs, size * sizeof(Limb));
    return bigint_finish(made, size, negative);
}

Value int_new(int64_t number)
{
    if (fits_small(number)) return from_small(number);
    Limb magnitude = number < 0 ? 0 - (Limb)number : (Limb)number;
    return int_from_limbs(&magnitude, 1, number < 0);
}

Value int_from_uint64(uint64_t number)
{
    if (number <= INT64_MAX && fits_small((int64_t)number)) return from_small((int64_t)number);
    return int_from_limbs(&number, 1, false);
}

Value int_from_double(double number)
{
    if (number > -0x1p48 && number < 0x1p48) return from_small((int64_t)number);
    if (number != number) return raise_error(ValueError, "cannot convert float NaN to integer");
    if (number - number != 0.0)
        return raise_error(OverflowError, "cannot convert float infinity to integer");
    int exponent;
    Limb mantissa = double_split(number, &exponent);
    if (exponent <= 0) {
        mantissa >>= -exponent;
        return int_from_limbs(&mantissa, 1, number < 0);
    }
    size_t low = (size_t)exponent / LIMB_BITS;
    BigInt *made = bigint_new(low + 2);
    if (!made) return VALUE_ERROR;
    memset(made->limbs, 0, low * sizeof(Limb));
    made->limbs[low + 1] = bigint_shift_left(&made->limbs[low], &mantissa, 1, exponent % LIMB_BITS);
    return bigint_finish(made, low + 2, number < 0);
}

Value int_exact(ValueRef value)
{
    if (int_check_exact(value)) return retain(value);
    if (!is_object(value)) return from_small(bool_or_small_value(value));
    IntView view;
    int_view(value, &view);
    return int_from_limbs(view.limbs, view.size, view.negative);
}

// ---- reading

int int_as_int64_clamped(ValueRef value, int64_t *number)
{
    if (!is_object(value)) {
        *number = bool_or_small_value(value);
        return 0;
    }
    IntView view;
    int_view(value, &view);
    Limb low = view.size ? view.limbs[0] : 0;
    if (view.size > 1 || low > (Limb)INT64_MAX + view.negative) {
        *number = view.negative ? INT64_MIN : INT64_MAX;
        return view.negative ? -1 : 1;
    }
    *number = (int64_t)(view.negative ? 0 - low : low);
    return 0;
}

int int_as_ssize_clamped(ValueRef value, ssize_t *number)
{
    int64_t wide;
    int outside = int_as_int64_clamped(value, &wide), more = ssize_clamped(wide, number);
    return outside ? outside : more;
}

bool int_as_int64(ValueRef value, int64_t *number)
{
    if (!int_as_int64_clamped(value, number)) return true;
    return raise_error(OverflowError, "Python int too large to convert to C long");
}

bool int_as_ssize(ValueRef value, ssize_t *number)
{
    if (!int_check(value)) return raise_error(TypeError, "an integer is required");
    if (!int_as_ssize_clamped(value, number)) return true;
    return raise_error(OverflowError, "Python int too large to convert to C ssize_t");
}

bool int_as_uint64(ValueRef value, uint64_t *number)
{
    IntView view;
    int_view(value, &view);
    if (view.negative)
        return raise_error(OverflowError, "can't convert negative value to unsigned int");
    if (view.size > 1)
        return raise_error(OverflowError, "Python int too large to convert to C unsigned long");
    *number = view.size ? view.limbs[0] : 0;
    return true;
}

uint64_t int_as_uint64_mask(ValueRef value)
{
    IntView view;
    int_view(value, &view);
    uint64_t magnitude = view.size ? view.limbs[0] : 0;
    return view.negative ? 0 - magnitude : magnitude;
}

bool int_as_double(ValueRef value, double *number)
{
    if (!is_object(value)) {
        *number = (double)bool_or_small_value(value);
        return true;
    }
    IntView view;
    int_view(value, &view);
    *number = 0.0;
    if (!view.size) return true;
    Limb high, low;
    bool below = bigint_top_bits(view.limbs, view.size, &high, &low);
    int64_t exponent = bigint_bit_length(view.limbs, view.size) - 128;
    double magnitude = exponent > 2000 ? INFINITY : dtoa_assemble(high, low, below, (int)exponent);
    *number = view.negative ? -magnitude : magnitude;
    if (magnitude < INFINITY) return true;
    return raise_error(OverflowError, "int too large to convert to float");
}

double int_frexp(ValueRef value, int64_t *exponent)
{
    IntView view;
    int_view(value, &view);
    *exponent = bigint_bit_length(view.limbs, view.size);
    if (!view.size) return 0.0;
    Limb high, low;
    bool below = bigint_top_bits(view.limbs, view.size, &high, &low);
    double mantissa = dtoa_assemble(high, low, below, -128);
    if (mantissa == 1.0) {
        mantissa = 0.5;
        ++*exponent;
    }
    return view.negative ? -mantissa : mantissa;
}

int int_sign(ValueRef value)
{
    invariant(int_check(value), "only an int has this sign");
    if (is_object(value)) {
        ssize_t size = ((const BigInt *)object_of(value))->size;
        return (size > 0) - (size < 0);
    }
    int64_t number = bool_or_small_value(value);
    return (number > 0) - (number < 0);
}

bool int_is_odd(ValueRef value)
{
    IntView view;
    int_view(value, &view);
    return view.size && view.limbs[0] & 1;
}

int64_t int_bit_length(ValueRef value)
{
    IntView view;
    int_view(value, &view);
    return bigint_bit_length(view.limbs, view.size);
}

// The number modulo 2^61 - 1, as CPython's hash of every kind of number.
int64_t int_hash(ValueRef value)
{
    invariant(!is_object(value) || bigint_is_sound((const BigInt *)object_of(value)),
              "equal ints have equal limbs, so they have equal hashes");
    IntView view;
    int_view(value, &view);
    uint64_t hash = 0;
    for (size_t i = view.size; i-- > 0;) {
        Limb limb = view.limbs[i];
        // 2^64 is 8 modulo 2^61 - 1, and multiplying by 8 rotates the 61 bits.
        hash = (hash << 3 & HASH_MODULUS) | hash >> (HASH_BITS - 3);
        hash += (limb & HASH_MODULUS) + (limb >> HASH_BITS);
        hash = (hash & HASH_MODULUS) + (hash >> HASH_BITS);
        if (hash >= HASH_MODULUS) hash -= HASH_MODULUS;
    }
    int64_t result = view.negative ? -(int64_t)hash : (int64_t)hash;
    return result == -1 ? -2 : result;
}

int int_compare(ValueRef a, ValueRef b)
{
    if (are_small(a, b))
        return (small_value(a) > small_value(b)) - (small_value(a) < small_value(b));
    invariant(int_check(a) && int_check(b), "two ints are compared");
    IntView left, right;
    int_view(a, &left);
    int_view(b, &right);
    if (left.negative != right.negative) return left.negative ? -1 : 1;
    int order = bigint_compare(left.limbs, left.size, right.limbs, right.size);
    return left.negative ? -order : order;
}
