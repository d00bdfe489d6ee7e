// Tokens of the prolog and of the document type declaration, and ignored sections. See tokens.h.
#include "vm/modules/xml/tokens.h"

#include <string.h>

// Is what follows a name or a literal one of these? At the end of the text, the token is open.
static bool is_followed_by(Scan *scan, const char *enders)
{
    if (scan->at == scan->end) return scan->open = true;
    return is_xml_space(*scan->at) || (*scan->at && strchr(enders, *scan->at));
}

// A letter, or what may begin a name like one.
static bool is_start(const Scan *scan)
{
    if (scan->at == scan->end) return false;
    return character_flags[*scan->at] & CHAR_NAME_START || (*scan->at == ':' && !scan->namespaces);
}

// After "<!".
static Token scan_declaration(Scan *scan)
{
    if (next_is(scan, '-')) {
        scan->at++;
        return scan_comment(scan);
    }
    if (next_is(scan, '[')) {
        scan->at++;
        return TOKEN_SECTION_OPEN;
    }
    const uint8_t *name = scan->at;
    while (is_start(scan)) scan->at++;
    if (scan->at == scan->end || scan->at == name) return refuse(scan);
    if (is_xml_space(*scan->at)) return TOKEN_DECLARATION_OPEN;
    if (*scan->at != '%') return TOKEN_INVALID;
    if (scan->end - scan->at < 2) return TOKEN_PARTIAL;
    uint8_t second = scan->at[1]; // a reference may follow the name, "%" as a word may not
    return is_xml_space(second) || second == '%' ? TOKEN_INVALID : TOKEN_DECLARATION_OPEN;
}

// At "<".
static Token scan_angle(Scan *scan)
{
    scan->at++;
    if (scan->at == scan->end) return TOKEN_PARTIAL;
    uint8_t byte = *scan->at;
    if (byte == '!' || byte == '?') {
        scan->at++;
        return byte == '!' ? scan_declaration(scan) : scan_instruction(scan);
    }
    bool is_longer = byte >= 0xC0 && byte <= 0xF4; // whatever character this begins
    if (!is_longer && !is_start(scan)) return TOKEN_INVALID;
    scan->at--;
    return TOKEN_INSTANCE_START;
}

// White space. A CR that ends the text is open, and so is what ends with one.
static Token scan_spaces(Scan *scan)
{
    const uint8_t *begin = scan->at;
    skip_space(scan);
    if (scan->at < scan->end || scan->at[-1] != '\r') return TOKEN_SPACE;
    if (scan->at - begin > 1)
        scan->at--;
    else
        scan->open = true;
    return TOKEN_SPACE;
}

static Token scan_literal(Scan *scan)
{
    uint8_t quote = *scan->at++;
    for (;;) {
        if (next_is(scan, quote)) break;
        Token token = scan_character(scan);
        if (token != TOKEN_TEXT) return token;
    }
    scan->at++;
    return is_followed_by(scan, ">%[") ? TOKEN_LITERAL : TOKEN_INVALID;
}

// After "#".
static Token scan_pound_name(Scan *scan)
{
    Token token = scan_name(scan);
    if (token != TOKEN_NAME) return token;
    return is_followed_by(scan, ")>%|") ? TOKEN_POUND_NAME : TOKEN_INVALID;
}

// The sign of how often the name or group before it may occur. `kinds`: without one, ? * +.
static Token scan_quantifier(Scan *scan, const Token kinds[4])
{
    static const char signs[] = "?*+";
    const char *sign = scan->at < scan->end && *scan->at ? strchr(signs, *scan->at) : NULL;
    if (!sign) return kinds[0];
    scan->at++;
    return kinds[1 + (sign - signs)];
}

static Token scan_close_paren(Scan *scan)
{
    static const Token kinds[] = {TOKEN_CLOSE_PAREN, TOKEN_CLOSE_OPTIONAL, TOKEN_CLOSE_ANY,
                                  TOKEN_CLOSE_SOME};
    scan->at++;
    Token token = scan_quantifier(scan, kinds);
    if (token != TOKEN_CLOSE_PAREN) return token;
    return is_followed_by(scan, ">,|)") ? token : TOKEN_INVALID;
}

