// SHA-1 and SHA-256 by the instructions that x86 processors have for them (SHA extensions, 2013).
// One instruction does four rounds of SHA-1 or two of SHA-256; two more make the next words. The
// results are those of md5_sha1.c and sha2.c, which explain the rounds.
//
// A register holds four words of 32 bits. Those of the state stand in it as the instructions want:
// SHA-1's as a b c d, SHA-256's as a b e f and c d g h, the first in the highest bits.
#include "vm/modules/hashes/sha_x86.h"

#if SHA_X86
#include <cpuid.h>
#include <immintrin.h>

static bool processor_has_sha(void)
{
    unsigned a, b, c, d;
    bool shuffles = __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSSE3 && c & bit_SSE4_1;
    return shuffles && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA;
}

enum ShaX86 sha_x86 = SHA_X86_NOT_ASKED;

bool sha_x86_used(void)
{
    if (sha_x86 == SHA_X86_NOT_ASKED)
        sha_x86 = processor_has_sha() ? SHA_X86_USED : SHA_X86_NOT_USED;
    return sha_x86 == SHA_X86_USED;
}

#define WITH_SHA __attribute__((target("sha,ssse3,sse4.1")))

WITH_SHA static inline __m128i pack(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return _mm_set_epi32((int)a, (int)b, (int)c, (int)d);
}

// Four words of the block, whose bytes are turned round.
WITH_SHA static inline __m128i load(const uint8_t *bytes, __m128i order)
{
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)bytes), order);
}

// Twenty rounds with one function; the words of the last sixteen are kept.
#define SHA1_ROUNDS(function)                                                                      \
    _Pragma("GCC unroll 5") for (int i = 5 * (function); i < 5 * (function) + 5; i++)              \
    {                                                                                              \
        __m128i word = words[i % 4], after = words[(i + 1) % 4], last = words[(i + 3) % 4];        \
        __m128i sum = i ? _mm_sha1nexte_epu32(before, word) : _mm_add_epi32(e, word);              \
        before = abcd;                                                                             \
        abcd = _mm_sha1rnds4_epu32(abcd, sum, function);                                           \
        __m128i mixed = _mm_xor_si128(_mm_sha1msg1_epu32(word, after), words[(i + 2) % 4]);        \
        words[i % 4] = _mm_sha1msg2_epu32(mixed, last);                                            \
    }

WITH_SHA void sha1_mix_x86(uint64_t hash[8], const uint8_t *block)
{
    const __m128i order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m128i abcd = pack(hash[0], hash[1], hash[2], hash[3]), e = pack(hash[4], 0, 0, 0);
    const __m128i start = abcd;
    __m128i before = abcd, words[4];
    for (int i = 0; i < 4; i++) words[i] = load(block + 16 * i, order);
    SHA1_ROUNDS(0)
    SHA1_ROUNDS(1)
    SHA1_ROUNDS(2)
    SHA1_ROUNDS(3)
    abcd = _mm_add_epi32(abcd, start);
    e = _mm_sha1nexte_epu32(before, e);
    hash[0] = (uint32_t)_mm_extract_epi32(abcd, 3);
    hash[1] = (uint32_t)_mm_extract_epi32(abcd, 2);
    hash[2] = (uint32_t)_mm_extract_epi32(abcd, 1);
    hash[3] = (uint32_t)_mm_extract_epi32(abcd, 0);
    hash[4] = (uint32_t)_mm_extract_epi32(e, 3);
}

// The upper halves of four constants of 64 bits.
WITH_SHA static inline __m128i load_constants(const uint64_t *constants)
{
    __m128 low = _mm_loadu_ps((const float *)constants);
    __m128 high = _mm_loadu_ps((const float *)(constants + 2));
    return _mm_castps_si128(_mm_shuffle_ps(low, high, 0xDD));
}

WITH_SHA void sha256_mix_x86(uint64_t hash[8], const uint8_t *block, const uint64_t *constants)
{
    const __m128i order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    __m128i abef = pack(hash[0], hash[1], hash[4], hash[5]);
    __m128i cdgh = pack(hash[2], hash[3], hash[6], hash[7]);
    const __m128i first = abef, second = cdgh;
    __m128i words[4];
    for (int i = 0; i < 4; i++) words[i] = load(block + 16 * i, order);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        __m128i word = words[i % 4], last = words[(i + 3) % 4];
        __m128i sum = _mm_add_epi32(word, load_constants(constants + 4 * i));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
        __m128i mixed = _mm_add_epi32(_mm_sha256msg1_epu32(word, words[(i + 1) % 4]),
                                      _mm_alignr_epi8(last, words[(i + 2) % 4], 4));
        words[i % 4] = _mm_sha256msg2_epu32(mixed, last);
    }
    abef = _mm_add_epi32(abef, first);
    cdgh = _mm_add_epi32(cdgh, second);
    hash[0] = (uint32_t)_mm_extract_epi32(abef, 3), hash[1] = (uint32_t)_mm_extract_epi32(abef, 2);
    hash[4] = (uint32_t)_mm_extract_epi32(abef, 1), hash[5] = (uint32_t)_mm_extract_epi32(abef, 0);
    hash[2] = (uint32_t)_mm_extract_epi32(cdgh, 3), hash[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
    hash[6] = (uint32_t)_mm_extract_epi32(cdgh, 1), hash[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}
#endif
