// The module resource: limits of the system, and what a process has used.
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "vm/modules/posix/posix.h"
#include "vm/outside/processes.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct {
    const char *name;
    int64_t number;
} constants[] = {
#define CONSTANT(name) {#name, (int64_t)name}
    CONSTANT(RLIMIT_CPU),
    CONSTANT(RLIMIT_FSIZE),
    CONSTANT(RLIMIT_DATA),
    CONSTANT(RLIMIT_STACK),
    CONSTANT(RLIMIT_CORE),
    CONSTANT(RLIMIT_NOFILE),
    CONSTANT(RLIMIT_AS),
    CONSTANT(RLIMIT_RSS),
    CONSTANT(RLIMIT_NPROC),
    CONSTANT(RLIMIT_MEMLOCK),
    {"RLIMIT_OFILE", RLIMIT_NOFILE},
    {"RLIM_INFINITY", -1},
    CONSTANT(RUSAGE_SELF),
    CONSTANT(RUSAGE_CHILDREN),
#ifdef RLIMIT_SIGPENDING
    CONSTANT(RLIMIT_SIGPENDING),
    CONSTANT(RLIMIT_MSGQUEUE),
    CONSTANT(RLIMIT_NICE),
    CONSTANT(RLIMIT_RTPRIO),
    CONSTANT(RLIMIT_RTTIME),
#endif
#ifdef RUSAGE_THREAD
    CONSTANT(RUSAGE_THREAD),
#endif
#undef CONSTANT
};

static bool resource_argument(ValueRef value, int *resource)
{
    if (!posix_int(value, 0, resource)) return false;
    return (*resource >= 0 && *resource < RESOURCE_COUNT) ||
           raise_error(ValueError, "invalid resource specified");
}

static bool limit_argument(ValueRef value, int64_t *limit)
{
    Value index = object_index(value);
    bool done = index && int_as_int64(index, limit);
    drop(index);
    return done;
}

static bool limits_argument(ValueRef value, int64_t limits[2])
{
    Value pair = sequence_tuple(value);
    bool done = pair && (tuple_size(pair) == 2 ||
                         raise_error(ValueError, "expected a tuple of 2 integers"));
    done = done && limit_argument(tuple_at(pair, 0), &limits[0]) &&
           limit_argument(tuple_at(pair, 1), &limits[1]);
    drop(pair);
    return done;
}

static Value raise_refused(void)
{
    if (errno == EINVAL) return raise_error(ValueError, "current limit exceeds maximum limit");
    if (errno == EPERM) return raise_error(ValueError, "not allowed to raise maximum limit");
    return raise_posix();
}

static Value pair_of(const int64_t limits[2])
{
    Value items[] = {int_new(limits[0]), int_new(limits[1])};
    return tuple_from_owned(items, 2);
}

static Value get_limit(FUNCTION_ARGS)
{
    int resource;
    int64_t limits[2];
    if (!resource_argument(args[0], &resource)) return VALUE_ERROR;
    return outside_resource_limit(0, resource, NULL, limits) ? pair_of(limits) : raise_posix();
}

static Value set_limit(FUNCTION_ARGS)
{
    int resource;
    int64_t limits[2], before[2];
    if (!resource_argument(args[0], &resource) || !limits_argument(args[1], limits))
        return VALUE_ERROR;
    return outside_resource_limit(0, resource, limits, before) ? NONE : raise_refused();
}

static Value process_limit(FUNCTION_ARGS)
{
    int process, resource;
    int64_t limits[2], before[2];
    bool sets = nargs > 2 && args[2] != NONE;
    if (!posix_int(args[0], 0, &process) || !resource_argument(args[1], &resource) ||
        (sets && !limits_argument(args[2], limits)))
        return VALUE_ERROR;
    bool done = outside_resource_limit(process, resource, sets ? limits : NULL, before);
    return done ? pair_of(before) : errno == EINVAL ? raise_refused() : raise_posix();
}

static Value get_usage(FUNCTION_ARGS)
{
    int who;
    ResourceUsage usage;
    if (!posix_int(args[0], 0, &who)) return VALUE_ERROR;
    if (outside_resource_usage(who, &usage)) return posix_usage(&usage);
    return errno == EINVAL ? raise_error(ValueError, "invalid who parameter") : raise_posix();
}

static Value page_size(FUNCTION_ARGS)
{
    return int_new(sysconf(_SC_PAGESIZE));
}

static const MethodDef functions[] = {
    {"getrlimit", get_limit, ONE_ARG, NULL},      {"setrlimit", set_limit, ARGS(2, 2), NULL},
    {"prlimit", process_limit, ARGS(2, 3), NULL}, {"getrusage", get_usage, ONE_ARG, NULL},
    {"getpagesize", page_size, NO_ARGS, NULL},    {0},
};

static bool fill(ValueRef module)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!module_add_owned(module, constants[i].name, int_new(constants[i].number)))
            return false;
    return posix_add_usage(module) && module_add(module, "error", ref_of(OSError));
}

const ModuleDef resource_module = {
    .name = "resource",
    .doc = "Limits of the system, and what a process has used.",
    .functions = functions,
    .fill = fill,
};
