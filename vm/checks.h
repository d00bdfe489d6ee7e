// Type checks of values on the stack, for code that this process's compiler did not make. Some
// instructions rely on the type of an operand, which only the compiler guarantees.
//
// (The verifier proves that the operands are there: verify.h.) In such code quickening writes
// CHECKED instead of these instructions. So code from the compiler does no check.
#pragma once

#include "compiler/opcode.h"
#include "frames/frame.h"

// Does the instruction rely on a type? (NEEDS_ flags of the opcode table)
static inline bool needs_check(int opcode)
{
    return opcode_is(opcode, NEEDS_LIST | NEEDS_SET | NEEDS_DICT | NEEDS_ITERATOR | NEEDS_MORE);
}
// Checks the operands of the instruction that CHECKED replaces. False with an exception pending:
// TypeError for a value that should be an iterator, else SystemError.
bool check_operands(const Frame *frame, const Instruction *ip, const Value *sp);
