// The type date, the answer of its isocalendar(), and the reading of pickles.
#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/classes/struct_sequence.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/modules/datetime/datetime.h"

// ---- making

Value date_make(Type *type, Day day)
{
    Date *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    made->year = (int16_t)day.year;
    made->month = (uint8_t)day.month;
    made->day = (uint8_t)day.day;
    return own(made);
}

Value date_of_class(ValueRef class, Day day)
{
    ValueRef args[] = {from_small(day.year), from_small(day.month), from_small(day.day)};
    if (class == ref_of(&date_type))
        return check_day(day) ? date_make(&date_type, day) : VALUE_ERROR;
    return object_call(class, args, 3, VALUE_ERROR);
}

static int byte_of(ValueRef state, ssize_t index)
{
    if (str_check(state)) return (int)str_at(as_str(state), index);
    return (unsigned char)as_bytes(state)->data[index];
}

static Value as_latin1(ValueRef text, const char *what)
{
    Value bytes = text_encode(text, "latin-1", "strict");
    if (bytes || !error_is(UnicodeEncodeError)) return bytes;
    error_clear();
    return raise_error(ValueError,
                       "Failed to encode latin1 string when unpickling a %s object. "
                       "pickle.load(data, encoding='latin1') is assumed.",
                       what);
}

Value pickled_state(ValueRef value, const PickledKind *kind)
{
    bool is_str = value && str_check(value);
    if (!is_str && !(value && bytes_check(value))) return ABSENT;
    if ((is_str ? str_length(value) : as_bytes(value)->size) != kind->size) return ABSENT;
    int byte = byte_of(value, kind->index);
    if (kind->has_fold && byte < 256) byte &= 127;
    if (byte < kind->low || byte > kind->high) return ABSENT;
    return is_str ? as_latin1(value, kind->what) : retain(value);
}

static Value date_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const PickledKind kind = {"date", 4, 2, 1, 12, false};
    static const char *const names[] = {"year", "month", "day", NULL};
    static const Signature signature = {"", names, 3, 3};
    ValueRef given[3];
    Day day;
    Value state = nargs == 1 && !kwnames ? pickled_state(args[0], &kind) : ABSENT;
    if (!state) return VALUE_ERROR;
    if (state != ABSENT) {
        const unsigned char *bytes = (const unsigned char *)as_bytes(state)->data;
        day = (Day){bytes[0] << 8 | bytes[1], bytes[2], bytes[3]};
        drop(state);
        return date_make(type, day);
    }
    if (!check_few(args, nargs, kwnames) || !args_bind(&signature, args, nargs, kwnames, given) ||
        !field_argument(given[0], &day.year) || !field_argument(given[1], &day.month) ||
        !field_argument(given[2], &day.day) || !check_day(day))
        return VALUE_ERROR;
    return date_make(type, day);
}

// ---- from other things

static Value date_fromtimestamp(ValueRef class, METHOD_ARGS)
{
    Day day;
    return local_day_of(args[0], &day) ? date_of_class(class, day) : VALUE_ERROR;
}

static Value date_today(ValueRef class, METHOD_ARGS)
{
    Value module_time = time_module_call("time", VALUE_ERROR);
    Value name = module_time ? str_intern("fromtimestamp") : VALUE_ERROR;
    Value made = name ? object_call_method_one(class, name, module_time) : VALUE_ERROR;
    drop(name);
    drop(module_time);
    return made;
}

static Value date_fromordinal(ValueRef class, METHOD_ARGS)
{
    int ordinal;
    if (!field_argument(args[0], &ordinal)) return VALUE_ERROR;
    if (ordinal < 1) return raise_error(ValueError, "ordinal must be >= 1");
    if (ordinal > MAX_ORDINAL + 366)
        return raise_error(ValueError, "year %d is out of range",
                           (int)((ordinal - 1ll) * 400 / 146097 + 1));
    return date_of_class(class, day_of_ordinal(ordinal));
}

