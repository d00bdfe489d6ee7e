// Warnings from C code. The filters are in vm/lib/warnings.mpy. A warning during the import of that
// module itself is dropped. At shutdown the module can no longer be imported: then a warning goes
// to stderr unfiltered, as in CPython.
#include "vm/builtins/warn.h"

#include "frames/generators/generator.h"
#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/import/import.h"
#include "vm/sys/sys.h"

static bool importing;

// A function of the module warnings: owned; ABSENT if the module is not available now.
static Value warnings_function(const char *name)
{
    if (importing) return ABSENT;
    importing = true;
    Value module = import_module("warnings");
    importing = false;
    if (!module && error_is(ImportError)) return error_clear(), ABSENT;
    if (!module) return VALUE_ERROR;
    Value text = str_intern(name);
    Value function = text ? object_get(module, text) : VALUE_ERROR;
    drop(text);
    drop(module);
    return function;
}

Value warn_call(const char *name, const ValueRef *args, size_t count)
{
    Value function = warnings_function(name);
    if (function == ABSENT) return NONE;
    Value result = function ? object_call(function, args, count, 0) : VALUE_ERROR;
    drop(function);
    return result;
}

static bool call_warnings(const char *name, const ValueRef *args, size_t count)
{
    Value result = warn_call(name, args, count);
    drop(result);
    return result != VALUE_ERROR;
}

bool warn_from_frame(Type *category, const char *message, int stack_level)
{
    Value text = str_new(message);
    ValueRef args[] = {text, ref_of(category), from_small(stack_level)};
    bool done = text && call_warnings("warn", args, 3);
    drop(text);
    return done;
}

bool warn_at_line(Type *category, const char *message, ValueRef filename, int line)
{
    Value text = str_new(message);
    ValueRef args[] = {text, ref_of(category), filename, from_small(line)};
    bool done = text && call_warnings("warn_explicit", args, 4);
    drop(text);
    return done;
}

bool warn_unclosed(ValueRef stream)
{
    Value name = str_intern("warnings");
    bool imported = name && dict_peek(import_modules(), name);
    drop(name);
    if (!imported) return name != VALUE_ERROR;
    Value text = format_text("unclosed file %R", stream);
    ValueRef args[] = {text, ref_of(ResourceWarning), from_small(1), stream};
    bool done = text && call_warnings("warn", args, 4);
    drop(text);
    return done;
}

// What the module has no function for, or one that is broken, is warned about like anything else.
static bool warn_unawaited_plainly(ValueRef coroutine)
{
    ValueRef name = as_generator(coroutine)->qualname;
    return warn(RuntimeWarning, 1, "coroutine '%S' was never awaited", name);
}

bool warn_unawaited_coroutine(ValueRef coroutine)
{
    Value function = warnings_function("_warn_unawaited_coroutine");
    if (function == ABSENT) {
        sys_write_stderr(format_text("sys:1: RuntimeWarning: coroutine '%S' was never awaited\n",
                                     as_generator(coroutine)->qualname));
        return true;
    }
    if (!function) return error_clear(), warn_unawaited_plainly(coroutine);
    Value result = object_call_one(function, coroutine);
    drop(function);
    drop(result);
    if (result || error_is(RuntimeWarning)) return result != VALUE_ERROR;
    report_unraisable(coroutine, NULL);
    return warn_unawaited_plainly(coroutine);
}
