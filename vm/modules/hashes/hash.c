// What all hashes but sponges do alike (Merkle and Damgard): full blocks are mixed into a state; at
// the end come a bit 1, zeros, and the length of the text in bits, in the last bytes of a block.
#include "vm/modules/hashes/hash.h"

static void write_number(uint8_t *bytes, uint64_t number, int size, bool is_little)
{
    for (int i = 0; i < size; i++, number >>= 8)
        bytes[is_little ? i : size - 1 - i] = (uint8_t)number;
}

void hash_begin(Hash *hash, const HashKind *kind)
{
    hash->kind = kind;
    hash->size = 0;
    memset(hash->state, 0, sizeof hash->state);
    memcpy(hash->state, kind->start, sizeof kind->start);
}

void hash_update(Hash *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    size_t block_size = (size_t)hash->kind->block_size, kept = (size_t)(hash->size % block_size);
    hash->size += size;
    if (kept) {
        size_t taken = size < block_size - kept ? size : block_size - kept;
        memcpy(hash->block + kept, bytes, taken);
        if (kept + taken < block_size) return;
        hash->kind->mix(hash->state, hash->block);
        bytes += taken;
        size -= taken;
    }
    for (; size >= block_size; size -= block_size, bytes += block_size)
        hash->kind->mix(hash->state, bytes);
    if (size) memcpy(hash->block, bytes, size);
}

static void end_blocks(const Hash *hash, uint8_t *digest)
{
    const HashKind *kind = hash->kind;
    uint8_t last[2 * HASH_LONGEST_BLOCK] = {0}, words[HASH_LONGEST_DIGEST];
    uint64_t state[8];
    int size = kind->block_size, kept = (int)(hash->size % (uint64_t)size),
        length = 2 * kind->word_size;
    memcpy(state, hash->state, sizeof state);
    memcpy(last, hash->block, (size_t)kept);
    last[kept] = 0x80;
    // The length has two words; 2^64 bits are enough.
    int padded = kept + 1 + length <= size ? size : 2 * size;
    write_number(last + padded - (kind->is_little ? length : 8), hash->size << 3, 8,
                 kind->is_little);
    for (int done = 0; done < padded; done += size) kind->mix(state, last + done);
    for (int i = 0; i < 8; i++)
        write_number(words + i * kind->word_size, state[i], kind->word_size, kind->is_little);
    memcpy(digest, words, (size_t)kind->digest_size);
}

void hash_end(const Hash *hash, uint8_t *digest)
{
    if (hash->kind->suffix)
        hash_squeeze(hash, digest, (size_t)hash->kind->digest_size);
    else
        end_blocks(hash, digest);
}

void hash_whole(const HashKind *kind, const void *data, size_t size, uint8_t *digest)
{
    Hash hash;
    hash_begin(&hash, kind);
    hash_update(&hash, data, size);
    hash_end(&hash, digest);
}
