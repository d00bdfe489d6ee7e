// Which lengths the codes of symbols get, so that a text takes the fewest bits (Huffman, 1952).
#pragma once

#include <stdint.h>

// The symbols in use are joined to a tree, always the two nodes that occur most seldom; the depth
// of a symbol is its code's length. `frequencies` has how often each occurs; `lengths` gets 0 for
// one that does not. No code is longer than `longest`. At least two symbols get a code: others that
// do not occur, where there are fewer. Returns the number of symbols up to the last that has one.
//
// RFC 1951 leaves open which of several equally good trees is made. This is zlib's choice, to the
// last tie, so that what is compressed here is what is compressed elsewhere.
int code_lengths(const uint16_t *frequencies, int count, int longest, uint8_t *lengths);

// The codes of these lengths: shorter ones come first, those of one length in the symbols' order
// (RFC 1951, 3.2.2). The bits are in reverse, as they are written from the lowest one.
void codes_of_lengths(const uint8_t *lengths, int count, uint16_t *codes);
