// Runs the program of a regular expression, by backtracking.
//
// An instruction that has a choice tries what follows as a search of its own: it pushes a frame,
// and is resumed with the answer, match or no match. A frame has everything needed to continue, and
// to restore the state after "no match". The frames are on an explicit stack; C does not recurse,
// however long the text. `execute` is the loop; run() continues in the top frame until it knows the
// answer or pushes another frame; resume() continues the frame below.
//
// Captured groups are kept as 3.9 keeps them, with its inaccuracies: marks above last_mark are not
// valid, so most choices save and restore only last_mark. Only inside a REPEAT are the marks
// themselves saved.
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"
#include "vm/modules/re/regex.h"

// A search under way, at an instruction that waits for the answer to what it has pushed.
struct RegexFrame {
    ssize_t at;      // where in the text
    ssize_t count;   // of a repetition; in BRANCH, the index of the alternative
    ssize_t last_at; // UNTIL: what the REPEAT's `last_at` was
    uint32_t pc;
    int32_t last_mark, last_group; // to be put back
    int32_t repeat;                // of the state, where the frame began to wait
    uint8_t stage;                 // UNTIL: what it waits for
    bool outermost;                // its SUCCESS ends the whole match
};

// A REPEAT under way.
struct RegexRepeat {
    ssize_t count;   // of the body's matches so far, from 0; -1 = none yet
    ssize_t last_at; // where the last one began, -1 = none: an empty one is not repeated
    uint32_t pc;
    int32_t outer;
};

typedef enum Step {
    FAILED,
    MATCHED,
    PUSHED, // the top frame has to run
    BROKEN, // an exception is pending
} Step;

enum { NEEDS_MORE, BODY, TAIL }; // stages

// ---- memory

bool regex_begin(RegexState *state, const uint32_t *code, uint32_t groups, uint32_t min_width)
{
    *state = (RegexState){.code = code, .groups = groups, .min_width = min_width};
    state->last_mark = state->last_group = state->repeat = -1;
    if (!groups) return true;
    state->marks = memory_alloc((size_t)groups * 2 * sizeof *state->marks);
    return state->marks || raise_memory_error();
}

void regex_end(RegexState *state)
{
    memory_free(state->marks);
    memory_free(state->frames);
    memory_free(state->repeats);
    memory_free(state->saved);
    state->marks = state->saved = NULL;
    state->frames = NULL;
    state->repeats = NULL;
}

static bool grow(void **block, ssize_t *capacity, ssize_t needed, size_t size)
{
    ssize_t wanted = *capacity ? *capacity * 2 : 32;
    if (wanted < needed) wanted = needed;
    void *bigger = memory_resize(*block, (size_t)wanted * size);
    if (!bigger) return raise_memory_error();
    *block = bigger;
    *capacity = wanted;
    return true;
}

// Pushes a frame that begins at an instruction, with the position of the frame below. The caller
// must not use the frame below any more: it may have moved.
static Step push(RegexState *state, uint32_t pc, ssize_t at, bool outermost)
{
    void *frames = state->frames;
    if (state->depth == state->frame_capacity &&
        !grow(&frames, &state->frame_capacity, 0, sizeof *state->frames))
        return BROKEN;
    state->frames = frames;
    RegexFrame *frame = &state->frames[state->depth++];
    frame->pc = pc;
    frame->at = at;
    frame->outermost = outermost;
    return PUSHED;
}

// ---- marks

static void keep_last(const RegexState *state, RegexFrame *frame)
{
    frame->last_mark = state->last_mark;
    frame->last_group = state->last_group;
}

static void put_back_last(RegexState *state, const RegexFrame *frame)
{
    state->last_mark = frame->last_mark;
    state->last_group = frame->last_group;
}

// How many marks a frame has saved: none if there is only one, as in 3.9.
static ssize_t saved_marks(const RegexFrame *frame)
{
    return frame->last_mark > 0 ? frame->last_mark + 1 : 0;
}

