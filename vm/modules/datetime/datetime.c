// The type datetime: a date with a time, in a time zone perhaps.
//
// A time that clocks show twice (or never) is told apart by `fold`. Two such times of different
// zones are never equal (PEP 495).
#include "vm/modules/datetime/datetime.h"
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/import/import.h"

// ---- making

Value datetime_make(Type *type, Day day, DayTime daytime, ValueRef tzinfo)
{
    DateTime *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    made->date.year = (int16_t)day.year;
    made->date.month = (uint8_t)day.month;
    made->date.day = (uint8_t)day.day;
    made->daytime = daytime;
    made->tzinfo = retain(tzinfo);
    if (type == &datetime_type && (tzinfo == NONE || is_exactly(tzinfo, &timezone_type)))
        gc_untrack(object_of(ref_of(made))); // no part of a cycle
    return own(made);
}

// As in CPython a subclass gets no fold, which its __new__ need not know.
Value datetime_of_class(ValueRef class, Day day, DayTime daytime, ValueRef tzinfo)
{
    if (class == ref_of(&datetime_type))
        return check_day(day) ? datetime_make(&datetime_type, day, daytime, tzinfo) : VALUE_ERROR;
    ValueRef args[] = {from_small(day.year),
                       from_small(day.month),
                       from_small(day.day),
                       from_small(daytime.hour),
                       from_small(daytime.minute),
                       from_small(daytime.second),
                       from_small(daytime.microsecond),
                       tzinfo};
    return object_call(class, args, 8, VALUE_ERROR);
}

static Value unpickled(Type *type, Value state, ValueRef tzinfo)
{
    uint8_t bytes[10];
    memcpy(bytes, as_bytes(state)->data, sizeof bytes);
    drop(state);
    if (!check_pickled_tzinfo(tzinfo)) return VALUE_ERROR;
    Day day = {bytes[0] << 8 | bytes[1], bytes[2] & 127, bytes[3]};
    DayTime daytime = daytime_of_bytes(bytes + 4);
    daytime.fold = bytes[2] >> 7;
    return datetime_make(type, day, daytime, tzinfo);
}

static const char *const names[] = {"year",   "month",       "day",    "hour", "minute",
                                    "second", "microsecond", "tzinfo", "fold", NULL};
enum { TZINFO = 7, FOLD = 8, ARGUMENT_COUNT };

static bool read_fields(const ValueRef given[ARGUMENT_COUNT], Day *day, int fields[5])
{
    int *const targets[] = {&day->year, &day->month, &day->day, fields,    fields + 1,
                            fields + 2, fields + 3,  NULL,      fields + 4};
    for (int i = 0; i < ARGUMENT_COUNT; i++)
        if (given[i] && targets[i] && !field_argument(given[i], targets[i])) return false;
    return check_day(*day) && check_daytime(fields) && check_tzinfo(given[TZINFO]);
}

static Value datetime_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const PickledKind kind = {"datetime", 10, 2, 1, 12, true};
    static const Signature signature = {"", names, 3, 8};
    ValueRef given[ARGUMENT_COUNT];
    Day day;
    int fields[5] = {0};
    bool maybe = nargs >= 1 && nargs <= 2 && !kwnames;
    Value state = maybe ? pickled_state(args[0], &kind) : ABSENT;
    if (!state) return VALUE_ERROR;
    if (state != ABSENT) return unpickled(type, state, nargs == 2 ? args[1] : (ValueRef)NONE);
    if (!check_few(args, nargs, kwnames) || !args_bind(&signature, args, nargs, kwnames, given))
        return VALUE_ERROR;
    if (!given[TZINFO]) given[TZINFO] = NONE;
    if (!read_fields(given, &day, fields)) return VALUE_ERROR;
    return datetime_make(type, day, daytime_of(fields), given[TZINFO]);
}

static Value datetime_replace(ValueRef self, METHOD_ARGS)
{
    static const Signature signature = {"replace", names, 0, 8};
    const DateTime *old = as_datetime(self);
    int fields[5] = {old->daytime.hour, old->daytime.minute, old->daytime.second,
                     old->daytime.microsecond, old->daytime.fold};
    ValueRef given[ARGUMENT_COUNT];
    Day day = day_of_date(self);
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (!given[TZINFO]) given[TZINFO] = old->tzinfo;
    if (!read_fields(given, &day, fields)) return VALUE_ERROR;
    return datetime_make(type_of(self), day, daytime_of(fields), given[TZINFO]);
}

