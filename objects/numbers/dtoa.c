// Doubles to decimal digits.
//
// The shortest digits (repr) are found by Schubfach (Raffaello Giulietti, "The Schubfach way to
// render doubles"). Scaled by a power of ten, the interval of all reals that round to the number is
// some 2 to 20 units wide. So it contains one or two multiples of ten, or else the nearest unit is
// the answer. This takes only three products with 126 bits of the power of ten.
//
// Digits to a given precision are the exact number times a power of ten, rounded half to even.
#include "objects/numbers/dtoa.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"

#define MAX_PLACES 1074 // no double has more digits after the point
#define MIN_PLACES (-310)
#define MAX_SIGNIFICANT 770

// floor(power * factor / 2^128), with the lowest bit set where anything was cut off.
static uint64_t round_to_odd(const PowerOfTen *power, uint64_t factor)
{
    Limb carry, high;
    limb_multiply(power->low, factor, &carry);
    Limb low = limb_multiply_add(power->high, factor, carry, &high);
    return high | (low > 1);
}

// The shortest digits of mantissa * 2^exponent, not 0: returns them as an integer, to be multiplied
// by 10^*power. It may end in zeros.
static uint64_t schubfach(uint64_t mantissa, int exponent, int *power)
{
    bool even = !(mantissa & 1);
    // The double below a power of two is only half as far away as the one above.
    bool narrow = mantissa == 1ull << 52 && exponent > -1074;
    int k = (exponent * 1262611 - (narrow ? 524031 : 0)) >> 22;
    int shift = exponent + decimal_log2(-k) + 1;
    PowerOfTen scale = *power_of_ten(-k);
    if (!power_of_ten_is_exact(-k) && !++scale.low) scale.high++;
    uint64_t low = round_to_odd(&scale, (4 * mantissa - 2 + narrow) << shift) + !even;
    uint64_t middle = round_to_odd(&scale, 4 * mantissa << shift);
    uint64_t high = round_to_odd(&scale, (4 * mantissa + 2) << shift) - !even;
    uint64_t digits = middle / 4;
    *power = k;
    if (digits >= 10) {
        uint64_t tens = digits / 10;
        bool below_fits = low <= 40 * tens, above_fits = 40 * tens + 40 <= high;
        if (below_fits != above_fits) {
            *power = k + 1;
            return tens + above_fits;
        }
    }
    bool below_fits = low <= 4 * digits, above_fits = 4 * digits + 4 <= high;
    if (below_fits != above_fits) return digits + above_fits;
    uint64_t half = 4 * digits + 2;
    return digits + (middle > half || (middle == half && (digits & 1)));
}

// The shortest digits of a finite number that is not 0, without zeros at their end.
static uint64_t shortest_digits(double number, int *power)
{
    int exponent;
    uint64_t mantissa = double_split(number, &exponent), digits;
    if (exponent <= 0 && exponent > -53 && !(mantissa & ((1ull << -exponent) - 1))) {
        digits = mantissa >> -exponent; // an integer below 2^53: any other digits miss it
        *power = 0;
    } else {
        digits = schubfach(mantissa, exponent, power);
    }
    while (digits % 10 == 0) {
        digits /= 10;
        ++*power;
    }
    return digits;
}

// Writes digits backwards from `end`; returns where they begin.
static char *write_digits(char *end, uint64_t digits)
{
    do {
        *--end = (char)('0' + digits % 10);
        digits /= 10;
    } while (digits);
    return end;
}

// The digits of scaled * 10^power.
static void take_short(uint64_t scaled, int power, Decimal *decimal)
{
    char text[20], *end = text + sizeof text;
    const char *start = scaled ? write_digits(end, scaled) : end;
    decimal->point = scaled ? (int)(end - start) + power : 1;
    while (end > start && end[-1] == '0') end--;
    decimal->count = (int)(end - start);
    memcpy(decimal->digits, start, (size_t)decimal->count);
}

static void find_shortest(double number, Decimal *decimal)
{
    int power = 0;
    uint64_t digits = number == 0.0 ? 0 : shortest_digits(number, &power);
    take_short(digits, power, decimal);
}

