// Decimal.__format__:
//
//     [[fill]align][sign][0][width][,][.precision][type]
//
// The type is one of e E f F g G n N %, and none is as g, with the capitals of the context. With n,
// or with a dict of one's own, the point and the groups of digits are those of a locale.
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"
#include "vm/modules/decimal/decimal.h"

#define LOCALE_TEXT 4 // the longest point and separator, in bytes of UTF-8
#define GROUPS_MAX 16
#define GROUP_END 127 // CHAR_MAX: the digits in front are one group

typedef struct Format {
    uint32_t fill;
    char align;               // '<' '>' '^' '=', 'z' = zeros after the sign
    char sign;                // '+' '-' ' '
    int64_t width, precision; // -1 = none given
    char type;
    bool groups;
    char point[LOCALE_TEXT + 1], separator[LOCALE_TEXT + 1];
    int sizes[GROUPS_MAX]; // of groups of digits, from the point; the last one is repeated
    int size_count;
} Format;

// ---- parsing

typedef struct FormatReader {
    const Str *text;
    ssize_t at;
} FormatReader;

static uint32_t peek(const FormatReader *reader, ssize_t ahead)
{
    ssize_t index = reader->at + ahead;
    return index < reader->text->length ? str_at(reader->text, index) : 0;
}

static char take_one(FormatReader *reader, const char *characters)
{
    uint32_t point = peek(reader, 0);
    if (!point || point > 126 || !strchr(characters, (int)point)) return 0;
    reader->at++;
    return (char)point;
}

// A number without a zero in front, unless it may have one; false where it is too large.
static bool take_number(FormatReader *reader, int64_t *number)
{
    for (*number = 0; peek(reader, 0) - '0' < 10; reader->at++) {
        if (*number > MAX_PREC) return false;
        *number = *number * 10 + (peek(reader, 0) - '0');
    }
    return true;
}

static bool parse_alignment(FormatReader *reader, Format *format)
{
    static const char aligns[] = "<>=^";
    uint32_t second = peek(reader, 1);
    bool filled = second && second < 127 && strchr(aligns, (int)second);
    if (filled) format->fill = str_at(reader->text, reader->at++);
    char align = take_one(reader, aligns);
    if (align) format->align = align;
    char sign = take_one(reader, "+- ");
    if (sign) format->sign = sign;
    if (!take_one(reader, "0")) return true;
    format->fill = '0';
    format->align = 'z';
    return !align && peek(reader, 0) != '0';
}

static bool parse_format(ValueRef text, bool capitals, Format *format)
{
    FormatReader reader = {as_str(text), 0};
    *format = (Format){.fill = ' ',
                       .align = '>',
                       .sign = '-',
                       .precision = -1,
                       .type = capitals ? 'G' : 'g',
                       .point = "."};
    if (!parse_alignment(&reader, format)) return false;
    if (!take_number(&reader, &format->width) || format->width > MAX_PREC) return false;
    if (take_one(&reader, ",")) {
        format->groups = true;
        strcpy(format->separator, ",");
        format->sizes[0] = 3;
        format->size_count = 1;
    }
    if (take_one(&reader, ".")) {
        if (peek(&reader, 0) - '0' >= 10) return false;
        if (!take_number(&reader, &format->precision) || format->precision > MAX_PREC) return false;
    }
    char type = take_one(&reader, "eEfFgGnN%");
    if (type) format->type = type;
    return reader.at == reader.text->length;
}

// ---- the locale

static bool set_text(char *to, ValueRef value, size_t least)
{
    size_t size;
    if (!str_check(value))
        return raise_error(TypeError, "bad argument type for built-in operation");
    const char *text = str_utf8(value, &size);
    if (!text) return false;
    if (size < least || size > LOCALE_TEXT || strlen(text) != size)
        return raise_error(ValueError, "invalid override dict");
    memcpy(to, text, size + 1);
    return true;
}

static bool add_group(Format *format, int64_t size, bool *ended)
{
    if (size <= 0 || size >= GROUP_END) {
        *ended = true;
        if (size == GROUP_END && format->size_count < GROUPS_MAX)
            format->sizes[format->size_count++] = INT32_MAX;
        return size >= 0 && size <= GROUP_END;
    }
    if (format->size_count == GROUPS_MAX) return false;
    format->sizes[format->size_count++] = (int)size;
    return true;
}

// The sizes of groups: characters of a str, or ints of a list. 0 ends them: the last is repeated.
static bool set_groups(Format *format, ValueRef groups)
{
    bool is_str = str_check(groups), ended = false;
    if (!is_str && !list_check(groups))
        return raise_error(TypeError, "bad argument type for built-in operation");
    ssize_t count = is_str ? str_length(groups) : list_size(groups);
    format->size_count = 0;
    for (ssize_t i = 0; i < count && !ended; i++) {
        int64_t size = -1;
        if (is_str)
            size = str_at(as_str(groups), i);
        else if (int_check(list_at(groups, i)))
            int_as_int64_clamped(list_at(groups, i), &size);
        if (!add_group(format, size, &ended))
            return raise_error(ValueError, "invalid override dict");
    }
    return true;
}

