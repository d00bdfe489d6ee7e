// What the files of str share: code points in the three widths.
//
// A text is (kind, data, index). A loop over one is written once for any kind, and the compiler
// makes three versions: the function is SPECIALISED (always inlined) and called through BY_KIND,
// which passes the kind as a constant.
#pragma once

#include "objects/text/str.h"
#include "objects/text/unicode.h"

#include <limits.h>

#define SPECIALISED static inline __attribute__((always_inline))

// BY_KIND(kind, call(KIND, ...)): the expression with KIND replaced by the constants 1, 2 and 4.
#define BY_KIND(kind, function, ...)                                                               \
    ((kind) == 1   ? function(1, __VA_ARGS__)                                                      \
     : (kind) == 2 ? function(2, __VA_ARGS__)                                                      \
                   : function(4, __VA_ARGS__))

SPECIALISED uint32_t point_get(int kind, const void *data, ssize_t index)
{
    if (kind == 1) return ((const uint8_t *)data)[index];
    if (kind == 2) return ((const uint16_t *)data)[index];
    return ((const uint32_t *)data)[index];
}

SPECIALISED void point_put(int kind, void *data, ssize_t index, uint32_t point)
{
    if (kind == 1)
        ((uint8_t *)data)[index] = (uint8_t)point;
    else if (kind == 2)
        ((uint16_t *)data)[index] = (uint16_t)point;
    else
        ((uint32_t *)data)[index] = point;
}

// The address of a code point.
static inline const char *point_at(int kind, const void *data, ssize_t index)
{
    return (const char *)data + index * kind;
}

static inline int kind_of_point(uint32_t point)
{
    return point < 0x100 ? 1 : point < 0x10000 ? 2 : 4;
}

// The largest code point of a class that holds all of the text: 0x7F, 0xFF, 0xFFFF or 0x10FFFF.
uint32_t text_bound(int kind, const void *data, ssize_t count);
static inline uint32_t str_bound(const Str *str)
{
    return str->ascii ? 0x7F : str->kind == 1 ? 0xFF : str->kind == 2 ? 0xFFFF : 0x10FFFF;
}
// str.isspace() of a code point.
extern const bool latin1_spaces[256];
static inline bool point_is_space(uint32_t point)
{
    return point < 256 ? latin1_spaces[point] : unicode_is_space(point);
}

// All bytes are below 128.
bool bytes_are_ascii(const void *data, size_t size);

// Writes \xE9, \u0436 or \U0001F600: returns how many characters, at most TEXT_ESCAPE_MAX.
#define TEXT_ESCAPE_MAX 10
int text_escape(uint32_t point, char *to);
// Writes a number in decimal digits before `end`; returns where they begin.
#define DECIMAL_MAX 20
char *text_decimal(int64_t number, char *end);

// Copies code points and converts their width; `to_kind` must hold all of them.
void text_copy(int to_kind, void *to, ssize_t at, int from_kind, const void *from, ssize_t start,
               ssize_t count);
// Copies valid UTF-8, whose code points `kind` holds.
void text_copy_utf8(int kind, void *to, ssize_t at, const unsigned char *from,
                    const unsigned char *end);
// Copies bytes; the letters of ASCII from `first` ('a' or 'A') on change their case, or with
// ANY_LETTER all of them.
#define ANY_LETTER '\0'
void text_change_case(char *to, const char *from, ssize_t size, char first);
// Is one of these letters among the bytes?
bool text_has_letter(const char *text, ssize_t size, char first);
// Puts one code point where another one is, from the index `start` to `stop`.
void text_exchange(int kind, void *data, ssize_t start, ssize_t stop, uint32_t old, uint32_t new);
void text_fill(int kind, void *data, ssize_t at, uint32_t point, ssize_t count);

// An exact str for the caller to fill, with code points <= bound; NUL-terminated already. NULL with
// MemoryError pending. A length of 0 also gives a new object, not the shared empty str.
Str *str_alloc(ssize_t length, uint32_t bound);
// A str of a run of text, in the narrowest kind.
Value str_from_text(int kind, const void *data, ssize_t count);
// A str of the bytes if all are valid UTF-8, else ABSENT, with the number of valid ones in *valid.
Value str_from_valid_utf8(const char *bytes, size_t size, size_t *valid);
// The size of a str in UTF-8. -1 if it has a surrogate, with the index of the first in *bad.
ssize_t str_utf8_size(const Str *str, ssize_t *bad);
// Its UTF-8, surrogates included: returns the end.
char *str_write_utf8(const Str *str, char *to);
// The empty str: owned.
Value str_empty(void);
// `str` itself where it is exactly a str, else an exact copy.
Value str_exact(ValueRef str);
// Steals `made`. `other` in its place, of whatever class, where both are the same text: formatting
// does not copy what it leaves as it is. VALUE_ERROR stays.
Value str_or_same(Value made, ValueRef other);
Value str_copy(ValueRef str); // exact, and another object but for the shared short ones

// ---- search (search.c): linear in the length of the text, whatever the pattern is.

// The index of the first (direction 1) or last (-1) occurrence of the pattern in the text, -1 =
// none.
ssize_t text_find(int kind, const void *text, ssize_t length, int pattern_kind, const void *pattern,
                  ssize_t pattern_length, int direction);
ssize_t text_find_point(int kind, const void *text, ssize_t length, uint32_t point, int direction);
// Is the part, of no wider kind, in the text at this index?
bool text_has_at(int kind, const void *text, ssize_t at, int part_kind, const void *part,
                 ssize_t length);
// How often it occurs without overlap, but no more than `most` times. The pattern is not empty.
// Where the first ones begin is remembered in `places` (NULL = nowhere), so that who writes another
// text in their places need not search again.
#define TEXT_PLACES 1024
typedef struct TextPlaces {
    ssize_t count, at[TEXT_PLACES];
} TextPlaces;
ssize_t text_count(int kind, const void *text, ssize_t length, int pattern_kind,
                   const void *pattern, ssize_t pattern_length, ssize_t most, TextPlaces *places);

// ---- arguments that str and bytes methods share

// Reads `start` and `end` of find() and the like from args[1] and args[2]; None or a missing one
// means the whole. May run script code. range_clamp() then clamps them to the length as a slice
// does.
bool range_arguments(const ValueRef *args, size_t nargs, ssize_t *start, ssize_t *end);
void range_clamp(ssize_t length, ssize_t *start, ssize_t *end);
// A str argument as NUL-terminated UTF-8; `where` names it in the TypeError: "encode() argument
// 'encoding'". NULL with an exception pending, also if the str contains a NUL.
const char *text_argument(ValueRef value, const char *where);
// Reads the arguments `encoding` and `errors` of encode() and decode(); NULL if not given.
bool codec_arguments(const char *function, const ValueRef *args, size_t nargs, ValueRef kwnames,
                     const char **encoding, const char **errors);
// The arguments `sep` (VALUE_ERROR = not given or None) and `maxsplit` of split() and rsplit().
bool split_arguments(const char *function, const ValueRef *args, size_t nargs, ValueRef kwnames,
                     ValueRef *separator, ssize_t *most);
// The arguments `keepends` of splitlines() and `tabsize` of expandtabs().
bool keepends_argument(const ValueRef *args, size_t nargs, ValueRef kwnames, bool *keep);
bool tabsize_argument(const ValueRef *args, size_t nargs, ValueRef kwnames, int *size);
