// The line editor: one logical line on the terminal, drawn again after every key.
//
//     prompt | text before the cursor | text behind it
//              ^ start                                    positions are bytes of UTF-8, at the
//              start of a character
//
// The terminal is in raw mode only while a line is read. A line that is wider than the terminal is
// drawn over several rows: the cursor goes back up to the first, everything below is erased and
// drawn again. Pasted text arrives between escape marks (bracketed paste) and is inserted as it is;
// a newline in it ends the line, and the rest is kept for the lines that follow. Where TERM is
// "dumb" or empty, lines are read plainly.
#include "vm/line_editor.h"

#include "objects/codecs.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/str.h"
#include "vm/outside.h"

#include <fcntl.h>
#include <stdio.h>

#define MAX_HISTORY 1000
#define CTRL(letter) ((letter)&0x1F)

typedef enum Key {
    KEY_LEFT = 0x110000, // beyond the code points
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_DELETE,
    KEY_WORD_LEFT,
    KEY_WORD_RIGHT,
    KEY_PASTE_BEGIN,
    KEY_PASTE_END,
    KEY_NONE,
    KEY_CLOSED, // end of input
} Key;

typedef struct Text {
    char *bytes;
    size_t size, capacity;
} Text;

typedef struct Editor {
    const char *prompt;
    Text line;
    size_t cursor;
    int rows_above; // of the cursor, since the line was last drawn
    int history_at; // the entry shown; history_count = the new line
    Text draft;     // the new line while an old one is shown
    bool pasting;
} Editor;

static char *history[MAX_HISTORY];
static int history_count;
static Text waiting; // input read but not used: the rest of a paste

// ---- text

static bool text_insert(Text *text, size_t at, const char *bytes, size_t size)
{
    if (text->size + size + 1 > text->capacity) {
        size_t capacity = (text->size + size + 1) * 2;
        char *larger = memory_resize(text->bytes, capacity);
        if (!larger) return raise_memory_error();
        text->bytes = larger;
        text->capacity = capacity;
    }
    memmove(text->bytes + at + size, text->bytes + at, text->size - at);
    memcpy(text->bytes + at, bytes, size);
    text->size += size;
    text->bytes[text->size] = 0;
    return true;
}

static void text_remove(Text *text, size_t from, size_t to)
{
    if (from == to) return;
    memmove(text->bytes + from, text->bytes + to, text->size - to);
    text->size -= to - from;
    text->bytes[text->size] = 0;
}

static bool text_set(Text *text, const char *bytes, size_t size)
{
    text->size = 0;
    return text_insert(text, 0, bytes, size);
}

static void text_free(Text *text)
{
    memory_free(text->bytes);
    *text = (Text){0};
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static size_t previous_char(const Text *text, size_t at)
{
    if (at == 0) return 0;
    do at--;
    while (at > 0 && is_continuation(text->bytes[at]));
    return at;
}

static size_t next_char(const Text *text, size_t at)
{
    if (at == text->size) return at;
    do at++;
    while (at < text->size && is_continuation(text->bytes[at]));
    return at;
}

static bool is_word_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || (byte & 0x80);
}

static size_t word_left(const Text *text, size_t at)
{
    while (at > 0 && !is_word_byte(text->bytes[at - 1])) at--;
    while (at > 0 && is_word_byte(text->bytes[at - 1])) at--;
    return at;
}

static size_t word_right(const Text *text, size_t at)
{
    while (at < text->size && !is_word_byte(text->bytes[at])) at++;
    while (at < text->size && is_word_byte(text->bytes[at])) at++;
    return at;
}

// ---- history

static void history_add(const char *bytes, size_t size)
{
    bool again = history_count && strlen(history[history_count - 1]) == size &&
                 memcmp(history[history_count - 1], bytes, size) == 0;
    char *copy = size && !again ? memory_alloc(size + 1) : NULL;
    if (!copy) return;
    memcpy(copy, bytes, size);
    copy[size] = 0;
    if (history_count == MAX_HISTORY) {
        memory_free(history[0]);
        memmove(history, history + 1, (MAX_HISTORY - 1) * sizeof *history);
        history_count--;
    }
    history[history_count++] = copy;
}

void line_editor_load(const char *path)
{
    size_t size;
    char *text = outside_read_file(path, &size);
    for (char *line = text; line && line < text + size;) {
        size_t length = strcspn(line, "\n");
        history_add(line, length);
        line += length + 1;
    }
    memory_free(text);
}

