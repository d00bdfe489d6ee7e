// Finding a pattern in a text, forwards and backwards.
//
// Single code points and bytes are left to memchr, memrchr and memmem of libc. Everything else uses
// the two-way algorithm of Crochemore and Perrin. It cuts the pattern in two where the parts do not
// repeat each other. It compares the right part first, left to right, then the left part. A
// mismatch on the right at distance d from the cut moves the pattern by d. So the time is linear in
// the length of the text for every pattern, without a table.
//
//     text     . . . . . . . . . . . . .
//     pattern      [ left ][  right  ]
//                    <----  ---->       compared in this order: right, then left
//
// A search backwards is the same search in the mirror image: index 0 is then the last code point.
#include "objects/text/text.h"

// ---- one code point

SPECIALISED ssize_t scan_point(int kind, const void *text, ssize_t length, uint32_t point,
                               int direction)
{
    if (direction > 0) {
        for (ssize_t i = 0; i < length; i++)
            if (point_get(kind, text, i) == point) return i;
    } else {
        for (ssize_t i = length; i-- > 0;)
            if (point_get(kind, text, i) == point) return i;
    }
    return -1;
}

ssize_t text_find_point(int kind, const void *text, ssize_t length, uint32_t point, int direction)
{
    if (kind_of_point(point) > kind) return -1;
    if (kind == 2) return scan_point(2, text, length, point, direction);
    if (kind == 4) return scan_point(4, text, length, point, direction);
    const char *found = direction > 0 ? memchr(text, (int)point, (size_t)length)
                                      : memrchr(text, (int)point, (size_t)length);
    return found ? found - (const char *)text : -1;
}

// ---- the two-way search

typedef struct Needle {
    const void *data;
    ssize_t length;
    int kind, direction;
    ssize_t cut;    // the left part ends here
    ssize_t period; // how far to move after the whole right part has matched
    bool periodic;  // the left part repeats: what has matched is not compared again
} Needle;

static inline uint32_t pattern_get(const Needle *pattern, ssize_t index)
{
    ssize_t position = pattern->direction > 0 ? index : pattern->length - 1 - index;
    return point_get(pattern->kind, pattern->data, position);
}

// The start (minus one) of the largest suffix in the order of code points, or in the inverse order.
static ssize_t largest_suffix(const Needle *pattern, bool inverse, ssize_t *period)
{
    ssize_t suffix = -1, at = 0, offset = 1;
    *period = 1;
    while (at + offset < pattern->length) {
        uint32_t candidate = pattern_get(pattern, at + offset);
        uint32_t best = pattern_get(pattern, suffix + offset);
        if (candidate == best) {
            if (offset == *period) {
                at += *period;
                offset = 1;
            } else {
                offset++;
            }
        } else if (inverse ? candidate > best : candidate < best) {
            at += offset;
            offset = 1;
            *period = at - suffix;
        } else {
            suffix = at++;
            offset = *period = 1;
        }
    }
    return suffix;
}

static bool left_part_repeats(const Needle *pattern)
{
    for (ssize_t i = 0; i <= pattern->cut; i++)
        if (pattern_get(pattern, i) != pattern_get(pattern, i + pattern->period)) return false;
    return true;
}

static void prepare(Needle *pattern)
{
    ssize_t period, inverse_period;
    ssize_t cut = largest_suffix(pattern, false, &period);
    ssize_t inverse_cut = largest_suffix(pattern, true, &inverse_period);
    pattern->cut = cut > inverse_cut ? cut : inverse_cut;
    pattern->period = cut > inverse_cut ? period : inverse_period;
    pattern->periodic = left_part_repeats(pattern);
    if (pattern->periodic) return;
    ssize_t left = pattern->cut + 1, right = pattern->length - left;
    pattern->period = (left > right ? left : right) + 1;
}

// text[position + index] is pattern[index], both read in the direction of the search.
SPECIALISED bool same(int kind, const void *text, ssize_t length, const Needle *pattern,
                      ssize_t position, ssize_t index)
{
    ssize_t at = position + index;
    if (pattern->direction < 0) at = length - 1 - at;
    return point_get(kind, text, at) == pattern_get(pattern, index);
}

SPECIALISED ssize_t two_way(int kind, const void *text, ssize_t length, const Needle *pattern)
{
    ssize_t position = 0;
    ssize_t known = -1; // the last index of the left part that is known to match
    while (position <= length - pattern->length) {
        ssize_t index = (pattern->cut > known ? pattern->cut : known) + 1;
        while (index < pattern->length && same(kind, text, length, pattern, position, index))
            index++;
        if (index < pattern->length) {
            position += index - pattern->cut;
            known = -1;
            continue;
        }
        index = pattern->cut;
        while (index > known && same(kind, text, length, pattern, position, index)) index--;
        if (index <= known) return position;
        position += pattern->period;
        known = pattern->periodic ? pattern->length - pattern->period - 1 : -1;
    }
    return -1;
}

// The number of candidates that are tried before memmem, whose preparation takes longer.
#define TRIES 16

// Looks for the first byte, then compares; text and pattern are at least two bytes long.
static ssize_t find_bytes(const char *text, ssize_t length, const char *pattern, ssize_t size)
{
    const char *at = text, *last = text + length - size;
    for (int tries = 0; at <= last && tries < TRIES; tries++, at++) {
        at = memchr(at, pattern[0], (size_t)(last - at + 1));
        if (!at) return -1;
        if (at[1] == pattern[1] && memcmp(at, pattern, (size_t)size) == 0) return at - text;
    }
    if (at > last) return -1;
    at = memmem(at, (size_t)(text + length - at), pattern, (size_t)size);
    return at ? at - text : -1;
}

ssize_t text_find(int kind, const void *text, ssize_t length, int pattern_kind, const void *data,
                  ssize_t pattern_length, int direction)
{
    if (pattern_length > length || pattern_kind > kind) return -1;
    if (pattern_length == 0) return direction > 0 ? 0 : length;
    if (pattern_length == 1)
        return text_find_point(kind, text, length, point_get(pattern_kind, data, 0), direction);
    if (kind == 1 && direction > 0) return find_bytes(text, length, data, pattern_length);
    Needle pattern = {
        .data = data, .length = pattern_length, .kind = pattern_kind, .direction = direction};
    prepare(&pattern);
    ssize_t position = BY_KIND(kind, two_way, text, length, &pattern);
    return position < 0 || direction > 0 ? position : length - position - pattern_length;
}

// ---- counting

SPECIALISED ssize_t count_point(int kind, const void *text, ssize_t length, uint32_t point)
{
    ssize_t count = 0;
    for (ssize_t i = 0; i < length; i++) count += point_get(kind, text, i) == point;
    return count;
}

ssize_t text_count(int kind, const void *text, ssize_t length, int pattern_kind,
                   const void *pattern, ssize_t pattern_length, ssize_t most)
{
    if (pattern_kind > kind) return 0;
    if (pattern_length == 1 && most >= length) {
        uint32_t point = point_get(pattern_kind, pattern, 0);
        return BY_KIND(kind, count_point, text, length, point);
    }
    ssize_t count = 0, at = 0;
    while (count < most) {
        ssize_t found = text_find(kind, point_at(kind, text, at), length - at, pattern_kind,
                                  pattern, pattern_length, 1);
        if (found < 0) break;
        at += found + pattern_length;
        count++;
    }
    return count;
}
