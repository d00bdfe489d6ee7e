// UTF-8, the one coding that everything outside a str uses.
#pragma once

#include <stddef.h>
#include <stdint.h>

// What is wrong at a place of a text, as CPython words it, and how many bytes it takes in.
typedef struct DecodeProblem {
    const char *reason;
    ptrdiff_t size;
} DecodeProblem;

// The code point at *at, which moves behind it; -1 where the bytes are not UTF-8: *at stays. Not at
// the end.
int32_t utf8_read(const unsigned char **at, const unsigned char *end, DecodeProblem *error);
// The valid UTF-8 at the start of the text: how many code points, and the bits that occur in them.
// Returns the place where it ends: `end`, or that of the first error.
const unsigned char *utf8_measure(const unsigned char *at, const unsigned char *end,
                                  ptrdiff_t *count, uint32_t *bits);
// Writes a code point (surrogates too): returns how many bytes, up to 4.
static inline int utf8_write(uint32_t point, char *bytes)
{
    if (point < 0x80) {
        bytes[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        bytes[0] = (char)(0xC0 | point >> 6);
        bytes[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    int size = point < 0x10000 ? 3 : 4;
    bytes[0] = (char)(size == 3 ? 0xE0 | point >> 12 : 0xF0 | point >> 18);
    if (size == 4) bytes[1] = (char)(0x80 | (point >> 12 & 0x3F));
    bytes[size - 2] = (char)(0x80 | (point >> 6 & 0x3F));
    bytes[size - 1] = (char)(0x80 | (point & 0x3F));
    return size;
}