void line_editor_save(const char *path)
{
    int descriptor = outside_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; descriptor >= 0 && i < history_count; i++) {
        outside_write(descriptor, history[i], strlen(history[i]));
        outside_write(descriptor, "\n", 1);
    }
    if (descriptor >= 0) outside_close(descriptor);
}

void line_editor_finish(void)
{
    while (history_count > 0) memory_free(history[--history_count]);
    text_free(&waiting);
}

static bool history_show(Editor *editor, int index)
{
    if (index < 0 || index > history_count) return true;
    if (editor->history_at == history_count &&
        !text_set(&editor->draft, editor->line.bytes ? editor->line.bytes : "", editor->line.size))
        return false;
    editor->history_at = index;
    const char *shown = index < history_count ? history[index] : editor->draft.bytes;
    bool done = text_set(&editor->line, shown ? shown : "", shown ? strlen(shown) : 0);
    editor->cursor = editor->line.size;
    return done;
}

// ---- keys

// The next byte of input, -1 = the end.
static int next_byte(void)
{
    if (waiting.size) {
        unsigned char byte = (unsigned char)waiting.bytes[0];
        text_remove(&waiting, 0, 1);
        return byte;
    }
    char bytes[4096];
    ssize_t count = outside_read(0, bytes, sizeof bytes);
    if (count <= 0) return -1;
    if (count > 1 && !text_insert(&waiting, 0, bytes + 1, (size_t)count - 1)) return -1;
    return (unsigned char)bytes[0];
}

static const struct {
    const char *sequence; // behind ESC
    Key key;
} sequences[] = {
    {"[A", KEY_UP},
    {"[B", KEY_DOWN},
    {"[C", KEY_RIGHT},
    {"[D", KEY_LEFT},
    {"OA", KEY_UP},
    {"OB", KEY_DOWN},
    {"OC", KEY_RIGHT},
    {"OD", KEY_LEFT},
    {"[H", KEY_HOME},
    {"[F", KEY_END},
    {"OH", KEY_HOME},
    {"OF", KEY_END},
    {"[1~", KEY_HOME},
    {"[7~", KEY_HOME},
    {"[4~", KEY_END},
    {"[8~", KEY_END},
    {"[3~", KEY_DELETE},
    {"[1;5D", KEY_WORD_LEFT},
    {"[1;5C", KEY_WORD_RIGHT},
    {"[1;3D", KEY_WORD_LEFT},
    {"[1;3C", KEY_WORD_RIGHT},
    {"b", KEY_WORD_LEFT},
    {"f", KEY_WORD_RIGHT},
    {"[200~", KEY_PASTE_BEGIN},
    {"[201~", KEY_PASTE_END},
};

static bool sequence_ends(const char *sequence, size_t size)
{
    char last = sequence[size - 1];
    if (size == 1) return last != '[' && last != 'O';
    return last == '~' || (last >= 'A' && last <= 'Z') || (last >= 'a' && last <= 'z');
}

static Key read_escape(void)
{
    char sequence[16];
    size_t size = 0;
    do {
        int byte = next_byte();
        if (byte < 0) return KEY_CLOSED;
        sequence[size++] = (char)byte;
    } while (size < sizeof sequence - 1 && !sequence_ends(sequence, size));
    sequence[size] = 0;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (strcmp(sequence, sequences[i].sequence) == 0) return sequences[i].key;
    return KEY_NONE;
}

// A key: a control character, a Key, or a byte of text.
static int read_key(void)
{
    int byte = next_byte();
    if (byte < 0) return KEY_CLOSED;
    return byte == 27 ? (int)read_escape() : byte;
}

// ---- drawing

static int width_of_point(uint32_t point)
{
    bool wide = (point >= 0x1100 && point <= 0x115F) || (point >= 0x2E80 && point <= 0xA4CF) ||
                (point >= 0xAC00 && point <= 0xD7A3) || (point >= 0xF900 && point <= 0xFAFF) ||
                (point >= 0xFE30 && point <= 0xFE6F) || (point >= 0xFF00 && point <= 0xFF60) ||
                (point >= 0x1F300 && point <= 0x1FAFF) || (point >= 0x20000 && point <= 0x3FFFD);
    return wide ? 2 : 1;
}

