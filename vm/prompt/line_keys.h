// From the bytes that a terminal sends to keys: control characters, escape sequences, characters.
//
// What was read and not yet used waits here, for the same line or for the next one.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CTRL(letter) ((letter)&0x1F)

typedef enum Key {
    KEY_TEXT = 0x100, // beyond the control characters: a character, or a byte that is no UTF-8
    KEY_LEFT,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_DELETE,
    KEY_WORD_LEFT,
    KEY_WORD_RIGHT,
    KEY_CUT_WORD_LEFT,
    KEY_CUT_WORD_RIGHT,
    KEY_FIRST, // of the history
    KEY_LAST,
    KEY_PASTE_END,
    KEY_NONE,
    KEY_CHANGED, // the terminal has another size, or is ours again
    KEY_CLOSED,  // the end of input, or an exception is pending
} Key;

typedef struct Press {
    int key; // a Key or a control character
    char text[4];
    size_t size; // of `text`: for KEY_TEXT
} Press;

// Waits for a key. In a paste every character but a newline is text.
Press line_keys_read(void);
// Is there more to read at once? (Then nothing is drawn.)
bool line_keys_waiting(void);
// The next byte as it is, -1 = the end or an exception.
int line_keys_byte(void);
// Has a paste begun, and not yet ended? The next lines may be in it as well.
bool line_keys_in_paste(void);
void line_keys_finish(void);
