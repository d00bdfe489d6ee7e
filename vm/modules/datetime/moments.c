// Datetimes of timestamps, in other time zones, and their differences.
//
// What local clocks show is asked of the system. Here times are counted in seconds from the year 1,
// in which a local time and UTC can be compared. An hour that happens twice, as the clock is set
// back, is told apart by `fold`.
#include "objects/classes/descriptor.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "vm/modules/datetime/datetime.h"
#include "vm/outside/outside.h"

#include <math.h>
#include <time.h>

#define EPOCH ((int64_t)EPOCH_ORDINAL * DAY_SECONDS)

// ---- timestamps

typedef struct Timestamp {
    int64_t seconds; // since 1970
    int microseconds;
} Timestamp;

static Value raise_out_of_range(void)
{
    return raise_error(OverflowError, "timestamp out of range for platform time_t");
}

static bool timestamp_of_double(double number, Timestamp *timestamp)
{
    if (isnan(number)) return raise_error(ValueError, "Invalid value NaN (not a number)");
    double whole, broken = rint(modf(number, &whole) * 1e6);
    if (broken >= 1e6) {
        broken -= 1e6;
        whole += 1;
    } else if (broken < 0) {
        broken += 1e6;
        whole -= 1;
    }
    if (!(whole >= -0x1p63 && whole < 0x1p63)) return raise_out_of_range();
    *timestamp = (Timestamp){(int64_t)whole, (int)broken};
    return true;
}

static bool timestamp_argument(ValueRef value, Timestamp *timestamp)
{
    if (float_check(value)) return timestamp_of_double(float_value(value), timestamp);
    Value number = object_index_or_int(value);
    if (!number) return false;
    timestamp->microseconds = 0;
    int far = int_as_int64_clamped(number, &timestamp->seconds);
    drop(number);
    return !far || raise_out_of_range();
}

static Timestamp now(void)
{
    int64_t nanoseconds = outside_clock(CLOCK_WALL), second = 1000000000;
    int64_t seconds = nanoseconds / second - (nanoseconds % second < 0);
    return (Timestamp){seconds, (int)((nanoseconds - seconds * second) / 1000)};
}

static bool calendar_of(int64_t seconds, bool local, struct tm *calendar)
{
    return outside_calendar(seconds, local, calendar) || raise_out_of_range();
}

static Day day_of_calendar(const struct tm *calendar)
{
    return (Day){calendar->tm_year + 1900, calendar->tm_mon + 1, calendar->tm_mday};
}

// A leap second counts as the one before.
static DayTime daytime_of_calendar(const struct tm *calendar)
{
    int second = calendar->tm_sec > 59 ? 59 : calendar->tm_sec;
    return (DayTime){(uint8_t)calendar->tm_hour, (uint8_t)calendar->tm_min, (uint8_t)second, 0, 0};
}

bool local_day_of(ValueRef timestamp, Day *day)
{
    Timestamp read;
    struct tm calendar;
    double floored = float_check(timestamp) ? floor(float_value(timestamp)) : 0;
    bool done = float_check(timestamp) ? timestamp_of_double(floored, &read)
                                       : timestamp_argument(timestamp, &read);
    if (!done || !calendar_of(read.seconds, true, &calendar)) return false;
    *day = day_of_calendar(&calendar);
    return true;
}

// ---- seconds from the year 1

static bool count(Day day, const DayTime *daytime, int64_t *seconds)
{
    if (day.year < MINYEAR || day.year > MAXYEAR)
        return raise_error(ValueError, "year %d is out of range", day.year);
    int64_t minutes = ((int64_t)ordinal_of_day(day) * 24 + daytime->hour) * 60 + daytime->minute;
    *seconds = minutes * 60 + daytime->second;
    return true;
}

// What local clocks show when UTC is at `utc`.
static bool local(int64_t utc, int64_t *shown)
{
    struct tm calendar;
    if (!calendar_of(utc - EPOCH, true, &calendar)) return false;
    DayTime daytime = daytime_of_calendar(&calendar);
    return count(day_of_calendar(&calendar), &daytime, shown);
}

// Do clocks show for the second time what they show now?
static bool find_fold(int64_t utc, int64_t shown, uint8_t *fold)
{
    int64_t before, first;
    if (!local(utc - DAY_SECONDS, &before)) return false;
    int64_t back = shown - before - DAY_SECONDS; // how far they were set within a day
    if (back >= 0) return true;
    if (!local(utc + back, &first)) return false;
    *fold = first == shown;
    return true;
}