static Value date_fromisoformat(ValueRef class, METHOD_ARGS)
{
    Day day;
    if (!str_check(args[0])) return raise_error(TypeError, "fromisoformat: argument must be str");
    IsoText text = {as_str(args[0]), 0};
    if (!parse_day(&text, &day) || text.at != text.str->length) return raise_bad_iso(args[0]);
    return date_of_class(class, day);
}

static bool iso_argument(ValueRef value, int *number)
{
    if (field_argument(value, number)) return true;
    if (!error_is(OverflowError)) return false;
    error_clear();
    return raise_error(ValueError, "ISO calendar component out of range");
}

static Value date_fromisocalendar(ValueRef class, METHOD_ARGS)
{
    static const char *const names[] = {"year", "week", "day", NULL};
    static const Signature signature = {"fromisocalendar", names, 3, 3};
    ValueRef given[3];
    int year, week, day;
    if (!args_bind(&signature, args, nargs, kwnames, given) || !iso_argument(given[0], &year) ||
        !iso_argument(given[1], &week) || !iso_argument(given[2], &day))
        return VALUE_ERROR;
    if (year < MINYEAR || year > MAXYEAR)
        return raise_error(ValueError, "Year is out of range: %d", year);
    int weeks = (first_iso_monday(year + 1) - first_iso_monday(year)) / 7;
    if (week < 1 || week > weeks) return raise_error(ValueError, "Invalid week: %d", week);
    if (day < 1 || day > 7)
        return raise_error(ValueError, "Invalid day: %d (range is [1, 7])", day);
    int ordinal = first_iso_monday(year) + (week - 1) * 7 + day - 1;
    if (ordinal < 1) return raise_error(ValueError, "year 0 is out of range");
    return date_of_class(class, day_of_ordinal(ordinal));
}

// ---- parts

static Value date_toordinal(ValueRef self, METHOD_ARGS)
{
    return from_small(ordinal_of_day(day_of_date(self)));
}

static Value date_weekday(ValueRef self, METHOD_ARGS)
{
    return from_small(weekday_of(day_of_date(self)));
}

static Value date_isoweekday(ValueRef self, METHOD_ARGS)
{
    return from_small(weekday_of(day_of_date(self)) + 1);
}

static Value iso_calendar_make(int year, int week, int weekday)
{
    Value items[] = {from_small(year), from_small(week), from_small(weekday)};
    return struct_sequence_from_owned(&iso_calendar_type, items);
}

static Value date_isocalendar(ValueRef self, METHOD_ARGS)
{
    Day day = day_of_date(self);
    int ordinal = ordinal_of_day(day), year = day.year;
    if (ordinal < first_iso_monday(year))
        year--;
    else if (ordinal >= first_iso_monday(year + 1))
        year++;
    int since = ordinal - first_iso_monday(year);
    return iso_calendar_make(year, since / 7 + 1, since % 7 + 1);
}

static Value date_timetuple(ValueRef self, METHOD_ARGS)
{
    return struct_time_of(day_of_date(self), &(DayTime){0}, -1);
}

static Value date_replace(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"year", "month", "day", NULL};
    static const Signature signature = {"replace", names, 0, 3};
    ValueRef given[3];
    Day day = day_of_date(self);
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        (given[0] && !field_argument(given[0], &day.year)) ||
        (given[1] && !field_argument(given[1], &day.month)) ||
        (given[2] && !field_argument(given[2], &day.day)) || !check_day(day))
        return VALUE_ERROR;
    return date_make(type_of(self), day);
}

// ---- arithmetic

static Value date_moved(ValueRef self, int64_t days)
{
    int64_t ordinal = ordinal_of_day(day_of_date(self)) + days;
    if (ordinal < 1 || ordinal > MAX_ORDINAL)
        return raise_error(OverflowError, "date value out of range");
    return date_of_class(ref_of(type_of(self)), day_of_ordinal((int)ordinal));
}

