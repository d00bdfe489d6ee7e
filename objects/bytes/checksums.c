// See checksums.h.
#include "objects/bytes/checksums.h"

#include <stdbool.h>

// What a byte that is shifted out does to the sum: the remainder of a division of polynomials whose
// coefficients are bits, the lowest power in the highest bit. crc_tables[n] says what it does when
// n more bytes are shifted out after it.
//
// A word of eight bytes needs the sum of the word before, and so waits for its tables. LANES words
// that follow one another wait for nothing of each other: each goes with the word at its place in
// the next block, and what they leave is put together at the end.
#define POLYNOMIAL UINT32_C(0xedb88320)
#define WORD 8
#define LANES 4
#define BLOCK (LANES * WORD)
static uint32_t crc_tables[BLOCK][256];

static void fill_crc_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte;
        for (int bit = 0; bit < 8; bit++) rest = rest & 1 ? rest >> 1 ^ POLYNOMIAL : rest >> 1;
        crc_tables[0][byte] = rest;
    }
    for (int n = 1; n < BLOCK; n++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t rest = crc_tables[n - 1][byte];
            crc_tables[n][byte] = rest >> 8 ^ crc_tables[0][rest & 255];
        }
}

// What a word leaves when `later` more bytes are shifted out after it. Written out: a loop of eight
// would cost as much again.
static inline uint32_t rest_of(uint32_t sum, const uint8_t *bytes, int later)
{
    const uint32_t(*tables)[256] = crc_tables + later;
    uint32_t first = tables[7][(bytes[0] ^ sum) & 255] ^ tables[6][(bytes[1] ^ sum >> 8) & 255] ^
                     tables[5][(bytes[2] ^ sum >> 16) & 255] ^ tables[4][bytes[3] ^ sum >> 24];
    return first ^ tables[3][bytes[4]] ^ tables[2][bytes[5]] ^ tables[1][bytes[6]] ^
           tables[0][bytes[7]];
}

uint32_t zlib_crc32(uint32_t sum, const uint8_t *bytes, size_t size)
{
    if (!crc_tables[0][1]) fill_crc_tables();
    uint32_t lanes[LANES] = {~sum};
    for (; size >= 2 * BLOCK; size -= BLOCK, bytes += BLOCK)
        for (int i = 0; i < LANES; i++)
            lanes[i] = rest_of(lanes[i], bytes + i * WORD, BLOCK - WORD);
    sum = 0;
    for (int i = 0; i < LANES; i++) {
        sum ^= lanes[i];
        if (size < WORD) continue;
        sum = rest_of(sum, bytes, 0);
        size -= WORD;
        bytes += WORD;
    }
    for (; size >= WORD; size -= WORD, bytes += WORD) sum = rest_of(sum, bytes, 0);
    for (; size; size--, bytes++) sum = sum >> 8 ^ crc_tables[0][(sum ^ *bytes) & 255];
    return ~sum;
}

// Two sums modulo the largest prime below 2**16: of the bytes, and of the sums so far. So many
// bytes can be added before the second one needs more than 32 bits.
#define BASE 65521
#define BYTES_AT_ONCE 5552

uint32_t zlib_adler32(uint32_t sum, const uint8_t *bytes, size_t size)
{
    uint32_t low = sum & 0xffff, high = sum >> 16;
    while (size > 0) {
        size_t part = size < BYTES_AT_ONCE ? size : BYTES_AT_ONCE;
        for (size_t i = 0; i < part; i++) {
            low += bytes[i];
            high += low;
        }
        low %= BASE;
        high %= BASE;
        bytes += part;
        size -= part;
    }
    return high << 16 | low;
}
