// Copies stencils one after another and fills their holes.
//
//     emit_begin(labels)           nothing yet; so many labels are numbered already, from 0
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

typedef struct EmitMark {
    int size, words, fixes;
} EmitMark;

void emit_begin(int labels);
// False = there is no such stencil, or the code gets too long: emit_problem says which.
bool emit_stencil(const char *name, const Patch *patch);
bool emit_is_guard(const char *name); // has the stencil a hole for an exit?
int emit_label(void);                 // a new label; -1 = too many
void emit_bind(int label);
EmitMark emit_mark(void);
void emit_cut(EmitMark mark);
size_t emit_size(void); // in bytes, of the code
// False = no memory, or a jump leads to a label that is nowhere.
bool emit_finish(CodeBlock *block, void **entry);
void *emit_address(int label); // after emit_finish()
extern const char *emit_problem;
