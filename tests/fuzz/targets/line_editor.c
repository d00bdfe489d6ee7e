// Any bytes at all, as what a terminal sends to the line editor: keys, sequences, pastes, text.
//
// The door answers (outside.h): a recorder hands the input out, in pieces, and swallows what is drawn.
// The first byte says how wide the terminal is, the second how long the pieces are.
#include "tests/fuzz/driver.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/outside/outside.h"
#include "vm/prompt/line_editor.h"
#include "vm/prompt/line_history.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t *left; // of the input
static size_t left_size, piece;
static int width;

static void hand_out(OutsideCall *call)
{
    size_t size = left_size < piece ? left_size : piece;
    if (size > call->room) size = call->room;
    memcpy(call->answer, left, size);
    left += size;
    left_size -= size;
    call->result = (int64_t)size;
}

static bool answer(OutsideCall *call)
{
    switch (call->kind) {
    case CALL_READ: hand_out(call); return true;
    case CALL_WRITE: call->result = (int64_t)call->asked_size; return true;
    case CALL_TERMINAL_WIDTH: call->result = width; return true;
    default: call->result = 1; return true;
    }
}

static int64_t as_it_is(const OutsideCall *call, int64_t result)
{
    (void)call;
    return result;
}

// Some words that begin alike, for a word of any length.
static Value complete(ValueRef before, ValueRef context)
{
    (void)context;
    Value word = str_new(str_utf8(before, NULL) ? "al" : ""), matches = list_new(0);
    static const char *const names[] = {"alpha", "albedo", "al\xC3\xA9", "alphabet"};
    for (size_t i = 0; i < 4; i++) {
        Value name = str_new(names[i]);
        list_append(matches, name);
        drop(name);
    }
    Value pair = tuple_pack(2, word, matches);
    drop(word);
    drop(matches);
    error_clear();
    return pair;
}

static void read_lines(const LineRequest *request)
{
    for (Value line = NONE; line != ABSENT && left_size;) {
        line = line_editor_read(request);
        error_clear();
        drop(line);
    }
}

void fuzz_line_editor(const uint8_t *bytes, size_t size)
{
    static RecordedInput input;
    static const Recorder recorder = {true, answer, as_it_is, &input};
    if (size < 2) return;
    width = bytes[0];
    piece = bytes[1] % 32 ? bytes[1] % 32 : 4096;
    left = bytes + 2;
    left_size = size - 2;
    setenv("TERM", "xterm", 1);
    upcalls.recorder = &recorder;
    const LineRequest request = {.prompt = ">>> ",
                                 .more = bytes[1] & 32 ? "... " : NULL,
                                 .remember = bytes[1] & 64,
                                 .completer = {complete, NONE, bytes[1] >> 7}};
    read_lines(&request);
    line_editor_finish();
    upcalls.recorder = NULL;
}
