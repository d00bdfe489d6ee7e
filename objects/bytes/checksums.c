// See checksums.h.
#include "objects/bytes/checksums.h"

#include <stdbool.h>

// What a byte that is shifted out does to the sum: the remainder of a division of polynomials whose
// coefficients are bits, the lowest power in the highest bit. crc_tables[n] says what it does when
// n more bytes are shifted out after it, so that eight bytes are taken at once.
#define POLYNOMIAL UINT32_C(0xedb88320)
#define AT_ONCE 8
static uint32_t crc_tables[AT_ONCE][256];

static void fill_crc_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte;
        for (int n = 0; n < AT_ONCE; n++) {
            for (int bit = 0; bit < 8; bit++) rest = rest & 1 ? rest >> 1 ^ POLYNOMIAL : rest >> 1;
            crc_tables[n][byte] = rest;
        }
    }
}

// Written out: a loop of eight would cost as much again.
static inline uint32_t add_eight(uint32_t sum, const uint8_t *bytes)
{
    const uint32_t(*tables)[256] = crc_tables;
    uint32_t first = tables[7][(bytes[0] ^ sum) & 255] ^ tables[6][(bytes[1] ^ sum >> 8) & 255] ^
                     tables[5][(bytes[2] ^ sum >> 16) & 255] ^ tables[4][bytes[3] ^ sum >> 24];
    return first ^ tables[3][bytes[4]] ^ tables[2][bytes[5]] ^ tables[1][bytes[6]] ^
           tables[0][bytes[7]];
}

uint32_t zlib_crc32(uint32_t sum, const uint8_t *bytes, size_t size)
{
    if (!crc_tables[0][1]) fill_crc_tables();
    sum = ~sum;
    for (; size >= AT_ONCE; size -= AT_ONCE, bytes += AT_ONCE) sum = add_eight(sum, bytes);
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
