// scrypt (RFC 7914): makes a table of `n` values of 128 * r bytes, each from the one before, then
// goes to places in it that depend on the values: who has no room for the table takes long.
#include "vm/modules/hashes/scrypt.h"

#include "objects/memory.h"
#include "objects/upcalls.h"
#include "vm/modules/hashes/hash.h"

#define CHUNK 16 // words of 32 bits

static inline uint32_t rotate(uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

static inline void quarter(uint32_t *w, int a, int b, int c, int d)
{
    w[b] ^= rotate(w[a] + w[d], 7);
    w[c] ^= rotate(w[b] + w[a], 9);
    w[d] ^= rotate(w[c] + w[b], 13);
    w[a] ^= rotate(w[d] + w[c], 18);
}

// Salsa20 with 8 rounds: columns, then rows.
static void salsa(uint32_t chunk[CHUNK])
{
    uint32_t w[CHUNK];
    memcpy(w, chunk, sizeof w);
    for (int i = 0; i < 4; i++) {
        quarter(w, 0, 4, 8, 12), quarter(w, 5, 9, 13, 1);
        quarter(w, 10, 14, 2, 6), quarter(w, 15, 3, 7, 11);
        quarter(w, 0, 1, 2, 3), quarter(w, 5, 6, 7, 4);
        quarter(w, 10, 11, 8, 9), quarter(w, 15, 12, 13, 14);
    }
    for (int i = 0; i < CHUNK; i++) chunk[i] += w[i];
}

// Each chunk is mixed into the one before; those at even places come first in `to`.
static void mix_value(const uint32_t *from, uint32_t *to, size_t r)
{
    uint32_t chunk[CHUNK];
    memcpy(chunk, from + (2 * r - 1) * CHUNK, sizeof chunk);
    for (size_t i = 0; i < 2 * r; i++) {
        for (int k = 0; k < CHUNK; k++) chunk[k] ^= from[i * CHUNK + k];
        salsa(chunk);
        memcpy(to + (i / 2 + i % 2 * r) * CHUNK, chunk, sizeof chunk);
    }
}

// `table` has room for n + 1 values, the last of which is for work.
static bool mix_table(uint32_t *value, uint32_t *table, size_t n, size_t r)
{
    size_t words = 2 * r * CHUNK;
    uint32_t *other = table + n * words;
    for (size_t i = 0; i < n; i++) {
        memcpy(table + i * words, value, words * sizeof *value);
        mix_value(table + i * words, value, r);
        if (!(i & 0xFF) && !poll_signals()) return false;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t last = value[(2 * r - 1) * CHUNK] | (uint64_t)value[(2 * r - 1) * CHUNK + 1] << 32;
        const uint32_t *found = table + (size_t)(last & (n - 1)) * words;
        for (size_t k = 0; k < words; k++) other[k] = value[k] ^ found[k];
        mix_value(other, value, r);
        if (!(i & 0xFF) && !poll_signals()) return false;
    }
    return true;
}

ScryptEnd scrypt_mix(uint8_t *block, size_t n, size_t r)
{
    size_t words = 2 * r * CHUNK;
    uint32_t *table = memory_alloc((n + 2) * words * sizeof *table);
    if (!table) return SCRYPT_NO_MEMORY;
    uint32_t *value = table + (n + 1) * words;
    for (size_t i = 0; i < words; i++) value[i] = hash_read_little_4(block + 4 * i);
    bool done = mix_table(value, table, n, r);
    for (size_t i = 0; i < 4 * words; i++) block[i] = (uint8_t)(value[i / 4] >> i % 4 * 8);
    memory_free(table);
    return done ? SCRYPT_DONE : SCRYPT_INTERRUPTED;
}
