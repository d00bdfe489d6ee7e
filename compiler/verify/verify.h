// The verifier: is it safe to run a code object that this process's compiler did not make?
//
// CPython trusts its compiler; of code from elsewhere (types.CodeType(...), code.replace(...), a
// .pyc file) it can crash. Here such code is looked at once, before it first runs. What the
// verifier proves, the loop need not test:
//
//     every opcode and operand is one that exists, every jump leads to the start of an instruction
//     the stack holds what an instruction takes, never more than co_stacksize, and is as deep on
//         every way to a place
//     blocks and handlers nest, and what a handler needs lies where it looks for it
//     the mark that LOAD_METHOD may leave is seen by nobody but its CALL_METHOD
//
// Of what type a value is it does not know: see vm/checks.h.
#pragma once

#include "objects/code.h"

// True if the code is safe to run. Else SystemError is pending, the exception of CPython where it
// notices such code; its text names the offset, the instruction and the rule. (Or MemoryError.)
// Takes time in proportion to the size of the code. Of co_consts only the length is looked at: a
// code object among them is verified when it runs.
bool code_verify(const Code *code);

#if DEBUG_INVARIANTS
// The same, and notes what it has proved of each instruction, for the loop to be held against: how
// deep the value stack is before it (-1 = no way leads there), and in how many blocks it lies.
bool code_verify_noting(const Code *code, int32_t *depths, int32_t *blocks);
#endif

// The same for it and for every code object among its constants, and theirs; adds up how many.
bool code_verify_all(const Code *code, int *count);
