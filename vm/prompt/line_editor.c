// What each key does to the line; line_editor.h names the other files of the line editor.
//
// The terminal is in raw mode, and marks pasted text (bracketed paste), only while a line is read;
// Ctrl-Z restores its mode until the process continues. The line is drawn again after every key,
// except while more input is waiting.
#include "vm/prompt/line_editor.h"

#include "objects/bytes/codecs.h"
#include "objects/call.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "vm/outside/outside.h"
#include "vm/prompt/line_history.h"
#include "vm/prompt/line_keys.h"

#include <stdio.h>
#include <string.h>

#define PASTE_MARKS_ON "\x1b[?2004h"
#define PASTE_MARKS_OFF "\x1b[?2004l"
#define CLEAR_SCREEN "\x1b[H\x1b[2J"

// What the key before has done, where that counts.
typedef enum Deed { DEED_OTHER, DEED_CUT, DEED_TAB } Deed;

typedef struct Editor {
    const LineRequest *request;
    Text line;
    Picture picture; // of the line, with the cursor
    int history_at;  // the entry shown; line_history_count() = the new line
    Text draft;      // the new line while an old one is shown
    Deed before, now;
} Editor;

typedef enum Outcome {
    OUTCOME_MORE,
    OUTCOME_LINE,
    OUTCOME_END,
    OUTCOME_INTERRUPT,
    OUTCOME_FAILED
} Outcome;

static Text cut; // what Ctrl-Y puts in

// ---- the terminal

static bool take_terminal(void)
{
    if (!outside_terminal_mode(TERMINAL_KEYS)) return false;
    line_draw_send(PASTE_MARKS_ON);
    return true;
}

static void give_back_terminal(void)
{
    line_draw_send(PASTE_MARKS_OFF);
    outside_terminal_mode(TERMINAL_LINES);
}

// False with an exception pending.
static bool set_scene(Editor *editor, bool drawn)
{
    if (!editor->request->scene) return true;
    Value result = object_call_one(editor->request->scene, from_bool(drawn));
    editor->picture.rows_above = 0;
    drop(result);
    return result != VALUE_ERROR;
}

// It has another size, or this process goes on after it was stopped.
static bool heed_change(Editor *editor)
{
    line_draw_resized(&editor->picture);
    take_terminal();
    return set_scene(editor, true);
}

// Ctrl-Z
static bool suspend(Editor *editor)
{
    size_t cursor = editor->picture.cursor;
    line_draw_leave(&editor->picture, "^Z\r\n");
    if (!set_scene(editor, false)) return false;
    give_back_terminal();
    outside_suspend();
    take_terminal();
    editor->picture.cursor = cursor;
    return set_scene(editor, true);
}

// ---- inserting and removing

static bool insert(Editor *editor, const char *bytes, size_t size)
{
    if (!line_text_insert(&editor->line, editor->picture.cursor, bytes, size)) return false;
    editor->picture.cursor += size;
    return true;
}

// The text between the cursor and another position.
static void remove_to(Editor *editor, size_t other)
{
    size_t cursor = editor->picture.cursor;
    size_t from = other < cursor ? other : cursor, to = other < cursor ? cursor : other;
    line_text_remove(&editor->line, from, to);
    editor->picture.cursor = from;
}

// Cuts that follow each other are one text.
static bool cut_to(Editor *editor, size_t other)
{
    size_t cursor = editor->picture.cursor;
    bool back = other < cursor;
    size_t from = back ? other : cursor, size = back ? cursor - other : other - cursor;
    editor->now = DEED_CUT;
    if (size == 0) return true;
    if (editor->before != DEED_CUT) cut.size = 0;
    if (!line_text_insert(&cut, back ? 0 : cut.size, editor->line.bytes + from, size)) return false;
    remove_to(editor, other);
    return true;
}

static void reverse(char *from, char *to)
{
    while (from < to) {
        char byte = *from;
        *from++ = *--to;
        *to = byte;
    }
}

// Swaps the two characters around the cursor; at the end of the line, the last two.
static void transpose(Editor *editor)
{
    const Text *line = &editor->line;
    size_t middle = editor->picture.cursor;
    if (middle == line->size) middle = line_text_previous(line, middle);
    char *left = line->bytes + line_text_previous(line, middle), *right = line->bytes + middle;
    char *end = line->bytes + line_text_next(line, middle);
    if (left == right || right == end) return;
    reverse(left, right);
    reverse(right, end);
    reverse(left, end);
    editor->picture.cursor = (size_t)(end - line->bytes);
}

// Ctrl-V: the next byte as it is.
static bool insert_next(Editor *editor)
{
    int byte = line_keys_byte();
    return byte < 0 || insert(editor, &(char){(char)byte}, 1);
}

// ---- history

static bool history_show(Editor *editor, int index)
{
    int count = line_history_count();
    if (index < 0 || index > count) return true;
    if (editor->history_at == count &&
        !line_text_set(&editor->draft, editor->line.bytes, editor->line.size))
        return false;
    editor->history_at = index;
    const char *shown = index < count ? line_history_at(index) : editor->draft.bytes;
    bool done = line_text_set(&editor->line, shown, strlen(shown));
    editor->picture.cursor = editor->line.size;
    return done;
}

