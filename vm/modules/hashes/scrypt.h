// The part of scrypt (RFC 7914) that costs memory, for hashlib.scrypt().
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum ScryptEnd { SCRYPT_DONE, SCRYPT_NO_MEMORY, SCRYPT_INTERRUPTED } ScryptEnd;

// Mixes a block of 128 * r bytes by a table of n times as many; n is a power of two. Interrupted:
// an exception is pending.
ScryptEnd scrypt_mix(uint8_t *block, size_t n, size_t r);
