// The opcode table as data, made from opcodes.def, and the effects that depend on the operand.
//
// CPython: Lib/opcode.py and stack_effect() of Python/compile.c.
#include "compiler/opcode.h"

#include <stddef.h>

typedef struct OpcodeRow {
    const char *name;
    Operand operand;
    int takes, effect, jump_effect;
} OpcodeRow;

static const OpcodeRow rows[256] = {
#define OPCODE(name, number, operand, takes, effect, jump_effect)                                  \
    [number] = {#name, operand, takes, effect, jump_effect},
#include "compiler/opcodes.def"
#undef OPCODE
};

const char *opcode_name(int opcode)
{
    return opcode >= 0 && opcode < 256 ? rows[opcode].name : NULL;
}

Operand opcode_operand(int opcode)
{
    return opcode >= 0 && opcode < 256 ? rows[opcode].operand : OPERAND_NONE;
}

static int bit(int number, int mask)
{
    return (number & mask) != 0;
}

// What an instruction whose effect VARIES does to the depth.
static int effect_of_operand(int opcode, int operand)
{
    switch (opcode) {
    case BUILD_TUPLE:
    case BUILD_LIST:
    case BUILD_SET:
    case BUILD_STRING: return 1 - operand;
    case BUILD_MAP: return 1 - 2 * operand;
    case BUILD_CONST_KEY_MAP: return -operand;
    case UNPACK_SEQUENCE: return operand - 1;
    case UNPACK_EX: return (operand & 0xFF) + (operand >> 8);
    case RAISE_VARARGS: return -operand;
    case CALL_FUNCTION: return -operand;
    case CALL_METHOD:
    case CALL_FUNCTION_KW: return -operand - 1;
    case CALL_FUNCTION_EX: return -1 - bit(operand, 1);
    case MAKE_FUNCTION:
        return -1 - bit(operand, 1) - bit(operand, 2) - bit(operand, 4) - bit(operand, 8);
    case BUILD_SLICE: return operand == 3 ? -2 : -1;
    case FORMAT_VALUE: return bit(operand, 4) ? -1 : 0;
    default: return 0;
    }
}

static int64_t takes_of_operand(int opcode, int64_t operand)
{
    switch (opcode) {
    case BUILD_TUPLE:
    case BUILD_LIST:
    case BUILD_SET:
    case BUILD_STRING:
    case RAISE_VARARGS: return operand;
    case BUILD_MAP: return 2 * operand;
    case BUILD_CONST_KEY_MAP:
    case CALL_FUNCTION: return operand + 1;
    case CALL_FUNCTION_KW:
    case CALL_METHOD: return operand + 2;
    case CALL_FUNCTION_EX: return 2 + (operand & 1);
    case MAKE_FUNCTION: return 2 + __builtin_popcount(operand & 15);
    case BUILD_SLICE: return operand == 3 ? 3 : 2;
    case FORMAT_VALUE: return operand & 4 ? 2 : 1;
    default: return 0;
    }
}

int64_t opcode_takes(int opcode, int operand)
{
    int takes = rows[opcode & 0xFF].takes;
    return takes == VARIES ? takes_of_operand(opcode, operand) : takes;
}

int64_t opcode_reads(int opcode, int operand)
{
    int64_t takes = opcode_takes(opcode, operand);
    switch (opcode) {
    case DUP_TOP:
    case GET_ANEXT:
    case IMPORT_FROM: return 1;
    case DUP_TOP_TWO: return 2;
    case WITH_EXCEPT_START: return 7;
    case LIST_APPEND:
    case LIST_EXTEND:
    case SET_ADD:
    case SET_UPDATE:
    case DICT_UPDATE:
    case MAP_ADD: return takes + operand;
    case DICT_MERGE: return takes + operand + 2; // the callable, for what it says where it fails
    default: return takes;
    }
}

int opcode_stack_effect(int opcode, int operand, bool jump)
{
    const OpcodeRow *row = &rows[opcode & 0xFF];
    int effect = jump ? row->jump_effect : row->effect;
    return effect == VARIES ? effect_of_operand(opcode, operand) : effect;
}
