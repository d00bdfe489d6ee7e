// Dates and times as text and back: ISO 8601 as isoformat() writes it, and strftime().
#include "objects/containers/tuple.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/text.h"
#include "vm/import/import.h"
#include "vm/modules/datetime/datetime.h"

#include <stdio.h>

// ---- writing

bool add_number(StrBuilder *text, int number, int width)
{
    char digits[12];
    for (int i = width; i-- > 0; number /= 10) digits[i] = (char)('0' + number % 10);
    return builder_ascii(text, digits, (size_t)width);
}

bool add_day(StrBuilder *text, Day day)
{
    return add_number(text, day.year, 4) && builder_char(text, '-') &&
           add_number(text, day.month, 2) && builder_char(text, '-') &&
           add_number(text, day.day, 2);
}

bool add_repr_end(StrBuilder *text, const DayTime *daytime)
{
    if (!daytime->second && !daytime->microsecond) return true;
    if (!builder_text(text, ", ") || !builder_int(text, daytime->second)) return false;
    return !daytime->microsecond ||
           (builder_text(text, ", ") && builder_int(text, daytime->microsecond));
}

Value ctime_text(Day day, const DayTime *daytime)
{
    static const char days[] = "MonTueWedThuFriSatSun";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char text[40];
    snprintf(text, sizeof text, "%.3s %.3s %2d %02d:%02d:%02d %04d", days + 3 * weekday_of(day),
             months + 3 * (day.month - 1), day.day, daytime->hour, daytime->minute, daytime->second,
             day.year);
    return str_new(text);
}

Value struct_time_of(Day day, const DayTime *daytime, int flag)
{
    Value items[] = {
        from_small(day.year),        from_small(day.month),        from_small(day.day),
        from_small(daytime->hour),   from_small(daytime->minute),  from_small(daytime->second),
        from_small(weekday_of(day)), from_small(day_of_year(day)), from_small(flag)};
    Value fields = tuple_from_owned(items, 9);
    Value made = fields ? time_module_call("struct_time", fields) : VALUE_ERROR;
    drop(fields);
    return made;
}

// What isoformat(timespec=...) can be asked for.
typedef enum TimeSpec { HOURS, MINUTES, SECONDS, MILLISECONDS, MICROSECONDS, SPEC_COUNT } TimeSpec;

static bool read_spec(ValueRef timespec, const DayTime *daytime, TimeSpec *spec)
{
    static const char *const names[] = {"hours", "minutes", "seconds", "milliseconds",
                                        "microseconds"};
    *spec = daytime->microsecond ? MICROSECONDS : SECONDS;
    if (!timespec || str_equal_ascii(timespec, "auto")) return true;
    for (*spec = HOURS; *spec < SPEC_COUNT; (*spec)++)
        if (str_equal_ascii(timespec, names[*spec])) return true;
    return raise_error(ValueError, "Unknown timespec value");
}

bool add_daytime(StrBuilder *text, const DayTime *daytime, ValueRef timespec)
{
    TimeSpec spec;
    if (!read_spec(timespec, daytime, &spec) || !add_number(text, daytime->hour, 2)) return false;
    if (spec >= MINUTES && !(builder_char(text, ':') && add_number(text, daytime->minute, 2)))
        return false;
    if (spec >= SECONDS && !(builder_char(text, ':') && add_number(text, daytime->second, 2)))
        return false;
    if (spec == MILLISECONDS)
        return builder_char(text, '.') && add_number(text, daytime->microsecond / 1000, 3);
    return spec < MICROSECONDS ||
           (builder_char(text, '.') && add_number(text, daytime->microsecond, 6));
}

// +01:00, with seconds and their fraction where there are any; nothing for None.
bool add_offset(StrBuilder *text, ValueRef offset, const char *colon)
{
    if (offset == NONE) return true;
    bool negative = as_delta(offset)->days < 0;
    Value positive = negative ? delta_negative(offset) : retain(offset);
    if (!positive) return false;
    int seconds = as_delta(positive)->seconds, microseconds = as_delta(positive)->microseconds;
    drop(positive);
    if (!builder_char(text, negative ? '-' : '+') || !add_number(text, seconds / 3600, 2) ||
        !builder_text(text, colon) || !add_number(text, seconds / 60 % 60, 2))
        return false;
    if (!(seconds % 60) && !microseconds) return true;
    if (!builder_text(text, colon) || !add_number(text, seconds % 60, 2)) return false;
    return !microseconds || (builder_char(text, '.') && add_number(text, microseconds, 6));
}

// ---- reading

Value raise_bad_iso(ValueRef text)
{
    return raise_error(ValueError, "Invalid isoformat string: %R", text);
}

static bool digits(IsoText *text, int count, int *number)
{
    *number = 0;
    for (; count--; text->at++) {
        uint32_t digit = text->at < text->str->length ? str_at(text->str, text->at) - '0' : 10;
        if (digit > 9) return false;
        *number = *number * 10 + (int)digit;
    }
    return true;
}

static bool take(IsoText *text, uint32_t character)
{
    bool there = text->at < text->str->length && str_at(text->str, text->at) == character;
    text->at += there;
    return there;
}

bool parse_day(IsoText *text, Day *day)
{
    return digits(text, 4, &day->year) && take(text, '-') && digits(text, 2, &day->month) &&
           take(text, '-') && digits(text, 2, &day->day);
}

