// BLAKE2 (RFC 7693): digests of any length up to that of their kind, with a key, and as nodes of a
// tree of hashes.
//
//     Blake2 hash;
//     blake2_begin(&hash, &blake2b, &parameters);
//     blake2_update(&hash, bytes, size); ...
//     blake2_end(&hash, digest);            parameters.digest_size bytes; it may go on
#pragma once

#include "vm/modules/hashes/hash.h"

// blake2b has words of 64 bits, blake2s of 32. All sizes are numbers of words: 16 a block, 8 the
// longest digest and key, 2 salt and person. The first state is that of SHA-2 with such words.
typedef struct Blake2Kind {
    const char *name;
    const HashKind *words; // of the same size: its block, digest and first state
    int rounds, offset_size;
    int rotations[4];
} Blake2Kind;

extern const Blake2Kind blake2b, blake2s;

typedef struct Piece {
    const uint8_t *bytes;
    size_t size;
} Piece;

typedef struct Blake2Parameters {
    int digest_size;
    Piece key, salt, person; // within the kind's limits
    int fanout, depth, node_depth, inner_size;
    uint32_t leaf_size;
    uint64_t node_offset;
    bool last_node;
} Blake2Parameters;

typedef struct Blake2 {
    const Blake2Kind *kind;
    int digest_size;
    bool last_node;
    uint64_t state[8];
    uint64_t size;                     // bytes that are mixed in
    uint8_t block[HASH_LONGEST_BLOCK]; // the last ones that have come: the last block is special
    size_t kept;                       // how many; 0 only at the beginning
} Blake2;

void blake2_begin(Blake2 *hash, const Blake2Kind *kind, const Blake2Parameters *parameters);
void blake2_update(Blake2 *hash, const void *data, size_t size);
void blake2_end(const Blake2 *hash, uint8_t *digest);
static inline int blake2_salt_size(const Blake2Kind *kind)
{
    return 2 * kind->words->word_size;
}