static bool save_marks(RegexState *state, const RegexFrame *frame)
{
    ssize_t count = saved_marks(frame), needed = state->saved_count + count;
    void *saved = state->saved;
    if (needed > state->saved_capacity &&
        !grow(&saved, &state->saved_capacity, needed, sizeof *state->saved))
        return false;
    state->saved = saved;
    if (count)
        memcpy(state->saved + state->saved_count, state->marks,
               (size_t)count * sizeof *state->marks);
    state->saved_count = needed;
    return true;
}

static void discard_marks(RegexState *state, const RegexFrame *frame)
{
    state->saved_count -= saved_marks(frame);
}

static void put_back_marks(RegexState *state, const RegexFrame *frame)
{
    ssize_t count = saved_marks(frame);
    const ssize_t *from = state->saved + state->saved_count - count;
    if (count) memcpy(state->marks, from, (size_t)count * sizeof *state->marks);
}

static void set_mark(RegexState *state, int32_t mark, ssize_t at)
{
    if (mark & 1) state->last_group = mark / 2 + 1;
    if (mark > state->last_mark) {
        for (int32_t i = state->last_mark + 1; i < mark; i++) state->marks[i] = -1;
        state->last_mark = mark;
    }
    state->marks[mark] = at;
}

// ---- tests of one character

static inline uint32_t point(const RegexState *state, ssize_t at)
{
    return point_get(state->kind, state->data, at);
}

static bool is_word_at(const RegexState *state, ssize_t at, bool unicode)
{
    return at >= 0 && at < state->end && regex_is_word(unicode, point(state, at));
}

static bool is_boundary(const RegexState *state, ssize_t at, bool unicode)
{
    return is_word_at(state, at - 1, unicode) != is_word_at(state, at, unicode);
}

static bool is_at_anchor(const RegexState *state, RegexAnchor anchor, ssize_t at)
{
    switch (anchor) {
    case AT_BEGINNING: return at == 0;
    case AT_BEGINNING_LINE: return at == 0 || point(state, at - 1) == '\n';
    case AT_END: return at == state->end || (at + 1 == state->end && point(state, at) == '\n');
    case AT_END_LINE: return at == state->end || point(state, at) == '\n';
    case AT_END_STRING: return at == state->end;
    case AT_BOUNDARY: return state->end && is_boundary(state, at, false);
    case AT_NON_BOUNDARY: return state->end && !is_boundary(state, at, false);
    case AT_UNICODE_BOUNDARY: return state->end && is_boundary(state, at, true);
    case AT_UNICODE_NON_BOUNDARY: return state->end && !is_boundary(state, at, true);
    }
    return false;
}

// The instruction of one character at `code` takes it.
SPECIALISED bool takes(const uint32_t *code, uint32_t c)
{
    switch (code[0]) {
    case OP_ANY: return c != '\n';
    case OP_ANY_ALL: return true;
    case OP_LITERAL: return c == code[1];
    case OP_NOT_LITERAL: return c != code[1];
    case OP_LITERAL_FOLD: return regex_lower((RegexFold)code[1], c) == code[2];
    case OP_NOT_LITERAL_FOLD: return regex_lower((RegexFold)code[1], c) != code[2];
    default: return regex_set_has(code + 2, c); // OP_SET
    }
}

static uint32_t length_of_item(const uint32_t *code)
{
    switch (code[0]) {
    case OP_ANY:
    case OP_ANY_ALL: return 1;
    case OP_LITERAL:
    case OP_NOT_LITERAL: return 2;
    case OP_LITERAL_FOLD:
    case OP_NOT_LITERAL_FOLD: return 3;
    default: return code[1]; // OP_SET
    }
}

