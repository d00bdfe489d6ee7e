// The module `sys`: its functions, and its initialisation.
#include "frames/generators/generator.h"
#include "frames/hook.h"
#include "objects/classes/slots.h"
#include "objects/classes/struct_sequence.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/thread_parts.h"
#include "objects/upcalls.h"
#include "vm/builtins/builtins.h"
#include "vm/builtins/frame_builtins.h"
#include "vm/import/import.h"
#include "vm/import/library.h"
#include "vm/io/stream.h"
#include "vm/outside/outside.h"
#include "vm/settrace/trace.h"
#include "vm/sys/sys.h"

#define MODULE_ROW(name) extern const ModuleDef name##_module;
#include "vm/import/modules.def"
#undef MODULE_ROW

static Value module;
static bool quiet;
static int optimize;

ValueRef sys_get(const char *name)
{
    return module ? dict_peek_ascii(as_module(module)->dict, name) : 0; // none at the very end
}

bool sys_is_quiet(void)
{
    return quiet;
}

ValueRef sys_module(void)
{
    return module;
}

bool sys_is_module(ValueRef value)
{
    return value == module;
}

bool sys_set(const char *name, ValueRef value)
{
    return dict_set_ascii(as_module(module)->dict, name, value);
}

// ---- leaving

// The arguments of the exception are those that PyErr_SetObject of CPython makes.
static Value sys_exit(FUNCTION_ARGS)
{
    if (!nargs || args[0] == NONE) return raise_error(SystemExit, NULL);
    if (type_is_subtype(type_of(args[0]), SystemExit)) return raise_value(args[0]);
    if (!tuple_check(args[0])) return raise_with(SystemExit, args[0]);
    Value exception = object_call_spread(ref_of(SystemExit), args[0], VALUE_ERROR);
    if (exception) raise_value(exception);
    drop(exception);
    return VALUE_ERROR;
}

// ---- depth

static Value get_recursion_limit(FUNCTION_ARGS)
{
    return from_small(recursion_limit);
}

static Value set_recursion_limit(FUNCTION_ARGS)
{
    int limit;
    if (!argument_int(args[0], &limit)) return VALUE_ERROR;
    return stack_set_limit(limit) ? NONE : VALUE_ERROR;
}

static Value get_int_max_str_digits(FUNCTION_ARGS)
{
    return from_small(int_max_str_digits);
}

static Value set_int_max_str_digits(FUNCTION_ARGS)
{
    static const char *const names[] = {"maxdigits", NULL};
    static const Signature signature = {"set_int_max_str_digits", names, 1, 1};
    ValueRef given[1];
    ssize_t digits;
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        !object_as_ssize(given[0], &digits, OverflowError))
        return VALUE_ERROR;
    if (digits != 0 && digits < INT_STR_DIGITS_THRESHOLD)
        return raise_error(ValueError, "maxdigits must be 0 or larger than %d",
                           INT_STR_DIGITS_THRESHOLD);
    int_max_str_digits = (int)digits;
    return NONE;
}

// ---- objects

static Value get_refcount(FUNCTION_ARGS)
{
    // The arguments are borrowed here, so one is added for the argument that CPython counts.
    return is_object(args[0]) ? int_new(object_of(args[0])->refcount + 1) : from_small(1000000);
}

static bool size_of(ValueRef object, ssize_t *size)
{
    Value result = special_call(NAME(__sizeof__), &object, 1);
    if (!result) return false;
    bool done = int_as_ssize(result, size);
    drop(result);
    if (done && *size < 0) return raise_error(ValueError, "__sizeof__() should return >= 0");
    return done;
}

static Value get_size(FUNCTION_ARGS)
{
    static const char *const names[] = {"object", "default", NULL};
    static const Signature signature = {"getsizeof", names, 1, 2};
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    ssize_t size;
    if (!size_of(given[0], &size)) {
        if (!given[1] || !error_is(TypeError)) return VALUE_ERROR;
        error_clear();
        return retain(given[1]);
    }
    bool collected = type_of(given[0])->flags & TYPE_GC;
    return int_new(size + (collected ? 16 : 0)); // CPython's collector header
}

static Value intern(FUNCTION_ARGS)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "intern() argument must be str, not %G", args[0]);
    if (!str_check_exact(args[0])) return raise_error(TypeError, "can't intern %.400T", args[0]);
    Value text = retain(args[0]);
    str_intern_in_place(&text);
    return text;
}

