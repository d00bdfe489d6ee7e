// Tokens of content: tags, text, references, CDATA sections; and of the values of attributes. See
// tokens.h.
#include "vm/modules/xml/tokens.h"

#include <string.h>

// ---- tags

// After a name and white space, or a value: the end of a start tag, or where the next name begins
// (TOKEN_NAME).
static Token scan_tag_end(Scan *scan)
{
    if (scan->at == scan->end) return TOKEN_PARTIAL;
    bool is_empty = *scan->at == '/';
    scan->at += is_empty;
    if (!next_is(scan, '>')) return is_empty ? refuse(scan) : TOKEN_NAME;
    scan->at++;
    return is_empty ? TOKEN_EMPTY_TAG : TOKEN_START_TAG;
}

// The quoted value. References in it are well formed; what they refer to is seen to later.
static Token scan_value(Scan *scan)
{
    if (!next_is(scan, '"') && !next_is(scan, '\'')) return refuse(scan);
    uint8_t quote = *scan->at++;
    for (;;) {
        while (scan->at < scan->end && character_flags[*scan->at] & CHAR_QUIET) scan->at++;
        if (next_is(scan, quote)) break;
        if (next_is(scan, '<')) return TOKEN_INVALID;
        bool is_reference = next_is(scan, '&');
        scan->at += is_reference;
        Token token = is_reference ? scan_reference(scan) : scan_character(scan);
        if (token <= TOKEN_INVALID) return token;
    }
    scan->at++;
    return TOKEN_LITERAL;
}

// NAME = "value", where the name begins.
static Token scan_attribute(Scan *scan)
{
    Token token = scan_qualified_name(scan);
    if (token != TOKEN_NAME) return token;
    skip_space(scan);
    if (!next_is(scan, '=')) return refuse(scan);
    scan->at++;
    skip_space(scan);
    return scan_value(scan);
}

// After the "<" of a start tag.
static Token scan_start_tag(Scan *scan)
{
    Token token = scan_qualified_name(scan);
    if (token != TOKEN_NAME) return token;
    for (;;) {
        const uint8_t *gap = scan->at;
        skip_space(scan);
        bool apart = scan->at > gap;
        token = scan_tag_end(scan);
        if (token != TOKEN_NAME) return token;
        if (!apart) return TOKEN_INVALID;
        token = scan_attribute(scan);
        if (token != TOKEN_LITERAL) return token;
    }
}

// After "</". The name must be that of the start tag, so its colons do not matter.
static Token scan_end_tag(Scan *scan)
{
    Token token = scan_name(scan);
    while (token == TOKEN_NAME && next_is(scan, ':')) {
        scan->at++;
        token = scan_name_rest(scan);
    }
    if (token != TOKEN_NAME) return token;
    skip_space(scan);
    if (!next_is(scan, '>')) return refuse(scan);
    scan->at++;
    return TOKEN_END_TAG;
}

// ---- what else "<" begins

static Token scan_marked(Scan *scan)
{
    static const char opening[] = "CDATA[";
    if (next_is(scan, '-')) {
        scan->at++;
        return scan_comment(scan);
    }
    if (!next_is(scan, '[')) return refuse(scan);
    scan->at++;
    if (scan->end - scan->at < 6) return TOKEN_PARTIAL;
    for (int i = 0; i < 6; i++, scan->at++)
        if (*scan->at != (uint8_t)opening[i]) return TOKEN_INVALID;
    return TOKEN_CDATA_OPEN;
}

static Token scan_markup(Scan *scan)
{
    if (scan->at == scan->end) return TOKEN_PARTIAL;
    switch (*scan->at) {
    case '!': scan->at++; return scan_marked(scan);
    case '?': scan->at++; return scan_instruction(scan);
    case '/': scan->at++; return scan_end_tag(scan);
    default: return scan_start_tag(scan);
    }
}

// ---- text

// At a CR or LF. A CR that ends the text is a token of its own, as LF may follow.
static Token scan_newline(Scan *scan)
{
    bool is_cr = *scan->at++ == '\r';
    if (is_cr && scan->at == scan->end) return TOKEN_TRAILING_CR;
    scan->at += is_cr && *scan->at == '\n';
    return TOKEN_NEWLINE;
}

