// Ints as text and as bytes, and back.
//
// Text is read as PyLong_FromString does: spaces, a sign, a prefix that fits the base, digits with
// single underscores between them, spaces. A str may have digits and spaces of any script; it is
// brought to ASCII first.
#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/digits.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int_view.h"
#include "objects/numbers/number_text.h"
#include "objects/text/str.h"
#include "objects/text/text.h"

int int_max_str_digits = INT_DEFAULT_MAX_STR_DIGITS;

static bool is_too_long(size_t digits)
{
    return digits > INT_STR_DIGITS_THRESHOLD && int_max_str_digits &&
           digits > (size_t)int_max_str_digits;
}

// ---- reading digits

// values[] are digits, not characters.
static Value from_values(const unsigned char *values, size_t count, int base, bool negative)
{
    BigInt *made = bigint_new(bigint_digits_limbs(count, base));
    if (!made) return VALUE_ERROR;
    size_t size;
    if (!bigint_from_digits(values, count, base, made->limbs, &size)) {
        drop(own(made));
        return VALUE_ERROR;
    }
    return bigint_finish(made, size, negative);
}

#define SHORT_DIGITS 12 // 36^12 is below 2^63

// The values of digits up to the first character that is neither a digit nor an underscore.
static size_t take_values(const char *text, size_t size, int base, unsigned char *values, bool *all)
{
    size_t count = 0, i = 0;
    for (; i < size; i++) {
        for (; i < size && digit_values[(uint8_t)text[i]] < base; i++)
            values[count++] = digit_values[(uint8_t)text[i]];
        if (i < size && text[i] != '_') break;
    }
    *all = i >= size;
    return count;
}

static Value read_short(const char *text, size_t size, int base, bool negative)
{
    int64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '_') continue;
        int value = digit_value((uint8_t)text[i]);
        if (value >= base) return ABSENT;
        number = number * base + value;
    }
    return int_new(negative ? -number : number);
}

// Digits and underscores. ABSENT where there is anything else.
static Value read_digits(const char *text, size_t size, int base, bool negative)
{
    if (size <= SHORT_DIGITS) return read_short(text, size, base, negative);
    unsigned char *values = memory_alloc(size);
    if (!values) return raise_memory_error();
    bool all;
    size_t count = take_values(text, size, base, values, &all);
    Value made = ABSENT;
    if (is_too_long(count) && (base & (base - 1)))
        made = raise_error(ValueError,
                           "Exceeds the limit (%d) for integer string conversion: value has %zu "
                           "digits; use sys.set_int_max_str_digits() to increase the limit",
                           int_max_str_digits, count);
    else if (all)
        made = from_values(values, count, base, negative);
    memory_free(values);
    return made;
}

Value int_from_digits(const char *digits, size_t size, int base)
{
    return read_digits(digits, size, base, false);
}

// Single underscores, each between two digits.
static bool underscores_fit(const char *text, size_t size)
{
    if (!size || text[0] == '_' || text[size - 1] == '_') return false;
    if (!memchr(text, '_', size)) return true;
    for (size_t i = 1; i < size; i++)
        if (text[i] == '_' && text[i - 1] == '_') return false;
    return true;
}

static int prefix_base(const char *text, const char *end)
{
    if (end - text < 2 || text[0] != '0') return 0;
    char letter = (char)(text[1] | 0x20);
    return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
}

// ABSENT where the text is no int.
static Value parse(const char *text, size_t size, int base)
{
    const char *end = text + size;
    while (text < end && is_ascii_space(*text)) text++;
    while (text < end && is_ascii_space(end[-1])) end--;
    bool negative = text < end && *text == '-', only_zero = false;
    if (text < end && (*text == '-' || *text == '+')) text++;
    int prefix = prefix_base(text, end);
    if (!base) {
        base = prefix ? prefix : 10;
        only_zero = !prefix && text < end && *text == '0';
    }
    if (prefix == base) {
        text += 2;
        if (text < end && *text == '_') text++;
    }
    if (!underscores_fit(text, (size_t)(end - text))) return ABSENT;
    Value number = read_digits(text, (size_t)(end - text), base, negative);
    if (!only_zero || !number || number == ABSENT || !int_sign(number)) return number;
    drop(number);
    return ABSENT;
}

Value int_from_text(ValueRef text, int base)
{
    NumberText source;
    if (!number_text_open(text, &source)) return VALUE_ERROR;
    Value number = parse(source.text, source.size, base);
    number_text_close(&source);
    if (number != ABSENT) return number;
    Value shown = number_text_shown(text);
    if (!shown) return VALUE_ERROR;
    raise_error(ValueError, "invalid literal for int() with base %d: %.200R", base, shown);
    drop(shown);
    return VALUE_ERROR;
}

// ---- writing

static Value small_to_decimal(int64_t number)
{
    char text[DECIMAL_MAX], *end = text + sizeof text, *start = text_decimal(number, end);
    return str_from_ascii(start, (size_t)(end - start));
}

static Value raise_too_long(void)
{
    return raise_error(ValueError,
                       "Exceeds the limit (%d) for integer string conversion; use "
                       "sys.set_int_max_str_digits() to increase the limit",
                       int_max_str_digits);
}

