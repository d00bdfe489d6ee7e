// The module datetime: dates, times, what is between two of them, and time zones.
//
//     timedelta(days=1, hours=2)        a span, exact to the microsecond       timedelta.c
//     date(2020, 2, 29)                 a day, of the years 1 to 9999          date.c
//     time(12, 30)                      a time of any day                      time.c
//     datetime(2020, 2, 29, 12, 30)     a date, which has a time too           datetime.c and
//                                                                              moments.c
//     tzinfo, timezone(timedelta(0))    how far a place is from UTC, and when  tzinfo.c
//
// None of them ever changes. A day has an ordinal: 1 is the first of January of the year 1, a
// Monday (calendar.c). iso_text.c writes and reads what isoformat() gives.
#pragma once

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/text/str.h"
#include "objects/type.h"

typedef struct Delta {
    Object base;
    int days;                  // -999999999 .. 999999999
    int seconds, microseconds; // never negative, and less than a day or a second
} Delta;

typedef struct Date {
    Object base;
    int16_t year;
    uint8_t month, day;
} Date;

// A time of day, as time and datetime have it.
typedef struct DayTime {
    uint8_t hour, minute, second;
    uint8_t fold; // 1 = the second of two times that clocks show the same
    int microsecond;
} DayTime;

typedef struct Time {
    Object base;
    DayTime daytime;
    Value tzinfo; // or NONE
} Time;

typedef struct DateTime {
    Date date;
    DayTime daytime;
    Value tzinfo; // or NONE
} DateTime;

extern Type timedelta_type, date_type, time_type, datetime_type, tzinfo_type, timezone_type;
extern struct StructType iso_calendar_type;

static inline bool delta_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(type_of(value), &timedelta_type);
}
static inline const Delta *as_delta(ValueRef value)
{
    return (const Delta *)object_of(value);
}
static inline bool date_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(type_of(value), &date_type);
}
static inline Date *as_date(ValueRef value)
{
    return (Date *)object_of(value);
}
static inline bool time_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(type_of(value), &time_type);
}
static inline const Time *as_time(ValueRef value)
{
    return (const Time *)object_of(value);
}
static inline bool datetime_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(type_of(value), &datetime_type);
}
static inline DateTime *as_datetime(ValueRef value)
{
    return (DateTime *)object_of(value);
}
static inline bool tzinfo_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(type_of(value), &tzinfo_type);
}

// ---- calendar.c

#define MINYEAR 1
#define MAXYEAR 9999
#define MAX_ORDINAL 3652059
#define EPOCH_ORDINAL 719163 // of the first of January 1970
#define DAY_SECONDS 86400

typedef struct Day {
    int year, month, day;
} Day;

bool is_leap_year(int year);
int day_of_year(Day day);
int ordinal_of_day(Day day);
Day day_of_ordinal(int ordinal);
int weekday_of(Day day); // 0 = Monday
int first_iso_monday(int year);
static inline Day day_of_date(ValueRef date)
{
    return (Day){as_date(date)->year, as_date(date)->month, as_date(date)->day};
}
// A later day has a larger one. To be compared; ordinal_of_day() counts days, and takes longer.
static inline int rank_of_day(Day day)
{
    return day.year << 9 | day.month << 5 | day.day;
}
// An argument as a C int, in CPython's words for what is none.
bool field_argument(ValueRef value, int *number);
bool check_few(const ValueRef *args, size_t nargs, ValueRef kwnames); // of less than three
bool check_day(Day day);
bool check_daytime(const int fields[5]); // hour, minute, second, microsecond, fold
static inline DayTime daytime_of(const int fields[5])
{
    return (DayTime){(uint8_t)fields[0], (uint8_t)fields[1], (uint8_t)fields[2], (uint8_t)fields[4],
                     fields[3]};
}
bool check_tzinfo(ValueRef tzinfo);

// ---- making: of exactly these fields; a subclass's own __new__ is not asked