// How many characters from `at` on an item takes, up to `end`.
SPECIALISED ssize_t count_in(int kind, const uint32_t *item, const void *data, ssize_t at,
                             ssize_t end)
{
    ssize_t start = at, stop;
    uint32_t c = item[1];
    switch (item[0]) {
    case OP_ANY_ALL: return end - at;
    case OP_LITERAL:
        while (at < end && point_get(kind, data, at) == c) at++;
        break;
    case OP_ANY:
    case OP_NOT_LITERAL:
        if (item[0] == OP_ANY) c = '\n';
        stop = text_find_point(kind, point_at(kind, data, at), end - at, c, 1);
        return stop < 0 ? end - at : stop;
    case OP_SET: return regex_set_run(kind, item + 2, data, at, end, true) - start;
    default:
        while (at < end && takes(item, point_get(kind, data, at))) at++;
    }
    return at - start;
}

static ssize_t count_item(const RegexState *state, const uint32_t *item, ssize_t at, uint32_t most)
{
    ssize_t end = state->end;
    if (at >= end) return 0;
    if (most != RE_MAX_REPEAT && (int64_t)most < end - at) end = at + (ssize_t)most;
    return BY_KIND(state->kind, count_in, item, state->data, at, end);
}

// ---- REPEAT_ONE skip low high item SUCCESS

// The tail of a REPEAT_ONE may end everything here.
static bool may_end(const RegexState *state, const RegexFrame *frame)
{
    return !frame->outermost || ((!state->match_all || frame->at == state->end) &&
                                 (!state->must_advance || frame->at != state->start));
}

// How far before `at`, or there, a character stands; -1: not within so many steps.
static ssize_t steps_back(const RegexState *state, ssize_t at, ssize_t most, uint32_t c)
{
    if (at < state->end && point(state, at) == c) return 0; // often so
    const void *start = point_at(state->kind, state->data, at - most);
    ssize_t found = text_find_point(state->kind, start, most, c, -1);
    return found < 0 ? -1 : most - found;
}

// Tries what follows with fewer and fewer characters taken.
static Step give_back(RegexState *state, RegexFrame *frame)
{
    const uint32_t *code = state->code + frame->pc, *tail = code + code[1];
    ssize_t spare = frame->count - (ssize_t)code[2];
    if (spare < 0) return FAILED;
    ssize_t back = tail[0] == OP_LITERAL ? steps_back(state, frame->at, spare, tail[1]) : 0;
    if (back < 0) return FAILED;
    frame->at -= back;
    frame->count -= back;
    return push(state, frame->pc + code[1], frame->at, frame->outermost);
}

static Step begin_repeat_one(RegexState *state, RegexFrame *frame)
{
    const uint32_t *code = state->code + frame->pc;
    if (state->end - frame->at < (int64_t)code[2]) return FAILED;
    frame->count = count_item(state, code + 4, frame->at, code[3]);
    if (frame->count < (int64_t)code[2]) return FAILED;
    frame->at += frame->count;
    if (code[code[1]] == OP_SUCCESS && frame->at == state->end && may_end(state, frame)) {
        state->at = frame->at;
        return MATCHED;
    }
    keep_last(state, frame);
    return give_back(state, frame);
}

static Step resume_repeat_one(RegexState *state, RegexFrame *frame)
{
    put_back_last(state, frame);
    frame->at--;
    frame->count--;
    return give_back(state, frame);
}

static Step begin_min_repeat_one(RegexState *state, RegexFrame *frame)
{
    const uint32_t *code = state->code + frame->pc;
    if (state->end - frame->at < (int64_t)code[2]) return FAILED;
    frame->count = count_item(state, code + 4, frame->at, code[2]);
    if (frame->count < (int64_t)code[2]) return FAILED;
    frame->at += frame->count;
    keep_last(state, frame);
    return push(state, frame->pc + code[1], frame->at, frame->outermost);
}

static Step resume_min_repeat_one(RegexState *state, RegexFrame *frame)
{
    const uint32_t *code = state->code + frame->pc;
    if (frame->at >= state->end || !takes(code + 4, point(state, frame->at))) return FAILED;
    frame->at++;
    frame->count++;
    put_back_last(state, frame);
    if (code[3] != RE_MAX_REPEAT && frame->count > (int64_t)code[3]) return FAILED;
    return push(state, frame->pc + code[1], frame->at, frame->outermost);
}

