// The module _json, which reads and writes JSON for vm/lib/json/. Here are the strings.
//
// scanstring(text, index after the quote, strict=True) -> (str, index after the closing quote)
// encode_basestring(str), encode_basestring_ascii(str)  -> the str in quotes, with escapes
// make_scanner(decoder), make_encoder(...)              -> what reads, or writes, any value
#include "vm/modules/json/json.h"

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/text.h"
#include "vm/import/import.h"

// ---- reading

typedef struct Scan {
    ValueRef text;
    ssize_t begin; // where the opening quote is
    ssize_t at;
    StrBuilder made;
} Scan;

Value json_raise_decode_error(ValueRef document, const char *message, ssize_t position)
{
    Value module = import_module("json.decoder");
    Value name = module ? str_intern("JSONDecodeError") : VALUE_ERROR;
    Value type = name ? object_get(module, name) : VALUE_ERROR;
    Value text = type ? str_new(message) : VALUE_ERROR, offset = text ? int_new(position) : 0;
    Value error = VALUE_ERROR;
    if (offset) {
        ValueRef arguments[] = {text, document, offset};
        error = object_call(type, arguments, 3, 0);
    }
    if (error) raise_value(error);
    drop(error);
    drop(offset);
    drop(text);
    drop(type);
    drop(name);
    drop(module);
    return VALUE_ERROR;
}

static Value raise_decode_error(const Scan *scan, const char *message, ssize_t position)
{
    return json_raise_decode_error(scan->text, message, position);
}

static int hex_digit(uint32_t point)
{
    if (point >= '0' && point <= '9') return (int)point - '0';
    if (point >= 'a' && point <= 'f') return (int)point - 'a' + 10;
    return point >= 'A' && point <= 'F' ? (int)point - 'A' + 10 : -1;
}

// Four hexadecimal digits at an index; the text must go on after them.
static bool hex_escape(const Scan *scan, ssize_t at, uint32_t *point)
{
    const Str *text = as_str(scan->text);
    *point = 0;
    for (ssize_t i = at; i < at + 4; i++) {
        int digit = at + 4 < text->length ? hex_digit(str_at(text, i)) : -1;
        if (digit < 0) return raise_decode_error(scan, "Invalid \\uXXXX escape", at - 1);
        *point = *point << 4 | (uint32_t)digit;
    }
    return true;
}

// At the digits of \uXXXX: two such escapes may be the halves of one character.
static bool unicode_escape(Scan *scan, uint32_t *point)
{
    const Str *text = as_str(scan->text);
    if (!hex_escape(scan, scan->at, point)) return false;
    scan->at += 4;
    uint32_t low;
    ssize_t at = scan->at;
    if (*point < 0xD800 || *point > 0xDBFF || at + 6 >= text->length || str_at(text, at) != '\\' ||
        str_at(text, at + 1) != 'u')
        return true;
    if (!hex_escape(scan, at + 2, &low)) return false;
    if (low >= 0xDC00 && low <= 0xDFFF) {
        *point = 0x10000 + ((*point - 0xD800) << 10 | (low - 0xDC00));
        scan->at += 6;
    }
    return true;
}

static const char escapes[][2] = {{'"', '"'},  {'\\', '\\'}, {'/', '/'},  {'b', '\b'},
                                  {'f', '\f'}, {'n', '\n'},  {'r', '\r'}, {'t', '\t'}};

// After a backslash.
static bool escape(Scan *scan)
{
    const Str *text = as_str(scan->text);
    if (scan->at >= text->length)
        return raise_decode_error(scan, "Unterminated string starting at", scan->begin);
    uint32_t point = str_at(text, scan->at++);
    if (point == 'u') return unicode_escape(scan, &point) && builder_char(&scan->made, point);
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (point == (uint32_t)escapes[i][0])
            return builder_char(&scan->made, (uint32_t)escapes[i][1]);
    return raise_decode_error(scan, "Invalid \\escape", scan->at - 2);
}

// The index of the next quote, backslash or (strict) control character; the length if there is
// none.
static ssize_t plain_end(const Str *text, ssize_t at, bool strict)
{
    for (; at < text->length; at++) {
        uint32_t point = str_at(text, at);
        if (point == '"' || point == '\\' || (strict && point < ' ')) break;
    }
    return at;
}

static bool scan_all(Scan *scan, bool strict)
{
    const Str *text = as_str(scan->text);
    for (;;) {
        ssize_t end = plain_end(text, scan->at, strict);
        if (!builder_slice(&scan->made, scan->text, scan->at, end)) return false;
        if (end == text->length)
            return raise_decode_error(scan, "Unterminated string starting at", scan->begin);
        scan->at = end + 1;
        uint32_t point = str_at(text, end);
        if (point == '"') return true;
        if (point != '\\') return raise_decode_error(scan, "Invalid control character at", end);
        if (!escape(scan)) return false;
    }
}

