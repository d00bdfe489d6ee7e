// The module `time`: clocks, sleep, and calendar times as struct_time.
//
// CPython: Modules/timemodule.c.
#include "objects/call.h"
#include "objects/classes/namespace.h"
#include "objects/classes/struct_sequence.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/import/import.h"
#include "vm/modules/strands.h"
#include "vm/outside/outside.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#define BILLION 1000000000

// ---- struct_time

static const MemberDef fields[] = {
    STRUCT_FIELD("tm_year", 0), STRUCT_FIELD("tm_mon", 1),     STRUCT_FIELD("tm_mday", 2),
    STRUCT_FIELD("tm_hour", 3), STRUCT_FIELD("tm_min", 4),     STRUCT_FIELD("tm_sec", 5),
    STRUCT_FIELD("tm_wday", 6), STRUCT_FIELD("tm_yday", 7),    STRUCT_FIELD("tm_isdst", 8),
    STRUCT_FIELD("tm_zone", 9), STRUCT_FIELD("tm_gmtoff", 10), {0},
};
static StructType struct_time_type = STRUCT_SEQUENCE("time.struct_time", fields, 9);

static Value from_calendar(const struct tm *calendar)
{
    Value items[] = {
        from_small(calendar->tm_year + 1900),
        from_small(calendar->tm_mon + 1),
        from_small(calendar->tm_mday),
        from_small(calendar->tm_hour),
        from_small(calendar->tm_min),
        from_small(calendar->tm_sec),
        from_small((calendar->tm_wday + 6) % 7),
        from_small(calendar->tm_yday + 1),
        from_small(calendar->tm_isdst),
        str_new(calendar->tm_zone),
        from_small(calendar->tm_gmtoff),
    };
    return struct_sequence_from_owned(&struct_time_type, items);
}

static bool to_calendar(ValueRef value, const char *function, struct tm *calendar)
{
    int numbers[9];
    if (!tuple_check(value))
        return raise_error(TypeError, "Tuple or struct_time argument required");
    if (tuple_size(value) != 9)
        return raise_error(TypeError, "%s(): illegal time tuple argument", function);
    for (int i = 0; i < 9; i++)
        if (!argument_int(tuple_at(value, i), &numbers[i])) return false;
    if (numbers[0] < INT_MIN + 1900) return raise_error(OverflowError, "year out of range");
    *calendar = (struct tm){.tm_year = numbers[0] - 1900,
                            .tm_mon = numbers[1] - 1,
                            .tm_mday = numbers[2],
                            .tm_hour = numbers[3],
                            .tm_min = numbers[4],
                            .tm_sec = numbers[5],
                            .tm_wday = (numbers[6] + 1) % 7,
                            .tm_yday = numbers[7] - 1,
                            .tm_isdst = numbers[8]};
    return true;
}

// Zeros are taken for the first of a range, as CPython takes them.
static bool check_calendar(struct tm *calendar)
{
    if (calendar->tm_mon == -1) calendar->tm_mon = 0;
    if (calendar->tm_mday == 0) calendar->tm_mday = 1;
    if (calendar->tm_yday == -1) calendar->tm_yday = 0;
    if (calendar->tm_mon < 0 || calendar->tm_mon > 11)
        return raise_error(ValueError, "month out of range");
    if (calendar->tm_mday < 0 || calendar->tm_mday > 31)
        return raise_error(ValueError, "day of month out of range");
    if (calendar->tm_hour < 0 || calendar->tm_hour > 23)
        return raise_error(ValueError, "hour out of range");
    if (calendar->tm_min < 0 || calendar->tm_min > 59)
        return raise_error(ValueError, "minute out of range");
    if (calendar->tm_sec < 0 || calendar->tm_sec > 61)
        return raise_error(ValueError, "seconds out of range");
    if (calendar->tm_wday < 0) return raise_error(ValueError, "day of week out of range");
    if (calendar->tm_yday < 0 || calendar->tm_yday > 365)
        return raise_error(ValueError, "day of year out of range");
    return true;
}

static bool whole_seconds(ValueRef value, const char *too_large, int64_t *seconds)
{
    Value number = object_index_or_int(value);
    if (!number) return false;
    bool fits = !int_as_int64_clamped(number, seconds);
    drop(number);
    return fits || raise_error(OverflowError, "timestamp %s", too_large);
}

