// The module `_screen`: the terminal of the debugger's full screen (vm/lib/debugger/tui/). Keys and
// widths are those of the line editor (vm/prompt/).
//
//     keys(True)         each key comes at once, and is not echoed; False: as it was before
//     key()              the next key
//     waiting()          has more been read already?
//     urgent()           a key that does not wait for its turn
//     fit(text, columns) the text as so many columns
//     wrap(text, columns) the text as rows of so many columns
//     suspend()          Ctrl-Z
#include "vm/outside/outside.h"
#include "vm/prompt/line_keys.h"
#include "vm/prompt/line_text.h"

#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"

#include <stdio.h>
#include <string.h>

#define TAB_STOP 8
#define LEAST_COLUMNS 8 // the widest way to show a character has six
#define MAX_COLUMNS 10000
// A row has four bytes for each column and for marks without a width; more of those are left out.
#define ROW_BYTES(columns) (8 * (size_t)(columns) + 16)
#define CUT_MARK "~"

// ---- keys

static const char *const key_names[] = {
    [KEY_LEFT - KEY_TEXT] = "left",       [KEY_RIGHT - KEY_TEXT] = "right",
    [KEY_UP - KEY_TEXT] = "up",           [KEY_DOWN - KEY_TEXT] = "down",
    [KEY_HOME - KEY_TEXT] = "home",       [KEY_END - KEY_TEXT] = "end",
    [KEY_PAGE_UP - KEY_TEXT] = "page up", [KEY_PAGE_DOWN - KEY_TEXT] = "page down",
    [KEY_ESCAPE - KEY_TEXT] = "escape",   [KEY_CHANGED - KEY_TEXT] = "changed",
    [KEY_CLOSED - KEY_TEXT] = "closed",
};

static Value name_of(const Press *press)
{
    size_t number = (size_t)(press->key - KEY_TEXT);
    if (press->key < KEY_TEXT) {
        char text[] = {'^', (char)(press->key ^ 0x40), 0};
        return str_new(press->key == '\r' || press->key == '\n' ? "enter" : text);
    }
    if (press->key == KEY_TEXT) return text_decode(press->text, press->size, "utf-8", "replace");
    bool named = number < sizeof key_names / sizeof *key_names && key_names[number];
    return str_new(named ? key_names[number] : "");
}

static Value screen_key(FUNCTION_ARGS)
{
    Press press = line_keys_read(true);
    return error_pending() ? VALUE_ERROR : name_of(&press);
}

static Value screen_waiting(FUNCTION_ARGS)
{
    return from_bool(line_keys_waiting());
}

static Value screen_urgent(FUNCTION_ARGS)
{
    int byte = line_keys_urgent('<');
    if (error_pending()) return VALUE_ERROR;
    Press press = {.key = byte < 0 ? KEY_CLOSED : byte, .text = "<", .size = 1};
    if (byte == '<') press.key = KEY_TEXT;
    return byte ? name_of(&press) : str_new("");
}

static Value screen_keys(FUNCTION_ARGS)
{
    bool wanted = args[0] == TRUE;
    return from_bool(outside_terminal_mode(wanted ? TERMINAL_KEYS : TERMINAL_LINES));
}

static Value screen_suspend(FUNCTION_ARGS)
{
    outside_suspend();
    return NONE;
}

// ---- a text in columns

// What is put together: `columns` is what is left of the row.
typedef struct Row {
    char *bytes;
    size_t size;
    int columns, column;
    bool cut;
} Row;

static void put(Row *row, const char *bytes, size_t size, int width)
{
    if (row->cut || row->column + width > row->columns) {
        row->cut = true;
        return;
    }
    if (!width &&
        row->size + 4 * (size_t)(row->columns - row->column) + size > ROW_BYTES(row->columns))
        return;
    memcpy(row->bytes + row->size, bytes, size);
    row->size += size;
    row->column += width;
}

// Nothing that a terminal obeys leaves this function as it is: control characters of ASCII are
// shown as ^[, those of Latin-1, which some terminals obey too, and marks that turn the direction
// of the text round, by their number.
static void put_point(Row *row, const char *bytes, size_t size, uint32_t point)
{
    char shown[16];
    bool turns = (point >= 0x200E && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E) ||
                 (point >= 0x2066 && point <= 0x2069);
    if (point == '\t') {
        do put(row, " ", 1, 1);
        while (row->column % TAB_STOP && !row->cut);
    } else if (point < 32 || point == 127) {
        put(row, (char[]){'^', (char)(point ^ 0x40)}, 2, 2);
    } else if ((point >= 0x80 && point < 0xA0) || turns) {
        int width = snprintf(shown, sizeof shown, point < 0x100 ? "\\x%02x" : "\\u%04x", point);
        put(row, shown, (size_t)width, width);
    } else {
        put(row, bytes, size, line_text_width(point));
    }
}

