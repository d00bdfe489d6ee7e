// The module `_warnings`: warn() and warn_explicit() for scripts. vm/lib/warnings.mpy decides what
// happens with a warning. If it returns an exception, this file raises it, so that the traceback
// ends in the line that warned, as in CPython.
#include "objects/call.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/protocols/items.h"
#include "vm/builtins/warn.h"

#include <limits.h>

static Value decide(const char *function, const ValueRef *args, size_t count)
{
    Value outcome = warn_call(function, args, count);
    if (!outcome || outcome == NONE) return outcome;
    raise_value(outcome);
    drop(outcome);
    return VALUE_ERROR;
}

static bool bind(const Signature *signature, const ValueRef *args, size_t nargs, ValueRef kwnames,
                 ValueRef *given, size_t count)
{
    if (!args_bind(signature, args, nargs, kwnames, given)) return false;
    for (size_t i = 0; i < count; i++)
        if (!given[i]) given[i] = NONE;
    return true;
}

static Value warn(FUNCTION_ARGS)
{
    static const char *const names[] = {"message", "category", "stacklevel", "source", NULL};
    static const Signature signature = {"warn", names, 1, 4};
    ValueRef given[4];
    if (!bind(&signature, args, nargs, kwnames, given, 4)) return VALUE_ERROR;
    ssize_t level = 1;
    if (given[2] != NONE && !argument_ssize(given[2], &level)) return VALUE_ERROR;
    // No stack is as deep, and a frame's level is an int.
    given[2] = from_small(level < INT_MIN ? INT_MIN : level > INT_MAX ? INT_MAX : level);
    return decide("_warn", given, 4);
}

static Value warn_explicit(FUNCTION_ARGS)
{
    static const char *const names[] = {"message",        "category", "filename",
                                        "lineno",         "module",   "registry",
                                        "module_globals", "source",   NULL};
    static const Signature signature = {"warn_explicit", names, 4, 8};
    ValueRef given[8];
    if (!bind(&signature, args, nargs, kwnames, given, 8)) return VALUE_ERROR;
    int line;
    if (!str_check(given[2]))
        return raise_error(TypeError, "warn_explicit() argument 3 must be str, not %G", given[2]);
    if (!argument_int(given[3], &line)) return VALUE_ERROR;
    given[3] = from_small(line);
    return decide("_warn_explicit", given, 8);
}

static const MethodDef functions[] = {
    {"warn", warn, KEYWORD_ARGS, NULL},
    {"warn_explicit", warn_explicit, KEYWORD_ARGS, NULL},
    {0},
};

const ModuleDef _warnings_module = {
    .name = "_warnings",
    .functions = functions,
};