static bool seconds_argument(ValueRef value, int64_t *seconds)
{
    *seconds = outside_clock(CLOCK_WALL) / BILLION;
    if (!value || value == NONE) return true;
    if (!float_check(value))
        return whole_seconds(value, "out of range for platform time_t", seconds);
    double number = float_value(value);
    if (isnan(number)) return raise_error(ValueError, "Invalid value NaN (not a number)");
    if (fabs(number) > 9e15)
        return raise_error(OverflowError, "timestamp out of range for platform time_t");
    *seconds = (int64_t)floor(number);
    return true;
}

static Value calendar_of(ValueRef argument, bool local)
{
    int64_t seconds;
    struct tm calendar;
    if (!seconds_argument(argument, &seconds)) return VALUE_ERROR;
    if (!outside_calendar(seconds, local, &calendar))
        return raise_error(OverflowError, "timestamp out of range for platform time_t");
    return from_calendar(&calendar);
}

static Value localtime_function(FUNCTION_ARGS)
{
    return calendar_of(nargs ? args[0] : 0, true);
}
static Value gmtime_function(FUNCTION_ARGS)
{
    return calendar_of(nargs ? args[0] : 0, false);
}

static Value mktime_function(FUNCTION_ARGS)
{
    struct tm calendar;
    int64_t seconds;
    if (!to_calendar(args[0], "mktime", &calendar)) return VALUE_ERROR;
    if (!outside_seconds(&calendar, &seconds))
        return raise_error(OverflowError, "mktime argument out of range");
    return float_new((double)seconds);
}

// ---- calendar times as text

static bool calendar_argument(ValueRef value, const char *function, struct tm *calendar)
{
    if (value) return to_calendar(value, function, calendar) && check_calendar(calendar);
    return outside_calendar(outside_clock(CLOCK_WALL) / BILLION, true, calendar);
}

static Value as_text(const struct tm *calendar)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char day[4] = {0}, month[4] = {0};
    memcpy(day, days + 3 * calendar->tm_wday, 3);
    memcpy(month, months + 3 * calendar->tm_mon, 3);
    char text[64];
    snprintf(text, sizeof text, "%s %s%3d %.2d:%.2d:%.2d %d", day, month, calendar->tm_mday,
             calendar->tm_hour, calendar->tm_min, calendar->tm_sec, 1900 + calendar->tm_year);
    return str_new(text);
}

static Value asctime_function(FUNCTION_ARGS)
{
    struct tm calendar;
    return calendar_argument(nargs ? args[0] : 0, "asctime", &calendar) ? as_text(&calendar)
                                                                        : VALUE_ERROR;
}

static Value ctime_function(FUNCTION_ARGS)
{
    int64_t seconds;
    struct tm calendar;
    if (!seconds_argument(nargs ? args[0] : 0, &seconds)) return VALUE_ERROR;
    if (!outside_calendar(seconds, true, &calendar))
        return raise_error(OverflowError, "timestamp out of range for platform time_t");
    return as_text(&calendar);
}

// strftime() says 0 where there is no room, and also where the text is empty.
static Value format_calendar(const char *format, const struct tm *calendar)
{
    for (size_t room = 1024;; room *= 2) {
        char *text = memory_alloc(room);
        if (!text) return raise_memory_error();
        size_t size = strftime(text, room, format, calendar);
        Value result = size || room >= 256 * strlen(format) ? str_from_utf8(text, size) : ABSENT;
        memory_free(text);
        if (result != ABSENT) return result;
    }
}

static Value strftime_function(FUNCTION_ARGS)
{
    struct tm calendar;
    if (!str_check(args[0]))
        return raise_error(TypeError, "strftime() argument 1 must be str, not %G", args[0]);
    size_t size;
    const char *format = str_utf8(args[0], &size);
    if (format && strlen(format) != size) return raise_error(ValueError, "embedded null character");
    if (!format || !calendar_argument(nargs > 1 ? args[1] : 0, "strftime", &calendar))
        return VALUE_ERROR;
    return format_calendar(format, &calendar);
}

