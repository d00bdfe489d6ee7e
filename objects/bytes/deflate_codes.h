// Facts of the format "deflate" (RFC 1951) that both directions use.
//
// A compressed text is a sequence of symbols: 0 to 255 are bytes, END_OF_BLOCK ends a block, and
// those from FIRST_LENGTH on say "copy so many bytes from so far back". A length is its symbol's
// base plus a number in so many extra bits; so is the distance, which has symbols of its own.
// Symbols are written in Huffman codes: bits, fewer for those that occur often.
#pragma once

#include <stdint.h>

#define END_OF_BLOCK 256
#define FIRST_LENGTH 257
#define LENGTH_SYMBOLS 29   // of lengths 3 to 258
#define LITERAL_SYMBOLS 286 // bytes, the end, lengths
#define DISTANCE_SYMBOLS 30
#define LONGEST_CODE 15
#define SHORTEST_MATCH 3
#define LONGEST_MATCH 258
#define LARGEST_WINDOW 15 // bits: distances up to 32768

typedef enum BlockKind { BLOCK_STORED, BLOCK_FIXED, BLOCK_DYNAMIC } BlockKind;

extern const uint16_t length_bases[LENGTH_SYMBOLS], distance_bases[DISTANCE_SYMBOLS];
extern const uint8_t length_extra_bits[LENGTH_SYMBOLS], distance_extra_bits[DISTANCE_SYMBOLS];

// A dynamic block begins with the lengths of its codes, which are symbols again: 0 to 15 are
// lengths, the others repeat (the one before, or 0). The lengths of *their* codes come in this
// order, in which those at the end are the most seldom ones.
#define REPEAT_LAST 16        // 3 to 6 times, 2 extra bits
#define REPEAT_ZERO 17        // 3 to 10 times, 3 extra bits
#define REPEAT_ZERO_LONGER 18 // 11 to 138 times, 7 extra bits
#define LENGTH_CODE_SYMBOLS 19
#define LONGEST_LENGTH_CODE 7
extern const uint8_t length_code_order[LENGTH_CODE_SYMBOLS];
extern const uint8_t repeat_extra_bits[LENGTH_CODE_SYMBOLS], repeat_bases[LENGTH_CODE_SYMBOLS];

// The lengths of the codes in a fixed block, which need not be written.
#define FIXED_SYMBOLS 288 // two of them never occur
#define FIXED_DISTANCE_LENGTH 5
static inline int fixed_code_length(int symbol)
{
    return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}
