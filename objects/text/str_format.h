// The pieces of a format string of str.format(), for str_format.c and the module _string.
//
//     literal {field_name!conversion:format_spec} literal ...
//     field_name = first (".attribute" | "[item]")*
//
// The readers go through a str that the caller holds; ranges are places in it.
#pragma once

#include "objects/text/str.h"

typedef struct TextRange {
    ssize_t start, end;
} TextRange;

// A literal text and the field behind it.
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

// The next literal and field; false with *done where there is none, or with ValueError pending.
bool markup_read(MarkupReader *reader, Markup *markup, bool *done);

// One step behind the first part of a field name.
typedef struct NameStep {
    bool attribute; // .name, else [name]
    TextRange name;
    ssize_t index; // the number that the name is; -1 = it is none
} NameStep;

typedef struct NameReader {
    ValueRef text;
    ssize_t at, end;
} NameReader;

// Reads the first part: its range, and the number that it is (-1 = none). False with ValueError
// pending.
bool name_begin(NameReader *reader, ValueRef text, TextRange range, TextRange *first,
                ssize_t *index);
// The next step; false with *done where there is none, or with ValueError pending.
bool name_step(NameReader *reader, NameStep *step, bool *done);
