// Compression (RFC 1951), in one of three wrappings: none, zlib's (RFC 1950) or gzip's (RFC 1952).
//
//     Deflater deflater;
//     deflate_begin(&deflater, &options, &out);         NULL, or what is wrong
//     deflate_add(&deflater, bytes, size, FLUSH_NONE);  as often as bytes come
//     deflate_add(&deflater, NULL, 0, FLUSH_FINISH);
//     deflate_free(&deflater);
//
// What is made is appended to `out`; if out.failed then, memory is exhausted.
//
// Repeated text is found by a table of the positions where three bytes have occurred:
// deflate_match.c. The result is the one of zlib 1.2.13, byte by byte, but for where the blocks of
// level 0 begin.
#pragma once

#include "vm/modules/zlib/block_writer.h"

// The numbers are zlib's.
typedef enum Flush {
    FLUSH_NONE,
    FLUSH_PARTIAL, // all that came can be read
    FLUSH_SYNC,    // and what comes next begins at a whole byte
    FLUSH_FULL,    // and it refers to nothing that came before
    FLUSH_FINISH,
    FLUSH_BLOCK, // the block ends
} Flush;

typedef enum Strategy {
    STRATEGY_DEFAULT,
    STRATEGY_FILTERED, // no matches of fewer than six bytes
    STRATEGY_HUFFMAN,  // no matches
    STRATEGY_RUNS,     // matches with the byte before only
    STRATEGY_FIXED,    // no codes of its own
} Strategy;

typedef enum Wrapping { WRAPPING_NONE, WRAPPING_ZLIB, WRAPPING_GZIP } Wrapping;

typedef struct DeflateOptions {
    int level;       // 0 to 9; -1 = 6
    int window_bits; // 9 to 15: matches are less than 2**window_bits back
    int memory;      // 1 to 9: the sizes of the table and of the blocks
    Strategy strategy;
    Wrapping wrapping;
    const uint8_t *dictionary; // text that both sides know, or NULL
    size_t dictionary_size;
} DeflateOptions;

typedef struct Deflater {
    int level, window_bits, hash_bits;
    Strategy strategy;
    Wrapping wrapping;
    bool has_dictionary, has_begun, has_ended;
    Flush last_flush;
    uint32_t checksum;
    uint32_t input_size; // modulo 2**32, as gzip has it

    // The text, of which the first `at` bytes are compressed and `ahead` more are there.
    uint8_t *window; // two times 2**window_bits bytes
    int at, ahead;
    int block_start; // where the block that is collected begins; < 0: it has left the window
    int not_noted;   // bytes before `at` whose positions are not in the table yet

    // Positions in the window of three bytes with the same hash, the last one first:
    // newest[hash], older[newest[hash]], … 0 ends it.
    uint16_t *newest, *older;

    // The match at the position before `at`, where something better is still looked for.
    bool has_candidate; // the byte before `at` is not written yet
    int match_length, match_start;

    BlockWriter blocks;
} Deflater;

// False with out->failed: no memory. What was begun is to be freed all the same.
bool deflate_begin(Deflater *deflater, const DeflateOptions *options, BytesOut *out);
void deflate_add(Deflater *deflater, const uint8_t *bytes, size_t size, Flush flush);
// A copy that goes on by itself, and writes to `out`.
bool deflate_copy(Deflater *copy, const Deflater *deflater, BytesOut *out);
void deflate_free(Deflater *deflater);

// ---- between deflate.c and deflate_match.c

#define LEAST_AHEAD (LONGEST_MATCH + SHORTEST_MATCH + 1) // where matches are looked for
static inline int window_size(const Deflater *deflater)
{
    return 1 << deflater->window_bits;
}
// Positions that are not further back than this are tried.
static inline int furthest_match(const Deflater *deflater)
{
    return window_size(deflater) - LEAST_AHEAD;
}

typedef struct Input {
    const uint8_t *bytes;
    size_t size;
} Input;
// Moves as much as fits from the input to the window.
void deflate_fill(Deflater *deflater, Input *input);
// Writes the block of all bytes before `at` that are not in one yet.
void deflate_end_block(Deflater *deflater, bool is_last);

// Collects the symbols for the input, and ends blocks that are full. Unless it is to be `all`, some
// bytes stay ahead, for a longer match may begin there.
void deflate_matches(Deflater *deflater, Input *input, bool all);
// Notes the position of the three bytes at `position`. Returns the one before it with the same
// hash.
int deflate_note(Deflater *deflater, int position);
void deflate_forget(Deflater *deflater); // all positions
