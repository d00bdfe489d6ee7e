// A JIT in a plugin: machine code for functions that only compute with ints, by stencils.
//
//     minivm --eval-frame small_jit.so script.mpy
//
// A function that is called for the tenth time is translated: each instruction becomes a copy of
// its stencil, a few bytes of x86-64 with a hole for a number or a distance. The machine's own
// stack is the value stack, and rbx points to the variables, which are plain numbers here:
//
//     total += i       LOAD_FAST total      ff b3 08 00 00 00       push [rbx + 8]
//                      LOAD_FAST i          ff b3 10 00 00 00       push [rbx + 16]
//                      INPLACE_ADD          58  48 01 04 24         pop rax; add [rsp], rax
//                                           0f 80 .. .. .. ..       jo exit
//                      STORE_FAST total     8f 83 08 00 00 00       pop [rbx + 8]
//
// A guard that fails jumps to the exit, and the interpreter runs the frame from its beginning. That
// is right, as the machine code has changed nothing but its own copy of the variables. For the same
// reason it may give up after so many turns of a loop: then Ctrl-C, which it does not see, gets its
// chance. (minivm's own JIT goes on where a guard has failed, and holds values in registers:
// vm/jit/.)
//
// The code is in memory that is first written, then made executable, never both; co_extra owns it.
// Add an instruction: its stencil, and a case in translate().
#define _DEFAULT_SOURCE // MAP_ANONYMOUS

#include "minivm_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CALLS 10         // before a function is translated
#define TURNS 100000000  // of loops, after which machine code gives up
#define MAX_VARIABLES 64 // of a function
#define MAX_CODE 1000    // of a function, in bytes of its bytecode
#define STENCIL 24       // at most so many bytes for an instruction
#if defined __x86_64__
#define HAS_STENCILS true
#else
#define HAS_STENCILS false // for another processor; then all is left to the evaluator before
#endif
#define PLAIN_FUNCTION 67 // co_flags: optimized, with its own locals, no cells; no generator

enum {
    POP_TOP = 1,
    UNARY_NEGATIVE = 11,
    BINARY_MULTIPLY = 20,
    BINARY_ADD = 23,
    BINARY_SUBTRACT = 24,
    INPLACE_ADD = 55,
    INPLACE_SUBTRACT = 56,
    INPLACE_MULTIPLY = 57,
    BINARY_AND = 64,
    BINARY_XOR = 65,
    BINARY_OR = 66,
    RETURN_VALUE = 83,
    LOAD_CONST = 100,
    COMPARE_OP = 107,
    JUMP_FORWARD = 110,
    JUMP_ABSOLUTE = 113,
    POP_JUMP_IF_FALSE = 114,
    POP_JUMP_IF_TRUE = 115,
    LOAD_FAST = 124,
    STORE_FAST = 125,
};

// The result in *result, and 1; or 0: a guard has failed.
typedef int RunFn(int64_t *variables, int64_t *result);

// What co_extra has of a code object: how often it was called, or its machine code.
typedef struct Machine {
    int calls;
    size_t size; // 0 = there is none
    void *bytes;
} Machine;

static const PluginApi *api;
static EvalFrameFn next;
static int extra_index;
static long ran, left, translated;

// ---- the stencils: a hole is the last four bytes; in push_number it is eight, before the last one

typedef struct Stencil {
    int size;
    unsigned char bytes[STENCIL];
} Stencil;

#define HOLE 0, 0, 0, 0
// push rbp; mov rbp, rsp; push rbx; mov rbx, rdi; mov ecx, the turns
static const Stencil enter = {13, {0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x89, 0xfb, 0xb9, HOLE}};
// xor eax, eax; then as below
static const Stencil give_up = {9, {0x31, 0xc0, 0x48, 0x8d, 0x65, 0xf8, 0x5b, 0x5d, 0xc3}};
// pop rax; mov [rsi], rax; mov eax, 1; lea rsp, [rbp - 8]; pop rbx; pop rbp; ret
static const Stencil give_back = {16,
                                  {0x58, 0x48, 0x89, 0x06, 0xb8, 0x01, 0x00, 0x00, 0x00, 0x48, 0x8d,
                                   0x65, 0xf8, 0x5b, 0x5d, 0xc3}};
