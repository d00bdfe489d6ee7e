// unicode_escape and raw_unicode_escape: the escapes of a string literal in Latin-1 text.
#include "objects/bytes/codecs_parts.h"
#include "objects/numbers/digits.h"
#include "objects/text/text.h"
#include "objects/text/unicode.h"

static int32_t fail(DecodeProblem *problem, const char *reason, ptrdiff_t size)
{
    problem->reason = reason;
    problem->size = size;
    return -1;
}

// Reads the digits after \x, \u or \U; `truncated` and `beyond` are the messages for errors.
static int32_t read_hex(Decoder *decoder, int digits, const char *truncated, const char *beyond,
                        DecodeProblem *problem)
{
    const unsigned char *at = decoder->at + 2;
    uint32_t point = 0;
    for (int i = 0; i < digits; i++, at++) {
        int value = at < decoder->end ? digit_value(*at) : NO_DIGIT;
        if (value >= 16) return fail(problem, truncated, at - decoder->at);
        point = point << 4 | (uint32_t)value;
    }
    if (point > 0x10FFFF) return fail(problem, beyond, at - decoder->at);
    decoder->at = at;
    return (int32_t)point;
}

static int32_t read_octal(Decoder *decoder)
{
    int32_t point = 0;
    const unsigned char *at = decoder->at + 1;
    for (int i = 0; i < 3 && at < decoder->end && *at >= '0' && *at <= '7'; i++)
        point = point * 8 + (*at++ - '0');
    decoder->at = at;
    return point;
}

static int32_t read_name(Decoder *decoder, DecodeProblem *problem)
{
    const unsigned char *name = decoder->at + 2;
    if (name >= decoder->end || *name != '{')
        return fail(problem, "malformed \\N character escape", name - decoder->at);
    name++;
    const unsigned char *stop = memchr(name, '}', (size_t)(decoder->end - name));
    if (!stop || stop == name) {
        const unsigned char *end = stop ? stop : decoder->end;
        return fail(problem, "malformed \\N character escape", end - decoder->at);
    }
    int64_t point = unicode_by_name((const char *)name, (size_t)(stop - name));
    if (point < 0) return fail(problem, "unknown Unicode character name", stop + 1 - decoder->at);
    decoder->at = stop + 1;
    return (int32_t)point;
}

static int32_t read_letter(Decoder *decoder, unsigned char letter)
{
    static const char letters[] = "\\'\"abfnrtv", points[] = "\\'\"\a\b\f\n\r\t\v";
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (found) {
        decoder->at += 2;
        return points[found - letters];
    }
    if (!decoder->invalid_escape) decoder->invalid_escape = letter;
    decoder->at++; // the backslash stands for itself
    return '\\';
}

static int32_t read_escape(Decoder *decoder, DecodeProblem *problem)
{
    if (*decoder->at != '\\') return *decoder->at++;
    if (decoder->at + 1 == decoder->end) return fail(problem, "\\ at end of string", 1);
    unsigned char letter = decoder->at[1];
    switch (letter) {
    case '\n': decoder->at += 2; return SKIPPED;
    case 'x': return read_hex(decoder, 2, "truncated \\xXX escape", "", problem);
    case 'u': return read_hex(decoder, 4, "truncated \\uXXXX escape", "", problem);
    case 'U':
        return read_hex(decoder, 8, "truncated \\UXXXXXXXX escape", "illegal Unicode character",
                        problem);
    case 'N': return read_name(decoder, problem);
    default:
        return letter >= '0' && letter <= '7' ? read_octal(decoder) : read_letter(decoder, letter);
    }
}

static int32_t read_raw_escape(Decoder *decoder, DecodeProblem *problem)
{
    const unsigned char *at = decoder->at;
    bool escape = *at == '\\' && !decoder->literal && at + 1 < decoder->end;
    unsigned char letter = escape ? at[1] : 0;
    if (letter == 'u') return read_hex(decoder, 4, "truncated \\uXXXX escape", "", problem);
    if (letter == 'U')
        return read_hex(decoder, 8, "truncated \\UXXXXXXXX escape", "\\Uxxxxxxxx out of range",
                        problem);
    decoder->literal = letter == '\\';
    return *decoder->at++;
}

// ---- escapes of bytes

static const char hex_digits[] = "0123456789abcdef";

