// tzinfo, the time zones that a program defines, and timezone, those with one offset for ever.
//
// A tzinfo is asked by the times that have one: utcoffset_of() and the others check the answer.
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/modules/datetime/datetime.h"

#define NOT_A_DAY                                                                                  \
    "offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24)"

// ---- asking

static bool is_less_than_a_day(ValueRef offset)
{
    const Delta *delta = as_delta(offset);
    return delta->days == 0 || (delta->days == -1 && (delta->seconds || delta->microseconds));
}

static Value ask(ValueRef tzinfo, const char *method, ValueRef when)
{
    if (tzinfo == NONE) return NONE;
    Value name = str_intern(method);
    Value answer = name ? object_call_method_one(tzinfo, name, when) : VALUE_ERROR;
    drop(name);
    return answer;
}

// Checks an owned answer: a timedelta of less than a day, or None.
static Value checked(Value offset, const char *method)
{
    if (!offset || offset == NONE) return offset;
    bool done = delta_check(offset);
    if (!done)
        raise_error(TypeError, "tzinfo.%s() must return None or timedelta, not '%.200T'", method,
                    (ValueRef)offset);
    if (done && !is_less_than_a_day(offset)) done = raise_error(ValueError, NOT_A_DAY ".");
    if (!done) drop_slot(&offset);
    return offset;
}

Value utcoffset_of(ValueRef tzinfo, ValueRef when)
{
    return checked(ask(tzinfo, "utcoffset", when), "utcoffset");
}

Value dst_of(ValueRef tzinfo, ValueRef when)
{
    return checked(ask(tzinfo, "dst", when), "dst");
}

Value tzname_of(ValueRef tzinfo, ValueRef when)
{
    Value name = ask(tzinfo, "tzname", when);
    if (!name || name == NONE || str_check(name)) return name;
    raise_error(TypeError, "tzinfo.tzname() must return None or a string, not '%.200T'",
                (ValueRef)name);
    drop(name);
    return VALUE_ERROR;
}

// ---- tzinfo

static Value tzinfo_new(Type *type, METHOD_ARGS)
{
    return own(object_alloc(type, 0));
}

static Value not_implemented_by(const char *method)
{
    return raise_error(NotImplementedError, "a tzinfo subclass must implement %s()", method);
}

static Value tzinfo_utcoffset(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return not_implemented_by("utcoffset");
}

static Value tzinfo_tzname(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return not_implemented_by("tzname");
}

static Value tzinfo_dst(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return not_implemented_by("dst");
}

static bool check_own(ValueRef self, ValueRef when)
{
    if (!datetime_check(when))
        return raise_error(TypeError, "fromutc: argument must be a datetime");
    return as_datetime(when)->tzinfo == self ||
           raise_error(ValueError, "fromutc: dt.tzinfo is not self");
}

// The answer of a method of `when`, which may not be None.
static Value required(ValueRef when, const char *method, const char *message)
{
    Value name = str_intern(method);
    Value answer = name ? object_call_method_none(when, name) : VALUE_ERROR;
    drop(name);
    if (answer && answer != NONE && !delta_check(answer)) {
        raise_error(TypeError, "tzinfo.%s() must return None or timedelta, not '%.200T'", method,
                    (ValueRef)answer);
        drop_slot(&answer);
    }
    return answer == NONE ? raise_error(ValueError, "%s", message) : answer;
}

// The standard time first, and summer time by what is said of that.
static Value tzinfo_fromutc(ValueRef self, METHOD_ARGS)
{
    ValueRef when = args[0];
    if (!check_own(self, when)) return VALUE_ERROR;
    Value offset = required(when, "utcoffset", "fromutc: non-None utcoffset() result required");
    Value summer =
        offset ? required(when, "dst", "fromutc: non-None dst() result required") : VALUE_ERROR;
    Value delta = summer ? delta_subtract(offset, summer) : VALUE_ERROR;
    Value standard = delta ? datetime_shifted(when, delta, 1) : VALUE_ERROR, result = VALUE_ERROR;
    drop(delta);
    drop(summer);
    drop(offset);
    if (!standard) return VALUE_ERROR;
    summer =
        required(standard, "dst", "fromutc: tz.dst() gave inconsistent results; cannot convert");
    if (summer) result = datetime_moved(standard, summer, 1);
    drop(summer);
    drop(standard);
    return result;
}

