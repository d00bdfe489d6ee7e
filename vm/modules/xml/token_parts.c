// The parts that several kinds of tokens share. See tokens.h.
#include "vm/modules/xml/tokens.h"

#include <string.h>

static Token refuse_size(int size)
{
    return size == CHARACTER_CUT ? TOKEN_PARTIAL_CHARACTER : TOKEN_INVALID;
}

Token scan_character(Scan *scan)
{
    if (scan->at == scan->end) return TOKEN_PARTIAL;
    int size = character_size(scan->at, scan->end);
    if (size <= 0) return refuse_size(size);
    scan->at += size;
    return TOKEN_TEXT;
}

// One character of a name; a colon is one where there are no namespaces.
static Token scan_name_character(Scan *scan, bool begins)
{
    if (scan->at == scan->end) return TOKEN_PARTIAL;
    bool is_colon = *scan->at == ':' && !scan->namespaces;
    int size = is_colon ? 1 : name_character_size(scan->at, scan->end, begins);
    if (size <= 0) return refuse_size(size);
    scan->at += size;
    return TOKEN_NAME;
}

Token scan_name_rest(Scan *scan)
{
    Token token;
    do token = scan_name_character(scan, false);
    while (token == TOKEN_NAME);
    return token == TOKEN_PARTIAL_CHARACTER ? token : TOKEN_NAME;
}

Token scan_name(Scan *scan)
{
    Token token = scan_name_character(scan, true);
    return token == TOKEN_NAME ? scan_name_rest(scan) : token;
}

Token scan_qualified_name(Scan *scan)
{
    Token token = scan_name(scan);
    if (token != TOKEN_NAME || !scan->namespaces || !next_is(scan, ':')) return token;
    scan->at++;
    token = scan_name(scan);
    return token == TOKEN_NAME && next_is(scan, ':') ? TOKEN_INVALID : token;
}

static bool is_digit(uint8_t byte, bool hexadecimal)
{
    uint8_t lower = byte | 32;
    return (byte >= '0' && byte <= '9') || (hexadecimal && lower >= 'a' && lower <= 'f');
}

// After "&#".
static Token scan_number(Scan *scan)
{
    bool hexadecimal = next_is(scan, 'x');
    scan->at += hexadecimal;
    const uint8_t *digits = scan->at;
    while (scan->at < scan->end && is_digit(*scan->at, hexadecimal)) scan->at++;
    if (scan->at == digits || !next_is(scan, ';')) return refuse(scan);
    scan->at++;
    return TOKEN_CHARACTER_REFERENCE;
}

Token scan_reference(Scan *scan)
{
    if (next_is(scan, '#')) {
        scan->at++;
        return scan_number(scan);
    }
    Token token = scan_name(scan);
    if (token != TOKEN_NAME) return token;
    if (!next_is(scan, ';')) return refuse(scan);
    scan->at++;
    return TOKEN_ENTITY;
}

// By its target. "xml" in other letters is reserved: TOKEN_INVALID.
static Token instruction_kind(const uint8_t *target, const uint8_t *end)
{
    if (end - target != 3 || (target[0] | 32) != 'x' || (target[1] | 32) != 'm' ||
        (target[2] | 32) != 'l')
        return TOKEN_INSTRUCTION;
    return memcmp(target, "xml", 3) == 0 ? TOKEN_XML_DECLARATION : TOKEN_INVALID;
}

Token scan_instruction(Scan *scan)
{
    const uint8_t *target = scan->at;
    Token token = scan_name(scan);
    if (token != TOKEN_NAME) return token;
    if (scan->at == scan->end) return TOKEN_PARTIAL;
    bool has_text = is_xml_space(*scan->at);
    if (!has_text && *scan->at != '?') return TOKEN_INVALID;
    Token kind = instruction_kind(target, scan->at);
    if (kind == TOKEN_INVALID) return kind;
    for (;;) {
        if (next_is(scan, '?')) {
            scan->at++;
            if (next_is(scan, '>')) break;
            if (!has_text || scan->at == scan->end) return refuse(scan);
        } else {
            token = scan_character(scan);
            if (token != TOKEN_TEXT) return token;
        }
    }
    scan->at++;
    return kind;
}

Token scan_comment(Scan *scan)
{
    if (!next_is(scan, '-')) return refuse(scan);
    for (scan->at++;;) {
        Token token = scan_character(scan);
        if (token != TOKEN_TEXT) return token;
        if (scan->at[-1] != '-' || !next_is(scan, '-')) continue;
        scan->at++;
        if (!next_is(scan, '>')) return refuse(scan);
        scan->at++;
        return TOKEN_COMMENT;
    }
}

Token scan_percent(Scan *scan)
{
    if (scan->at == scan->end) return TOKEN_PARTIAL;
    if (is_xml_space(*scan->at) || *scan->at == '%') return TOKEN_PERCENT;
    Token token = scan_name(scan);
    if (token != TOKEN_NAME) return token;
    if (!next_is(scan, ';')) return refuse(scan);
    scan->at++;
    return TOKEN_PARAMETER_ENTITY;
}