static Value date_add(ValueRef left, ValueRef right)
{
    if (datetime_check(left) || datetime_check(right)) return NOT_IMPLEMENTED;
    if (date_check(left) && delta_check(right)) return date_moved(left, as_delta(right)->days);
    if (date_check(right) && delta_check(left)) return date_moved(right, as_delta(left)->days);
    return NOT_IMPLEMENTED;
}

static Value date_subtract(ValueRef left, ValueRef right)
{
    if (datetime_check(left) || datetime_check(right) || !date_check(left)) return NOT_IMPLEMENTED;
    if (delta_check(right)) return date_moved(left, -(int64_t)as_delta(right)->days);
    if (!date_check(right)) return NOT_IMPLEMENTED;
    return delta_new(ordinal_of_day(day_of_date(left)) - ordinal_of_day(day_of_date(right)), 0, 0);
}

static Value date_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!date_check(right)) return NOT_IMPLEMENTED;
    return order_result(rank_of_day(day_of_date(left)) - rank_of_day(day_of_date(right)), op);
}

static void state_of(ValueRef self, uint8_t bytes[4])
{
    const Date *date = as_date(self);
    bytes[0] = (uint8_t)(date->year >> 8);
    bytes[1] = (uint8_t)date->year;
    bytes[2] = date->month;
    bytes[3] = date->day;
}

static bool date_hash(ValueRef self, int64_t *hash)
{
    uint8_t bytes[4];
    state_of(self, bytes);
    *hash = hash_bytes(bytes, sizeof bytes);
    return true;
}

static Value date_reduce(ValueRef self, METHOD_ARGS)
{
    uint8_t bytes[4];
    state_of(self, bytes);
    return reduced_to(self, bytes, sizeof bytes, NONE);
}

// ---- text

static Value date_repr(ValueRef self)
{
    const Date *date = as_date(self);
    return format_text("%N(%d, %d, %d)", type_of(self), date->year, date->month, date->day);
}

