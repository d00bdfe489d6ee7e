// Text to bytes and back: finding the codec, the loop over a text, the error handlers.
//
// The common cases (utf-8, ascii, latin-1 without errors) are converted as a whole. All others go
// code point by code point through the `read` or `write` of the codec (codecs_parts.h). The error
// handler gets what the codec cannot convert. Names that are not known here are asked for in the
// registry of scripts (codecs_registry.c).
#include "objects/bytes/codecs.h"
#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs_parts.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/memory.h"
#include "objects/text/text.h"
#include "objects/text/unicode.h"
#include "objects/upcalls.h"

#include <stdio.h>

// ---- names

// Normalised names, the codec's own first; the NUL that C adds ends each list with an empty one.
static const struct {
    const Codec *codec;
    const char *names;
} codecs[] = {
    {&utf8_codec, "utf_8\0utf8\0u8\0utf\0utf8_ucs2\0utf8_ucs4\0cp65001\0"},
    {&ascii_codec, "ascii\0"
                   "646\0us_ascii\0us\0iso646_us\0ansi_x3.4_1968\0ansi_x3_4_1968\0"
                   "ansi_x3.4_1986\0cp367\0csascii\0ibm367\0iso_646.irv_1991\0iso_ir_6\0"},
    {&latin1_codec, "iso8859_1\0latin_1\0latin1\0latin\0l1\0iso_8859_1\0"
                    "8859\0cp819\0csisolatin1\0ibm819\0iso8859\0iso_8859_1_1987\0iso_ir_100\0"},
    {&utf8_sig_codec, "utf_8_sig\0"},
    {&utf16_codec, "utf_16\0utf16\0u16\0"},
    {&utf16_le_codec, "utf_16_le\0utf_16le\0unicodelittleunmarked\0"},
    {&utf16_be_codec, "utf_16_be\0utf_16be\0unicodebigunmarked\0"},
    {&utf32_codec, "utf_32\0utf32\0u32\0"},
    {&utf32_le_codec, "utf_32_le\0utf_32le\0"},
    {&utf32_be_codec, "utf_32_be\0utf_32be\0"},
    {&cp1252_codec, "cp1252\0"
                    "1252\0windows_1252\0"},
    {&latin9_codec, "iso8859_15\0iso_8859_15\0latin9\0l9\0"},
    {&koi8_r_codec, "koi8_r\0cskoi8r\0"},
    {&unicode_escape_codec, "unicode_escape\0unicodeescape\0"},
    {&raw_unicode_escape_codec, "raw_unicode_escape\0rawunicodeescape\0"},
};

#define NAME_MAX_SIZE 64

// Small letters, digits and dots; one underscore for each run of anything else between them.
static void normalize_name(const char *name, char normalized[NAME_MAX_SIZE])
{
    size_t size = 0;
    bool gap = false;
    for (; *name && size < NAME_MAX_SIZE - 2; name++) {
        char c = *name >= 'A' && *name <= 'Z' ? *name | 0x20 : *name;
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.')) {
            gap = true;
            continue;
        }
        if (gap && size > 0) normalized[size++] = '_';
        gap = false;
        normalized[size++] = c;
    }
    normalized[*name ? 0 : size] = 0;
}

// The index of its row, -1 = unknown.
static int find_row(const char *encoding)
{
    char name[NAME_MAX_SIZE];
    normalize_name(encoding, name);
    for (size_t i = 0; *name && i < sizeof codecs / sizeof *codecs; i++)
        for (const char *known = codecs[i].names; *known; known += strlen(known) + 1)
            if (strcmp(known, name) == 0) return (int)i;
    return -1;
}

// NULL = unknown. A name is often asked for again.
static const Codec *find_codec(const char *encoding)
{
    static char last[NAME_MAX_SIZE];
    static int last_row;
    if (!encoding) return &utf8_codec;
    if (strcmp(encoding, last) == 0) return codecs[last_row].codec;
    int row = find_row(encoding);
    if (row < 0) return NULL;
    if (strlen(encoding) < sizeof last) strcpy(last, encoding), last_row = row;
    return codecs[row].codec;
}

void encoding_name(const char *encoding, char *name, size_t room)
{
    int row = find_row(encoding);
    snprintf(name, room, "%s", row < 0 ? encoding : codecs[row].names);
    for (char *c = name; row >= 0 && *c; c++)
        if (*c == '_') *c = '-';
}

bool encoding_known(const char *encoding)
{
    return find_codec(encoding) != NULL;
}

// ---- error handlers