// HH[:MM[:SS[.fff[fff]]]]; of an offset the fraction has six digits.
static bool parse_clock(IsoText *text, int fields[4], bool short_fraction)
{
    fields[1] = fields[2] = fields[3] = 0;
    if (!digits(text, 2, &fields[0])) return false;
    for (int i = 1; i < 3; i++) {
        if (!take(text, ':')) break;
        if (!digits(text, 2, &fields[i])) return false;
    }
    if (!take(text, '.')) return true;
    ssize_t start = text->at;
    if (!digits(text, 3, &fields[3])) return false;
    int rest = 0;
    if (short_fraction &&
        (text->at == text->str->length || str_at(text->str, text->at) - '0' > 9)) {
        fields[3] *= 1000;
        return true;
    }
    if (!digits(text, 3, &rest)) return false;
    fields[3] = fields[3] * 1000 + rest;
    return text->at == start + 6;
}

bool parse_time(IsoText *text, IsoTime *time)
{
    int offset[4] = {0};
    *time = (IsoTime){0};
    if (!parse_clock(text, time->fields, true)) return false;
    bool negative = take(text, '-');
    time->has_offset = negative || take(text, '+');
    if (time->has_offset) {
        ssize_t start = text->at;
        if (!parse_clock(text, offset, false) || text->at < start + 5) return false;
        time->offset = ((offset[0] * 60ll + offset[1]) * 60 + offset[2]) * 1000000 + offset[3];
        if (negative) time->offset = -time->offset;
    }
    return text->at == text->str->length;
}

// CPython takes an offset of less than a second for none.
Value zone_of_iso(const IsoTime *time)
{
    if (!time->has_offset) return NONE;
    if (time->offset > -1000000 && time->offset < 1000000) return timezone_utc();
    Value offset = delta_new(0, 0, time->offset);
    Value zone = offset ? object_call_one(ref_of(&timezone_type), offset) : VALUE_ERROR;
    drop(offset);
    return zone;
}

// ---- strftime

// A name of a zone, in which a percent sign is no directive.
static bool add_name(StrBuilder *text, ValueRef name)
{
    if (name == NONE) return true;
    Value replace = str_intern("replace"), one = replace ? str_new("%") : VALUE_ERROR;
    Value two = one ? str_new("%%") : VALUE_ERROR, made = VALUE_ERROR;
    ValueRef args[] = {name, one, two};
    if (two) made = object_call_method(replace, args, 3, VALUE_ERROR);
    bool done = made && str_check(made);
    if (made && !done) raise_error(TypeError, "tzname.replace() did not return a string");
    done = done && builder_str(text, made);
    drop(made);
    drop(two);
    drop(one);
    drop(replace);
    return done;
}

// %f, %z and %Z, of which time.strftime() knows nothing or something else.
typedef struct Formatted {
    const DayTime *daytime; // NULL = it has none
    ValueRef tzinfo, when;
} Formatted;

static bool add_directive(StrBuilder *text, uint32_t directive, const Formatted *self)
{
    int microsecond = self->daytime ? self->daytime->microsecond : 0;
    if (directive == 'f') return add_number(text, microsecond, 6);
    if (directive != 'z' && directive != 'Z')
        return builder_char(text, '%') && builder_char(text, directive);
    if (self->tzinfo == NONE) return true;
    bool is_offset = directive == 'z';
    Value found = (is_offset ? utcoffset_of : tzname_of)(self->tzinfo, self->when);
    bool done = found && (is_offset ? add_offset(text, found, "") : add_name(text, found));
    drop(found);
    return done;
}

static Value expand(ValueRef format, const Formatted *self)
{
    const Str *str = as_str(format);
    StrBuilder text;
    builder_begin(&text);
    bool done = true;
    for (ssize_t i = 0; done && i < str->length; i++) {
        uint32_t character = str_at(str, i);
        if (character != '%' || i + 1 == str->length)
            done = builder_char(&text, character);
        else
            done = add_directive(&text, str_at(str, ++i), self);
    }
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

Value time_module_call(const char *function, ValueRef argument)
{
    Value module = import_module("time");
    Value name = module ? str_intern(function) : VALUE_ERROR;
    ValueRef args[] = {module, argument};
    Value result = name ? object_call_method(name, args, argument ? 2 : 1, 0) : VALUE_ERROR;
    drop(name);
    drop(module);
    return result;
}

Value strftime_with(ValueRef format, ValueRef timetuple, const DayTime *daytime, ValueRef tzinfo,
                    ValueRef when)
{
    Formatted self = {daytime, tzinfo, when};
    Value expanded = expand(format, &self), text = VALUE_ERROR;
    Value module = expanded ? import_module("time") : VALUE_ERROR;
    Value name = module ? str_intern("strftime") : VALUE_ERROR;
    ValueRef args[] = {module, expanded, timetuple};
    if (name) text = object_call_method(name, args, 3, VALUE_ERROR);
    drop(name);
    drop(module);
    drop(expanded);
    return text;
}

Value format_argument(const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"format", NULL};
    static const Signature signature = {"strftime", names, 1, 1};
    ValueRef format;
    if (!args_bind(&signature, args, nargs, kwnames, &format)) return VALUE_ERROR;
    if (!str_check(format))
        return raise_error(TypeError, "strftime() argument 1 must be str, not %.50G", format);
    return retain(format);
}

Value format_by_strftime(ValueRef self, METHOD_ARGS)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "__format__() argument 1 must be str, not %.50G", args[0]);
    if (str_length(args[0]) == 0) return object_str(self);
    Value name = str_intern("strftime");
    Value text = name ? object_call_method_one(self, name, args[0]) : VALUE_ERROR;
    drop(name);
    return text;
}
