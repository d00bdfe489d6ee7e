// Floats as text: the text that float("...") accepts, and hexadecimal floats.
//
// A hexadecimal text is reduced to 128 bits, and a flag that is set if a lower bit is not 0.
// dtoa_assemble() rounds it, once.
#include "objects/numbers/float_text.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/digits.h"
#include "objects/numbers/dtoa.h"
#include "objects/numbers/float.h"
#include "objects/numbers/number_text.h"
#include "objects/text/str.h"

#include <limits.h>
#include <math.h>

// ---- decimal

static bool starts_with(const char *text, const char *end, const char *word)
{
    for (; *word; word++, text++)
        if (text == end || (*text | 0x20) != *word) return false;
    return true;
}

// inf, infinity or nan, the sign already taken off.
static size_t scan_special(const char *text, const char *end, double *number)
{
    *number = INFINITY;
    if (starts_with(text, end, "infinity")) return 8;
    if (starts_with(text, end, "inf")) return 3;
    *number = NAN;
    return starts_with(text, end, "nan") ? 3 : 0;
}

static const char *skip_digits(const char *text, const char *end)
{
    while (text < end && *text >= '0' && *text <= '9') text++;
    return text;
}

// The end of the longest decimal number at the start of the text.
static const char *decimal_end(const char *text, const char *end)
{
    const char *at = skip_digits(text, end);
    size_t digits = (size_t)(at - text);
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction, end);
        digits += (size_t)(at - fraction);
    }
    if (!digits) return text;
    if (at < end && (*at | 0x20) == 'e') {
        const char *exponent = at + 1;
        if (exponent < end && (*exponent == '-' || *exponent == '+')) exponent++;
        const char *after = skip_digits(exponent, end);
        if (after > exponent) at = after;
    }
    return at;
}

size_t double_scan(const char *text, size_t size, double *number)
{
    const char *end = text + size, *at = text;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    size_t length = scan_special(at, end, number);
    if (!length) {
        length = (size_t)(decimal_end(at, end) - at);
        if (!length || !double_from_digits(at, length, number)) return 0;
    }
    if (negative) *number = -*number;
    return (size_t)(at - text) + length;
}

typedef enum Reading { READ_EMPTY, READ_NOTHING, READ_NUMBER } Reading;

// Spaces around, underscores between digits. The text may be changed.
static Reading read_number(char *text, size_t size, double *number)
{
    while (size && is_ascii_space(*text)) text++, size--;
    while (size && is_ascii_space(text[size - 1])) size--;
    if (!size) return READ_EMPTY;
    if (memchr(text, '_', size) && !number_text_join(text, &size)) return READ_NOTHING;
    return size && double_scan(text, size, number) == size ? READ_NUMBER : READ_NOTHING;
}

Value float_from_text(ValueRef text)
{
    NumberText source;
    char local[64];
    if (!number_text_check(text))
        return raise_error(TypeError, "float() argument must be a string or a number, not '%.200T'",
                           text);
    if (!number_text_open(text, &source)) return VALUE_ERROR;
    char *copy = source.size <= sizeof local ? local : memory_alloc(source.size);
    double number;
    Reading reading = READ_NOTHING;
    if (copy) {
        memcpy(copy, source.text, source.size);
        reading = read_number(copy, source.size, &number);
    }
    number_text_close(&source);
    if (copy != local) memory_free(copy);
    if (!copy) return raise_memory_error();
    if (reading == READ_NUMBER) return float_new(number);
    if (reading == READ_EMPTY)
        return raise_error(ValueError, "could not convert string to float: ''");
    return raise_error(ValueError, "could not convert string to float: %R", text);
}

// ---- hexadecimal

static char hex_digit(unsigned value)
{
    return "0123456789abcdef"[value & 15];
}

