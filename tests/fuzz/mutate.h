// Changes an input at random: bits, bytes, numbers of two and four bytes, blocks that move, words of
// the target's language, parts of another input.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FUZZ_INPUT 4096

typedef struct Input {
    size_t size;
    uint8_t *bytes;
    double seconds; // of the processor, when it ran
} Input;

// Changes `bytes`, which has room for FUZZ_INPUT; the new size. `words` and `inputs` may be empty.
size_t mutate(uint8_t *bytes, size_t size, const Input *words, size_t word_count,
              const Input *inputs, size_t input_count);
