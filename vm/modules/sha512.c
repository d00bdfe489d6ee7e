// SHA-512 (FIPS 180-4): 80 rounds over each block of 128 bytes. The constants are the first 64 bits
// of the fractions of the square roots of 8 primes, and of the cube roots of 80.
#include "vm/modules/sha512.h"

#include <string.h>

#define BLOCK_SIZE 128
#define ROUNDS 80

static const uint64_t start[8] = {
    0x6a09e667f3bcc908ull, 0xbb67ae8584caa73bull, 0x3c6ef372fe94f82bull, 0xa54ff53a5f1d36f1ull,
    0x510e527fade682d1ull, 0x9b05688c2b3e6c1full, 0x1f83d9abfb41bd6bull, 0x5be0cd19137e2179ull};

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

static uint64_t read_word(const uint8_t *bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) word = word << 8 | bytes[i];
    return word;
}

static void write_word(uint8_t *bytes, uint64_t word)
{
    for (int i = 8; i-- > 0; word >>= 8) bytes[i] = (uint8_t)word;
}

static void expand(const uint8_t *block, uint64_t words[ROUNDS])
{
    for (int i = 0; i < 16; i++) words[i] = read_word(block + 8 * i);
    for (int i = 16; i < ROUNDS; i++) {
        uint64_t a = words[i - 15], b = words[i - 2];
        uint64_t s0 = rotate(a, 1) ^ rotate(a, 8) ^ a >> 7;
        uint64_t s1 = rotate(b, 19) ^ rotate(b, 61) ^ b >> 6;
        words[i] = words[i - 16] + s0 + words[i - 7] + s1;
    }
}

static void mix(uint64_t hash[8], const uint8_t *block)
{
    uint64_t words[ROUNDS];
    expand(block, words);
    uint64_t a = hash[0], b = hash[1], c = hash[2], d = hash[3];
    uint64_t e = hash[4], f = hash[5], g = hash[6], h = hash[7];
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t sum1 = rotate(e, 14) ^ rotate(e, 18) ^ rotate(e, 41);
        uint64_t choice = (e & f) ^ (~e & g);
        uint64_t first = h + sum1 + choice + constants[i] + words[i];
        uint64_t sum0 = rotate(a, 28) ^ rotate(a, 34) ^ rotate(a, 39);
        uint64_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g, g = f, f = e, e = d + first;
        d = c, c = b, b = a, a = first + sum0 + majority;
    }
    const uint64_t mixed[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) hash[i] += mixed[i];
}

void sha512(const void *data, size_t size, uint8_t digest[SHA512_SIZE])
{
    uint64_t hash[8];
    uint8_t last[2 * BLOCK_SIZE] = {0};
    const uint8_t *bytes = data;
    memcpy(hash, start, sizeof hash);
    size_t rest = size % BLOCK_SIZE;
    for (size_t done = 0; done < size - rest; done += BLOCK_SIZE) mix(hash, bytes + done);
    if (rest) memcpy(last, bytes + size - rest, rest);
    last[rest] = 0x80;
    // Behind the text its length in bits, 128 bits wide, at the end of a block.
    size_t padded = rest + 17 <= BLOCK_SIZE ? BLOCK_SIZE : 2 * BLOCK_SIZE;
    write_word(last + padded - 16, (uint64_t)size >> 61);
    write_word(last + padded - 8, (uint64_t)size << 3);
    for (size_t done = 0; done < padded; done += BLOCK_SIZE) mix(hash, last + done);
    for (int i = 0; i < 8; i++) write_word(digest + 8 * i, hash[i]);
}