static const Stencil push_variable = {6, {0xff, 0xb3, HOLE}};             // push [rbx + offset]
static const Stencil pop_variable = {6, {0x8f, 0x83, HOLE}};              // pop [rbx + offset]
static const Stencil push_number = {11, {0x48, 0xb8, HOLE, HOLE, 0x50}};  // mov rax, it; push rax
static const Stencil pop = {1, {0x58}};                                   // pop rax
static const Stencil add_to = {5, {0x58, 0x48, 0x01, 0x04, 0x24}};        // pop rax; add [rsp], rax
static const Stencil subtract_from = {5, {0x58, 0x48, 0x29, 0x04, 0x24}}; // ... sub
static const Stencil and_with = {5, {0x58, 0x48, 0x21, 0x04, 0x24}};      // ... and
static const Stencil or_with = {5, {0x58, 0x48, 0x09, 0x04, 0x24}};       // ... or
static const Stencil xor_with = {5, {0x58, 0x48, 0x31, 0x04, 0x24}};      // ... xor
static const Stencil multiply = {6, {0x58, 0x48, 0x0f, 0xaf, 0x04, 0x24}}; // imul rax, [rsp]
static const Stencil replace_top = {4, {0x48, 0x89, 0x04, 0x24}};          // mov [rsp], rax
static const Stencil negate = {4, {0x48, 0xf7, 0x1c, 0x24}};               // neg [rsp]
static const Stencil compare = {5, {0x58, 0x5a, 0x48, 0x39, 0xc2}};        // pop rax; pop rdx; cmp
static const Stencil test = {4, {0x58, 0x48, 0x85, 0xc0}};                 // pop rax; test rax, rax
static const Stencil count_turn = {2, {0xff, 0xc9}};                       // dec ecx
static const Stencil jump = {5, {0xe9, HOLE}};
static const Stencil jump_if = {6, {0x0f, 0x80, HOLE}}; // the condition is added to the second byte

enum { OVERFLOW = 0x0, EQUAL = 0x4, NOT_EQUAL = 0x5, LT = 0xc, GE = 0xd, LE = 0xe, GT = 0xf };

// ---- a translation

#define EXIT (-1) // a target: where guards go

typedef struct Translation {
    const Code *code;
    const unsigned char *bytecode;
    int size;
    unsigned char bytes[(MAX_CODE / 2 + 4) * STENCIL];
    int used;
    int start[MAX_CODE]; // of each instruction's bytes
    struct {
        int at, target; // a distance to be filled in, and the offset in the bytecode
    } jumps[MAX_CODE + 4];
    int jump_count;
} Translation;

static void append(Translation *made, const Stencil *stencil)
{
    memcpy(made->bytes + made->used, stencil->bytes, (size_t)stencil->size);
    made->used += stencil->size;
}

static void append_with(Translation *made, const Stencil *stencil, int32_t number)
{
    append(made, stencil);
    memcpy(made->bytes + made->used - 4, &number, sizeof number);
}

static void append_jump(Translation *made, const Stencil *stencil, int condition, int target)
{
    append(made, stencil);
    if (stencil == &jump_if) made->bytes[made->used - 5] |= (unsigned char)condition;
    made->jumps[made->jump_count].at = made->used - 4;
    made->jumps[made->jump_count++].target = target;
}

static bool append_guarded(Translation *made, const Stencil *stencil)
{
    append(made, stencil);
    append_jump(made, &jump_if, OVERFLOW, EXIT);
    return true;
}

