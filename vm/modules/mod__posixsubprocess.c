// The module _posixsubprocess: fork_exec(), by which vm/lib/subprocess.mpy starts processes.
//
// Its twenty-one arguments are CPython's. Here they become a NewProcess (vm/outside/processes.h),
// whose texts belong to the bytes objects in `held`.
#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/io/path.h"
#include "vm/modules/posix/posix.h"
#include "vm/outside/processes.h"

#include <string.h>

enum {
    ARGUMENTS,
    FILES,
    CLOSES,
    KEPT,
    FOLDER,
    ENVIRONMENT,
    STREAM_ENDS, // six: those of standard input, output and error, here and there
    REPORT_READ = STREAM_ENDS + 6,
    REPORT_WRITE,
    RESTORES,
    SESSION,
    GROUP,
    GROUPS,
    USER,
    MASK,
    PREPARE,
    ARGUMENT_COUNT
};

typedef struct Call {
    NewProcess process;
    Value held; // a list: what owns the texts
    char **texts[3];
    int *kept;
    int64_t *groups;
} Call;

static void call_end(Call *call)
{
    for (int i = 0; i < 3; i++) memory_free(call->texts[i]);
    memory_free(call->kept);
    memory_free(call->groups);
    drop(call->held);
}

// The bytes of a name, an argument or a variable.
static char *text_of(Call *call, ValueRef value)
{
    Value bytes = path_bytes(value);
    if (bytes && strlen(as_bytes(bytes)->data) != (size_t)as_bytes(bytes)->size) {
        raise_error(ValueError, "embedded null byte");
        drop_slot(&bytes);
    }
    char *text = bytes ? as_bytes(bytes)->data : NULL;
    return bytes && list_append_owned(call->held, bytes) ? text : NULL;
}

static bool read_texts(Call *call, int number, ValueRef iterable, char *const **texts)
{
    Value sequence = sequence_tuple(iterable);
    if (!sequence) return false;
    ssize_t size = tuple_size(sequence), read = 0;
    char **all = memory_alloc(((size_t)size + 1) * sizeof *all);
    if (!all) raise_memory_error();
    while (all && read < size && (all[read] = text_of(call, tuple_at(sequence, read)))) read++;
    if (all) all[read] = NULL;
    *texts = call->texts[number] = all;
    drop(sequence);
    return all && read == size;
}

static bool read_kept(Call *call, ValueRef tuple)
{
    ssize_t size = tuple_check(tuple) ? tuple_size(tuple) : -1;
    call->kept = size < 0 ? NULL : memory_alloc(((size_t)size + 1) * sizeof *call->kept);
    if (size >= 0 && !call->kept) return raise_memory_error();
    bool sorted = size >= 0;
    for (ssize_t i = 0; sorted && i < size; i++) {
        ValueRef item = tuple_at(tuple, i);
        int64_t number = -1;
        sorted = int_check(item) && int_as_int64(item, &number) && number >= 0 &&
                 number <= INT32_MAX && (i == 0 || number > call->kept[i - 1]);
        call->kept[i] = (int)number;
    }
    if (!sorted) error_clear();
    call->process.kept = call->kept;
    call->process.kept_count = sorted ? (size_t)size : 0;
    return sorted || raise_error(ValueError, "bad value(s) in fds_to_keep");
}

static bool read_groups(Call *call, ValueRef list)
{
    NewProcess *process = &call->process;
    process->group_count = -1;
    if (list == NONE) return true;
    if (!list_check(list)) return raise_error(TypeError, "setgroups argument must be a list");
    process->group_count = list_size(list);
    call->groups = memory_alloc(((size_t)list_size(list) + 1) * sizeof *call->groups);
    if (!call->groups) return raise_memory_error();
    for (ssize_t i = 0; i < list_size(list); i++) {
        if (!int_check(list_at(list, i))) // whose __index__ could change the list
            return raise_error(TypeError, "groups must be integers");
        if (posix_owner(list_at(list, i), "gid", &call->groups[i])) continue;
        error_clear();
        return raise_error(ValueError, "invalid group id");
    }
    process->groups = call->groups;
    return true;
}

