// What the types of the modules _hashes and _blake2 share.
#pragma once

#include "objects/bytes/buffer.h"

// The bytes to hash; release the buffer. TypeError for a str and for what has no bytes.
bool hash_data(ValueRef data, Buffer *buffer);
// A digest as a str.
Value hash_hexadecimal(const uint8_t *digest, size_t size);
