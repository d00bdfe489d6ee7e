// The targets of the fuzzer: what is given any bytes at all, and must neither fall nor lie.
//
// A target in C is a function in tests/fuzz/targets/. One in mini-Python is a file there, fuzz_*.mpy, with
//
//     seeds            inputs to begin with, str or bytes
//     words            what mutations put in, if there are any
//     one(data)        is called with bytes; what it raises is a fault
//
// targets.def lists them all.
#pragma once

#include "objects/object.h"

typedef struct FuzzTarget {
    const char *name, *rooms, *seeds;
    void (*one)(const uint8_t *bytes, size_t size); // NULL: it is in mini-Python
    // What becomes of a file of `seeds`: owned bytes, or VALUE_ERROR. NULL: its text is the seed.
    Value (*seed)(const char *text, size_t size);
} FuzzTarget;

#define TARGET(name, rooms, seeds, seed)                                                           \
    void fuzz_##name(const uint8_t *bytes, size_t size);                                           \
    Value fuzz_seed_##name(const char *text, size_t size);
#define SCRIPT(name, rooms)
#include "tests/fuzz/targets.def"
