// UTF-8: one code point at a time, and measuring a whole text.
//
//     00..7F                      0xxxxxxx
//     C2..DF 80..BF               110xxxxx 10xxxxxx
//     E0..EF 80..BF 80..BF        not below U+0800 (E0 9F), no surrogates (ED A0)
//     F0..F4 80..BF 80..BF 80..BF not below U+10000 (F0 8F), not above U+10FFFF (F4 90)
//
// An error covers the bytes that could have begun a character, counted as in CPython: the error
// handlers replace exactly these.
#include "objects/text/utf8.h"

#include "objects/invariant.h"

#include <string.h>

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

// The length of a character by its first byte; 0 = it cannot be the first.
static int announced(unsigned char first)
{
    if (first < 0xC2) return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

// May `second` follow `first`? Rules out overlong forms, surrogates and numbers above U+10FFFF.
static bool second_fits(unsigned char first, unsigned char second)
{
    if (!is_continuation(second)) return false;
    if (first == 0xE0) return second >= 0xA0;
    if (first == 0xED) return second < 0xA0;
    if (first == 0xF0) return second >= 0x90;
    if (first == 0xF4) return second < 0x90;
    return true;
}

static int32_t fail(DecodeProblem *error, const char *reason, ptrdiff_t size)
{
    error->reason = reason;
    error->size = size;
    return -1;
}

int32_t utf8_fail(const unsigned char *at, const unsigned char *end, DecodeProblem *error)
{
    int size = announced(at[0]);
    if (!size) return fail(error, "invalid start byte", 1);
    for (int i = 1; i < size; i++) {
        if (at + i == end) return fail(error, "unexpected end of data", end - at);
        bool fits = i == 1 ? second_fits(at[0], at[1]) : is_continuation(at[i]);
        if (!fits) return fail(error, "invalid continuation byte", i);
    }
    invariant(false, "what cannot be read as UTF-8 has something wrong in it");
    return -1;
}

// The end of the ASCII that a text begins with.
static const unsigned char *skip_ascii(const unsigned char *at, const unsigned char *end)
{
    for (uint64_t word; end - at >= 8; at += 8) {
        memcpy(&word, at, sizeof word);
        if (word & 0x8080808080808080ull) break;
    }
    while (at < end && *at < 0x80) at++;
    return at;
}

static uint32_t pair_at(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

#define BLOCK 128

// Counts in a block the characters that begin, and those above U+00FF. -1 if it has other than
// ASCII and characters of two bytes, of which the last may end after it. The compiler makes vectors
// of it: nothing branches, and all numbers have one width.
static int block_of_pairs(const unsigned char *at, int *wide)
{
    unsigned char bad = 0, others = 0, high = 0, seconds = 0;
    for (int i = 0; i < BLOCK; i++) bad += (at[i] > 0xBF) != ((at[i + 1] & 0xC0) == 0x80);
    for (int i = 0; i < BLOCK; i++) others += at[i] > 0xDF || (at[i] & 0xFE) == 0xC0;
    for (int i = 0; i < BLOCK; i++) high += at[i] > 0xC3;
    for (int i = 0; i < BLOCK; i++) seconds += (at[i] & 0xC0) == 0x80;
    *wide = high;
    return bad || others ? -1 : BLOCK - seconds;
}

const unsigned char *utf8_measure(const unsigned char *at, const unsigned char *end,
                                  ptrdiff_t *count, uint32_t *bits)
{
    DecodeProblem error;
    ptrdiff_t points = 0;
    uint32_t found = 0, pairs = 0; // of the characters of two bytes: these bytes
    for (int32_t point = 0; at < end && point >= 0;) {
        const unsigned char *start = at;
        at = skip_ascii(at, end);
        points += at - start;
        if (at > start) found |= 0x7F;
        bool begins = at < end && announced(*at) == 2;
        for (int starts, wide; begins && end - at > BLOCK;) {
            if ((starts = block_of_pairs(at, &wide)) < 0) break;
            bool cut = at[BLOCK - 1] > 0xBF; // the last character is left for what follows
            points += starts - cut;
            at += BLOCK - cut;
            found |= wide ? 0x7FF : 0xFF;
        }
        while (end - at >= 2) {
            uint32_t pair = pair_at(at), two = end - at >= 4 ? pair | pair_at(at + 2) << 16 : 0;
            if ((two & 0xC0E0C0E0) == 0x80C080C0 && two & 0x1E && two & 0x1E0000) {
                pairs |= two | two >> 16;
                points += 2;
                at += 4;
                continue;
            }
            if ((pair & 0xC0E0) != 0x80C0 || !(pair & 0x1E)) break; // no C2..DF 80..BF
            pairs |= pair;
            points++;
            at += 2;
            if (end - at < 2 || at[0] >= 0x80 || at[1] < 0x80) continue;
            points++; // one of ASCII between others, such as a space
            at++;
        }
        for (; at < end && *at >= 0x80 && (point = utf8_read(&at, end, &error)) >= 0; points++)
            found |= (uint32_t)point;
    }
    *count = points;
    *bits = found | (pairs & 0x1F) << 6 | (pairs >> 8 & 0x3F);
    return at;
}
