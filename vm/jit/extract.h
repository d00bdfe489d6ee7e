// What the build tool extract.c asks of a processor, of which it takes one of extract_x86_64.c and
// extract_aarch64.c: how it jumps. An unconditional jump ends four bytes after the beginning of its
// hole.
#pragma once

#include "vm/jit/stencil.h"

#define MAX_SIZE 1000
#define MAX_HOLES 64

// A stencil that is being cut out.
typedef struct Piece {
    const char *name;
    uint8_t bytes[MAX_SIZE];
    size_t size;
    Hole holes[MAX_HOLES]; // in their order
    size_t hole_count;
} Piece;

typedef struct Jump {
    uint16_t machine;         // as an object file names it
    uint8_t size;             // of an unconditional jump, in bytes
    int8_t to_hole;           // from the addend of a jump to a place, to the hole of the jump there
    int8_t at;                // the byte, counted from the hole, that says what it is:
    uint8_t mask, bits, call; // under the mask these of a jump, and those of a call
} Jump;
extern const Jump jump;

// The piece ends in a jump, at `label`, which is reached by branches only: cuts it off, and lets
// these lead to its target at once. The holes are in no order then. False = this cannot be.
bool cut_jump(Piece *piece, size_t label);
