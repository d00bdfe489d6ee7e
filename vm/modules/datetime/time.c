// The type time, and what it shares with datetime: the bytes of a pickle.
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/modules/datetime/datetime.h"

// ---- making

Value time_make(Type *type, DayTime daytime, ValueRef tzinfo)
{
    Time *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    made->daytime = daytime;
    made->tzinfo = retain(tzinfo);
    if (type == &time_type && (tzinfo == NONE || is_exactly(tzinfo, &timezone_type)))
        gc_untrack(object_of(ref_of(made))); // no part of a cycle
    return own(made);
}

void daytime_bytes(const DayTime *daytime, uint8_t bytes[6])
{
    const uint8_t made[] = {daytime->hour,
                            daytime->minute,
                            daytime->second,
                            (uint8_t)(daytime->microsecond >> 16),
                            (uint8_t)(daytime->microsecond >> 8),
                            (uint8_t)daytime->microsecond};
    memcpy(bytes, made, sizeof made);
}

DayTime daytime_of_bytes(const uint8_t bytes[6])
{
    return (DayTime){bytes[0], bytes[1], bytes[2], 0, bytes[3] << 16 | bytes[4] << 8 | bytes[5]};
}

bool check_pickled_tzinfo(ValueRef tzinfo)
{
    return tzinfo == NONE || tzinfo_check(tzinfo) || raise_error(TypeError, "bad tzinfo state arg");
}

Value reduced_to(ValueRef self, const uint8_t *bytes, size_t size, ValueRef tzinfo)
{
    Value state = bytes_new(bytes, size), arguments = VALUE_ERROR;
    if (state)
        arguments = tzinfo == NONE ? tuple_pack(1, (ValueRef)state)
                                   : tuple_pack(2, (ValueRef)state, tzinfo);
    Value result =
        arguments ? tuple_pack(2, ref_of(type_of(self)), (ValueRef)arguments) : VALUE_ERROR;
    drop(arguments);
    drop(state);
    return result;
}

static Value unpickled(Type *type, Value state, ValueRef tzinfo)
{
    uint8_t bytes[6];
    memcpy(bytes, as_bytes(state)->data, sizeof bytes);
    drop(state);
    if (!check_pickled_tzinfo(tzinfo)) return VALUE_ERROR;
    DayTime daytime = daytime_of_bytes(bytes);
    daytime.fold = daytime.hour >> 7;
    daytime.hour &= 127;
    return time_make(type, daytime, tzinfo);
}

static const char *const names[] = {"hour",   "minute", "second", "microsecond",
                                    "tzinfo", "fold",   NULL};

// hour, minute, second, microsecond and fold of the arguments, checked, where they are given.
static bool read_fields(const ValueRef given[6], int fields[5])
{
    for (int i = 0; i < 5; i++)
        if (given[i < 4 ? i : 5] && !field_argument(given[i < 4 ? i : 5], &fields[i])) return false;
    return check_daytime(fields) && check_tzinfo(given[4]);
}

static Value time_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const PickledKind kind = {"time", 6, 0, 0, 23, true};
    static const Signature signature = {"", names, 0, 5};
    ValueRef given[6];
    int fields[5] = {0};
    bool maybe = nargs >= 1 && nargs <= 2 && !kwnames;
    Value state = maybe ? pickled_state(args[0], &kind) : ABSENT;
    if (!state) return VALUE_ERROR;
    if (state != ABSENT) return unpickled(type, state, nargs == 2 ? args[1] : (ValueRef)NONE);
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (!given[4]) given[4] = NONE;
    return read_fields(given, fields) ? time_make(type, daytime_of(fields), given[4]) : VALUE_ERROR;
}

static Value time_replace(ValueRef self, METHOD_ARGS)
{
    static const Signature signature = {"replace", names, 0, 5};
    const DayTime *old = &as_time(self)->daytime;
    int fields[5] = {old->hour, old->minute, old->second, old->microsecond, old->fold};
    ValueRef given[6];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (!given[4]) given[4] = as_time(self)->tzinfo;
    if (!read_fields(given, fields)) return VALUE_ERROR;
    return time_make(type_of(self), daytime_of(fields), given[4]);
}

static Value time_fromisoformat(ValueRef class, METHOD_ARGS)
{
    IsoTime read;
    if (!str_check(args[0])) return raise_error(TypeError, "fromisoformat: argument must be str");
    IsoText text = {as_str(args[0]), 0};
    if (!parse_time(&text, &read)) return raise_bad_iso(args[0]);
    Value zone = zone_of_iso(&read), made = VALUE_ERROR;
    ValueRef all[] = {from_small(read.fields[0]), from_small(read.fields[1]),
                      from_small(read.fields[2]), from_small(read.fields[3]), zone};
    if (zone) made = object_call(class, all, 5, VALUE_ERROR);
    drop(zone);
    return made;
}