// ---- from other things

static Value raise_not(const ValueRef *given, int index, const char *type)
{
    return raise_error(TypeError, "combine() argument %d must be datetime.%s, not %.50G", index + 1,
                       type, given[index]);
}

static Value datetime_combine(ValueRef class, METHOD_ARGS)
{
    static const char *const combined[] = {"date", "time", "tzinfo", NULL};
    static const Signature signature = {"combine", combined, 2, 3};
    ValueRef given[3];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (!date_check(given[0])) return raise_not(given, 0, "date");
    if (!time_check(given[1])) return raise_not(given, 1, "time");
    const Time *time = as_time(given[1]);
    ValueRef tzinfo = given[2] ? given[2] : (ValueRef)time->tzinfo;
    if (class == ref_of(&datetime_type) && !check_tzinfo(tzinfo)) return VALUE_ERROR;
    return datetime_of_class(class, day_of_date(given[0]), time->daytime, tzinfo);
}

static Value datetime_fromisoformat(ValueRef class, METHOD_ARGS)
{
    Day day;
    IsoTime read = {0};
    if (!str_check(args[0])) return raise_error(TypeError, "fromisoformat: argument must be str");
    IsoText text = {as_str(args[0]), 0};
    if (!parse_day(&text, &day)) return raise_bad_iso(args[0]);
    if (text.at < text.str->length) {
        text.at++; // any character separates
        if (!parse_time(&text, &read)) return raise_bad_iso(args[0]);
    }
    Value zone = zone_of_iso(&read), made = VALUE_ERROR;
    if (zone && (class != ref_of(&datetime_type) || check_daytime(read.fields)))
        made = datetime_of_class(class, day, daytime_of(read.fields), zone);
    drop(zone);
    return made;
}

static Value datetime_strptime(ValueRef class, METHOD_ARGS)
{
    for (int i = 0; i < 2; i++)
        if (!str_check(args[i]))
            return raise_error(TypeError, "strptime() argument %d must be str, not %.50G", i + 1,
                               args[i]);
    Value module = import_module("_strptime");
    Value name = module ? str_intern("_strptime_datetime") : VALUE_ERROR, made = VALUE_ERROR;
    ValueRef all[] = {module, class, args[0], args[1]};
    if (name) made = object_call_method(name, all, 4, VALUE_ERROR);
    drop(name);
    drop(module);
    return made;
}

// ---- parts

static Value datetime_date(ValueRef self, METHOD_ARGS)
{
    return date_make(&date_type, day_of_date(self));
}

static Value datetime_time(ValueRef self, METHOD_ARGS)
{
    return time_make(&time_type, as_datetime(self)->daytime, NONE);
}

static Value datetime_timetz(ValueRef self, METHOD_ARGS)
{
    return time_make(&time_type, as_datetime(self)->daytime, as_datetime(self)->tzinfo);
}

static Value utcoffset(ValueRef self)
{
    return utcoffset_of(as_datetime(self)->tzinfo, self);
}

static Value datetime_utcoffset(ValueRef self, METHOD_ARGS)
{
    return utcoffset(self);
}

static Value datetime_tzname(ValueRef self, METHOD_ARGS)
{
    return tzname_of(as_datetime(self)->tzinfo, self);
}

static Value datetime_dst(ValueRef self, METHOD_ARGS)
{
    return dst_of(as_datetime(self)->tzinfo, self);
}

static Value datetime_timetuple(ValueRef self, METHOD_ARGS)
{
    Value summer = dst_of(as_datetime(self)->tzinfo, self);
    if (!summer) return VALUE_ERROR;
    int flag = -1;
    if (summer != NONE) { // not its truth, which a subclass may define
        const Delta *delta = as_delta(summer);
        flag = delta->days || delta->seconds || delta->microseconds;
    }
    drop(summer);
    return struct_time_of(day_of_date(self), &as_datetime(self)->daytime, flag);
}

static Value datetime_utctimetuple(ValueRef self, METHOD_ARGS)
{
    Value offset = utcoffset(self);
    if (!offset) return VALUE_ERROR;
    Value utc = offset == NONE ? retain(self) : datetime_shifted(self, offset, -1);
    drop(offset);
    if (!utc) return VALUE_ERROR;
    Value made = struct_time_of(day_of_date(utc), &as_datetime(utc)->daytime, 0);
    drop(utc);
    return made;
}