static int width_of(const char *bytes, size_t size)
{
    int width = 0;
    for (size_t i = 0; i < size;) {
        unsigned char first = (unsigned char)bytes[i];
        int length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        uint32_t point = length == 1 ? first : first & (0xFFu >> (length + 1));
        for (int k = 1; k < length && i + (size_t)k < size; k++)
            point = point << 6 | ((unsigned char)bytes[i + (size_t)k] & 0x3F);
        width += width_of_point(point);
        i += (size_t)length;
    }
    return width;
}

static void send(const char *text)
{
    outside_write(1, text, strlen(text));
}

static void send_number(const char *format, int number)
{
    char text[32];
    snprintf(text, sizeof text, format, number);
    if (number > 0) send(text);
}

static void draw(Editor *editor)
{
    int columns = outside_terminal_width(1);
    if (columns < 2) columns = 80;
    int prompt = width_of(editor->prompt, strlen(editor->prompt));
    int before = prompt + width_of(editor->line.bytes, editor->cursor);
    int all = prompt + width_of(editor->line.bytes, editor->line.size);
    send_number("\x1b[%dA", editor->rows_above);
    send("\r\x1b[J");
    send(editor->prompt);
    outside_write(1, editor->line.bytes, editor->line.size);
    if (all % columns == 0 && all) send("\r\n");
    send_number("\x1b[%dA", all / columns - before / columns);
    send("\r");
    send_number("\x1b[%dC", before % columns);
    editor->rows_above = before / columns;
}

// ---- editing

static bool insert_byte(Editor *editor, char byte)
{
    if (!text_insert(&editor->line, editor->cursor, &byte, 1)) return false;
    editor->cursor++;
    return true;
}

static void remove_to(Editor *editor, size_t other)
{
    size_t from = other < editor->cursor ? other : editor->cursor;
    size_t to = other < editor->cursor ? editor->cursor : other;
    text_remove(&editor->line, from, to);
    editor->cursor = from;
}

static bool is_blank(const Text *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text->bytes[i] != ' ') return false;
    return true;
}

// Tab indents at the start of a line.
static bool insert_tab(Editor *editor)
{
    if (editor->pasting) return insert_byte(editor, '\t');
    for (int i = 0; is_blank(&editor->line, editor->cursor) && i < 4; i++)
        if (!insert_byte(editor, ' ')) return false;
    return true;
}

static void move(Editor *editor, int key)
{
    const Text *line = &editor->line;
    size_t at = editor->cursor;
    switch (key) {
    case KEY_LEFT:
    case CTRL('B'): at = previous_char(line, at); break;
    case KEY_RIGHT:
    case CTRL('F'): at = next_char(line, at); break;
    case KEY_HOME:
    case CTRL('A'): at = 0; break;
    case KEY_END:
    case CTRL('E'): at = line->size; break;
    case KEY_WORD_LEFT: at = word_left(line, at); break;
    case KEY_WORD_RIGHT: at = word_right(line, at); break;
    }
    editor->cursor = at;
}

// ---- searching the history (Ctrl-R)

static int history_find(const char *wanted, int from)
{
    for (int i = from; i >= 0; i--)
        if (strstr(history[i], wanted)) return i;
    return -1;
}

// Shows what is found while letters are typed. Returns the key that ended the search.
static int search(Editor *editor)
{
    Text wanted = {0};
    const char *prompt = editor->prompt;
    char shown[128];
    int found = history_count, key = KEY_NONE;
    while (text_insert(&wanted, wanted.size, "", 0)) {
        snprintf(shown, sizeof shown, "(reverse-i-search)`%s': ", wanted.bytes);
        editor->prompt = shown;
        draw(editor);
        key = read_key();
        int from = key == CTRL('R') ? found - 1 : history_count - 1;
        if (key == 127 || key == CTRL('H'))
            text_remove(&wanted, previous_char(&wanted, wanted.size), wanted.size);
        else if (key >= 32 && key < 256)
            text_insert(&wanted, wanted.size, &(char){(char)key}, 1);
        else if (key != CTRL('R'))
            break;
        int index = wanted.size ? history_find(wanted.bytes, from) : -1;
        if (index >= 0 && history_show(editor, found = index))
            editor->cursor =
                (size_t)(strstr(editor->line.bytes, wanted.bytes) - editor->line.bytes);
    }
    editor->prompt = prompt;
    text_free(&wanted);
    return key;
}

// ---- reading a line

