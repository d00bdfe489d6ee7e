// Functions of the module posix on this process: its environment, its numbers, the system.
#include "vm/modules/posix/posix.h"

#include "objects/bytes/bytes.h"
#include "objects/classes/struct_sequence.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "vm/io/path.h"
#include "vm/outside/files.h"

#include <errno.h>
#include <string.h>

// ---- the environment

static bool add_variable(Value dict, const char *variable)
{
    const char *equals = strchr(variable, '=');
    if (!equals) return true;
    Value name = bytes_new(variable, (size_t)(equals - variable));
    Value text = bytes_new(equals + 1, strlen(equals + 1));
    Value kept = name && text ? dict_set_default(dict, name, text) : VALUE_ERROR;
    drop(name);
    drop(text);
    drop(kept);
    return kept;
}

bool posix_add_environment(ValueRef module)
{
    Value dict = dict_new();
    for (char *const *at = outside_environment_all(); dict && at && *at; at++)
        if (!add_variable(dict, *at)) drop_slot(&dict);
    return module_add_owned(module, "environ", dict);
}

static bool take_text(ValueRef value, Value *bytes)
{
    *bytes = path_bytes(value);
    if (!*bytes) return false;
    if (strlen(as_bytes(*bytes)->data) == (size_t)as_bytes(*bytes)->size) return true;
    return raise_error(ValueError, "embedded null byte");
}

static Value set_variable(ValueRef name, ValueRef value)
{
    Value name_bytes = 0, value_bytes = 0, result = VALUE_ERROR;
    if (take_text(name, &name_bytes) && (!value || take_text(value, &value_bytes))) {
        const char *text = as_bytes(name_bytes)->data;
        if (value && strchr(text, '='))
            raise_error(ValueError, "illegal environment variable name");
        else if (outside_set_environment(text, value ? as_bytes(value_bytes)->data : NULL))
            result = NONE;
        else
            raise_posix();
    }
    drop(name_bytes);
    drop(value_bytes);
    return result;
}

static Value put_variable(FUNCTION_ARGS)
{
    return set_variable(args[0], args[1]);
}
static Value remove_variable(FUNCTION_ARGS)
{
    return set_variable(args[0], 0);
}

// ---- numbers

#define IDENTITY_FUNCTION(name, which)                                                             \
    static Value name(FUNCTION_ARGS)                                                               \
    {                                                                                              \
        return int_new(outside_identity(which));                                                   \
    }
IDENTITY_FUNCTION(process_id, IDENTITY_PROCESS)
IDENTITY_FUNCTION(parent_id, IDENTITY_PARENT)
IDENTITY_FUNCTION(user_id, IDENTITY_USER)
IDENTITY_FUNCTION(effective_user_id, IDENTITY_EFFECTIVE_USER)
IDENTITY_FUNCTION(group_id, IDENTITY_GROUP)
IDENTITY_FUNCTION(effective_group_id, IDENTITY_EFFECTIVE_GROUP)

static const MemberDef system_fields[] = {
    STRUCT_FIELD("sysname", 0), STRUCT_FIELD("nodename", 1), STRUCT_FIELD("release", 2),
    STRUCT_FIELD("version", 3), STRUCT_FIELD("machine", 4),  {0},
};
static StructType system_type = STRUCT_SEQUENCE("posix.uname_result", system_fields, 5);

static Value system_text(const char *text)
{
    return path_from_system(text, strlen(text));
}

static Value system_names(FUNCTION_ARGS)
{
    SystemNames names;
    if (!outside_system_names(&names)) return raise_posix();
    Value items[] = {system_text(names.system), system_text(names.host), system_text(names.release),
                     system_text(names.version), system_text(names.machine)};
    return struct_sequence_from_owned(&system_type, items);
}

bool posix_add_system_names(ValueRef module)
{
    return struct_sequence_ready(&system_type) && module_add_type(module, &system_type.type);
}

static const MemberDef times_fields[] = {
    STRUCT_FIELD("user", 0),          STRUCT_FIELD("system", 1),
    STRUCT_FIELD("children_user", 2), STRUCT_FIELD("children_system", 3),
    STRUCT_FIELD("elapsed", 4),       {0},
};
static StructType times_type = STRUCT_SEQUENCE("posix.times_result", times_fields, 5);

