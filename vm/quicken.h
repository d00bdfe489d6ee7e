// Quickening: from co_code to the copy that the loop runs (frames/quickcode.h).
//
//     quicken(code)   once, before its first frame: decodes operands and jumps, fuses instructions
//     then            the loop's slow paths fill caches (vm/inline_cache.h), replace single ops
#pragma once

#include "compiler/opcode.h"
#include "frames/quickcode.h"

typedef enum QuickOp {
    QUICK_BASE = 255,
#define QUICK(op, base) op,
#include "vm/quick.def"
    QUICK_END
} QuickOp;

// Makes the copy, unless there is one. NULL with MemoryError pending, or with SystemError for code
// that the verifier refuses.
QuickCode *quicken_code(Code *code);
static inline QuickCode *quicken(Code *code)
{
    return code->quickened ? quick_of(code) : quicken_code(code);
}
void quicken_release(Code *code); // upcalls.release_quickened

// The opcode that a quick op's first slot had before fusing: the observed loop executes one
// bytecode at a time.
int quick_base(int op);
// Where a jump leads, as an index: to the instruction itself, where an EXTENDED_ARG is before it.
int quick_jump_target(const QuickCode *quick, const Instruction *jump);
// The opcode and operand of this instruction in co_code.
int quick_opcode(const QuickCode *quick, const Instruction *ip);
uint32_t quick_operand(const QuickCode *quick, const Instruction *ip);
// Changes the op of a slot. If an instruction before it was fused with it, undoes the fusing.
void quick_set_op(QuickCode *quick, Instruction *ip, int op);
