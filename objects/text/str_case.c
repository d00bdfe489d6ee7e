// Methods of str about its letters: upper, lower, casefold, title, capitalize, swapcase, and the
// tests: isalpha and the like.
//
// ASCII goes byte by byte. Everything else uses the mappings of unicode.c, where one code point may
// become three. Only the mapping of the capital sigma looks at its neighbours: it becomes the final
// sigma (U+03C2) after a letter if no letter follows.
#include "objects/memory.h"
#include "objects/text/str_methods.h"
#include "objects/text/text.h"
#include "objects/text/unicode_tables.h"

// ---- ASCII

static bool ascii_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool ascii_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

typedef enum CaseForm { UPPER, LOWER, FOLDED, SWAPPED, TITLE, CAPITALIZED } CaseForm;

// A form of a letter; `inside`: a cased letter precedes it.
static char ascii_map(char c, CaseForm form, bool inside)
{
    bool lower = ascii_lower(c), upper = ascii_upper(c);
    if (!lower && !upper) return c;
    bool want_upper = form == UPPER || (form == SWAPPED && lower) ||
                      ((form == TITLE || form == CAPITALIZED) && !inside);
    return want_upper ? c & ~0x20 : c | 0x20;
}

static Value map_ascii(const Str *str, CaseForm form)
{
    Str *result = str_alloc(str->length, 0x7F);
    if (!result) return VALUE_ERROR;
    bool inside = false;
    for (ssize_t i = 0; i < str->length; i++) {
        char c = str->data[i];
        result->data[i] = ascii_map(c, form, inside);
        inside = form == CAPITALIZED || (form == TITLE && (ascii_lower(c) || ascii_upper(c)));
    }
    invariant(str_is_sound(result), "all forms of an ASCII letter are ASCII");
    return own(result);
}

// upper, lower and casefold: all letters alike.
static Value map_ascii_all(const Str *str, CaseForm form)
{
    Str *result = str_alloc(str->length, 0x7F);
    if (!result) return VALUE_ERROR;
    text_change_case(result->data, str->data, str->length, form == UPPER ? 'a' : 'A');
    invariant(str_is_sound(result), "an ASCII text is ASCII in either case");
    return own(result);
}

// ---- all of Unicode

#define CAPITAL_SIGMA 0x3A3

// The sigma is final if a cased letter precedes it and none follows; case-ignorable characters do
// not count.
static bool sigma_is_final(const Str *str, ssize_t index)
{
    ssize_t at = index - 1;
    while (at >= 0 && unicode_is_case_ignorable(str_at(str, at))) at--;
    if (at < 0 || !unicode_is_cased(str_at(str, at))) return false;
    at = index + 1;
    while (at < str->length && unicode_is_case_ignorable(str_at(str, at))) at++;
    return at == str->length || !unicode_is_cased(str_at(str, at));
}

static int to_lower(const Str *str, ssize_t index, uint32_t mapped[3])
{
    uint32_t point = str_at(str, index);
    if (point != CAPITAL_SIGMA) return unicode_to_lower(point, mapped);
    mapped[0] = sigma_is_final(str, index) ? 0x3C2 : 0x3C3;
    return 1;
}

static int map_point(const Str *str, ssize_t index, CaseForm form, bool inside, uint32_t mapped[3])
{
    uint32_t point = str_at(str, index);
    switch (form) {
    case UPPER: return unicode_to_upper(point, mapped);
    case LOWER: return to_lower(str, index, mapped);
    case FOLDED: return unicode_to_folded(point, mapped);
    case SWAPPED:
        if (unicode_is_upper(point)) return to_lower(str, index, mapped);
        if (unicode_is_lower(point)) return unicode_to_upper(point, mapped);
        mapped[0] = point;
        return 1;
    default: return inside ? to_lower(str, index, mapped) : unicode_to_title(point, mapped);
    }
}

#define RUN 256 // code points that are added at once

// Those from `at` on that become one other each, whatever is beside them: returns how many.
SPECIALISED ssize_t map_simple(int kind, const Str *str, ssize_t at, UnicodeCase form,
                               uint32_t *mapped)
{
    ssize_t count = str->length - at < RUN ? str->length - at : RUN;
    for (ssize_t i = 0; i < count; i++) {
        uint32_t point = point_get(kind, str->data, at + i);
        int32_t change = unicode_case_change(point, form);
        if (change >= UNICODE_SPECIAL || point == CAPITAL_SIGMA) return i;
        mapped[i] = point + (uint32_t)change;
    }
    return count;
}

// The same where a letter's form depends on what precedes it, or on its own.
SPECIALISED ssize_t map_in_words(int kind, const Str *str, ssize_t at, CaseForm form, bool *inside,
                                 uint32_t *mapped)
{
    ssize_t count = str->length - at < RUN ? str->length - at : RUN;
    for (ssize_t i = 0; i < count; i++) {
        uint32_t point = point_get(kind, str->data, at + i);
        unsigned is = form == CAPITALIZED ? 0 : unicode_kind_of(point);
        bool lower = form == SWAPPED ? is & UNICODE_UPPER : *inside;
        UnicodeCase to = lower             ? UNICODE_TO_LOWER
                         : form == SWAPPED ? UNICODE_TO_UPPER
                                           : UNICODE_TO_TITLE;
        int32_t change = unicode_case_change(point, to);
        if (form == SWAPPED && !(is & (UNICODE_UPPER | UNICODE_LOWER))) change = 0;
        if (change >= UNICODE_SPECIAL || point == CAPITAL_SIGMA) return i;
        mapped[i] = point + (uint32_t)change;
        *inside = form == CAPITALIZED || is & UNICODE_CASED;
    }
    return count;
}

