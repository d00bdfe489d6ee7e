// See line_complete.h.
#include "vm/prompt/line_complete.h"

#include "objects/bytes/codecs.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/text/str.h"
#include "vm/outside/outside.h"

#include <string.h>

#define INDENTATION "    "
#define GAP 2 // between columns

// ---- asking

static bool is_answer(ValueRef answer)
{
    if (!tuple_check(answer) || tuple_size(answer) != 2) return false;
    ValueRef matches = tuple_at(answer, 1);
    if (!str_check(tuple_at(answer, 0)) || !list_check(matches)) return false;
    for (ssize_t i = 0; i < list_size(matches); i++)
        if (!str_check(list_at(matches, i))) return false;
    return true;
}

// (word, matches), or 0 where there are none.
static Value ask(const Completer *completer, const char *bytes, size_t size)
{
    outside_terminal_mode(TERMINAL_KEYS_AND_INTERRUPT);
    Value before = text_decode(bytes, size, "utf-8", "surrogateescape");
    Value answer = before ? completer->complete(before, completer->context) : VALUE_ERROR;
    drop(before);
    error_clear();
    outside_take_interrupt();
    outside_terminal_mode(TERMINAL_KEYS);
    if (answer && !is_answer(answer)) drop_slot(&answer);
    return answer;
}

// ---- what the matches have in common

// One of them as UTF-8; "" where it has a surrogate.
static const char *match_at(ValueRef matches, ssize_t index)
{
    const char *utf8 = str_utf8(list_at(matches, index), NULL);
    if (!utf8) error_clear();
    return utf8 ? utf8 : "";
}

static size_t common_size(ValueRef matches)
{
    const char *first = match_at(matches, 0);
    size_t size = strlen(first);
    for (ssize_t i = 1; i < list_size(matches); i++) {
        const char *match = match_at(matches, i);
        size_t same = 0;
        while (same < size && match[same] == first[same]) same++;
        size = same;
    }
    while (size > 0 && (first[size] & 0xC0) == 0x80) size--; // do not split a character
    return size;
}

// Replaces the word by the longest common prefix of all matches. Has the text become longer?
static bool put_common(ValueRef word, ValueRef matches, Picture *picture, Text *line, bool *failed)
{
    size_t word_size, size = common_size(matches);
    if (!str_utf8(word, &word_size)) return error_clear(), false;
    if (word_size > picture->cursor || size <= word_size) return false;
    size_t start = picture->cursor - word_size;
    line_text_remove(line, start, picture->cursor);
    *failed = !line_text_insert(line, start, match_at(matches, 0), size);
    picture->cursor = *failed ? start : start + size;
    return true;
}

// ---- listing them

static int width_of(const char *text)
{
    int width = 0;
    for (size_t left = strlen(text), length; left > 0; left -= length, text += length)
        width += line_text_width(line_text_point(text, left, &length));
    return width;
}

static void list_row(ValueRef matches, ssize_t row, ssize_t rows, int width)
{
    ssize_t count = list_size(matches);
    for (ssize_t i = row; i < count; i += rows) {
        line_draw_send(match_at(matches, i));
        for (int blank = width_of(match_at(matches, i)); i + rows < count && blank < width; blank++)
            line_draw_send(" ");
    }
    line_draw_send("\r\n");
}

// In columns, downwards, below the line.
static void list_matches(ValueRef matches, Picture *picture)
{
    size_t cursor = picture->cursor;
    ssize_t count = list_size(matches);
    int width = 1;
    for (ssize_t i = 0; i < count; i++) {
        int this_width = width_of(match_at(matches, i)) + GAP;
        if (this_width > width) width = this_width;
    }
    ssize_t columns = (line_draw_columns() - 1 + GAP) / width;
    ssize_t rows = columns < 2 ? count : (count + columns - 1) / columns;
    line_draw_leave(picture, "\r\n");
    for (ssize_t row = 0; row < rows; row++) list_row(matches, row, rows, width);
    picture->cursor = cursor;
}

// ---- Tab

static bool is_blank(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != ' ' && bytes[i] != '\t') return false;
    return true;
}

static bool indent(Picture *picture, Text *line)
{
    if (!line_text_insert(line, picture->cursor, INDENTATION, strlen(INDENTATION))) return false;
    picture->cursor += strlen(INDENTATION);
    return true;
}

bool line_complete(const Completer *completer, Picture *picture, Text *line, bool again)
{
    size_t start = line_text_row_start(line, picture->cursor), size = picture->cursor - start;
    if (!completer->at_beginning && is_blank(line->bytes + start, size))
        return indent(picture, line);
    Value answer = completer->complete ? ask(completer, line->bytes + start, size) : VALUE_ERROR;
    ValueRef matches = answer ? tuple_at(answer, 1) : VALUE_ERROR;
    bool failed = false;
    if (!answer || list_size(matches) == 0)
        line_draw_send("\a");
    else if (!put_common(tuple_at(answer, 0), matches, picture, line, &failed)) {
        if (again && list_size(matches) > 1)
            list_matches(matches, picture);
        else if (list_size(matches) > 1)
            line_draw_send("\a");
    }
    drop(answer);
    return !failed;
}