// mantissa * 2^exponent * 10^places, rounded half to even, if a product of two limbs holds all of
// it: for few decimal places of a number that is neither large nor tiny.
static bool scale_short(uint64_t mantissa, int exponent, int places, uint64_t *scaled)
{
    static const uint64_t fives[] = {1,     5,     25,     125,     625,     3125,
                                     15625, 78125, 390625, 1953125, 9765625, 48828125};
    int shift = -(exponent + places);
    if (places < 0 || places > 11 || shift < 1 || shift > 63) return false;
    Limb high, low = limb_multiply(mantissa, fives[places], &high);
    if (high >> (shift - 1)) return false;
    uint64_t rest = low & (((uint64_t)1 << shift) - 1), half = (uint64_t)1 << (shift - 1);
    uint64_t whole = high << (64 - shift) | low >> shift;
    *scaled = whole + (rest > half || (rest == half && (whole & 1)));
    return true;
}

// mantissa * 2^exponent * 10^places, rounded half to even.
static void scale(uint64_t mantissa, int exponent, int places, Wide *number)
{
    wide_set(number, mantissa);
    int shift = exponent + places;
    if (places >= 0) {
        wide_multiply_power_of_five(number, places);
        if (shift >= 0)
            wide_shift_left(number, shift);
        else
            wide_shift_right_rounded(number, -shift);
        return;
    }
    Wide divisor;
    wide_set(&divisor, 1);
    wide_multiply_power_of_five(&divisor, -places);
    wide_shift_left(shift >= 0 ? number : &divisor, shift >= 0 ? shift : -shift);
    wide_divide_rounded(number, &divisor);
}

// The digits of an integer that is the number times 10^places.
static void take_digits(Wide *number, int places, Decimal *decimal)
{
    int width = 0;
    if (number->size) {
        size_t room = bigint_decimal_size(number->limbs, number->size);
        bigint_write_decimal(number->limbs, number->size, decimal->digits, room);
        size_t zeros = 0;
        while (decimal->digits[zeros] == '0') zeros++;
        width = (int)(room - zeros);
        memmove(decimal->digits, decimal->digits + zeros, (size_t)width);
    }
    decimal->point = width - places;
    while (width && decimal->digits[width - 1] == '0') width--;
    decimal->count = width;
    if (!width) decimal->point = 1;
}

static void round_to_fixed(double number, int digits, Decimal *decimal)
{
    Wide scaled;
    int exponent;
    uint64_t mantissa = double_split(number, &exponent);
    int places = digits > MAX_PLACES ? MAX_PLACES : digits < MIN_PLACES ? MIN_PLACES : digits;
    if (places > 0 && places > -exponent) places = exponent < 0 ? -exponent : 0;
    uint64_t whole;
    if (scale_short(mantissa, exponent, places, &whole)) {
        take_short(whole, -places, decimal);
        return;
    }
    scale(mantissa, exponent, places, &scaled);
    take_digits(&scaled, places, decimal);
}

static void round_to_significant(double number, int digits, Decimal *decimal)
{
    Wide scaled;
    int exponent;
    uint64_t mantissa = double_split(number, &exponent);
    decimal->count = 0;
    decimal->point = 1;
    if (!mantissa) return;
    if (digits > MAX_SIGNIFICANT) digits = MAX_SIGNIFICANT;
    // log10 may be one too small. Then there is a digit too many; the second round is right.
    int log10 = binary_log10(exponent + limb_bit_length(mantissa) - 1);
    for (int places = digits - 1 - log10;; places--) {
        scale(mantissa, exponent, places, &scaled);
        take_digits(&scaled, places, decimal);
        if (decimal->point + places <= digits) return;
    }
}

static char *write_exponent(char *at, int exponent)
{
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    if (exponent < 0) exponent = -exponent;
    if (exponent >= 100) *at++ = (char)('0' + exponent / 100);
    *at++ = (char)('0' + exponent / 10 % 10);
    *at++ = (char)('0' + exponent % 10);
    return at;
}

// digits[0..count) with the point after `point` of them: -3 <= point <= 16.
static char *write_plain(char *at, const char *digits, int count, int point)
{
    if (point <= 0) {
        *at++ = '0';
        *at++ = '.';
        for (; point < 0; point++) *at++ = '0';
        memcpy(at, digits, (size_t)count);
        return at + count;
    }
    for (int i = 0; i < point; i++) *at++ = i < count ? digits[i] : '0';
    *at++ = '.';
    if (count <= point) {
        *at++ = '0';
        return at;
    }
    memcpy(at, digits + point, (size_t)(count - point));
    return at + (count - point);
}

static void write_special(double number, char *text)
{
    strcpy(text, number != number ? "nan" : number < 0 ? "-inf" : "inf");
}