// At a "]": does "]]>" begin here? The text may end too early to tell.
static Token scan_brackets(const Scan *scan)
{
    ptrdiff_t size = scan->end - scan->at;
    if (size == 1) return TOKEN_TRAILING_BRACKETS;
    if (scan->at[1] != ']') return TOKEN_TEXT;
    if (size == 2) return TOKEN_TRAILING_BRACKETS;
    return scan->at[2] == '>' ? TOKEN_CDATA_CLOSE : TOKEN_TEXT;
}

// Goes past the characters up to one that begins another token, or that is none. The first
// character is a token in any case: what is wrong with it is the result.
static Token scan_text(Scan *scan)
{
    const uint8_t *begin = scan->at;
    for (;;) {
        while (scan->at < scan->end && character_flags[*scan->at] & CHAR_PLAIN) scan->at++;
        if (scan->at == scan->end) return TOKEN_TEXT;
        uint8_t byte = *scan->at;
        Token token = TOKEN_TEXT;
        if (byte == ']') {
            token = scan_brackets(scan);
            if (token == TOKEN_TEXT) {
                scan->at++;
                continue;
            }
            if (token == TOKEN_CDATA_CLOSE) {
                scan->at += 2;
                return TOKEN_INVALID;
            }
        } else if (byte >= 0x80) {
            token = scan_character(scan);
            if (token == TOKEN_TEXT) continue;
        } else if (scan->at == begin) {
            return TOKEN_INVALID; // a control character
        }
        return scan->at > begin ? TOKEN_TEXT : token;
    }
}

Token content_token(Scan *scan)
{
    if (scan->at == scan->end) return TOKEN_NONE;
    switch (*scan->at) {
    case '<': scan->at++; return scan_markup(scan);
    case '&': scan->at++; return scan_reference(scan);
    case '\r':
    case '\n': return scan_newline(scan);
    default: return scan_text(scan);
    }
}

// Up to a line end or "]", which begins a text of its own, as in expat.
static Token scan_cdata_text(Scan *scan)
{
    const uint8_t *begin = scan->at;
    Token token = TOKEN_TEXT;
    while (scan->at < scan->end && token == TOKEN_TEXT) {
        if (*scan->at == '\r' || *scan->at == '\n' || (*scan->at == ']' && scan->at > begin)) break;
        token = scan_character(scan);
    }
    return scan->at > begin ? TOKEN_TEXT : token;
}

Token cdata_token(Scan *scan)
{
    if (scan->at == scan->end) return TOKEN_NONE;
    if (*scan->at == '\r' || *scan->at == '\n') {
        Token token = scan_newline(scan);
        return token == TOKEN_TRAILING_CR ? TOKEN_PARTIAL : token;
    }
    if (*scan->at == ']') {
        Token token = scan_brackets(scan);
        if (token == TOKEN_TRAILING_BRACKETS) return TOKEN_PARTIAL;
        if (token == TOKEN_CDATA_CLOSE) {
            scan->at += 3;
            return token;
        }
    }
    return scan_cdata_text(scan);
}

// ---- values

// A line end, after which an entity's text may go on with LF: a token either way.
static Token value_newline(Scan *scan)
{
    scan_newline(scan);
    return TOKEN_NEWLINE;
}

Token attribute_value_token(Scan *scan)
{
    if (scan->at == scan->end) return TOKEN_NONE;
    uint8_t first = *scan->at;
    if (first == '&') {
        scan->at++;
        return scan_reference(scan);
    }
    if (first == '<') return TOKEN_INVALID;
    if (first == '\r' || first == '\n') return value_newline(scan);
    if (first == ' ' || first == '\t') {
        scan->at++;
        return TOKEN_VALUE_SPACE;
    }
    while (scan->at < scan->end && *scan->at != '&' && *scan->at != '<' && !is_xml_space(*scan->at))
        scan->at++;
    return TOKEN_TEXT;
}

Token entity_value_token(Scan *scan)
{
    if (scan->at == scan->end) return TOKEN_NONE;
    uint8_t first = *scan->at;
    if (first == '&') {
        scan->at++;
        return scan_reference(scan);
    }
    if (first == '%') {
        scan->at++;
        Token token = scan_percent(scan);
        return token == TOKEN_PERCENT ? TOKEN_INVALID : token;
    }
    if (first == '\r' || first == '\n') return value_newline(scan);
    while (scan->at < scan->end && *scan->at != '&' && *scan->at != '%' && *scan->at != '\r' &&
           *scan->at != '\n')
        scan->at++;
    return TOKEN_TEXT;
}
