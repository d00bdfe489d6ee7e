// Decodes the bytes that a terminal sends into keys: control characters, escape sequences,
// characters.
//
// Bytes that were read and not yet used stay in a buffer, for this line or the next one.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CTRL(letter) ((letter) & 0x1F)

typedef enum Key {
    KEY_TEXT = 0x100, // above the control characters: a character, or a byte that is not UTF-8
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
    KEY_CHANGED, // the terminal's size has changed, or the process continues after Ctrl-Z
    KEY_CLOSED,  // the end of input, or an exception is pending
} Key;

typedef struct Press {
    int key; // a Key or a control character
    char text[4];
    size_t size; // of `text`: for KEY_TEXT
} Press;

// Waits for a key. In a paste every character but a newline is text.
Press line_keys_read(void);
// Is more input waiting? (Then nothing is drawn.)
bool line_keys_waiting(void);
// The next byte, not decoded; -1 = the end of input, or an exception.
int line_keys_byte(void);
// Has a paste begun and not yet ended? Then the next lines may belong to it.
bool line_keys_in_paste(void);
void line_keys_finish(void);
