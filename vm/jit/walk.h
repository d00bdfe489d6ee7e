// From a loop's bytecode to machine code: an abstract walk.
//
// The walk goes through the instructions from the loop's head to its last jump back, once. Its
// stack has an entry for each value that the interpreter's stack would have: not the value, but its
// kind and where it is. Each instruction takes entries, emits stencils and pushes entries. Loading
// a variable or a constant emits nothing.
//
//     i + j * 2          LOAD_FAST i       | i
//                        LOAD_FAST j       | i, j
//                        LOAD_CONST 2      | i, j, 2
//                        BINARY_MULTIPLY   | i, r4               move_i4_i1, constant_i3, multiply
//                        BINARY_ADD        | r3                  move_i3_i0, add_i3_i4
//
// A statement begins where all that the walk's stack stands for is on the interpreter's stack too:
// nothing at first; the iterators of the loops within the loop; and what waits where a branch is
// taken in the middle of an expression, which is stored there. The guards of a statement all exit
// to its first instruction; they come before the first change that the statement makes. So the
// interpreter runs the whole statement again, and finds its stack as the walk left it. A statement
// for which there is no code becomes an exit. Where every iteration would come to it, the loop is
// not compiled.
#pragma once

#include "frames/frame.h"
#include "vm/jit/emit.h"
#include "vm/jit/registers.h"

typedef enum ExitKind {
    EXIT_ENTRY, // at the beginning: a type or a name is another than when the code was compiled.
                // The frame has all values: no register is written back
    EXIT_GUARD, // what a statement relies on does not hold, or eval_breaker is set
    EXIT_END,   // the loop has ended
    EXIT_LEFT,  // there is no code for the statement, or it ends the loop, as `break` does
} ExitKind;

// Where a value is that the walk's stack stands for.
typedef enum Where { IN_CONSTANT, IN_VARIABLE, IN_REGISTER, IN_FRAME } Where;

// A slot of the frame whose value is in a register.
typedef struct Home {
    int slot, number;
    ValueKind kind;
} Home;

struct Machine;
typedef struct Exit {
    const struct Machine *machine;
    ExitKind kind;
    int instruction; // where the interpreter goes on
    uint64_t shape;  // of its stack, above Machine.base
    Home result;     // of the call before the statement; KIND_OTHER = it is in the frame
    uint32_t count;  // of the times that it was taken
    // The stencil that failed. Under --trace-jit each guard has its own exit; else those of a
    // statement have one, and this is NULL.
    const char *guard;
} Exit;

// What an instruction has pushed, for dis.machine().
typedef struct Top {
    bool known;
    Where where;
    ValueKind kind;
    int number;       // of the register, or NO_REGISTER
    const Type *type; // of an object; NULL: of a class, which may be gone by now
} Top;

// A call of a function that has machine code.
typedef struct CallSite {
    Code *code;         // of the function; owned, unless it is the code that calls
    void *const *entry; // of its machine code, which is there as long as the code is
    Instruction *call;
    int base;       // the slot of the first value on the caller's stack
    uint64_t shape; // of that stack
} CallSite;

typedef struct Machine {
    CodeBlock block;
    void *entry, *inner; // for those who know already what is tested at the entry
    size_t size;         // of the code, in bytes
    Home homes[INT_REGISTERS + FLOAT_REGISTERS];
    int home_count; // of the variables that the loop changes and that are in registers
    int base;       // the slot of the first value that the machine code has on the stack
    CallSite *sites;
    int site_count;
    Exit *exits;
    uint32_t exit_count;
    Piece *pieces; // what the code is made of
    int piece_count;
    Top *tops; // one for each instruction, from the head
} Machine;

#define ATTEMPTS_MAX 3 // to compile a loop: each time for the types that its variables have then

// A loop that ran often, or a function without loops. Those of a code object are a list.
typedef struct Loop {
    struct Loop *next;
    const Code *code;
    int head, end;        // the first and the last instruction
    bool is_function;     // a whole function, that has no loop
    uint16_t first_op;    // what ENTER_MACHINE has replaced
    ValueKind result;     // of the function: an object of any type; KIND_OTHER: None
    bool is_called;       // by machine code, which knows the result
    bool runs;            // there is machine code
    uint8_t attempts;     // to compile it
    const char *problem;  // why there is no machine code; NULL = it was thrown away
    int problem_at;       // the instruction
    int64_t credit;       // what the machine code has saved, at most CREDIT (jit.c)
    Instruction *counter; // the instruction that counted: FOR_ITER, or a jump back
    Machine machine;
} Loop;

// Compiles the loop for the frame that is about to jump to its head, or the function whose frame is
// about to return. False, and jit_problem, walk_problem_at: why and at which instruction.
bool walk_loop(const Frame *frame, Loop *loop);
// Frees what a Machine has beside its code and its call sites.
void machine_free_tables(Machine *machine);
extern int walk_problem_at;
// What an exit means, for --trace-jit and dis.machine(); why a guard fails, of a stencil
// (reasons.def), "" = it is none.
extern const char *const jit_exit_names[];
const char *jit_reason(const char *guard);
extern int walk_failing; // the statement whose guard --jit-fail lets fail, or -1
