// The values of number and string literals.
//
// 3.9 first rewrites a string: every character beyond ASCII becomes \Uxxxxxxxx, and a backslash
// before one becomes \u005c. An error in an escape gives an offset in the rewritten text, which
// `offset` counts.
#include "compiler/parser/parser.h"

#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"
#include "objects/text/unicode.h"
#include "objects/upcalls.h"

// ---- numbers

#define FEW_DIGITS 14 // as many fit a small int

// ValueError: the literal has more digits than sys.set_int_max_str_digits() allows.
static _Noreturn void raise_number_failure(Parser *p, const Token *token)
{
    if (!error_is(ValueError)) arena_fail(p->arena);
    ValueRef exception = arena_hold(p->arena, error_take());
    raise_at(p, SyntaxError, token->position.line, 0,
             "%S - Consider hexadecimal for huge integer literals to avoid decimal conversion "
             "limits.",
             exception);
}

static Value small_decimal(const char *digits, int size)
{
    int64_t number = 0;
    for (int i = 0; i < size; i++) number = number * 10 + (digits[i] - '0');
    return from_small(number);
}

static Value integer(const char *digits, int size)
{
    char kind = size > 1 && digits[0] == '0' ? digits[1] | 0x20 : 0;
    int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    if (base != 10) return int_from_digits(digits + 2, (size_t)size - 2, base);
    if (size <= FEW_DIGITS) return small_decimal(digits, size);
    return int_from_digits(digits, (size_t)size, 10);
}

static bool is_integer(const char *digits, int size)
{
    if (size > 1 && digits[0] == '0' && digits[1] > '9') {
        char kind = digits[1] | 0x20;
        if (kind == 'x' || kind == 'o' || kind == 'b') return true;
    }
    for (int i = 0; i < size; i++)
        if (digits[i] < '0' || digits[i] > '9') return false;
    return true;
}

static Value number_value(const char *digits, int size)
{
    double number = 0;
    if (is_integer(digits, size)) return integer(digits, size);
    bool imaginary = (digits[size - 1] | 0x20) == 'j';
    if (imaginary) size--;
    double_from_digits(digits, (size_t)size, &number);
    return imaginary ? complex_new(0.0, number) : float_new(number);
}

static const char *without_underscores(Parser *p, const Token *token, int *size)
{
    p->known_error_token = token;
    require_version(p, 6, "Underscores in numeric literals are");
    p->known_error_token = NULL;
    char *copy = arena_text(p->arena, token->text, (size_t)token->size);
    int count = 0;
    for (int i = 0; i < token->size; i++)
        if (token->text[i] != '_') copy[count++] = token->text[i];
    copy[count] = 0;
    *size = count;
    return copy;
}

Node *number_token(Parser *p)
{
    if (peek(p) != TOKEN_NUMBER) return NULL;
    const Token *token = &p->tokens[p->mark++];
    const char *digits = token->text;
    int size = token->size;
    if (memchr(digits, '_', (size_t)size)) digits = without_underscores(p, token, &size);
    Value value = number_value(digits, size);
    if (value == VALUE_ERROR) raise_number_failure(p, token);
    Node *node = node_new(p->arena, Constant_kind, token->position);
    node->Constant.value = arena_hold(p->arena, value);
    return node;
}

// ---- escapes

void warn_invalid_escape(Parser *p, char c, const Token *token)
{
    char message[] = "invalid escape sequence \\?";
    message[sizeof message - 2] = c;
    if (!upcalls.warn_explicit) return;
    int line = token->position.line;
    if (upcalls.warn_explicit(DeprecationWarning, message, p->options->filename, line)) return;
    if (!error_is(DeprecationWarning)) arena_fail(p->arena);
    error_clear();
    p->known_error_token = token;
    raise_syntax(p, "%s", message);
}