static Value allocated_blocks(FUNCTION_ARGS)
{
    return int_new((int64_t)memory_counts().blocks);
}

// ---- encodings, and what never changes

static Value utf8_name(FUNCTION_ARGS)
{
    return str_new("utf-8");
}
static Value surrogateescape_name(FUNCTION_ARGS)
{
    return str_new("surrogateescape");
}
static Value is_finalizing(FUNCTION_ARGS)
{
    return FALSE;
}
double sys_switch_interval = 0.005;

static Value switch_interval(FUNCTION_ARGS)
{
    return from_double(sys_switch_interval);
}

// No C is loaded for an import: the number is kept for who asks.
static int dlopen_flags = 2; // RTLD_NOW

static Value get_dlopen_flags(FUNCTION_ARGS)
{
    return from_small(dlopen_flags);
}

static Value set_dlopen_flags(FUNCTION_ARGS)
{
    return argument_int(args[0], &dlopen_flags) ? NONE : VALUE_ERROR;
}

static Value set_switch_interval(FUNCTION_ARGS)
{
    double seconds;
    if (!float_from_value(args[0], &seconds)) return VALUE_ERROR;
    if (seconds <= 0) return raise_error(ValueError, "switch interval must be strictly positive");
    sys_switch_interval = seconds;
    return NONE;
}

static Value current_frames(FUNCTION_ARGS)
{
    if (!upcalls.thread_frames) drop(import_module("_strands"));
    return upcalls.thread_frames ? upcalls.thread_frames() : VALUE_ERROR;
}

// ---- coroutines and async generators

// Each thread has its own of these.
static void drop_asyncgen_hooks(void)
{
    drop_slot(&async_generator_firstiter);
    drop_slot(&async_generator_finalizer);
}

static void add_thread_parts(void)
{
    static ThreadPart depth = {
        &coroutine_origin_depth, sizeof coroutine_origin_depth, NULL, NULL, NULL, NULL};
    static ThreadPart firstiter = {&async_generator_firstiter, sizeof(Value), NULL, NULL,
                                   drop_asyncgen_hooks,        NULL};
    static ThreadPart finalizer = {
        &async_generator_finalizer, sizeof(Value), NULL, NULL, NULL, NULL};
    thread_part_add(&depth);
    thread_part_add(&firstiter);
    thread_part_add(&finalizer);
}

static Value get_origin_depth(FUNCTION_ARGS)
{
    return from_small(coroutine_origin_depth);
}

static Value set_origin_depth(FUNCTION_ARGS)
{
    static const char *const names[] = {"depth", NULL};
    static const Signature signature = {"set_coroutine_origin_tracking_depth", names, 1, 1};
    ValueRef given[1];
    int depth;
    if (!args_bind(&signature, args, nargs, kwnames, given) || !argument_int(given[0], &depth))
        return VALUE_ERROR;
    if (depth < 0) return raise_error(ValueError, "depth must be >= 0");
    add_thread_parts();
    coroutine_origin_depth = depth;
    return NONE;
}

static bool set_hook(Value *hook, ValueRef value, const char *name)
{
    if (!value) return true;
    if (value != NONE && !object_is_callable(value))
        return raise_error(TypeError, "callable %s expected, got %.50T", name, value);
    replace_slot(hook, value == NONE ? VALUE_ERROR : retain(value));
    return true;
}

static Value set_asyncgen_hooks(FUNCTION_ARGS)
{
    static const char *const names[] = {"firstiter", "finalizer", NULL};
    static const Signature signature = {"", names, 0, 2};
    ValueRef given[2];
    add_thread_parts();
    bool done = args_bind(&signature, args, nargs, kwnames, given) &&
                set_hook(&async_generator_finalizer, given[1], "finalizer") &&
                set_hook(&async_generator_firstiter, given[0], "firstiter");
    return done ? NONE : VALUE_ERROR;
}

static const MemberDef asyncgen_hooks_fields[] = {
    STRUCT_FIELD("firstiter", 0), STRUCT_FIELD("finalizer", 1), {0}};
static StructType asyncgen_hooks_type = STRUCT_SEQUENCE("asyncgen_hooks", asyncgen_hooks_fields, 2);

static Value get_asyncgen_hooks(FUNCTION_ARGS)
{
    ValueRef first = async_generator_firstiter, last = async_generator_finalizer;
    Value items[] = {first ? retain(first) : NONE, last ? retain(last) : NONE};
    return struct_sequence_from_owned(&asyncgen_hooks_type, items);
}

