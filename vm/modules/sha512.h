// SHA-512, for random.seed() of a text.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA512_SIZE 64
void sha512(const void *data, size_t size, uint8_t digest[SHA512_SIZE]);
