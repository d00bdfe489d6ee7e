// The character sets of compiled regular expressions, and comparison that ignores case.
//
//     SET skip | flags  bitmap[8]  count  (low high)[count]
//                ^ regex_set_has() begins here
//
// The bitmap answers for the characters below 256, which are the most frequent. Others are looked
// up in the ranges, which are sorted and do not touch, and in the categories, each a bit of the
// flags.
//
// If case is ignored, the lower case of a character is looked up. The set then holds the lower case
// of each character in the pattern, and every other lower-case character that has the same upper
// case.
#include "objects/text/text.h"
#include "vm/modules/re/regex_tree.h"

#include <stdlib.h>

enum { SET_NEGATIVE = 1, SET_FOLD_ASCII = 2, SET_FOLD_UNICODE = 4, SET_UNICODE = 8 };
#define SET_CATEGORY(category) (16u << (category))
#define BITMAP 1 // index of
#define COUNT 9
#define RANGES 10

// ---- case

uint32_t regex_lower(RegexFold fold, uint32_t point)
{
    uint32_t mapped[3];
    if (point < 128 || fold != FOLD_UNICODE)
        return fold != FOLD_NONE && point - 'A' < 26 ? point + 32 : point;
    unicode_to_lower(point, mapped);
    return mapped[0];
}

// 3.9 takes the first character where the mapping has several: sharp s has another case (S).
static uint32_t upper_of(uint32_t point)
{
    uint32_t mapped[3];
    unicode_to_upper(point, mapped);
    return mapped[0];
}

bool regex_is_cased(RegexFold fold, uint32_t point)
{
    if (fold != FOLD_UNICODE) return fold == FOLD_ASCII && point < 128 && is_ascii_letter(point);
    return regex_lower(fold, point) != point || upper_of(point) != point;
}

// Lower cases that have the same upper case; each row ends with 0.
static const uint16_t equivalents[][4] = {
    {0x69, 0x131},           // i, dotless i
    {0x73, 0x17F},           // s, long s
    {0xB5, 0x3BC},           // micro sign, mu
    {0x345, 0x3B9, 0x1FBE},  // iota below, iota, prosgegrammeni
    {0x390, 0x1FD3},         // iota with dialytika and tonos, with dialytika and oxia
    {0x3B0, 0x1FE3},         // upsilon, likewise
    {0x3B2, 0x3D0},          // beta and its symbol
    {0x3B5, 0x3F5},          // epsilon
    {0x3B8, 0x3D1},          // theta
    {0x3BA, 0x3F0},          // kappa
    {0x3C0, 0x3D6},          // pi
    {0x3C1, 0x3F1},          // rho
    {0x3C2, 0x3C3},          // final sigma, sigma
    {0x3C6, 0x3D5},          // phi
    {0x432, 0x1C80},         // Cyrillic ve, rounded
    {0x434, 0x1C81},         // de, long-legged
    {0x43E, 0x1C82},         // o, narrow
    {0x441, 0x1C83},         // es, wide
    {0x442, 0x1C84, 0x1C85}, // te, tall, three-legged
    {0x44A, 0x1C86},         // hard sign, tall
    {0x463, 0x1C87},         // yat, tall
    {0x1C88, 0xA64B},        // uk, unblended, monograph
    {0x1E61, 0x1E9B},        // s with a dot above, long s with one
    {0xFB05, 0xFB06},        // ligatures: long s t, st
};

// The row of a character, NULL = it has none.
static const uint16_t *equivalents_of(uint32_t point)
{
    for (size_t i = 0; i < sizeof equivalents / sizeof *equivalents; i++)
        for (const uint16_t *each = equivalents[i]; *each; each++)
            if (*each == point) return equivalents[i];
    return NULL;
}

// ---- categories

bool regex_is_word(bool unicode, uint32_t point)
{
    if (point < 128) return is_ascii_letter(point) || is_digit(point) || point == '_';
    return unicode && (unicode_is_alpha(point) || unicode_is_decimal(point) ||
                       unicode_is_digit(point) || unicode_is_numeric(point));
}

