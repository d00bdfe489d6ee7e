// What a character is worth as a digit: of int(), hexadecimal texts and escapes.
#pragma once

#include <stdint.h>

#define NO_DIGIT 99
extern const uint8_t digit_values[256]; // by byte

// 0 to 35 for the digits and letters of ASCII, which a base of at most 36 has the first of; else
// NO_DIGIT.
static inline int digit_value(uint32_t point)
{
    return point < 128 ? digit_values[point] : NO_DIGIT;
}