static bool read_numbers(NewProcess *process, const ValueRef *args)
{
    int ends[8];
    for (int i = 0; i < 8; i++)
        if (!posix_int(args[STREAM_ENDS + i], 0, &ends[i])) return false;
    for (int i = 0; i < 3; i++) {
        process->streams[i] = ends[i == 0 ? 0 : 2 * i + 1];
        process->other_ends[i] = ends[i == 0 ? 1 : 2 * i];
    }
    process->other_ends[3] = ends[6];
    process->report = ends[7];
    process->user = process->group = -1;
    return (args[GROUP] == NONE || posix_owner(args[GROUP], "gid", &process->group)) &&
           (args[USER] == NONE || posix_owner(args[USER], "uid", &process->user)) &&
           posix_int(args[MASK], 0, &process->mask);
}

static bool read_call(Call *call, const ValueRef *args)
{
    NewProcess *process = &call->process;
    char *const *environment = NULL;
    call->held = list_new(0);
    if (!call->held || !truth_argument(args[CLOSES], false, &process->closes_others) ||
        !truth_argument(args[RESTORES], false, &process->usual_signals) ||
        !truth_argument(args[SESSION], false, &process->new_session) ||
        !read_numbers(process, args))
        return false;
    if (process->closes_others && process->report < 3)
        return raise_error(ValueError, "errpipe_write must be >= 3");
    if (!read_kept(call, args[KEPT]) || !read_groups(call, args[GROUPS]) ||
        !read_texts(call, 0, args[FILES], &process->files) ||
        !read_texts(call, 1, args[ARGUMENTS], &process->arguments) ||
        (args[ENVIRONMENT] != NONE && !read_texts(call, 2, args[ENVIRONMENT], &environment)))
        return false;
    process->environment = environment;
    process->folder = args[FOLDER] == NONE ? NULL : text_of(call, args[FOLDER]);
    return process->folder || args[FOLDER] == NONE;
}

static bool prepare(void *function)
{
    Value result = object_call_none(*(const ValueRef *)function);
    drop(result);
    return result;
}

static Value call_gc(const char *function)
{
    Value module = upcalls.import("gc"), name = module ? str_intern(function) : VALUE_ERROR;
    ValueRef arguments[] = {module};
    Value result = name ? object_call_method(name, arguments, 1, VALUE_ERROR) : VALUE_ERROR;
    drop(name);
    drop(module);
    return result;
}

// While a function of the script runs in the new process, no finaliser is to run beside it.
static bool stop_collector(bool *was_enabled)
{
    Value answer = call_gc("isenabled");
    bool done = answer && object_truth(answer, was_enabled);
    drop(answer);
    if (!done) return false;
    Value stopped = call_gc("disable");
    drop(stopped);
    return stopped;
}

static Value start(Call *call)
{
    bool was_enabled = false;
    if (call->process.prepare && !stop_collector(&was_enabled)) return VALUE_ERROR;
    int process = outside_start(&call->process);
    Value result = process < 0 ? raise_posix() : from_small(process);
    if (!was_enabled) return result;
    Value error = error_take();
    Value enabled = call_gc("enable");
    if (!enabled) drop_slot(&result);
    drop(enabled);
    if (error) {
        error_clear();
        error_restore(error);
    }
    return result;
}

static Value fork_exec(FUNCTION_ARGS)
{
    Call call = {0};
    ValueRef function = args[PREPARE];
    call.process.prepared = &function;
    Value result = VALUE_ERROR;
    if (read_call(&call, args)) {
        call.process.prepare = function == NONE ? NULL : prepare;
        result = start(&call);
    }
    call_end(&call);
    return result;
}

static const MethodDef functions[] = {
    {"fork_exec", fork_exec, ARGS(ARGUMENT_COUNT, ARGUMENT_COUNT), NULL},
    {0},
};

const ModuleDef _posixsubprocess_module = {
    .name = "_posixsubprocess",
    .doc = "A POSIX helper for the subprocess module.",
    .functions = functions,
};