// What the dict says of the point, the separator and the groups.
static bool use_locale(Format *format, ValueRef dict)
{
    ValueRef point = dict_peek_ascii(dict, "decimal_point");
    ValueRef separator = dict_peek_ascii(dict, "thousands_sep");
    ValueRef groups = dict_peek_ascii(dict, "grouping");
    if (point && !set_text(format->point, point, 1)) return false;
    if (separator && !set_text(format->separator, separator, 0)) return false;
    if (groups && !set_groups(format, groups)) return false;
    format->groups = format->separator[0] && format->size_count;
    return true;
}

static bool use_current_locale(Format *format)
{
    Value module = upcalls.import("_locale");
    Value name = module ? str_intern("localeconv") : VALUE_ERROR;
    Value dict = name ? object_call_method_none(module, name) : VALUE_ERROR;
    bool done = dict && use_locale(format, dict);
    drop(dict);
    drop(name);
    drop(module);
    return done;
}

static bool resolve_type(Format *format, ValueRef override)
{
    bool local = format->type == 'n' || format->type == 'N';
    if (local) {
        if (format->groups) return raise_error(ValueError, "invalid format string");
        if (!use_current_locale(format)) return false;
        format->type = format->type == 'n' ? 'g' : 'G';
    }
    return !override || use_locale(format, override);
}

// ---- the number as text, before it is laid out

static bool is_fixed(const Format *format)
{
    return format->type == 'f' || format->type == 'F' || format->type == '%';
}

static bool has_exponent(const Format *format)
{
    return format->type == 'e' || format->type == 'E';
}

static bool round_to(Number *number, int64_t digits, const Context *context)
{
    Context work = context_for_exact();
    work.prec = digits;
    work.rounding = context->rounding;
    return number_finish(number, &work);
}

// Rounds as the precision wants. False in *valid where that is beyond the limits.
static bool round_number(Number *number, const Format *format, Context *context)
{
    if (format->type == '%') number->exponent += 2;
    if (format->precision >= 0) {
        if (is_fixed(format) && !number_rescale(number, -format->precision, context)) return false;
        bool is_general = !is_fixed(format) && !has_exponent(format);
        int64_t digits = format->precision + has_exponent(format);
        if (is_general && !digits) digits = 1;
        int64_t missing = digits - number_digits(number);
        if (!is_fixed(format) && missing < 0 && !round_to(number, digits, context)) return false;
        if (has_exponent(format) && missing > 0 && number->size) {
            if (!number_shift_left(number, missing)) return false;
            number->exponent -= missing;
        }
    }
    if (is_fixed(format) && is_zero(number) && number->exponent > 0) number->exponent = 0;
    return true;
}

// Digits, the point and the exponent, as the type wants them. NULL with MemoryError pending.
static char *write_number(const Number *number, const Format *format, size_t *size)
{
    int64_t left = number->exponent + number_digits(number), point = 1;
    char letter = format->type == 'E' || format->type == 'G' ? 'E' : 'e';
    if (is_fixed(format)) {
        point = left;
    } else if (has_exponent(format)) {
        if (!number->size && format->precision >= 0) point = 1 - format->precision;
    } else if (number->exponent <= 0 && left > -6) {
        point = left;
    }
    char *text = number_lay_out(number, point, letter, size);
    if (!text) {
        raise_memory_error();
        return NULL;
    }
    if (left == point && has_exponent(format)) { // there is room for an exponent
        text[*size] = letter;
        memcpy(text + *size + 1, "+0", 3);
        *size += 3;
    }
    if (format->type == '%') memcpy(text + (*size)++, "%", 2);
    return text;
}

// ---- laying out

static ssize_t length_of(const char *utf8)
{
    ssize_t length = 0;
    for (; *utf8; utf8++) length += (*utf8 & 0xC0) != 0x80;
    return length;
}

// Appends the groups of the digits before the point, with zeros in front up to `least` characters.
static bool add_groups(ValueRef groups, const Format *format, const char *digits, ssize_t count,
                       int64_t least)
{
    ssize_t separator = length_of(format->separator);
    for (int i = 0; count > 0 || least > 0; i++) {
        if (i) least -= separator;
        int last = format->size_count - 1;
        int64_t size = format->sizes[i < last ? i : last];
        int64_t wanted = count > least ? count : least;
        if (wanted < 1) wanted = 1; // at least one digit before a separator
        if (size > wanted) size = wanted;
        StrBuilder group;
        builder_begin(&group);
        ssize_t have = count < size ? count : (ssize_t)size;
        bool done = builder_fill(&group, '0', (ssize_t)size - have) &&
                    builder_ascii(&group, digits + count - have, (size_t)have);
        Value text = builder_finish(&group);
        if (!done) drop_slot(&text);
        if (!text || !list_append_owned(groups, text)) return false;
        count -= have;
        least -= size;
    }
    return list_reverse(groups);
}

