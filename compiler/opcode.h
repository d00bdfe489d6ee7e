// The opcode table as C: one enum and the questions that the assembler, the disassembler, the
// verifier and the `opcode` module ask of it. compiler/opcodes.def is the only list.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum Opcode {
#define OPCODE(name, number, operand, takes, effect, jump_effect) name = number,
#include "compiler/opcodes.def"
#undef OPCODE
} Opcode;

#define HAVE_ARGUMENT 90

typedef enum Operand {
    OPERAND_NONE,
    OPERAND_NUMBER,
    OPERAND_CONST,
    OPERAND_NAME,
    OPERAND_LOCAL,
    OPERAND_FREE,
    OPERAND_JUMP_RELATIVE,
    OPERAND_JUMP_ABSOLUTE,
    OPERAND_COMPARE,
    OPERAND_CONVERSION,
    OPERAND_FUNCTION_FLAGS
} Operand;

const char *opcode_name(int opcode); // NULL where there is no such opcode
Operand opcode_operand(int opcode);
#define VARIES (-1000)

// The change of depth; `jump`: as far as the target. For what CPython's stack_effect() gives.
int opcode_stack_effect(int opcode, int operand, bool jump);
// How many values it takes off the stack (or moves), and how many it looks at: those and others
// below.
int64_t opcode_takes(int opcode, int operand);
int64_t opcode_reads(int opcode, int operand);

static inline bool opcode_is_jump(int opcode)
{
    Operand operand = opcode_operand(opcode);
    return operand == OPERAND_JUMP_RELATIVE || operand == OPERAND_JUMP_ABSOLUTE;
}
