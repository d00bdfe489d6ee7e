// The module `_opcode`: the opcode table for vm/lib/opcode.mpy and the debugger's help,
// stack_effect(), and the verifier for vm/lib/dis.mpy.
#include "compiler/opcode.h"
#include "compiler/verify/verify.h"
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/text/str.h"

// (name, number, the list of the module `opcode` that has it, or None)
static Value table_row(int opcode)
{
    const char *list_name = operand_rows[opcode_operand(opcode)].list;
    Value name = str_intern(opcode_name(opcode)), row = VALUE_ERROR;
    Value list = name && list_name ? str_intern(list_name) : NONE;
    if (name && list) row = tuple_pack(3, name, from_small(opcode), list);
    drop(name);
    drop(list);
    return row;
}

// A row for each opcode, in the order of their numbers.
static Value table(FUNCTION_ARGS)
{
    Value list = list_new(128);
    for (int opcode = 0; list && opcode < 256; opcode++)
        if (opcode_name(opcode) && !list_append_owned(list, table_row(opcode))) drop_slot(&list);
    return list;
}

static bool opcode_argument(ValueRef value, int *opcode)
{
    ssize_t number;
    if (!object_as_ssize(value, &number, OverflowError)) return false;
    *opcode = number < 0 || number > 255 ? -1 : (int)number;
    return opcode_name(*opcode) || raise_error(ValueError, "no such opcode: %zd", number);
}

// (picture, meaning, what the operand is)
static Value describe(FUNCTION_ARGS)
{
    int opcode;
    if (!opcode_argument(args[0], &opcode)) return VALUE_ERROR;
    Value picture = str_new(opcode_rows[opcode].picture);
    Value meaning = str_new(opcode_rows[opcode].meaning);
    Value operand = str_new(operand_rows[opcode_operand(opcode)].meaning), all = VALUE_ERROR;
    if (picture && meaning && operand) all = tuple_pack(3, picture, meaning, operand);
    drop(picture);
    drop(meaning);
    drop(operand);
    return all;
}

static Value ends_flow(FUNCTION_ARGS)
{
    int opcode;
    if (!opcode_argument(args[0], &opcode)) return VALUE_ERROR;
    return from_bool(opcode_is(opcode, ENDS_FLOW));
}

static bool jump_argument(ValueRef value, int *jump)
{
    *jump = -1;
    if (!value || value == NONE) return true;
    if (is_bool(value)) return *jump = value == TRUE, true;
    return raise_error(ValueError, "stack_effect: jump must be False, True or None");
}

static int effect_of(int opcode, int operand, int jump)
{
    int through = opcode_stack_effect(opcode, operand, false);
    int jumping = opcode_stack_effect(opcode, operand, true);
    if (jump < 0) return through > jumping ? through : jumping;
    return jump ? jumping : through;
}

static Value stack_effect(FUNCTION_ARGS)
{
    static const char *const names[] = {"opcode", "oparg", "jump", NULL};
    static const Signature signature = {"stack_effect", names, 1, 2};
    ValueRef given[3];
    ssize_t opcode, operand = 0;
    int jump;
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        !object_as_ssize(given[0], &opcode, OverflowError))
        return VALUE_ERROR;
    bool has_operand = given[1] && given[1] != NONE;
    if (opcode >= HAVE_ARGUMENT && !has_operand)
        return raise_error(ValueError,
                           "stack_effect: opcode requires oparg but oparg was not specified");
    if (opcode < HAVE_ARGUMENT && has_operand)
        return raise_error(ValueError,
                           "stack_effect: opcode does not permit oparg but oparg was specified");
    if (has_operand && !object_as_ssize(given[1], &operand, OverflowError)) return VALUE_ERROR;
    if (!jump_argument(given[2], &jump)) return VALUE_ERROR;
    if (opcode < 0 || opcode > 255 || !opcode_name((int)opcode))
        return raise_error(ValueError, "invalid opcode or oparg");
    return from_small(effect_of((int)opcode, (int)operand, jump));
}

static Value verify(FUNCTION_ARGS)
{
    if (!code_check(args[0]))
        return raise_error(TypeError, "verify() argument must be code, not %.200T", args[0]);
    return code_verify(as_code(args[0])) ? NONE : VALUE_ERROR;
}

static const MethodDef functions[] = {
    {"table", table, NO_ARGS, NULL},         {"describe", describe, ONE_ARG, NULL},
    {"ends_flow", ends_flow, ONE_ARG, NULL}, {"stack_effect", stack_effect, KEYWORD_ARGS, NULL},
    {"verify", verify, ONE_ARG, NULL},       {0},
};

const ModuleDef _opcode_module = {
    .name = "_opcode",
    .functions = functions,
};