// ---- BRANCH [skip body JUMP skip]... 0

static bool begins_badly(const RegexState *state, const uint32_t *body, ssize_t at)
{
    if (body[0] != OP_LITERAL && body[0] != OP_SET) return false;
    return at >= state->end || !takes(body, point(state, at));
}

static Step try_alternatives(RegexState *state, RegexFrame *frame)
{
    const uint32_t *code = state->code;
    for (; code[frame->count]; frame->count += code[frame->count])
        if (!begins_badly(state, code + frame->count + 1, frame->at))
            return push(state, (uint32_t)frame->count + 1, frame->at, frame->outermost);
    if (frame->repeat >= 0) discard_marks(state, frame);
    return FAILED;
}

static Step begin_branch(RegexState *state, RegexFrame *frame)
{
    keep_last(state, frame);
    frame->repeat = state->repeat;
    if (frame->repeat >= 0 && !save_marks(state, frame)) return BROKEN;
    frame->count = frame->pc + 1;
    return try_alternatives(state, frame);
}

static Step resume_branch(RegexState *state, RegexFrame *frame)
{
    if (frame->repeat >= 0) put_back_marks(state, frame);
    put_back_last(state, frame);
    frame->count += state->code[frame->count];
    return try_alternatives(state, frame);
}

// ---- ASSERT skip back body SUCCESS

static Step go_on(RegexState *state, RegexFrame *frame)
{
    frame->pc += state->code[frame->pc + 1];
    return PUSHED;
}

static Step begin_assertion(RegexState *state, RegexFrame *frame)
{
    const uint32_t *code = state->code + frame->pc;
    int64_t at = frame->at - (int64_t)code[2];
    if (at >= 0) return push(state, frame->pc + 3, (ssize_t)at, false);
    return code[0] == OP_ASSERT ? FAILED : go_on(state, frame);
}

// ---- REPEAT skip low high body, MAX_UNTIL or MIN_UNTIL

static Step begin_repeat(RegexState *state, RegexFrame *frame)
{
    ssize_t capacity = state->repeat_capacity;
    void *repeats = state->repeats;
    if (state->repeat_count == capacity && !grow(&repeats, &capacity, 0, sizeof *state->repeats))
        return BROKEN;
    state->repeats = repeats;
    state->repeat_capacity = (int32_t)capacity;
    state->repeats[state->repeat_count] = (RegexRepeat){-1, -1, frame->pc, state->repeat};
    state->repeat = state->repeat_count++;
    uint32_t skip = state->code[frame->pc + 1];
    return push(state, frame->pc + skip, frame->at, frame->outermost);
}

static void end_repeat(RegexState *state)
{
    state->repeat = state->repeats[--state->repeat_count].outer;
}

static Step match_body(RegexState *state, RegexFrame *frame, RegexRepeat *repeat, int stage)
{
    frame->stage = (uint8_t)stage;
    repeat->count = frame->count;
    if (stage == BODY) {
        frame->last_at = repeat->last_at;
        repeat->last_at = frame->at;
    }
    return push(state, repeat->pc + 4, frame->at, frame->outermost);
}

// What follows the repetition is outside it.
static Step match_tail(RegexState *state, RegexFrame *frame, const RegexRepeat *repeat)
{
    frame->stage = TAIL;
    state->repeat = repeat->outer;
    return push(state, frame->pc + 1, frame->at, frame->outermost);
}

static bool may_repeat(const RegexState *state, const RegexFrame *frame, const RegexRepeat *repeat)
{
    uint32_t most = state->code[repeat->pc + 3];
    return (most == RE_MAX_REPEAT || frame->count < (int64_t)most) && frame->at != repeat->last_at;
}