void double_repr(double number, char *text)
{
    if (number - number != 0.0) {
        write_special(number, text);
        return;
    }
    if (__builtin_signbit(number)) *text++ = '-';
    if (number == 0.0) {
        strcpy(text, "0.0");
        return;
    }
    int power;
    char buffer[20], *end = buffer + sizeof buffer;
    const char *digits = write_digits(end, shortest_digits(number, &power));
    int count = (int)(end - digits), point = count + power;
    if (point > -4 && point <= 16) {
        text = write_plain(text, digits, count, point);
    } else {
        *text++ = *digits;
        if (count > 1) {
            *text++ = '.';
            memcpy(text, digits + 1, (size_t)count - 1);
            text += count - 1;
        }
        text = write_exponent(text, point - 1);
    }
    *text = 0;
}

// The range of digits to write: digits before `first` and from decimal->count on are zeros.
typedef struct Layout {
    int64_t first, last; // counted from the first digit; `first` may be negative
    int64_t point;
    int exponent;
    bool has_exponent;
} Layout;

static Layout lay_out(const Decimal *decimal, char kind, int64_t precision, int flags)
{
    int point = decimal->point;
    Layout layout = {.last = decimal->count};
    bool dot_zero = flags & DOUBLE_DOT_ZERO;
    if (kind == 'e') {
        layout.has_exponent = true;
        layout.last = precision + 1;
    } else if (kind == 'f') {
        layout.last = point + precision;
    } else if (kind == 'g') {
        layout.has_exponent = point <= -4 || point > precision - dot_zero;
        if (flags & DOUBLE_ALT) layout.last = precision;
    } else {
        layout.has_exponent = point <= -4 || point > 16;
    }
    layout.point = layout.has_exponent ? 1 : point;
    layout.exponent = point - 1;
    layout.first = layout.point <= 0 ? layout.point - 1 : 0;
    int64_t least = layout.point + (dot_zero && !layout.has_exponent);
    if (layout.last < least) layout.last = least;
    return layout;
}

static char *write_layout(char *at, const Decimal *decimal, const Layout *layout, bool alternate)
{
    for (int64_t i = layout->first; i < layout->last; i++) {
        if (i == layout->point) *at++ = '.';
        *at++ = i >= 0 && i < decimal->count ? decimal->digits[i] : '0';
    }
    if (alternate && layout->last == layout->point) *at++ = '.';
    return layout->has_exponent ? write_exponent(at, layout->exponent) : at;
}

static void upper_case(char *text)
{
    for (; *text; text++)
        if (*text >= 'a' && *text <= 'z') *text = (char)(*text - 'a' + 'A');
}

static void choose_digits(double number, char kind, int precision, Decimal *decimal)
{
    if (kind == 'e')
        round_to_significant(number, precision < INT32_MAX ? precision + 1 : precision, decimal);
    else if (kind == 'f')
        round_to_fixed(number, precision, decimal);
    else if (kind == 'g')
        round_to_significant(number, precision, decimal);
    else
        find_shortest(number, decimal);
}

static char *format_special(double number, int flags)
{
    char *text = memory_alloc(8), *at = text;
    if (!text) return NULL;
    if ((flags & DOUBLE_SIGN) && number > 0) *at++ = '+';
    write_special(number, at);
    return text;
}

static char *format_finite(double number, char kind, int precision, int flags)
{
    Decimal decimal;
    if (kind == 'g' && !precision) precision = 1;
    choose_digits(number, kind, precision, &decimal);
    Layout layout = lay_out(&decimal, kind, precision, flags);
    char *text = memory_alloc((size_t)(layout.last - layout.first) + 16), *at = text;
    if (!text) return NULL;
    bool negative = __builtin_signbit(number);
    if (negative || (flags & DOUBLE_SIGN)) *at++ = negative ? '-' : '+';
    *write_layout(at, &decimal, &layout, flags & DOUBLE_ALT) = 0;
    return text;
}

char *double_format(double number, char kind, int precision, int flags)
{
    char lower = (char)(kind | 0x20);
    bool finite = number - number == 0.0;
    char *text =
        finite ? format_finite(number, lower, precision, flags) : format_special(number, flags);
    if (!text) {
        raise_memory_error();
        return NULL;
    }
    if (kind != lower) upper_case(text);
    return text;
}

double double_round(double number, int digits)
{
    Decimal decimal;
    if (number - number != 0.0 || digits > 323) return number;
    if (digits < -308) return 0.0 * number;
    round_to_fixed(number, digits, &decimal);
    double rounded = dtoa_to_double(&decimal);
    return __builtin_signbit(number) ? -rounded : rounded;
}
