// The format of the tables in unicode_tables.c, which make_unicode_tables.py writes.
//
// Two-stage tables (`kind`, `case`): the value of a code point p is
//
//     items[blocks[p >> shift] << shift | (p & ((1 << shift) - 1))]
//
// and equal blocks are stored once. A kind is an index into unicode_kinds (flags). A case is the
// index of a row of four in unicode_cases: the differences to the lower, upper, title and folded
// form. From UNICODE_SPECIAL on, it is the index of a row of three code points in
// unicode_special_cases.
//
// Runs are sorted rows of numbers: (first, last, value) or (first, index).
//
// Names consist of words (with the space before them). Each word has a code of one to three
// letters; frequent words have short codes. unicode_words lists the words by code, separated by
// commas. In unicode_names, each name is one letter that says how many words it shares with the
// name before, then the codes of the other words. A table has the offset of every 64th word and
// name. Every 64th name shares no words.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    UNICODE_ALPHA = 1 << 0,
    UNICODE_NUMERIC = 1 << 1,
    UNICODE_LOWER = 1 << 2,
    UNICODE_UPPER = 1 << 3,
    UNICODE_TITLE = 1 << 4,
    UNICODE_CASED = 1 << 5,
    UNICODE_IGNORABLE = 1 << 6,
    UNICODE_SPACE = 1 << 7,
    UNICODE_BREAK = 1 << 8,
    UNICODE_PRINTABLE = 1 << 9,
    UNICODE_ID_START = 1 << 10,
    UNICODE_ID_PART = 1 << 11,
};

#define UNICODE_POINT_MAX 0x10FFFF
#define UNICODE_SPECIAL (1 << 24)

extern const uint8_t unicode_kind_blocks[], unicode_kind_items[];
extern const int unicode_kind_shift;
extern const uint16_t unicode_kinds[];

// The flags of a code point.
static inline unsigned unicode_kind_of(uint32_t point)
{
    if (point > UNICODE_POINT_MAX) return 0;
    uint32_t block = unicode_kind_blocks[point >> unicode_kind_shift] << unicode_kind_shift;
    return unicode_kinds[unicode_kind_items[block | (point & ((1u << unicode_kind_shift) - 1))]];
}

extern const uint8_t unicode_case_blocks[];
extern const uint16_t unicode_case_items[];
extern const int unicode_case_shift;
extern const int32_t unicode_cases[];
extern const uint16_t unicode_special_cases[];

typedef enum UnicodeCase {
    UNICODE_TO_LOWER,
    UNICODE_TO_UPPER,
    UNICODE_TO_TITLE,
    UNICODE_TO_FOLDED,
} UnicodeCase;

// The difference to a form of a code point; UNICODE_SPECIAL or more = there is a row of its own.
static inline int32_t unicode_case_change(uint32_t point, UnicodeCase form)
{
    if (point > UNICODE_POINT_MAX) return 0;
    uint32_t block = (uint32_t)unicode_case_blocks[point >> unicode_case_shift];
    uint32_t at = point & ((1u << unicode_case_shift) - 1);
    return unicode_cases[unicode_case_items[block << unicode_case_shift | at] * 4 + form];
}

// Decimal digits come in tens: the code points of the zeros. Other digits: (first, last, value).
extern const uint32_t unicode_decimal_zeros[];
extern const size_t unicode_decimal_zeros_count;
extern const uint32_t unicode_digit_runs[];
extern const size_t unicode_digit_runs_count;

// Numeric characters that are no digits: (first, last) and the value of the first; the others of a
// run count on from it.
extern const uint32_t unicode_number_runs[];
extern const double unicode_numbers[];
extern const size_t unicode_number_runs_count;

// General category, bidirectional class, East Asian width, mirrored: two stages, as above.
typedef struct UnicodeProperties {
    char category[3], bidirectional[4], east_asian_width[3];
    bool mirrored;
} UnicodeProperties;
extern const uint8_t unicode_property_blocks[], unicode_property_items[];
extern const int unicode_property_shift;
extern const UnicodeProperties unicode_properties[];

// What differs in version 3.2: (first, last, index in unicode_3_2_properties).
typedef struct UnicodeProperties32 {
    UnicodeProperties properties;
    int decimal; // -1 = none
} UnicodeProperties32;
extern const uint32_t unicode_3_2_runs[];
extern const size_t unicode_3_2_runs_count;
extern const UnicodeProperties32 unicode_3_2_properties[];

// (code point, index in unicode_decomposed << 10 | tag << 5 | length): one step of decomposition.
// Tag 0 is that of canonical ones.
extern const char *const unicode_decomposition_tags[];
extern const uint32_t unicode_decompositions[];
extern const size_t unicode_decompositions_count;
extern const uint32_t unicode_decomposed[];
extern const uint32_t unicode_combining_runs[]; // (first, last, combining class)
extern const size_t unicode_combining_runs_count;
extern const uint32_t unicode_compositions[]; // (first, second, composed)
extern const size_t unicode_compositions_count;

#define UNICODE_NAME_BLOCK 64
#define UNICODE_WORD_BLOCK 64
extern const int unicode_codes_of_one, unicode_codes_of_two; // letters that begin such codes
extern const char unicode_words[], unicode_names[];
extern const size_t unicode_words_size, unicode_names_size;
extern const uint32_t unicode_word_blocks[], unicode_name_blocks[];
extern const size_t unicode_word_count, unicode_name_count;
extern const uint32_t unicode_name_runs[]; // (code point, number of its name), runs of both
extern const size_t unicode_name_runs_count;

// Names that end in the code point itself, such as "CJK UNIFIED IDEOGRAPH-4E00".
typedef struct NumberedNames {
    uint32_t first, last;
    const char *prefix;
} NumberedNames;
extern const NumberedNames unicode_numbered_names[];
extern const size_t unicode_numbered_names_count;

extern const char unicode_aliases[]; // ",NAME=decimal code point,..."
extern const size_t unicode_aliases_size;
