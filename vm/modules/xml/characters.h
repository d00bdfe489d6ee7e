// The characters of an XML document in UTF-8: which may occur, which are names and white space.
//
// A function that measures a character returns its size in bytes, CHARACTER_NONE where there is no
// such character, or CHARACTER_CUT where the text ends within it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHARACTER_NONE 0
#define CHARACTER_CUT (-1)

typedef enum CharacterFlag {
    CHAR_SPACE = 1,      // space, tab, CR, LF
    CHAR_NAME_START = 2, // an ASCII character that may begin a name; not the colon
    CHAR_NAME = 4,       // one that may occur in it
    CHAR_PLAIN = 8,      // means nothing in a text: all of ASCII but control characters & < ] CR LF
    CHAR_QUIET = 16,     // ... nor in a quoted literal: not " ' either, but ]
} CharacterFlag;

extern const uint8_t character_flags[256];

static inline bool is_xml_space(uint8_t byte)
{
    return character_flags[byte] & CHAR_SPACE;
}

// May a document contain it?
bool is_xml_character(int64_t point);
// Any character that a document may contain, and one that may begin or continue a name. They do
// not look at a colon. `at` is before `end`.
int character_size(const uint8_t *at, const uint8_t *end);
int name_character_size(const uint8_t *at, const uint8_t *end, bool begins);
