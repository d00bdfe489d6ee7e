// Finding a pattern in a text, forwards and backwards.
//
// Single code points and bytes are left to memchr, memrchr and memmem of libc, which find a byte of
// a wider code point as well. Everything else uses the two-way algorithm of Crochemore and Perrin.
// It cuts the pattern in two where the parts do not repeat each other. It compares the right part
// first, left to right, then the left part. A mismatch on the right at distance d from the cut
// moves the pattern by d. So the time is linear in the length of the text for every pattern.
//
// The code point under the pattern's end is looked at first. Where it is another one than the
// pattern ends with, the pattern moves until one of its own stands there, so that most of a common
// text is never read. How far is in a table, by the lowest six bits of a code point.
//
//     text     . . . . . . . . . . . . .
//     pattern      [ left ][  right  ]
//                    <----  ---->       compared in this order: right, then left
//
// A search backwards is the same search in the mirror image: index 0 is then the last code point.
#include "objects/text/text.h"

// ---- one code point

// So many are compared at once, by vectors; the block that has the point is then looked through.
// The compiler finds the vectors where all numbers are as wide as the code points.
#define BLOCK 32
#define BLOCK_HAS(type)                                                                            \
    static bool block_has_##type(const type *block, type point)                                    \
    {                                                                                              \
        type found = 0;                                                                            \
        for (int i = 0; i < BLOCK; i++) found |= block[i] == point ? (type) - 1 : 0;               \
        return found;                                                                              \
    }
BLOCK_HAS(uint16_t)
BLOCK_HAS(uint32_t)

SPECIALISED bool block_has(int kind, const void *text, ssize_t start, uint32_t point)
{
    const void *block = point_at(kind, text, start);
    return kind == 2 ? block_has_uint16_t(block, (uint16_t)point)
                     : block_has_uint32_t(block, point);
}

SPECIALISED ssize_t scan_point(int kind, const void *text, ssize_t start, ssize_t stop,
                               uint32_t point, int direction)
{
    ssize_t i;
    if (direction > 0) {
        for (i = start; i + BLOCK <= stop && !block_has(kind, text, i, point); i += BLOCK) {
        }
        for (; i < stop; i++)
            if (point_get(kind, text, i) == point) return i;
    } else {
        for (i = stop; i >= start + BLOCK && !block_has(kind, text, i - BLOCK, point); i -= BLOCK) {
        }
        while (i-- > start)
            if (point_get(kind, text, i) == point) return i;
    }
    return -1;
}

static ssize_t find_byte(const void *text, ssize_t size, int byte, int direction)
{
    const char *found =
        direction > 0 ? memchr(text, byte, (size_t)size) : memrchr(text, byte, (size_t)size);
    return found ? found - (const char *)text : -1;
}

// libc looks for a byte of the point that is not 0. Where it is one of another point, there may be
// more of them: so many points are compared before it is asked again.
#define NEAR (16 * BLOCK)

SPECIALISED ssize_t find_wide(int kind, const void *text, ssize_t length, uint32_t point,
                              int direction)
{
    int byte = (int)point & 255;
    for (uint32_t rest = point; !byte && rest; rest >>= 8) byte = (int)rest & 255;
    ssize_t start = 0, stop = length, found = -1;
    while (start < stop && found < 0) {
        ssize_t at = find_byte(point_at(kind, text, start), (stop - start) * kind, byte, direction);
        if (at < 0) return -1;
        if (direction > 0) {
            start += at / kind;
            if (point_get(kind, text, start) == point) return start;
            ssize_t end = stop - start < NEAR ? stop : start + NEAR;
            found = scan_point(kind, text, start, end, point, direction);
            start = end;
        } else {
            stop = start + at / kind + 1;
            ssize_t end = stop - start < NEAR ? start : stop - NEAR;
            found = scan_point(kind, text, end, stop, point, direction);
            stop = end;
        }
    }
    return found;
}

ssize_t text_find_point(int kind, const void *text, ssize_t length, uint32_t point, int direction)
{
    if (kind_of_point(point) > kind) return -1;
    if (kind == 1) return find_byte(text, length, (int)point, direction);
    return kind == 2 ? find_wide(2, text, length, point, direction)
                     : find_wide(4, text, length, point, direction);
}

// ---- the two-way search

#define STEPS 64