static Value call_optional(ValueRef self, const char *method, Value otherwise)
{
    Value name = str_intern(method);
    Value function = name ? object_get_optional(self, name) : VALUE_ERROR;
    drop(name);
    if (function == ABSENT) return otherwise;
    Value result = function ? object_call_none(function) : VALUE_ERROR;
    drop(function);
    return result;
}

// (class, arguments of __getinitargs__, state of __getstate__ or the __dict__)
static Value tzinfo_reduce(ValueRef self, METHOD_ARGS)
{
    Value arguments = call_optional(self, "__getinitargs__", ABSENT);
    if (arguments == ABSENT) arguments = tuple_new(0);
    Value state = arguments ? call_optional(self, "__getstate__", ABSENT) : VALUE_ERROR;
    bool given = state != ABSENT, some = given;
    if (!given) {
        state = object_get_optional(self, NAME(__dict__));
        if (state == ABSENT) state = NONE;
        if (state && !object_truth(state, &some)) drop_slot(&state);
    }
    Value result = VALUE_ERROR;
    if (state && some)
        result = tuple_pack(3, ref_of(type_of(self)), (ValueRef)arguments, (ValueRef)state);
    else if (state)
        result = tuple_pack(2, ref_of(type_of(self)), (ValueRef)arguments);
    drop(state);
    drop(arguments);
    return result;
}

static const MethodDef tzinfo_methods[] = {
    {"tzname", tzinfo_tzname, ONE_ARG, "datetime -> string name of time zone."},
    {"utcoffset", tzinfo_utcoffset, ONE_ARG, "datetime -> timedelta: local time minus UTC."},
    {"dst", tzinfo_dst, ONE_ARG, "datetime -> DST offset as timedelta positive east of UTC."},
    {"fromutc", tzinfo_fromutc, ONE_ARG, "datetime in UTC -> datetime in local time."},
    {"__reduce__", tzinfo_reduce, NO_ARGS, "-> (cls, state)"},
    {0},
};

Type tzinfo_type = {
    STATIC_TYPE("datetime.tzinfo", sizeof(Object)),
    .flags = TYPE_BASE,
    .doc = "Abstract base class for time zone info objects.",
    .methods = tzinfo_methods,
    .new_ = tzinfo_new,
};

// ---- timezone

typedef struct TimeZone {
    Object base;
    Value offset; // a timedelta
    Value name;   // a str, or 0
} TimeZone;

static const TimeZone *as_zone(ValueRef value)
{
    return (const TimeZone *)object_of(value);
}

Value timezone_make(ValueRef offset, ValueRef name)
{
    TimeZone *made = object_alloc(&timezone_type, 0);
    if (!made) return VALUE_ERROR;
    made->offset = retain(offset);
    made->name = retain(name);
    return own(made);
}

static Value utc; // also timezone.utc, which a script may delete

Value timezone_utc(void)
{
    if (utc) return retain(utc);
    Value offset = delta_new(0, 0, 0);
    if (offset) utc = timezone_make(offset, VALUE_ERROR);
    drop(offset);
    return retain(utc);
}

void timezone_finish(void)
{
    drop_slot(&utc);
}