// ---- arithmetic

static Value datetime_add(ValueRef left, ValueRef right)
{
    if (datetime_check(left) && delta_check(right)) return datetime_moved(left, right, 1);
    if (datetime_check(right) && delta_check(left)) return datetime_moved(right, left, 1);
    return NOT_IMPLEMENTED;
}

static Value datetime_subtract(ValueRef left, ValueRef right)
{
    if (!datetime_check(left)) return NOT_IMPLEMENTED;
    if (delta_check(right)) return datetime_moved(left, right, -1);
    return datetime_check(right) ? datetime_difference(left, right) : NOT_IMPLEMENTED;
}

// ---- comparison

// What the clock shows: a later time has a larger one.
static int64_t rank_of_time(const DayTime *daytime)
{
    int minutes = daytime->hour * 60 + daytime->minute;
    return (int64_t)(minutes * 60 + daytime->second) * 1000000 + daytime->microsecond;
}

// Which comes first, by what clocks show.
static int compare_shown(ValueRef left, ValueRef right)
{
    int days = rank_of_day(day_of_date(left)) - rank_of_day(day_of_date(right));
    if (days) return days;
    int64_t a = rank_of_time(&as_datetime(left)->daytime);
    int64_t b = rank_of_time(&as_datetime(right)->daytime);
    return (a > b) - (a < b);
}

static bool same_offset(ValueRef a, ValueRef b)
{
    return a == b || (a != NONE && b != NONE && delta_compare(a, b) == 0);
}

// Does the zone say something else of the other fold?
static bool depends_on_fold(ValueRef self, ValueRef offset, bool *depends)
{
    DayTime other = as_datetime(self)->daytime;
    other.fold = !other.fold;
    Value flipped =
        datetime_make(&datetime_type, day_of_date(self), other, as_datetime(self)->tzinfo);
    Value its = flipped ? utcoffset(flipped) : VALUE_ERROR;
    *depends = its && !same_offset(its, offset);
    drop(its);
    drop(flipped);
    return its;
}

static bool compare_moments(ValueRef left, ValueRef right, ValueRef mine, ValueRef its, int *order)
{
    if (same_offset(mine, its)) {
        *order = compare_shown(left, right);
        return true;
    }
    Value span = datetime_difference(left, right);
    if (!span) return false;
    const Delta *delta = as_delta(span);
    *order = delta->days ? delta->days : delta->seconds | delta->microseconds;
    drop(span);
    return true;
}

static Value compare_in_zones(ValueRef left, ValueRef right, ValueRef mine, ValueRef its,
                              CompareOp op)
{
    bool equality = op == COMPARE_EQ || op == COMPARE_NE, first, second = false;
    int order;
    if ((mine == NONE) != (its == NONE)) {
        if (equality) return from_bool(op == COMPARE_NE);
        return raise_error(TypeError, "can't compare offset-naive and offset-aware datetimes");
    }
    if (!compare_moments(left, right, mine, its, &order)) return VALUE_ERROR;
    if (equality && order == 0) {
        if (!depends_on_fold(left, mine, &first)) return VALUE_ERROR;
        if (!first && !depends_on_fold(right, its, &second)) return VALUE_ERROR;
        order = first || second;
    }
    return order_result(order, op);
}

static Value datetime_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!date_check(right)) return NOT_IMPLEMENTED;
    if (!datetime_check(right)) {
        if (op == COMPARE_EQ || op == COMPARE_NE) return from_bool(op == COMPARE_NE);
        return raise_error(TypeError, "can't compare %T to %T", left, right);
    }
    if (as_datetime(left)->tzinfo == as_datetime(right)->tzinfo)
        return order_result(compare_shown(left, right), op);
    Value mine = utcoffset(left), its = mine ? utcoffset(right) : VALUE_ERROR;
    Value result = its ? compare_in_zones(left, right, mine, its, op) : VALUE_ERROR;
    drop(its);
    drop(mine);
    return result;
}

static void state_of(ValueRef self, uint8_t bytes[10])
{
    const Date *date = as_date(self);
    bytes[0] = (uint8_t)(date->year >> 8);
    bytes[1] = (uint8_t)date->year;
    bytes[2] = date->month;
    bytes[3] = date->day;
    daytime_bytes(&as_datetime(self)->daytime, bytes + 4);
}