// The last column of a text that has been cut says so.
static void mark_cut(Row *row)
{
    while (row->column >= row->columns) {
        uint32_t point;
        size_t length, at = row->size;
        do at--;
        while (at > 0 && (row->bytes[at] & 0xC0) == 0x80);
        point = line_text_point(row->bytes + at, row->size - at, &length);
        row->column -= line_text_width(point);
        row->size = at;
    }
    row->cut = false;
    put(row, CUT_MARK, sizeof CUT_MARK - 1, 1);
}

// Puts what there is room for; how many bytes of the text that were.
static size_t fill(Row *row, const char *text, size_t size)
{
    size_t used = 0;
    while (used < size) {
        size_t length, before = row->size;
        int column = row->column;
        uint32_t point = line_text_point(text + used, size - used, &length);
        put_point(row, text + used, length, point);
        if (row->cut && point != '\t') {
            row->size = before;
            row->column = column;
            break;
        }
        used += length;
        if (row->cut) break;
    }
    return used;
}

static Value fitted(const char *text, size_t size, Row *row)
{
    fill(row, text, size);
    if (row->cut && row->columns > 0) mark_cut(row);
    row->cut = false;
    while (row->column < row->columns) put(row, " ", 1, 1);
    return str_from_utf8(row->bytes, row->size);
}

static Value wrapped(const char *text, size_t size, Row *row)
{
    Value list = list_new(0);
    do {
        row->size = 0;
        row->column = 0;
        row->cut = false;
        size_t used = fill(row, text, size);
        text += used;
        size -= used;
        if (list && !list_append_owned(list, str_from_utf8(row->bytes, row->size)))
            drop_slot(&list);
    } while (list && size > 0);
    return list;
}

static Value in_columns(const ValueRef *args, Value make(const char *, size_t, Row *))
{
    ssize_t columns;
    if (!str_check(args[0])) return raise_error(TypeError, "the text must be a str");
    if (!object_as_ssize(args[1], &columns, OverflowError)) return VALUE_ERROR;
    if (columns < LEAST_COLUMNS || columns > MAX_COLUMNS)
        return raise_error(ValueError, "expected 8 to 10000 columns");
    Value bytes = text_encode(args[0], "utf-8", "backslashreplace");
    if (!bytes) return VALUE_ERROR;
    Row row = {.bytes = memory_alloc(ROW_BYTES(columns)), .columns = (int)columns};
    Value made = VALUE_ERROR;
    if (row.bytes)
        made = make((const char *)as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size, &row);
    else
        raise_memory_error();
    memory_free(row.bytes);
    drop(bytes);
    return made;
}

static Value screen_fit(FUNCTION_ARGS)
{
    return in_columns(args, fitted);
}

static Value screen_wrap(FUNCTION_ARGS)
{
    return in_columns(args, wrapped);
}

static const MethodDef functions[] = {
    {"keys", screen_keys, ONE_ARG,
     "keys(True): each key comes at once; keys(False): lines again. Is it a terminal?"},
    {"key", screen_key, NO_ARGS,
     "The next key: a character, '^C', 'enter', 'up', 'escape' ...; 'changed': the terminal's "
     "size, or the process goes on after a stop; 'closed'; '' = a key without a name."},
    {"waiting", screen_waiting, NO_ARGS, "Have keys been read that key() has not returned yet?"},
    {"urgent", screen_urgent, NO_ARGS,
     "'^C', '^Z' or 'closed', if that was typed, and '<', if nothing was typed before it; else "
     "''."},
    {"fit", screen_fit, ARGS(2, 2),
     "fit(text, columns) -> the text, cut or filled up; what a terminal would obey is shown."},
    {"wrap", screen_wrap, ARGS(2, 2), "wrap(text, columns) -> [row, ...], none filled up"},
    {"suspend", screen_suspend, NO_ARGS, "Stops the processes of this job."},
    {0},
};

const ModuleDef _screen_module = {
    .name = "_screen",
    .doc = "The terminal of the debugger's full screen.",
    .functions = functions,
};
