// The JIT: machine code for loops and functions that run often, unless --no-jit is given.
//
//     quicken.c       plants FOR_ITER_WARM and JUMP_WARM, which count a loop's turns
//     jit_compile()   at the threshold: compiles the loop, and plants one instruction
//     jit_run()       at that instruction: runs the machine code, until the loop ends or a guard
//                     fails; gives the instruction at which the interpreter goes on
//
//     FOR_ITER      -> FOR_ITER_WARM -> FOR_ITER_MACHINE      at the head of a `for`
//     JUMP_ABSOLUTE -> JUMP_WARM     -> JUMP_MACHINE          at the end of a `while`
//     RETURN_VALUE  -> RETURN_WARM, and ENTER_MACHINE         at a function's first instruction
//
// The instruction is planted in the quickened copy; a script sees none of it. Machine code raises
// nothing and runs no script code, nor do the C functions that it calls: no collection or signal
// handler, and it frees nothing that could have a __del__. It is left at the next iteration when
// eval_breaker (upcalls.h) is set, and the interpreter does what is to be done. The observed loop
// (vm/eval.c) never enters it.
//
// The parts, in the order in which a loop passes through them:
//
//     walk*.c          what each instruction does to the types, and which stencils do it
//     walk_quiet.c     the functions in C that machine code calls
//     registers.c      which variables are in registers, and which registers are free
//     emit.c           copies stencils (stencil.h) and fills their holes
//     code_memory.c    memory that is either writable or executable
//     jit.c            counting, planting, entering, leaving, giving up
#pragma once

#include "frames/frame.h"
#include "vm/jit/registers.h"

// The Makefile compiles the rest of this folder where this is 1.
#if (defined __x86_64__ || defined __AARCH64EL__) && __linux__ && !defined __clang__ && !CORE
#define JIT 1
#else
#define JIT 0
#endif

typedef struct JitOptions {
    uint32_t threshold; // jumps back before a loop is compiled; 0 = there is no JIT
    bool trace;         // --trace-jit: what was compiled and why not, and the exits, on stderr
    int64_t fail;       // --jit-fail N: the N-th guard that is compiled always fails; 0 = none does
} JitOptions;
#define JIT_THRESHOLD_DEFAULT 200
#define JIT_THRESHOLD_MAX UINT16_MAX // Instruction.index counts

extern JitOptions jit_options;

// Where the common exit saves the registers, and which exit it was (jit_run()).
typedef struct JitSaved {
    int64_t ints[INT_REGISTERS];
    double floats[FLOAT_REGISTERS];
    struct Exit *exit;
    Frame *frame;              // that was left
    char *bound;               // where frames that machine code begins have to end
    uint32_t turns;            // how many times a loop has jumped back
    int64_t start, stop, step; // the arguments of range()
    double number;             // the result of a function, if it is a float
    uint64_t value;            // the result of a function in C
    const Value *characters;   // str_characters_below_256
    // Iterators that no loop has: machine code takes them, as it allocates nothing.
    struct RangeIterator *spare; // each has the address of the next one in its field `next`
} JitSaved;
#define JIT_LEFT 1 // what machine code returns at an exit; the result of a function is never this
extern JitSaved jit_saved;

// At an instruction that has counted to the threshold: compiles its loop, or gives it up. ip and sp
// are stored in the frame.
void jit_compile(Frame *frame, Instruction *at);
// At a planted instruction: runs machine code. The interpreter goes on at the instruction that is
// returned, in thread_state.frame, with the stack at its sp.
Instruction *jit_run(Frame *frame, Instruction *planted);
// The loops of a code object that ran often, and what became of them; NULL = there is none.
struct Loop *jit_loops(const Code *code);

#if JIT
// After vm_init().
void jit_init(const JitOptions *options);
// What ENTER_MACHINE has replaced.
int jit_first_op(const Frame *frame);
#define jit_is_on() (jit_options.threshold != 0)
#else // nothing is ever planted
#define jit_is_on() false
#define jit_init(options) ((void)(options))
#define jit_first_op(frame) ((void)(frame), 0)
#endif
