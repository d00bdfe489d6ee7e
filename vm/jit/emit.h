// Copies stencils one after another and fills their holes.
//
//     emit_begin(labels)           nothing yet; so many labels are numbered already, from 0
//     emit_for(instruction)        what is appended from now on is the code of this instruction
//     emit_stencil(name, &patch)   appends a copy; the patch says what goes into the holes
//     emit_bind(label)             the next stencil is where jumps to this label go
//     emit_finish(&block, &entry)  puts the code into executable memory
//
// Until then the code is in a buffer, and can be cut back to a mark. A hole with an address in it
// is filled at the end, when the address is known:
//
//     [ constants, 8 bytes each ][ code ]
#pragma once

#include "vm/jit/code_memory.h"
#include "vm/jit/stencil.h"

typedef struct Patch {
    uint32_t number; // for NUMBER_
    uint64_t word;   // for WORD_ and REAL_
    int target;      // label, for TAKEN_ and GOTO_
    int exit;        // label, for EXIT_
} Patch;

// A copy, for those who ask what the code is made of (dis.machine).
typedef struct Piece {
    const Stencil *stencil;
    int instruction; // its index, or one of these
} Piece;
enum { FOR_ENTRY = -1, FOR_EXITS = -2 };

typedef struct EmitMark {
    int size, words, fixes, pieces;
} EmitMark;

void emit_begin(int labels);
// False = there is no such stencil, or the code gets too long.
bool emit_stencil(const char *name, const Patch *patch);
void emit_for(int instruction);
// The stencil's own name, if it has a hole for an exit; else NULL.
const char *emit_guard(const char *name);
int emit_label(void); // a new label; -1 = too many
void emit_bind(int label);
extern EmitMark emit_now; // how much there is: put back, it cuts off what came since
// False = no memory, or a jump leads to a label that is nowhere.
bool emit_finish(CodeBlock *block, void **entry);
void *emit_address(int label); // after emit_finish()
// All copies, in their order: a block of memory. NULL = no memory.
Piece *emit_pieces(int *count);

// Why there is no machine code: who returns false, as this function does, has said it.
bool jit_refuse(const char *why);
extern const char *jit_problem, emit_no_stencil[];
