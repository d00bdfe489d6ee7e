// See mutate.h.
#include "tests/fuzz/mutate.h"

#include "tests/fuzz/fuzzing.h"

#include <string.h>

static uint32_t place_in(size_t size)
{
    return random_below((uint32_t)size);
}

// Puts `count` bytes in at a place; what does not fit falls off the end.
static size_t insert(uint8_t *bytes, size_t size, const uint8_t *what, size_t count)
{
    uint8_t copy[FUZZ_INPUT];
    if (count > FUZZ_INPUT) count = FUZZ_INPUT;
    memcpy(copy, what, count);
    size_t at = place_in(size + 1), after = size - at;
    if (at + count > FUZZ_INPUT) count = FUZZ_INPUT - at;
    if (at + count + after > FUZZ_INPUT) after = FUZZ_INPUT - at - count;
    memmove(bytes + at + count, bytes + at, after);
    memcpy(bytes + at, copy, count);
    return at + count + after;
}

static size_t overwrite(uint8_t *bytes, size_t size, const uint8_t *what, size_t count)
{
    size_t at = place_in(size + 1);
    if (count > FUZZ_INPUT - at) count = FUZZ_INPUT - at;
    memmove(bytes + at, what, count);
    return at + count > size ? at + count : size;
}

static size_t cut_out(uint8_t *bytes, size_t size)
{
    if (!size) return 0;
    size_t at = place_in(size), count = 1 + place_in(random_below(4) ? 8 : size);
    if (count > size - at) count = size - at;
    memmove(bytes + at, bytes + at + count, size - at - count);
    return size - count;
}

// What lies at the edges of types.
static size_t put_number(uint8_t *bytes, size_t size)
{
    static const uint32_t edges[] = {0,     1,      0x7F,   0x80,       0xFF,       0x100,
                                     0x7FF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
    uint32_t number = edges[random_below(sizeof edges / sizeof *edges)];
    size_t count = (size_t)1 << random_below(3);
    uint8_t spelled[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                          (uint8_t)(number >> 24)};
    return overwrite(bytes, size, spelled, count);
}

static size_t put_word(uint8_t *bytes, size_t size, const Input *words, size_t count)
{
    const Input *word = &words[place_in(count)];
    return (random_below(3) ? insert : overwrite)(bytes, size, word->bytes, word->size);
}

static size_t put_part(uint8_t *bytes, size_t size, const uint8_t *from, size_t room)
{
    if (!room) return size;
    size_t at = place_in(room), count = 1 + place_in(random_below(4) ? 16 : room);
    if (count > room - at) count = room - at;
    return (random_below(3) ? insert : overwrite)(bytes, size, from + at, count);
}

static size_t repeat_byte(uint8_t *bytes, size_t size)
{
    uint8_t many[300];
    memset(many, size ? bytes[place_in(size)] : 0, sizeof many);
    return insert(bytes, size, many, 1 + place_in(random_below(8) ? 6 : sizeof many));
}

size_t mutate(uint8_t *bytes, size_t size, const Input *words, size_t word_count,
              const Input *inputs, size_t input_count)
{
    for (uint32_t left = 1 + random_below(random_below(2) ? 3 : 12); left; left--) {
        uint8_t byte = (uint8_t)random_word();
        const Input *other = input_count ? &inputs[place_in(input_count)] : NULL;
        switch (random_below(word_count ? 14 : 10)) {
        case 0: size = put_number(bytes, size); break;
        case 1: size = insert(bytes, size, &byte, 1); break;
        case 2:
        case 3: size = cut_out(bytes, size); break;
        case 4: size = repeat_byte(bytes, size); break;
        case 5: size = put_part(bytes, size, bytes, size); break;
        case 6:
        case 7: size = other ? put_part(bytes, size, other->bytes, other->size) : size; break;
        case 8: size = overwrite(bytes, size, &byte, 1); break;
        case 9:
            if (size) bytes[place_in(size)] ^= (uint8_t)(1 << random_below(8));
            break;
        default: size = put_word(bytes, size, words, word_count); break;
        }
    }
    return size;
}
