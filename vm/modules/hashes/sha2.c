// SHA-2 (FIPS 180-4): 80 rounds over blocks of 128 bytes with words of 64 bits, or 64 rounds over
// blocks of 64 bytes with words of 32 bits. The constants are the first bits of fractions: of the
// square roots of 16 primes for the first states, of the cube roots of 80 for the rounds. So those
// of the short words are the upper halves of those of the long ones.
#include "vm/modules/hashes/hash.h"
#include "vm/modules/hashes/sha_x86.h"

#define ROUNDS 80
#define SHORT_ROUNDS 64

static const uint64_t constants[ROUNDS] = {
    0x428a2f98d728ae22ull, 0x7137449123ef65cdull, 0xb5c0fbcfec4d3b2full, 0xe9b5dba58189dbbcull,
    0x3956c25bf348b538ull, 0x59f111f1b605d019ull, 0x923f82a4af194f9bull, 0xab1c5ed5da6d8118ull,
    0xd807aa98a3030242ull, 0x12835b0145706fbeull, 0x243185be4ee4b28cull, 0x550c7dc3d5ffb4e2ull,
    0x72be5d74f27b896full, 0x80deb1fe3b1696b1ull, 0x9bdc06a725c71235ull, 0xc19bf174cf692694ull,
    0xe49b69c19ef14ad2ull, 0xefbe4786384f25e3ull, 0x0fc19dc68b8cd5b5ull, 0x240ca1cc77ac9c65ull,
    0x2de92c6f592b0275ull, 0x4a7484aa6ea6e483ull, 0x5cb0a9dcbd41fbd4ull, 0x76f988da831153b5ull,
    0x983e5152ee66dfabull, 0xa831c66d2db43210ull, 0xb00327c898fb213full, 0xbf597fc7beef0ee4ull,
    0xc6e00bf33da88fc2ull, 0xd5a79147930aa725ull, 0x06ca6351e003826full, 0x142929670a0e6e70ull,
    0x27b70a8546d22ffcull, 0x2e1b21385c26c926ull, 0x4d2c6dfc5ac42aedull, 0x53380d139d95b3dfull,
    0x650a73548baf63deull, 0x766a0abb3c77b2a8ull, 0x81c2c92e47edaee6ull, 0x92722c851482353bull,
    0xa2bfe8a14cf10364ull, 0xa81a664bbc423001ull, 0xc24b8b70d0f89791ull, 0xc76c51a30654be30ull,
    0xd192e819d6ef5218ull, 0xd69906245565a910ull, 0xf40e35855771202aull, 0x106aa07032bbd1b8ull,
    0x19a4c116b8d2d0c8ull, 0x1e376c085141ab53ull, 0x2748774cdf8eeb99ull, 0x34b0bcb5e19b48a8ull,
    0x391c0cb3c5c95a63ull, 0x4ed8aa4ae3418acbull, 0x5b9cca4f7763e373ull, 0x682e6ff3d6b2b8a3ull,
    0x748f82ee5defb2fcull, 0x78a5636f43172f60ull, 0x84c87814a1f0ab72ull, 0x8cc702081a6439ecull,
    0x90befffa23631e28ull, 0xa4506cebde82bde9ull, 0xbef9a3f7b2c67915ull, 0xc67178f2e372532bull,
    0xca273eceea26619cull, 0xd186b8c721c0c207ull, 0xeada7dd6cde0eb1eull, 0xf57d4f7fee6ed178ull,
    0x06f067aa72176fbaull, 0x0a637dc5a2c898a6ull, 0x113f9804bef90daeull, 0x1b710b35131c471bull,
    0x28db77f523047d84ull, 0x32caab7b40c72493ull, 0x3c9ebe0a15c9bebcull, 0x431d67c49c100d4cull,
    0x4cc5d4becb3e42b6ull, 0x597f299cfc657e2aull, 0x5fcb6fab3ad6faecull, 0x6c44198c4a475817ull};

static inline uint64_t rotate(uint64_t word, int bits)
{
    return word >> bits | word << (64 - bits);
}