static int base_bits(int base)
{
    return base == 2 ? 1 : base == 8 ? 3 : 4;
}

static size_t write_prefix(char *text, bool negative, int base, bool prefix)
{
    size_t length = 0;
    if (negative) text[length++] = '-';
    if (prefix && base != 10) {
        text[length++] = '0';
        text[length++] = base == 2 ? 'b' : base == 8 ? 'o' : 'x';
    }
    return length;
}

// [-][0x]digits into text, whose length is returned in *length.
static bool write_text(const IntView *view, int base, bool prefix, char *text, size_t *length)
{
    size_t digits = 0, before = write_prefix(text, view->negative, base, prefix);
    if (base != 10)
        digits = bigint_to_bits(view->limbs, view->size, base_bits(base), text + before);
    else if (!bigint_to_decimal(view->limbs, view->size, text + before, &digits))
        return false;
    *length = before + digits;
    return base != 10 || !is_too_long(digits) || raise_too_long();
}

Value int_to_text(ValueRef value, int base, bool prefix)
{
    if (base == 10 && !is_object(value)) return small_to_decimal(bool_or_small_value(value));
    IntView view;
    int_view(value, &view);
    size_t room = base == 10 ? bigint_decimal_size(view.limbs, view.size)
                             : view.size * LIMB_BITS / (size_t)base_bits(base) + 2;
    // What has a few digits too many is found after converting it.
    if (base == 10 && room > 3 && is_too_long(room - 3)) return raise_too_long();
    char few[LIMB_BITS + 5], *text = room + 3 <= sizeof few ? few : memory_alloc(room + 3);
    if (!text) return raise_memory_error();
    size_t length;
    Value result = VALUE_ERROR;
    if (write_text(&view, base, prefix, text, &length)) result = str_from_ascii(text, length);
    if (text != few) memory_free(text);
    return result;
}

// ---- bytes

// The index of a byte in the memory of limbs, by its weight.
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTE_OF_LIMBS(i) ((i) ^ (sizeof(Limb) - 1))
#else
#define BYTE_OF_LIMBS(i) (i)
#endif

Value int_from_bytes(const unsigned char *bytes, size_t size, bool little_endian, bool is_signed)
{
    size_t limbs = size / sizeof(Limb) + 1;
    BigInt *made = bigint_new(limbs);
    if (!made) return VALUE_ERROR;
    bool negative = is_signed && size && bytes[little_endian ? size - 1 : 0] & 0x80;
    memset(made->limbs, negative ? 0xFF : 0, limbs * sizeof(Limb));
    unsigned char *to = (unsigned char *)made->limbs;
    for (size_t i = 0; i < size; i++)
        to[BYTE_OF_LIMBS(i)] = bytes[little_endian ? i : size - 1 - i];
    if (negative) {
        for (size_t i = 0; i < limbs; i++) made->limbs[i] = ~made->limbs[i];
        bigint_add_limb(made->limbs, limbs, 1);
    }
    return bigint_finish(made, limbs, negative);
}

// Is the number within -2^(bits-1) .. 2^(bits-1)-1, or 0 .. 2^bits-1?
static bool fits_bits(const IntView *view, int64_t bits, bool is_signed)
{
    int64_t length = bigint_bit_length(view->limbs, view->size);
    if (!is_signed) return length <= bits;
    if (length < bits || !view->size) return true;
    if (!view->negative || length > (bits ? bits : 1)) return false;
    for (size_t i = 0; i + 1 < view->size; i++)
        if (view->limbs[i]) return false;
    Limb top = view->limbs[view->size - 1];
    return !(top & (top - 1));
}

// The two's complement.
static void negate_bytes(unsigned char *bytes, size_t size)
{
    unsigned carry = 1;
    for (size_t i = 0; i < size; i++) {
        carry += bytes[i] ^ 0xFFu;
        bytes[i] = (unsigned char)carry;
        carry >>= 8;
    }
}

static void turn_bytes_round(unsigned char *bytes, size_t size)
{
    for (size_t low = 0, high = size; low + 1 < high; low++) {
        unsigned char byte = bytes[--high];
        bytes[high] = bytes[low];
        bytes[low] = byte;
    }
}

bool int_to_bytes(ValueRef number, unsigned char *bytes, size_t size, bool little_endian,
                  bool is_signed)
{
    IntView view;
    int_view(number, &view);
    if (view.negative && !is_signed)
        return raise_error(OverflowError, "can't convert negative int to unsigned");
    if (!fits_bits(&view, (int64_t)size * 8, is_signed))
        return raise_error(OverflowError, "int too big to convert");
    const unsigned char *from = (const unsigned char *)view.limbs;
    size_t known = view.size * sizeof(Limb);
    if (known > size) known = size;
    for (size_t i = 0; i < known; i++) bytes[i] = from[BYTE_OF_LIMBS(i)];
    memset(bytes + known, 0, size - known);
    if (view.negative) negate_bytes(bytes, size);
    if (!little_endian) turn_bytes_round(bytes, size);
    return true;
}
