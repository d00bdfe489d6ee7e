// UTF-8, the only encoding used outside of str objects.
#pragma once

#include <stddef.h>
#include <stdint.h>

// An error in a text: the reason in the words of CPython, and the number of invalid bytes.
typedef struct DecodeProblem {
    const char *reason;
    ptrdiff_t size;
} DecodeProblem;

// Reads the code point at *at and moves *at past it. -1 if the bytes are not UTF-8: *at stays. Do
// not call at the end.
int32_t utf8_read(const unsigned char **at, const unsigned char *end, DecodeProblem *error);
// Measures the valid UTF-8 at the start of the text: the number of code points, and the bits that
// occur in them. Returns its end: `end`, or the position of the first error.
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
