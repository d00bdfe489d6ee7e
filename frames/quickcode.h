// QuickCode: a code object's instructions as the loop runs them, decoded from co_code.
//
//     co_code    op arg | op arg | op arg | ...            2 bytes each, never changed
//     QuickCode  [ op index arg | value ] [ ... ] [ ... ]  16 bytes each; number i is offset 2i
//
// vm/quicken.c makes it when the code first runs; what the fields of an instruction mean is decided
// there. A frame uses only the sizes, and the index of an instruction.
#pragma once

#include "objects/code.h"

typedef struct Instruction {
    uint16_t op;    // an Opcode, or one that only the loop knows (vm/quick.def)
    uint16_t index; // of a cached entry; of a SETUP: the size of the block stack
    union {
        uint32_t arg;     // the operand, with what EXTENDED_ARG adds
        uint32_t version; // of a type or of a dict's keys: while it is this, `value` is valid
    };
    union {
        ValueRef value; // a constant or a cached value; borrowed
        struct {
            uint32_t key; // a version, in an instruction that also needs `arg`
            uint32_t slot;
        };
        struct {
            int32_t jump;    // from here to the target, in bytes of instructions; of a SETUP: the
                             // index of the handler's first instruction
            uint32_t blocks; // index of the block stack in localsplus
        };
    };
} Instruction;

typedef struct QuickCode {
    Code *code;           // borrowed: the code owns this
    uint32_t frame_words; // of a frame on the frame stack, the header included
    uint32_t slots;       // of localsplus before the value stack: locals, cells, free variables
    uint32_t blocks;      // index of the block stack in localsplus
    uint32_t max_blocks;
    int32_t simple_argcount;  // a call with so many positional arguments only moves them; -1 = such
                              // a call needs more than that: see bind.c
    uint32_t cells_and_frees; // how many of the slots are cells and free variables
    uint32_t cells;           // how many of those are cells
    uint32_t count;           // of the instructions
    bool has_prefix;          // some instruction has an EXTENDED_ARG before it
    const uint8_t *line_starts; // a bit for each instruction: is it the first of a line in lnotab?
#if DEBUG_INVARIANTS
    int32_t *depths, *block_counts; // before each instruction, as the verifier has proved
#endif
    Instruction instructions[];
} QuickCode;

static inline QuickCode *quick_of(const Code *code)
{
    return code->quickened;
}
static inline bool quick_begins_line(const QuickCode *quick, int index)
{
    return quick->line_starts[index / 8] >> index % 8 & 1;
}