static Step begin_until(RegexState *state, RegexFrame *frame)
{
    RegexRepeat *repeat = &state->repeats[state->repeat];
    frame->repeat = state->repeat;
    frame->count = repeat->count + 1;
    if (frame->count < (int64_t)state->code[repeat->pc + 2])
        return match_body(state, frame, repeat, NEEDS_MORE);
    bool greedy = state->code[frame->pc] == OP_MAX_UNTIL;
    if (greedy && !may_repeat(state, frame, repeat)) return match_tail(state, frame, repeat);
    keep_last(state, frame);
    if (!greedy) return match_tail(state, frame, repeat);
    return save_marks(state, frame) ? match_body(state, frame, repeat, BODY) : BROKEN;
}

// The body has not matched once more.
static void take_back(RegexRepeat *repeat, const RegexFrame *frame)
{
    if (frame->stage == BODY) repeat->last_at = frame->last_at;
    repeat->count = frame->count - 1;
}

static Step resume_max_until(RegexState *state, RegexFrame *frame)
{
    RegexRepeat *repeat = &state->repeats[frame->repeat];
    state->repeat = frame->repeat;
    if (frame->stage == TAIL) return FAILED;
    take_back(repeat, frame);
    if (frame->stage == NEEDS_MORE) return FAILED;
    put_back_marks(state, frame);
    discard_marks(state, frame);
    put_back_last(state, frame);
    return match_tail(state, frame, repeat);
}

static Step resume_min_until(RegexState *state, RegexFrame *frame)
{
    RegexRepeat *repeat = &state->repeats[frame->repeat];
    state->repeat = frame->repeat;
    if (frame->stage != TAIL) {
        take_back(repeat, frame);
        return FAILED;
    }
    put_back_last(state, frame);
    if (!may_repeat(state, frame, repeat)) return FAILED;
    return match_body(state, frame, repeat, BODY);
}

// ---- the loop

// Compares the text at *at with the text that a group captured; moves *at after it.
static bool match_again(const RegexState *state, const uint32_t *code, ssize_t *at)
{
    ssize_t start, end;
    RegexFold fold = (RegexFold)code[1];
    if (!regex_group(state, code[2], &start, &end) || end < start) return false;
    for (; start < end; start++, ++*at) {
        if (*at >= state->end) return false;
        uint32_t ours = point(state, *at), theirs = point(state, start);
        if (ours != theirs && regex_lower(fold, ours) != regex_lower(fold, theirs)) return false;
    }
    return true;
}

static Step begin(RegexState *state, RegexFrame *frame, uint32_t pc, ssize_t at)
{
    frame->pc = pc;
    frame->at = at;
    switch (state->code[pc]) {
    case OP_BRANCH: return begin_branch(state, frame);
    case OP_ASSERT:
    case OP_ASSERT_NOT: return begin_assertion(state, frame);
    case OP_REPEAT: return begin_repeat(state, frame);
    case OP_REPEAT_ONE: return begin_repeat_one(state, frame);
    case OP_MIN_REPEAT_ONE: return begin_min_repeat_one(state, frame);
    default: return begin_until(state, frame);
    }
}

// Goes on in the top frame.
static Step run(RegexState *state)
{
    RegexFrame *frame = &state->frames[state->depth - 1];
    const uint32_t *code = state->code;
    uint32_t pc = frame->pc;
    ssize_t at = frame->at, start, end;
    for (;;) {
        switch (code[pc]) {
        case OP_SUCCESS:
            frame->at = state->at = at;
            return may_end(state, frame) ? MATCHED : FAILED;
        case OP_AT:
            if (!is_at_anchor(state, (RegexAnchor)code[pc + 1], at)) return FAILED;
            pc += 2;
            break;
        case OP_MARK:
            set_mark(state, (int32_t)code[pc + 1], at);
            pc += 2;
            break;
        case OP_JUMP: pc += code[pc + 1]; break;
        case OP_BACKREF:
            if (!match_again(state, code + pc, &at)) return FAILED;
            pc += 3;
            break;
        case OP_CONDITION:
            pc += regex_group(state, code[pc + 1], &start, &end) && start <= end ? 3 : code[pc + 2];
            break;
        case OP_ANY:
        case OP_ANY_ALL:
        case OP_LITERAL:
        case OP_NOT_LITERAL:
        case OP_LITERAL_FOLD:
        case OP_NOT_LITERAL_FOLD:
        case OP_SET:
            if (at >= state->end || !takes(code + pc, point(state, at))) return FAILED;
            pc += length_of_item(code + pc);
            at++;
            break;
        default: return begin(state, frame, pc, at);
        }
    }
}