static bool in_category(RegexCategory category, bool unicode, uint32_t point)
{
    switch (category) {
    case CATEGORY_DIGIT: return is_digit(point) || (unicode && unicode_is_decimal(point));
    case CATEGORY_SPACE:
        return unicode ? unicode_is_space(point) : point == ' ' || point - '\t' < 5;
    case CATEGORY_WORD: return regex_is_word(unicode, point);
    case CATEGORY_NOT_DIGIT: return !in_category(CATEGORY_DIGIT, unicode, point);
    case CATEGORY_NOT_SPACE: return !in_category(CATEGORY_SPACE, unicode, point);
    case CATEGORY_NOT_WORD: return !in_category(CATEGORY_WORD, unicode, point);
    case CATEGORY_NONE: break;
    }
    return false;
}

// ---- testing

static bool in_ranges(const uint32_t *set, uint32_t point)
{
    const uint32_t *ranges = set + RANGES;
    size_t low = 0, high = set[COUNT];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (point < ranges[2 * middle])
            high = middle;
        else if (point > ranges[2 * middle + 1])
            low = middle + 1;
        else
            return true;
    }
    return false;
}

static bool in_categories(uint32_t flags, uint32_t point)
{
    for (RegexCategory category = CATEGORY_DIGIT; category <= CATEGORY_NOT_WORD; category++)
        if (flags & SET_CATEGORY(category) && in_category(category, flags & SET_UNICODE, point))
            return true;
    return false;
}

// As it is in the set, whatever the flags say of case.
static inline bool has_as_is(const uint32_t *set, uint32_t point)
{
    if (point < 256) return set[BITMAP + point / 32] >> point % 32 & 1;
    bool found = in_ranges(set, point) || in_categories(set[0], point);
    return found != (set[0] & SET_NEGATIVE);
}

bool regex_set_has(const uint32_t *set, uint32_t point)
{
    uint32_t flags = set[0];
    if (flags & SET_FOLD_UNICODE)
        point = regex_lower(FOLD_UNICODE, point);
    else if (flags & SET_FOLD_ASCII)
        point = regex_lower(FOLD_ASCII, point);
    return has_as_is(set, point);
}

SPECIALISED ssize_t end_of_run(int kind, const uint32_t *set, const void *data, ssize_t at,
                               ssize_t end, bool inside)
{
    if (set[0] & (SET_FOLD_UNICODE | SET_FOLD_ASCII))
        while (at < end && regex_set_has(set, point_get(kind, data, at)) == inside) at++;
    else
        while (at < end && has_as_is(set, point_get(kind, data, at)) == inside) at++;
    return at;
}

ssize_t regex_set_run(int kind, const uint32_t *set, const void *data, ssize_t at, ssize_t end,
                      bool inside)
{
    return BY_KIND(kind, end_of_run, set, data, at, end, inside);
}

// ---- making

typedef struct PointRange {
    uint32_t low, high;
} PointRange;

typedef struct Ranges {
    Arena *arena;
    PointRange *items;
    size_t count, capacity;
} Ranges;

static void add_range(Ranges *ranges, uint32_t low, uint32_t high)
{
    PointRange *last = ranges->count ? &ranges->items[ranges->count - 1] : NULL;
    if (last && low >= last->low && low <= last->high + 1) {
        if (high > last->high) last->high = high;
        return;
    }
    if (ranges->count == ranges->capacity) {
        size_t capacity = ranges->capacity ? ranges->capacity * 2 : 8;
        PointRange *items = arena_alloc(ranges->arena, capacity * sizeof *items);
        if (ranges->count) memcpy(items, ranges->items, ranges->count * sizeof *items);
        ranges->items = items;
        ranges->capacity = capacity;
    }
    ranges->items[ranges->count++] = (PointRange){low, high};
}

// No character from here on has another case.
#define CASELESS 0x1F000

