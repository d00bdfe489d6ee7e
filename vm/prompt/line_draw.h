// The picture of a line on the terminal, over as many rows as it needs.
//
//     >>> def f(x):          the prompt, then the text
//     ...     return "a long line that is wr
//     apped by the terminal"    ^ cursor
//
// Before the line is drawn again the cursor goes up to its first row, and everything from there on
// is erased. So all that is known of the last picture is in which row of it the cursor was left.
// Where the terminal gets another width it wraps the picture anew: line_draw_resized() counts the
// rows again.
#pragma once

#include "vm/prompt/line_text.h"

typedef struct Picture {
    const char
        *prompt;      // UTF-8; escape sequences in it, and what is between \1 and \2, have no width
    const char *more; // in front of the rows behind a newline
    const Text *text;
    size_t cursor;
    int rows_above; // of the cursor, in the last picture; 0 = there is none
} Picture;

void line_draw(Picture *picture);
// The cursor is put behind the line, and the next picture begins below, after `ending`.
void line_draw_leave(Picture *picture, const char *ending);
void line_draw_resized(Picture *picture);
int line_draw_columns(void); // of the terminal
void line_draw_send(const char *text);