char *bytes_escape(const char *bytes, ssize_t size, char quote, char *to)
{
    for (ssize_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == (unsigned char)quote || c == '\\') {
            *to++ = '\\';
            *to++ = (char)c;
        } else if (c >= ' ' && c < 127) {
            *to++ = (char)c;
        } else if (c == '\t' || c == '\n' || c == '\r') {
            *to++ = '\\';
            *to++ = c == '\t' ? 't' : c == '\n' ? 'n' : 'r';
        } else {
            *to++ = '\\';
            *to++ = 'x';
            *to++ = hex_digits[c >> 4];
            *to++ = hex_digits[c & 15];
        }
    }
    return to;
}

static bool unescape_hex(Unescape *text)
{
    if (text->end - text->at < 2) return false;
    int high = digit_value((uint8_t)text->at[0]), low = digit_value((uint8_t)text->at[1]);
    if (high >= 16 || low >= 16) return false;
    *text->to++ = (char)(high << 4 | low);
    text->at += 2;
    return true;
}

static char unescape_octal(Unescape *text)
{
    int byte = 0;
    for (int i = 0; i < 3 && text->at < text->end && *text->at >= '0' && *text->at <= '7'; i++)
        byte = byte * 8 + (*text->at++ - '0');
    return (char)byte;
}

// What is after a backslash; false where it is a bad \x or nothing.
static bool unescape_one(Unescape *text)
{
    if (text->at == text->end) return false;
    char letter = *text->at++;
    switch (letter) {
    case '\n': return true;
    case 'a': *text->to++ = '\a'; return true;
    case 'b': *text->to++ = '\b'; return true;
    case 'f': *text->to++ = '\f'; return true;
    case 'n': *text->to++ = '\n'; return true;
    case 'r': *text->to++ = '\r'; return true;
    case 't': *text->to++ = '\t'; return true;
    case 'v': *text->to++ = '\v'; return true;
    case 'x': return unescape_hex(text);
    case '\\':
    case '\'':
    case '"': break;
    default:
        if (letter >= '0' && letter <= '7') {
            text->at--;
            letter = unescape_octal(text);
        } else {
            if (!text->invalid) text->invalid = letter;
            *text->to++ = '\\'; // it stands for itself
        }
    }
    *text->to++ = letter;
    return true;
}

bool bytes_unescape(Unescape *text)
{
    while (text->at < text->end) {
        const char *at = text->at, *end = text->end;
        char *to = text->to; // the compiler keeps these in registers
        while (at < end && *at != '\\') *to++ = *at++;
        text->to = to;
        text->at = at < end ? at + 1 : at;
        if (at < end && !unescape_one(text)) return false;
    }
    return true;
}

// ---- escapes of text

// All up to the next backslash.
static bool read_plain_run(Decoder *decoder)
{
    size_t size = (size_t)(decoder->end - decoder->at);
    const unsigned char *stop = memchr(decoder->at, '\\', size);
    if (stop) size = (size_t)(stop - decoder->at);
    decoder->at += size;
    return builder_latin1(&decoder->text, decoder->at - size, (ssize_t)size);
}

static char *write_plain_run(const Codec *codec, const Str *str, ssize_t *at, char *bytes)
{
    bool raw = codec == &raw_unicode_escape_codec;
    for (; *at < str->length; ++*at) {
        uint32_t point = str_at(str, *at);
        if (point > 255 || (!raw && (point < ' ' || point > '~' || point == '\\'))) break;
        *bytes++ = (char)point;
    }
    return bytes;
}

static int write_escape(const Codec *codec, uint32_t point, char *bytes)
{
    (void)codec;
    if (point >= 127 || (point < 32 && !strchr("\t\n\r", (int)point)) || point == 0)
        return text_escape(point, bytes);
    bytes[0] = '\\';
    switch (point) {
    case '\t': bytes[1] = 't'; return 2;
    case '\n': bytes[1] = 'n'; return 2;
    case '\r': bytes[1] = 'r'; return 2;
    case '\\': bytes[1] = '\\'; return 2;
    default: bytes[0] = (char)point; return 1;
    }
}

static int write_raw_escape(const Codec *codec, uint32_t point, char *bytes)
{
    (void)codec;
    if (point >= 0x100) return text_escape(point, bytes);
    bytes[0] = (char)point;
    return 1;
}

const Codec unicode_escape_codec = {.name = "unicodeescape",
                                    .read = read_escape,
                                    .write = write_escape,
                                    .read_run = read_plain_run,
                                    .write_run = write_plain_run,
                                    .widest = 1,
                                    .unit = 1};
const Codec raw_unicode_escape_codec = {.name = "rawunicodeescape",
                                        .read = read_raw_escape,
                                        .write = write_raw_escape,
                                        .read_run = read_plain_run,
                                        .write_run = write_plain_run,
                                        .widest = 1,
                                        .unit = 1};
