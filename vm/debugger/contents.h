// The contents of a value as a number, for watches: has it changed in place?
//
//     list, tuple, deque      the items, in order          bytearray, array    the bytes
//     dict, set               keys, values, items          an instance         its attributes
//
// Numbers and other objects count by identity. A container in a container counts with its own
// contents; an instance in a container, or in an attribute, is an object among others: only that
// of the watched value itself is looked into. As all that watches do, this runs no script code and
// allocates nothing. It reads everything, so it takes time in proportion to the size.
#pragma once

#include "objects/value.h"

#include <stdbool.h>

#define CONTENTS_MOST 200000 // values that are read; what comes after them is not seen
#define CONTENTS_DEPTH 32    // of containers in each other

typedef struct Contents {
    uint64_t hash; // 0 = a value that cannot change in place
    bool is_cut;   // there was more than could be read
} Contents;

Contents contents_of(ValueRef value);
