// SHA-3 (FIPS 202): a sponge. Blocks are taken into a part of 25 words, all of which are stirred
// after each; the other part, which no block reaches, is twice the digest's size. The digest is
// read from the first part, and where it is longer (SHAKE), after more stirring.
#include "vm/modules/hashes/hash.h"

#define WORDS 25
#define ROUNDS 24

static inline uint64_t rotate(uint64_t word, int bits)
{
    return word << bits | word >> (-bits & 63);
}

// A bit of a register of eight bits for each power of two below 64: they make each round unlike the
// others.
static const uint64_t round_constants[ROUNDS] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull,
    0x000000000000808bull, 0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull,
    0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull,
    0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull,
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};

// Each word of a column gets the parity of two others.
static inline void spread_parity(uint64_t state[WORDS])
{
    uint64_t parity[5];
    for (int x = 0; x < 5; x++)
        parity[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
    for (int x = 0; x < 5; x++) {
        uint64_t both = parity[(x + 4) % 5] ^ rotate(parity[(x + 1) % 5], 1);
        for (int y = 0; y < WORDS; y += 5) state[x + y] ^= both;
    }
}

// The words move along a path that meets all but the first one, turned by 1, 3, 6, 10 ... bits.
static inline void move_words(uint64_t state[WORDS])
{
    static const uint8_t path[WORDS - 1] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                                            15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};
    uint64_t moved = state[1];
#pragma GCC unroll 24
    for (int i = 0; i < WORDS - 1; i++) {
        uint64_t next = state[path[i]];
        state[path[i]] = rotate(moved, (i + 1) * (i + 2) / 2 % 64);
        moved = next;
    }
}

static inline void combine_rows(uint64_t state[WORDS])
{
    for (int y = 0; y < WORDS; y += 5) {
        uint64_t *row = state + y, first = row[0], second = row[1];
        for (int x = 0; x < 3; x++) row[x] ^= ~row[x + 1] & row[x + 2];
        row[3] ^= ~row[4] & first;
        row[4] ^= ~first & second;
    }
}

static void stir(uint64_t state[WORDS])
{
    for (int i = 0; i < ROUNDS; i++) {
        spread_parity(state);
        move_words(state);
        combine_rows(state);
        state[0] ^= round_constants[i];
    }
}

static inline void take_in(uint64_t state[WORDS], const uint8_t *block, int size)
{
    for (int i = 0; i < size / 8; i++) state[i] ^= hash_read_little(block + 8 * i, 8);
    stir(state);
}

void hash_squeeze(const Hash *hash, uint8_t *digest, size_t size)
{
    int block_size = hash->kind->block_size, kept = (int)(hash->size % (uint64_t)block_size);
    uint8_t last[HASH_LONGEST_BLOCK] = {0};
    uint64_t state[WORDS];
    memcpy(state, hash->state, sizeof state);
    memcpy(last, hash->block, (size_t)kept);
    last[kept] = hash->kind->suffix;
    last[block_size - 1] |= 0x80;
    hash->kind->mix(state, last);
    for (size_t done = 0; done < size; done++) {
        int at = (int)(done % (size_t)block_size);
        if (done && !at) stir(state);
        digest[done] = (uint8_t)(state[at / 8] >> at % 8 * 8);
    }
}

#define SPONGE(ID, NAME, DIGEST_SIZE, BLOCK_SIZE, SUFFIX)                                          \
    static void mix_##ID(uint64_t *state, const uint8_t *block)                                    \
    {                                                                                              \
        take_in(state, block, BLOCK_SIZE);                                                         \
    }                                                                                              \
    const HashKind hash_##ID = {.name = NAME,                                                      \
                                .digest_size = DIGEST_SIZE,                                        \
                                .block_size = BLOCK_SIZE,                                          \
                                .suffix = SUFFIX,                                                  \
                                .mix = mix_##ID};
SPONGE(sha3_224, "sha3_224", 28, 144, 0x06)
SPONGE(sha3_256, "sha3_256", 32, 136, 0x06)
SPONGE(sha3_384, "sha3_384", 48, 104, 0x06)
SPONGE(sha3_512, "sha3_512", 64, 72, 0x06)
SPONGE(shake_128, "shake_128", 0, 168, 0x1F)
SPONGE(shake_256, "shake_256", 0, 136, 0x1F)
