// Writes blocks of the format "deflate" (deflate_codes.h): symbols are collected, and when the
// block is closed it is written in the shortest of three ways: as it is, in fixed codes or in codes
// of its own.
#pragma once

#include "objects/bytes/bytes_out.h"
#include "objects/bytes/deflate_codes.h"

typedef struct BlockSymbol {
    uint16_t distance; // 0 = a byte
    uint8_t literal;   // the byte, or the length - SHORTEST_MATCH
} BlockSymbol;

typedef struct BlockWriter {
    BytesOut *out;
    uint64_t bits; // that fill no whole byte yet, the first one lowest
    int bit_count;
    BlockSymbol *symbols; // memory_alloc()'s
    int count, capacity;  // a block is full at capacity - 1
    uint16_t literals[LITERAL_SYMBOLS], distances[DISTANCE_SYMBOLS]; // how often each occurs
} BlockWriter;

void writer_begin(BlockWriter *writer);
// A byte; a match of so many bytes so far back. True: the block is full.
bool writer_add_byte(BlockWriter *writer, uint8_t byte);
bool writer_add_match(BlockWriter *writer, int distance, int length);
// Writes the block, and begins the next one. `bytes` are the `size` bytes it stands for, or NULL
// where they are not at hand. `only_fixed`: it gets no codes of its own. `is_last` ends the text.
void writer_end_block(BlockWriter *writer, bool only_fixed, const uint8_t *bytes, size_t size,
                      bool is_last);
// Begins a stored block, which ends at a whole byte: the caller appends so many bytes to `out`, at
// most STORED_MOST. One of no bytes is the mark of a flush.
#define STORED_MOST 65535
void writer_begin_stored(BlockWriter *writer, size_t size, bool is_last);
// An empty fixed block: up to ten bits, after which all that came before can be read.
void writer_add_empty(BlockWriter *writer);
// Fills the last byte with zeros.
void writer_fill_byte(BlockWriter *writer);
