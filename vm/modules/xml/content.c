// What a document contains: tags, text, references, CDATA sections; and what follows its element.
// See xml_parser.h.
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/text/utf8.h"
#include "vm/modules/xml/xml_parser.h"

static void advance(XmlParser *p, const uint8_t *to)
{
    Source *source = source_of(p);
    source->at = (size_t)(to - source->bytes);
    p->has_token = true;
}

// ---- start tags

// The attributes for the handler: a dict, or a list of names and values in turn.
static Value attributes_given(XmlParser *p)
{
    size_t count = p->specified_attributes ? p->specified_count : p->attribute_count;
    Value all = p->ordered_attributes ? list_new((ssize_t)count * 2) : dict_new();
    bool ok = all;
    for (size_t i = 0; ok && i < count; i++) {
        const Attribute *attribute = &p->attributes[i];
        if (p->ordered_attributes)
            ok = list_append(all, attribute->text) && list_append(all, attribute->value);
        else
            ok = dict_set(all, attribute->text, attribute->value);
    }
    if (ok) return all;
    drop(all);
    return parser_checked(p, VALUE_ERROR);
}

static Status open_tag(XmlParser *p, const uint8_t *at, const uint8_t *end, Tag *tag)
{
    Scan scan = {at + 1, end, p->has_namespaces, false};
    scan_qualified_name(&scan);
    *tag = (Tag){name_of(p, at + 1, (size_t)(scan.at - at - 1)), VALUE_ERROR, NULL};
    if (!tag->name) return XML_OK;
    Status status = read_attributes(p, tag->name, scan.at, end, &tag->bindings);
    if (!status && !p->raised) status = name_expand(p, tag->name, true, &tag->text);
    return status;
}

static void tell_start(XmlParser *p, const Tag *tag)
{
    Value args[] = {retain(tag->text), attributes_given(p)};
    tell(p, ON_START_ELEMENT, args, 2);
}

static void tell_end(XmlParser *p, const Tag *tag)
{
    Value args[] = {retain(tag->text)};
    tell(p, ON_END_ELEMENT, args, 1);
}

static void close_tag(XmlParser *p, Tag *tag)
{
    namespaces_unbind(p, tag->bindings);
    drop(tag->text);
    if (!p->tag_count && !p->is_external) p->phase = PHASE_EPILOG;
}

static void take_empty_tag(XmlParser *p, Tag *tag, const uint8_t *at, const uint8_t *end)
{
    bool starts = has_handler(p, ON_START_ELEMENT), is_told = starts;
    if (starts) tell_start(p, tag);
    if (has_handler(p, ON_END_ELEMENT)) {
        if (starts) parser_points_at(p, end);
        tell_end(p, tag);
        is_told = true;
    }
    if (!is_told) tell_default(p, at, end);
    close_tag(p, tag);
}

static Status take_start_tag(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    Tag tag;
    Status status = open_tag(p, at, end, &tag);
    if (status || p->raised ||
        !parser_room(p, (void **)&p->tags, p->tag_count, &p->tag_room, sizeof *p->tags)) {
        if (end[-2] == '/') namespaces_unbind(p, tag.bindings);
        drop(tag.text);
    } else if (end[-2] == '/') {
        take_empty_tag(p, &tag, at, end);
    } else {
        p->tags[p->tag_count++] = tag;
        if (has_handler(p, ON_START_ELEMENT))
            tell_start(p, &tag);
        else
            tell_default(p, at, end);
    }
    forget_attributes(p);
    return status;
}

static Status take_end_tag(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    size_t least = source_of(p)->tags;
    if (p->tag_count == least) return XML_ASYNC_ENTITY;
    Tag tag = p->tags[p->tag_count - 1];
    size_t size = (size_t)(end - at - 3);
    while (is_xml_space(at[2 + size - 1])) size--;
    if (!key_is(&tag.name->key, at + 2, size)) {
        parser_points_at(p, at + 2);
        return XML_TAG_MISMATCH;
    }
    p->tag_count--;
    if (has_handler(p, ON_END_ELEMENT))
        tell_end(p, &tag);
    else
        tell_default(p, at, end);
    close_tag(p, &tag);
    return XML_OK;
}