// ---- time zones

static Value time_utcoffset(ValueRef self, METHOD_ARGS)
{
    return utcoffset_of(as_time(self)->tzinfo, NONE);
}

static Value time_tzname(ValueRef self, METHOD_ARGS)
{
    return tzname_of(as_time(self)->tzinfo, NONE);
}

static Value time_dst(ValueRef self, METHOD_ARGS)
{
    return dst_of(as_time(self)->tzinfo, NONE);
}

// ---- comparison

static int64_t microseconds_of(const DayTime *daytime)
{
    int64_t minutes = daytime->hour * 60 + daytime->minute;
    return (minutes * 60 + daytime->second) * 1000000 + daytime->microsecond;
}

// In UTC, where the offset is not None.
static int64_t utc_of(ValueRef self, ValueRef offset)
{
    int64_t local = microseconds_of(&as_time(self)->daytime);
    if (offset == NONE) return local;
    const Delta *delta = as_delta(offset);
    return local - ((int64_t)delta->days * DAY_SECONDS + delta->seconds) * 1000000;
}

static Value compare_in_utc(ValueRef left, ValueRef right, ValueRef mine, ValueRef its,
                            CompareOp op)
{
    if ((mine == NONE) != (its == NONE)) {
        if (op == COMPARE_EQ || op == COMPARE_NE) return from_bool(op == COMPARE_NE);
        return raise_error(TypeError, "can't compare offset-naive and offset-aware times");
    }
    int64_t a = utc_of(left, mine), b = utc_of(right, its);
    return order_result((a > b) - (a < b), op);
}

static Value time_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!time_check(right)) return NOT_IMPLEMENTED;
    if (as_time(left)->tzinfo == as_time(right)->tzinfo)
        return compare_in_utc(left, right, NONE, NONE, op);
    Value mine = utcoffset_of(as_time(left)->tzinfo, NONE), result = VALUE_ERROR;
    Value its = mine ? utcoffset_of(as_time(right)->tzinfo, NONE) : VALUE_ERROR;
    if (its) result = compare_in_utc(left, right, mine, its, op);
    drop(its);
    drop(mine);
    return result;
}

static bool hash_of_value(Value value, int64_t *hash)
{
    bool done = value && object_hash(value, hash);
    drop(value);
    return done;
}

// Equal times have equal hashes, wherever they are. (As in CPython the microseconds of an offset
// count here, and not in a comparison.)
static bool time_hash(ValueRef self, int64_t *hash)
{
    uint8_t bytes[6];
    Value offset = utcoffset_of(as_time(self)->tzinfo, NONE);
    if (!offset) return false;
    if (offset != NONE) {
        int64_t utc = utc_of(self, offset) - as_delta(offset)->microseconds;
        drop(offset);
        return hash_of_value(delta_new(0, 0, utc), hash);
    }
    daytime_bytes(&as_time(self)->daytime, bytes);
    *hash = hash_bytes(bytes, sizeof bytes);
    return true;
}

// ---- text

