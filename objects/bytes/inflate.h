// Decompression: RFC 1951, in zlib's wrapping (RFC 1950), gzip's (RFC 1952) or none.
//
//     Inflater inflater;
//     inflate_begin(&inflater, INFLATE_ANY, 15);
//     do {
//         inflate_take(&inflater, bytes, size);
//         result = inflate_run(&inflater, most);
//     } while (result == INFLATE_OK);
//     inflate_free(&inflater);
//
// A stream may be cut anywhere. Nothing in it can make the reader read or write where it must not:
// each distance is held against what has been written.
#pragma once

#include "objects/bytes/bytes_out.h"
#include "objects/bytes/deflate_codes.h"

typedef enum InflateWrapping {
    INFLATE_RAW,
    INFLATE_ZLIB,
    INFLATE_GZIP,
    INFLATE_ANY, // zlib's or gzip's
} InflateWrapping;

// zlib's numbers.
typedef enum InflateResult {
    INFLATE_OK = 0,
    INFLATE_END = 1,
    INFLATE_NEEDS_DICTIONARY = 2,
    INFLATE_WRONG = -3, // `fault` says what
    INFLATE_NO_MEMORY = -4,
} InflateResult;

// Symbols by their codes. A code is found in `quick` by the next QUICK_BITS bits, if it is not
// longer; else bit by bit.
#define QUICK_BITS 11
typedef struct Decoder {
    uint16_t quick[1 << QUICK_BITS];   // symbol << 4 | length; 0 = longer, or none
    uint16_t counts[LONGEST_CODE + 1]; // of codes of each length
    int longest;
    uint16_t symbols[FIXED_SYMBOLS]; // in the order of their codes
} Decoder;

typedef struct Inflater Inflater;
// Does a small part of the work: reads one field or symbol, or copies some bytes. It reads a field
// as a whole or not at all.
typedef enum StepResult {
    STEP_DONE,
    STEP_NEEDS_INPUT,
    STEP_NEEDS_ROOM,
    STEP_NEEDS_DICTIONARY,
    STEP_ENDS,
    STEP_IS_WRONG,
} StepResult;
typedef StepResult (*Step)(Inflater *inflater);

struct Inflater {
    Step step; // what comes next
    InflateWrapping wrapping;
    int window_bits; // 8 to 15; 0 = what the stream says
    bool is_gzip, has_dictionary;
    uint32_t dictionary_sum;
    uint32_t checksum, written; // of what was written; modulo 2**32
    const char *fault;          // zlib's words

    const uint8_t *input;
    size_t input_size;
    uint64_t bits; // that were taken from the input and not used, the first one lowest
    int bit_count;

    BytesOut out;     // the last bytes of what came before, and what is written now
    size_t out_begin; // where the latter begins
    size_t room;      // how much more may be written now
    size_t summed;    // up to here `checksum` has it

    bool is_last_block;
    int copy_length, copy_distance; // of the match, or of the stored bytes, not written yet
    int literal_count, distance_count, length_count; // of a dynamic block
    int at;                                          // in `lengths`
    uint8_t lengths[LITERAL_SYMBOLS + DISTANCE_SYMBOLS + 4];
    Decoder literals, distances; // also of the lengths, before
    unsigned gzip_flags;
    uint32_t head_sum;
};

// Most symbols are read BYTES_AHEAD bytes at a time, unless there is less room than this.
#define BYTES_AHEAD 8
#define INFLATE_SLACK (LONGEST_MATCH + BYTES_AHEAD)
void inflate_begin(Inflater *inflater, InflateWrapping wrapping, int window_bits);
// The bytes stay the caller's, and must stay while inflate_run() reads them.
void inflate_take(Inflater *inflater, const uint8_t *bytes, size_t size);
// Writes at most so many bytes, to inflater->out from out_begin on. What it has not read then is
// inflater->input. INFLATE_OK: it needs more input or more room.
InflateResult inflate_run(Inflater *inflater, size_t most);
// The text that both sides know. False: it is not the one that was used.
bool inflate_set_dictionary(Inflater *inflater, const uint8_t *bytes, size_t size);
bool inflate_copy(Inflater *copy, const Inflater *inflater);
void inflate_free(Inflater *inflater);