typedef enum Outcome {
    OUTCOME_MORE,
    OUTCOME_LINE,
    OUTCOME_END,
    OUTCOME_INTERRUPT,
    OUTCOME_FAILED
} Outcome;

static Outcome handle_key(Editor *editor, int key)
{
    bool done = true;
    switch (key) {
    case '\r':
    case '\n': return OUTCOME_LINE;
    case KEY_CLOSED:
        return error_pending() ? OUTCOME_FAILED : editor->line.size ? OUTCOME_LINE : OUTCOME_END;
    case CTRL('C'): return OUTCOME_INTERRUPT;
    case CTRL('D'):
        if (editor->line.size == 0) return OUTCOME_END;
        remove_to(editor, next_char(&editor->line, editor->cursor));
        break;
    case KEY_DELETE: remove_to(editor, next_char(&editor->line, editor->cursor)); break;
    case 127:
    case CTRL('H'): remove_to(editor, previous_char(&editor->line, editor->cursor)); break;
    case CTRL('W'): remove_to(editor, word_left(&editor->line, editor->cursor)); break;
    case CTRL('U'): remove_to(editor, 0); break;
    case CTRL('K'): remove_to(editor, editor->line.size); break;
    case CTRL('L'):
        send("\x1b[H\x1b[2J");
        editor->rows_above = 0;
        break;
    case KEY_UP:
    case CTRL('P'): done = history_show(editor, editor->history_at - 1); break;
    case KEY_DOWN:
    case CTRL('N'): done = history_show(editor, editor->history_at + 1); break;
    case CTRL('R'): return handle_key(editor, search(editor));
    case '\t': done = insert_tab(editor); break;
    case KEY_PASTE_BEGIN: editor->pasting = true; break;
    case KEY_PASTE_END: editor->pasting = false; break;
    default:
        if (key >= 32 && key < 256)
            done = insert_byte(editor, (char)key);
        else
            move(editor, key);
    }
    return done ? OUTCOME_MORE : OUTCOME_FAILED;
}

static Outcome edit(Editor *editor)
{
    Outcome outcome = OUTCOME_MORE;
    while (outcome == OUTCOME_MORE) {
        if (!waiting.size) draw(editor); // not for every byte of a paste
        outcome = handle_key(editor, read_key());
    }
    editor->cursor = editor->line.size;
    draw(editor);
    send(outcome == OUTCOME_INTERRUPT ? "^C\r\n" : "\r\n");
    return outcome;
}

static Value outcome_value(const Editor *editor, Outcome outcome)
{
    switch (outcome) {
    case OUTCOME_LINE:
        return text_decode(editor->line.bytes, editor->line.size, "utf-8", "surrogateescape");
    case OUTCOME_INTERRUPT: return raise_error(KeyboardInterrupt, NULL);
    case OUTCOME_END: return ABSENT;
    default: return error_pending() ? VALUE_ERROR : raise_memory_error();
    }
}

static Value read_with_keys(const char *prompt, bool remember)
{
    Editor editor = {.prompt = prompt, .history_at = history_count};
    if (!text_insert(&editor.line, 0, "", 0)) return VALUE_ERROR;
    send("\x1b[?2004h");
    Outcome outcome = edit(&editor);
    send("\x1b[?2004l");
    if (outcome == OUTCOME_LINE && remember) history_add(editor.line.bytes, editor.line.size);
    Value line = outcome_value(&editor, outcome);
    text_free(&editor.line);
    text_free(&editor.draft);
    return line;
}

static Value read_plainly(const char *prompt)
{
    Text line = {0};
    int byte = 0;
    send(prompt);
    bool done = text_insert(&line, 0, "", 0);
    while (done && (byte = next_byte()) >= 0 && byte != '\n')
        done = text_insert(&line, line.size, &(char){(char)byte}, 1);
    Value value = VALUE_ERROR;
    if (done && !error_pending())
        value = byte < 0 && !line.size
                    ? ABSENT
                    : text_decode(line.bytes, line.size, "utf-8", "surrogateescape");
    text_free(&line);
    return value;
}

Value line_editor_read(const char *prompt, bool remember)
{
    const char *terminal = outside_environment("TERM");
    bool plain = !terminal || !*terminal || strcmp(terminal, "dumb") == 0;
    if (plain || !outside_raw_mode(true)) return read_plainly(prompt);
    Value line = read_with_keys(prompt, remember);
    outside_raw_mode(false);
    return line;
}
