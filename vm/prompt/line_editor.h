// The line editor: reads a line at the terminal, with the keys of readline: arrows, Home and End,
// word moves, kill and yank, history and search, Tab, Ctrl-Z, paste. It draws on standard output
// with ANSI escapes only; if TERM is "dumb" or empty, it reads the line without editing.
//
//     line_editor.c     what each key does          line_keys.c      from bytes to keys
//     line_draw.c       the picture of the line     line_text.c      bytes and characters
//     line_complete.c   Tab                         line_history.c   earlier lines, and their file
#pragma once

#include "objects/object.h"
#include "vm/prompt/line_complete.h"

typedef struct LineRequest {
    const char *prompt; // UTF-8
    // The prompt of the second and later lines of a paste, which is returned as one text with
    // newlines. NULL = each pasted line is returned by itself.
    const char *more;
    bool remember; // add the line to the history
    Completer completer;
    // What draws the rest of the screen, where the line is on its last row; 0 = nothing does. It is
    // called with False before this process stops, and with True when all is to be drawn again.
    ValueRef scene;
} LineRequest;

// The line without its newline: an owned str, ABSENT at the end of input (Ctrl-D),
// KeyboardInterrupt for Ctrl-C.
Value line_editor_read(const LineRequest *request);
void line_editor_finish(void);
