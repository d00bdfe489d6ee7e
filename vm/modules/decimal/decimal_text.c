// Numbers as text, and back:
//
//     sign? digits? ('.' digits?)? ([eE] sign? digits)?
//     sign? inf(inity)?
//     sign? s?nan digits?
#include "vm/modules/decimal/decimal_number.h"

#include "objects/memory.h"

#define FAR_EXPONENT 4000000000000000000 // what is beyond it means the same

typedef struct Reader {
    const char *at, *end;
} Reader;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool take_sign(Reader *reader)
{
    if (reader->at == reader->end || (*reader->at != '+' && *reader->at != '-')) return false;
    return *reader->at++ == '-';
}

// A word in lower case, which the text may have in any case.
static bool take_word(Reader *reader, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(reader->end - reader->at) < size) return false;
    for (size_t i = 0; i < size; i++)
        if (lower(reader->at[i]) != word[i]) return false;
    reader->at += size;
    return true;
}

// The digits of the text from reader->at to the end, of which one may be a point; without zeros
// in front.
static bool read_coefficient(Number *number, Reader reader)
{
    int64_t digits = 0;
    while (reader.at < reader.end && (*reader.at == '0' || *reader.at == '.')) reader.at++;
    for (const char *c = reader.at; c < reader.end; c++) digits += *c != '.';
    int64_t limbs = limbs_for_digits(digits);
    if (!number_reserve(number, limbs)) return false;
    number->size = (size_t)limbs;
    for (; limbs; limbs--) {
        int64_t in_limb = digits - (limbs - 1) * LIMB9_DIGITS;
        digits -= in_limb;
        Limb9 limb = 0;
        for (; in_limb; reader.at++) {
            if (*reader.at == '.') continue;
            limb = limb * 10 + (Limb9)(*reader.at - '0');
            in_limb--;
        }
        number->limbs[limbs - 1] = limb;
    }
    return true;
}

// The number after the 'e', clamped. False where there are no digits, or something after them.
static bool read_exponent(Reader *reader, int64_t *exponent)
{
    bool negative = take_sign(reader);
    if (reader->at == reader->end) return false;
    *exponent = 0;
    for (; reader->at < reader->end; reader->at++) {
        if (!is_digit(*reader->at)) return false;
        if (*exponent < FAR_EXPONENT / 10 - 1)
            *exponent = *exponent * 10 + (*reader->at - '0');
        else
            *exponent = FAR_EXPONENT;
    }
    if (negative) *exponent = -*exponent;
    return true;
}

// False in *valid where the text is no number.
static bool read_finite(Number *number, Reader reader, bool *valid)
{
    Reader digits = reader;
    int64_t count = 0, fraction = 0, exponent = 0;
    bool has_point = false;
    for (; digits.at < digits.end; digits.at++) {
        if (is_digit(*digits.at)) {
            count++;
            fraction += has_point;
        } else if (*digits.at == '.' && !has_point) {
            has_point = true;
        } else {
            break;
        }
    }
    reader.end = digits.at;
    *valid = count > 0;
    if (*valid && digits.at < digits.end)
        *valid = lower(*digits.at++) == 'e' && read_exponent(&digits, &exponent);
    if (!*valid) return true;
    number->kind = FINITE;
    number->exponent = exponent - fraction;
    return read_coefficient(number, reader);
}

// The payload of a NaN: digits up to the end, not too many.
static bool read_payload(Number *number, Reader reader, const Context *context, bool *valid)
{
    while (reader.at < reader.end && *reader.at == '0') reader.at++;
    for (const char *c = reader.at; c < reader.end; c++) *valid = *valid && is_digit(*c);
    *valid = *valid && reader.end - reader.at <= context->prec - context->clamp;
    return !*valid || read_coefficient(number, reader);
}

static bool read_number(Number *number, Reader reader, const Context *context, bool *valid)
{
    *valid = true;
    number->negative = take_sign(&reader);
    bool negative = number->negative;
    if (take_word(&reader, "inf")) {
        take_word(&reader, "inity");
        number_set_special(number, INFINITE, negative);
        *valid = reader.at == reader.end;
        return true;
    }
    bool signaling = take_word(&reader, "snan");
    if (!signaling && !take_word(&reader, "nan")) return read_finite(number, reader, valid);
    number_set_special(number, signaling ? SIGNALING_NAN : QUIET_NAN, negative);
    return read_payload(number, reader, context, valid);
}

