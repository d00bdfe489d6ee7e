// print() and input(). They call the methods `write` and `readline` of sys.stdout and sys.stdin.
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/builtins/builtins.h"
#include "vm/io/stream.h"
#include "vm/outside/outside.h"
#include "vm/prompt/line_editor.h"
#include "vm/sys/sys.h"

// ---- print

static bool check_separator(ValueRef value, const char *name)
{
    return !value || value == NONE || str_check(value) ||
           raise_error(TypeError, "%s must be None or a string, not %.200T", name, value);
}

static bool write_value(ValueRef stream, ValueRef value)
{
    Value text = object_str(value);
    bool done = text && stream_write(stream, text);
    drop(text);
    return done;
}

// Writes `given`, or where that is None or not given the one-character default.
static bool write_separator(ValueRef stream, ValueRef given, uint32_t fallback)
{
    if (given && given != NONE) return write_value(stream, given);
    Value text = str_from_code_point(fallback);
    bool done = text && stream_write(stream, text);
    drop(text);
    return done;
}

static bool print_to(ValueRef stream, const ValueRef *args, size_t nargs, ValueRef sep,
                     ValueRef end)
{
    for (size_t i = 0; i < nargs; i++)
        if ((i && !write_separator(stream, sep, ' ')) || !write_value(stream, args[i]))
            return false;
    return write_separator(stream, end, '\n');
}

Value builtin_print(FUNCTION_ARGS)
{
    static const char *const names[] = {"sep", "end", "file", "flush", NULL};
    static const Signature signature = {"print", names, 0, 0};
    ValueRef given[4] = {0};
    bool flush = false;
    if (kwnames && !args_bind(&signature, args + nargs, 0, kwnames, given)) return VALUE_ERROR;
    ValueRef stream = given[2] && given[2] != NONE ? given[2] : sys_get("stdout");
    if (!stream) return raise_error(RuntimeError, "lost sys.stdout");
    if (stream == NONE) return NONE; // sys.stdout may be None: nothing is printed
    if (!check_separator(given[0], "sep") || !check_separator(given[1], "end")) return VALUE_ERROR;
    Value held = retain(stream);
    bool done = print_to(held, args, nargs, given[0], given[1]) &&
                (!given[3] || object_truth(given[3], &flush)) && (!flush || stream_flush(held));
    drop(held);
    return done ? NONE : VALUE_ERROR;
}

// ---- input

static bool is_terminal(ValueRef stream, int descriptor)
{
    return stream_descriptor(stream) == descriptor && outside_is_terminal(descriptor);
}

static Value read_at_terminal(ValueRef prompt)
{
    Value text = prompt ? object_str(prompt) : str_new("");
    const char *utf8 = text ? str_utf8(text, NULL) : NULL;
    Value line = utf8 ? line_editor_read(&(LineRequest){.prompt = utf8}) : VALUE_ERROR;
    drop(text);
    return line == ABSENT ? raise_error(EOFError, NULL) : line;
}

// A stream that cannot flush is none to complain of here.
static void try_flush(ValueRef stream)
{
    if (!stream_flush(stream)) error_clear();
}

static Value read_from_stream(ValueRef in, ValueRef out, ValueRef prompt)
{
    if (prompt && !write_value(out, prompt)) return VALUE_ERROR;
    try_flush(out);
    Value line = stream_read_line(in);
    if (!line) return VALUE_ERROR;
    ssize_t length = str_length(line);
    if (length == 0 || str_at(as_str(line), length - 1) != '\n') return line;
    Value cut = str_substring(line, 0, length - 1);
    drop(line);
    return cut;
}

static Value standard_stream(const char *name)
{
    ValueRef stream = sys_get(name);
    if (stream && stream != NONE) return retain(stream);
    return raise_error(RuntimeError, "input(): lost sys.%s", name);
}

Value builtin_input(FUNCTION_ARGS)
{
    ValueRef prompt = nargs ? args[0] : 0;
    Value in = standard_stream("stdin"), out = in ? standard_stream("stdout") : VALUE_ERROR;
    Value err = out ? standard_stream("stderr") : VALUE_ERROR;
    Value line = VALUE_ERROR;
    if (err) {
        try_flush(err);
        bool terminal = is_terminal(in, 0) && is_terminal(out, 1);
        if (!terminal)
            line = read_from_stream(in, out, prompt);
        else {
            try_flush(out);
            line = read_at_terminal(prompt);
        }
    }
    drop(in);
    drop(out);
    drop(err);
    return line;
}