// ---- references

static void take_character(XmlParser *p, const char *bytes, size_t size, const uint8_t *at,
                           const uint8_t *end)
{
    if (wants_text(p))
        tell_text(p, (const uint8_t *)bytes, (const uint8_t *)bytes + size);
    else
        tell_default(p, at, end);
}

static Status take_number(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    int64_t point = referred_character(at, end);
    if (point < 0) return XML_BAD_CHAR_REF;
    char bytes[4];
    take_character(p, bytes, (size_t)utf8_write((uint32_t)point, bytes), at, end);
    return XML_OK;
}

static void skip_entity(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    if (has_handler(p, ON_SKIPPED_ENTITY)) {
        Value args[] = {interned(p, text_of(p, at + 1, end - 1)), from_small(0)};
        tell(p, ON_SKIPPED_ENTITY, args, 2);
    } else {
        tell_default(p, at, end);
    }
}

static Status take_external(XmlParser *p, Entity *entity, const uint8_t *at, const uint8_t *end)
{
    if (!has_handler(p, ON_EXTERNAL_ENTITY)) {
        tell_default(p, at, end);
        return XML_OK;
    }
    entity->is_open = true;
    Value context = context_of(p);
    entity->is_open = false;
    return ask_for_entity(p, context, entity->base, entity->system, entity->public);
}

static Status take_entity(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    char character = predefined_entity(at + 1, end - 1);
    if (character) {
        take_character(p, &character, 1, at, end);
        return XML_OK;
    }
    const Dtd *dtd = dtd_of(p);
    Entity *entity = table_find(&dtd->entities, at + 1, (size_t)(end - at - 2));
    bool must = !dtd->has_parameter_references || dtd->is_standalone;
    if (must && !entity) return XML_UNDEFINED_ENTITY;
    if (must && !entity->is_internal) return XML_ENTITY_DECLARED_IN_PE;
    if (entity && entity->is_open) return XML_RECURSIVE_ENTITY_REF;
    if (entity && entity->notation) return XML_BINARY_ENTITY_REF;
    if (!entity || (entity->text && !p->expands)) {
        skip_entity(p, at, end);
        return XML_OK;
    }
    return entity->text ? open_entity(p, entity, false) : take_external(p, entity, at, end);
}

// ---- text and sections

static void take_text(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    if (wants_text(p))
        tell_text(p, at, end);
    else
        tell_default(p, at, end);
}

static void take_newline(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    take_character(p, "\n", 1, at, end);
}

static void take_section_mark(XmlParser *p, Handler handler, const uint8_t *at, const uint8_t *end)
{
    if (has_handler(p, handler))
        tell(p, handler, NULL, 0);
    else
        tell_default(p, at, end);
    p->phase = handler == ON_START_CDATA ? PHASE_CDATA : PHASE_CONTENT;
}

// ---- where a text ends

static Status check_end(XmlParser *p)
{
    const Source *source = source_of(p);
    if (p->tag_count != source->tags) return XML_ASYNC_ENTITY;
    if (!in_document(p)) {
        close_entity(p);
        return XML_OK;
    }
    return p->is_external ? WAITS : XML_NO_ELEMENTS;
}

// The text ends, perhaps with a CR or brackets that are text now.
static Status take_end(XmlParser *p, Token token, const uint8_t *at, const uint8_t *end)
{
    if (has_more(p)) return WAITS;
    if (token == TOKEN_NONE && in_document(p) && p->input.raw.size) return half_character(p);
    if (token == TOKEN_NONE) {
        bool is_document = in_document(p) && !p->is_external;
        return is_document ? XML_NO_ELEMENTS : check_end(p);
    }
    if (token == TOKEN_TRAILING_CR) {
        take_newline(p, at, end);
    } else {
        take_text(p, at, end);
        parser_points_at(p, end);
    }
    advance(p, end);
    return in_document(p) && !p->is_external ? XML_NO_ELEMENTS : XML_OK;
}

