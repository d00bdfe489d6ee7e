// The module torch._C._dynamo.eval_frame: the script's interface to the guarded code cache
// (cache.h).
//
// All of it is C: it has no frames, so a callback that is installed is not called for it.
#include "frames/cache/cache.h"

#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

static Value set_eval_frame(FUNCTION_ARGS)
{
    return cache_set_callback(args[0]);
}

static Value mark_code(ValueRef code, void *mark)
{
    if (!code_check(code)) return raise_error(TypeError, "expected a code object");
    return extra_state_mark(as_code(code), mark) ? NONE : VALUE_ERROR;
}

static Value skip_code(FUNCTION_ARGS)
{
    bool recursive = nargs > 1 && args[1] == TRUE;
    return mark_code(args[0], recursive ? SKIP_CODE_RECURSIVE : SKIP_CODE);
}

static Value reset_code(FUNCTION_ARGS)
{
    return mark_code(args[0], NULL);
}

static Value unsupported(FUNCTION_ARGS)
{
    return retain(args[1]);
}

static Value set_hook(GuardHook which, ValueRef hook)
{
    if (hook != NONE && !object_is_callable(hook))
        return raise_error(TypeError, "expected a callable or None");
    cache_set_guard_hook(which, hook == NONE ? VALUE_ERROR : hook);
    return NONE;
}

static Value set_guard_error_hook(FUNCTION_ARGS)
{
    return set_hook(GUARD_ERROR_HOOK, args[0]);
}

static Value set_guard_fail_hook(FUNCTION_ARGS)
{
    return set_hook(GUARD_FAIL_HOOK, args[0]);
}

static Value debug_get_cache_entry_list(FUNCTION_ARGS)
{
    if (!code_check(args[0])) return raise_error(TypeError, "expected a code object!");
    const ExtraState *extra = extra_state_get(as_code(args[0]));
    bool empty = !extra || extra == SKIP_CODE || extra == SKIP_CODE_RECURSIVE;
    Value list = list_new(0);
    ValueRef entry = empty ? VALUE_ERROR : extra->entries;
    for (; list && entry; entry = as_cache_entry(entry)->next)
        if (!list_append(list, entry)) drop_slot(&list);
    return list;
}

// _frame_cells(frame): the cells that a frame shares with other functions, its free variables, by
// name. f_locals has only what is in them. A frame that has ended has none.
static Value frame_cells(FUNCTION_ARGS)
{
    if (!is_exactly(args[0], &frame_type)) return raise_error(TypeError, "expected a frame");
    const Frame *frame = as_frame_object(args[0])->frame;
    const Code *code = as_code(frame->code);
    const Value *cells = frame->localsplus + code->nlocals + code_cell_count(code);
    Value dict = dict_new();
    for (ssize_t i = 0; dict && i < tuple_size(code->freevars); i++)
        if (cells[i] && !dict_set(dict, tuple_at(code->freevars, i), cells[i])) drop_slot(&dict);
    return dict;
}

// _tell(line): one more line of --trace-compile, if it is wanted. _tell() says whether it is.
static Value tell(FUNCTION_ARGS)
{
    if (nargs && !str_check(args[0])) return raise_error(TypeError, "a line must be a str");
    if (nargs && upcalls.observe_compiler) upcalls.observe_compiler(args[0]);
    return from_bool(upcalls.observe_compiler != NULL);
}

static const MethodDef functions[] = {
    {"_tell", tell, ARGS(0, 1), "_tell(line): what the compiler does, for --trace-compile."},
    {"_frame_cells", frame_cells, ONE_ARG, "The cells of a frame's free variables, by name."},
    {"set_eval_frame", set_eval_frame, ONE_ARG,
     "set_eval_frame(callback): None = off, False = run what is cached, a callable = compile as "
     "well.\nReturns the one before."},
    {"skip_code", skip_code, ARGS(1, 2),
     "skip_code(code, recursive=False): frames of this code are not looked at any more; recursive "
     "= "
     "nor those that they call."},
    {"reset_code", reset_code, ONE_ARG, "Forget the cache entries and the mark of this code."},
    {"unsupported", unsupported, ARGS(2, 2), "Returns its second argument, untraceably."},
    {"set_guard_error_hook", set_guard_error_hook, ONE_ARG,
     "hook(check_fn, code, f_locals, index, last) is called where a guard raises."},
    {"set_guard_fail_hook", set_guard_fail_hook, ONE_ARG,
     "hook(check_fn, code, f_locals, index, last) is called where a guard fails."},
    {"_debug_get_cache_entry_list", debug_get_cache_entry_list, ONE_ARG,
     "The cache entries of a code object, in the order of the lookup."},
    {0},
};

static bool fill(ValueRef module)
{
    return cache_init() && module_add(module, "_CacheEntry", ref_of(&cache_entry_type)) &&
           module_add(module, "_ExtraState", ref_of(&extra_state_type)) &&
           module_add(module, "skip_code_recursive_flag", cache_skip_recursive_flag());
}

const ModuleDef eval_frame_module = {
    .name = "torch._C._dynamo.eval_frame",
    .doc = "The guarded code cache.",
    .functions = functions,
    .fill = fill,
};
