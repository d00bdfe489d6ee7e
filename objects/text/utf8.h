// UTF-8, the only encoding used outside of str objects.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An error in a text: the reason in the words of CPython, and the number of invalid bytes.
typedef struct DecodeProblem {
    const char *reason;
    ptrdiff_t size;
} DecodeProblem;

// What is wrong where no code point can be read: -1.
int32_t utf8_fail(const unsigned char *at, const unsigned char *end, DecodeProblem *error);
// The code point of the `size` bytes that one of this length has; -1 if they are none.
static inline int32_t utf8_point(const unsigned char *bytes, int size)
{
    int32_t point = bytes[0] & (0x7F >> size);
    int32_t least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
    for (int i = 1; i < size; i++) {
        if ((bytes[i] & 0xC0) != 0x80) return -1;
        point = point << 6 | (bytes[i] & 0x3F);
    }
    bool is_surrogate = size == 3 && point >> 11 == 0xD800 >> 11;
    return point < least || point > 0x10FFFF || is_surrogate ? -1 : point;
}
// Reads the code point at *at and moves *at past it. -1 if the bytes are not UTF-8: *at stays. Do
// not call at the end.
static inline int32_t utf8_read(const unsigned char **at, const unsigned char *end,
                                DecodeProblem *error)
{
    const unsigned char *bytes = *at;
    ptrdiff_t left = end - bytes;
    int32_t point = -1;
    if (bytes[0] < 0x80) return *(*at)++;
    if (bytes[0] < 0xC0) return utf8_fail(bytes, end, error);
    if (bytes[0] < 0xE0) {
        if (left >= 2 && (point = utf8_point(bytes, 2)) >= 0) *at += 2;
    } else if (bytes[0] < 0xF0) {
        if (left >= 3 && (point = utf8_point(bytes, 3)) >= 0) *at += 3;
    } else if (bytes[0] < 0xF8) {
        if (left >= 4 && (point = utf8_point(bytes, 4)) >= 0) *at += 4;
    }
    return point >= 0 ? point : utf8_fail(bytes, end, error);
}
// The same of what is known to be UTF-8.
static inline uint32_t utf8_read_valid(const unsigned char **at)
{
    const unsigned char *bytes = *at;
    int size = bytes[0] < 0x80 ? 1 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
    *at += size;
    if (size == 1) return bytes[0];
    if (size == 2) return (bytes[0] & 0x1Fu) << 6 | (bytes[1] & 0x3Fu);
    uint32_t point =
        (bytes[0] & (0x7Fu >> size)) << 12 | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3Fu);
    return size == 3 ? point : point << 6 | (bytes[3] & 0x3Fu);
}
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
