// Days counted, and fields checked. 400 years are always 146097 days.
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "vm/modules/datetime/datetime.h"

static const int days_before_month[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

bool is_leap_year(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int year, int month)
{
    if (month == 2 && is_leap_year(year)) return 29;
    return days_before_month[month] - days_before_month[month - 1];
}

static int days_before_year(int year)
{
    int before = year - 1;
    return before * 365 + before / 4 - before / 100 + before / 400;
}

int day_of_year(Day day)
{
    return days_before_month[day.month - 1] + day.day + (day.month > 2 && is_leap_year(day.year));
}

int ordinal_of_day(Day day)
{
    return days_before_year(day.year) + day_of_year(day);
}

// The year is guessed, at most one too late; so is the month.
Day day_of_ordinal(int ordinal)
{
    int year = (int)((int64_t)(ordinal + 1) * 400 / 146097) + 1;
    int day = ordinal - days_before_year(year);
    if (day <= 0) {
        year--;
        day += 365 + is_leap_year(year);
    }
    Day found = {year, (day + 49) >> 5, 0};
    if (day_of_year(found) >= day) found.month--;
    found.day = day - day_of_year(found);
    return found;
}

int weekday_of(Day day)
{
    return (ordinal_of_day(day) + 6) % 7;
}

// The ordinal of the Monday of ISO week 1, the one with the fourth of January.
int first_iso_monday(int year)
{
    Day fourth = {year, 1, 4};
    return ordinal_of_day(fourth) - weekday_of(fourth);
}

// ---- checks

bool field_argument(ValueRef value, int *number)
{
    int64_t wide;
    if (float_check(value)) return raise_error(TypeError, "integer argument expected, got float");
    Value index = is_small(value) ? retain(value) : object_index_or_int(value);
    bool done = index && int_as_int64(index, &wide);
    drop(index);
    if (!done) return false;
    *number = (int)wide;
    if (wide == *number) return true;
    return raise_error(OverflowError, "signed integer is %s",
                       wide < 0 ? "less than minimum" : "greater than maximum");
}

// CPython converts what is given before it says what is missing.
bool check_few(const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    int ignored;
    for (size_t i = 0; i < nargs && nargs < 3 && !kwnames; i++)
        if (!field_argument(args[i], &ignored)) return false;
    return true;
}

bool check_day(Day day)
{
    if (day.year < MINYEAR || day.year > MAXYEAR)
        return raise_error(ValueError, "year %d is out of range", day.year);
    if (day.month < 1 || day.month > 12) return raise_error(ValueError, "month must be in 1..12");
    if (day.day < 1 || day.day > days_in_month(day.year, day.month))
        return raise_error(ValueError, "day is out of range for month");
    return true;
}

bool check_daytime(const int fields[5])
{
    static const struct {
        const char *name;
        int last;
    } rows[] = {{"hour", 23}, {"minute", 59}, {"second", 59}, {"microsecond", 999999}};
    for (int i = 0; i < 4; i++)
        if (fields[i] < 0 || fields[i] > rows[i].last)
            return raise_error(ValueError, "%s must be in 0..%d", rows[i].name, rows[i].last);
    if (fields[4] == 0 || fields[4] == 1) return true;
    return raise_error(ValueError, "fold must be either 0 or 1");
}

bool check_tzinfo(ValueRef tzinfo)
{
    return tzinfo == NONE || tzinfo_check(tzinfo) ||
           raise_error(TypeError,
                       "tzinfo argument must be None or of a tzinfo subclass, not type '%T'",
                       tzinfo);
}
