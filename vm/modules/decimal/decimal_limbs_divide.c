// Dividing coefficients, and their square roots.
//
// Division is Knuth's algorithm D: both numbers are first multiplied so that the divisor's top limb
// is at least half of the base; then each limb of the quotient, estimated by two limbs of the
// divisor, is at most one too large. A quotient of many limbs is divided by halves
// (objects/numbers/divide_halves.h).
//
// The square root goes by halves too (Zimmermann): the root of the upper half of the limbs, then
// the lower half of the root by one division.
#include "vm/modules/decimal/decimal_limbs.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/upcalls.h"

#include <math.h>

#define RECURSIVE_LIMBS 64
#define LOCAL_LIMBS 64

// a -= b * factor, of `size` limbs; returns what a's next limb loses.
static Limb9 subtract_product(Limb9 *a, const Limb9 *b, size_t size, Limb9 factor)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t product = (uint64_t)b[i] * factor + borrow;
        borrow = product / LIMB9_BASE;
        Limb9 low = (Limb9)(product - borrow * LIMB9_BASE);
        bool under = a[i] < low;
        a[i] = a[i] - low + (under ? LIMB9_BASE : 0);
        borrow += under;
    }
    return (Limb9)borrow;
}

// One limb of the quotient of high:a[1]:a[0] by top:next, at most one too large.
static Limb9 estimate_limb(Limb9 top, Limb9 next, Limb9 high, const Limb9 *a)
{
    uint64_t two = (uint64_t)high * LIMB9_BASE + a[1];
    uint64_t limb = two / top, rest = two % top;
    while (limb >= LIMB9_BASE || limb * next > rest * LIMB9_BASE + a[0]) {
        limb--;
        rest += top;
        if (rest >= LIMB9_BASE) break;
    }
    return (Limb9)limb;
}

// b's top limb is at least half of the base, and b_size >= 2; a becomes the remainder. The quotient
// gets a_size - b_size limbs; its top limb (0 or 1) is returned.
static Limb9 limbs_divide_plain(Limb9 *quotient, Limb9 *a, size_t a_size, const Limb9 *b,
                                size_t b_size)
{
    size_t count = a_size - b_size;
    Limb9 *high_part = a + count;
    bool over = limbs_compare(high_part, b_size, b, b_size) >= 0;
    if (over) limbs_subtract(high_part, high_part, b_size, b, b_size);
    for (size_t j = count; j-- > 0;) {
        Limb9 high = a[j + b_size];
        Limb9 limb = estimate_limb(b[b_size - 1], b[b_size - 2], high, a + j + b_size - 2);
        Limb9 lost = subtract_product(a + j, b, b_size, limb);
        if (high < lost) {
            limb--;
            limbs_add(a + j, a + j, b_size, b, b_size);
        }
        a[j + b_size] = 0;
        quotient[j] = limb;
    }
    return over;
}

#define LIMB Limb9
#define LIMBS(name) limbs_##name
#include "objects/numbers/divide_halves.h"

bool limbs_divide(Limb9 *quotient, Limb9 *remainder, const Limb9 *a, size_t a_size, const Limb9 *b,
                  size_t b_size)
{
    if (b_size == 1) {
        remainder[0] = limbs_divide_limb(quotient, a, a_size, b[0]);
        return poll_signals();
    }
    size_t room = a_size + 1 + b_size;
    Limb9 local[LOCAL_LIMBS];
    Limb9 *work = room <= LOCAL_LIMBS ? local : memory_alloc(room * sizeof(Limb9));
    if (!work) return raise_memory_error();
    Limb9 *divisor = work + a_size + 1, factor = LIMB9_BASE / (b[b_size - 1] + 1);
    limbs_multiply_limb(divisor, b, b_size, factor, 0);
    work[a_size] = limbs_multiply_limb(work, a, a_size, factor, 0);
    bool done = divide_shifted(quotient, work, a_size + 1, divisor, b_size);
    if (done) limbs_divide_limb(remainder, work, b_size, factor);
    if (work != local) memory_free(work);
    return done;
}

// ---- square root

