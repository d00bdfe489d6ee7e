// See line_draw.h.
#include "vm/prompt/line_draw.h"

#include "vm/outside/outside.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_COLUMNS 80
#define TAB_STOP 8
#define ESCAPE 27

// The position of the terminal's cursor, from the first row of the drawn line. After the last
// column the cursor waits there, and the next character goes to the next row.
typedef struct Spot {
    int row, column;
} Spot;

typedef struct Painter {
    int columns;
    Spot spot;
    bool silent; // it only counts
    size_t size; // of what has not been written yet
    char bytes[4096];
} Painter;

int line_draw_columns(void)
{
    int columns = outside_terminal_width(1);
    return columns < 2 ? DEFAULT_COLUMNS : columns;
}

void line_draw_send(const char *text)
{
    outside_write_all(1, text, strlen(text));
}

// ---- painting

static void flush(Painter *painter)
{
    outside_write_all(1, painter->bytes, painter->size);
    painter->size = 0;
}

static void put(Painter *painter, const char *bytes, size_t size)
{
    if (painter->silent) return;
    if (painter->size + size > sizeof painter->bytes) flush(painter);
    memcpy(painter->bytes + painter->size, bytes, size);
    painter->size += size;
}

static void put_move(Painter *painter, int count, char direction)
{
    char text[32];
    if (count > 0)
        put(painter, text, (size_t)snprintf(text, sizeof text, "\x1b[%d%c", count, direction));
}

static void paint_cells(Painter *painter, const char *bytes, size_t size, int width)
{
    if (painter->spot.column + width > painter->columns)
        painter->spot = (Spot){painter->spot.row + 1, 0};
    painter->spot.column += width;
    put(painter, bytes, size);
}

static void paint_newline(Painter *painter)
{
    put(painter, "\r\n", 2);
    painter->spot = (Spot){painter->spot.row + 1, 0};
}

static void paint_control(Painter *painter, char byte)
{
    if (byte != '\t') {
        paint_cells(painter, "^", 1, 1);
        paint_cells(painter, &(char){(char)(byte ^ 0x40)}, 1, 1);
        return;
    }
    do paint_cells(painter, " ", 1, 1);
    while (painter->spot.column % TAB_STOP && painter->spot.column < painter->columns);
}

// One character; returns how many bytes it has.
static size_t paint_point(Painter *painter, const char *bytes, size_t size)
{
    size_t length;
    uint32_t point = line_text_point(bytes, size, &length);
    if (point < 32 || point == 127)
        paint_control(painter, bytes[0]);
    else
        paint_cells(painter, bytes, length, line_text_width(point));
    return length;
}

// The size of what a prompt has for the terminal, not for the eye; 0 = nothing here.
static size_t hidden_size(const char *text)
{
    if (*text == 1) {
        const char *end = strchr(text, 2);
        return end ? (size_t)(end - text) + 1 : 1;
    }
    if (text[0] != ESCAPE || text[1] != '[') return 0;
    size_t size = 2 + strcspn(text + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    return text[size] ? size + 1 : size;
}

static void put_hidden(Painter *painter, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 1 && bytes[i] != 2) put(painter, bytes + i, 1);
}

static void paint_prompt(Painter *painter, const char *prompt)
{
    for (size_t left; (left = strlen(prompt));) {
        size_t size = hidden_size(prompt);
        if (size)
            put_hidden(painter, prompt, size);
        else if (*prompt == '\n' && (size = 1))
            paint_newline(painter);
        else
            size = paint_point(painter, prompt, left);
        prompt += size;
    }
}

// Paints all; returns where the cursor belongs.
static Spot paint(Painter *painter, const Picture *picture)
{
    const Text *text = picture->text;
    Spot cursor = {0, 0};
    paint_prompt(painter, picture->prompt);
    for (size_t at = 0;;) {
        if (at == picture->cursor) cursor = painter->spot;
        if (at >= text->size) break;
        if (text->bytes[at] == '\n') {
            paint_newline(painter);
            paint_prompt(painter, picture->more);
            at++;
        } else {
            at += paint_point(painter, text->bytes + at, text->size - at);
        }
    }
    if (cursor.column == painter->columns) cursor = (Spot){cursor.row + 1, 0};
    return cursor;
}

// ---- the picture

static Painter painter_new(bool silent)
{
    return (Painter){.columns = line_draw_columns(), .silent = silent};
}

void line_draw(Picture *picture)
{
    Painter painter = painter_new(false);
    put_move(&painter, picture->rows_above, 'A');
    put(&painter, "\r\x1b[J", 4);
    Spot cursor = paint(&painter, picture);
    if (painter.spot.column == painter.columns) paint_newline(&painter);
    put_move(&painter, painter.spot.row - cursor.row, 'A');
    put(&painter, "\r", 1);
    put_move(&painter, cursor.column, 'C');
    flush(&painter);
    picture->rows_above = cursor.row;
}

void line_draw_leave(Picture *picture, const char *ending)
{
    picture->cursor = picture->text->size;
    line_draw(picture);
    line_draw_send(ending);
    picture->rows_above = 0;
}

void line_draw_resized(Picture *picture)
{
    Painter painter = painter_new(true);
    picture->rows_above = paint(&painter, picture).row;
}
