// Decimal digits to the nearest double, ties to even.
//
// There are three methods; each is used only where its result is certain:
// - Few digits and a small power of ten: both are exact doubles, and one operation rounds once.
// - 64 bits of digits times 128 bits of the power of ten. The product may be slightly too small. If
// adding the largest possible error rounds to the same double, that is the result.
// - The exact ratio of two magnitudes.
#include "objects/numbers/dtoa.h"
#include "objects/numbers/float.h"

#include <math.h>

#define CHUNK_DIGITS 19   // digits that fit 64 bits
#define MIDDLE_DIGITS 770 // more digits than any point halfway between two doubles has
#define SATURATED 100000000

static double from_parts(uint64_t mantissa, int biased)
{
    // The mantissa has its implicit bit, which adds 1 to the exponent; so does a carry.
    uint64_t bits = ((uint64_t)biased << 52) + mantissa;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

double dtoa_assemble(Limb high, Limb low, bool below, int exponent)
{
    int top = exponent + 127;
    if (top > 1023) return INFINITY;
    int kept = top >= -1022 ? 53 : 53 - (-1022 - top);
    if (kept < 0) return 0.0;
    uint64_t mantissa = kept ? high >> (64 - kept) : 0;
    Limb rest = high << kept;
    bool half = rest >> 63;
    below = below || low || rest << 1;
    if (half && (below || (mantissa & 1))) mantissa++;
    return from_parts(mantissa, top >= -1022 ? top + 1022 : 0);
}

// digits * 10^power, or with `more` any number up to (digits + 1) * 10^power. True if that is
// precise enough to determine the double.
static bool by_128_bits(uint64_t digits, bool more, int power, double *number)
{
    const PowerOfTen *ten = power_of_ten(power);
    int shift = LIMB_BITS - limb_bit_length(digits);
    digits <<= shift;
    Limb carry, high, lowest = limb_multiply(digits, ten->low, &carry);
    Limb low = limb_multiply_add(digits, ten->high, carry, &high);
    // The product has 191 or 192 bits; the lowest 64 are `lowest`.
    int exponent = decimal_log2(power) - 127 + 64 - shift;
    bool exact = power_of_ten_is_exact(power) && !more;
    Limb error_low = exact ? 0 : 2, error_high = 0;
    if (more) error_high = ((Limb)1 << shift) + 1;
    Limb high_most = high + error_high, low_most = low + error_low;
    high_most += low_most < low;
    if (high_most < high) return false;
    int up = high >> 63 ? 0 : 1, up_most = high_most >> 63 ? 0 : 1;
    if (up) {
        high = high << 1 | low >> 63;
        low = low << 1 | lowest >> 63;
        lowest <<= 1;
    }
    if (up_most) {
        high_most = high_most << 1 | low_most >> 63;
        low_most <<= 1;
    }
    *number = dtoa_assemble(high, low, exact && lowest, exponent - up);
    return exact || *number == dtoa_assemble(high_most, low_most, true, exponent - up_most);
}

// Exactly: digits (as text) * 10^power.
static double by_ratio(const char *digits, int count, bool more, int power)
{
    Wide number, divisor, quotient;
    wide_set(&number, 0);
    for (int i = 0; i < count;) {
        Limb chunk = 0, scale = 1;
        for (; i < count && scale < 1000000000000000000ull; i++, scale *= 10)
            chunk = chunk * 10 + (Limb)(digits[i] - '0');
        wide_multiply_add(&number, scale, chunk);
    }
    if (more) {
        // One digit that is not 0, after all digits a tie can have, stands for those cut off.
        wide_multiply_add(&number, 10, 1);
        power--;
    }
    Limb high, low;
    int64_t bits = bigint_bit_length(number.limbs, number.size);
    if (power >= 0) {
        wide_multiply_power_of_five(&number, power);
        bits = bigint_bit_length(number.limbs, number.size);
        bool below = wide_top_bits(&number, &high, &low);
        return dtoa_assemble(high, low, below, (int)bits - 128 + power);
    }
    wide_set(&divisor, 1);
    wide_multiply_power_of_five(&divisor, -power);
    int shift = (int)(bigint_bit_length(divisor.limbs, divisor.size) - bits) + 130;
    if (shift < 0) shift = 0;
    wide_shift_left(&number, shift);
    wide_divide(&number, &divisor, &quotient);
    bool below = wide_top_bits(&quotient, &high, &low) || number.size;
    bits = bigint_bit_length(quotient.limbs, quotient.size);
    return dtoa_assemble(high, low, below, (int)bits - 128 + power - shift);
}

// digits * 10^power, if the first digit is not 0.
static double convert(const char *digits, int count, bool more, int power)
{
    static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    for (; !more && digits[count - 1] == '0'; count--) power++;
    if (count + power > 310) return INFINITY;
    if (count + power < -326) return 0.0;
    int used = count < CHUNK_DIGITS ? count : CHUNK_DIGITS;
    uint64_t value = 0;
    for (int i = 0; i < used; i++) value = value * 10 + (uint64_t)(digits[i] - '0');
    int chunk_power = power + count - used;
    if (used == count && !more && value < 1ull << 53 && power >= -22 && power <= 22) {
        double number = (double)value;
        return power < 0 ? number / exact_powers[-power] : number * exact_powers[power];
    }
    double number;
    bool cut = more || used < count;
    if (chunk_power >= POWER_MIN && chunk_power <= POWER_MAX &&
        by_128_bits(value, cut, chunk_power, &number)) {
        return number;
    }
    return by_ratio(digits, count, more, power);
}

double dtoa_to_double(const Decimal *decimal)
{
    if (!decimal->count) return 0.0;
    return convert(decimal->digits, decimal->count, false, decimal->point - decimal->count);
}

// The result of scanning a text: the significant digits, and the position of the point.
typedef struct Scan {
    char digits[MIDDLE_DIGITS];
    int count;
    bool more;   // digits other than 0 were cut off
    int power;   // of the last digit kept
    bool any;    // there was a digit
    int64_t cut; // digits cut off in front of the point
} Scan;

static const char *scan_digits(const char *text, const char *end, bool after_point, Scan *scan)
{
    int64_t places = 0;
    for (; text < end && *text >= '0' && *text <= '9'; text++) {
        scan->any = true;
        if (!scan->count && *text == '0') {
            places++;
        } else if (scan->count < MIDDLE_DIGITS) {
            scan->digits[scan->count++] = *text;
            places++;
        } else {
            scan->more |= *text != '0';
            scan->cut++;
        }
    }
    if (after_point) scan->power -= places < SATURATED ? (int)places : SATURATED;
    return text;
}

static const char *scan_exponent(const char *text, const char *end, int *power)
{
    if (text == end || (*text != 'e' && *text != 'E')) return text;
    const char *start = text++;
    bool negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+')) text++;
    if (text == end || *text < '0' || *text > '9') return start;
    int exponent = 0;
    for (; text < end && *text >= '0' && *text <= '9'; text++)
        if (exponent < SATURATED) exponent = exponent * 10 + (*text - '0');
    *power += negative ? -exponent : exponent;
    return text;
}

bool double_from_digits(const char *text, size_t size, double *number)
{
    const char *end = text + size;
    bool negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+')) text++;
    Scan scan;
    scan.count = scan.power = 0;
    scan.cut = 0;
    scan.more = scan.any = false;
    text = scan_digits(text, end, false, &scan);
    scan.power = scan.cut < SATURATED ? (int)scan.cut : SATURATED;
    if (text < end && *text == '.') text = scan_digits(text + 1, end, true, &scan);
    if (!scan.any) return false;
    text = scan_exponent(text, end, &scan.power);
    if (text != end) return false;
    double value = scan.count ? convert(scan.digits, scan.count, scan.more, scan.power) : 0.0;
    *number = negative ? -value : value;
    return true;
}