static void add_folded(Ranges *ranges, RegexFold fold, uint32_t low, uint32_t high, bool *cased)
{
    if (high > 0xFFFF) { // 3.9 looks at ranges by Unicode here, whatever the flags say
        *cased = true;
        add_range(ranges, low, high);
        if (low == high) return; // and leaves single characters as they are
    }
    RegexFold mapping = high > 0xFFFF ? FOLD_UNICODE : fold;
    for (uint32_t point = low; point <= high && point < CASELESS; point++) {
        bool is_cased = regex_is_cased(mapping, point);
        uint32_t lower = is_cased ? regex_lower(mapping, point) : point;
        if (mapping != fold && upper_of(lower) != point) lower = point;
        const uint16_t *same = is_cased && fold == FOLD_UNICODE ? equivalents_of(lower) : NULL;
        add_range(ranges, lower, lower);
        for (; same && *same; same++) add_range(ranges, *same, *same);
        *cased |= is_cased;
    }
}

static int compare_ranges(const void *a, const void *b)
{
    uint32_t left = ((const PointRange *)a)->low, right = ((const PointRange *)b)->low;
    return left < right ? -1 : left > right;
}

// Sorts the ranges and joins those that overlap or touch.
static void sort_ranges(Ranges *ranges)
{
    size_t count = ranges->count;
    if (!count) return;
    qsort(ranges->items, count, sizeof *ranges->items, compare_ranges);
    ranges->count = 1;
    for (size_t i = 1; i < count; i++)
        add_range(ranges, ranges->items[i].low, ranges->items[i].high);
}

static void write_bitmap(uint32_t *set, const Ranges *ranges)
{
    uint32_t flags = set[0];
    for (size_t i = 0; i < ranges->count; i++)
        for (uint32_t c = ranges->items[i].low; c < 256 && c <= ranges->items[i].high; c++)
            set[BITMAP + c / 32] |= 1u << c % 32;
    for (uint32_t c = 0; c < 256; c++)
        if (in_categories(flags, c)) set[BITMAP + c / 32] |= 1u << c % 32;
    for (int i = 0; flags & SET_NEGATIVE && i < 8; i++) set[BITMAP + i] = ~set[BITMAP + i];
}

static void emit_ranges(RegexCode *code, Ranges *ranges, uint32_t flags)
{
    sort_ranges(ranges);
    size_t start = regex_emit(code, OP_SET);
    regex_emit(code, (uint32_t)(2 + RANGES + 2 * ranges->count));
    regex_emit(code, flags);
    for (int i = 0; i < 8; i++) regex_emit(code, 0);
    write_bitmap(code->words + start + 2, ranges);
    regex_emit(code, (uint32_t)ranges->count);
    for (size_t i = 0; i < ranges->count; i++) {
        regex_emit(code, ranges->items[i].low);
        regex_emit(code, ranges->items[i].high);
    }
}

void regex_emit_set(RegexCode *code, const RegexItem *items, bool negative, RegexFold fold,
                    bool unicode)
{
    Ranges ranges = {.arena = code->arena};
    bool cased = false;
    uint32_t flags = (negative ? SET_NEGATIVE : 0) | (unicode ? SET_UNICODE : 0);
    for (const RegexItem *item = items; item; item = item->next)
        if (item->category)
            flags |= SET_CATEGORY(item->category);
        else if (fold == FOLD_NONE)
            add_range(&ranges, item->low, item->high);
        else
            add_folded(&ranges, fold, item->low, item->high, &cased);
    if (cased) flags |= fold == FOLD_ASCII ? SET_FOLD_ASCII : SET_FOLD_UNICODE;
    emit_ranges(code, &ranges, flags);
}

bool regex_emit_equivalents(RegexCode *code, uint32_t lower, bool negative)
{
    const uint16_t *same = equivalents_of(lower);
    if (!same) return false;
    Ranges ranges = {.arena = code->arena};
    for (; *same; same++) add_range(&ranges, *same, *same);
    emit_ranges(code, &ranges, SET_FOLD_UNICODE | (negative ? SET_NEGATIVE : 0));
    return true;
}