static Value date_isoformat(ValueRef self, METHOD_ARGS)
{
    StrBuilder text;
    builder_begin(&text);
    bool done = add_day(&text, day_of_date(self));
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

static Value date_str(ValueRef self)
{
    Value name = str_intern("isoformat");
    Value text = name ? object_call_method_none(self, name) : VALUE_ERROR;
    drop(name);
    return text;
}

static Value date_ctime(ValueRef self, METHOD_ARGS)
{
    return ctime_text(day_of_date(self), &(DayTime){0});
}

static Value date_strftime(ValueRef self, METHOD_ARGS)
{
    Value format = format_argument(args, nargs, kwnames);
    Value name = format ? str_intern("timetuple") : VALUE_ERROR, text = VALUE_ERROR;
    Value timetuple = name ? object_call_method_none(self, name) : VALUE_ERROR;
    bool timed = datetime_check(self);
    if (timetuple)
        text = strftime_with(format, timetuple, timed ? &as_datetime(self)->daytime : NULL,
                             timed ? (ValueRef)as_datetime(self)->tzinfo : (ValueRef)NONE, self);
    drop(timetuple);
    drop(name);
    drop(format);
    return text;
}

// ---- the types

static Value get_year(ValueRef self)
{
    return from_small(as_date(self)->year);
}

static Value get_month(ValueRef self)
{
    return from_small(as_date(self)->month);
}

static Value get_day(ValueRef self)
{
    return from_small(as_date(self)->day);
}

static const GetSetDef getset[] = {
    {"year", get_year, NULL, NULL},
    {"month", get_month, NULL, NULL},
    {"day", get_day, NULL, NULL},
    {0},
};

static const MethodDef methods[] = {
    {"fromtimestamp", date_fromtimestamp, METHOD_ONE, METHOD_CLASS, 1, 1,
     "fromtimestamp($type, timestamp, /)\n--\n\nThe local day of a time in seconds since 1970."},
    {"fromordinal", date_fromordinal, METHOD_PARSED, METHOD_CLASS, 1, 1,
     "int -> date corresponding to a proleptic Gregorian ordinal."},
    {"fromisoformat", date_fromisoformat, METHOD_ONE, METHOD_CLASS, 1, 1,
     "str -> Construct a date from the output of date.isoformat()"},
    {"fromisocalendar", date_fromisocalendar, METHOD_KEYWORDS, METHOD_CLASS, 0, -1,
     "int, int, int -> Construct a date from the ISO year, week number and weekday."},
    {"today", date_today, METHOD_NONE, METHOD_CLASS, 0, 0,
     "Current date or datetime:  same as self.__class__.fromtimestamp(time.time())."},
    {"ctime", date_ctime, NO_ARGS, "Return ctime() style string."},
    {"strftime", date_strftime, KEYWORD_ARGS, "format -> strftime() style string."},
    {"__format__", format_by_strftime, ONE_ARG, "Formats self with strftime."},
    {"isoformat", date_isoformat, NO_ARGS, "Return string in ISO 8601 format, YYYY-MM-DD."},
    {"isoweekday", date_isoweekday, NO_ARGS, "1 for Monday, 7 for Sunday."},
    {"isocalendar", date_isocalendar, NO_ARGS, "The ISO year, week number and weekday."},
    {"timetuple", date_timetuple, NO_ARGS, "Return time tuple, compatible with time.localtime()."},
    {"toordinal", date_toordinal, NO_ARGS, "January 1 of year 1 is day 1."},
    {"weekday", date_weekday, NO_ARGS, "0 for Monday, 6 for Sunday."},
    {"replace", date_replace, KEYWORD_ARGS, "Return date with new specified fields."},
    {"__reduce__", date_reduce, NO_ARGS, "__reduce__() -> (cls, state)"},
    {0},
};

Type date_type = {
    STATIC_TYPE("datetime.date", sizeof(Date)),
    .flags = TYPE_BASE,
    .doc = "date(year, month, day) --> date object",
    .methods = methods,
    .getset = getset,
    .new_ = date_new,
    .repr = date_repr,
    .str = date_str,
    .hash = date_hash,
    .compare = date_compare,
    .add = date_add,
    .subtract = date_subtract,
};

// ---- (year, week, weekday)

static Value iso_calendar_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"year", "week", "weekday", NULL};
    static const Signature signature = {"IsoCalendarDate", names, 3, 3};
    ValueRef given[3];
    int fields[3];
    (void)type;
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    for (int i = 0; i < 3; i++)
        if (!field_argument(given[i], &fields[i])) return VALUE_ERROR;
    return iso_calendar_make(fields[0], fields[1], fields[2]);
}

// (tuple, ((year, week, weekday),))
static Value iso_calendar_reduce(ValueRef self, METHOD_ARGS)
{
    Value plain = tuple_slice(self, 0, 3);
    Value arguments = plain ? tuple_pack(1, (ValueRef)plain) : VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (arguments) result = tuple_pack(2, ref_of(&tuple_type), (ValueRef)arguments);
    drop(arguments);
    drop(plain);
    return result;
}

static const MethodDef iso_calendar_methods[] = {
    {"__reduce__", iso_calendar_reduce, NO_ARGS, NULL},
    {0},
};

static const MemberDef iso_calendar_members[] = {
    STRUCT_FIELD("year", 0),
    STRUCT_FIELD("week", 1),
    STRUCT_FIELD("weekday", 2),
    {0},
};

StructType iso_calendar_type = {
    .type = {STATIC_TYPE("datetime.IsoCalendarDate", offsetof(Tuple, items)), .flags = TYPE_GC,
             .item_size = sizeof(Value), .base_type = &tuple_type,
             .doc = "The result of date.isocalendar() or datetime.isocalendar()",
             .methods = iso_calendar_methods, .members = iso_calendar_members,
             .new_ = iso_calendar_new, .release = struct_sequence_release,
             .traverse = struct_sequence_traverse, .repr = struct_sequence_repr},
    .visible = 3,
};
