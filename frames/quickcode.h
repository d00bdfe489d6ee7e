// The private copy of a code's instructions, which the loop runs in place of co_code.
//
//     co_code    op arg | op arg | op arg | ...            2 bytes each, never changed
//     QuickCode  [ op index arg | value ] [ ... ] [ ... ]  16 bytes each; number i is offset 2i
//
// vm/quicken.c makes it when the code first runs, and knows what the fields of an instruction mean;
// the frame needs to know no more than its own size, and how far an instruction is from the start.
#pragma once

#include "objects/code.h"

typedef struct Instruction {
    uint16_t op;    // an Opcode, or one that only the loop knows (vm/quick.def)
    uint16_t index; // of a cached entry; how many blocks there is room for
    union {
        uint32_t arg;     // the operand, EXTENDED_ARG counted in
        uint32_t version; // of a type or of a dict's keys: what was cached is good while it is this
    };
    union {
        ValueRef value; // a constant, or what a cache found; borrowed
        struct {
            uint32_t key; // a version, where `arg` is still the operand
            uint32_t slot;
        };
        struct {
            int32_t jump;    // from here to the target, in bytes of instructions; of a SETUP, the
                             // number of the handler's first instruction
            uint32_t blocks; // where the frame's block stack starts, in words of localsplus
        };
    };
} Instruction;

typedef struct QuickCode {
    Code *code;           // borrowed: the code owns this
    uint32_t frame_words; // of a frame on the frame stack, the header included
    uint32_t slots;       // of localsplus before the value stack: locals, cells, free variables
    uint32_t blocks;      // where the block stack starts in localsplus
    uint32_t max_blocks;
    int32_t exact;   // a call with as many positional arguments only moves them; -1 = none does
    uint32_t linked; // how many of the slots are cells and free variables
    uint32_t cells;  // how many of those are cells
    uint32_t count;  // of the instructions
    bool has_prefix; // some instruction has an EXTENDED_ARG in front
    const uint8_t *line_starts; // a bit for each instruction: lnotab has a line begin with it
#if DEBUG_INVARIANTS
    int32_t *depths, *block_counts; // of each instruction: what the verifier has proved
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
