// sys: the hooks that print values and exceptions, and their callers.
//
// A script may replace sys.displayhook, sys.excepthook and sys.unraisablehook; the functions here
// are their initial values. If a hook fails, the text goes to descriptor 2 directly, as in CPython.
#include "frames/traceback.h"
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/namespace.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/builtins/builtins.h"
#include "vm/colours.h"
#include "vm/import/import.h"
#include "vm/io/stream.h"
#include "vm/outside/outside.h"
#include "vm/sys/sys.h"

// Says something where no stream can: never fails.
static void say(const char *text)
{
    outside_write_all(2, text, strlen(text));
}

void sys_write_stderr(Value text)
{
    ValueRef stream = sys_get("stderr");
    if (text && stream && stream != NONE) {
        Value held = retain(stream);
        if (!stream_write(held, text) || !stream_flush(held)) error_clear();
        drop(held);
    } else if (text && !stream) {
        const char *utf8 = str_utf8(text, NULL);
        if (utf8) say(utf8);
    }
    error_clear();
    drop(text);
}

// ---- sys.displayhook

bool sys_show_value(ValueRef value)
{
    ValueRef stream = sys_get("stdout");
    if (!stream || stream == NONE) return raise_error(RuntimeError, "lost sys.stdout");
    Value held = retain(stream), text = object_repr(value);
    Value line = text ? format_text("%S\n", (ValueRef)text) : VALUE_ERROR;
    bool done = line && stream_write(held, line);
    drop(text);
    drop(line);
    drop(held);
    return done;
}

Value sys_displayhook(FUNCTION_ARGS)
{
    if (args[0] == NONE) return NONE;
    ValueRef builtins = builtins_dict();
    if (!dict_set(builtins, NAME(_), NONE) || !sys_show_value(args[0])) return VALUE_ERROR;
    return dict_set(builtins, NAME(_), args[0]) ? NONE : VALUE_ERROR;
}

// ---- sys.excepthook

static ssize_t traceback_limit(void)
{
    ValueRef limit = sys_get("tracebacklimit");
    ssize_t number;
    if (!limit || !int_check(limit)) return TRACEBACK_LIMIT;
    int_as_ssize_clamped(limit, &number);
    return number;
}

// Does what is written to sys.stderr come to a terminal that shows colours?
static bool is_coloured(void)
{
    ValueRef stream = sys_get("stderr");
    bool is_standard = stream && stream != NONE && stream_descriptor(stream) == 2;
    error_clear();
    return is_standard && colours_wanted(2);
}

static Value excepthook_text(ValueRef exception)
{
    if (exception_check(exception))
        return coloured_traceback(exception_format(exception, traceback_limit()), is_coloured());
    return format_text("TypeError: print_exception(): Exception expected for value, %T found\n",
                       exception);
}

static void show(ValueRef exception)
{
    Value text = excepthook_text(exception);
    if (!text) {
        say(type_of(exception)->name);
        say(": no memory is left to say more\n");
    }
    sys_write_stderr(text);
}

Value sys_excepthook(FUNCTION_ARGS)
{
    ValueRef exception = args[1];
    if (exception_check(exception) && args[2] != NONE && !as_exception(exception)->traceback)
        as_exception(exception)->traceback = retain(args[2]);
    show(exception);
    return NONE;
}

// Calls the hook by which a script has replaced ours.
static bool call_excepthook(ValueRef hook, ValueRef exception)
{
    ValueRef traceback = as_exception(exception)->traceback;
    ValueRef args[] = {ref_of(type_of(exception)), exception, traceback ? traceback : NONE};
    Value result = object_call(hook, args, 3, 0);
    drop(result);
    return result != VALUE_ERROR;
}

static void remember_last(ValueRef exception)
{
    ValueRef traceback = as_exception(exception)->traceback;
    if (!sys_set("last_type", ref_of(type_of(exception))) || !sys_set("last_value", exception) ||
        !sys_set("last_traceback", traceback ? traceback : NONE))
        error_clear();
}

void sys_show_error(ValueRef exception, const char *heading)
{
    say(heading);
    show(exception);
}

void sys_print_error(void)
{
    Value exception = error_take();
    if (!exception) return;
    remember_last(exception);
    ValueRef found = sys_get("excepthook");
    Value hook = found ? retain(found) : VALUE_ERROR;
    if (!hook) {
        sys_show_error(exception, "sys.excepthook is missing\n");
    } else if (!call_excepthook(hook, exception)) {
        Value second = error_take();
        sys_show_error(second, "Error in sys.excepthook:\n");
        sys_show_error(exception, "\nOriginal exception was:\n");
        drop(second);
    }
    drop(hook);
    drop(exception);
}

// ---- sys.unraisablehook

static Value unraisable_heading(ValueRef where, const char *message)
{
    if (!where || where == NONE) return message ? format_text("%s:\n", message) : str_new("");
    Value text = object_repr(where);
    if (!text) {
        error_clear();
        text = str_new("<object repr() failed>");
    }
    Value heading = text ? format_text("%s: %S\n", message, (ValueRef)text) : VALUE_ERROR;
    drop(text);
    return heading;
}

