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
    int64_t sizes[GROUPS_MAX]; // of groups of digits, from the point; the last one is repeated
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
            format->sizes[format->size_count++] = INT64_MAX;
        return size >= 0 && size <= GROUP_END;
    }
    if (format->size_count == GROUPS_MAX) return false;
    format->sizes[format->size_count++] = size;
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
    Value function = attribute_of("_locale", "localeconv");
    Value dict = function ? object_call_none(function) : VALUE_ERROR;
    if (dict && !dict_check(dict)) {
        raise_error(TypeError, "localeconv() must return a dict");
        drop_slot(&dict);
    }
    bool done = dict && use_locale(format, dict);
    drop(dict);
    drop(function);
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

// Writes the digits before the point in groups, with zeros in front up to `least` characters, and a
// comma for each separator: from `end` to the left. Returns where they begin.
static char *fill_groups(char *end, const Format *format, const NumberParts *parts, int64_t least)
{
    int last = format->size_count - 1;
    int64_t count = parts->count;
    for (int i = 0; count > 0 || least > 0; i += i < last) {
        int64_t size = format->groups ? format->sizes[i] : INT64_MAX;
        int64_t wanted = count > least ? count : least;
        if (size > wanted) size = wanted;
        least -= size;
        for (; size; size--) *--end = count > 0 ? parts->digits[--count] : '0';
        if (count <= 0 && least <= 0) break;
        least--;
        *--end = ',';
        if (count <= 0 && least <= 0) *--end = '0'; // a separator never comes first
    }
    return end;
}

// The number without its sign, with a comma for each separator: `*from` to the end of the block,
// which is returned. NULL with MemoryError pending.
static char *fill_number(const NumberParts *parts, const Format *format, char **from, char **end)
{
    size_t rest = strlen(parts->rest);
    int64_t others = (int64_t)rest + parts->has_point + (parts->sign != 0);
    int64_t least = format->align == 'z' && parts->count ? format->width - others : 0;
    int64_t longer = least > parts->count ? least : parts->count;
    char *text = longer < PTRDIFF_MAX / 4 ? memory_alloc(2 * (size_t)longer + rest + 3) : NULL;
    if (!text) {
        raise_memory_error();
        return NULL;
    }
    *end = text + 2 * (size_t)longer + rest + 3;
    *from = *end - rest;
    memcpy(*from, parts->rest, rest);
    if (parts->has_point) *--*from = '.';
    *from = fill_groups(*from, format, parts, least);
    return text;
}

// A separator may be several characters, as may the point. They count as one, as in CPython.
static bool write_number_text(StrBuilder *out, const char *from, const char *end,
                              const Format *format)
{
    bool done = true;
    for (; done && from < end; from++)
        if (*from == ',')
            done = builder_text(out, format->separator);
        else if (*from == '.')
            done = builder_text(out, format->point);
        else
            done = builder_char(out, (unsigned char)*from);
    return done;
}

// In front of a special number there are no zeros.
static Value lay_out(const char *number, const Format *format)
{
    NumberParts parts = take_apart(number, format);
    char *from, *end, *text = fill_number(&parts, format, &from, &end);
    if (!text) return VALUE_ERROR;
    bool is_bare = format->align == 'z' && !parts.count;
    uint32_t fill = is_bare ? ' ' : format->fill;
    int64_t missing = format->width - (end - from) - (parts.sign != 0);
    ssize_t all = missing <= 0 ? 0 : missing < PTRDIFF_MAX ? (ssize_t)missing : PTRDIFF_MAX;
    ssize_t left = format->align == '>' || is_bare ? all : format->align == '^' ? all / 2 : 0;
    ssize_t inner = format->align == '=' ? all : 0;
    StrBuilder out;
    builder_begin(&out);
    bool done = builder_fill(&out, fill, left) &&
                (!parts.sign || builder_char(&out, (unsigned char)parts.sign)) &&
                builder_fill(&out, fill, inner) && write_number_text(&out, from, end, format) &&
                builder_fill(&out, fill, all - left - inner);
    memory_free(text);
    Value made = builder_finish(&out);
    if (!done) drop_slot(&made);
    return made;
}

static Value format_number(ValueRef self, const Format *format, ContextObject *object)
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
