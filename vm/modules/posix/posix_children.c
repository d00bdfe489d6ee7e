// Functions of the module posix on other processes: starting them, waiting for them, signals.
#include "vm/modules/posix/posix.h"

#include "objects/bytes/bytes.h"
#include "objects/classes/struct_sequence.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/upcalls.h"
#include "vm/io/path.h"
#include "vm/modules/strands.h"
#include "vm/outside/files.h"
#include "vm/outside/processes.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#define FIRST_DELAY INT64_C(500000) // nanoseconds until it is asked again
#define LONGEST_DELAY INT64_C(16000000)

// ---- a copy, another program

static Value copy_process(FUNCTION_ARGS)
{
    int process = outside_copy_process();
    return process < 0 ? raise_posix() : from_small(process);
}

typedef struct Texts {
    Value held; // a list of bytes
    char **all; // ends with NULL
} Texts;

static void texts_end(Texts *texts)
{
    memory_free(texts->all);
    drop(texts->held);
}

static bool texts_begin(Texts *texts, ValueRef sequence)
{
    Value tuple = sequence_tuple(sequence);
    ssize_t size = tuple ? tuple_size(tuple) : 0, read = 0;
    texts->held = tuple ? list_new(0) : VALUE_ERROR;
    texts->all = texts->held ? memory_alloc(((size_t)size + 1) * sizeof(char *)) : NULL;
    if (texts->held && !texts->all) raise_memory_error();
    for (Value bytes; texts->all && read < size; read++) {
        if (!(bytes = path_bytes(tuple_at(tuple, read)))) break;
        texts->all[read] = as_bytes(bytes)->data;
        if (strlen(as_bytes(bytes)->data) != (size_t)as_bytes(bytes)->size) {
            drop(bytes);
            raise_error(ValueError, "embedded null byte");
            break;
        }
        if (!list_append_owned(texts->held, bytes)) break;
    }
    drop(tuple);
    if (texts->all) texts->all[read] = NULL;
    return texts->all && read == size;
}

static Value become(const char *function, ValueRef file, ValueRef words, ValueRef environment)
{
    PathArgument path;
    Texts arguments = {0}, variables = {0};
    Value result = VALUE_ERROR;
    if (!list_check(words) && !tuple_check(words))
        return raise_error(TypeError, "%s: argv must be a tuple or list", function);
    ssize_t count = tuple_check(words) ? tuple_size(words) : list_size(words);
    if (count < 1) return raise_error(ValueError, "%s: argv must not be empty", function);
    char text[PATH_MAX];
    PathKinds kinds = environment ? PATH_OR_DESCRIPTOR : PATH_NAME;
    if (!path_begin(&path, file, function, "path", kinds)) return VALUE_ERROR;
    if (texts_begin(&arguments, words) && (!environment || texts_begin(&variables, environment))) {
        if (!path.name && outside_folder_path(path.descriptor, text)) path.name = text;
        if (path.name) outside_become(path.name, arguments.all, variables.all);
        result = raise_posix_path(&path);
    }
    texts_end(&arguments);
    texts_end(&variables);
    path_end(&path);
    return result;
}

static Value become_program(FUNCTION_ARGS)
{
    return become("execv", args[0], args[1], 0);
}

// The environment is a list of "NAME=value"; vm/lib/os.mpy makes it.
static Value become_with_environment(FUNCTION_ARGS)
{
    return become("execve", args[0], args[1], args[2]);
}

static Value run_shell(FUNCTION_ARGS)
{
    BIND("system", 1, 1, "command");
    Value command = path_bytes(given[0]);
    if (!command) return VALUE_ERROR;
    bool clean = strlen(as_bytes(command)->data) == (size_t)as_bytes(command)->size;
    int status = clean ? outside_shell(as_bytes(command)->data) : -1;
    drop(command);
    if (!clean) return raise_error(ValueError, "embedded null byte");
    // -1 is an answer of system(3) too, such as where no child can be waited for.
    bool refused = status == -1 && (errno == EPERM || errno == ENOSYS);
    return refused ? raise_posix() : from_small(status);
}

// ---- waiting

