// Functions of the module posix on who runs when: priorities, schedulers, processors.
#include "vm/modules/posix/posix.h"

#include "objects/classes/struct_sequence.h"
#include "objects/containers/set.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"

#include <limits.h>
#include <string.h>

// ---- niceness

static Value be_nice(FUNCTION_ARGS)
{
    int increment;
    if (!posix_int(args[0], 0, &increment)) return VALUE_ERROR;
    return posix_setting(SYSTEM_NICE, (int64_t[4]){increment}, NONE_GIVEN);
}

static Value get_priority(FUNCTION_ARGS)
{
    int which, who;
    BIND("getpriority", 2, 2, "which", "who");
    if (!posix_int(given[0], 0, &which) || !posix_int(given[1], 0, &who)) return VALUE_ERROR;
    return posix_setting(SYSTEM_PRIORITY, (int64_t[4]){who, which}, NONE_GIVEN);
}

static Value set_priority(FUNCTION_ARGS)
{
    int which, who, priority;
    BIND("setpriority", 3, 3, "which", "who", "priority");
    if (!posix_int(given[0], 0, &which) || !posix_int(given[1], 0, &who) ||
        !posix_int(given[2], 0, &priority))
        return VALUE_ERROR;
    return posix_does(SYSTEM_SET_PRIORITY, who, which, priority);
}

// ---- schedulers

static const MemberDef param_fields[] = {STRUCT_FIELD("sched_priority", 0), {0}};
static StructType param_type = STRUCT_SEQUENCE("posix.sched_param", param_fields, 1);

static Value param_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    BIND("sched_param", 1, 1, "sched_priority");
    Value items[] = {retain(given[0])};
    (void)type;
    return struct_sequence_from_owned(&param_type, items);
}

static bool take_param(ValueRef value, int *priority)
{
    int64_t number;
    if (type_of(value) != &param_type.type)
        return raise_error(TypeError, "must have a sched_param object");
    ValueRef item = tuple_at(value, 0);
    if (!int_check(item))
        return raise_error(TypeError, "an integer is required (got type %T)", item);
    if (int_as_int64_clamped(item, &number) != 0 || number < INT_MIN || number > INT_MAX)
        return raise_error(OverflowError, "sched_priority out of range");
    *priority = (int)number;
    return true;
}

static Value yield_turn(FUNCTION_ARGS)
{
    return posix_does(SYSTEM_YIELD);
}

static Value highest_priority(FUNCTION_ARGS)
{
    int policy;
    BIND("sched_get_priority_max", 1, 1, "policy");
    return posix_int(given[0], 0, &policy) ? posix_number(SYSTEM_HIGHEST_PRIORITY, policy)
                                           : VALUE_ERROR;
}

static Value lowest_priority(FUNCTION_ARGS)
{
    int policy;
    BIND("sched_get_priority_min", 1, 1, "policy");
    return posix_int(given[0], 0, &policy) ? posix_number(SYSTEM_LOWEST_PRIORITY, policy)
                                           : VALUE_ERROR;
}

static Value get_scheduler(FUNCTION_ARGS)
{
    int process;
    return posix_int(args[0], 0, &process) ? posix_number(SYSTEM_SCHEDULER, process) : VALUE_ERROR;
}

static Value set_scheduler(FUNCTION_ARGS)
{
    int process, policy, priority;
    if (!posix_int(args[0], 0, &process) || !posix_int(args[1], 0, &policy) ||
        !take_param(args[2], &priority))
        return VALUE_ERROR;
    return posix_does(SYSTEM_SET_SCHEDULER, process, policy, priority);
}

static Value get_param(FUNCTION_ARGS)
{
    int process;
    if (!posix_int(args[0], 0, &process)) return VALUE_ERROR;
    Value items[] = {posix_number(SYSTEM_SCHEDULED_PRIORITY, process)};
    return items[0] ? struct_sequence_from_owned(&param_type, items) : VALUE_ERROR;
}

static Value set_param(FUNCTION_ARGS)
{
    int process, priority;
    if (!posix_int(args[0], 0, &process) || !take_param(args[1], &priority)) return VALUE_ERROR;
    return posix_does(SYSTEM_SET_SCHEDULED_PRIORITY, process, priority);
}

static Value get_interval(FUNCTION_ARGS)
{
    int process;
    if (!posix_int(args[0], 0, &process)) return VALUE_ERROR;
    int64_t interval = outside_call(SYSTEM_SCHEDULER_INTERVAL, (int64_t[4]){process}, NONE_GIVEN);
    return interval < 0 ? raise_posix() : float_new((double)interval / 1e9);
}

