// The module _process: other programs, each run to its end.
//
//     end = run(("cc", "-E", "-"), b"int x;", time=10.0, memory=1 << 30, output=1 << 20)
//     status, limit, printed, messages, made = end
//
// The program finds the bytes as its standard input. What comes back is its exit status, or 128 and
// the signal that ended it; "time", "memory" or "output" where it was ended at that limit, else
// None; and the bytes of its standard output, of its standard error and of /dev/fd/3.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/float.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/outside/outside.h"

#include <errno.h>

#define MAX_COMMAND 64
#define MAX_ANSWER ((size_t)16 << 20)
#define MAX_SECONDS 1e9

static bool read_command(ValueRef tuple, const char **command)
{
    if (!tuple_check(tuple) || tuple_size(tuple) < 1 || tuple_size(tuple) >= MAX_COMMAND)
        return raise_error(TypeError, "a command is a tuple of 1 to %d words", MAX_COMMAND - 1);
    ssize_t count = tuple_size(tuple);
    for (ssize_t i = 0; i < count; i++) {
        if (!str_check(tuple_at(tuple, i)))
            return raise_error(TypeError, "a word of a command is a str");
        command[i] = str_utf8(tuple_at(tuple, i), NULL);
        if (!command[i]) return false;
    }
    command[count] = NULL;
    return true;
}

static bool read_seconds(ValueRef value, int64_t *nanoseconds)
{
    double seconds = 0;
    if (value && !float_from_value(value, &seconds)) return false;
    if (!(seconds >= 0 && seconds <= MAX_SECONDS))
        return raise_error(ValueError, "a limit of time is a number of seconds");
    *nanoseconds = (int64_t)(seconds * 1e9);
    return true;
}

static bool read_bytes(ValueRef value, int64_t *bytes)
{
    ssize_t size = 0;
    if (value && !object_as_ssize(value, &size, OverflowError)) return false;
    if (size < 0) return raise_error(ValueError, "a limit is a number of bytes");
    *bytes = size;
    return true;
}

static Value answer_of(const ProgramEnd *end, const char *bytes)
{
    static const char *const limits[] = {NULL, "time", "memory", "output"};
    Value items[2 + PROGRAM_FILES] = {from_small(end->status),
                                      end->limit ? str_new(limits[end->limit]) : NONE};
    for (int i = 0; i < PROGRAM_FILES; i++) {
        items[2 + i] = bytes_new(bytes, (ssize_t)end->sizes[i]);
        bytes += end->sizes[i];
    }
    return tuple_from_owned(items, 2 + PROGRAM_FILES);
}

// An exception of a signal's handler is pending already.
static Value raise_not_run(const char *name)
{
    const char *lack = outside_lacks(FEATURE_PROGRAMS);
    if (error_pending()) return VALUE_ERROR;
    if (lack) return raise_error(OSError, "%s", lack);
    int error = errno;
    Value path = str_new(name);
    Value result = path ? raise_os_error(error, path) : VALUE_ERROR;
    drop(path);
    return result;
}

static Value run_program(const Program *program)
{
    ProgramEnd end;
    char *bytes = memory_alloc(PROGRAM_ROOM + MAX_ANSWER);
    if (!bytes) return raise_memory_error();
    Value result = outside_run(program, &end, bytes, PROGRAM_ROOM + MAX_ANSWER)
                       ? answer_of(&end, bytes)
                       : raise_not_run(program->command[0]);
    memory_free(bytes);
    return result;
}

static Value run(FUNCTION_ARGS)
{
    static const char *const names[] = {"command", "input", "time", "memory", "output", NULL};
    static const Signature signature = {"run", names, 1, 2};
    const char *command[MAX_COMMAND];
    ValueRef given[sizeof names / sizeof *names];
    Program program = {.command = command, .input = ""};
    Buffer input = {0};
    if (!args_bind(&signature, args, nargs, kwnames, given) || !read_command(given[0], command) ||
        !read_seconds(given[2], &program.time) || !read_bytes(given[3], &program.memory) ||
        !read_bytes(given[4], &program.output) ||
        (given[1] && !buffer_get(given[1], &input, false)))
        return VALUE_ERROR;
    if (given[1]) {
        program.input = input.bytes;
        program.input_size = (size_t)input.size;
    }
    Value result = run_program(&program);
    if (given[1]) buffer_release(&input);
    return result;
}

static const MethodDef functions[] = {
    {"run", run, KEYWORD_ARGS,
     "run(command, input=b'', *, time=0.0, memory=0, output=0)\n--\n\n"
     "Runs a program to its end, under limits: (status, limit, printed, messages, made)."},
    {0},
};

const ModuleDef _process_module = {
    .name = "_process",
    .doc = "Other programs, each run to its end.",
    .functions = functions,
};
