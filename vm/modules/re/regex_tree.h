// The tree of a regular expression, which the parser makes and the compiler reads, and the tokens.
//
// All of it is in the arena of one regex_compile(). As in the compiler of the language, a function
// that fails leaves by arena_fail() with the exception pending; so a function that returns has
// succeeded.
#pragma once

#include "compiler/arena.h"
#include "vm/modules/re/regex.h"

// ---- tokens: a character, or a backslash and a character

#define TOKEN_END UINT32_MAX
#define TOKEN_ESCAPE ((uint32_t)1 << 24)
#define ESCAPED(c) (TOKEN_ESCAPE | (c))

typedef struct RegexSource {
    Arena *arena;
    ValueRef pattern; // the argument
    ValueRef text;    // the same as a str: bytes are read as Latin-1
    bool is_text;     // it was given as a str
    ssize_t index;    // after the lookahead token
    uint32_t ahead;
} RegexSource;

void source_begin(RegexSource *source, Arena *arena, ValueRef pattern);
void source_seek(RegexSource *source, ssize_t index);
uint32_t source_take(RegexSource *source);
bool source_match(RegexSource *source, uint32_t token);
ssize_t source_position(const RegexSource *source);                     // of the lookahead token
ValueRef source_slice(RegexSource *source, ssize_t start, ssize_t end); // a str
// The text up to a terminator, which is taken. `name` is for the message if the terminator is
// missing.
ValueRef source_until(RegexSource *source, uint32_t terminator, const char *name);
// Takes at most `most` digits of this base: their value. *count says how many.
uint32_t source_digits(RegexSource *source, int base, int most, int *count);
// The number that follows a name in brackets: as int(name) reads it. False where it is none, or
// negative; numbers that are too large come out as RE_MAX_GROUPS.
bool source_number(RegexSource *source, ValueRef name, uint32_t *number);
// re.error at `offset` characters before the lookahead token.
_Noreturn void source_error(RegexSource *source, ssize_t offset, const char *format, ...);

static inline bool is_digit(uint32_t token)
{
    return token >= '0' && token <= '9';
}
static inline bool is_octal(uint32_t token)
{
    return token >= '0' && token <= '7';
}
static inline bool is_ascii_letter(uint32_t token)
{
    return (token | 0x20) >= 'a' && (token | 0x20) <= 'z';
}

// ---- the tree

typedef enum RegexCategory {
    CATEGORY_NONE,
    CATEGORY_DIGIT,
    CATEGORY_NOT_DIGIT,
    CATEGORY_SPACE,
    CATEGORY_NOT_SPACE,
    CATEGORY_WORD,
    CATEGORY_NOT_WORD,
} RegexCategory;

// A part of a set: a category, or the characters low..high.
typedef struct RegexItem RegexItem;
struct RegexItem {
    RegexItem *next;
    RegexCategory category;
    uint32_t low, high;
};

typedef enum RegexKind {
    NODE_LITERAL, // value
    NODE_NOT_LITERAL,
    NODE_ANY,
    NODE_SET,       // items, negative
    NODE_AT,        // value: a RegexAnchor
    NODE_BACKREF,   // value: the group
    NODE_GROUP,     // value: its number, 0 = not captured; add_flags, del_flags; body
    NODE_BRANCH,    // body and its next ones
    NODE_REPEAT,    // low, high, lazy; body
    NODE_ASSERT,    // negative, look_behind; body
    NODE_CONDITION, // value: the group; body, and its next: the other one
} RegexKind;

typedef struct RegexNode RegexNode;
typedef struct RegexSequence RegexSequence;

struct RegexNode {
    RegexNode *next;
    RegexKind kind;
    bool negative, lazy, look_behind;
    uint32_t value;
    uint32_t low, high;
    int add_flags, del_flags;
    RegexItem *items;
    RegexSequence *body;
    uint64_t min_width, max_width;
};

struct RegexSequence {
    RegexSequence *next; // the next alternative
    RegexNode *first;
    size_t count;
    uint32_t min_width, max_width;
};

typedef struct RegexGroup {
    bool closed;
    uint32_t min_width, max_width;
} RegexGroup;

typedef struct RegexTree {
    RegexSequence *body;
    int flags;
    uint32_t groups;      // with group 0
    ValueRef group_index; // a dict, held by the arena
} RegexTree;

// Fails without an exception if the pattern must be parsed again, with RE_VERBOSE.
void regex_parse(Arena *arena, ValueRef pattern, int flags, RegexTree *tree);

// Parts of the parser (regex_parse_set.c): an escape that means the same everywhere, given without
// its backslash; `start` is where it begins. False where it is none of those.
bool parse_character_escape(RegexSource *source, uint32_t escaped, ssize_t start, uint32_t *point);
// \d \D \s \S \w \W, else CATEGORY_NONE.
RegexCategory category_of(uint32_t token);
// A set, whose bracket has been taken.
RegexNode *parse_set(RegexSource *source);

// ---- instructions under way (regex_code.c)

typedef struct RegexCode {
    Arena *arena;
    uint32_t *words;
    size_t size, capacity;
} RegexCode;

size_t regex_emit(RegexCode *code, uint32_t word); // returns its index

// ---- regex_set.c

// A SET of these items.
void regex_emit_set(RegexCode *code, const RegexItem *items, bool negative, RegexFold fold,
                    bool unicode);
// A SET of the characters that are equal to one without regard to case, or nothing (false) where
// comparing the lower case is enough.
bool regex_emit_equivalents(RegexCode *code, uint32_t lower, bool negative);
// Has another case, as 3.9 sees it.
bool regex_is_cased(RegexFold fold, uint32_t point);