typedef struct Needle {
    const void *data;
    ssize_t length;
    int kind, direction;
    ssize_t cut;          // the left part ends here
    ssize_t period;       // how far to move after the whole right part has matched
    bool periodic;        // the left part repeats: what has matched is not compared again
    uint8_t steps[STEPS]; // to move, by the code point under the end; 0 = the pattern ends with it
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

static void prepare_steps(Needle *pattern)
{
    ssize_t left = pattern->length;
    memset(pattern->steps, left < UINT8_MAX ? (int)left : UINT8_MAX, STEPS);
    for (ssize_t i = 0; left-- > 0; i++)
        pattern->steps[pattern_get(pattern, i) % STEPS] =
            left < UINT8_MAX ? (uint8_t)left : UINT8_MAX;
}

static void prepare(Needle *pattern)
{
    prepare_steps(pattern);
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

// text[position], read in the direction of the search.
SPECIALISED uint32_t text_get(int kind, const void *text, ssize_t length, const Needle *pattern,
                              ssize_t position)
{
    return point_get(kind, text, pattern->direction > 0 ? position : length - 1 - position);
}

SPECIALISED bool same(int kind, const void *text, ssize_t length, const Needle *pattern,
                      ssize_t position, ssize_t index)
{
    return text_get(kind, text, length, pattern, position + index) == pattern_get(pattern, index);
}

SPECIALISED ssize_t two_way(int kind, const void *text, ssize_t length, const Needle *pattern)
{
    ssize_t position = 0;
    ssize_t known = -1; // the last index of the left part that is known to match
    while (position <= length - pattern->length) {
        ssize_t end = position + pattern->length;
        ssize_t step = pattern->steps[text_get(kind, text, length, pattern, end - 1) % STEPS];
        if (step) {
            position += step > known ? step : known + 1;
            known = -1;
            continue;
        }
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

// ---- the first code point, then the others

bool text_has_at(int kind, const void *text, ssize_t at, int part_kind, const void *part,
                 ssize_t length)
{
    const char *start = point_at(kind, text, at);
    if (kind == part_kind && length > 8) return !memcmp(start, part, (size_t)(length * kind));
    for (ssize_t i = 0; i < length; i++) // so few are compared before libc would have begun
        if (point_get(kind, start, i) != point_get(part_kind, part, i)) return false;
    return true;
}

// The number of candidates that are tried before the searches whose preparation takes longer. They
// may be more where they are so far apart.
#define TRIES 16
#define FAR 32

// Looks for the first code point of the pattern, then compares: the second at once, as it nearly
// always tells, the others where it is the right one. The candidates are the indices from *start to
// *stop; where it gives up (-1), those that are left.
SPECIALISED ssize_t find_by_first(int kind, const void *text, ssize_t *start, ssize_t *stop,
                                  const Needle *pattern)
{
    uint32_t first = point_get(pattern->kind, pattern->data, 0);
    uint32_t second = point_get(pattern->kind, pattern->data, 1);
    const char *rest = point_at(pattern->kind, pattern->data, 2);
    ssize_t count = *stop - *start, more = pattern->length - 2;
    for (ssize_t tries = 0; tries < TRIES + (count - (*stop - *start)) / FAR; tries++) {
        const char *left = point_at(kind, text, *start);
        ssize_t found =
            kind == 1 ? find_byte(left, *stop - *start, (int)first, pattern->direction)
                      : text_find_point(kind, left, *stop - *start, first, pattern->direction);
        if (found < 0) *start = *stop;
        if (*start == *stop) return -1;
        found += *start;
        if (point_get(kind, text, found + 1) == second &&
            (!more || text_has_at(kind, text, found + 2, pattern->kind, rest, more)))
            return found;
        if (pattern->direction > 0)
            *start = found + 1;
        else
            *stop = found;
    }
    return -1;
}

// memmem is a two-way search of bytes.
static ssize_t find_by_parts(int kind, const void *text, ssize_t length, Needle *pattern)
{
    if (kind == 1 && pattern->direction > 0) {
        const char *at = memmem(text, (size_t)length, pattern->data, (size_t)pattern->length);
        return at ? at - (const char *)text : -1;
    }
    prepare(pattern);
    ssize_t position = BY_KIND(kind, two_way, text, length, pattern);
    return position < 0 || pattern->direction > 0 ? position : length - position - pattern->length;
}

ssize_t text_find(int kind, const void *text, ssize_t length, int pattern_kind, const void *data,
                  ssize_t pattern_length, int direction)
{
    if (pattern_length > length || pattern_kind > kind) return -1;
    if (pattern_length == 0) return direction > 0 ? 0 : length;
    if (pattern_length == 1)
        return text_find_point(kind, text, length, point_get(pattern_kind, data, 0), direction);
    Needle pattern;
    pattern.data = data, pattern.length = pattern_length;
    pattern.kind = pattern_kind, pattern.direction = direction;
    ssize_t start = 0, stop = length - pattern_length + 1;
    ssize_t found = kind == 1 ? find_by_first(1, text, &start, &stop, &pattern)
                              : find_by_first(kind, text, &start, &stop, &pattern);
    if (found >= 0 || start >= stop) return found;
    found = find_by_parts(kind, point_at(kind, text, start), stop - start + pattern_length - 1,
                          &pattern);
    return found < 0 ? -1 : start + found;
}

// ---- counting

SPECIALISED ssize_t count_point(int kind, const void *text, ssize_t length, uint32_t point)
{
    ssize_t count = 0;
    for (ssize_t i = 0; i < length; i++) count += point_get(kind, text, i) == point;
    return count;
}

ssize_t text_count(int kind, const void *text, ssize_t length, int pattern_kind,
                   const void *pattern, ssize_t pattern_length, ssize_t most, TextPlaces *places)
{
    if (places) places->count = 0;
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
        if (places && count < TEXT_PLACES) places->at[places->count++] = at + found;
        at += found + pattern_length;
        count++;
    }
    return count;
}