static Value timezone_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"offset", "name", NULL};
    static const Signature signature = {"timezone", names, 1, 2};
    ValueRef given[2];
    (void)type;
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (!delta_check(given[0]))
        return raise_error(TypeError, "timezone() argument 1 must be datetime.timedelta, not %.50G",
                           given[0]);
    if (given[1] && !str_check(given[1]))
        return raise_error(TypeError, "timezone() argument 2 must be str, not %.50G", given[1]);
    const Delta *delta = as_delta(given[0]);
    if (!given[1] && !delta->days && !delta->seconds && !delta->microseconds) return timezone_utc();
    if (!is_less_than_a_day(given[0]))
        return raise_error(ValueError, NOT_A_DAY ", not %R.", given[0]);
    return timezone_make(given[0], given[1]);
}

static Value timezone_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) || !is_exactly(right, &timezone_type))
        return NOT_IMPLEMENTED;
    return order_result(delta_compare(as_zone(left)->offset, as_zone(right)->offset), op);
}

static bool timezone_hash(ValueRef self, int64_t *hash)
{
    return object_hash(as_zone(self)->offset, hash);
}

static Value timezone_repr(ValueRef self)
{
    ValueRef offset = as_zone(self)->offset, name = as_zone(self)->name;
    if (self == utc) return str_new("datetime.timezone.utc");
    if (name) return format_text("%N(%R, %R)", type_of(self), offset, name);
    return format_text("%N(%R)", type_of(self), offset);
}

static Value timezone_str(ValueRef self)
{
    const TimeZone *zone = as_zone(self);
    if (zone->name) return retain(zone->name);
    const Delta *delta = as_delta(zone->offset);
    StrBuilder text;
    builder_begin(&text);
    bool done = builder_text(&text, "UTC");
    if (done && (delta->days || delta->seconds || delta->microseconds))
        done = add_offset(&text, zone->offset, ":");
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

static bool check_asked(const char *method, ValueRef when)
{
    return when == NONE || datetime_check(when) ||
           raise_error(TypeError, "%s(dt) argument must be a datetime instance or None, not %.200T",
                       method, when);
}

static Value timezone_utcoffset(ValueRef self, METHOD_ARGS)
{
    return check_asked("utcoffset", args[0]) ? retain(as_zone(self)->offset) : VALUE_ERROR;
}

static Value timezone_tzname(ValueRef self, METHOD_ARGS)
{
    return check_asked("tzname", args[0]) ? timezone_str(self) : VALUE_ERROR;
}

static Value timezone_dst(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return check_asked("dst", args[0]) ? NONE : VALUE_ERROR;
}

static Value timezone_fromutc(ValueRef self, METHOD_ARGS)
{
    if (!check_own(self, args[0])) return VALUE_ERROR;
    return datetime_moved(args[0], as_zone(self)->offset, 1);
}

static Value timezone_getinitargs(ValueRef self, METHOD_ARGS)
{
    const TimeZone *zone = as_zone(self);
    if (!zone->name) return tuple_pack(1, (ValueRef)zone->offset);
    return tuple_pack(2, (ValueRef)zone->offset, (ValueRef)zone->name);
}

static void timezone_release(Object *self)
{
    drop_slot(&((TimeZone *)self)->offset);
    drop_slot(&((TimeZone *)self)->name);
}

static const MethodDef timezone_methods[] = {
    {"tzname", timezone_tzname, ONE_ARG,
     "If name is specified when timezone is created, returns the name."},
    {"utcoffset", timezone_utcoffset, ONE_ARG, "Return fixed offset."},
    {"dst", timezone_dst, ONE_ARG, "Return None."},
    {"fromutc", timezone_fromutc, ONE_ARG, "datetime in UTC -> datetime in local time."},
    {"__getinitargs__", timezone_getinitargs, NO_ARGS, "pickle support"},
    {0},
};

Type timezone_type = {
    STATIC_TYPE("datetime.timezone", sizeof(TimeZone)),
    .base_type = &tzinfo_type,
    .doc = "Fixed offset from UTC implementation of tzinfo.",
    .methods = timezone_methods,
    .new_ = timezone_new,
    .release = timezone_release,
    .repr = timezone_repr,
    .str = timezone_str,
    .hash = timezone_hash,
    .compare = timezone_compare,
};