static Handler find_handler(const char *errors)
{
    static const char *const names[] = {
        "strict",      "ignore",          "replace",      "backslashreplace", "xmlcharrefreplace",
        "namereplace", "surrogateescape", "surrogatepass"};
    for (int i = 0; errors && i < UNKNOWN_HANDLER; i++)
        if (strcmp(names[i], errors) == 0) return (Handler)i;
    return errors ? UNKNOWN_HANDLER : STRICT;
}

// ---- what -X dev looks up

bool codecs_check_names;

static bool names_are_known(const char *encoding, const char *errors)
{
    if (!codecs_check_names) return true;
    return (find_codec(encoding) || registry_has("lookup", encoding)) &&
           (find_handler(errors) != UNKNOWN_HANDLER || registry_has("lookup_error", errors));
}

// ---- decoding

static Value raise_decode(const Decoder *decoder, const DecodeProblem *problem)
{
    ssize_t start = decoder->at - decoder->start;
    return raise_decode_error(decoder_name(decoder), decoder->start,
                              (size_t)(decoder->end - decoder->start), start, start + problem->size,
                              problem->reason);
}

// The bytes from 128 on, as code points from U+DC80 on.
static bool decode_escaping(Decoder *decoder, const DecodeProblem *problem)
{
    const unsigned char *stop = decoder->at + problem->size;
    if (*decoder->at < 128) return raise_decode(decoder, problem);
    while (decoder->at < stop && *decoder->at >= 128)
        if (!builder_char(&decoder->text, 0xDC00u + *decoder->at++)) return false;
    return true;
}

// A surrogate that was written as if it were a character.
static bool decode_surrogate(Decoder *decoder, const DecodeProblem *problem)
{
    const unsigned char *at = decoder->at;
    const Codec *codec = decoder->codec;
    uint32_t point = 0;
    int size = codec->unit == 1 ? 3 : codec->unit;
    if (codec->write_surrogate && decoder->end - at >= size) {
        if (codec->unit > 1)
            point = read_unit(at, size, decoder->order);
        else if ((at[0] & 0xF0) == 0xE0 && (at[1] & 0xC0) == 0x80 && (at[2] & 0xC0) == 0x80)
            point = (at[0] & 15u) << 12 | (at[1] & 63u) << 6 | (at[2] & 63u);
    }
    if (point - 0xD800 >= 0x800) return raise_decode(decoder, problem);
    decoder->at += size;
    return builder_char(&decoder->text, point);
}

static bool decode_backslashes(Decoder *decoder, const DecodeProblem *problem)
{
    char text[WRITE_MAX];
    for (ptrdiff_t i = 0; i < problem->size; i++) {
        size_t size = (size_t)text_escape(decoder->at[i], text);
        if (!builder_ascii(&decoder->text, text, size)) return false;
    }
    decoder->at += problem->size;
    return true;
}

// What the handler has made of the bytes is decoded from now on.
static bool go_on_with(Decoder *decoder, Value source, ssize_t position)
{
    bool done = bytes_check(source) && position >= 0 && position <= as_bytes(source)->size;
    if (!done) {
        drop(source);
        return raise_error(IndexError, "position %zd from error handler out of bounds", position);
    }
    replace_slot(&decoder->source, source);
    decoder->start = (const unsigned char *)as_bytes(decoder->source)->data;
    decoder->end = decoder->start + as_bytes(decoder->source)->size;
    decoder->at = decoder->start + position;
    return true;
}

static bool decode_by_script(Decoder *decoder, const DecodeProblem *problem)
{
    ssize_t position = 0;
    Value source = VALUE_ERROR;
    raise_decode(decoder, problem);
    Value text = registry_handle(decoder->errors, &position, &source);
    if (!text) return false;
    bool done = go_on_with(decoder, source, position);
    if (done && !str_check(text)) done = raise_error(TypeError, "%T is no text", (ValueRef)text);
    done = done && builder_str(&decoder->text, text);
    drop(text);
    return done;
}

// Calls the error handler and moves on; false with an exception pending.
static bool handle_decoding(Decoder *decoder, const DecodeProblem *problem)
{
    switch (decoder->handler) {
    case STRICT: return raise_decode(decoder, problem);
    case IGNORE: decoder->at += problem->size; return true;
    case REPLACE: decoder->at += problem->size; return builder_char(&decoder->text, 0xFFFD);
    case BACKSLASH: return decode_backslashes(decoder, problem);
    case SURROGATE_ESCAPE: return decode_escaping(decoder, problem);
    case SURROGATE_PASS: return decode_surrogate(decoder, problem);
    case XML:
    case NAMED:
        return raise_error(TypeError,
                           "don't know how to handle UnicodeDecodeError in error callback");
    case UNKNOWN_HANDLER: break;
    }
    return decode_by_script(decoder, problem);
}