static Value offset_without_fold(ValueRef self)
{
    if (!as_datetime(self)->daytime.fold) return utcoffset(self);
    DayTime daytime = as_datetime(self)->daytime;
    daytime.fold = 0;
    Value first =
        datetime_make(type_of(self), day_of_date(self), daytime, as_datetime(self)->tzinfo);
    Value offset = first ? utcoffset(first) : VALUE_ERROR;
    drop(first);
    return offset;
}

// Equal times have equal hashes, wherever they are.
static bool datetime_hash(ValueRef self, int64_t *hash)
{
    uint8_t bytes[10];
    Value offset = offset_without_fold(self);
    if (!offset) return false;
    if (offset == NONE) {
        state_of(self, bytes);
        *hash = hash_bytes(bytes, sizeof bytes);
        return true;
    }
    const DayTime *daytime = &as_datetime(self)->daytime;
    Value shown = delta_new(ordinal_of_day(day_of_date(self)),
                            (daytime->hour * 60 + daytime->minute) * 60 + daytime->second,
                            daytime->microsecond);
    Value utc = shown ? delta_subtract(shown, offset) : VALUE_ERROR;
    bool done = utc && object_hash(utc, hash);
    drop(utc);
    drop(shown);
    drop(offset);
    return done;
}

// ---- text

static bool add_fields(StrBuilder *text, ValueRef self)
{
    const Date *date = as_date(self);
    const DayTime *daytime = &as_datetime(self)->daytime;
    const int fields[] = {date->year, date->month, date->day, daytime->hour, daytime->minute};
    for (int i = 0; i < 5; i++)
        if (!builder_text(text, i ? ", " : "") || !builder_int(text, fields[i])) return false;
    return add_repr_end(text, daytime);
}

