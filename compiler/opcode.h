// The opcodes: an enum, and functions that read the table. Its rows are in compiler/opcodes.def,
// the kinds of operands in compiler/operands.def.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum Opcode {
#define OPCODE(name, number, ...) name = number,
#include "compiler/opcodes.def"
} Opcode;

#define HAVE_ARGUMENT 90

// How many values a handler finds on the stack, above the level of its block: traceback, exception
// and type of the exception that was handled before, and those of the one that is handled now.
#define HANDLER_VALUES 6
#define SAVED_VALUES 3 // of the exception before

// The operand of MAKE_FUNCTION: which of these values are below the code and the name, in this
// order. (CPython names the bits since 3.13.)
typedef enum MakeFunctionFlag {
    MAKE_FUNCTION_DEFAULTS = 1 << 0,
    MAKE_FUNCTION_KWDEFAULTS = 1 << 1,
    MAKE_FUNCTION_ANNOTATIONS = 1 << 2,
    MAKE_FUNCTION_CLOSURE = 1 << 3,
} MakeFunctionFlag;

typedef enum Operand {
#define OPERAND(kind, ...) kind,
#include "compiler/operands.def"
} Operand;

// The deepest value that an instruction reads must have the type of its NEEDS_ flag. Code of this
// process's compiler guarantees that; for other code vm/checks.h checks it.
typedef enum OpcodeFlag {
    ENDS_FLOW = 1 << 0,     // control never goes on to the next instruction
    JUMPS_BACK = 1 << 1,    // may jump back, since the loop checks for signals there
    LEAVES_FRAME = 1 << 2,  // returns: no block may be open
    SUSPENDS = 1 << 3,      // yields: the frame is resumed later
    SETS_UP_BLOCK = 1 << 4, // begins a block; its target is the handler
    POPS_BLOCK = 1 << 5,    // ends the innermost block
    POPS_HANDLER = 1 << 6,  // ends the innermost handler
    COMPUTES = 1 << 7,      // makes a new value: the command `so` stops after it
    NEEDS_LIST = 1 << 8,
    NEEDS_SET = 1 << 9,
    NEEDS_DICT = 1 << 10,
    NEEDS_ITERATOR = 1 << 11,
    NEEDS_MORE = 1 << 12 // vm/checks.c has a case for it
} OpcodeFlag;

typedef struct OpcodeRow {
    const char *name; // NULL where there is no such opcode
    Operand operand;
    unsigned flags;
    const char *picture, *meaning;
} OpcodeRow;

typedef struct OperandRow {
    const char *list; // or NULL
    int32_t least, most;
    const char *meaning;
} OperandRow;

extern const OpcodeRow opcode_rows[256];
extern const OperandRow operand_rows[];

static inline const char *opcode_name(int opcode)
{
    return opcode >= 0 && opcode < 256 ? opcode_rows[opcode].name : 0;
}

static inline Operand opcode_operand(int opcode)
{
    return opcode >= 0 && opcode < 256 ? opcode_rows[opcode].operand : OPERAND_NONE;
}

// Does it have one of these flags?
static inline bool opcode_is(int opcode, unsigned flags)
{
    return opcode >= 0 && opcode < 256 && opcode_rows[opcode].flags & flags;
}

// Of a SETS_UP_BLOCK it is the handler where it "jumps".
static inline bool opcode_is_jump(int opcode)
{
    Operand operand = opcode_operand(opcode);
    return operand == OPERAND_JUMP_RELATIVE || operand == OPERAND_JUMP_ABSOLUTE;
}

// By how much the depth changes, up to the next instruction or (`jump`) up to the target. As
// CPython's stack_effect().
int opcode_stack_effect(int opcode, int operand, bool jump);
// How many values it takes off the stack or moves, and how many it reads: these and others below.
int64_t opcode_takes(int opcode, int operand);
int64_t opcode_looks(int opcode, int operand);

// The operand of the instruction at `index` of co_code, with the bits of the EXTENDED_ARGs before
// it: the lowest 32 bits.
uint32_t opcode_operand_at(const uint8_t *bytes, int index);
