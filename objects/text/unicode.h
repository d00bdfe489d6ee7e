// The Unicode database of Python 3.9 (13.0.0): categories, case, identifiers, normal forms, names.
// The tables are in unicode_tables.c, made by make_unicode_tables.py.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool unicode_is_alpha(uint32_t point);
bool unicode_is_decimal(uint32_t point);
bool unicode_is_digit(uint32_t point);
bool unicode_is_numeric(uint32_t point);
bool unicode_is_lower(uint32_t point);
bool unicode_is_upper(uint32_t point);
bool unicode_is_title(uint32_t point);
bool unicode_is_cased(uint32_t point);
bool unicode_is_case_ignorable(uint32_t point);
bool unicode_is_space(uint32_t point);
bool unicode_is_line_break(uint32_t point);
bool unicode_is_printable(uint32_t point);
bool unicode_is_identifier_start(uint32_t point);
bool unicode_is_identifier_part(uint32_t point);
int unicode_decimal_value(uint32_t point); // -1 = none
int unicode_digit_value(uint32_t point);   // -1 = none
// Full mappings: up to three code points; returns how many.
int unicode_to_lower(uint32_t point, uint32_t mapped[3]);
int unicode_to_upper(uint32_t point, uint32_t mapped[3]);
int unicode_to_title(uint32_t point, uint32_t mapped[3]);
int unicode_to_folded(uint32_t point, uint32_t mapped[3]);
bool unicode_numeric_value(uint32_t point, double *value); // false = it has none
const char *unicode_category(uint32_t point);              // "Lu"
const char *unicode_bidirectional(uint32_t point);         // "" = none
const char *unicode_east_asian_width(uint32_t point);
bool unicode_is_mirrored(uint32_t point);
unsigned unicode_combining_class(uint32_t point); // 0 = it is no mark
// Version 3.2, which internationalised domain names are still made by (RFC 3491): false = it says
// the same of the code point. `texts` are category, bidirectional and East Asian width.
bool unicode_differs_in_3_2(uint32_t point, const char *texts[3], bool *mirrored, int *decimal);
// The first step of its decomposition: `tag` is "" or "<compat>" and the like, and the points are
// the result's, which has `count` of them. Hangul syllables have none here.
const uint32_t *unicode_decomposition(uint32_t point, const char **tag, int *count);
// Normal forms. Identifiers are compared in NFKC (PEP 3131).
typedef enum UnicodeForm {
    UNICODE_NFD = 0,
    UNICODE_COMPATIBLE = 1,
    UNICODE_COMPOSED = 2,
    UNICODE_NFKD = UNICODE_COMPATIBLE,
    UNICODE_NFC = UNICODE_COMPOSED,
    UNICODE_NFKC = UNICODE_COMPATIBLE | UNICODE_COMPOSED,
} UnicodeForm;
// Writes at most `capacity` code points and returns their number. If that is more than `capacity`,
// the result is incomplete; the number is enough capacity for a second call.
size_t unicode_normalize(UnicodeForm form, const uint32_t *points, size_t count,
                         uint32_t *normalized, size_t capacity);
// The code point with this name (any case), as \N{...} takes it, aliases included; -1 = none.
int64_t unicode_by_name(const char *name, size_t size);
// The longest name has 88 letters.
#define UNICODE_NAME_MAX 128
// The name of a code point, NUL-terminated; returns its length, 0 = it has none.
size_t unicode_name(uint32_t point, char name[UNICODE_NAME_MAX]);