// ---- searching the history (Ctrl-R, Ctrl-S)

typedef struct Search {
    Text wanted;
    int found, step;
    bool failed;
    char prompt[128];
} Search;

// True: the key belongs to the search.
static bool search_key(Search *search, const Press *press)
{
    if (press->key == KEY_TEXT)
        return line_text_insert(&search->wanted, search->wanted.size, press->text, press->size);
    if (press->key == 127 || press->key == CTRL('H')) {
        line_text_remove(&search->wanted, line_text_previous(&search->wanted, search->wanted.size),
                         search->wanted.size);
        return true;
    }
    if (press->key != CTRL('R') && press->key != CTRL('S')) return false;
    search->step = press->key == CTRL('R') ? -1 : 1;
    search->found += search->failed ? 0 : search->step;
    return true;
}

static bool search_show(Editor *editor, Search *search)
{
    const char *wanted = search->wanted.bytes;
    int index = *wanted ? line_history_find(wanted, search->found, search->step) : -1;
    search->failed = *wanted && index < 0;
    if (index < 0) return true;
    search->found = index;
    if (!history_show(editor, index)) return false;
    editor->picture.cursor = (size_t)(strstr(editor->line.bytes, wanted) - editor->line.bytes);
    return true;
}

static Press search_read(Editor *editor, Search *search)
{
    Press press;
    snprintf(search->prompt, sizeof search->prompt,
             "(%s%si-search)`%.80s': ", search->failed ? "failed " : "",
             search->step < 0 ? "reverse-" : "", search->wanted.bytes);
    editor->picture.prompt = search->prompt;
    for (;;) {
        line_draw(&editor->picture);
        press = line_keys_read(false);
        if (press.key != KEY_CHANGED) break;
        if (!heed_change(editor)) press.key = KEY_CLOSED;
        if (press.key == KEY_CLOSED) break;
    }
    editor->picture.prompt = editor->request->prompt;
    return press;
}

// Shows what is found while letters are typed. Returns the key that ended the search.
static Press search(Editor *editor, int step)
{
    Search search = {.found = line_history_count() - 1, .step = step};
    int shown = editor->history_at;
    Press press = {.key = KEY_CLOSED};
    bool done = line_text_insert(&search.wanted, 0, "", 0);
    while (done) {
        press = search_read(editor, &search);
        if (!search_key(&search, &press)) break;
        done = search_show(editor, &search);
    }
    line_text_free(&search.wanted);
    if (error_pending()) press.key = KEY_CLOSED;
    if (press.key == CTRL('G')) { // the line is as it was before the search
        history_show(editor, shown);
        press.key = KEY_NONE;
    }
    return press;
}

// ---- keys

static size_t target(const Editor *editor, int key)
{
    const Text *line = &editor->line;
    size_t at = editor->picture.cursor;
    switch (key) {
    case KEY_LEFT:
    case CTRL('B'):
    case 127:
    case CTRL('H'): return line_text_previous(line, at);
    case KEY_RIGHT:
    case CTRL('F'):
    case KEY_DELETE:
    case CTRL('D'): return line_text_next(line, at);
    case KEY_HOME:
    case CTRL('A'):
    case CTRL('U'): return 0;
    case KEY_END:
    case CTRL('E'):
    case CTRL('K'): return line->size;
    case KEY_WORD_LEFT:
    case KEY_CUT_WORD_LEFT: return line_text_word_left(line, at);
    case KEY_WORD_RIGHT:
    case KEY_CUT_WORD_RIGHT: return line_text_word_right(line, at);
    case CTRL('W'): return line_text_blank_left(line, at);
    default: return at;
    }
}

// Ctrl-G: the line is given up.
static void abandon(Editor *editor)
{
    remove_to(editor, 0);
    remove_to(editor, editor->line.size);
    editor->history_at = line_history_count();
    line_draw_send("\a");
}

// Keys that change the line or move in it. False with an exception pending.
static bool edit_by_key(Editor *editor, const Press *press)
{
    switch (press->key) {
    case KEY_TEXT: return insert(editor, press->text, press->size);
    case 127:
    case CTRL('H'):
    case CTRL('D'):
    case KEY_DELETE: remove_to(editor, target(editor, press->key)); return true;
    case CTRL('U'):
    case CTRL('K'):
    case CTRL('W'):
    case KEY_CUT_WORD_LEFT:
    case KEY_CUT_WORD_RIGHT: return cut_to(editor, target(editor, press->key));
    case CTRL('Y'): return !cut.size || insert(editor, cut.bytes, cut.size);
    case CTRL('T'): transpose(editor); return true;
    case CTRL('V'): return insert_next(editor);
    case CTRL('G'): abandon(editor); return true;
    case '\t':
        editor->now = DEED_TAB;
        return line_complete(&editor->request->completer, &editor->picture, &editor->line,
                             editor->before == DEED_TAB);
    case KEY_UP:
    case CTRL('P'): return history_show(editor, editor->history_at - 1);
    case KEY_DOWN:
    case CTRL('N'): return history_show(editor, editor->history_at + 1);
    case KEY_FIRST: return history_show(editor, 0);
    case KEY_LAST: return history_show(editor, line_history_count());
    default: editor->picture.cursor = target(editor, press->key); return true;
    }
}

