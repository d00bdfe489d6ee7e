// See line_keys.h.
#include "vm/prompt/line_keys.h"

#include "objects/error.h"
#include "objects/upcalls.h"
#include "vm/outside/files.h"
#include "vm/outside/outside.h"
#include "vm/prompt/line_text.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define ESCAPE 27
#define PASTE_BEGIN "[200~"
#define PASTE_END "[201~"
#define CHANGED (-2)
#define SEQUENCE_MS 50 // within which the rest of a sequence comes, over a slow line too

static Text waiting; // input read but not used
static bool pasting;
static bool changed; // the terminal, in the middle of a key

// The prompts of a debugger are processes that read one paste in turn.
static bool *in_paste(void)
{
    const Recorder *recorder = upcalls.recorder;
    return recorder && !recorder->attached ? &recorder->input->in_paste : &pasting;
}

bool line_keys_in_paste(void)
{
    return *in_paste();
}

bool line_keys_waiting(void)
{
    return waiting.size > 0;
}

void line_keys_finish(void)
{
    line_text_free(&waiting);
}

// ---- bytes

static int take_byte(void)
{
    unsigned char byte = (unsigned char)waiting.bytes[0];
    line_text_remove(&waiting, 0, 1);
    return byte;
}

// Reads more: 1, -1 = the end, or CHANGED.
static int read_more(void)
{
    char bytes[4096];
    ssize_t count = outside_read(0, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR && !error_pending() && poll_signals()) return CHANGED;
    return count > 0 && line_text_insert(&waiting, waiting.size, bytes, (size_t)count) ? 1 : -1;
}

// The next byte, -1 = the end, or CHANGED.
static int next_byte(void)
{
    int more = waiting.size ? 1 : read_more();
    return more > 0 ? take_byte() : more;
}

int line_keys_urgent(char first)
{
    if (read_more() == -1) return -1;
    for (size_t at = waiting.size; at-- > 0;) {
        char byte = waiting.bytes[at];
        if (byte != CTRL('C') && byte != CTRL('Z') && (byte != first || at)) continue;
        line_text_remove(&waiting, byte == CTRL('C') ? 0 : at, at + 1);
        return byte;
    }
    return 0;
}

int line_keys_byte(void)
{
    int byte;
    while ((byte = next_byte()) == CHANGED) changed = true;
    return byte;
}

// ---- keys

static const struct {
    const char *sequence; // after ESC
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
    {"d", KEY_CUT_WORD_RIGHT},
    {"[3;5~", KEY_CUT_WORD_RIGHT},
    {"\x7f", KEY_CUT_WORD_LEFT},
    {"\b", KEY_CUT_WORD_LEFT},
    {"<", KEY_FIRST},
    {">", KEY_LAST},
    {"[5~", KEY_PAGE_UP},
    {"[6~", KEY_PAGE_DOWN},
};

static bool sequence_ends(const char *sequence, size_t size)
{
    char last = sequence[size - 1];
    if (size == 1) return last != '[' && last != 'O';
    return last == '~' || (last >= 'A' && last <= 'Z') || (last >= 'a' && last <= 'z');
}

static Key key_of_sequence(const char *sequence)
{
    if (strcmp(sequence, PASTE_BEGIN) == 0) *in_paste() = true;
    if (strcmp(sequence, PASTE_END) == 0) {
        *in_paste() = false;
        return KEY_PASTE_END;
    }
    for (size_t i = 0; !*in_paste() && i < sizeof sequences / sizeof *sequences; i++)
        if (strcmp(sequence, sequences[i].sequence) == 0) return sequences[i].key;
    return KEY_NONE;
}

static bool nothing_follows(void)
{
    struct pollfd asked = {.fd = 0, .events = POLLIN}, answer;
    return !waiting.size && outside_poll(&asked, &answer, 1, SEQUENCE_MS) && !answer.revents;
}

static Key read_escape(void)
{
    char sequence[16];
    size_t size = 0;
    do {
        int byte = line_keys_byte();
        if (byte < 0) return KEY_CLOSED;
        if (byte == ESCAPE) // another one begins: perhaps the end of a paste
            size = 0;
        else
            sequence[size++] = (char)byte;
    } while (size == 0 || (size < sizeof sequence - 1 && !sequence_ends(sequence, size)));
    sequence[size] = 0;
    return key_of_sequence(sequence);
}

// Waits for all bytes of a character, even if they arrive one by one.
static Press read_text(char first)
{
    Press press = {.key = KEY_TEXT, .text = {first}, .size = 1};
    for (int wanted = line_text_utf8_length(first); (int)press.size < wanted;) {
        int byte = line_keys_byte();
        if (byte < 0) break;
        if ((byte & 0xC0) != 0x80) { // no UTF-8: the byte is another key
            if (!line_text_insert(&waiting, 0, &(char){(char)byte}, 1)) press.key = KEY_CLOSED;
            break;
        }
        press.text[press.size++] = (char)byte;
    }
    return press;
}

Press line_keys_read(bool alone)
{
    int byte = changed ? CHANGED : next_byte();
    changed = false;
    if (byte < 0) return (Press){.key = byte == CHANGED ? KEY_CHANGED : KEY_CLOSED};
    if (byte == ESCAPE && alone && nothing_follows()) return (Press){.key = KEY_ESCAPE};
    if (byte == ESCAPE) return (Press){.key = read_escape()};
    if (byte == CTRL('C')) *in_paste() = false; // or one without an end would be for ever
    bool is_newline = byte == '\r' || byte == '\n';
    bool is_control = byte < 32 || byte == 127;
    if (is_newline || (is_control && !*in_paste())) return (Press){.key = byte};
    return read_text((char)byte);
}