static Value datetime_repr(ValueRef self)
{
    const DateTime *moment = as_datetime(self);
    StrBuilder text;
    builder_begin(&text);
    bool done = builder_text(&text, type_of(self)->name) && builder_char(&text, '(') &&
                add_fields(&text, self) &&
                builder_text(&text, moment->daytime.fold ? ", fold=1" : "");
    Value zone = NONE;
    if (done && moment->tzinfo != NONE) zone = format_text(", tzinfo=%R", (ValueRef)moment->tzinfo);
    done = done && zone && (zone == NONE || builder_str(&text, zone)) && builder_char(&text, ')');
    drop(zone);
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

static Value isoformat(ValueRef self, uint32_t separator, ValueRef timespec)
{
    StrBuilder text;
    builder_begin(&text);
    bool done = add_day(&text, day_of_date(self)) && builder_char(&text, separator) &&
                add_daytime(&text, &as_datetime(self)->daytime, timespec);
    Value offset = done ? utcoffset(self) : VALUE_ERROR;
    done = offset && add_offset(&text, offset, ":");
    drop(offset);
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

static Value datetime_isoformat(ValueRef self, METHOD_ARGS)
{
    static const char *const asked[] = {"sep", "timespec", NULL};
    static const Signature signature = {"isoformat", asked, 0, 2};
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (given[0] && (!str_check(given[0]) || str_length(given[0]) != 1))
        return raise_error(
            TypeError, "isoformat() argument 1 must be a unicode character, not %.50G", given[0]);
    if (given[1] && !str_check(given[1]))
        return raise_error(TypeError, "isoformat() argument 2 must be str, not %.50G", given[1]);
    return isoformat(self, given[0] ? str_at(as_str(given[0]), 0) : 'T', given[1]);
}

static Value datetime_str(ValueRef self)
{
    Value name = str_intern("isoformat"), blank = name ? str_intern(" ") : VALUE_ERROR;
    Value text = blank ? object_call_method_one(self, name, blank) : VALUE_ERROR;
    drop(blank);
    drop(name);
    return text;
}

static Value datetime_ctime(ValueRef self, METHOD_ARGS)
{
    return ctime_text(day_of_date(self), &as_datetime(self)->daytime);
}

// ---- pickling

static Value reduce(ValueRef self, bool with_fold)
{
    uint8_t bytes[10];
    state_of(self, bytes);
    if (with_fold && as_datetime(self)->daytime.fold) bytes[2] |= 128;
    return reduced_to(self, bytes, sizeof bytes, as_datetime(self)->tzinfo);
}

static Value datetime_reduce(ValueRef self, METHOD_ARGS)
{
    return reduce(self, false);
}

static Value datetime_reduce_ex(ValueRef self, METHOD_ARGS)
{
    int protocol;
    return field_argument(args[0], &protocol) ? reduce(self, protocol > 3) : VALUE_ERROR;
}

// ---- the type

static const MethodDef methods[] = {
    {"now", datetime_now, METHOD_KEYWORDS, METHOD_CLASS, 0, -1,
     "now($type, /, tz=None)\n--\n\nThe local time, or that in the time zone."},
    {"utcnow", datetime_utcnow, METHOD_NONE, METHOD_CLASS, 0, 0,
     "Return a new datetime representing UTC day and time."},
    {"fromtimestamp", datetime_fromtimestamp, METHOD_KEYWORDS, METHOD_CLASS, 0, -1,
     "timestamp[, tz] -> tz's local time from POSIX timestamp."},
    {"utcfromtimestamp", datetime_utcfromtimestamp, METHOD_PARSED, METHOD_CLASS, 1, 1,
     "Construct a naive UTC datetime from a POSIX timestamp."},
    {"strptime", datetime_strptime, METHOD_PARSED, METHOD_CLASS, 2, 2,
     "string, format -> new datetime parsed from a string (like time.strptime())."},
    {"combine", datetime_combine, METHOD_KEYWORDS, METHOD_CLASS, 0, -1,
     "date, time -> datetime with same date and time fields"},
    {"fromisoformat", datetime_fromisoformat, METHOD_ONE, METHOD_CLASS, 1, 1,
     "string -> datetime from datetime.isoformat() output"},
    {"date", datetime_date, NO_ARGS, "Return date object with same year, month and day."},
    {"time", datetime_time, NO_ARGS, "Return time object with same time but with tzinfo=None."},
    {"timetz", datetime_timetz, NO_ARGS, "Return time object with same time and tzinfo."},
    {"ctime", datetime_ctime, NO_ARGS, "Return ctime() style string."},
    {"timetuple", datetime_timetuple, NO_ARGS,
     "Return time tuple, compatible with time.localtime()."},
    {"timestamp", datetime_timestamp, NO_ARGS, "Return POSIX timestamp as float."},
    {"utctimetuple", datetime_utctimetuple, NO_ARGS,
     "Return UTC time tuple, compatible with time.localtime()."},
    {"isoformat", datetime_isoformat, KEYWORD_ARGS,
     "[sep] -> string in ISO 8601 format, YYYY-MM-DDT[HH[:MM[:SS[.mmm[uuu]]]]][+HH:MM]."},
    {"utcoffset", datetime_utcoffset, NO_ARGS, "Return self.tzinfo.utcoffset(self)."},
    {"tzname", datetime_tzname, NO_ARGS, "Return self.tzinfo.tzname(self)."},
    {"dst", datetime_dst, NO_ARGS, "Return self.tzinfo.dst(self)."},
    {"replace", datetime_replace, KEYWORD_ARGS, "Return datetime with new specified fields."},
    {"astimezone", datetime_astimezone, KEYWORD_ARGS,
     "tz -> convert to local time in new timezone tz"},
    {"__reduce_ex__", datetime_reduce_ex, PARSED_ARGS(1, 1),
     "__reduce_ex__(proto) -> (cls, state)"},
    {"__reduce__", datetime_reduce, NO_ARGS, "__reduce__() -> (cls, state)"},
    {0},
};

Type datetime_type = {
    STATIC_TYPE("datetime.datetime", sizeof(DateTime)),
    .base_type = &date_type,
    .flags = TYPE_BASE | TYPE_GC,
    .doc = "datetime(year, month, day[, hour[, minute[, second[, microsecond[,tzinfo]]]]])",
    .methods = methods,
    .getset = daytime_getset,
    .new_ = datetime_new,
    .release = daytime_release,
    .traverse = daytime_traverse,
    .clear = daytime_clear,
    .repr = datetime_repr,
    .str = datetime_str,
    .hash = datetime_hash,
    .compare = datetime_compare,
    .add = datetime_add,
    .subtract = datetime_subtract,
};