// In a paste the newline belongs to the text, where the reader takes several lines at once.
static Outcome end_line(Editor *editor)
{
    if (!line_keys_in_paste() || !editor->request->more) return OUTCOME_LINE;
    return insert(editor, "\n", 1) ? OUTCOME_MORE : OUTCOME_FAILED;
}

// A paste that ends with a newline ends the line.
static Outcome end_paste(Editor *editor)
{
    Text *line = &editor->line;
    bool ends =
        line->size && editor->picture.cursor == line->size && line->bytes[line->size - 1] == '\n';
    if (!ends) return OUTCOME_MORE;
    while (line->size && line->bytes[line->size - 1] == '\n')
        line_text_remove(line, line->size - 1, line->size);
    editor->picture.cursor = line->size;
    return OUTCOME_LINE;
}

static Outcome handle_key(Editor *editor, Press press)
{
    switch (press.key) {
    case '\r':
    case '\n': return end_line(editor);
    case KEY_PASTE_END: return end_paste(editor);
    case KEY_CLOSED:
        return error_pending() ? OUTCOME_FAILED : editor->line.size ? OUTCOME_LINE : OUTCOME_END;
    case CTRL('C'): return OUTCOME_INTERRUPT;
    case CTRL('D'):
        if (editor->line.size == 0) return OUTCOME_END;
        break;
    case CTRL('R'): return handle_key(editor, search(editor, -1));
    case CTRL('S'): return handle_key(editor, search(editor, 1));
    case CTRL('Z'): return suspend(editor) ? OUTCOME_MORE : OUTCOME_FAILED;
    case CTRL('L'):
        line_draw_send(CLEAR_SCREEN);
        editor->picture.rows_above = 0;
        return OUTCOME_MORE;
    case KEY_CHANGED:
        editor->now = editor->before;
        return heed_change(editor) ? OUTCOME_MORE : OUTCOME_FAILED;
    }
    return edit_by_key(editor, &press) ? OUTCOME_MORE : OUTCOME_FAILED;
}

// ---- reading a line

static Outcome edit(Editor *editor)
{
    Outcome outcome = OUTCOME_MORE;
    while (outcome == OUTCOME_MORE) {
        if (!line_keys_waiting() && !line_keys_in_paste()) line_draw(&editor->picture);
        editor->now = DEED_OTHER;
        outcome = handle_key(editor, line_keys_read(false));
        editor->before = editor->now;
    }
    line_draw_leave(&editor->picture, outcome == OUTCOME_INTERRUPT ? "^C\r\n" : "\r\n");
    return outcome;
}

static Value outcome_value(const Text *line, Outcome outcome)
{
    switch (outcome) {
    case OUTCOME_LINE: return text_decode(line->bytes, line->size, "utf-8", "surrogateescape");
    case OUTCOME_INTERRUPT: return raise_error(KeyboardInterrupt, NULL);
    case OUTCOME_END: return ABSENT;
    default: return error_pending() ? VALUE_ERROR : raise_memory_error();
    }
}

static Value read_with_keys(const LineRequest *request)
{
    Editor editor = {.request = request, .history_at = line_history_count()};
    editor.picture = (Picture){.prompt = request->prompt, .more = "", .text = &editor.line};
    if (request->more) editor.picture.more = request->more;
    if (!line_text_insert(&editor.line, 0, "", 0)) return VALUE_ERROR;
    Outcome outcome = edit(&editor);
    if (outcome == OUTCOME_LINE && request->remember)
        line_history_add(editor.line.bytes, editor.line.size);
    Value line = outcome_value(&editor.line, outcome);
    line_text_free(&editor.line);
    line_text_free(&editor.draft);
    return line;
}

static Value read_plainly(const char *prompt)
{
    Text line = {0};
    int byte = 0;
    line_draw_send(prompt);
    bool done = line_text_insert(&line, 0, "", 0);
    while (done && (byte = line_keys_byte()) >= 0 && byte != '\n')
        done = line_text_insert(&line, line.size, &(char){(char)byte}, 1);
    Value value = VALUE_ERROR;
    if (done && !error_pending())
        value = byte < 0 && !line.size
                    ? ABSENT
                    : text_decode(line.bytes, line.size, "utf-8", "surrogateescape");
    line_text_free(&line);
    return value;
}

Value line_editor_read(const LineRequest *request)
{
    const char *terminal = outside_environment("TERM");
    bool plain = !terminal || !*terminal || strcmp(terminal, "dumb") == 0;
    if (plain || !take_terminal()) return read_plainly(request->prompt);
    Value line = read_with_keys(request);
    give_back_terminal();
    return line;
}

void line_editor_finish(void)
{
    line_history_finish();
    line_keys_finish();
    line_text_free(&cut);
}
