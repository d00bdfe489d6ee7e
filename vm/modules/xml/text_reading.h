// Reading a value that is put together from texts: itself, and in it those of the entities that it
// refers to. The value of an attribute (tag_attributes.c) and of an entity (entities.c) is such.
//
//     reading_push(&reading, at, end, NULL);
//     while (reading.count)
//         reading_token(&reading, attribute_value_token, &piece) ...
//     reading_close(&reading);
//
// The texts are a stack, so that entities may be nested to any depth. A Status is XML_OK, or what
// is wrong with the document; an exception is in the parser (parser_fail).
#pragma once

#include "vm/modules/xml/xml_parser.h"

typedef struct ReadText {
    const uint8_t *at, *end;
    Entity *entity; // NULL = the value itself
} ReadText;

typedef struct TextReading {
    XmlParser *p;
    BytesOut *out;
    ReadText *texts;
    size_t count, room;
} TextReading;

typedef struct ReadPiece {
    Token token;
    const uint8_t *at, *end;
} ReadPiece;

// From now on the text is read, which is the entity's, if that is not NULL.
Status reading_push(TextReading *reading, const uint8_t *at, const uint8_t *end, Entity *entity);
Status reading_push_entity(TextReading *reading, Entity *entity); // which has a text
// The next token of the text that is read; TOKEN_NONE: that text has come to its end.
Status reading_token(TextReading *reading, Token (*scan_token)(Scan *), ReadPiece *piece);
// Adds the character of a TOKEN_CHARACTER_REFERENCE to what is read.
Status reading_add_character(TextReading *reading, const ReadPiece *piece);
// `status`, which is about a position that the parser shows if it is in the value itself.
Status reading_wrong_at(const TextReading *reading, const uint8_t *at, Status status);
// Frees the stack. What is on it yet is read no more.
void reading_close(TextReading *reading);
