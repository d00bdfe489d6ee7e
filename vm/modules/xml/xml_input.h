// The document: bytes in some encoding come in pieces, and become text in UTF-8.
//
//     bytes --input_feed--> raw --input_convert--> text
//
//     text    | parsed | `at`: not parsed yet        |        `mark` is the position of one index,
//                          ^ marked                           from which others are counted
//
// A byte that is no text becomes 0xFF, which no token takes. As the XML declaration may name the
// encoding, no more than the declaration is converted until input_settle() has been called.
#pragma once

#include "objects/bytes/bytes_out.h"
#include "objects/value.h"

typedef enum Encoding {
    ENCODING_UNKNOWN, // the first bytes will tell
    ENCODING_UTF8,
    ENCODING_BYTES, // one byte is one character: see `map`
    ENCODING_UTF16_LE,
    ENCODING_UTF16_BE,
} Encoding;

#define NO_TEXT 0xFFFF // in a map: a byte that is no character

typedef struct Position {
    int64_t line, column, byte; // the line from 1
} Position;

typedef struct Input {
    BytesOut text, raw;
    Encoding encoding;
    bool is_settled, has_mark; // a byte order mark
    uint16_t map[256];
    bool converts; // expat would: neither UTF-8 nor ASCII
    Value codec; // the name that text_decode() has for the encoding, a str; 0 = UTF-8
    Position mark;
    size_t marked;
} Input;

typedef enum EncodingFound {
    FOUND_ENCODING,
    FOUND_WIDTH,   // not one with characters of this size
    FOUND_NOTHING, // not known to XML
    FOUND_ERROR,   // an exception is pending
} EncodingFound;

// The encoding that was given by name, before the first piece.
EncodingFound input_force(Input *input, const char *name);
// The one that the declaration names.
EncodingFound input_declare(Input *input, const uint8_t *name, size_t size);
// No declaration is to come: what follows is in the encoding that is known now.
void input_settle(Input *input);
// MemoryError if false.
bool input_feed(Input *input, const void *bytes, size_t size);
// Makes text of the bytes, as far as they are complete characters and the encoding is known;
// `is_last`: there are no more. MemoryError if false.
bool input_convert(Input *input, bool is_last);
// The position of a place in the text, which may not be before the last one that was asked for.
Position input_position(Input *input, size_t at);
// Forgets the text before a place.
void input_forget(Input *input, size_t at);
// The text from there on in the document's encoding, with the bytes that are not converted: bytes.
Value input_rest(const Input *input, size_t at);
void input_free(Input *input);
