// Stencils: pieces of machine code with holes, from which the JIT puts together the code of a loop.
//
// A stencil is a C function of vm/jit/stencils.c. The C compiler has compiled it; the build tool
// vm/jit/extract.c takes its bytes out of the object file and writes the tables declared here.
// There are stencils for x86-64 and aarch64; elsewhere there is no JIT.
//
//     stencil_code    ... | 48 01 d6 0f 80 .. .. .. .. | ...     add_i0_i1: i0 += i1
//                                          `--------- a hole: the distance to the exit
//
// All stencils have the same parameters: the frame, five integers, eight doubles. By the calling
// convention of the machine these are in registers, and a stencil ends by calling the next one with
// the same parameters, as its last act. The compiler makes that a jump; the tool leaves out a jump
// that would lead to the byte after it. So a register keeps its value from stencil to stencil.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INT_REGISTERS 5
#define FLOAT_REGISTERS 8

typedef enum HoleKind {
    HOLE_NEXT,
    HOLE_TAKEN,
    HOLE_EXIT,
    HOLE_NUMBER,
    HOLE_WORD,
#define HOLE(symbol, kind)
#define VARIABLE(symbol) HOLE_##symbol,
#include "vm/jit/holes.def"
} HoleKind;

// Four bytes of a stencil to be filled in.
typedef struct Hole {
    uint16_t at;
    uint16_t type; // of the relocation that was there: how it is filled (<elf.h>)
    int16_t addend;
    uint8_t kind;
} Hole;

typedef struct Stencil {
    const char *name;
    uint32_t code; // index in stencil_code
    uint16_t size;
    uint16_t hole_count;
    uint32_t first_hole; // index in stencil_holes
} Stencil;

extern const uint8_t stencil_code[];
extern const Hole stencil_holes[];
extern const Stencil stencils[]; // sorted by name
extern const size_t stencil_count;

// Fills the hole whose copy is at `bytes`, and is meant for `place`, with an address or a number:
// machine_x86_64.c, machine_aarch64.c. False = its type is none that there is for this kind.
bool hole_fill(uint8_t *bytes, const Hole *hole, uint64_t target, uint64_t place);
