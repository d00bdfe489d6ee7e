// The script objects of regular expressions: re.Pattern, re.Match and the scanner that finditer()
// uses.
//
// Patterns are in mod__sre.c, matches in regex_match_object.c. A match or a scanner holds the
// subject as an object. Each use borrows its characters again (a Subject), because a bytearray may
// have changed meanwhile.
#pragma once

#include "objects/bytes/buffer.h"
#include "vm/modules/re/regex.h"

typedef struct Pattern {
    Object base;
    Value pattern; // as given: str or bytes
    RegexProgram program;
    Value index_group; // tuple: the name of each group, or None
    Value weakrefs;
} Pattern;

typedef struct Match {
    Object base;
    Value string;
    Value pattern; // a Pattern
    Value regs;    // 0 until it is first used
    ssize_t pos, endpos;
    int32_t last_group; // -1 = none
    uint32_t groups;    // the whole counted
    ssize_t marks[];    // start and end of each group; -1 = it did not participate
} Match;

extern Type pattern_type, match_type;

static inline Pattern *as_pattern(ValueRef value)
{
    return (Pattern *)object_of(value);
}
static inline Match *as_match(ValueRef value)
{
    return (Match *)object_of(value);
}

// The characters of a text: its own, or lent by it.
typedef struct Subject {
    Buffer buffer; // of bytes; not held where `is_bytes` is false
    bool is_bytes;
    int kind;
    const void *data;
    ssize_t length;
} Subject;

// TypeError where `string` is neither a str nor lends bytes.
bool subject_get(ValueRef string, Subject *subject);
void subject_release(Subject *subject);
// string[start:end], as a str or bytes; the bounds are clamped.
Value subject_slice(ValueRef string, const Subject *subject, ssize_t start, ssize_t end);
// Concatenates the texts of a list: string[:0].join(list).
Value subject_join(ValueRef string, const Subject *subject, ValueRef list);

// The match that a state has found.
Value match_new(ValueRef pattern, ValueRef string, const RegexState *state, ssize_t pos,
                ssize_t endpos);
// The text of a group; `missing` (borrowed) if it did not participate.
Value match_group(ValueRef match, const Subject *subject, uint32_t group, ValueRef missing);
// A template (regex_template()) filled in.
Value match_expand(ValueRef match, ValueRef parts);