static const MethodDef functions[] = {
    SYS_HOOKS,
    SYS_TRACE,
    {"_current_frames", current_frames, NO_ARGS, NULL},
    {"_getframe", sys_getframe, ARGS(0, 1), NULL},
    {"addaudithook", sys_add_audit_hook, KEYWORD_ARGS, NULL},
    {"audit", sys_audit, UNPACKED_ARGS(0, -1), NULL},
    {"exc_info", sys_exc_info, NO_ARGS, NULL},
    {"exit", sys_exit, ARGS(0, 1), NULL},
    {"get_asyncgen_hooks", get_asyncgen_hooks, NO_ARGS, NULL},
    {"get_coroutine_origin_tracking_depth", get_origin_depth, NO_ARGS, NULL},
    {"getallocatedblocks", allocated_blocks, NO_ARGS, NULL},
    {"get_int_max_str_digits", get_int_max_str_digits, NO_ARGS, NULL},
    {"set_int_max_str_digits", set_int_max_str_digits, KEYWORD_ARGS, NULL},
    {"getdefaultencoding", utf8_name, NO_ARGS, NULL},
    {"getfilesystemencodeerrors", surrogateescape_name, NO_ARGS, NULL},
    {"getfilesystemencoding", utf8_name, NO_ARGS, NULL},
    {"getdlopenflags", get_dlopen_flags, NO_ARGS, NULL},
    {"getrecursionlimit", get_recursion_limit, NO_ARGS, NULL},
    {"getrefcount", get_refcount, ONE_ARG, NULL},
    {"getsizeof", get_size, KEYWORD_ARGS, NULL},
    {"getswitchinterval", switch_interval, NO_ARGS, NULL},
    {"intern", intern, ONE_ARG, NULL},
    {"is_finalizing", is_finalizing, NO_ARGS, NULL},
    {"set_asyncgen_hooks", set_asyncgen_hooks, KEYWORD_ARGS, NULL},
    {"set_coroutine_origin_tracking_depth", set_origin_depth, KEYWORD_ARGS, NULL},
    {"setswitchinterval", set_switch_interval, ONE_ARG, NULL},
    {"setdlopenflags", set_dlopen_flags, ONE_ARG, NULL},
    {"setrecursionlimit", set_recursion_limit, ONE_ARG, NULL},
    {0},
};

// ---- making the module

static bool add_module_names(void)
{
    const char *const names[] = {
        "builtins",
        "sys",
#define MODULE_ROW(row) row##_module.name,
#include "vm/import/modules.def"
#undef MODULE_ROW
    };
    size_t count = sizeof names / sizeof *names;
    Value tuple = tuple_new((ssize_t)count);
    for (size_t i = 0; tuple && i < count; i++) {
        as_tuple(tuple)->items[i] = str_intern(names[i]);
        if (!as_tuple(tuple)->items[i]) drop_slot(&tuple);
    }
    return module_add_owned(module, "builtin_module_names", tuple);
}

static bool keep_hooks(void)
{
    static const char *const names[] = {"displayhook", "excepthook", "unraisablehook",
                                        "breakpointhook"};
    for (int i = 0; i < 4; i++) {
        char kept[32] = "__";
        strcat(strcat(kept, names[i]), "__");
        if (!sys_set(kept, sys_get(names[i]))) return false;
    }
    return true;
}

int sys_optimize(void)
{
    return optimize;
}

bool sys_init(const SysOptions *options)
{
    static const ModuleDef def = {
        .name = "sys",
        .doc = "The interpreter: its arguments, streams, modules, limits and hooks.",
        .functions = functions,
    };
    quiet = options->quiet;
    optimize = options->optimize;
    module = import_c_module(&def);
    return module && struct_sequence_ready_sealed(&asyncgen_hooks_type) &&
           module_add(module, "modules", import_modules()) && sys_add_info(module, options) &&
           add_module_names() && keep_hooks() && sys_add_start(module, options);
}

// What a script has put into sys and builtins may run script code when it goes: that still finds
// both, if empty.
void sys_finish(void)
{
    sys_drop_audit_hooks();
    trace_finish();
    drop_slot(&async_generator_firstiter);
    drop_slot(&async_generator_finalizer);
    dict_clear(as_module(module)->dict);
    dict_clear(builtins_dict());
    gc_collect(2);
    drop_slot(&module);
}
