// The module `_opcode`: the opcode table for vm/lib/opcode.mpy, stack_effect(), and the verifier
// for vm/lib/dis.mpy.
#include "compiler/opcode.h"
#include "compiler/verify.h"
#include "objects/code.h"
#include "objects/error.h"
#include "objects/list.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/str.h"
#include "objects/tuple.h"

static const struct {
    const char *name;
    Operand operand;
} kinds[] = {
    {"const", OPERAND_CONST},     {"name", OPERAND_NAME},          {"local", OPERAND_LOCAL},
    {"free", OPERAND_FREE},       {"jrel", OPERAND_JUMP_RELATIVE}, {"jabs", OPERAND_JUMP_ABSOLUTE},
    {"compare", OPERAND_COMPARE},
};

static Value kind_name(Operand operand)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].operand == operand) return str_intern(kinds[i].name);
    return NONE;
}

// [(name, number, kind of operand or None), ...] in the order of their numbers.
static Value table(FUNCTION_ARGS)
{
    Value list = list_new(128);
    for (int opcode = 0; list && opcode < 256; opcode++) {
        if (!opcode_name(opcode)) continue;
        Value name = str_intern(opcode_name(opcode));
        Value kind = name ? kind_name(opcode_operand(opcode)) : VALUE_ERROR;
        Value row = kind ? tuple_pack(3, name, from_small(opcode), kind) : VALUE_ERROR;
        drop(name);
        drop(kind);
        if (!list_append_owned(list, row)) drop_slot(&list);
    }
    return list;
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
    {"table", table, NO_ARGS, NULL},
    {"stack_effect", stack_effect, KEYWORD_ARGS, NULL},
    {"verify", verify, ONE_ARG, NULL},
    {0},
};

const ModuleDef _opcode_module = {"_opcode", NULL, functions, NULL};
