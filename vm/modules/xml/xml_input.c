// See xml_input.h. An encoding that XML does not know is one of Python's, if it has one byte for
// each character.
#include "vm/modules/xml/xml_input.h"

#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/error.h"
#include "objects/text/str.h"
#include "objects/text/utf8.h"
#include "vm/modules/xml/characters.h"

#define DECLARATION "<?xml"
#define DECLARATION_SIZE 5

// ---- the encoding

typedef struct KnownEncoding {
    const char *name;
    Encoding encoding;
    const char *codec;
    int characters; // of ENCODING_BYTES: the first so many are the bytes
} KnownEncoding;

static const KnownEncoding known_encodings[] = {
    {"utf-8", ENCODING_UTF8, NULL, 0},
    {"iso-8859-1", ENCODING_BYTES, "latin-1", 256},
    {"us-ascii", ENCODING_BYTES, "ascii", 128},
    {"utf-16", ENCODING_UTF16_BE, "utf-16-be", 0},
    {"utf-16be", ENCODING_UTF16_BE, "utf-16-be", 0},
    {"utf-16le", ENCODING_UTF16_LE, "utf-16-le", 0},
};

static bool is_wide(Encoding encoding)
{
    return encoding == ENCODING_UTF16_LE || encoding == ENCODING_UTF16_BE;
}

static bool same_name(const char *known, const char *name)
{
    while (*known && (*known == *name || (*name >= 'A' && *name <= 'Z' && *known == (*name | 32))))
        known++, name++;
    return !*known && !*name;
}

static const KnownEncoding *find_known(const char *name)
{
    for (size_t i = 0; i < sizeof known_encodings / sizeof known_encodings[0]; i++)
        if (same_name(known_encodings[i].name, name)) return &known_encodings[i];
    return NULL;
}

static bool set_encoding(Input *input, Encoding encoding, const char *codec, int characters)
{
    Value name = codec ? str_new(codec) : VALUE_ERROR;
    if (codec && !name) return false;
    replace_slot(&input->codec, name);
    input->encoding = encoding;
    input->converts = encoding != ENCODING_UTF8 && characters != 128;
    for (int i = 0; i < 256; i++) input->map[i] = i < characters ? (uint16_t)i : NO_TEXT;
    return true;
}

static bool means_something(int byte)
{
    if (byte == '<' || byte == '&') return true;
    return byte < 0x7F && character_flags[byte] && !strchr("$@\\^`{}~", byte);
}

// Takes the characters of the bytes. Those that XML gives a meaning must be what they are in ASCII.
static EncodingFound take_map(Input *input, ValueRef characters, const char *name)
{
    for (int i = 0; i < 256; i++) {
        uint32_t point = str_at(as_str(characters), i);
        if ((means_something(i) && point != (uint32_t)i) || point > 0xFFFF) return FOUND_NOTHING;
        input->map[i] = point == 0xFFFD ? NO_TEXT : (uint16_t)point;
    }
    Value codec = str_new(name);
    if (!codec) return FOUND_ERROR;
    replace_slot(&input->codec, codec);
    input->encoding = ENCODING_BYTES;
    input->converts = true;
    return FOUND_ENCODING;
}