bool number_finish_exactly(Number *number, Context *context)
{
    Context exact = context_for_exact();
    if (!number_finish(number, &exact)) return false;
    if (exact.status & (INEXACT | ROUNDED | CLAMPED))
        return number_invalid(number, INVALID_OPERATION, context);
    context->status |= exact.status & ANY_ERROR;
    return true;
}

bool number_from_text(Number *result, const char *text, size_t size, bool exact, Context *context)
{
    bool valid;
    Context largest = context_for_exact();
    if (!read_number(result, (Reader){text, text + size}, exact ? &largest : context, &valid))
        return false;
    if (!valid) return number_invalid(result, CONVERSION_SYNTAX, context);
    return exact ? number_finish_exactly(result, context) : number_finish(result, context);
}

// ---- to text

static void write_limb(char *text, Limb9 limb, int digits)
{
    while (digits--) {
        text[digits] = (char)('0' + limb % 10);
        limb /= 10;
    }
}

void write_digits(char *text, const Limb9 *limbs, size_t size, int64_t digits)
{
    if (!size) {
        if (digits) *text = '0';
        return;
    }
    int top = (int)(digits - (int64_t)(size - 1) * LIMB9_DIGITS);
    write_limb(text, limbs[size - 1], top);
    text += top;
    for (size_t i = size - 1; i-- > 0; text += LIMB9_DIGITS)
        write_limb(text, limbs[i], LIMB9_DIGITS);
}

static char *write_exponent(char *text, int64_t exponent, char letter)
{
    *text++ = letter;
    *text++ = exponent < 0 ? '-' : '+';
    uint64_t size = exponent < 0 ? 0 - (uint64_t)exponent : (uint64_t)exponent;
    int digits = 1;
    for (uint64_t rest = size / 10; rest; rest /= 10) digits++;
    for (int i = digits; i--; size /= 10) text[i] = (char)('0' + size % 10);
    return text + digits;
}

char *number_lay_out(const Number *a, int64_t point, char letter, size_t *size)
{
    int64_t digits = number_digits(a), exponent = a->exponent + digits - point;
    int64_t before = point < 0 ? -point : 0, after = point > digits ? point - digits : 0;
    uint64_t room = (uint64_t)digits + (uint64_t)before + (uint64_t)after + 28;
    char *text = room > PTRDIFF_MAX ? NULL : memory_alloc((size_t)room), *at = text;
    if (!text) return NULL;
    if (a->negative) *at++ = '-';
    if (point <= 0) {
        memcpy(at, "0.", 2);
        memset(at + 2, '0', (size_t)before);
        at += 2 + before;
    }
    write_digits(at, a->limbs, a->size, digits);
    if (point > 0 && point < digits) {
        memmove(at + point + 1, at + point, (size_t)(digits - point));
        at[point] = '.';
        at++;
    }
    at += digits;
    memset(at, '0', (size_t)after);
    at += after;
    if (exponent) at = write_exponent(at, exponent, letter);
    *at = 0;
    *size = (size_t)(at - text);
    return text;
}

static char *special_to_text(const Number *a, size_t *size)
{
    int64_t digits = limbs_digits(a->limbs, a->size);
    char *text = memory_alloc((size_t)digits + 12), *at = text;
    if (!text) return NULL;
    if (a->negative) *at++ = '-';
    const char *name = a->kind == INFINITE ? "Infinity" : a->kind == QUIET_NAN ? "NaN" : "sNaN";
    strcpy(at, name);
    at += strlen(name);
    write_digits(at, a->limbs, a->size, digits);
    at += digits;
    *at = 0;
    *size = (size_t)(at - text);
    return text;
}

char *number_to_text(const Number *a, bool engineering, bool capitals, size_t *size)
{
    if (is_special(a)) return special_to_text(a, size);
    int64_t left = a->exponent + number_digits(a), point = 1;
    if (a->exponent <= 0 && left > -6) {
        point = left;
    } else if (engineering) { // an exponent that is a multiple of 3
        int64_t shift = a->size ? left - 1 : left + 1;
        shift = (shift % 3 + 3) % 3;
        point = a->size ? shift + 1 : shift - 1;
    }
    return number_lay_out(a, point, capitals ? 'E' : 'e', size);
}
