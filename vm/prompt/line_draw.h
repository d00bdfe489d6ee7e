// Draws a line on the terminal, over as many rows as it needs.
//
//     >>> def f(x):          the prompt, then the text
//     ...     return "a long line that is wr
//     apped by the terminal"    ^ cursor
//
// To draw the line again, the cursor moves up to its first row and erases everything from there on.
// So the only state is the row in which the cursor was left. A terminal that changes its width
// wraps the rows again: line_draw_resized() counts them again.
#pragma once

#include "vm/prompt/line_text.h"

typedef struct Picture {
    const char *prompt; // UTF-8; escape sequences, and text between \1 and \2, have no width
    const char *more;   // in front of the rows after a newline
    const Text *text;
    size_t cursor;
    int rows_above; // above the cursor's row when last drawn
} Picture;

void line_draw(Picture *picture);
// Moves the cursor to the end of the line and writes `ending`; the next line is drawn below.
void line_draw_leave(Picture *picture, const char *ending);
void line_draw_resized(Picture *picture);
int line_draw_columns(void); // of the terminal
void line_draw_send(const char *text);