static const MemberDef usage_fields[] = {
    STRUCT_FIELD("ru_utime", 0),
    STRUCT_FIELD("ru_stime", 1),
    STRUCT_FIELD("ru_maxrss", 2),
    STRUCT_FIELD("ru_ixrss", 3),
    STRUCT_FIELD("ru_idrss", 4),
    STRUCT_FIELD("ru_isrss", 5),
    STRUCT_FIELD("ru_minflt", 6),
    STRUCT_FIELD("ru_majflt", 7),
    STRUCT_FIELD("ru_nswap", 8),
    STRUCT_FIELD("ru_inblock", 9),
    STRUCT_FIELD("ru_oublock", 10),
    STRUCT_FIELD("ru_msgsnd", 11),
    STRUCT_FIELD("ru_msgrcv", 12),
    STRUCT_FIELD("ru_nsignals", 13),
    STRUCT_FIELD("ru_nvcsw", 14),
    STRUCT_FIELD("ru_nivcsw", 15),
    {0},
};
static StructType usage_type = STRUCT_SEQUENCE("resource.struct_rusage", usage_fields, 16);

Value posix_usage(const struct ResourceUsage *usage)
{
    Value items[16] = {float_new((double)usage->user / 1e9),
                       float_new((double)usage->system / 1e9)};
    for (int i = 0; i < 14; i++) items[2 + i] = int_new(usage->counts[i]);
    return struct_sequence_from_owned(&usage_type, items);
}

bool posix_add_usage(ValueRef module)
{
    return struct_sequence_ready(&usage_type) && module_add_type(module, &usage_type.type);
}

// While there are other threads they run: what waits in the system holds all of them. -1 with an
// exception pending, or with errno set.
static int wait_in_turns(int process, int options, int *status, ResourceUsage *usage)
{
    int child;
    int64_t delay = FIRST_DELAY;
    while ((child = outside_wait_child(process, options | WNOHANG, status, usage)) == 0) {
        Value slept = strands_sleep(delay);
        if (!slept) return -1;
        drop(slept);
        delay = delay < LONGEST_DELAY ? delay * 2 : delay;
    }
    return child;
}

static Value wait_for(int process, int options, bool with_usage)
{
    int status;
    ResourceUsage usage;
    bool in_turns = eval_breaker.strands && !(options & WNOHANG);
    int child = (in_turns ? wait_in_turns : outside_wait_child)(process, options, &status, &usage);
    if (child < 0) return error_pending() ? VALUE_ERROR : raise_posix();
    Value items[] = {from_small(child), from_small(status),
                     with_usage ? posix_usage(&usage) : NONE};
    return tuple_from_owned(items, with_usage ? 3 : 2);
}

static Value wait_child(FUNCTION_ARGS)
{
    int process, options;
    if (!posix_int(args[0], 0, &process) || !posix_int(args[1], 0, &options)) return VALUE_ERROR;
    return wait_for(process, options, false);
}

static Value wait_any(FUNCTION_ARGS)
{
    return wait_for(-1, 0, false);
}

static Value wait_any_usage(FUNCTION_ARGS)
{
    int options;
    BIND("wait3", 1, 1, "options");
    return posix_int(given[0], 0, &options) ? wait_for(-1, options, true) : VALUE_ERROR;
}

static Value wait_child_usage(FUNCTION_ARGS)
{
    int process, options;
    BIND("wait4", 2, 2, "pid", "options");
    if (!posix_int(given[0], 0, &process) || !posix_int(given[1], 0, &options)) return VALUE_ERROR;
    return wait_for(process, options, true);
}

static const MemberDef state_fields[] = {
    STRUCT_FIELD("si_pid", 0),    STRUCT_FIELD("si_uid", 1),  STRUCT_FIELD("si_signo", 2),
    STRUCT_FIELD("si_status", 3), STRUCT_FIELD("si_code", 4), {0},
};
static StructType state_type = STRUCT_SEQUENCE("posix.waitid_result", state_fields, 5);

// Likewise in turns.
static int64_t await_state(int64_t numbers[4], ChildState *state)
{
    CallBytes bytes = {.answer = state, .room = sizeof *state};
    bool in_turns = eval_breaker.strands && !(numbers[2] & WNOHANG);
    int64_t answer, delay = FIRST_DELAY;
    if (in_turns) numbers[2] |= WNOHANG;
    while ((answer = outside_call(SYSTEM_WAIT_STATE, numbers, bytes)) == 0 && in_turns) {
        Value slept = strands_sleep(delay);
        if (!slept) return -1;
        drop(slept);
        delay = delay < LONGEST_DELAY ? delay * 2 : delay;
    }
    return answer;
}

