// SHA-1 and SHA-256 by instructions of the processor (sha_x86.c), where it has them: 4 and 6 times
// as fast as the plain functions, which remain for all others.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined __x86_64__
#define SHA_X86 1
#else
#define SHA_X86 0
#endif

#if SHA_X86
// A test of the plain functions sets it to NOT_USED.
extern enum ShaX86 { SHA_X86_NOT_ASKED, SHA_X86_NOT_USED, SHA_X86_USED } sha_x86;
bool sha_x86_used(void);
void sha1_mix_x86(uint64_t hash[8], const uint8_t *block);
// The upper halves of the constants are those of SHA-256.
void sha256_mix_x86(uint64_t hash[8], const uint8_t *block, const uint64_t *constants);
#endif