// upper, lower and casefold.
static Value map_all(const Str *str, CaseForm form)
{
    static const UnicodeCase forms[] = {
        [UPPER] = UNICODE_TO_UPPER, [LOWER] = UNICODE_TO_LOWER, [FOLDED] = UNICODE_TO_FOLDED};
    StrBuilder builder;
    builder_begin(&builder);
    uint32_t mapped[RUN + 3];
    for (ssize_t at = 0; at < str->length;) {
        ssize_t count = BY_KIND(str->kind, map_simple, str, at, forms[form], mapped);
        at += count;
        if (count < RUN && at < str->length)
            count += map_point(str, at++, form, false, mapped + count);
        if (!builder_points(&builder, mapped, count)) return VALUE_ERROR;
    }
    return builder_finish(&builder);
}

static Value map_case(ValueRef self, CaseForm form)
{
    const Str *str = as_str(self);
    if (str->length == 0) return str_empty();
    if (form == UPPER || form == LOWER || form == FOLDED)
        return str->ascii ? map_ascii_all(str, form) : map_all(str, form);
    if (str->ascii) return map_ascii(str, form);
    StrBuilder builder;
    builder_begin(&builder);
    uint32_t mapped[RUN + 3];
    bool inside = false;
    for (ssize_t at = 0; at < str->length;) {
        ssize_t count = BY_KIND(str->kind, map_in_words, str, at, form, &inside, mapped);
        at += count;
        if (count < RUN && at < str->length) {
            uint32_t point = str_at(str, at);
            count += map_point(str, at++, form, inside, mapped + count);
            inside = form == CAPITALIZED || unicode_is_cased(point);
        }
        if (!builder_points(&builder, mapped, count)) return VALUE_ERROR;
    }
    return builder_finish(&builder);
}

METHOD_HEAD(str, upper)
{
    return map_case(self, UPPER);
}

METHOD_HEAD(str, lower)
{
    return map_case(self, LOWER);
}

METHOD_HEAD(str, casefold)
{
    return map_case(self, FOLDED);
}

METHOD_HEAD(str, swapcase)
{
    return map_case(self, SWAPPED);
}

METHOD_HEAD(str, title)
{
    return map_case(self, TITLE);
}

METHOD_HEAD(str, capitalize)
{
    return map_case(self, CAPITALIZED);
}

// ---- questions

// True if there is at least one and all pass the test.
static Value all_points(ValueRef self, bool (*question)(uint32_t point))
{
    const Str *str = as_str(self);
    for (ssize_t i = 0; i < str->length; i++)
        if (!question(str_at(str, i))) return FALSE;
    return from_bool(str->length > 0);
}

SPECIALISED bool have_flags(int kind, const Str *str, ssize_t start, unsigned flags)
{
    for (ssize_t i = start; i < str->length; i++)
        if (!(unicode_kind_of(point_get(kind, str->data, i)) & flags)) return false;
    return true;
}

// True if there is at least one and each has one of the flags.
static Value all_flagged(ValueRef self, unsigned flags)
{
    const Str *str = as_str(self);
    return from_bool(str->length > 0 && BY_KIND(str->kind, have_flags, str, 0, flags));
}

METHOD_HEAD(str, isspace)
{
    return all_flagged(self, UNICODE_SPACE);
}

METHOD_HEAD(str, isdecimal)
{
    return all_points(self, unicode_is_decimal);
}

METHOD_HEAD(str, isdigit)
{
    return all_points(self, unicode_is_digit);
}

METHOD_HEAD(str, isnumeric)
{
    return all_flagged(self, UNICODE_NUMERIC);
}

METHOD_HEAD(str, isalpha)
{
    return all_flagged(self, UNICODE_ALPHA);
}

METHOD_HEAD(str, isalnum)
{
    return all_flagged(self, UNICODE_ALPHA | UNICODE_NUMERIC);
}

METHOD_HEAD(str, isprintable)
{
    return str_length(self) == 0 ? TRUE : all_flagged(self, UNICODE_PRINTABLE);
}

METHOD_HEAD(str, isascii)
{
    return from_bool(as_str(self)->ascii);
}

bool str_is_identifier(ValueRef self)
{
    const Str *str = as_str(self);
    return str->length > 0 && unicode_is_identifier_start(str_at(str, 0)) &&
           BY_KIND(str->kind, have_flags, str, 1, UNICODE_ID_PART);
}

METHOD_HEAD(str, isidentifier)
{
    return from_bool(str_is_identifier(self));
}

// There is a letter of the wanted case and none of the others.
SPECIALISED Value all_cased(int kind, const Str *str, unsigned wanted, unsigned unwanted)
{
    unsigned seen = 0;
    for (ssize_t i = 0; i < str->length; i++) {
        unsigned flags = unicode_kind_of(point_get(kind, str->data, i));
        if (flags & (unwanted | UNICODE_TITLE)) return FALSE;
        seen |= flags;
    }
    return from_bool(seen & wanted);
}

METHOD_HEAD(str, islower)
{
    return BY_KIND(as_str(self)->kind, all_cased, as_str(self), UNICODE_LOWER, UNICODE_UPPER);
}

METHOD_HEAD(str, isupper)
{
    return BY_KIND(as_str(self)->kind, all_cased, as_str(self), UNICODE_UPPER, UNICODE_LOWER);
}

METHOD_HEAD(str, istitle)
{
    const Str *str = as_str(self);
    bool seen = false, inside = false;
    for (ssize_t i = 0; i < str->length; i++) {
        uint32_t point = str_at(str, i);
        bool capital = unicode_is_upper(point) || unicode_is_title(point);
        bool lower = unicode_is_lower(point);
        if ((capital && inside) || (lower && !inside)) return FALSE;
        inside = capital || lower;
        seen = seen || inside;
    }
    return from_bool(seen);
}