static bool decode_all(Decoder *decoder)
{
    while (decoder->at < decoder->end) {
        DecodeProblem problem;
        if (decoder->codec->read_run && !decoder->codec->read_run(decoder)) return false;
        if (decoder->at == decoder->end) break;
        int32_t point = decoder->codec->read(decoder, &problem);
        if (point == SKIPPED) continue;
        bool done = point >= 0 ? builder_char(&decoder->text, (uint32_t)point)
                               : handle_decoding(decoder, &problem);
        if (!done) return false;
    }
    return !decoder->invalid_escape || warn(DeprecationWarning, 1, "invalid escape sequence '\\%c'",
                                            (int)decoder->invalid_escape);
}

// Codecs of CPython that do not turn text into bytes: it says so.
static bool is_other_codec(const char *encoding)
{
    static const char names[] = "base64\0base64_codec\0base_64\0bz2\0bz2_codec\0hex\0hex_codec\0"
                                "quopri\0quopri_codec\0quoted_printable\0quotetabs\0rot13\0"
                                "rot_13\0uu\0uu_codec\0zip\0zlib\0zlib_codec\0";
    char name[NAME_MAX_SIZE];
    normalize_name(encoding, name);
    for (const char *known = names; *known; known += strlen(known) + 1)
        if (strcmp(known, name) == 0) return true;
    return false;
}

static Value raise_other_codec(const char *encoding, const char *function)
{
    return raise_error(LookupError,
                       "'%s' is not a text encoding; use %s() to handle arbitrary codecs", encoding,
                       function);
}

Value registered_codec(const char *encoding)
{
    Value codec = registry_codec(encoding);
    if (codec || !is_other_codec(encoding) || !error_is(LookupError)) return codec;
    error_clear();
    return raise_other_codec(encoding, "codecs.open");
}

static Value decode_by_registry(const void *bytes, size_t size, const char *encoding,
                                const char *errors)
{
    if (is_other_codec(encoding)) return raise_other_codec(encoding, "codecs.decode");
    Value data = bytes_new(bytes, size);
    Value text = data ? registry_convert(false, data, encoding, errors) : VALUE_ERROR;
    drop(data);
    return text;
}

Value text_decode(const void *bytes, size_t size, const char *encoding, const char *errors)
{
    if (!names_are_known(encoding, errors)) return VALUE_ERROR;
    if (size == 0) return str_empty();
    const Codec *codec = find_codec(encoding);
    if (!codec) return decode_by_registry(bytes, size, encoding, errors);
    if (codec == &latin1_codec) return str_from_latin1(bytes, size);
    if (codec == &ascii_codec && bytes_are_ascii(bytes, size)) return str_from_latin1(bytes, size);
    if (codec == &utf8_codec) {
        size_t valid;
        Value text = str_from_valid_utf8(bytes, size, &valid);
        if (bits_of(text) != bits_of(ABSENT)) return text;
    }
    Decoder decoder = {.at = bytes, .start = bytes, .codec = codec, .errors = errors};
    decoder.handler = find_handler(errors);
    decoder.end = decoder.at + size;
    skip_mark(&decoder);
    if (codec->unit > 1) {
        Value text = decode_units(&decoder);
        if (bits_of(text) != bits_of(ABSENT)) return text;
    }
    builder_begin(&decoder.text);
    bool done = decode_all(&decoder);
    drop(decoder.source);
    if (done) return builder_finish(&decoder.text);
    builder_abandon(&decoder.text);
    return VALUE_ERROR;
}

// ---- encoding

typedef struct Encoder {
    ValueRef text;
    ssize_t at; // the code point that comes next
    const Codec *codec;
    const char *errors;
    Handler handler;
    char *bytes;
    size_t size, capacity;
} Encoder;

static bool reserve(Encoder *encoder, size_t extra)
{
    size_t needed = encoder->size + extra;
    if (needed <= encoder->capacity) return true;
    size_t capacity = needed + needed / 2;
    char *bytes = memory_resize(encoder->bytes, capacity);
    if (!bytes) return raise_memory_error();
    encoder->bytes = bytes;
    encoder->capacity = capacity;
    return true;
}

// False where the codec cannot do it, or there is no memory: then an exception is pending.
static bool put(Encoder *encoder, uint32_t point)
{
    if (!reserve(encoder, WRITE_MAX)) return false;
    int size = encoder->codec->write(encoder->codec, point, encoder->bytes + encoder->size);
    if (size < 0) return false;
    encoder->size += (size_t)size;
    return true;
}