// Continues the top frame with the answer to what it had pushed.
static Step resume(RegexState *state, bool matched)
{
    RegexFrame *frame = &state->frames[state->depth - 1];
    uint32_t op = state->code[frame->pc];
    switch (op) {
    case OP_ASSERT: return matched ? go_on(state, frame) : FAILED;
    case OP_ASSERT_NOT: return matched ? FAILED : go_on(state, frame);
    case OP_REPEAT: end_repeat(state); return matched ? MATCHED : FAILED;
    case OP_BRANCH:
        if (!matched) return resume_branch(state, frame);
        if (frame->repeat >= 0) discard_marks(state, frame);
        return MATCHED;
    case OP_REPEAT_ONE: return matched ? MATCHED : resume_repeat_one(state, frame);
    case OP_MIN_REPEAT_ONE: return matched ? MATCHED : resume_min_repeat_one(state, frame);
    case OP_MIN_UNTIL: return matched ? MATCHED : resume_min_until(state, frame);
    default: // OP_MAX_UNTIL
        if (!matched) return resume_max_until(state, frame);
        if (frame->stage == BODY) discard_marks(state, frame);
        return MATCHED;
    }
}

static int execute(RegexState *state)
{
    state->depth = 0;
    state->repeat_count = 0;
    state->saved_count = 0;
    state->repeat = state->last_mark = state->last_group = -1;
    Step step = push(state, 0, state->start, true);
    while (step == PUSHED) {
        step = run(state);
        if ((++state->ticks & 0xFFF) == 0 && !poll_signals()) return -1;
        while (step == FAILED || step == MATCHED) {
            if (--state->depth == 0) return step == MATCHED;
            step = resume(state, step == MATCHED);
        }
    }
    return -1;
}

int regex_match(RegexState *state)
{
    return execute(state);
}

// ---- searching

// The first character that the item takes.
static ssize_t first_in(const RegexState *state, const uint32_t *item, ssize_t at, ssize_t end)
{
    if (item[0] == OP_SET) return regex_set_run(state->kind, item + 2, state->data, at, end, false);
    const char *rest = point_at(state->kind, state->data, at);
    ssize_t gap = at < end ? text_find_point(state->kind, rest, end - at, item[1], 1) : -1;
    return gap < 0 ? end : at + gap;
}

// The first instruction that a match has to pass, where that is one of a character; else NULL.
static const uint32_t *first_item(const uint32_t *code)
{
    while (code[0] == OP_MARK) code += 2;
    if (code[0] == OP_REPEAT_ONE && code[2] > 0) code += 4;
    return code[0] == OP_LITERAL || code[0] == OP_SET ? code : NULL;
}

int regex_search(RegexState *state)
{
    const uint32_t *item = first_item(state->code);
    ssize_t last = state->end - state->min_width; // where a match can begin at the latest
    for (; state->start <= last; state->start++) {
        if (item) {
            state->start = first_in(state, item, state->start, state->end);
            if (state->start > last) return 0;
        }
        int found = execute(state);
        if (found) return found;
        if (!poll_signals()) return -1;
        if (state->code[0] == OP_AT && state->code[1] == AT_BEGINNING) return 0;
        state->must_advance = false;
    }
    return 0;
}
