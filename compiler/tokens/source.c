// From bytes to a source text: newlines, BOM, encoding cookie (PEP 263), decoding.
//
//     bytes -> \r\n and \r become \n, a last \n is added -> BOM cut off -> cookie in line 1 or 2
//           -> UTF-8
//
// A text without BOM and cookie is not checked for UTF-8 here. 3.9 detects wrong bytes later: in a
// script file in the line that it reads, otherwise in a name or a string; it ignores them in a
// comment. Errors have 3.9's two forms, with and without a position.
#include "compiler/tokens/source.h"

#include "objects/bytes/codecs.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/text/str.h"

#include <ctype.h>

typedef struct SourceDecoder {
    Arena *arena;
    Source *source;
    const CompileOptions *options;
    char *text; // what is left of the bytes
    size_t size;
    bool cookie_settled; // no later line can hold a cookie
} SourceDecoder;

// The error of a script file has no position; that of a text has line 0, column -1.
static _Noreturn void encoding_error(SourceDecoder *decoder, const char *format,
                                     const char *encoding)
{
    Value message = format_text(format, encoding);
    if (message == VALUE_ERROR) arena_fail(decoder->arena);
    ValueRef held = arena_hold(decoder->arena, message);
    const char *text = str_utf8(held, NULL);
    if (!text) arena_fail(decoder->arena);
    if (decoder->options->is_file)
        raise_with(SyntaxError, held);
    else
        raise_syntax_error(SyntaxError, text, decoder->options->filename, 0, -1, NONE);
    arena_fail(decoder->arena);
}

// The codec failed: the pending exception becomes a SyntaxError with its text.
static _Noreturn void codec_error(SourceDecoder *decoder, const char *encoding)
{
    if (!error_is(LookupError) && !error_is(UnicodeError)) arena_fail(decoder->arena);
    if (decoder->options->is_file) {
        error_clear();
        encoding_error(decoder, "encoding problem: %s", encoding);
    }
    Value exception = error_take();
    Value message = format_text("%S", exception);
    drop(exception);
    const char *text = message == VALUE_ERROR ? NULL : str_utf8(message, NULL);
    if (text) raise_syntax_error(SyntaxError, text, decoder->options->filename, 0, -1, NONE);
    drop(message);
    arena_fail(decoder->arena);
}

// ---- newlines and NUL

// 3.9 reads a line up to its NUL and appends the next line to it. A line that begins with NUL is
// empty.
static size_t drop_after_nul(char *text, size_t size)
{
    size_t kept = 0;
    bool joined = false;
    for (size_t i = 0; i < size;) {
        char *newline = memchr(text + i, '\n', size - i);
        size_t length = newline ? (size_t)(newline - (text + i)) + 1 : size - i;
        char *nul = memchr(text + i, 0, length);
        size_t used = nul ? (size_t)(nul - (text + i)) : length;
        memmove(text + kept, text + i, used);
        kept += used;
        if (nul && used == 0 && !joined) text[kept++] = '\n';
        joined = nul && used > 0;
        i += length;
    }
    text[kept] = 0;
    return kept;
}

static size_t translate_newlines(char *text, size_t size)
{
    char *from = memchr(text, '\r', size);
    if (!from) return size;
    char *end = text + size, *to = from;
    while (from < end) {
        char c = *from++;
        if (c == '\r') {
            c = '\n';
            if (from < end && *from == '\n') from++;
        }
        *to++ = c;
    }
    *to = 0;
    return (size_t)(to - text);
}

static void copy_lines(SourceDecoder *decoder, const char *text, size_t size)
{
    Source *source = decoder->source;
    bool ends_with_crlf = size >= 2 && memcmp(text + size - 2, "\r\n", 2) == 0;
    char *copy = arena_alloc(decoder->arena, size + 3);
    memcpy(copy, text, size);
    size = translate_newlines(copy, size);
    if (memchr(copy, 0, size)) {
        if (!source->is_file) {
            raise_error(ValueError, "source code string cannot contain null bytes");
            arena_fail(decoder->arena);
        }
        size = drop_after_nul(copy, size);
    }
    source->ended_with_newline = size > 0 && copy[size - 1] == '\n';
    bool wants_newline = decoder->options->mode == MODE_EXEC || source->is_file;
    bool has_text = size > 0 || !source->is_file;
    // In memory 3.9 does not see that the text ends with a newline where that is \r\n.
    bool is_unseen = ends_with_crlf && !source->is_file;
    if (wants_newline && has_text && (!source->ended_with_newline || is_unseen)) {
        copy[size++] = '\n';
        copy[size] = 0;
    }
    decoder->text = copy;
    decoder->size = size;
}

// ---- the cookie

// CPython's short names for the two encodings it knows best; others are taken as they are.
static const char *normal_name(const char *name)
{
    static const char *const latin[] = {"latin-1", "iso-8859-1", "iso-latin-1"};
    char lower[13];
    int length = 0;
    for (; length < 12 && name[length]; length++) {
        char c = name[length];
        lower[length] = c == '_' ? '-' : (char)tolower((unsigned char)c);
    }
    lower[length] = 0;
    if (!strcmp(lower, "utf-8") || !strncmp(lower, "utf-8-", 6)) return "utf-8";
    for (int i = 0; i < 3; i++) {
        size_t size = strlen(latin[i]);
        if (strncmp(lower, latin[i], size)) continue;
        if (lower[size] == 0 || lower[size] == '-') return "iso-8859-1";
    }
    return name;
}

