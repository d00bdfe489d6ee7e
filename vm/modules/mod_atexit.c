// The module atexit: functions to call when the program ends.
//
// vm_finish() calls them, the last one registered first, before any module is cleared. An exception
// is printed, and the other functions are still called. Each is kept as a tuple (function, args,
// kwargs); kwargs may be None. An unregistered one is None.
#include "vm/modules/atexit.h"

#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "vm/sys/sys.h"

static Value registered; // list, or 0

static Value pack_keywords(const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return kwnames ? args_keywords(args, nargs, kwnames) : NONE;
}

static Value atexit_register(FUNCTION_ARGS)
{
    if (nargs == 0) return raise_error(TypeError, "register() takes at least 1 argument (0 given)");
    if (!object_is_callable(args[0]))
        return raise_error(TypeError, "the first argument must be callable");
    if (!registered) registered = list_new(0);
    if (!registered) return VALUE_ERROR;
    Value positional = tuple_from_array(args + 1, nargs - 1);
    Value keywords = pack_keywords(args, nargs, kwnames);
    Value call =
        positional && keywords ? tuple_pack(3, args[0], positional, keywords) : VALUE_ERROR;
    drop(positional);
    drop(keywords);
    return list_append_owned(registered, call) ? retain(args[0]) : VALUE_ERROR;
}

static Value atexit_clear(FUNCTION_ARGS)
{
    drop_slot(&registered);
    return NONE;
}

static ssize_t count(void)
{
    return registered ? list_size(registered) : 0;
}

// An unregistered function leaves an empty entry, as in 3.9: comparing and calling run script code,
// which may register and unregister others meanwhile.
static Value call_at(ssize_t index)
{
    return index < count() ? retain(list_at(registered, index)) : NONE;
}

static Value atexit_unregister(FUNCTION_ARGS)
{
    for (ssize_t i = count(); i-- > 0;) {
        Value call = call_at(i);
        bool equal = false;
        bool done = call == NONE || object_equal(tuple_at(call, 0), args[0], &equal);
        if (equal && i < count()) replace_slot(&as_list(registered)->items[i], NONE);
        drop(call);
        if (!done) return VALUE_ERROR;
    }
    return NONE;
}

static bool call_one(ValueRef call)
{
    ValueRef keywords = tuple_at(call, 2);
    if (keywords == NONE) keywords = 0;
    Value result = object_call_spread(tuple_at(call, 0), tuple_at(call, 1), keywords);
    drop(result);
    return result != VALUE_ERROR;
}

// As in 3.9 the last exception is left pending; SystemExit is not shown.
static bool call_all(void)
{
    Value last = VALUE_ERROR;
    for (ssize_t i = count(); i-- > 0;) {
        Value call = call_at(i);
        if (call != NONE && !call_one(call)) {
            bool quiet = error_is(SystemExit);
            drop(last);
            last = error_take();
            if (!quiet) sys_show_error(last, "Error in atexit._run_exitfuncs:\n");
        }
        drop(call);
    }
    drop_slot(&registered);
    if (last) error_restore(last);
    return !last;
}

static Value atexit_run_exitfuncs(FUNCTION_ARGS)
{
    return call_all() ? NONE : VALUE_ERROR;
}

static Value atexit_ncallbacks(FUNCTION_ARGS)
{
    return from_small(count());
}

void atexit_run(void)
{
    if (!call_all()) error_clear();
}

// Drops functions that were registered after atexit_run().
static void finish(void)
{
    drop_slot(&registered);
}

static const MethodDef functions[] = {
    {"register", atexit_register, KEYWORD_ARGS, NULL},
    {"_clear", atexit_clear, NO_ARGS, NULL},
    {"unregister", atexit_unregister, ONE_ARG, NULL},
    {"_run_exitfuncs", atexit_run_exitfuncs, NO_ARGS, NULL},
    {"_ncallbacks", atexit_ncallbacks, NO_ARGS, NULL},
    {0},
};

const ModuleDef atexit_module = {
    .name = "atexit",
    .doc = "allow programmer to define multiple exit functions to be executed\n"
           "upon normal program termination.\n\n"
           "Two public functions, register and unregister, are defined.\n",
    .functions = functions,
    .finish = finish,
};