static bool put_bytes(Encoder *encoder, const void *bytes, size_t size)
{
    if (!reserve(encoder, size)) return false;
    memcpy(encoder->bytes + encoder->size, bytes, size);
    encoder->size += size;
    return true;
}

// ASCII: in codecs without larger units the bytes are the same.
static bool put_ascii(Encoder *encoder, const char *text, size_t size)
{
    if (encoder->codec->unit == 1) return put_bytes(encoder, text, size);
    for (size_t i = 0; i < size; i++)
        if (!put(encoder, (uint32_t)text[i])) return false;
    return true;
}

// The run from the next code point to the last that the codec cannot write; of units the first.
static ssize_t end_of_bad(const Encoder *encoder)
{
    const Str *str = as_str(encoder->text);
    const Codec *codec = encoder->codec;
    char scratch[WRITE_MAX];
    ssize_t end = encoder->at + 1;
    while (codec->unit == 1 && end < str->length &&
           codec->write(codec, str_at(str, end), scratch) < 0)
        end++;
    return end;
}

static Value raise_encode(Encoder *encoder)
{
    const Codec *codec = encoder->codec;
    ssize_t end = end_of_bad(encoder);
    return raise_encode_error(codec->name, encoder->text, encoder->at, end, codec->reason);
}

static bool put_backslashes(Encoder *encoder, uint32_t point)
{
    char text[WRITE_MAX];
    return put_ascii(encoder, text, (size_t)text_escape(point, text));
}

static bool put_name(Encoder *encoder, uint32_t point)
{
    char name[UNICODE_NAME_MAX], text[UNICODE_NAME_MAX + 8];
    if (!unicode_name(point, name)) return put_backslashes(encoder, point);
    return put_ascii(encoder, text, (size_t)sprintf(text, "\\N{%s}", name));
}

static bool put_reference(Encoder *encoder, uint32_t point)
{
    char text[DECIMAL_MAX + 3], *end = text + sizeof text, *start = text_decimal(point, end - 1);
    *--start = '#';
    *--start = '&';
    end[-1] = ';';
    return put_ascii(encoder, start, (size_t)(end - start));
}

// A byte that was read as U+DC80..U+DCFF. The codecs by a map do a run of what they cannot write,
// or nothing of it.
static bool put_escaped(Encoder *encoder)
{
    const Str *str = as_str(encoder->text);
    const Codec *codec = encoder->codec;
    ssize_t start = encoder->at, end = codec->is_map ? end_of_bad(encoder) : start + 1;
    bool good = codec->unit == 1;
    for (ssize_t i = start; good && i < end; i++) good = str_at(str, i) - 0xDC80 < 0x80;
    if (!good) return raise_encode(encoder);
    if (!reserve(encoder, (size_t)(end - start))) return false;
    for (ssize_t i = start; i < end; i++)
        encoder->bytes[encoder->size++] = (char)(str_at(str, i) - 0xDC00);
    encoder->at = end - 1; // encode_all() goes on with the next one
    return true;
}

static bool put_surrogate(Encoder *encoder, uint32_t point)
{
    const Codec *codec = encoder->codec;
    if (!codec->write_surrogate || point - 0xD800 >= 0x800) return raise_encode(encoder);
    if (!reserve(encoder, WRITE_MAX)) return false;
    encoder->size += (size_t)codec->write_surrogate(codec, point, encoder->bytes + encoder->size);
    return true;
}

// A handler's text must be one that the codec can write.
static bool put_text(Encoder *encoder, ValueRef text)
{
    if (!str_check(text)) return raise_error(TypeError, "%T is no replacement of text", text);
    for (ssize_t i = 0; i < str_length(text); i++) {
        if (put(encoder, str_at(as_str(text), i))) continue;
        if (!error_pending()) raise_encode(encoder);
        return false;
    }
    return true;
}

// utf-8, utf-16 and utf-32 take whole units or ASCII only.
static bool is_acceptable(const Encoder *encoder, ValueRef replacement)
{
    if (!encoder->codec->write_surrogate) return true;
    if (bytes_check(replacement)) return as_bytes(replacement)->size % encoder->codec->unit == 0;
    return !str_check(replacement) || as_str(replacement)->ascii;
}

static bool put_by_script(Encoder *encoder)
{
    ssize_t position = 0;
    Value source = VALUE_ERROR;
    raise_encode(encoder);
    Value replacement = registry_handle(encoder->errors, &position, &source);
    if (!replacement) return false;
    drop(source);
    bool done = position >= 0 && position <= str_length(encoder->text);
    if (!done) raise_error(IndexError, "position %zd from error handler out of bounds", position);
    if (done && !is_acceptable(encoder, replacement)) done = raise_encode(encoder);
    if (done)
        done = bytes_check(replacement) ? put_bytes(encoder, as_bytes(replacement)->data,
                                                    (size_t)as_bytes(replacement)->size)
                                        : put_text(encoder, replacement);
    drop(replacement);
    encoder->at = position - 1; // encode_all() goes on with the next one
    return done;
}

