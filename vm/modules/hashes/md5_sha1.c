// MD5 (RFC 1321) and SHA-1 (FIPS 180-4), which are broken as signatures and still used as names of
// contents. Both mix blocks of 64 bytes into words of 32 bits.
#include "vm/modules/hashes/hash.h"
#include "vm/modules/hashes/sha_x86.h"

static inline uint32_t rotate(uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

// 2^32 |sin(i + 1)|.
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

// Sixteen steps of a block, four at a time, which move the four words on by one each. The words of
// the block are taken from `first` on, each `stride` after the last. What is known before the last
// step is done is added first: each step waits for the one before.
#define MD5_STEP(a, b, CHOSEN, round, i, first, stride, shift)                                     \
    word = hash_read_little_4(block + 4 * (((first) + (stride) * (i)) % 16));                      \
    a = b + rotate(a + sines[16 * (round) + (i)] + word + CHOSEN, shift);
#define MD5_FOUR(round, F, first, stride, i, shift_0, shift_1, shift_2, shift_3)                   \
    MD5_STEP(a, b, F(b, c, d), round, i, first, stride, shift_0)                                   \
    MD5_STEP(d, a, F(a, b, c), round, i + 1, first, stride, shift_1)                               \
    MD5_STEP(c, d, F(d, a, b), round, i + 2, first, stride, shift_2)                               \
    MD5_STEP(b, c, F(c, d, a), round, i + 3, first, stride, shift_3)
#define MD5_ROUND(round, F, first, stride, ...)                                                    \
    MD5_FOUR(round, F, first, stride, 0, __VA_ARGS__)                                              \
    MD5_FOUR(round, F, first, stride, 4, __VA_ARGS__)                                              \
    MD5_FOUR(round, F, first, stride, 8, __VA_ARGS__)                                              \
    MD5_FOUR(round, F, first, stride, 12, __VA_ARGS__)
#define CHOOSE(x, y, z) (z ^ (x & (y ^ z)))
#define CHOOSE_BY_LAST(x, y, z) (y & ~z) + (x & z) // terms: x was made last
#define PARITY(x, y, z) (x ^ y ^ z)
#define MIX(x, y, z) (y ^ (x | ~z))

static void mix_md5(uint64_t hash[8], const uint8_t *block)
{
    uint32_t a = (uint32_t)hash[0], b = (uint32_t)hash[1], c = (uint32_t)hash[2],
             d = (uint32_t)hash[3], word;
    MD5_ROUND(0, CHOOSE, 0, 1, 7, 12, 17, 22)
    MD5_ROUND(1, CHOOSE_BY_LAST, 1, 5, 5, 9, 14, 20)
    MD5_ROUND(2, PARITY, 5, 3, 4, 11, 16, 23)
    MD5_ROUND(3, MIX, 0, 7, 6, 10, 15, 21)
    const uint32_t mixed[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) hash[i] = (uint32_t)(hash[i] + mixed[i]);
}

// The word of step i of 80; of those before it the last sixteen are kept.
static inline uint32_t sha1_word(uint32_t words[16], int i)
{
    if (i < 16) return words[i];
    uint32_t mixed = words[(i + 13) % 16] ^ words[(i + 8) % 16] ^ words[(i + 2) % 16];
    return words[i % 16] = rotate(mixed ^ words[i % 16], 1);
}

#define SHA1_ROUND(round, CHOSEN, constant)                                                        \
    for (int i = 20 * (round); i < 20 * (round) + 20; i++) {                                       \
        uint32_t sum = (constant) + e + sha1_word(words, i) + (CHOSEN) + rotate(a, 5);             \
        e = d, d = c, c = rotate(b, 30), b = a, a = sum;                                           \
    }

static void mix_sha1(uint64_t hash[8], const uint8_t *block)
{
#if SHA_X86
    if (sha_x86_used()) return sha1_mix_x86(hash, block);
#endif
    uint32_t words[16];
    for (int i = 0; i < 16; i++) words[i] = hash_read_big_4(block + 4 * i);
    uint32_t a = (uint32_t)hash[0], b = (uint32_t)hash[1], c = (uint32_t)hash[2],
             d = (uint32_t)hash[3];
    uint32_t e = (uint32_t)hash[4];
    SHA1_ROUND(0, d ^ (b & (c ^ d)), 0x5a827999)
    SHA1_ROUND(1, b ^ c ^ d, 0x6ed9eba1)
    SHA1_ROUND(2, (b & c) | (d & (b | c)), 0x8f1bbcdc)
    SHA1_ROUND(3, b ^ c ^ d, 0xca62c1d6)
    const uint32_t mixed[5] = {a, b, c, d, e};
    for (int i = 0; i < 5; i++) hash[i] = (uint32_t)(hash[i] + mixed[i]);
}

#define START 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476
const HashKind hash_md5 = {.name = "md5",
                           .digest_size = 16,
                           .block_size = 64,
                           .word_size = 4,
                           .is_little = true,
                           .start = {START},
                           .mix = mix_md5};
const HashKind hash_sha1 = {.name = "sha1",
                            .digest_size = 20,
                            .block_size = 64,
                            .word_size = 4,
                            .start = {START, 0xc3d2e1f0},
                            .mix = mix_sha1};
