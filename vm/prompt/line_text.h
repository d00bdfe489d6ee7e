// The text of the line editor: a growing buffer of UTF-8, and moves over its characters.
//
// A position in a text is a byte offset, at the start of a character. A character is a code point
// and the combining marks after it, which have no width. A byte that is not valid UTF-8 is a
// character.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Text {
    char *bytes; // then a NUL; NULL = nothing was inserted yet
    size_t size, capacity;
} Text;

// Both: false with MemoryError pending.
bool line_text_insert(Text *text, size_t at, const char *bytes, size_t size);
bool line_text_set(Text *text, const char *bytes, size_t size);
void line_text_remove(Text *text, size_t from, size_t to);
void line_text_free(Text *text);

// The length of the UTF-8 sequence that begins with this byte.
int line_text_utf8_length(char first);
// The code point at a position, and its length in bytes: 1 if it is not valid UTF-8.
uint32_t line_text_point(const char *bytes, size_t size, size_t *length);
// Its width in columns of a terminal: 0, 1 or 2.
int line_text_width(uint32_t point);

size_t line_text_previous(const Text *text, size_t at);
size_t line_text_next(const Text *text, size_t at);
// The next boundary of a word of letters and digits, and of a word between blanks.
size_t line_text_word_left(const Text *text, size_t at);
size_t line_text_word_right(const Text *text, size_t at);
size_t line_text_blank_left(const Text *text, size_t at);
// The start of the row of `at`: the position after the newline before it.
size_t line_text_row_start(const Text *text, size_t at);
