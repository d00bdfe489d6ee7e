// <?xml version="1.0" encoding="utf-8" standalone="yes"?>. See xml_parser.h.
#include "objects/text/str.h"
#include "vm/modules/xml/xml_parser.h"

typedef struct Part { // name="value"
    const uint8_t *name, *name_end, *value, *value_end;
} Part;

static bool is_value_byte(uint8_t byte)
{
    return character_flags[byte] & CHAR_NAME;
}

static bool part_is(const Part *part, const char *name)
{
    size_t size = strlen(name);
    return part->name && (size_t)(part->name_end - part->name) == size &&
           memcmp(part->name, name, size) == 0;
}

static bool value_is(const Part *part, const char *text)
{
    size_t size = strlen(text);
    return (size_t)(part->value_end - part->value) == size && memcmp(part->value, text, size) == 0;
}

// Reads the next part; part->name is NULL where only white space is left. False: wrong at scan->at.
static bool read_part(Scan *scan, Part *part)
{
    const uint8_t *begin = scan->at;
    part->name = NULL;
    skip_space(scan);
    if (scan->at == scan->end) {
        scan->at = begin;
        return true;
    }
    if (scan->at == begin) return false;
    part->name = scan->at;
    while (scan->at < scan->end && *scan->at < 0x80 && *scan->at != '=' && !is_xml_space(*scan->at))
        scan->at++;
    part->name_end = scan->at;
    skip_space(scan);
    if (scan->at == part->name || !next_is(scan, '=')) return false;
    scan->at++;
    skip_space(scan);
    if (!next_is(scan, '"') && !next_is(scan, '\'')) return false;
    uint8_t quote = *scan->at++;
    part->value = scan->at;
    while (scan->at < scan->end && is_value_byte(*scan->at)) scan->at++;
    part->value_end = scan->at;
    if (!next_is(scan, quote)) return false;
    scan->at++;
    return true;
}

typedef struct XmlDeclaration {
    Part version, encoding;
    int standalone; // -1 = not said
} XmlDeclaration;

static bool wrong_at(Scan *scan, const uint8_t *at)
{
    scan->at = at;
    return false;
}

static bool read_standalone(Scan *scan, const Part *part, bool is_text, int *standalone)
{
    if (!part_is(part, "standalone") || is_text) return wrong_at(scan, part->name);
    *standalone = value_is(part, "yes");
    if (!*standalone && !value_is(part, "no")) return wrong_at(scan, part->value);
    skip_space(scan);
    return scan->at == scan->end;
}

// False: wrong at scan->at. An external entity has to name its encoding; a document its version.
static bool read_parts(Scan *scan, bool is_text, XmlDeclaration *made)
{
    Part part;
    if (!read_part(scan, &part) || !part.name) return false;
    if (part_is(&part, "version")) {
        made->version = part;
        if (!read_part(scan, &part)) return false;
        if (!part.name) return !is_text;
    } else if (!is_text) {
        return wrong_at(scan, part.name);
    }
    if (part_is(&part, "encoding")) {
        if (part.value == part.value_end || !(character_flags[*part.value] & CHAR_NAME_START) ||
            *part.value == '_')
            return wrong_at(scan, part.value);
        made->encoding = part;
        if (!read_part(scan, &part)) return false;
        if (!part.name) return true;
    }
    return read_standalone(scan, &part, is_text, &made->standalone);
}

static Value part_text(XmlParser *p, const Part *part)
{
    return part->name ? text_of(p, part->value, part->value_end) : NONE;
}

static void tell_declaration(XmlParser *p, const XmlDeclaration *made, const uint8_t *at,
                             const uint8_t *end)
{
    if (!has_handler(p, ON_XML_DECLARATION)) {
        tell_default(p, at, end);
        return;
    }
    Value args[] = {part_text(p, &made->version), part_text(p, &made->encoding),
                    from_small(made->standalone)};
    tell(p, ON_XML_DECLARATION, args, 3);
}

static Status take_encoding(XmlParser *p, const Part *encoding)
{
    if (p->is_forced || !encoding->name || p->raised) return XML_OK;
    size_t size = (size_t)(encoding->value_end - encoding->value);
    switch (input_declare(&p->input, encoding->value, size)) {
    case FOUND_ENCODING: return XML_OK;
    case FOUND_ERROR: parser_fail(p); return XML_OK;
    case FOUND_WIDTH: parser_points_at(p, encoding->value); return XML_INCORRECT_ENCODING;
    case FOUND_NOTHING: parser_points_at(p, encoding->value); return XML_UNKNOWN_ENCODING;
    }
    return XML_UNEXPECTED_STATE;
}

Status read_xml_declaration(XmlParser *p, bool is_text, const uint8_t *at, const uint8_t *end)
{
    Scan scan = {at + 5, end - 2, false, false};
    XmlDeclaration made = {.standalone = -1};
    if (!read_parts(&scan, is_text, &made)) {
        parser_points_at(p, scan.at);
        return is_text ? XML_TEXT_DECL : XML_XML_DECL;
    }
    if (made.standalone == 1) {
        dtd_of(p)->is_standalone = true;
        if (p->parameter_parsing == PARSE_UNLESS_STANDALONE) p->parameter_parsing = PARSE_NEVER;
    }
    tell_declaration(p, &made, at, end);
    return take_encoding(p, &made.encoding);
}
