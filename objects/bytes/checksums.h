// Sums that show whether bytes are still what they were: CRC-32 (gzip, zip, PNG) and Adler-32 (the
// end of a zlib stream, RFC 1950). Each takes the sum so far, so a text may come in pieces.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ADLER32_START 1
#define CRC32_START 0

uint32_t zlib_crc32(uint32_t sum, const uint8_t *bytes, size_t size);
uint32_t zlib_adler32(uint32_t sum, const uint8_t *bytes, size_t size);
