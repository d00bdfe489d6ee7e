// Cryptographic hashes: a digest of a text that comes in pieces.
//
//     Hash hash;
//     hash_begin(&hash, &hash_sha256);
//     hash_update(&hash, bytes, size); ...
//     hash_end(&hash, digest);            digest_size bytes, of all that has come; it may go on
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_LONGEST_DIGEST 64
#define HASH_LONGEST_BLOCK 168
#define HASH_STATE 25 // words

typedef struct HashKind {
    const char *name;
    int digest_size, block_size; // in bytes; the digest's may be 0: as many as are wanted
    uint8_t suffix;              // of a sponge (sha3.c): what ends the text
    int word_size;               // of the state: 4 or 8 bytes
    bool is_little;              // words are written with the lowest byte first
    uint64_t start[8];           // the first state
    void (*mix)(uint64_t *state, const uint8_t *block);
} HashKind;

typedef struct Hash {
    const HashKind *kind;
    uint64_t state[HASH_STATE]; // all but a sponge have eight words
    uint64_t size; // bytes that have come; the last size % block_size of them are in `block`
    uint8_t block[HASH_LONGEST_BLOCK];
} Hash;

extern const HashKind hash_md5, hash_sha1, hash_sha224, hash_sha256, hash_sha384, hash_sha512,
    hash_sha3_224, hash_sha3_256, hash_sha3_384, hash_sha3_512, hash_shake_128, hash_shake_256;

void hash_begin(Hash *hash, const HashKind *kind);
void hash_update(Hash *hash, const void *data, size_t size);
void hash_end(const Hash *hash, uint8_t *digest);
void hash_squeeze(const Hash *hash, uint8_t *digest, size_t size); // of a sponge, of any size
// The digest of one text.
void hash_whole(const HashKind *kind, const void *data, size_t size, uint8_t *digest);

// For the kinds: a number of 4 or 8 bytes. Each byte is named, so that the compiler finds one load.
static inline uint32_t hash_read_big_4(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}
static inline uint64_t hash_read_big_8(const uint8_t *bytes)
{
    return (uint64_t)hash_read_big_4(bytes) << 32 | hash_read_big_4(bytes + 4);
}
static inline uint32_t hash_read_little_4(const uint8_t *bytes)
{
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}
static inline uint64_t hash_read_little(const uint8_t *bytes, int size)
{
    uint64_t low = hash_read_little_4(bytes);
    return size == 4 ? low : (uint64_t)hash_read_little_4(bytes + 4) << 32 | low;
}
