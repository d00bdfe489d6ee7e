// The verifier: is it safe to run a code object that this process's compiler did not make?
//
// Code from types.CodeType(...), code.replace(...) or a .pyc file is verified once, before it first
// runs. The verifier proves the following, which the loop need not test:
//
//     every opcode and operand exists, and every jump leads to the start of an instruction
//     the stack has the values that an instruction takes, and never more than co_stacksize
//     the stack has the same depth on every path to an instruction
//     blocks and handlers nest, and a handler finds on the stack what it needs
//     only its CALL_METHOD reads the mark that LOAD_METHOD may leave
//
// It knows nothing of the types of values: vm/checks.h checks these.
#pragma once

#include "objects/code.h"

// True if the code is safe to run. Else SystemError is pending, as in CPython when it detects such
// code; its text names the offset, the instruction and the rule. (Or MemoryError.) The time is
// linear in the size of the code. Code objects among the constants are verified when they run.
bool code_verify(const Code *code);

#if DEBUG_INVARIANTS
// The same, and stores what it has proved of each instruction, for the invariants of the loop: how
// deep the value stack is before it (-1 = unreachable), and how many blocks are open.
bool code_verify_noting(const Code *code, int32_t *depths, int32_t *blocks);
#endif

// Verifies the code, the code objects among its constants, and so on; adds their number to `count`.
bool code_verify_all(const Code *code, int *count);
