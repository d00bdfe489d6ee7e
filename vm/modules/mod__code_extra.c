// The module `_code_extra`: what PEP 523 lets C keep on a code object (frames/hook.h), for programs
// that reach it by ctypes.pythonapi. They keep a number, to CPython an address; 0 is nothing.
#include "frames/hook.h"
#include "objects/code.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"

typedef struct Extra {
    int index;
    uint64_t number;
} Extra;

// The function to call with a number that is let go of, of each index that a program has; 0 = the
// index is not one of these.
static Value releases[MAX_EXTRA_USERS];

static void release_extra(void *pointer)
{
    Extra *extra = pointer;
    if (!extra) return;
    Value release = retain(releases[extra->index]), number = int_from_uint64(extra->number);
    memory_free(extra);
    bool calls = release && release != NONE;
    Value result = calls && number ? object_call_one(release, number) : VALUE_ERROR;
    if (calls && !result) report_unraisable(release, NULL);
    drop(result);
    drop(number);
    drop(release);
}

static Value request_index(FUNCTION_ARGS)
{
    int index = extra_request_index(release_extra, NULL);
    if (index < 0) return from_small(-1);
    releases[index] = retain(args[0]);
    return from_small(index);
}

// False with SystemError pending, where CPython has it.
static bool code_argument(ValueRef value)
{
    return code_check(value) || raise_bad_call("_code_extra");
}

static bool is_own(ssize_t index)
{
    return index >= 0 && index < MAX_EXTRA_USERS && releases[index];
}

static Value get(FUNCTION_ARGS)
{
    ssize_t index;
    if (!code_argument(args[0]) || !object_as_ssize(args[1], &index, OverflowError))
        return VALUE_ERROR;
    const Extra *extra = is_own(index) ? code_get_extra(as_code(args[0]), (int)index) : NULL;
    return int_from_uint64(extra ? extra->number : 0);
}

static Value set(FUNCTION_ARGS)
{
    ssize_t index;
    if (!code_argument(args[0]) || !object_as_ssize(args[1], &index, OverflowError))
        return VALUE_ERROR;
    if (!int_check(args[2])) return raise_error(TypeError, "a number must be an int");
    uint64_t number = int_as_uint64_mask(args[2]);
    if (!is_own(index)) return raise_bad_call("_code_extra");
    Extra *extra = number ? memory_alloc(sizeof(Extra)) : NULL;
    if (number && !extra) return raise_memory_error();
    if (extra) *extra = (Extra){(int)index, number};
    if (code_set_extra(as_code(args[0]), (int)index, extra)) return NONE;
    memory_free(extra);
    return VALUE_ERROR;
}

static void finish(void)
{
    for (int index = 0; index < MAX_EXTRA_USERS; index++) drop_slot(&releases[index]);
}

static const MethodDef functions[] = {
    {"request_index", request_index, ONE_ARG,
     "request_index(function) -> a new index, -1 = none is left; the function, if it is not None, "
     "gets the numbers that are let go of"},
    {"get", get, ARGS(2, 2), "get(code, index) -> its number, 0 = none"},
    {"set", set, ARGS(3, 3), "set(code, index, number): the code object keeps the number"},
    {0},
};

const ModuleDef _code_extra_module = {
    .name = "_code_extra",
    .doc = "Numbers on code objects, by PEP 523.",
    .functions = functions,
    .finish = finish,
};
