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
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_ESCAPE,
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

// Waits for a key. In a paste every character but a newline is text. An ESC begins a sequence; with
// `alone` it is a key by itself if nothing follows at once.
Press line_keys_read(bool alone);
// Is more input waiting? (Then nothing is drawn.)
bool line_keys_waiting(void);
// Reads what has come, and takes out of it a key that does not wait for its turn: Ctrl-C, with all
// that was typed before it, Ctrl-Z, or `first`, if that is the first one. 0 = none of them; -1 =
// the end of input, or an exception.
int line_keys_urgent(char first);
// The next byte, not decoded; -1 = the end of input, or an exception.
int line_keys_byte(void);
// Has a paste begun and not yet ended? Then the next lines may belong to it.
bool line_keys_in_paste(void);
void line_keys_finish(void);