static bool append_constant(Translation *made, int index)
{
    int64_t number;
    if (!api->plain_int(api->code_constant(made->code, index), &number)) return false;
    append(made, &push_number);
    memcpy(made->bytes + made->used - 9, &number, sizeof number);
    return true;
}

// A jump back counts, as the loop may have no end.
static bool append_goto(Translation *made, int at, int target)
{
    if (target <= at) {
        append(made, &count_turn);
        append_jump(made, &jump_if, EQUAL, EXIT);
    }
    append_jump(made, &jump, 0, target);
    return true;
}

// A comparison and the jump behind it, as there are no bools here.
static bool append_comparison(Translation *made, int at, int operator)
{
    static const int conditions[] = {LT, LE, EQUAL, NOT_EQUAL, GT, GE};
    int opcode = made->bytecode[at + 2], target = made->bytecode[at + 3];
    if (operator> 5 ||(opcode != POP_JUMP_IF_FALSE && opcode != POP_JUMP_IF_TRUE)) return false;
    if (target <= at) return false;
    append(made, &compare);
    // The lowest bit turns a condition round.
    append_jump(made, &jump_if, conditions[operator] ^ (opcode == POP_JUMP_IF_FALSE), target);
    return true;
}

static bool append_test(Translation *made, int at, int condition, int target)
{
    if (target <= at) return false;
    append(made, &test);
    append_jump(made, &jump_if, condition, target);
    return true;
}

static bool append_plain(Translation *made, const Stencil *stencil)
{
    append(made, stencil);
    return true;
}

// False = there is no stencil for it.
static bool translate(Translation *made, int at)
{
    int opcode = made->bytecode[at], operand = made->bytecode[at + 1];
    switch (opcode) {
    case LOAD_FAST: append_with(made, &push_variable, 8 * operand); return true;
    case STORE_FAST: append_with(made, &pop_variable, 8 * operand); return true;
    case LOAD_CONST: return append_constant(made, operand);
    case POP_TOP: return append_plain(made, &pop);
    case BINARY_ADD:
    case INPLACE_ADD: return append_guarded(made, &add_to);
    case BINARY_SUBTRACT:
    case INPLACE_SUBTRACT: return append_guarded(made, &subtract_from);
    case BINARY_MULTIPLY:
    case INPLACE_MULTIPLY: append_guarded(made, &multiply); return append_plain(made, &replace_top);
    case UNARY_NEGATIVE: return append_guarded(made, &negate);
    case BINARY_AND: return append_plain(made, &and_with);
    case BINARY_OR: return append_plain(made, &or_with);
    case BINARY_XOR: return append_plain(made, &xor_with);
    case COMPARE_OP: return append_comparison(made, at, operand);
    case POP_JUMP_IF_FALSE: return append_test(made, at, EQUAL, operand);
    case POP_JUMP_IF_TRUE: return append_test(made, at, NOT_EQUAL, operand);
    case JUMP_FORWARD: return append_goto(made, at, at + 2 + operand);
    case JUMP_ABSOLUTE: return append_goto(made, at, operand);
    case RETURN_VALUE: return append_plain(made, &give_back);
    default: return false;
    }
}

// Has each variable a number wherever it is loaded? Arguments have; others must be stored before
// the first jump, and not be loaded before that.
static bool all_are_bound(const Translation *made, int arguments)
{
    bool bound[MAX_VARIABLES] = {false};
    bool straight = true;
    for (int i = 0; i < arguments; i++) bound[i] = true;
    for (int at = 0; at < made->size; at += 2) {
        int opcode = made->bytecode[at], variable = made->bytecode[at + 1];
        straight &= opcode < COMPARE_OP || opcode > POP_JUMP_IF_TRUE;
        if (opcode == STORE_FAST && straight) bound[variable] = true;
        if (opcode == LOAD_FAST && !bound[variable]) return false;
    }
    return true;
}

