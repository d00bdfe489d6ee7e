// The module datetime: its types, and the constants of each. See datetime.h.
#include "objects/classes/struct_sequence.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/module.h"
#include "vm/modules/datetime/datetime.h"

static bool add(Type *type, const char *name, Value value)
{
    bool done = value && dict_set_ascii(type->dict, name, value);
    drop(value);
    if (done) type_modified(type);
    return done;
}

static Value zone_of_minutes(int minutes)
{
    Value offset = delta_new(0, minutes * 60, 0);
    Value zone = offset ? timezone_make(offset, VALUE_ERROR) : VALUE_ERROR;
    drop(offset);
    return zone;
}

static bool add_bounds(void)
{
    static const Day first = {MINYEAR, 1, 1}, last = {MAXYEAR, 12, 31};
    static const DayTime midnight = {0}, end = {23, 59, 59, 0, 999999};
    return add(&timedelta_type, "resolution", delta_new(0, 0, 1)) &&
           add(&timedelta_type, "min", delta_new(-999999999, 0, 0)) &&
           add(&timedelta_type, "max", delta_new(999999999, 86399, 999999)) &&
           add(&date_type, "min", date_make(&date_type, first)) &&
           add(&date_type, "max", date_make(&date_type, last)) &&
           add(&date_type, "resolution", delta_new(1, 0, 0)) &&
           add(&time_type, "min", time_make(&time_type, midnight, NONE)) &&
           add(&time_type, "max", time_make(&time_type, end, NONE)) &&
           add(&time_type, "resolution", delta_new(0, 0, 1)) &&
           add(&datetime_type, "min", datetime_make(&datetime_type, first, midnight, NONE)) &&
           add(&datetime_type, "max", datetime_make(&datetime_type, last, end, NONE)) &&
           add(&datetime_type, "resolution", delta_new(0, 0, 1)) &&
           add(&timezone_type, "utc", timezone_utc()) &&
           add(&timezone_type, "min", zone_of_minutes(1 - 24 * 60)) &&
           add(&timezone_type, "max", zone_of_minutes(24 * 60 - 1));
}

static bool add_all(ValueRef module)
{
    static const char *const names[] = {"date",     "datetime", "time",    "timedelta",
                                        "timezone", "tzinfo",   "MINYEAR", "MAXYEAR"};
    Value items[8];
    for (int i = 0; i < 8; i++) items[i] = str_intern(names[i]);
    return module_add_owned(module, "__all__", tuple_from_owned(items, 8));
}

static bool fill(ValueRef module)
{
    Type *const types[] = {&timedelta_type, &date_type,   &time_type,
                           &datetime_type,  &tzinfo_type, &timezone_type};
    if (!types_ready(types, 6) || !type_ready(&iso_calendar_type.type) || !add_bounds())
        return false;
    for (int i = 0; i < 6; i++)
        if (!module_add_type(module, types[i])) return false;
    return add_all(module) && module_add(module, "MINYEAR", from_small(MINYEAR)) &&
           module_add(module, "MAXYEAR", from_small(MAXYEAR));
}

const ModuleDef datetime_module = {
    .name = "datetime",
    .doc = "Dates, times, what is between two of them, and time zones.",
    .fill = fill,
    .finish = timezone_finish,
};