static bool write_groups(StrBuilder *out, const Format *format, const char *digits, ssize_t count,
                         int64_t least)
{
    if (!format->groups) {
        ssize_t zeros = least > count ? (ssize_t)least - count : 0;
        return builder_fill(out, '0', zeros) && builder_ascii(out, digits, (size_t)count);
    }
    Value groups = list_new(0), separator = groups ? str_new(format->separator) : VALUE_ERROR;
    Value joined = VALUE_ERROR;
    if (separator && add_groups(groups, format, digits, count, least))
        joined = str_join(separator, groups);
    bool done = joined && builder_str(out, joined);
    drop(joined);
    drop(separator);
    drop(groups);
    return done;
}

// The text of a number in its parts.
typedef struct NumberParts {
    char sign; // 0 = none
    const char *digits;
    ssize_t count;    // of digits before the point
    const char *rest; // after the point, or the name of a special number
    bool has_point;
} NumberParts;

static NumberParts take_apart(const char *text, const Format *format)
{
    NumberParts parts = {0};
    if (*text == '-') {
        parts.sign = '-';
        text++;
    } else if (format->sign != '-') {
        parts.sign = format->sign;
    }
    parts.digits = text;
    while (*text >= '0' && *text <= '9') text++;
    parts.count = text - parts.digits;
    parts.has_point = *text == '.';
    parts.rest = text + parts.has_point;
    return parts;
}

static bool write_parts(StrBuilder *out, const NumberParts *parts, const Format *format,
                        int64_t least, ssize_t inner)
{
    return (!parts->sign || builder_char(out, (uint8_t)parts->sign)) &&
           builder_fill(out, format->fill, inner) &&
           (!parts->count || write_groups(out, format, parts->digits, parts->count, least)) &&
           (!parts->has_point || builder_text(out, format->point)) &&
           builder_text(out, parts->rest);
}

// Of a special number zeros are spaces.
static Value lay_out(const char *text, Format *format)
{
    NumberParts parts = take_apart(text, format);
    if (format->align == 'z' && !parts.count) {
        format->align = '>';
        format->fill = ' ';
    }
    ssize_t others = (parts.sign != 0) + (parts.has_point ? length_of(format->point) : 0) +
                     (ssize_t)strlen(parts.rest);
    int64_t least = format->align == 'z' ? format->width - others : 0;
    StrBuilder body;
    builder_begin(&body);
    bool done = write_parts(&body, &parts, format, least, 0);
    int64_t missing = format->width - body.length;
    if (!done || missing <= 0 || format->align == 'z') {
        Value made = builder_finish(&body);
        if (!done) drop_slot(&made);
        return made;
    }
    builder_abandon(&body);
    if (missing > PTRDIFF_MAX / 8) return raise_memory_error();
    ssize_t all = (ssize_t)missing;
    ssize_t left = format->align == '>' ? all : format->align == '^' ? all / 2 : 0;
    ssize_t inner = format->align == '=' ? all : 0;
    builder_begin(&body);
    done = builder_fill(&body, format->fill, left) &&
           write_parts(&body, &parts, format, least, inner) &&
           builder_fill(&body, format->fill, all - left - inner);
    Value made = builder_finish(&body);
    if (!done) drop_slot(&made);
    return made;
}

static Value format_number(ValueRef self, Format *format, ContextObject *object)
{
    Number number, lent;
    Context context;
    size_t size;
    context_begin(object, &context);
    decimal_lend(&lent, self);
    number_begin(&number);
    bool done = number_copy(&number, &lent);
    if (done && !is_special(&number)) done = round_number(&number, format, &context);
    char *text = NULL;
    if (done && (context.status & ANY_INVALID)) {
        raise_error(ValueError, "format specification exceeds internal limits of _decimal");
    } else if (done && is_special(&number)) {
        text = number_to_text(&number, false, true, &size);
        if (!text) raise_memory_error();
        if (text && format->type == '%') memcpy(text + size, "%", 2); // there is room for it
    } else if (done) {
        text = write_number(&number, format, &size);
    }
    number_end(&number);
    Value made = text ? lay_out(text, format) : VALUE_ERROR;
    memory_free(text);
    return made;
}

Value decimal_format(ValueRef self, METHOD_ARGS)
{
    Format format;
    ValueRef override = nargs > 1 ? args[1] : VALUE_ERROR;
    ContextObject *context = current_context();
    if (!context) return VALUE_ERROR;
    if (!str_check(args[0])) return raise_error(TypeError, "format arg must be str");
    if (!parse_format(args[0], context->context.capitals, &format))
        return raise_error(ValueError, "invalid format string");
    if (override && !dict_check(override))
        return raise_error(TypeError, "optional argument must be a dict");
    Value held = retain(ref_of(context));
    Value made =
        resolve_type(&format, override) ? format_number(self, &format, context) : VALUE_ERROR;
    drop(held);
    return made;
}