// floor(sqrt(number))
static uint64_t root_of_word(uint64_t number)
{
    uint64_t root = (uint64_t)sqrt((double)number);
    while (root * root > number) root--;
    while ((root + 1) * (root + 1) <= number) root++;
    return root;
}

// Of 2 limbs: the root is one limb; what is left over stands in a.
static void root_of_two(Limb9 *root, Limb9 *a)
{
    uint64_t number = a[0] + (uint64_t)a[1] * LIMB9_BASE;
    root[0] = (Limb9)root_of_word(number);
    uint64_t left = number - (uint64_t)root[0] * root[0];
    a[0] = (Limb9)(left % LIMB9_BASE);
    a[1] = (Limb9)(left / LIMB9_BASE);
}

// The lower `low` limbs of the root, where the upper ones are done: a has what is left over, times
// B^low. `a` gets what is left over then.
static bool root_lower(Limb9 *root, Limb9 *a, size_t size, size_t low, Limb9 *scratch)
{
    size_t high = size / 2 - low;
    Limb9 *twice = scratch, *quotient = twice + high + 1, *rest = quotient + high + low + 2;
    twice[high] = limbs_multiply_limb(twice, root + low, high, 2, 0);
    size_t twice_size = limbs_normal_size(twice, high + 1), left = limbs_normal_size(a, size);
    size_t part = left > low ? left - low : 0; // limbs of a / B^low
    memset(quotient, 0, (high + low + 2) * sizeof(Limb9));
    if (part >= twice_size) {
        if (!limbs_divide(quotient, rest, a + low, part, twice, twice_size)) return false;
        memcpy(a + low, rest, twice_size * sizeof(Limb9));
        memset(a + low + twice_size, 0, (part - twice_size) * sizeof(Limb9));
    }
    // The quotient may be B^low, which is one too large.
    if (limbs_any(quotient + low, high + 2)) {
        for (size_t i = 0; i < low; i++) quotient[i] = LIMB9_BASE - 1;
        limbs_add(a + low, a + low, size - low, twice, twice_size);
    }
    memcpy(root, quotient, low * sizeof(Limb9));
    size_t count = limbs_normal_size(quotient, low);
    if (!limbs_multiply(rest, quotient, count, quotient, count)) return false;
    Limb9 borrow = limbs_subtract(a, a, size, rest, limbs_normal_size(rest, 2 * count));
    while (borrow) { // root - 1 leaves 2 * root - 1 more
        size_t all = low + high;
        limbs_subtract_limb(root, all, 1);
        twice[all] = limbs_multiply_limb(twice, root, all, 2, 1);
        borrow -= limbs_add(a, a, size, twice, limbs_normal_size(twice, all + 1));
    }
    return true;
}

// size / 2 limbs of root; a, of an even number of limbs, becomes what is left over. Its top limb is
// at least a quarter of the base. The scratch memory is 2 * size + 8 limbs.
static bool root_by_halves(Limb9 *root, Limb9 *a, size_t size, Limb9 *scratch)
{
    if (size == 2) {
        root_of_two(root, a);
        return true;
    }
    size_t low = size / 4;
    return root_by_halves(root + low, a + 2 * low, size - 2 * low, scratch) &&
           root_lower(root, a, size, low, scratch);
}

bool limbs_square_root(Limb9 *root, const Limb9 *a, size_t size, bool *exact)
{
    size_t even = size + size % 2, room = 3 * even + 8;
    Limb9 local[LOCAL_LIMBS];
    Limb9 *work = room <= LOCAL_LIMBS ? local : memory_alloc(room * sizeof(Limb9));
    if (!work) return raise_memory_error();
    memcpy(work, a, size * sizeof(Limb9));
    if (even > size) work[size] = 0;
    Limb9 factor = 1; // the root of what a is multiplied by, so that its top is large enough
    for (; work[even - 1] < LIMB9_BASE / 4; factor *= 2)
        limbs_multiply_limb(work, work, even, 4, 0);
    bool done = root_by_halves(root, work, even, work + even);
    if (done) *exact = !limbs_divide_limb(root, root, even / 2, factor) && !limbs_any(work, even);
    if (work != local) memory_free(work);
    return done;
}