static Status take(XmlParser *p, Token token, const uint8_t *at, const uint8_t *end)
{
    switch (token) {
    case TOKEN_START_TAG:
    case TOKEN_EMPTY_TAG: return take_start_tag(p, at, end);
    case TOKEN_END_TAG: return take_end_tag(p, at, end);
    case TOKEN_CHARACTER_REFERENCE: return take_number(p, at, end);
    case TOKEN_ENTITY: return take_entity(p, at, end);
    case TOKEN_TEXT: take_text(p, at, end); break;
    case TOKEN_NEWLINE: take_newline(p, at, end); break;
    case TOKEN_CDATA_OPEN: take_section_mark(p, ON_START_CDATA, at, end); break;
    case TOKEN_CDATA_CLOSE: take_section_mark(p, ON_END_CDATA, at, end); break;
    case TOKEN_COMMENT: tell_comment(p, at, end); break;
    case TOKEN_INSTRUCTION: tell_instruction(p, at, end); break;
    default: return XML_MISPLACED_XML_PI;
    }
    return XML_OK;
}

Status content_step(XmlParser *p)
{
    const Source *source = source_of(p);
    const uint8_t *at = source->bytes + source->at;
    Scan scan = {at, source->bytes + source->size, p->has_namespaces, false};
    Token token = content_token(&scan);
    if (token == TOKEN_NONE || token == TOKEN_TRAILING_CR || token == TOKEN_TRAILING_BRACKETS)
        return take_end(p, token, at, scan.end);
    if (token <= TOKEN_INVALID) return refused(p, token, &scan);
    Status status = parser_count(p, (size_t)(scan.at - at), !in_document(p));
    if (status) return status;
    bool is_first = p->is_external && !p->has_token;
    advance(p, scan.at);
    if (token == TOKEN_XML_DECLARATION && is_first)
        return read_xml_declaration(p, true, at, scan.at);
    return take(p, token, at, scan.at);
}

Status cdata_step(XmlParser *p)
{
    const Source *source = source_of(p);
    const uint8_t *at = source->bytes + source->at;
    Scan scan = {at, source->bytes + source->size, p->has_namespaces, false};
    Token token = cdata_token(&scan);
    if (token == TOKEN_NONE || token == TOKEN_PARTIAL)
        return has_more(p) ? WAITS : XML_UNCLOSED_CDATA_SECTION;
    if (token <= TOKEN_INVALID) return refused(p, token, &scan);
    Status status = parser_count(p, (size_t)(scan.at - at), !in_document(p));
    if (status) return status;
    advance(p, scan.at);
    return take(p, token, at, scan.at);
}

Status epilog_step(XmlParser *p)
{
    const Source *source = source_of(p);
    const uint8_t *at = source->bytes + source->at;
    Scan scan = {at, source->bytes + source->size, p->has_namespaces, false};
    Token token = prolog_token(&scan);
    if (token == TOKEN_NONE) return !has_more(p) && p->input.raw.size ? half_character(p) : WAITS;
    if (token <= TOKEN_INVALID) return refused(p, token, &scan);
    Status status = parser_count(p, (size_t)(scan.at - at), false);
    if (status) return status;
    switch (token) {
    case TOKEN_SPACE:
        advance(p, scan.at);
        tell_default(p, at, scan.at);
        return XML_OK;
    case TOKEN_COMMENT:
        advance(p, scan.at);
        tell_comment(p, at, scan.at);
        return XML_OK;
    case TOKEN_INSTRUCTION:
        advance(p, scan.at);
        tell_instruction(p, at, scan.at);
        return XML_OK;
    default: return XML_JUNK_AFTER_DOC_ELEMENT;
    }
}