// The characters of a name or of an NMTOKEN, from `begin` on: where it has colons.
static Token scan_word_rest(Scan *scan, Token token)
{
    for (;;) {
        bool is_colon = next_is(scan, ':');
        if (is_colon && scan->namespaces) {
            scan->at++;
            if (token != TOKEN_NAME) {
                token = TOKEN_NMTOKEN;
                continue;
            }
            if (scan->at == scan->end) return TOKEN_PARTIAL;
            int size = name_character_size(scan->at, scan->end, false);
            if (size == CHARACTER_CUT) return TOKEN_PARTIAL_CHARACTER;
            token = size ? TOKEN_PREFIXED_NAME : TOKEN_NMTOKEN;
            continue;
        }
        if (scan->at == scan->end) return token;
        int size = is_colon ? 1 : name_character_size(scan->at, scan->end, false);
        if (size == CHARACTER_CUT) return TOKEN_PARTIAL_CHARACTER;
        if (!size) return token;
        scan->at += size;
    }
}

// A name or an NMTOKEN, with a quantifier.
static Token scan_word(Scan *scan)
{
    static const Token kinds[] = {TOKEN_NAME, TOKEN_NAME_OPTIONAL, TOKEN_NAME_ANY, TOKEN_NAME_SOME};
    bool is_colon = *scan->at == ':';
    int begins = is_colon ? !scan->namespaces : name_character_size(scan->at, scan->end, true);
    int size = is_colon ? 1 : name_character_size(scan->at, scan->end, false);
    if (size == CHARACTER_CUT) return TOKEN_PARTIAL_CHARACTER;
    if (!size) return TOKEN_INVALID;
    scan->at += size;
    Token token = scan_word_rest(scan, begins ? TOKEN_NAME : TOKEN_NMTOKEN);
    if (token_waits(token) || is_followed_by(scan, ">),|[%")) return token;
    if (token == TOKEN_NMTOKEN) return TOKEN_INVALID;
    Token marked = scan_quantifier(scan, kinds);
    return marked == TOKEN_NAME ? TOKEN_INVALID : marked;
}

// At "]": the end of a section where "]>" follows.
static Token scan_close_bracket(Scan *scan)
{
    scan->at++;
    if (scan->at == scan->end) scan->open = true;
    if (!next_is(scan, ']')) return TOKEN_CLOSE_BRACKET;
    if (scan->end - scan->at < 2) return TOKEN_PARTIAL;
    if (scan->at[1] != '>') return TOKEN_CLOSE_BRACKET;
    scan->at += 2;
    return TOKEN_SECTION_CLOSE;
}

static Token scan_sign(Scan *scan, Token token)
{
    scan->at++;
    return token;
}

Token prolog_token(Scan *scan)
{
    if (scan->at == scan->end) return TOKEN_NONE;
    switch (*scan->at) {
    case '"':
    case '\'': return scan_literal(scan);
    case '<': return scan_angle(scan);
    case ' ':
    case '\t':
    case '\r':
    case '\n': return scan_spaces(scan);
    case '%': scan->at++; return scan_percent(scan);
    case '#': scan->at++; return scan_pound_name(scan);
    case ',': return scan_sign(scan, TOKEN_COMMA);
    case '|': return scan_sign(scan, TOKEN_OR);
    case '>': return scan_sign(scan, TOKEN_DECLARATION_CLOSE);
    case '[': return scan_sign(scan, TOKEN_OPEN_BRACKET);
    case ']': return scan_close_bracket(scan);
    case '(': return scan_sign(scan, TOKEN_OPEN_PAREN);
    case ')': return scan_close_paren(scan);
    default: return scan_word(scan);
    }
}

// A section <![IGNORE[ ... ]]> after its opening. Others may be within it.
Token ignored_token(Scan *scan)
{
    int64_t depth = 0;
    for (;;) {
        Token token = scan_character(scan);
        if (token != TOKEN_TEXT) return token;
        const uint8_t *last = scan->at - 1;
        if (*last == '<' && next_is(scan, '!')) {
            scan->at++;
            if (scan->at == scan->end) return TOKEN_PARTIAL;
            if (*scan->at != '[') continue;
            scan->at++;
            depth++;
        } else if (*last == ']' && next_is(scan, ']')) {
            if (scan->end - scan->at < 2) return TOKEN_PARTIAL;
            if (scan->at[1] != '>') continue;
            scan->at += 2;
            if (depth-- == 0) return TOKEN_IGNORED;
        }
    }
}
