// See checksums.h.
#include "vm/modules/zlib/checksums.h"

#include <stdbool.h>

// What a byte that is shifted out does to the sum: the remainder of a division of polynomials whose
// coefficients are bits, the lowest power in the highest bit.
#define POLYNOMIAL UINT32_C(0xedb88320)
static uint32_t crc_table[256];

static void fill_crc_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte;
        for (int bit = 0; bit < 8; bit++) rest = rest & 1 ? rest >> 1 ^ POLYNOMIAL : rest >> 1;
        crc_table[byte] = rest;
    }
}

uint32_t zlib_crc32(uint32_t sum, const uint8_t *bytes, size_t size)
{
    if (!crc_table[1]) fill_crc_table();
    sum = ~sum;
    for (size_t i = 0; i < size; i++) sum = sum >> 8 ^ crc_table[(sum ^ bytes[i]) & 255];
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
