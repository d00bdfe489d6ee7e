// A block is mixed into the state in rounds. Each round mixes the columns of a square of 16 words,
// and then its diagonals; the upper half of the square is the state, the lower one the first state
// with the number of bytes so far and the marks of the last block.
#include "vm/modules/hashes/blake2.h"

// Which words of the block a round takes, in which order; the 11th round is like the first.
static const uint8_t orders[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static const uint8_t groups[8][4] = {
    {0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15}, // columns
    {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14},  // diagonals
};

// Words of 32 bits are kept in 64, with zeros above.
static inline uint64_t cut(const Blake2Kind *kind, uint64_t word)
{
    return kind->words->word_size == 8 ? word : (uint32_t)word;
}

static inline uint64_t rotate(const Blake2Kind *kind, uint64_t word, int bits)
{
    return word >> bits | cut(kind, word << (8 * kind->words->word_size - bits));
}

static inline void mix_group(const Blake2Kind *kind, uint64_t square[16], const uint8_t group[4],
                             uint64_t first, uint64_t second)
{
    uint64_t a = square[group[0]], b = square[group[1]], c = square[group[2]], d = square[group[3]];
    a = cut(kind, a + b + first);
    d = rotate(kind, d ^ a, kind->rotations[0]);
    c = cut(kind, c + d);
    b = rotate(kind, b ^ c, kind->rotations[1]);
    a = cut(kind, a + b + second);
    d = rotate(kind, d ^ a, kind->rotations[2]);
    c = cut(kind, c + d);
    b = rotate(kind, b ^ c, kind->rotations[3]);
    square[group[0]] = a, square[group[1]] = b, square[group[2]] = c, square[group[3]] = d;
}

static void mix(Blake2 *hash, const uint8_t *block, bool is_last)
{
    const Blake2Kind *kind = hash->kind;
    int word_size = kind->words->word_size;
    uint64_t words[16], square[16], ones = cut(kind, UINT64_MAX);
    for (int i = 0; i < 16; i++) words[i] = hash_read_little(block + i * word_size, word_size);
    memcpy(square, hash->state, sizeof hash->state);
    memcpy(square + 8, kind->words->start, sizeof hash->state);
    square[12] ^= cut(kind, hash->size);
    if (word_size == 4) square[13] ^= hash->size >> 32;
    if (is_last) square[14] ^= ones;
    if (is_last && hash->last_node) square[15] ^= ones;
    for (int round = 0; round < kind->rounds; round++) {
        const uint8_t *order = orders[round % 10];
        for (int i = 0; i < 8; i++)
            mix_group(kind, square, groups[i], words[order[2 * i]], words[order[2 * i + 1]]);
    }
    for (int i = 0; i < 8; i++) hash->state[i] ^= square[i] ^ square[i + 8];
}

static void write_little(uint8_t *bytes, uint64_t number, int size)
{
    for (int i = 0; i < size; i++, number >>= 8) bytes[i] = (uint8_t)number;
}

// The parameters are changes of the first state: eight words of them.
static void change_state(Blake2 *hash, const Blake2Parameters *p)
{
    const Blake2Kind *kind = hash->kind;
    int word_size = kind->words->word_size;
    uint8_t block[HASH_LONGEST_DIGEST] = {(uint8_t)p->digest_size, (uint8_t)p->key.size,
                                          (uint8_t)p->fanout, (uint8_t)p->depth};
    write_little(block + 4, p->leaf_size, 4);
    write_little(block + 8, p->node_offset, kind->offset_size);
    block[8 + kind->offset_size] = (uint8_t)p->node_depth;
    block[9 + kind->offset_size] = (uint8_t)p->inner_size;
    if (p->salt.size) memcpy(block + 4 * word_size, p->salt.bytes, p->salt.size);
    if (p->person.size) memcpy(block + 6 * word_size, p->person.bytes, p->person.size);
    for (int i = 0; i < 8; i++)
        hash->state[i] ^= hash_read_little(block + i * word_size, word_size);
}

void blake2_begin(Blake2 *hash, const Blake2Kind *kind, const Blake2Parameters *parameters)
{
    *hash = (Blake2){
        .kind = kind, .digest_size = parameters->digest_size, .last_node = parameters->last_node};
    memcpy(hash->state, kind->words->start, sizeof hash->state);
    change_state(hash, parameters);
    if (!parameters->key.size) return;
    memcpy(hash->block, parameters->key.bytes, parameters->key.size);
    hash->kept = (size_t)kind->words->block_size; // zeros after the key
}

void blake2_update(Blake2 *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    size_t block_size = (size_t)hash->kind->words->block_size;
    while (size) {
        if (hash->kept == block_size) {
            hash->size += block_size;
            mix(hash, hash->block, false);
            hash->kept = 0;
        }
        size_t room = block_size - hash->kept, taken = size < room ? size : room;
        memcpy(hash->block + hash->kept, bytes, taken);
        hash->kept += taken;
        bytes += taken;
        size -= taken;
    }
}

void blake2_end(const Blake2 *hash, uint8_t *digest)
{
    Blake2 last = *hash;
    uint8_t words[HASH_LONGEST_DIGEST];
    int word_size = hash->kind->words->word_size;
    last.size += last.kept;
    memset(last.block + last.kept, 0, sizeof last.block - last.kept);
    mix(&last, last.block, true);
    for (int i = 0; i < 8; i++) write_little(words + i * word_size, last.state[i], word_size);
    memcpy(digest, words, (size_t)hash->digest_size);
}

const Blake2Kind blake2b = {"blake2b", &hash_sha512, 12, 8, {32, 24, 16, 63}};
const Blake2Kind blake2s = {"blake2s", &hash_sha256, 10, 6, {16, 12, 8, 7}};
