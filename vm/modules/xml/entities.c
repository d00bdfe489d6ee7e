// References: to characters, to entities in the document and outside of it. See xml_parser.h.
#include "objects/bytes/bytes.h"
#include "objects/text/str.h"
#include "vm/modules/xml/text_reading.h"

int64_t referred_character(const uint8_t *at, const uint8_t *end)
{
    bool hexadecimal = at[2] == 'x';
    int64_t point = 0;
    for (at += hexadecimal ? 3 : 2; at + 1 < end; at++) {
        int digit = *at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10;
        point = point * (hexadecimal ? 16 : 10) + digit;
        if (point > 0x10FFFF) return -1;
    }
    return is_xml_character(point) ? point : -1;
}

char predefined_entity(const uint8_t *at, const uint8_t *end)
{
    static const struct {
        const char *name;
        char character;
    } all[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    size_t size = (size_t)(end - at);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strlen(all[i].name) == size && memcmp(at, all[i].name, size) == 0)
            return all[i].character;
    return 0;
}

// ---- the stack of texts

Status open_entity(XmlParser *p, Entity *entity, bool is_separate)
{
    if (!parser_room(p, (void **)&p->sources, p->depth, &p->source_room, sizeof *p->sources))
        return XML_OK;
    const Bytes *text = as_bytes(entity->text);
    const uint8_t *bytes = (const uint8_t *)text->data;
    p->sources[p->depth++] =
        (Source){bytes, 0, (size_t)text->size, entity, p->tag_count, is_separate};
    entity->is_open = true;
    return XML_OK;
}

void close_entity(XmlParser *p)
{
    source_of(p)->entity->is_open = false;
    p->depth--;
}

// ---- what is outside of the document

Status check_standalone(XmlParser *p)
{
    if (dtd_of(p)->is_standalone || !has_handler(p, ON_NOT_STANDALONE)) return XML_OK;
    return ask(p, ON_NOT_STANDALONE, NULL, 0) ? XML_OK : XML_NOT_STANDALONE;
}

Status ask_for_entity(XmlParser *p, Value context, ValueRef base, ValueRef system, ValueRef public)
{
    Value args[] = {context, interned(p, or_none(base)), interned(p, or_none(system)),
                    interned(p, or_none(public))};
    return ask(p, ON_EXTERNAL_ENTITY, args, 4) ? XML_OK : XML_EXTERNAL_ENTITY_HANDLING;
}

// ---- the value of a declared entity

// A parser for the entity adds to the value that is being read.
static Status add_from_outside(TextReading *reading, Entity *entity)
{
    XmlParser *p = reading->p;
    Dtd *dtd = dtd_of(p);
    dtd->parameter_was_read = false;
    Status status = XML_OK;
    if (has_handler(p, ON_EXTERNAL_ENTITY)) {
        entity->is_open = true;
        status = ask_for_entity(p, NONE, entity->base, entity->system, entity->public);
        entity->is_open = false;
    }
    if (!dtd->parameter_was_read) dtd->keeps = dtd->is_standalone;
    return status;
}

// %name; has a meaning in what is outside of the document only.
static Status add_parameter(TextReading *reading, const uint8_t *at, const uint8_t *end)
{
    XmlParser *p = reading->p;
    Dtd *dtd = dtd_of(p);
    if (!p->is_parameter && in_document(p) && reading->count == 1)
        return reading_wrong_at(reading, at, XML_PARAM_ENTITY_REF);
    Entity *entity = table_find(&dtd->parameters, at + 1, (size_t)(end - at - 2));
    if (!entity) {
        dtd->keeps = dtd->is_standalone;
        reading->texts[reading->count - 1].at = reading->texts[reading->count - 1].end;
        return XML_OK;
    }
    if (entity->is_open) return reading_wrong_at(reading, at, XML_RECURSIVE_ENTITY_REF);
    if (!entity->text) return add_from_outside(reading, entity);
    return reading_push_entity(reading, entity);
}

static Status add_token(TextReading *reading)
{
    ReadPiece piece;
    Status status = reading_token(reading, entity_value_token, &piece);
    if (status) return status;
    const uint8_t *at = piece.at, *end = piece.end;
    switch (piece.token) {
    case TOKEN_NONE: return XML_OK;
    case TOKEN_NEWLINE: bytes_out_byte(reading->out, '\n'); return XML_OK;
    case TOKEN_CHARACTER_REFERENCE: return reading_add_character(reading, &piece);
    case TOKEN_PARAMETER_ENTITY: return add_parameter(reading, at, end);
    case TOKEN_ENTITY:
    case TOKEN_TEXT: bytes_out_add(reading->out, at, (size_t)(end - at)); return XML_OK;
    default:
        return reading_wrong_at(reading, piece.token == TOKEN_INVALID ? end : at,
                                XML_INVALID_TOKEN);
    }
}

Status read_entity_value(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    TextReading reading = {p, dtd_of(p)->value, NULL, 0, 0};
    Status status = reading_push(&reading, at, end, NULL);
    while (!status && reading.count && !p->raised) status = add_token(&reading);
    reading_close(&reading);
    return status;
}