// The UTC at which local clocks show this.
static bool utc_of_local(int64_t shown, bool fold, int64_t *utc)
{
    int64_t there, other;
    if (!local(shown, &there)) return false;
    int64_t offset = there - shown, first = shown - offset;
    if (!local(first, &there)) return false;
    *utc = first;
    if (there == shown) { // one answer; another if the offset was different a day before or after
        int64_t second = first + (fold ? DAY_SECONDS : -DAY_SECONDS);
        if (!local(second, &other)) return false;
        other -= second;
        if (other == offset) return true;
    } else {
        other = there - first;
    }
    int64_t second = shown - other, again;
    if (!local(second, &again)) return false;
    if (again == shown)
        *utc = second;
    else if (there != shown) // clocks never show that
        *utc = (first < second) == fold ? first : second;
    return true;
}

static bool utc_of_naive(ValueRef self, int64_t *utc)
{
    int64_t shown;
    const DayTime *daytime = &as_datetime(self)->daytime;
    return count(day_of_date(self), daytime, &shown) && utc_of_local(shown, daytime->fold, utc);
}

// ---- making them

static Value of_timestamp(ValueRef class, Timestamp timestamp, bool is_local, ValueRef tzinfo)
{
    struct tm calendar;
    int64_t shown;
    if (!calendar_of(timestamp.seconds, is_local, &calendar)) return VALUE_ERROR;
    Day day = day_of_calendar(&calendar);
    DayTime daytime = daytime_of_calendar(&calendar);
    if (is_local && !(count(day, &daytime, &shown) &&
                      find_fold(timestamp.seconds + EPOCH, shown, &daytime.fold)))
        return VALUE_ERROR;
    daytime.microsecond = timestamp.microseconds;
    return datetime_of_class(class, day, daytime, tzinfo);
}

static Value from_utc(ValueRef tzinfo, Value utc)
{
    Value name = utc ? str_intern("fromutc") : VALUE_ERROR;
    Value made = name ? object_call_method_one(tzinfo, name, utc) : VALUE_ERROR;
    drop(name);
    drop(utc);
    return made;
}

static Value in_zone(ValueRef class, Timestamp timestamp, ValueRef tzinfo)
{
    if (tzinfo == NONE) return of_timestamp(class, timestamp, true, NONE);
    return from_utc(tzinfo, of_timestamp(class, timestamp, false, tzinfo));
}

Value datetime_fromtimestamp(ValueRef class, METHOD_ARGS)
{
    static const char *const names[] = {"timestamp", "tz", NULL};
    static const Signature signature = {"fromtimestamp", names, 1, 2};
    ValueRef given[2];
    Timestamp timestamp;
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (!given[1]) given[1] = NONE;
    if (!check_tzinfo(given[1]) || !timestamp_argument(given[0], &timestamp)) return VALUE_ERROR;
    return in_zone(class, timestamp, given[1]);
}

Value datetime_utcfromtimestamp(ValueRef class, METHOD_ARGS)
{
    Timestamp timestamp;
    if (!timestamp_argument(args[0], &timestamp)) return VALUE_ERROR;
    return of_timestamp(class, timestamp, false, NONE);
}

Value datetime_now(ValueRef class, METHOD_ARGS)
{
    static const char *const names[] = {"tz", NULL};
    static const Signature signature = {"now", names, 0, 1};
    ValueRef tzinfo;
    if (!args_bind(&signature, args, nargs, kwnames, &tzinfo)) return VALUE_ERROR;
    if (!tzinfo) tzinfo = NONE;
    return check_tzinfo(tzinfo) ? in_zone(class, now(), tzinfo) : VALUE_ERROR;
}

Value datetime_utcnow(ValueRef class, METHOD_ARGS)
{
    return of_timestamp(class, now(), false, NONE);
}

// ---- in other zones

Value datetime_timestamp(ValueRef self, METHOD_ARGS)
{
    int64_t utc;
    if (as_datetime(self)->tzinfo == NONE) {
        if (!utc_of_naive(self, &utc)) return VALUE_ERROR;
        return float_new((double)(utc - EPOCH) + as_datetime(self)->daytime.microsecond / 1e6);
    }
    Value zone = timezone_utc(), seconds = VALUE_ERROR;
    Value epoch = datetime_make(&datetime_type, day_of_ordinal(EPOCH_ORDINAL), (DayTime){0}, zone);
    Value span = epoch ? datetime_difference(self, epoch) : VALUE_ERROR;
    if (span) seconds = delta_seconds(span);
    drop(span);
    drop(epoch);
    drop(zone);
    return seconds;
}

// The zone of local clocks at that time, with its name then.
static Value local_zone(int64_t utc)
{
    struct tm calendar;
    if (!calendar_of(utc - EPOCH, true, &calendar)) return VALUE_ERROR;
    Value offset = delta_new(0, calendar.tm_gmtoff, 0);
    Value name = offset ? str_new(calendar.tm_zone) : VALUE_ERROR;
    Value zone = name ? timezone_make(offset, name) : VALUE_ERROR;
    drop(name);
    drop(offset);
    return zone;
}