static EncodingFound find_codec(Input *input, const char *name)
{
    uint8_t bytes[256];
    for (int i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
    Value characters = text_decode(bytes, sizeof bytes, name, "replace");
    if (!characters) return FOUND_ERROR;
    EncodingFound found = FOUND_ERROR;
    if (str_length(characters) == 256)
        found = take_map(input, characters, name);
    else
        raise_error(ValueError, "multi-byte encodings are not supported");
    drop(characters);
    return found;
}

EncodingFound input_force(Input *input, const char *name)
{
    const KnownEncoding *known = find_known(name);
    if (!known) return find_codec(input, name);
    bool done = set_encoding(input, known->encoding, known->codec, known->characters);
    return done ? FOUND_ENCODING : FOUND_ERROR;
}

#define NAME_MOST 128

EncodingFound input_declare(Input *input, const uint8_t *bytes, size_t size)
{
    char name[NAME_MOST + 1];
    if (size > NAME_MOST) return FOUND_NOTHING;
    memcpy(name, bytes, size);
    name[size] = '\0';
    const KnownEncoding *known = find_known(name);
    bool any_wide = known && same_name(known->name, "utf-16") && is_wide(input->encoding);
    if (any_wide) return FOUND_ENCODING;
    if (!known && !is_wide(input->encoding)) return find_codec(input, name);
    bool same_width = known && is_wide(known->encoding) == is_wide(input->encoding);
    if (!same_width || (is_wide(input->encoding) && known->encoding != input->encoding))
        return FOUND_WIDTH;
    bool done = set_encoding(input, known->encoding, known->codec, known->characters);
    return done ? FOUND_ENCODING : FOUND_ERROR;
}

void input_settle(Input *input)
{
    input->is_settled = true;
}

// ---- the first bytes

static bool begins_with(const Input *input, const char *bytes, size_t size)
{
    return input->raw.size >= size && memcmp(input->raw.bytes, bytes, size) == 0;
}

static void drop_raw(Input *input, size_t size)
{
    BytesOut *raw = &input->raw;
    if (size) memmove(raw->bytes, raw->bytes + size, raw->size - size);
    raw->size -= size;
}

// A byte order mark is the first character of the first line.
static void drop_mark(Input *input, size_t size)
{
    drop_raw(input, size);
    input->has_mark = true;
    input->mark = (Position){1, 1, (int64_t)size};
}

static bool detect_wide(Input *input, bool big_endian, size_t mark_size)
{
    if (mark_size) drop_mark(input, mark_size);
    if (big_endian) return set_encoding(input, ENCODING_UTF16_BE, "utf-16-be", 0);
    return set_encoding(input, ENCODING_UTF16_LE, "utf-16-le", 0);
}

// May the bytes be the beginning of a mark, or of UTF-16?
static bool is_undecided(const Input *input)
{
    const BytesOut *raw = &input->raw;
    if (raw->size == 1) return memchr("\xEF\xFE\xFF\0<", raw->bytes[0], 5);
    return raw->size == 2 && begins_with(input, "\xEF\xBB", 2);
}

// Sets the encoding by the first bytes, which overrule one that was given. *waits: they may still
// be the beginning of a mark.
static bool detect(Input *input, bool *waits)
{
    const uint8_t *raw = input->raw.bytes;
    *waits = is_undecided(input);
    if (*waits) return true;
    if (begins_with(input, "\xFE\xFF", 2) || begins_with(input, "\xFF\xFE", 2))
        return detect_wide(input, raw[0] == 0xFE, 2);
    if (input->raw.size >= 2 && (!raw[0] || !raw[1])) return detect_wide(input, !raw[0], 0);
    bool has_mark = begins_with(input, "\xEF\xBB\xBF", 3);
    if (has_mark) drop_mark(input, 3);
    if (input->encoding != ENCODING_UNKNOWN && !has_mark) return true;
    return set_encoding(input, ENCODING_UTF8, NULL, 0);
}

// How many of the bytes may be converted before a declaration is settled: all, if there is none.
static size_t settled_size(Input *input, bool is_last)
{
    const BytesOut *raw = &input->raw;
    size_t common = raw->size < DECLARATION_SIZE ? raw->size : DECLARATION_SIZE;
    if (is_wide(input->encoding) || memcmp(raw->bytes, DECLARATION, common) != 0) {
        input_settle(input);
        return raw->size;
    }
    for (size_t i = DECLARATION_SIZE; i + 1 < raw->size; i++)
        if (raw->bytes[i] == '?' && raw->bytes[i + 1] == '>') return i + 2;
    return is_last ? raw->size : 0;
}

// ---- conversion

static void add_point(BytesOut *text, uint32_t point)
{
    char bytes[4];
    bytes_out_add(text, bytes, (size_t)utf8_write(point, bytes));
}

static void convert_bytes(Input *input, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint16_t point = input->map[input->raw.bytes[i]];
        if (point == NO_TEXT)
            bytes_out_byte(&input->text, 0xFF);
        else
            add_point(&input->text, point);
    }
}

static uint32_t wide_unit(const Input *input, size_t at)
{
    const uint8_t *bytes = input->raw.bytes + at;
    bool big = input->encoding == ENCODING_UTF16_BE;
    return big ? (uint32_t)bytes[0] << 8 | bytes[1] : (uint32_t)bytes[1] << 8 | bytes[0];
}