static bool translate_all(Translation *made)
{
    append_with(made, &enter, TURNS);
    for (int at = 0; at < made->size; at += 2) {
        made->start[at] = made->used;
        if (!translate(made, at)) return false;
        if (made->bytecode[at] != COMPARE_OP) continue;
        at += 2; // the jump is a part of the comparison: nothing else may go there
        made->start[at] = EXIT;
    }
    return true;
}

static bool fill_jumps(Translation *made)
{
    int exit = made->used;
    append(made, &give_up);
    for (int i = 0; i < made->jump_count; i++) {
        int at = made->jumps[i].at, target = made->jumps[i].target;
        int to = target == EXIT ? exit : made->start[target];
        if (to < 0) return false;
        int32_t distance = to - (at + 4);
        memcpy(made->bytes + at, &distance, sizeof distance);
    }
    return true;
}

// ---- the memory of the code

static void release(void *extra)
{
    Machine *machine = extra;
    if (!machine) return;
    if (machine->size) munmap(machine->bytes, machine->size);
    free(machine);
}

static void keep(Machine *machine, const Translation *made)
{
    size_t size = (size_t)made->used;
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) return;
    memcpy(bytes, made->bytes, size);
    if (mprotect(bytes, size, PROT_READ | PROT_EXEC) != 0) { // some systems allow it to nobody
        munmap(bytes, size);
        return;
    }
    machine->bytes = bytes;
    machine->size = size;
    translated++;
}

// ---- frames

static void compile(const Code *code, Machine *machine)
{
    static Translation made; // too large for the stack; there is one thread
    CodeInfo info = api->code_info(code);
    size_t size;
    if (!HAS_STENCILS) return;
    memset(&made, 0, sizeof made);
    made.code = code;
    made.bytecode = api->code_bytecode(code, &size);
    made.size = (int)size;
    if (size > MAX_CODE || info.nlocals > MAX_VARIABLES || info.flags != PLAIN_FUNCTION) return;
    if (!all_are_bound(&made, info.argcount + info.kwonlyargcount)) return;
    if (translate_all(&made) && fill_jumps(&made)) keep(machine, &made);
}

static Machine *machine_of(Code *code)
{
    Machine *machine = api->code_get_extra(code, extra_index);
    if (machine) return machine;
    machine = calloc(1, sizeof *machine);
    if (machine && api->code_set_extra(code, extra_index, machine)) return machine;
    free(machine);
    return NULL;
}

// The variables as numbers; false = an argument is none.
static bool unboxed(Frame *frame, const CodeInfo *info, int64_t *variables)
{
    const ValueRef *values = api->frame_localsplus(frame);
    memset(variables, 0, MAX_VARIABLES * sizeof *variables);
    for (int i = 0; i < info->argcount + info->kwonlyargcount; i++)
        if (!values[i] || !api->plain_int(values[i], &variables[i])) return false;
    return true;
}

static Value evaluate(ThreadState *thread, Frame *frame, int throwflag)
{
    Code *code = api->frame_code(frame);
    Machine *machine = machine_of(code);
    if (!machine) return 0;
    if (++machine->calls == CALLS) compile(code, machine);
    if (!machine->size || throwflag) return next(thread, frame, throwflag);
    CodeInfo info = api->code_info(code);
    int64_t variables[MAX_VARIABLES], result;
    if (unboxed(frame, &info, variables)) {
        RunFn *run = (RunFn *)(uintptr_t)machine->bytes;
        if (run(variables, &result)) {
            ran++;
            return api->int_new(result);
        }
    }
    left++;
    return next(thread, frame, 0);
}

static bool init(const PluginApi *given)
{
    api = given;
    extra_index = api->extra_request_index(release, NULL);
    if (extra_index < 0) return false;
    next = api->eval_frame_get();
    api->eval_frame_set(evaluate);
    return true;
}

static void finish(void)
{
    fprintf(stderr,
            "small_jit: %ld functions translated; %ld calls by machine code, %ld given up\n",
            translated, ran, left);
}

MINIVM_PLUGIN(init, finish);
