// What the loop takes on trust from this process's compiler, and checks in other code: that some
// values on the stack are of the types that their instructions work on.
//
// (That they are there at all is proved beforehand: verify.h.) In such code CHECKED stands
// in the place of these instructions, so that the compiler's code pays nothing.
#pragma once

#include "compiler/opcode.h"
#include "frames/frame.h"

// Does the instruction rely on a type? (NEEDS_ flags of the opcode table)
static inline bool needs_check(int opcode)
{
    return opcode_is(opcode, NEEDS_LIST | NEEDS_SET | NEEDS_DICT | NEEDS_ITERATOR | NEEDS_MORE);
}
// The operands of the instruction for which CHECKED stands. False with TypeError pending for what
// is no iterator, else with SystemError.
bool check_operands(const Frame *frame, const Instruction *ip, const Value *sp);