// vm/lib/_strptime.mpy
static Value strptime_function(FUNCTION_ARGS)
{
    Value module = import_module("_strptime"), name = module ? str_intern("_strptime_time") : 0;
    Value function = name ? object_get(module, name) : VALUE_ERROR;
    Value result = function ? object_call(function, args, nargs, kwnames) : VALUE_ERROR;
    drop(module);
    drop(name);
    drop(function);
    return result;
}

// ---- clocks

static const struct {
    const char *name, *implementation;
    Clock clock;
    bool monotonic, adjustable;
} clocks[] = {
    {"time", "clock_gettime(CLOCK_REALTIME)", CLOCK_WALL, false, true},
    {"monotonic", "clock_gettime(CLOCK_MONOTONIC)", CLOCK_STEADY, true, false},
    {"perf_counter", "clock_gettime(CLOCK_MONOTONIC)", CLOCK_STEADY, true, false},
    {"process_time", "clock_gettime(CLOCK_PROCESS_CPUTIME_ID)", CLOCK_PROCESS, true, false},
    {"thread_time", "clock_gettime(CLOCK_THREAD_CPUTIME_ID)", CLOCK_OF_THREAD, true, false},
};

static Value seconds_of(Clock clock)
{
    return float_new((double)outside_clock(clock) / BILLION);
}
static Value nanoseconds_of(Clock clock)
{
    return int_new(outside_clock(clock));
}

#define CLOCK_FUNCTIONS(name, clock)                                                               \
    static Value name##_seconds(FUNCTION_ARGS)                                                     \
    {                                                                                              \
        return seconds_of(clock);                                                                  \
    }                                                                                              \
    static Value name##_nanoseconds(FUNCTION_ARGS)                                                 \
    {                                                                                              \
        return nanoseconds_of(clock);                                                              \
    }
CLOCK_FUNCTIONS(wall, CLOCK_WALL)
CLOCK_FUNCTIONS(steady, CLOCK_STEADY)
CLOCK_FUNCTIONS(process, CLOCK_PROCESS)
CLOCK_FUNCTIONS(thread, CLOCK_OF_THREAD)

static Value get_clock_info(FUNCTION_ARGS)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "get_clock_info() argument 1 must be str, not %G", args[0]);
    size_t i = 0, count = sizeof clocks / sizeof *clocks;
    while (i < count && !str_equal_ascii(args[0], clocks[i].name)) i++;
    if (i == count) return raise_error(ValueError, "unknown clock");
    Value info = dict_new(), text = str_new(clocks[i].implementation);
    double step = (double)outside_clock_resolution(clocks[i].clock) / BILLION;
    bool done = info && text && dict_set_ascii(info, "implementation", text) &&
                dict_set_ascii(info, "monotonic", from_bool(clocks[i].monotonic)) &&
                dict_set_ascii(info, "adjustable", from_bool(clocks[i].adjustable)) &&
                dict_set_ascii(info, "resolution", from_double(step));
    Value result = done ? namespace_new(info) : VALUE_ERROR;
    drop(info);
    drop(text);
    return result;
}

// ---- the system's clocks by their numbers

static bool read_clock(ValueRef number, bool resolution, int64_t *nanoseconds)
{
    int id;
    if (!argument_int(number, &id)) return false;
    return outside_system_clock(id, resolution, nanoseconds) || raise_os_error(errno, 0);
}

static Value clock_gettime_function(FUNCTION_ARGS)
{
    int64_t now;
    return read_clock(args[0], false, &now) ? float_new((double)now / BILLION) : VALUE_ERROR;
}

static Value clock_gettime_ns(FUNCTION_ARGS)
{
    int64_t now;
    return read_clock(args[0], false, &now) ? int_new(now) : VALUE_ERROR;
}

static Value clock_getres_function(FUNCTION_ARGS)
{
    int64_t step;
    return read_clock(args[0], true, &step) ? float_new((double)step / BILLION) : VALUE_ERROR;
}

static const struct {
    const char *name;
    int number;
} system_clocks[] = {
    {"CLOCK_REALTIME", CLOCK_REALTIME},
    {"CLOCK_MONOTONIC", CLOCK_MONOTONIC},
    {"CLOCK_PROCESS_CPUTIME_ID", CLOCK_PROCESS_CPUTIME_ID},
    {"CLOCK_THREAD_CPUTIME_ID", CLOCK_THREAD_CPUTIME_ID},
#ifdef __linux__
    {"CLOCK_MONOTONIC_RAW", CLOCK_MONOTONIC_RAW},
    {"CLOCK_BOOTTIME", CLOCK_BOOTTIME},
    {"CLOCK_TAI", CLOCK_TAI},
#endif
};