static Value time_repr(ValueRef self)
{
    const Time *time = as_time(self);
    const DayTime *daytime = &time->daytime;
    StrBuilder text;
    builder_begin(&text);
    bool done = builder_text(&text, type_of(self)->name) && builder_char(&text, '(') &&
                builder_int(&text, daytime->hour) && builder_text(&text, ", ") &&
                builder_int(&text, daytime->minute) && add_repr_end(&text, daytime);
    Value zone =
        done && time->tzinfo != NONE ? format_text(", tzinfo=%R", (ValueRef)time->tzinfo) : NONE;
    done = done && zone && (zone == NONE || builder_str(&text, zone)) &&
           builder_text(&text, daytime->fold ? ", fold=1)" : ")");
    drop(zone);
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

static Value time_isoformat(ValueRef self, METHOD_ARGS)
{
    static const char *const spec_names[] = {"timespec", NULL};
    static const Signature signature = {"isoformat", spec_names, 0, 1};
    ValueRef timespec;
    StrBuilder text;
    if (!args_bind(&signature, args, nargs, kwnames, &timespec)) return VALUE_ERROR;
    if (timespec && !str_check(timespec))
        return raise_error(TypeError, "isoformat() argument 1 must be str, not %.50G", timespec);
    builder_begin(&text);
    bool done = add_daytime(&text, &as_time(self)->daytime, timespec);
    Value offset = done ? utcoffset_of(as_time(self)->tzinfo, NONE) : VALUE_ERROR;
    done = offset && add_offset(&text, offset, ":");
    drop(offset);
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

static Value time_str(ValueRef self)
{
    Value name = str_intern("isoformat");
    Value text = name ? object_call_method_none(self, name) : VALUE_ERROR;
    drop(name);
    return text;
}

static Value time_strftime(ValueRef self, METHOD_ARGS)
{
    const Time *time = as_time(self);
    const DayTime *daytime = &time->daytime;
    Value format = format_argument(args, nargs, kwnames);
    Value items[] = {from_small(1900),
                     from_small(1),
                     from_small(1),
                     from_small(daytime->hour),
                     from_small(daytime->minute),
                     from_small(daytime->second),
                     from_small(0),
                     from_small(1),
                     from_small(-1)};
    Value timetuple = format ? tuple_from_owned(items, 9) : VALUE_ERROR, text = VALUE_ERROR;
    if (timetuple) text = strftime_with(format, timetuple, daytime, time->tzinfo, NONE);
    drop(timetuple);
    drop(format);
    return text;
}

// ---- pickling

static Value reduce(ValueRef self, bool with_fold)
{
    uint8_t bytes[6];
    const Time *time = as_time(self);
    daytime_bytes(&time->daytime, bytes);
    if (with_fold && time->daytime.fold) bytes[0] |= 128;
    return reduced_to(self, bytes, sizeof bytes, time->tzinfo);
}

static Value time_reduce(ValueRef self, METHOD_ARGS)
{
    return reduce(self, false);
}

static Value time_reduce_ex(ValueRef self, METHOD_ARGS)
{
    int protocol;
    return field_argument(args[0], &protocol) ? reduce(self, protocol > 3) : VALUE_ERROR;
}

// ---- the type

// A time of day and its zone, of a time or a datetime.
static const DayTime *daytime_in(ValueRef self)
{
    return datetime_check(self) ? &as_datetime(self)->daytime : &as_time(self)->daytime;
}

static Value *tzinfo_in(Object *self)
{
    return datetime_check(ref_of(self)) ? &((DateTime *)self)->tzinfo : &((Time *)self)->tzinfo;
}

void daytime_release(Object *self)
{
    drop_slot(tzinfo_in(self));
}

void daytime_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(*tzinfo_in(self), visit, arg);
}

void daytime_clear(Object *self)
{
    replace_slot(tzinfo_in(self), NONE);
}

#define FIELD(name)                                                                                \
    static Value get_##name(ValueRef self)                                                         \
    {                                                                                              \
        return from_small(daytime_in(self)->name);                                                 \
    }
FIELD(hour)
FIELD(minute)
FIELD(second)
FIELD(microsecond)
FIELD(fold)

static Value get_tzinfo(ValueRef self)
{
    return retain(*tzinfo_in(object_of(self)));
}

const GetSetDef daytime_getset[] = {
    {"hour", get_hour, NULL, NULL},
    {"minute", get_minute, NULL, NULL},
    {"second", get_second, NULL, NULL},
    {"microsecond", get_microsecond, NULL, NULL},
    {"tzinfo", get_tzinfo, NULL, NULL},
    {"fold", get_fold, NULL, NULL},
    {0},
};

static const MethodDef methods[] = {
    {"isoformat", time_isoformat, KEYWORD_ARGS,
     "Return string in ISO 8601 format, [HH[:MM[:SS[.mmm[uuu]]]]][+HH:MM]."},
    {"strftime", time_strftime, KEYWORD_ARGS, "format -> strftime() style string."},
    {"__format__", format_by_strftime, ONE_ARG, "Formats self with strftime."},
    {"utcoffset", time_utcoffset, NO_ARGS, "Return self.tzinfo.utcoffset(self)."},
    {"tzname", time_tzname, NO_ARGS, "Return self.tzinfo.tzname(self)."},
    {"dst", time_dst, NO_ARGS, "Return self.tzinfo.dst(self)."},
    {"replace", time_replace, KEYWORD_ARGS, "Return time with new specified fields."},
    {"fromisoformat", time_fromisoformat, METHOD_ONE, METHOD_CLASS, 1, 1,
     "string -> time from time.isoformat() output"},
    {"__reduce_ex__", time_reduce_ex, PARSED_ARGS(1, 1), "__reduce_ex__(proto) -> (cls, state)"},
    {"__reduce__", time_reduce, NO_ARGS, "__reduce__() -> (cls, state)"},
    {0},
};

Type time_type = {
    STATIC_TYPE("datetime.time", sizeof(Time)),
    .flags = TYPE_BASE | TYPE_GC,
    .doc = "time([hour[, minute[, second[, microsecond[, tzinfo]]]]]) --> a time object",
    .methods = methods,
    .getset = daytime_getset,
    .new_ = time_new,
    .release = daytime_release,
    .traverse = daytime_traverse,
    .clear = daytime_clear,
    .repr = time_repr,
    .str = time_str,
    .hash = time_hash,
    .compare = time_compare,
};