static inline uint32_t rotate_short(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static void expand(const uint8_t *block, uint64_t words[ROUNDS])
{
    for (int i = 0; i < 16; i++) words[i] = hash_read_big_8(block + 8 * i);
    for (int i = 16; i < ROUNDS; i++) {
        uint64_t a = words[i - 15], b = words[i - 2];
        uint64_t s0 = rotate(a, 1) ^ rotate(a, 8) ^ a >> 7;
        uint64_t s1 = rotate(b, 19) ^ rotate(b, 61) ^ b >> 6;
        words[i] = words[i - 16] + s0 + words[i - 7] + s1;
    }
}

static void mix_long(uint64_t hash[8], const uint8_t *block)
{
    uint64_t words[ROUNDS];
    expand(block, words);
    uint64_t a = hash[0], b = hash[1], c = hash[2], d = hash[3];
    uint64_t e = hash[4], f = hash[5], g = hash[6], h = hash[7];
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t sum1 = rotate(e, 14) ^ rotate(e, 18) ^ rotate(e, 41);
        uint64_t choice = g ^ (e & (f ^ g));
        uint64_t first = h + sum1 + choice + constants[i] + words[i];
        uint64_t sum0 = rotate(a, 28) ^ rotate(a, 34) ^ rotate(a, 39);
        uint64_t majority = (a & b) | (c & (a | b));
        h = g, g = f, f = e, e = d + first;
        d = c, c = b, b = a, a = first + sum0 + majority;
    }
    const uint64_t mixed[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) hash[i] += mixed[i];
}

static void expand_short(const uint8_t *block, uint32_t words[SHORT_ROUNDS])
{
    for (int i = 0; i < 16; i++) words[i] = hash_read_big_4(block + 4 * i);
    for (int i = 16; i < SHORT_ROUNDS; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        uint32_t s0 = rotate_short(a, 7) ^ rotate_short(a, 18) ^ a >> 3;
        uint32_t s1 = rotate_short(b, 17) ^ rotate_short(b, 19) ^ b >> 10;
        words[i] = words[i - 16] + s0 + words[i - 7] + s1;
    }
}

static void mix_short(uint64_t hash[8], const uint8_t *block)
{
#if SHA_X86
    if (sha_x86_used()) return sha256_mix_x86(hash, block, constants);
#endif
    uint32_t words[SHORT_ROUNDS];
    expand_short(block, words);
    uint32_t a = (uint32_t)hash[0], b = (uint32_t)hash[1], c = (uint32_t)hash[2];
    uint32_t d = (uint32_t)hash[3], e = (uint32_t)hash[4], f = (uint32_t)hash[5];
    uint32_t g = (uint32_t)hash[6], h = (uint32_t)hash[7];
    for (int i = 0; i < SHORT_ROUNDS; i++) {
        uint32_t sum1 = rotate_short(e, 6) ^ rotate_short(e, 11) ^ rotate_short(e, 25);
        uint32_t choice = g ^ (e & (f ^ g));
        uint32_t first = h + sum1 + choice + (uint32_t)(constants[i] >> 32) + words[i];
        uint32_t sum0 = rotate_short(a, 2) ^ rotate_short(a, 13) ^ rotate_short(a, 22);
        uint32_t majority = (a & b) | (c & (a | b));
        h = g, g = f, f = e, e = d + first;
        d = c, c = b, b = a, a = first + sum0 + majority;
    }
    const uint32_t mixed[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) hash[i] = (uint32_t)(hash[i] + mixed[i]);
}

#define LONG_START(...) .block_size = 128, .word_size = 8, .start = {__VA_ARGS__}, .mix = mix_long
#define SHORT_START(...) .block_size = 64, .word_size = 4, .start = {__VA_ARGS__}, .mix = mix_short

const HashKind hash_sha512 = {.name = "sha512",
                              .digest_size = 64,
                              LONG_START(0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                         0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                         0x1f83d9abfb41bd6b, 0x5be0cd19137e2179)};
const HashKind hash_sha384 = {.name = "sha384",
                              .digest_size = 48,
                              LONG_START(0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17,
                                         0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511,
                                         0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4)};
const HashKind hash_sha256 = {.name = "sha256",
                              .digest_size = 32,
                              SHORT_START(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19)};
const HashKind hash_sha224 = {.name = "sha224",
                              .digest_size = 28,
                              SHORT_START(0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
                                          0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4)};
