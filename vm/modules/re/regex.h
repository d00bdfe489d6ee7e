// Regular expressions, with the syntax and the results of CPython 3.9's `re`.
//
//     pattern --regex_parse.c--> tree --regex_compile.c--> program --regex_match.c--> marks
//                                                                  mod__sre.c shows it to scripts
//
// A program is an array of 32-bit words: an instruction, then its operands. `skip` is the distance
// from the instruction (in BRANCH: from the skip) to the next one; `body` is a sequence of
// instructions that ends as the row says.
//
//     SUCCESS                                      ANY                     not a newline
//     LITERAL c                                    ANY_ALL
//     NOT_LITERAL c                                LITERAL_FOLD fold c     c is in lower case
//     SET skip ... (regex_set.c)                   NOT_LITERAL_FOLD fold c
//     AT anchor                                    MARK n                  2g-2 opens group g, 2g-1
//     JUMP skip                                    BACKREF fold group      closes it
//     BRANCH [skip body JUMP skip]... 0            CONDITION group skip    yes [JUMP skip no]
//     ASSERT skip back body SUCCESS                ASSERT_NOT likewise
//     REPEAT skip min max body                     then MAX_UNTIL or MIN_UNTIL
//     REPEAT_ONE skip min max item SUCCESS         the item is one character; MIN_REPEAT_ONE: lazy
#pragma once

#include "objects/text/str.h"

typedef enum RegexFlag {
    RE_TEMPLATE = 1,
    RE_IGNORECASE = 2,
    RE_LOCALE = 4,
    RE_MULTILINE = 8,
    RE_DOTALL = 16,
    RE_UNICODE = 32,
    RE_VERBOSE = 64,
    RE_DEBUG = 128,
    RE_ASCII = 256,
} RegexFlag;
#define RE_TYPE_FLAGS (RE_ASCII | RE_LOCALE | RE_UNICODE)
#define RE_GLOBAL_FLAGS (RE_DEBUG | RE_TEMPLATE)

#define RE_MAX_REPEAT UINT32_MAX // no bound
#define RE_MAX_GROUPS (UINT32_MAX / 2)

typedef enum RegexOp {
    OP_SUCCESS,
    OP_ANY,
    OP_ANY_ALL,
    OP_LITERAL,
    OP_NOT_LITERAL,
    OP_LITERAL_FOLD,
    OP_NOT_LITERAL_FOLD,
    OP_SET,
    OP_AT,
    OP_MARK,
    OP_JUMP,
    OP_BRANCH,
    OP_ASSERT,
    OP_ASSERT_NOT,
    OP_BACKREF,
    OP_CONDITION,
    OP_REPEAT,
    OP_MAX_UNTIL,
    OP_MIN_UNTIL,
    OP_REPEAT_ONE,
    OP_MIN_REPEAT_ONE,
} RegexOp;

// The anchors of AT. Word boundaries are by ASCII or by Unicode.
typedef enum RegexAnchor {
    AT_BEGINNING,      // ^ and \A
    AT_BEGINNING_LINE, // ^ under MULTILINE
    AT_END,            // $: also before a newline at the end
    AT_END_LINE,       // $ under MULTILINE
    AT_END_STRING,     // \Z
    AT_BOUNDARY,
    AT_NON_BOUNDARY,
    AT_UNICODE_BOUNDARY,
    AT_UNICODE_NON_BOUNDARY,
} RegexAnchor;

// How case is ignored: by comparing the lower case of each character.
typedef enum RegexFold { FOLD_NONE, FOLD_ASCII, FOLD_UNICODE } RegexFold;

uint32_t regex_lower(RegexFold fold, uint32_t point);
bool regex_is_word(bool unicode, uint32_t point); // \w
// `set` points after the skip of a SET.
bool regex_set_has(const uint32_t *set, uint32_t point);
// The end of the run of characters that are all in the set, or (inside false) all not in it.
ssize_t regex_set_run(int kind, const uint32_t *set, const void *data, ssize_t at, ssize_t end,
                      bool inside);

// ---- programs

typedef struct RegexProgram {
    int flags;          // with the flags inside the pattern
    uint32_t groups;    // without group 0
    uint32_t min_width; // no match is shorter
    Value group_index;  // owned: a dict, name -> number
    uint32_t *code;     // owned, memory_free()
    size_t size;        // in words
} RegexProgram;

// `pattern` is a str, or an object with the buffer protocol. False with re.error (or ValueError,
// OverflowError, a warning that became an error, MemoryError) pending.
bool regex_compile(ValueRef pattern, int flags, RegexProgram *program);

// Parses the replacement argument of sub() into an owned list: literals (str or bytes) and groups
// (int) in turn. `group_index` is a program's. False: re.error or IndexError.
Value regex_template(ValueRef text, uint32_t groups, ValueRef group_index);

// Raises re.error(message, pattern, position), or re.error(message) if `pattern` is 0. Steals the
// message, which may be VALUE_ERROR.
Value regex_raise(Value message, ValueRef pattern, ssize_t position);

// ---- matching

typedef struct RegexFrame RegexFrame;
typedef struct RegexRepeat RegexRepeat;

// A subject text and the state of matching it. All positions are indices of code points (or bytes).
typedef struct RegexState {
    const uint32_t *code;
    uint32_t groups, min_width;
    int kind; // bytes a character
    const void *data;
    ssize_t start;     // where the match begins
    ssize_t end;       // end of the searched part
    ssize_t at;        // where the match ends
    bool must_advance; // an empty match at `start` does not count
    bool match_all;    // the match has to reach `end`

    ssize_t *marks;                // 2 * groups; those above last_mark are not valid
    int32_t last_mark, last_group; // -1 = none yet; last_group is the group that closed last

    // The backtracking stack (regex_match.c).
    RegexFrame *frames;
    ssize_t depth, frame_capacity;
    RegexRepeat *repeats;
    int32_t repeat_count, repeat_capacity, repeat; // `repeat`: the innermost open one, -1 = none
    ssize_t *saved;                                // saved marks
    ssize_t saved_count, saved_capacity;
    uint32_t ticks;
} RegexState;

// False with MemoryError pending. The code and the text must outlive the state.
bool regex_begin(RegexState *state, const uint32_t *code, uint32_t groups, uint32_t min_width);
void regex_end(RegexState *state);

// Looks for a match at `start`, or (search) for the first one from there on; sets `start`, `at` and
// the marks. 1 = found, 0 = none, -1 = an exception is pending (MemoryError, a signal's).
int regex_match(RegexState *state);
int regex_search(RegexState *state);

// The span of a group, 1..groups; false if it did not participate in the match.
static inline bool regex_group(const RegexState *state, uint32_t group, ssize_t *start,
                               ssize_t *end)
{
    int64_t open = 2 * ((int64_t)group - 1);
    if (open >= state->last_mark || state->marks[open] < 0 || state->marks[open + 1] < 0)
        return false;
    *start = state->marks[open];
    *end = state->marks[open + 1];
    return true;
}
