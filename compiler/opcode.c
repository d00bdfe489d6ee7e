// The opcode table as data, and the columns of it that depend on the operand.
//
// CPython: Lib/opcode.py and stack_effect() of Python/compile.c.
#include "compiler/opcode.h"

#include <stddef.h>

const OpcodeRow opcode_rows[256] = {
#define OPCODE(name, number, operand, stack, flags, picture, meaning)                              \
    [number] = {#name, operand, flags, picture, meaning},
#include "compiler/opcodes.def"
};

const OperandRow operand_rows[] = {
#define OPERAND(kind, list, least, most, meaning) {list, least, most, meaning},
#include "compiler/operands.def"
};

typedef struct StackUse {
    int64_t looks, takes, leaves, jumped;
} StackUse;

static int64_t bits(int64_t number)
{
    return __builtin_popcountll((uint64_t)number);
}

// clang-format off
#define STACK(takes, leaves) {takes, takes, leaves, leaves}
#define JUMPS(takes, leaves, jumped) {takes, takes, leaves, jumped}
#define LOOKS(looks, takes, leaves) {looks, takes, leaves, leaves}
// Inlined, each of its callers has a switch that computes no more than it asks.
static inline __attribute__((always_inline)) StackUse stack_use(int opcode, int64_t n)
{
    switch (opcode) {
#define OPCODE(name, number, operand, stack, ...) case name: return (StackUse)stack;
#include "compiler/opcodes.def"
    default: return (StackUse)STACK(0, 0);
    }
}
// clang-format on

int opcode_stack_effect(int opcode, int operand, bool jump)
{
    StackUse use = stack_use(opcode, operand);
    return (int)((jump ? use.jumped : use.leaves) - use.takes);
}

int64_t opcode_takes(int opcode, int operand)
{
    return stack_use(opcode, operand).takes;
}

int64_t opcode_looks(int opcode, int operand)
{
    return stack_use(opcode, operand).looks;
}

//> lesson 5: operands
uint32_t opcode_operand_at(const uint8_t *bytes, int index)
{
    uint32_t operand = bytes[2 * index + 1];
    for (int shift = 8; shift < 32 && --index >= 0 && bytes[2 * index] == EXTENDED_ARG; shift += 8)
        operand |= (uint32_t)bytes[2 * index + 1] << shift;
    return operand;
}
//< lesson 5