// What a backslash and this letter stand for, in strs and in bytes; -1 = nothing of the kind.
static int simple_escape(char c)
{
    switch (c) {
    case '\\':
    case '\'':
    case '"': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 't': return '\t';
    case 'n': return '\n';
    case 'r': return '\r';
    case 'v': return '\v';
    case 'a': return '\a';
    default: return -1;
    }
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    char lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Up to three octal digits.
static uint32_t octal(const char **cur, const char *end)
{
    uint32_t number = 0;
    for (int i = 0; i < 3 && *cur < end && **cur >= '0' && **cur <= '7'; i++)
        number = number * 8 + (uint32_t)(*(*cur)++ - '0');
    return number;
}

// ---- str

typedef struct TextDecoder {
    Parser *p;
    const char *cur, *end;
    StrBuilder builder;
    ssize_t offset;
    char invalid; // the character after the first backslash that escapes nothing
} TextDecoder;

static _Noreturn void text_failed(TextDecoder *d)
{
    builder_abandon(&d->builder);
    raise_decode_failure(d->p);
}

static void put(TextDecoder *d, uint32_t point)
{
    if (!builder_char(&d->builder, point)) text_failed(d);
}

// `read`: as many characters from the backslash on belong to the wrong escape.
static _Noreturn void wrong_escape(TextDecoder *d, ssize_t read, const char *reason)
{
    builder_abandon(&d->builder);
    raise_syntax(d->p,
                 "(unicode error) 'unicodeescape' codec can't decode bytes in position %zd-%zd: %s",
                 d->offset, d->offset + read - 1, reason);
}

// `count` hexadecimal digits after \x, \u or \U.
static void hex_escape(TextDecoder *d, int count, const char *truncated)
{
    uint32_t point = 0;
    int digits = 0;
    while (digits < count && d->cur < d->end && digit_value(*d->cur) >= 0) {
        point = point << 4 | (uint32_t)digit_value(*d->cur++);
        digits++;
    }
    if (digits < count) wrong_escape(d, 2 + digits, truncated);
    if (point > 0x10FFFF) wrong_escape(d, 2 + digits, "illegal Unicode character");
    put(d, point);
    d->offset += 2 + digits;
}

static ssize_t count_spelled(const char *text, const char *end)
{
    ssize_t count = 0;
    for (; text < end; text++) {
        unsigned char c = (unsigned char)*text;
        count += c < 0x80 ? 1 : c >= 0xC0 ? 10 : 0;
    }
    return count;
}

// {name} after \N.
static void name_escape(TextDecoder *d)
{
    const char *reason = "malformed \\N character escape";
    if (d->cur == d->end || *d->cur != '{') wrong_escape(d, 2, reason);
    const char *name = d->cur + 1;
    const char *close = memchr(name, '}', (size_t)(d->end - name));
    if (!close) wrong_escape(d, 3 + count_spelled(name, d->end), reason);
    if (close == name) wrong_escape(d, 3, reason);
    ssize_t read = 4 + count_spelled(name, close);
    int64_t point = unicode_by_name(name, (size_t)(close - name));
    if (point < 0) wrong_escape(d, read, "unknown Unicode character name");
    put(d, (uint32_t)point);
    d->cur = close + 1;
    d->offset += read;
}

static void invalid_text_escape(TextDecoder *d, char c)
{
    if (!d->invalid) d->invalid = c;
    put(d, '\\');
    put(d, (uint32_t)c);
    d->offset += 2;
}

// An escape, `cur` at the character after the backslash.
static void text_escape(TextDecoder *d)
{
    if (d->cur == d->end || *d->cur & 0x80) {
        put(d, '\\');
        d->offset += 6;
        return;
    }
    char c = *d->cur++;
    int simple = simple_escape(c);
    if (simple >= 0 || c == '\n') {
        if (c != '\n') put(d, (uint32_t)simple);
        d->offset += 2;
        return;
    }
    const char *begin = --d->cur;
    if (c >= '0' && c <= '7') {
        put(d, octal(&d->cur, d->end));
        d->offset += 1 + (d->cur - begin);
        return;
    }
    d->cur++;
    switch (c) {
    case 'x': hex_escape(d, 2, "truncated \\xXX escape"); break;
    case 'u': hex_escape(d, 4, "truncated \\uXXXX escape"); break;
    case 'U': hex_escape(d, 8, "truncated \\UXXXXXXXX escape"); break;
    case 'N': name_escape(d); break;
    default: invalid_text_escape(d, c);
    }
}

static void put_ascii_run(TextDecoder *d)
{
    const char *begin = d->cur;
    while (d->cur < d->end && *d->cur != '\\' && !(*d->cur & 0x80)) d->cur++;
    size_t size = (size_t)(d->cur - begin);
    if (!builder_ascii(&d->builder, begin, size)) text_failed(d);
    d->offset += (ssize_t)size;
}

static void put_wide_run(TextDecoder *d)
{
    const char *begin = d->cur;
    while (d->cur < d->end && *d->cur & 0x80) d->cur++;
    Value run = str_from_utf8(begin, (size_t)(d->cur - begin));
    if (run == VALUE_ERROR) text_failed(d);
    d->offset += 10 * str_length(run);
    bool ok = builder_str(&d->builder, run);
    drop(run);
    if (!ok) text_failed(d);
}

static ValueRef decode_escapes(Parser *p, const char *text, const char *end, const Token *token)
{
    TextDecoder d = {.p = p, .cur = text, .end = end};
    builder_begin(&d.builder);
    while (d.cur < end) {
        if (*d.cur == '\\') {
            d.cur++;
            text_escape(&d);
        } else if (*d.cur & 0x80) {
            put_wide_run(&d);
        } else {
            put_ascii_run(&d);
        }
    }
    ValueRef value = arena_hold(p->arena, builder_finish(&d.builder));
    if (d.invalid) warn_invalid_escape(p, d.invalid, token);
    return value;
}

ValueRef decode_text(Parser *p, const char *text, const char *end, bool is_raw, const Token *token)
{
    size_t size = (size_t)(end - text);
    if (!is_raw && memchr(text, '\\', size)) return decode_escapes(p, text, end, token);
    Value value = str_from_utf8(text, size);
    if (value == VALUE_ERROR) raise_decode_failure(p);
    return arena_hold(p->arena, value);
}

// ---- bytes

static Value decode_byte_escapes(Parser *p, const char *text, const char *end, char *invalid)
{
    char *bytes = arena_alloc(p->arena, (size_t)(end - text) + 1);
    Unescape unescape = {.at = text, .end = end, .to = bytes};
    if (!bytes_unescape(&unescape))
        raise_syntax(p, "(value error) invalid \\x escape at position %zd",
                     (ssize_t)(unescape.at - 2 - text));
    *invalid = unescape.invalid;
    return bytes_new(bytes, (size_t)(unescape.to - bytes));
}

ValueRef decode_bytes(Parser *p, const char *text, const char *end, bool is_raw, const Token *token)
{
    char invalid = 0;
    for (const char *cur = text; cur < end; cur++)
        if (*cur & 0x80) raise_syntax(p, "bytes can only contain ASCII literal characters.");
    Value value = is_raw ? bytes_new(text, (size_t)(end - text))
                         : decode_byte_escapes(p, text, end, &invalid);
    ValueRef held = arena_hold(p->arena, value);
    if (invalid) warn_invalid_escape(p, invalid, token);
    return held;
}