Value delta_make(Type *type, int64_t days, int64_t seconds, int64_t microseconds);
Value delta_new(int64_t days, int64_t seconds, int64_t microseconds);
int delta_compare(ValueRef left, ValueRef right); // < 0, 0, > 0
Value delta_negative(ValueRef delta);
Value delta_subtract(ValueRef left, ValueRef right);
Value delta_seconds(ValueRef delta); // total_seconds()
Value date_make(Type *type, Day day);
Value time_make(Type *type, DayTime daytime, ValueRef tzinfo);
Value datetime_make(Type *type, Day day, DayTime daytime, ValueRef tzinfo);
// By calling the class, where it is a subclass.
Value date_of_class(ValueRef class, Day day);
Value datetime_of_class(ValueRef class, Day day, DayTime daytime, ValueRef tzinfo);
// What a pickle holds: bytes of this size, of which the one at `index` is checked, but for its
// highest bit if that is fold. A str of Python 2 becomes bytes. ABSENT = it is no such state.
typedef struct PickledKind {
    const char *what;
    ssize_t size, index;
    int low, high;
    bool has_fold;
} PickledKind;
Value pickled_state(ValueRef value, const PickledKind *kind);
bool check_pickled_tzinfo(ValueRef tzinfo);
void daytime_bytes(const DayTime *daytime, uint8_t bytes[6]); // without fold
DayTime daytime_of_bytes(const uint8_t bytes[6]);
// (class, (bytes,)) or (class, (bytes, tzinfo))
Value reduced_to(ValueRef self, const uint8_t *bytes, size_t size, ValueRef tzinfo);

// ---- time.c: what time and datetime share in their types

extern const GetSetDef daytime_getset[]; // hour ... fold, tzinfo
void daytime_release(Object *self);
void daytime_traverse(Object *self, VisitFn visit, void *arg);
void daytime_clear(Object *self);

// ---- tzinfo.c: what a tzinfo says, checked. `when` is a datetime or NONE; None for no tzinfo.

Value utcoffset_of(ValueRef tzinfo, ValueRef when);
Value dst_of(ValueRef tzinfo, ValueRef when);
Value tzname_of(ValueRef tzinfo, ValueRef when);
Value timezone_make(ValueRef offset, ValueRef name); // name VALUE_ERROR = none
Value timezone_utc(void);
void timezone_finish(void); // at the end of the machine

// ---- moments.c: datetimes of timestamps, in other time zones, and their differences

Value datetime_fromtimestamp(ValueRef class, METHOD_ARGS);
Value datetime_utcfromtimestamp(ValueRef class, METHOD_ARGS);
Value datetime_now(ValueRef class, METHOD_ARGS);
Value datetime_utcnow(ValueRef class, METHOD_ARGS);
Value datetime_timestamp(ValueRef self, METHOD_ARGS);
Value datetime_astimezone(ValueRef self, METHOD_ARGS);
Value datetime_moved(ValueRef self, ValueRef delta, int sign);
// The same, where what the class makes must be a datetime to go on.
Value datetime_shifted(ValueRef self, ValueRef delta, int sign);
Value datetime_difference(ValueRef left, ValueRef right);
bool local_day_of(ValueRef timestamp, Day *day);

// ---- iso_text.c

bool add_daytime(StrBuilder *text, const DayTime *daytime, ValueRef timespec);
bool add_offset(StrBuilder *text, ValueRef offset, const char *colon);
bool add_number(StrBuilder *text, int number, int width);
bool add_day(StrBuilder *text, Day day);                         // YYYY-MM-DD
bool add_repr_end(StrBuilder *text, const DayTime *daytime);     // seconds, microseconds, if any
Value ctime_text(Day day, const DayTime *daytime);               // Sat Feb 29 12:30:00 2020
Value struct_time_of(Day day, const DayTime *daytime, int flag); // a time.struct_time
// The parts of a text as isoformat() writes it. False: it is none, and nothing is pending.
typedef struct IsoText {
    const Str *str;
    ssize_t at;
} IsoText;
bool parse_day(IsoText *text, Day *day);
typedef struct IsoTime {
    int fields[5];
    bool has_offset;
    int64_t offset; // in microseconds
} IsoTime;
bool parse_time(IsoText *text, IsoTime *time); // to the end
Value zone_of_iso(const IsoTime *time);        // None, or a timezone
Value raise_bad_iso(ValueRef text);
// time.strftime() with %f, %z and %Z. `daytime` NULL = there is none; `when` is a datetime or NONE.
Value strftime_with(ValueRef format, ValueRef timetuple, const DayTime *daytime, ValueRef tzinfo,
                    ValueRef when);
Value format_argument(const ValueRef *args, size_t nargs, ValueRef kwnames); // of strftime()
Value time_module_call(const char *name, ValueRef argument);
Value format_by_strftime(ValueRef self, METHOD_ARGS); // __format__
