// The text that the line editor works on: bytes of UTF-8 that grow, and what a character is.
//
// A place in a text is a number of bytes, at the start of a character. A character is a code point
// and the marks behind it that have no width of their own. A byte that is no UTF-8 is a character.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Text {
    char *bytes; // with a NUL behind them; NULL = nothing has been put in yet
    size_t size, capacity;
} Text;

// Both: false with MemoryError pending.
bool line_text_insert(Text *text, size_t at, const char *bytes, size_t size);
bool line_text_set(Text *text, const char *bytes, size_t size);
void line_text_remove(Text *text, size_t from, size_t to);
void line_text_free(Text *text);

// How many bytes a UTF-8 sequence has that begins with this one.
int line_text_utf8_length(char first);
// The code point at a place, and how many bytes it has: 1 where they are no UTF-8.
uint32_t line_text_point(const char *bytes, size_t size, size_t *length);
// How many columns of a terminal it takes: 0, 1 or 2.
int line_text_width(uint32_t point);

size_t line_text_previous(const Text *text, size_t at);
size_t line_text_next(const Text *text, size_t at);
// To the next border of a word of letters and digits, and of one between blanks.
size_t line_text_word_left(const Text *text, size_t at);
size_t line_text_word_right(const Text *text, size_t at);
size_t line_text_blank_left(const Text *text, size_t at);
// Where the row of `at` begins, behind the newline before it.
size_t line_text_row_start(const Text *text, size_t at);