static size_t write_decimal(char *text, int number)
{
    char digits[12];
    size_t count = 0, length = 0;
    text[length++] = number < 0 ? '-' : '+';
    unsigned rest = (unsigned)(number < 0 ? -number : number);
    do digits[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    while (count) text[length++] = digits[--count];
    return length;
}

Value double_to_hex(double number)
{
    char text[48];
    size_t length = 0;
    if (!isfinite(number)) {
        double_repr(number, text);
        return str_new(text);
    }
    int exponent;
    uint64_t mantissa = double_split(number, &exponent);
    if (signbit(number)) text[length++] = '-';
    memcpy(text + length, "0x", 2);
    length += 2;
    text[length++] = hex_digit((unsigned)(mantissa >> 52));
    text[length++] = '.';
    if (number == 0.0)
        text[length++] = '0';
    else
        for (int shift = 48; shift >= 0; shift -= 4)
            text[length++] = hex_digit((unsigned)(mantissa >> shift));
    text[length++] = 'p';
    length += write_decimal(text + length, number == 0.0 ? 0 : exponent + 52);
    return str_from_latin1(text, length);
}

// Digits read so far: high:low, then `below`; value = high:low * 2^exponent.
typedef struct HexScan {
    Limb high, low;
    bool below, any;
    int64_t exponent;
} HexScan;

static const char *scan_hex_digits(const char *text, const char *end, bool fraction, HexScan *scan)
{
    for (; text < end && digit_value((uint8_t)*text) < 16; text++) {
        Limb value = (Limb)digit_value((uint8_t)*text);
        scan->any = true;
        if (scan->high >> 60) {
            scan->below |= value != 0;
            scan->exponent += fraction ? 0 : 4;
            continue;
        }
        scan->high = scan->high << 4 | scan->low >> 60;
        scan->low = scan->low << 4 | value;
        scan->exponent -= fraction ? 4 : 0;
    }
    return text;
}

// p+12: false where there is a p but no number.
static bool scan_hex_exponent(const char **text, const char *end, HexScan *scan)
{
    const char *at = *text;
    if (at == end || (*at | 0x20) != 'p') return true;
    at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    const char *digits = at;
    int64_t exponent = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (exponent < INT_MAX) exponent = exponent * 10 + (*at - '0');
    if (at == digits) return false;
    scan->exponent += negative ? -exponent : exponent;
    *text = at;
    return true;
}

static double assemble_hex(HexScan *scan)
{
    if (!scan->high && !scan->low) return 0.0;
    while (!(scan->high & LIMB_TOP)) {
        scan->high = scan->high << 1 | scan->low >> 63;
        scan->low <<= 1;
        scan->exponent--;
    }
    if (scan->exponent < -5000) return 0.0;
    if (scan->exponent > 5000) return INFINITY;
    return dtoa_assemble(scan->high, scan->low, scan->below, (int)scan->exponent);
}

// The sign is taken off. NULL = no number; else the end of it.
static const char *scan_hex(const char *text, const char *end, double *number)
{
    size_t special = scan_special(text, end, number);
    if (special) return text + special;
    HexScan scan = {0, 0, false, false, 0};
    if (end - text >= 2 && text[0] == '0' && (text[1] | 0x20) == 'x') text += 2;
    text = scan_hex_digits(text, end, false, &scan);
    if (text < end && *text == '.') text = scan_hex_digits(text + 1, end, true, &scan);
    if (!scan.any || !scan_hex_exponent(&text, end, &scan)) return NULL;
    *number = assemble_hex(&scan);
    return text;
}

bool double_from_hex(ValueRef text, double *number)
{
    size_t size;
    const char *at = str_utf8(text, &size);
    if (!at) return false;
    const char *end = at + size;
    while (at < end && is_ascii_space(*at)) at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    bool digits = at < end && (*at == '.' || digit_value((uint8_t)*at) < 16);
    at = scan_hex(at, end, number);
    while (at && at < end && is_ascii_space(*at)) at++;
    if (at != end) return raise_error(ValueError, "invalid hexadecimal floating-point string");
    if (digits && isinf(*number))
        return raise_error(OverflowError, "hexadecimal value too large to represent as a float");
    if (negative) *number = -*number;
    return true;
}
