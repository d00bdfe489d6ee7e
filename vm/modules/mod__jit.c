// The module `_jit`: what the JIT has made of a code object, for dis.machine()
// (vm/lib/_machine_code.mpy).
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/module.h"
#include "vm/jit/jit.h"

static Value exists(FUNCTION_ARGS)
{
    return from_bool(JIT);
}

static Value is_on(FUNCTION_ARGS)
{
    return from_bool(jit_is_on());
}

static Value describe(FUNCTION_ARGS)
{
    if (!code_check(args[0]))
        return raise_error(TypeError, "describe() argument must be code, not %.200T", args[0]);
    return jit_describe(as_code(args[0]));
}

static const MethodDef functions[] = {
    {"exists", exists, NO_ARGS, NULL},
    {"is_on", is_on, NO_ARGS, NULL},
    {"describe", describe, ONE_ARG, NULL},
    {0},
};

const ModuleDef _jit_module = {
    .name = "_jit",
    .functions = functions,
};
