// torch.Generator: the random numbers of the CPU, PyTorch's to the last bit.
//
//     seed -> | state[0] .. state[623] | next    mt19937: 32 bits a draw; then a new state
//
// uniform floats take the low 24 bits of a draw, doubles the low 53 of two. normal() draws two
// doubles, makes two normal numbers of them and keeps the second for the next call; a new seed
// forgets it.
//
// (PyTorch: ATen/core/MT19937RNGEngine.h, DistributionsHelper.h, ATen/CPUGeneratorImpl.cpp)
#pragma once

#include "objects/module.h"
#include "objects/object.h"

#define GENERATOR_WORDS 624
#define GENERATOR_STATE_BYTES 5056 // of get_state()

typedef struct Generator {
    Object base;
    uint64_t seed;
    int32_t left;  // draws until the state is renewed, + 1
    uint32_t next; // the next word of the state
    uint32_t state[GENERATOR_WORDS];
    bool has_normal; // `normal` is the second number of a pair
    double normal;
} Generator;

extern Type random_generator_type;

// torch.default_generator: borrowed.
Generator *random_default(void);
bool random_generator_check(ValueRef value);
// The generator= of a call: None is the default one. NULL with TypeError pending.
Generator *random_of(ValueRef value);

uint32_t random_draw(Generator *generator);
// The next n draws.
void random_draws(Generator *generator, int64_t n, uint32_t *words);
uint64_t random_draw64(Generator *generator); // two draws, the first one is the upper half
void random_seed(Generator *generator, uint64_t seed);
// Uniform in [0, 1).
float random_float(Generator *generator);
double random_double(Generator *generator);
// Normal with mean 0 and deviation 1.
double random_normal(Generator *generator);

// Adds the type and default_generator, which gets the default seed.
bool random_fill(ValueRef module);