static Value wait_for_state(FUNCTION_ARGS)
{
    int kind, number, options;
    ChildState state;
    if (!posix_int(args[0], 0, &kind) || !posix_int(args[1], 0, &number) ||
        !posix_int(args[2], 0, &options))
        return VALUE_ERROR;
    int64_t answer = await_state((int64_t[4]){kind, number, options}, &state);
    if (answer <= 0) return answer < 0 ? raise_posix() : NONE;
    Value items[] = {int_new(state.process), int_new(state.user), int_new(state.signal),
                     int_new(state.status), int_new(state.code)};
    return struct_sequence_from_owned(&state_type, items);
}

// ---- signals, groups

static Value send_signal(const ValueRef *args, bool to_group)
{
    int process, number;
    if (!posix_int(args[0], 0, &process) || !posix_int(args[1], 0, &number)) return VALUE_ERROR;
    if (!outside_send_signal(process, number, to_group)) return raise_posix();
    return poll_signals() ? NONE : VALUE_ERROR;
}

static Value kill_process(FUNCTION_ARGS)
{
    return send_signal(args, false);
}

static Value kill_group(FUNCTION_ARGS)
{
    return send_signal(args, true);
}

static Value group_of(FUNCTION_ARGS)
{
    int process;
    BIND("getpgid", 1, 1, "pid");
    return posix_int(given[0], 0, &process) ? posix_number(SYSTEM_PROCESS_GROUP, process)
                                            : VALUE_ERROR;
}

static Value own_group(FUNCTION_ARGS)
{
    return posix_number(SYSTEM_PROCESS_GROUP);
}

static Value session_of(FUNCTION_ARGS)
{
    int process;
    return posix_int(args[0], 0, &process) ? posix_number(SYSTEM_SESSION, process) : VALUE_ERROR;
}

static Value set_group(FUNCTION_ARGS)
{
    int process, group;
    if (!posix_int(args[0], 0, &process) || !posix_int(args[1], 0, &group)) return VALUE_ERROR;
    return posix_does(SYSTEM_SET_PROCESS_GROUP, process, group);
}

static Value begin_session(FUNCTION_ARGS)
{
    return posix_does(SYSTEM_NEW_SESSION);
}

static Value lead_group(FUNCTION_ARGS)
{
    return posix_does(SYSTEM_SET_PROCESS_GROUP);
}

static Value descriptor_of_process(FUNCTION_ARGS)
{
    int process, flags;
    BIND("pidfd_open", 1, 2, "pid", "flags");
    if (!posix_int(given[0], 0, &process) || !posix_int(given[1], 0, &flags)) return VALUE_ERROR;
    return posix_number(SYSTEM_PROCESS_DESCRIPTOR, process, flags);
}

static Value abort_process(FUNCTION_ARGS)
{
    outside_abort();
}

bool posix_add_children(ValueRef module)
{
    return struct_sequence_ready(&state_type) && module_add_type(module, &state_type.type);
}

const MethodDef posix_children_functions[] = {
    {"_fork", copy_process, NO_ARGS, NULL},
    {"execv", become_program, ARGS(2, 2), NULL},
    {"_execve", become_with_environment, ARGS(3, 3), NULL},
    {"system", run_shell, KEYWORD_ARGS, NULL},
    {"waitpid", wait_child, ARGS(2, 2), NULL},
    {"wait", wait_any, NO_ARGS, NULL},
    {"wait3", wait_any_usage, KEYWORD_ARGS, NULL},
    {"wait4", wait_child_usage, KEYWORD_ARGS, NULL},
    {"kill", kill_process, ARGS(2, 2), NULL},
    {"killpg", kill_group, ARGS(2, 2), NULL},
    {"getpgid", group_of, KEYWORD_ARGS, NULL},
    {"getpgrp", own_group, NO_ARGS, NULL},
    {"getsid", session_of, ONE_ARG, NULL},
    {"setpgid", set_group, ARGS(2, 2), NULL},
    {"setsid", begin_session, NO_ARGS, NULL},
    {"setpgrp", lead_group, NO_ARGS, NULL},
    {"waitid", wait_for_state, ARGS(3, 3), NULL},
    {"pidfd_open", descriptor_of_process, KEYWORD_ARGS, NULL},
    {"abort", abort_process, NO_ARGS, NULL},
    {0},
};
