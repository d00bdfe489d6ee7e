// See text_reading.h.
#include "vm/modules/xml/text_reading.h"

#include "objects/bytes/bytes.h"
#include "objects/memory.h"
#include "objects/text/utf8.h"

Status reading_push(TextReading *reading, const uint8_t *at, const uint8_t *end, Entity *entity)
{
    if (!parser_room(reading->p, (void **)&reading->texts, reading->count, &reading->room,
                     sizeof *reading->texts))
        return XML_ABORTED;
    reading->texts[reading->count++] = (ReadText){at, end, entity};
    if (entity) entity->is_open = true;
    return XML_OK;
}

Status reading_push_entity(TextReading *reading, Entity *entity)
{
    const Bytes *text = as_bytes(entity->text);
    const uint8_t *at = (const uint8_t *)text->data;
    return reading_push(reading, at, at + text->size, entity);
}

static void pop(TextReading *reading)
{
    Entity *entity = reading->texts[--reading->count].entity;
    if (entity) entity->is_open = false;
}

Status reading_token(TextReading *reading, Token (*scan_token)(Scan *), ReadPiece *piece)
{
    ReadText *text = &reading->texts[reading->count - 1];
    Scan scan = {text->at, text->end, reading->p->has_namespaces, false};
    *piece = (ReadPiece){scan_token(&scan), text->at, scan.at};
    text->at = scan.at;
    if (piece->token == TOKEN_NONE) {
        pop(reading);
        return XML_OK;
    }
    return parser_count(reading->p, text->entity ? (size_t)(scan.at - piece->at) : 0, true);
}

Status reading_add_character(TextReading *reading, const ReadPiece *piece)
{
    int64_t point = referred_character(piece->at, piece->end);
    if (point < 0) return reading_wrong_at(reading, piece->at, XML_BAD_CHAR_REF);
    char bytes[4];
    bytes_out_add(reading->out, bytes, (size_t)utf8_write((uint32_t)point, bytes));
    return XML_OK;
}

Status reading_wrong_at(const TextReading *reading, const uint8_t *at, Status status)
{
    if (reading->count == 1) parser_points_at(reading->p, at);
    return status;
}

void reading_close(TextReading *reading)
{
    while (reading->count) pop(reading);
    memory_free(reading->texts);
}