// Returns how many bytes were characters that are complete.
static size_t convert_wide(Input *input, size_t size)
{
    size_t at = 0;
    while (size - at >= 2) {
        uint32_t unit = wide_unit(input, at);
        bool is_high = unit >> 10 == 0xD800 >> 10;
        if (is_high && size - at < 4) break;
        uint32_t low = is_high ? wide_unit(input, at + 2) : 0;
        bool is_pair = is_high && low >> 10 == 0xDC00 >> 10;
        if (is_pair)
            add_point(&input->text, 0x10000 + ((unit & 0x3FF) << 10 | (low & 0x3FF)));
        else if (unit >> 11 == 0xD800 >> 11)
            bytes_out_byte(&input->text, 0xFF);
        else
            add_point(&input->text, unit);
        at += is_pair ? 4 : 2;
    }
    return at;
}

bool input_feed(Input *input, const void *bytes, size_t size)
{
    // What is converted as it is needs no detour by way of the raw bytes.
    bool direct = input->is_settled && input->encoding == ENCODING_UTF8;
    BytesOut *out = direct ? &input->text : &input->raw;
    bytes_out_add(out, bytes, size);
    return !out->failed || raise_memory_error();
}

bool input_convert(Input *input, bool is_last)
{
    if (!input->raw.size) return true;
    if (!input->text.size && !input->is_settled && input->mark.byte == 0) {
        bool waits;
        if (!detect(input, &waits)) return false;
        if (waits || !input->raw.size) return true;
    }
    size_t size = input->is_settled ? input->raw.size : settled_size(input, is_last);
    if (is_wide(input->encoding))
        size = convert_wide(input, size);
    else if (input->encoding == ENCODING_BYTES)
        convert_bytes(input, size);
    else
        bytes_out_add(&input->text, input->raw.bytes, size);
    drop_raw(input, size);
    return !input->text.failed || raise_memory_error();
}

// ---- positions

// How many bytes of the document are the character of so many bytes of UTF-8.
static int64_t document_size(const Input *input, int size)
{
    if (is_wide(input->encoding)) return size == 4 ? 4 : 2;
    return input->encoding == ENCODING_BYTES ? 1 : size;
}

static int text_size(uint8_t first)
{
    return first < 0xC0 || first == 0xFF ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

Position input_position(Input *input, size_t at)
{
    const uint8_t *bytes = input->text.bytes;
    Position *mark = &input->mark;
    size_t i = input->marked;
    while (i < at) {
        bool is_cr = bytes[i] == '\r' && (i + 1 >= at || bytes[i + 1] != '\n');
        bool ends_line = bytes[i] == '\n' || is_cr;
        int size = text_size(bytes[i]);
        mark->byte += document_size(input, size);
        mark->column++;
        if (ends_line) {
            mark->line++;
            mark->column = 0;
        }
        i += (size_t)size;
    }
    input->marked = i;
    return *mark;
}

void input_forget(Input *input, size_t at)
{
    BytesOut *text = &input->text;
    if (!at) return;
    input_position(input, at);
    memmove(text->bytes, text->bytes + at, text->size - at);
    text->size -= at;
    input->marked = input->marked > at ? input->marked - at : 0;
}

Value input_rest(const Input *input, size_t at)
{
    const char *text = (const char *)input->text.bytes + at;
    BytesOut out = {0};
    if (input->encoding == ENCODING_BYTES || is_wide(input->encoding)) {
        Value rest = text_decode(text, input->text.size - at, "utf-8", "replace");
        const char *codec = rest ? str_utf8(input->codec, NULL) : NULL;
        Value bytes = codec ? text_encode(rest, codec, "replace") : VALUE_ERROR;
        drop(rest);
        if (!bytes) return VALUE_ERROR;
        bytes_out_add(&out, as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size);
        drop(bytes);
    } else {
        bytes_out_add(&out, text, input->text.size - at);
    }
    bytes_out_add(&out, input->raw.bytes, input->raw.size);
    Value rest = out.failed ? raise_memory_error() : bytes_new(out.bytes, out.size);
    bytes_out_free(&out);
    return rest;
}

void input_free(Input *input)
{
    bytes_out_free(&input->text);
    bytes_out_free(&input->raw);
    drop_slot(&input->codec);
}