static bool is_encoding_char(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

// The encoding that a comment line names ("coding: x", "coding=x"), or NULL.
static const char *find_cookie(SourceDecoder *decoder, const char *line, size_t size)
{
    size_t i = 0;
    while (i + 6 < size && is_blank(line[i])) i++;
    if (i + 6 >= size || line[i] != '#') return NULL;
    for (; i + 6 < size; i++) {
        if (memcmp(line + i, "coding", 6)) continue;
        const char *begin = line + i + 6;
        if (*begin != ':' && *begin != '=') continue;
        do begin++;
        while (*begin == ' ' || *begin == '\t');
        const char *end = begin;
        while (is_encoding_char(*end)) end++;
        if (end == begin) continue;
        return normal_name(arena_text(decoder->arena, begin, (size_t)(end - begin)));
    }
    return NULL;
}

static bool is_comment_or_blank(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (line[i] == '#' || line[i] == '\n') return true;
        if (!is_blank(line[i])) return false;
    }
    return true;
}

// Looks for a cookie in one line: the encoding to decode from, NULL = none or utf-8.
static const char *check_line(SourceDecoder *decoder, const char *line, size_t size)
{
    const char *cookie = find_cookie(decoder, line, size);
    if (!cookie) {
        if (!is_comment_or_blank(line, size)) decoder->cookie_settled = true;
        return NULL;
    }
    decoder->cookie_settled = true;
    bool is_utf8 = strcmp(cookie, "utf-8") == 0;
    if (decoder->source->has_bom) {
        if (!is_utf8) encoding_error(decoder, "encoding problem: %s with BOM", cookie);
        return NULL;
    }
    decoder->source->has_encoding = true;
    decoder->source->encoding = cookie;
    return is_utf8 ? NULL : cookie;
}

static const char *check_cookie(SourceDecoder *decoder)
{
    const char *text = decoder->text, *end = text + decoder->size;
    const char *first = memchr(text, '\n', decoder->size);
    if (!first) return NULL;
    const char *encoding = check_line(decoder, text, (size_t)(first - text));
    if (encoding || decoder->cookie_settled) return encoding;
    const char *second = memchr(first + 1, '\n', (size_t)(end - first - 1));
    if (!second) return NULL;
    return check_line(decoder, first + 1, (size_t)(second - first));
}

// ---- bytes to UTF-8

static void cut_bom(SourceDecoder *decoder)
{
    if (decoder->size < 3 || memcmp(decoder->text, "\xEF\xBB\xBF", 3)) return;
    decoder->text += 3;
    decoder->size -= 3;
    decoder->source->has_bom = decoder->source->has_encoding = true;
}

static void recode(SourceDecoder *decoder, const char *encoding)
{
    Value str = text_decode(decoder->text, decoder->size, encoding, NULL);
    if (str == VALUE_ERROR) codec_error(decoder, encoding);
    ValueRef held = arena_hold(decoder->arena, str);
    // The comment was read as ASCII: in utf-16 it would be another text.
    bool fits = str_length(held) && str_at(as_str(held), 0) == (unsigned char)*decoder->text;
    if (!fits && decoder->options->is_file)
        encoding_error(decoder, "encoding problem: %s", encoding);
    const char *utf8 = str_utf8(held, &decoder->size);
    if (!utf8) arena_fail(decoder->arena);
    decoder->text = arena_text(decoder->arena, utf8, decoder->size);
    decoder->source->is_recoded = true;
}

// As many bytes as the first character has, 0 where it cannot be UTF-8. Looser than a decoder, as
// 3.9's tokenizer is.
static int utf8_length(const unsigned char *s)
{
    int length = *s < 0x80 ? 1 : *s < 0xC0 ? 0 : *s < 0xE0 ? 2 : *s < 0xF0 ? 3 : *s < 0xF8 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if (s[i] < 0x80 || s[i] >= 0xC0) return 0;
    return length;
}

static const char *find_not_utf8(const char *text, const char *end)
{
    while (text < end) {
        int length = utf8_length((const unsigned char *)text);
        if (!length) return text;
        text += length;
    }
    return NULL;
}

void source_open(Arena *arena, Source *source, const char *text, size_t size,
                 const CompileOptions *options)
{
    SourceDecoder decoder = {.arena = arena, .source = source, .options = options};
    *source = (Source){.is_file = options->is_file, .has_encoding = options->is_utf8};
    copy_lines(&decoder, text, size);
    if (!options->is_utf8) {
        cut_bom(&decoder);
        const char *encoding = check_cookie(&decoder);
        if (encoding) recode(&decoder, encoding);
    }
    source->text = decoder.text;
    source->end = decoder.text + decoder.size;
    if (source->is_file && !source->has_encoding)
        source->not_utf8 = find_not_utf8(source->text, source->end);
}