static bool add_clocks(ValueRef module)
{
    for (size_t i = 0; i < sizeof system_clocks / sizeof *system_clocks; i++)
        if (!module_add(module, system_clocks[i].name, from_small(system_clocks[i].number)))
            return false;
    return true;
}

static Value sleep_function(FUNCTION_ARGS)
{
    int64_t whole = 0;
    if (!float_check(args[0]) &&
        !whole_seconds(args[0], "too large to convert to C _PyTime_t", &whole))
        return VALUE_ERROR;
    double seconds = float_check(args[0]) ? float_value(args[0]) : (double)whole;
    if (isnan(seconds)) return raise_error(ValueError, "Invalid value NaN (not a number)");
    if (seconds < 0) return raise_error(ValueError, "sleep length must be non-negative");
    if (seconds > 9e9)
        return raise_error(OverflowError, "timestamp too large to convert to C _PyTime_t");
    int64_t nanoseconds = (int64_t)(seconds * BILLION);
    if (eval_breaker.strands) return strands_sleep(nanoseconds);
    // A signal that has come just before does not wait for the end.
    return poll_signals() && outside_sleep(nanoseconds) && poll_signals() ? NONE : VALUE_ERROR;
}

// ---- the zone

static bool add_zone(ValueRef module)
{
    tzset();
    Value names[] = {str_new(tzname[0]), str_new(tzname[1])};
    return module_add_owned(module, "timezone", int_new(timezone)) &&
           module_add_owned(module, "altzone", int_new(timezone - (daylight ? 3600 : 0))) &&
           module_add(module, "daylight", from_small(daylight)) &&
           module_add_owned(module, "tzname", tuple_from_owned(names, 2));
}

static Value tzset_function(FUNCTION_ARGS)
{
    return add_zone(self) ? NONE : VALUE_ERROR;
}

static const MethodDef functions[] = {
    {"time", wall_seconds, NO_ARGS, NULL},
    {"time_ns", wall_nanoseconds, NO_ARGS, NULL},
    {"monotonic", steady_seconds, NO_ARGS, NULL},
    {"monotonic_ns", steady_nanoseconds, NO_ARGS, NULL},
    {"perf_counter", steady_seconds, NO_ARGS, NULL},
    {"perf_counter_ns", steady_nanoseconds, NO_ARGS, NULL},
    {"process_time", process_seconds, NO_ARGS, NULL},
    {"process_time_ns", process_nanoseconds, NO_ARGS, NULL},
    {"thread_time", thread_seconds, NO_ARGS, NULL},
    {"thread_time_ns", thread_nanoseconds, NO_ARGS, NULL},
    {"get_clock_info", get_clock_info, PARSED_ARGS(1, 1), NULL},
    {"sleep", sleep_function, ONE_ARG, NULL},
    {"localtime", localtime_function, ARGS(0, 1), NULL},
    {"gmtime", gmtime_function, ARGS(0, 1), NULL},
    {"mktime", mktime_function, ONE_ARG, NULL},
    {"asctime", asctime_function, ARGS(0, 1), NULL},
    {"ctime", ctime_function, ARGS(0, 1), NULL},
    {"strftime", strftime_function, ARGS(1, 2), NULL},
    {"strptime", strptime_function, KEYWORD_ARGS, NULL},
    {"clock_gettime", clock_gettime_function, PARSED_ARGS(1, 1), NULL},
    {"clock_gettime_ns", clock_gettime_ns, PARSED_ARGS(1, 1), NULL},
    {"clock_getres", clock_getres_function, PARSED_ARGS(1, 1), NULL},
    {"tzset", tzset_function, NO_ARGS, NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return struct_sequence_ready(&struct_time_type) &&
           module_add_type(module, &struct_time_type.type) && add_zone(module) &&
           add_clocks(module) && module_add(module, "_STRUCT_TM_ITEMS", from_small(11));
}

const ModuleDef time_module = {
    .name = "time",
    .functions = functions,
    .fill = fill,
};