Value json_scan_string(ValueRef text, ssize_t *at, bool strict)
{
    Scan scan = {.text = text, .begin = *at - 1, .at = *at};
    ssize_t end = plain_end(as_str(text), *at, strict);
    if (end < str_length(text) && str_at(as_str(text), end) == '"') { // no escapes: most strings
        *at = end + 1;
        return str_substring(text, scan.at, end);
    }
    builder_begin(&scan.made);
    if (!scan_all(&scan, strict)) {
        builder_abandon(&scan.made);
        return VALUE_ERROR;
    }
    *at = scan.at;
    return builder_finish(&scan.made);
}

static Value scanstring(FUNCTION_ARGS)
{
    ssize_t at;
    int strict = true;
    if (!argument_ssize(args[1], &at) || (nargs > 2 && !argument_int(args[2], &strict)))
        return VALUE_ERROR;
    if (!str_check(args[0]))
        return raise_error(TypeError, "first argument must be a string, not %.80T", args[0]);
    if (at < 0 || at > str_length(args[0])) return raise_error(ValueError, "end is out of bounds");
    Value items[2] = {json_scan_string(args[0], &at, strict), VALUE_ERROR};
    if (items[0]) items[1] = int_new(at);
    if (items[1]) return tuple_from_owned(items, 2);
    drop(items[0]);
    return VALUE_ERROR;
}

// ---- writing

static char *write_hex(char *to, uint32_t unit)
{
    *to++ = '\\';
    *to++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4) *to++ = "0123456789abcdef"[unit >> shift & 15];
    return to;
}

static char *write_escaped(char *to, uint32_t point)
{
    for (size_t i = 0; point <= '\\' && i < sizeof escapes / sizeof *escapes; i++)
        if (point != '/' && point == (uint32_t)escapes[i][1]) {
            *to++ = '\\';
            *to++ = escapes[i][0];
            return to;
        }
    if (point < 0x10000) return write_hex(to, point);
    point -= 0x10000;
    return write_hex(write_hex(to, 0xD800 | point >> 10), 0xDC00 | (point & 0x3FF));
}

static inline bool is_plain(uint32_t point, bool ascii)
{
    return point >= ' ' && point != '"' && point != '\\' && !(ascii && point > '~');
}

#define PIECE 256 // bytes that are added at once
#define ESCAPE_MAX 12

SPECIALISED ssize_t plain_run(int kind, const char *data, ssize_t at, ssize_t length, bool ascii)
{
    while (at < length && is_plain(point_get(kind, data, at), ascii)) at++;
    return at;
}

// Writes what follows the index, from an escape on: all that becomes ASCII, as long as it has room.
SPECIALISED char *write_piece(int kind, const char *data, ssize_t *from, ssize_t length, bool ascii,
                              char *to)
{
    const char *end = to + PIECE - ESCAPE_MAX;
    ssize_t at = *from;
    for (; at < length && to <= end; at++) {
        uint32_t point = point_get(kind, data, at);
        bool plain = is_plain(point, ascii);
        if (plain && point > '~') break;
        if (plain)
            *to++ = (char)point;
        else
            to = write_escaped(to, point);
    }
    *from = at;
    return to;
}

static bool add_escaped(StrBuilder *builder, const Str *text, ssize_t *at, bool ascii)
{
    char piece[PIECE];
    const char *end = BY_KIND(text->kind, write_piece, text->data, at, text->length, ascii, piece);
    return builder_ascii(builder, piece, (size_t)(end - piece));
}

bool json_add_string(StrBuilder *builder, ValueRef string, bool ascii)
{
    const Str *text = as_str(string);
    if (!builder_char(builder, '"')) return false;
    for (ssize_t at = 0, end; at < text->length; at = end) {
        end = BY_KIND(text->kind, plain_run, text->data, at, text->length, ascii);
        if (!builder_slice(builder, string, at, end)) return false;
        if (end < text->length && !add_escaped(builder, text, &end, ascii)) return false;
    }
    return builder_char(builder, '"');
}

static Value encode(ValueRef string, bool ascii)
{
    if (!str_check(string))
        return raise_error(TypeError, "first argument must be a string, not %.80T", string);
    StrBuilder builder;
    builder_begin(&builder);
    if (json_add_string(&builder, string, ascii)) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

Value json_encode_basestring(FUNCTION_ARGS)
{
    return encode(args[0], false);
}

Value json_encode_basestring_ascii(FUNCTION_ARGS)
{
    return encode(args[0], true);
}

static const MethodDef functions[] = {
    {"scanstring", scanstring, PARSED_ARGS(2, 3), NULL},
    {"encode_basestring", json_encode_basestring, ONE_ARG, NULL},
    {"encode_basestring_ascii", json_encode_basestring_ascii, ONE_ARG, NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return type_ready(&json_scanner_type) && type_ready(&json_encoder_type) &&
           module_add(module, "make_scanner", ref_of(&json_scanner_type)) &&
           module_add(module, "make_encoder", ref_of(&json_encoder_type));
}

const ModuleDef _json_module = {
    .name = "_json",
    .doc = "json speedups",
    .functions = functions,
    .fill = fill,
};
