// The pieces of a format string of str.format(), for str_format.c and the module _string.
//
//     literal {field_name!conversion:format_spec} literal ...
//     field_name = first (".attribute" | "[item]")*
//
// The readers go through a str that the caller keeps alive; ranges are indices into it.
#pragma once

#include "objects/text/str.h"

typedef struct TextRange {
    ssize_t start, end;
} TextRange;

// A literal text and the field after it.
typedef struct Markup {
    TextRange literal;
    bool has_field;
    TextRange name, spec;
    uint32_t conversion; // 0 = none
    bool nested;         // there are fields in the spec
} Markup;

typedef struct MarkupReader {
    ValueRef text;
    ssize_t at, end;
} MarkupReader;

// Reads the next literal and field; false with *done set at the end, or with ValueError pending.
bool markup_read(MarkupReader *reader, Markup *markup, bool *done);

// One step after the first part of a field name.
typedef struct NameStep {
    bool attribute; // .name, else [name]
    TextRange name;
    ssize_t index; // the name as a number; -1 = it is not one
} NameStep;

typedef struct NameReader {
    ValueRef text;
    ssize_t at, end;
} NameReader;

// Reads the first part: its range, and the number if it is one (else -1). False with ValueError
// pending.
bool name_begin(NameReader *reader, ValueRef text, TextRange range, TextRange *first,
                ssize_t *index);
// Reads the next step; false with *done set at the end, or with ValueError pending.
bool name_step(NameReader *reader, NameStep *step, bool *done);