static void print_unraisable(ValueRef exception, ValueRef where, const char *message)
{
    Value heading = unraisable_heading(where, message);
    Value shown = VALUE_ERROR;
    if (heading && exception_check(exception)) {
        Value trace = as_exception(exception)->traceback
                          ? traceback_format(as_exception(exception)->traceback, traceback_limit())
                          : str_new("");
        Value last = trace ? exception_format_only(exception) : VALUE_ERROR;
        if (last) shown = format_text("%S%S%S", (ValueRef)heading, (ValueRef)trace, (ValueRef)last);
        drop(trace);
        drop(last);
    }
    drop(heading);
    sys_write_stderr(shown);
}

Value sys_unraisablehook(FUNCTION_ARGS)
{
    static const char *const wanted[] = {"exc_value", "err_msg", "object"};
    Value parts[3] = {0};
    bool done = true;
    for (int i = 0; done && i < 3; i++) {
        Value name = str_intern(wanted[i]);
        parts[i] = name ? object_get(args[0], name) : VALUE_ERROR;
        drop(name);
        done = parts[i] != VALUE_ERROR;
    }
    const char *message = "Exception ignored in";
    if (done && str_check(parts[1])) message = str_utf8(parts[1], NULL);
    if (done && message) print_unraisable(parts[0], parts[2], message);
    for (int i = 0; i < 3; i++) drop(parts[i]);
    return done && message ? NONE : VALUE_ERROR;
}

static Value unraisable_arguments(ValueRef exception, ValueRef where, const char *message)
{
    Value fields = dict_new();
    if (!fields) return VALUE_ERROR;
    ValueRef traceback = as_exception(exception)->traceback;
    Value text = message ? str_new(message) : NONE;
    bool done = text && dict_set_ascii(fields, "exc_type", ref_of(type_of(exception))) &&
                dict_set_ascii(fields, "exc_value", exception) &&
                dict_set_ascii(fields, "exc_traceback", traceback ? traceback : NONE) &&
                dict_set_ascii(fields, "err_msg", text) &&
                dict_set_ascii(fields, "object", where ? where : NONE);
    drop(text);
    Value arguments = done ? namespace_new(fields) : VALUE_ERROR;
    drop(fields);
    return arguments;
}

// An exception that C raised, with no frame in its traceback, gets the frame that runs.
static void add_running_frame(ValueRef exception)
{
    if (as_exception(exception)->traceback || !thread_state.frame) return;
    error_restore(retain(exception));
    traceback_here(thread_state.frame);
    error_clear(); // or the MemoryError of the traceback: then it goes without
}

void sys_report_unraisable(ValueRef exception, ValueRef where, const char *message)
{
    ValueRef hook = sys_get("unraisablehook");
    ValueRef ours = sys_get("__unraisablehook__");
    add_running_frame(exception);
    if (!hook || hook == NONE || hook == ours) {
        print_unraisable(exception, where, message ? message : "Exception ignored in");
        return;
    }
    Value held = retain(hook), arguments = unraisable_arguments(exception, where, message);
    Value result = arguments ? object_call_one(held, arguments) : VALUE_ERROR;
    drop(arguments);
    if (!result) {
        Value second = error_take();
        print_unraisable(second, held, "Exception ignored in sys.unraisablehook");
        drop(second);
    }
    drop(result);
    drop(held);
}

// ---- sys.breakpointhook

Value sys_breakpointhook(FUNCTION_ARGS)
{
    const char *wanted = sys_environment("PYTHONBREAKPOINT");
    if (wanted && strcmp(wanted, "0") == 0) return NONE;
    if (!wanted) wanted = "pdb.set_trace";
    Value path = str_new(wanted);
    ssize_t dot = path ? str_find_char(path, '.', 0, str_length(path), -1) : -1;
    Value module_name = !path     ? VALUE_ERROR
                        : dot < 0 ? str_new("builtins")
                                  : str_substring(path, 0, dot);
    Value name = module_name ? str_substring(path, dot + 1, str_length(path)) : VALUE_ERROR;
    Value found = name ? import_for_program(module_name) : VALUE_ERROR;
    Value hook = found ? object_get(found, name) : VALUE_ERROR;
    Value result = hook ? object_call(hook, args, nargs, kwnames) : VALUE_ERROR;
    if (!hook && error_is(Exception)) {
        error_clear();
        if (warn(RuntimeWarning, 1, "Ignoring unimportable $PYTHONBREAKPOINT: \"%s\"", wanted))
            result = NONE;
    }
    drop(path);
    drop(module_name);
    drop(name);
    drop(found);
    drop(hook);
    return result;
}

// ---- SystemExit

int sys_exit_status(void)
{
    Value exception = error_take();
    ValueRef code = as_exception(exception)->system_exit.code;
    int64_t status = 0;
    if (code && int_check(code)) {
        if (int_as_int64_clamped(code, &status) != 0) status = -1;
    } else if (code && code != NONE) {
        Value text = format_text("%S\n", code);
        sys_write_stderr(text ? text : str_new("\n"));
        status = 1;
    }
    drop(exception);
    return (int)(status & 0xFF);
}
