// A line read at the terminal, with the keys that people know from readline: arrows, Home and End,
// word moves, cutting and putting back, history and search, Tab, Ctrl-Z, paste. It draws on
// standard output and needs nothing but ANSI escapes; where TERM is "dumb" or empty it reads the
// line plainly.
//
//     line_editor.c     what each key does          line_keys.c      from bytes to keys
//     line_draw.c       the picture of the line     line_text.c      bytes and characters
//     line_complete.c   Tab                         line_history.c   earlier lines, and their file
#pragma once

#include "objects/object.h"
#include "vm/prompt/line_complete.h"

typedef struct LineRequest {
    const char *prompt; // UTF-8
    // What a paste of several lines shows in front of the second and later ones: it is one text
    // then, with newlines. NULL = each of its lines is read for itself.
    const char *more;
    bool remember; // in the history
    Completer completer;
} LineRequest;

// The line without its newline: an owned str, ABSENT at the end of input (Ctrl-D),
// KeyboardInterrupt for Ctrl-C.
Value line_editor_read(const LineRequest *request);
void line_editor_finish(void);