static bool handle_encoding(Encoder *encoder, uint32_t point)
{
    switch (encoder->handler) {
    case STRICT: return raise_encode(encoder);
    case IGNORE: return true;
    case REPLACE: return put_ascii(encoder, "?", 1);
    case BACKSLASH: return put_backslashes(encoder, point);
    case XML: return put_reference(encoder, point);
    case NAMED: return put_name(encoder, point);
    case SURROGATE_ESCAPE: return put_escaped(encoder);
    case SURROGATE_PASS: return put_surrogate(encoder, point);
    case UNKNOWN_HANDLER: break;
    }
    return put_by_script(encoder);
}

static bool put_run(Encoder *encoder, const Str *str)
{
    const Codec *codec = encoder->codec;
    size_t left = (size_t)(str->length - encoder->at);
    invariant(codec->widest > 0, "a codec that writes runs says how much room they take");
    if (!reserve(encoder, left * (size_t)codec->widest)) return false;
    char *end = codec->write_run(codec, str, &encoder->at, encoder->bytes + encoder->size);
    encoder->size = (size_t)(end - encoder->bytes);
    return true;
}

static bool encode_all(Encoder *encoder)
{
    const Str *str = as_str(encoder->text);
    if (!reserve(encoder, (size_t)str->length + WRITE_MAX)) return false;
    memcpy(encoder->bytes, encoder->codec->mark ? encoder->codec->mark : "",
           (size_t)encoder->codec->mark_size);
    encoder->size = (size_t)encoder->codec->mark_size;
    for (; encoder->at < str->length; encoder->at++) {
        if (encoder->codec->write_run && !put_run(encoder, str)) return false;
        if (encoder->at == str->length) break;
        uint32_t point = str_at(str, encoder->at);
        if (put(encoder, point)) continue;
        if (error_pending() || !handle_encoding(encoder, point)) return false;
    }
    return true;
}

// Where no code point is too large for the codec, the data of the str are the bytes.
static bool encodes_as_is(const Str *str, const Codec *codec)
{
    if (codec == &utf8_codec || codec == &ascii_codec) return str->ascii;
    return str->kind == 1 && (codec == &latin1_codec || codec == &raw_unicode_escape_codec);
}

// The whole text where it has no surrogates, else ABSENT.
static Value encode_valid_utf8(const Str *str)
{
    ssize_t bad, size = str_utf8_size(str, &bad);
    if (size < 0) return ABSENT;
    Value bytes = bytes_new(NULL, (size_t)size);
    if (bytes) str_write_utf8(str, as_bytes(bytes)->data);
    return bytes;
}

// The whole text in units that hold each of its code points, else ABSENT.
static Value encode_units(const Str *str, const Codec *codec)
{
    ssize_t done = 0, mark = codec->mark_size;
    if (codec->unit == 1 || str->kind > codec->unit) return ABSENT;
    Value bytes = bytes_new(NULL, (size_t)(mark + str->length * codec->unit));
    if (!bytes) return VALUE_ERROR;
    char *start = as_bytes(bytes)->data;
    memcpy(start, codec->mark ? codec->mark : "", (size_t)mark);
    codec->write_run(codec, str, &done, start + mark);
    if (done == str->length) return bytes;
    drop(bytes);
    return ABSENT;
}

Value text_encode(ValueRef text, const char *encoding, const char *errors)
{
    if (!names_are_known(encoding, errors)) return VALUE_ERROR;
    const Codec *codec = find_codec(encoding);
    if (!codec && is_other_codec(encoding)) return raise_other_codec(encoding, "codecs.encode");
    if (!codec) return registry_convert(true, text, encoding, errors);
    const Str *str = as_str(text);
    if (encodes_as_is(str, codec)) return bytes_new(str->data, (size_t)str->length);
    Value bytes = codec == &utf8_codec ? encode_valid_utf8(str) : encode_units(str, codec);
    if (bits_of(bytes) != bits_of(ABSENT)) return bytes;
    Encoder encoder = {
        .text = text, .codec = codec, .errors = errors, .handler = find_handler(errors)};
    bytes = encode_all(&encoder) ? bytes_new(encoder.bytes, encoder.size) : VALUE_ERROR;
    memory_free(encoder.bytes);
    return bytes;
}