static Value process_times(FUNCTION_ARGS)
{
    ProcessTimes times;
    if (!outside_process_times(&times)) return raise_posix();
    Value items[] = {float_new((double)times.user / 1e9), float_new((double)times.system / 1e9),
                     float_new((double)times.children_user / 1e9),
                     float_new((double)times.children_system / 1e9),
                     float_new((double)times.elapsed / 1e9)};
    return struct_sequence_from_owned(&times_type, items);
}

bool posix_add_process_times(ValueRef module)
{
    return struct_sequence_ready(&times_type) && module_add_type(module, &times_type.type);
}

static const MemberDef user_fields[] = {
    STRUCT_FIELD("pw_name", 0),  STRUCT_FIELD("pw_passwd", 1),
    STRUCT_FIELD("pw_uid", 2),   STRUCT_FIELD("pw_gid", 3),
    STRUCT_FIELD("pw_gecos", 4), STRUCT_FIELD("pw_dir", 5),
    STRUCT_FIELD("pw_shell", 6), {0},
};
static StructType user_type = STRUCT_SEQUENCE("pwd.struct_passwd", user_fields, 7);

static const MemberDef group_fields[] = {
    STRUCT_FIELD("gr_name", 0),
    STRUCT_FIELD("gr_passwd", 1),
    STRUCT_FIELD("gr_gid", 2),
    STRUCT_FIELD("gr_mem", 3),
    {0},
};
static StructType group_type = STRUCT_SEQUENCE("grp.struct_group", group_fields, 4);

static Value account_types(FUNCTION_ARGS)
{
    bool ready = struct_sequence_ready(&user_type) && struct_sequence_ready(&group_type);
    return ready ? tuple_pack(2, ref_of(&user_type), ref_of(&group_type)) : VALUE_ERROR;
}

static Value set_mask(FUNCTION_ARGS)
{
    int mask;
    return posix_int(args[0], 0, &mask) ? from_small(outside_set_mask(mask)) : VALUE_ERROR;
}

static Value random_of(ssize_t size)
{
    Value bytes = bytes_new(NULL, (size_t)size);
    if (bytes && !outside_random(as_bytes(bytes)->data, (size_t)size)) {
        drop(bytes);
        return raise_posix();
    }
    return bytes;
}

static Value random_bytes(FUNCTION_ARGS)
{
    ssize_t size;
    if (!object_as_ssize(args[0], &size, OverflowError)) return VALUE_ERROR;
    if (size < 0) return raise_error(ValueError, "negative argument not allowed");
    return random_of(size);
}

// With GRND_NONBLOCK and GRND_RANDOM too: it need not wait since Linux 5.6.
static Value system_random_bytes(FUNCTION_ARGS)
{
    ssize_t size;
    int flags;
    BIND("getrandom", 1, 2, "size", "flags");
    if (!object_as_ssize(given[0], &size, OverflowError) || !posix_int(given[1], 0, &flags))
        return VALUE_ERROR;
    if (size >= 0 && (flags & ~3) == 0) return random_of(size);
    errno = EINVAL;
    return raise_posix();
}

static Value error_text(FUNCTION_ARGS)
{
    int number;
    if (!posix_int(args[0], 0, &number)) return VALUE_ERROR;
    return str_new(strerror(number));
}

// At once: nothing is flushed, nobody is told.
static Value end_process(FUNCTION_ARGS)
{
    int status;
    BIND("_exit", 1, 1, "status");
    if (!posix_int(given[0], 0, &status)) return VALUE_ERROR;
    outside_end(status);
}

const MethodDef posix_process_functions[] = {
    {"putenv", put_variable, ARGS(2, 2), NULL},
    {"unsetenv", remove_variable, ONE_ARG, NULL},
    {"getpid", process_id, NO_ARGS, NULL},
    {"getppid", parent_id, NO_ARGS, NULL},
    {"getuid", user_id, NO_ARGS, NULL},
    {"geteuid", effective_user_id, NO_ARGS, NULL},
    {"getgid", group_id, NO_ARGS, NULL},
    {"getegid", effective_group_id, NO_ARGS, NULL},
    {"uname", system_names, NO_ARGS, NULL},
    {"times", process_times, NO_ARGS, NULL},
    {"umask", set_mask, ONE_ARG, NULL},
    {"urandom", random_bytes, ONE_ARG, NULL},
    {"getrandom", system_random_bytes, KEYWORD_ARGS, NULL},
    {"strerror", error_text, ONE_ARG, NULL},
    {"_exit", end_process, KEYWORD_ARGS, NULL},
    {"_account_types", account_types, NO_ARGS, NULL}, // of vm/lib/_accounts.mpy
    {0},
};