// The offset of `self`; where it has none, that of local clocks.
static Value offset_or_local(ValueRef self)
{
    int64_t utc, shown;
    Value offset = utcoffset_of(as_datetime(self)->tzinfo, self);
    if (offset != NONE) return offset;
    if (!utc_of_naive(self, &utc) || !local(utc, &shown)) return VALUE_ERROR;
    return delta_new(0, shown - utc, 0);
}

static Value local_zone_at(ValueRef utc)
{
    int64_t seconds;
    if (!count(day_of_date(utc), &as_datetime(utc)->daytime, &seconds)) return VALUE_ERROR;
    return local_zone(seconds);
}

Value datetime_astimezone(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"tz", NULL};
    static const Signature signature = {"astimezone", names, 0, 1};
    ValueRef tzinfo;
    if (!args_bind(&signature, args, nargs, kwnames, &tzinfo)) return VALUE_ERROR;
    if (!tzinfo) tzinfo = NONE;
    if (!check_tzinfo(tzinfo)) return VALUE_ERROR;
    if (tzinfo != NONE && tzinfo == as_datetime(self)->tzinfo) return retain(self);
    Value offset = offset_or_local(self), aware = VALUE_ERROR;
    Value utc = offset ? datetime_shifted(self, offset, -1) : VALUE_ERROR;
    Value zone = !utc ? VALUE_ERROR : tzinfo == NONE ? local_zone_at(utc) : retain(tzinfo);
    if (zone)
        aware = datetime_make(type_of(utc), day_of_date(utc), as_datetime(utc)->daytime, zone);
    Value made = aware ? from_utc(zone, aware) : VALUE_ERROR;
    drop(zone);
    drop(utc);
    drop(offset);
    return made;
}

// ---- arithmetic

// self + sign * delta
Value datetime_moved(ValueRef self, ValueRef delta, int sign)
{
    const DayTime *daytime = &as_datetime(self)->daytime;
    const Delta *by = as_delta(delta);
    int64_t microseconds = daytime->microsecond + sign * by->microseconds;
    int64_t seconds = (daytime->hour * 60 + daytime->minute) * 60 + daytime->second;
    seconds += sign * by->seconds + microseconds / 1000000 - (microseconds % 1000000 < 0);
    microseconds = (microseconds + 1000000) % 1000000;
    int64_t days = (seconds + 2 * DAY_SECONDS) / DAY_SECONDS - 2;
    int rest = (int)(seconds - days * DAY_SECONDS);
    int64_t ordinal = ordinal_of_day(day_of_date(self)) + sign * (int64_t)by->days + days;
    if (ordinal < 1 || ordinal > MAX_ORDINAL)
        return raise_error(OverflowError, "date value out of range");
    DayTime moved = {(uint8_t)(rest / 3600), (uint8_t)(rest / 60 % 60), (uint8_t)(rest % 60), 0,
                     (int)microseconds};
    return datetime_of_class(ref_of(type_of(self)), day_of_ordinal((int)ordinal), moved,
                             as_datetime(self)->tzinfo);
}

Value datetime_shifted(ValueRef self, ValueRef delta, int sign)
{
    Value moved = datetime_moved(self, delta, sign);
    if (!moved || datetime_check(moved)) return moved;
    raise_error(TypeError, "%N() returned %.200T, not a datetime", type_of(self), (ValueRef)moved);
    drop(moved);
    return VALUE_ERROR;
}

// What clocks show, one less the other.
static Value shown_difference(ValueRef left, ValueRef right)
{
    const DayTime *a = &as_datetime(left)->daytime, *b = &as_datetime(right)->daytime;
    int days = ordinal_of_day(day_of_date(left)) - ordinal_of_day(day_of_date(right));
    int seconds = ((a->hour - b->hour) * 60 + a->minute - b->minute) * 60 + a->second - b->second;
    return delta_new(days, seconds, a->microsecond - b->microsecond);
}

static Value difference_in_zones(ValueRef left, ValueRef right, ValueRef mine, ValueRef its)
{
    if ((mine == NONE) != (its == NONE))
        return raise_error(TypeError, "can't subtract offset-naive and offset-aware datetimes");
    Value shown = shown_difference(left, right);
    if (!shown || mine == NONE || mine == its || delta_compare(mine, its) == 0) return shown;
    Value offset = delta_subtract(mine, its);
    Value span = offset ? delta_subtract(shown, offset) : VALUE_ERROR;
    drop(offset);
    drop(shown);
    return span;
}

Value datetime_difference(ValueRef left, ValueRef right)
{
    if (as_datetime(left)->tzinfo == as_datetime(right)->tzinfo)
        return shown_difference(left, right);
    Value mine = utcoffset_of(as_datetime(left)->tzinfo, left), span = VALUE_ERROR;
    Value its = mine ? utcoffset_of(as_datetime(right)->tzinfo, right) : VALUE_ERROR;
    if (its) span = difference_in_zones(left, right, mine, its);
    drop(its);
    drop(mine);
    return span;
}
