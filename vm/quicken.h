// Quickening: from co_code to the copy that the loop runs (frames/quickcode.h).
//
//     quicken(code)   once, before its first frame: decodes operands and jumps, fuses instructions
//     then            the loop's slow paths fill caches (vm/inline_cache.h) and change single ops
#pragma once

#include "compiler/opcode.h"
#include "frames/quickcode.h"

typedef enum QuickOp {
    QUICK_BASE = 255,
#define QUICK(op, base) op,
#include "vm/quick.def"
    QUICK_END
} QuickOp;

// The copy: NULL with MemoryError pending, or SystemError for code that the verifier refuses. Does
// nothing where it is there already.
QuickCode *quicken_code(Code *code);
static inline QuickCode *quicken(Code *code)
{
    return code->quickened ? quick_of(code) : quicken_code(code);
}
void quicken_release(Code *code); // upcalls.release_quickened

// The opcode that stands in the first slot, for who goes one bytecode at a time.
int quick_base(int op);
// The opcode and operand that co_code has for this instruction.
int quick_opcode(const QuickCode *quick, const Instruction *ip);
uint32_t quick_operand(const QuickCode *quick, const Instruction *ip);
// Changes what a slot does; an instruction in front that was fused with it is undone.
void quick_set_op(QuickCode *quick, Instruction *ip, int op);
