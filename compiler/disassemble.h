// Code as text, as CPython's dis prints it: for --dis and for traces of the loop. (The `dis` module
// is vm/lib/dis.mpy.)
#pragma once

#include "objects/code.h"
#include "objects/str.h"

// The whole listing, nested code objects after their outer one, as dis.dis(): an owned str.
Value disassemble(ValueRef code, bool recursive);
// One instruction, "LOAD_FAST 0 (x)", without offset and line, appended. `operand` includes
// EXTENDED_ARG.
bool disassemble_instruction(StrBuilder *builder, const Code *code, int offset, int opcode,
                             int operand);
