// See deflate_codes.h: RFC 1951, sections 3.2.5 and 3.2.7.
#include "objects/bytes/deflate_codes.h"

const uint16_t length_bases[LENGTH_SYMBOLS] = {
    3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23,  27,
    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
};
const uint8_t length_extra_bits[LENGTH_SYMBOLS] = {
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
};
const uint16_t distance_bases[DISTANCE_SYMBOLS] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
};
const uint8_t distance_extra_bits[DISTANCE_SYMBOLS] = {
    0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
    6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
};

const uint8_t length_code_order[LENGTH_CODE_SYMBOLS] = {
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
};
const uint8_t repeat_extra_bits[LENGTH_CODE_SYMBOLS] = {
    [REPEAT_LAST] = 2,
    [REPEAT_ZERO] = 3,
    [REPEAT_ZERO_LONGER] = 7,
};
const uint8_t repeat_bases[LENGTH_CODE_SYMBOLS] = {
    [REPEAT_LAST] = 3,
    [REPEAT_ZERO] = 3,
    [REPEAT_ZERO_LONGER] = 11,
};