// ---- processors: a bit for each

#define MOST_PROCESSORS 8192

typedef struct Processors {
    unsigned long words[MOST_PROCESSORS / (CHAR_BIT * sizeof(unsigned long))];
} Processors;

static bool has_processor(const Processors *processors, size_t number)
{
    size_t bits = CHAR_BIT * sizeof *processors->words;
    return processors->words[number / bits] >> number % bits & 1;
}

static Value get_processors(FUNCTION_ARGS)
{
    int process;
    Processors found;
    if (!posix_int(args[0], 0, &process)) return VALUE_ERROR;
    int64_t size = outside_call(SYSTEM_PROCESSORS, (int64_t[4]){process},
                                (CallBytes){.answer = &found, .room = sizeof found});
    Value set = size < 0 ? raise_posix() : set_new(VALUE_ERROR);
    bool done = set;
    for (size_t i = 0; done && i < MOST_PROCESSORS; i++)
        if (has_processor(&found, i)) done = set_add(set, from_small((int)i));
    if (set && !done) drop_slot(&set);
    return set;
}

static bool add_processor(ValueRef item, Processors *processors)
{
    int64_t number;
    size_t bits = CHAR_BIT * sizeof *processors->words;
    if (!int_check(item))
        return raise_error(TypeError, "expected an iterator of ints, but iterator yielded %R",
                           ref_of(type_of(item)));
    int beyond = int_as_int64_clamped(item, &number);
    if (beyond < 0 || number < 0) return raise_error(ValueError, "negative CPU number");
    if (beyond > 0 || number >= MOST_PROCESSORS)
        return raise_error(OverflowError, "CPU number too large");
    processors->words[(size_t)number / bits] |= 1UL << (size_t)number % bits;
    return true;
}

static bool take_processors(ValueRef iterable, Processors *processors)
{
    memset(processors, 0, sizeof *processors);
    Value items = sequence_tuple(iterable);
    bool done = items;
    for (ssize_t i = 0; done && i < tuple_size(items); i++)
        done = add_processor(tuple_at(items, i), processors);
    drop(items);
    return done;
}

static Value set_processors(FUNCTION_ARGS)
{
    int process;
    Processors wanted;
    if (!posix_int(args[0], 0, &process) || !take_processors(args[1], &wanted)) return VALUE_ERROR;
    return posix_done(outside_call(SYSTEM_SET_PROCESSORS, (int64_t[4]){process},
                                   (CallBytes){.given = &wanted, .given_size = sizeof wanted}));
}

static Value load(FUNCTION_ARGS)
{
    double loads[3];
    int64_t size = outside_call(SYSTEM_LOAD, (int64_t[4]){0},
                                (CallBytes){.answer = loads, .room = sizeof loads});
    if (size < 0) return raise_error(OSError, "Load averages are unobtainable");
    Value items[] = {float_new(loads[0]), float_new(loads[1]), float_new(loads[2])};
    return tuple_from_owned(items, 3);
}

bool posix_add_schedule(ValueRef module)
{
    param_type.type.new_ = param_new;
    return struct_sequence_ready(&param_type) && module_add_type(module, &param_type.type);
}

const MethodDef posix_schedule_functions[] = {
    {"nice", be_nice, ONE_ARG, NULL},
    {"getpriority", get_priority, KEYWORD_ARGS, NULL},
    {"setpriority", set_priority, KEYWORD_ARGS, NULL},
    {"sched_yield", yield_turn, NO_ARGS, NULL},
    {"sched_get_priority_max", highest_priority, KEYWORD_ARGS, NULL},
    {"sched_get_priority_min", lowest_priority, KEYWORD_ARGS, NULL},
    {"sched_getscheduler", get_scheduler, ONE_ARG, NULL},
    {"sched_setscheduler", set_scheduler, ARGS(3, 3), NULL},
    {"sched_getparam", get_param, ONE_ARG, NULL},
    {"sched_setparam", set_param, ARGS(2, 2), NULL},
    {"sched_rr_get_interval", get_interval, ONE_ARG, NULL},
    {"sched_getaffinity", get_processors, ONE_ARG, NULL},
    {"sched_setaffinity", set_processors, ARGS(2, 2), NULL},
    {"getloadavg", load, NO_ARGS, NULL},
    {0},
};
