// The format specification mini-language for int, float, complex and str.
//
// A spec is parsed in the same way for all types. Then each type rejects the options that it does
// not have, makes its digits, and has them laid out:
//
//     | left padding | sign | prefix | inner padding | digits, grouped | rest | right padding |
//
// At most one kind of padding is not empty. `rest` follows the digits of the integral part: the
// point, the fraction, the exponent, '%', or all of "inf" and "nan". Zeros from '0' padding count
// as digits, so they are grouped too.
#include "objects/text/format.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/text.h"
#include "objects/text/unicode.h"

#include <limits.h>
#include <math.h>

typedef struct Spec {
    uint32_t fill;
    char align;     // '<' '>' '^' '='
    char sign;      // '+' '-' ' ', 0 = none given
    char separator; // ',' '_', 0 = none
    int group;      // digits between separators, 0 = none
    bool alternate;
    ssize_t width, precision; // -1 = none given
    uint32_t type;            // 0 = none given
} Spec;

// ---- parsing

typedef struct SpecReader {
    const Str *text;
    ssize_t at;
} SpecReader;

static uint32_t peek(const SpecReader *reader, ssize_t ahead)
{
    ssize_t index = reader->at + ahead;
    return index < reader->text->length ? str_at(reader->text, index) : 0;
}

static bool is_one_of(uint32_t point, const char *characters)
{
    for (; *characters; characters++)
        if (point == (unsigned char)*characters) return true;
    return false;
}

// The next character where it is one of these, else 0.
static char take(SpecReader *reader, const char *characters)
{
    uint32_t point = peek(reader, 0);
    if (!is_one_of(point, characters)) return 0;
    reader->at++;
    return (char)point;
}

// A number, -1 where there are no digits.
static bool read_number(SpecReader *reader, ssize_t *number)
{
    ssize_t value = 0, start = reader->at;
    for (; reader->at < reader->text->length; reader->at++) {
        int digit = unicode_decimal_value(str_at(reader->text, reader->at));
        if (digit < 0) break;
        if (value > (PTRDIFF_MAX - digit) / 10)
            return raise_error(ValueError, "Too many decimal digits in format string");
        value = value * 10 + digit;
    }
    *number = reader->at > start ? value : -1;
    return true;
}

static void read_alignment(SpecReader *reader, Spec *spec)
{
    bool filled = reader->at < reader->text->length && is_one_of(peek(reader, 1), "<>=^");
    if (filled) spec->fill = str_at(reader->text, reader->at++);
    char align = take(reader, "<>=^");
    if (align) spec->align = align;
    spec->sign = take(reader, " +-");
    spec->alternate = take(reader, "#");
    if (!filled && take(reader, "0")) {
        spec->fill = '0';
        if (!align) spec->align = '=';
    }
}

static bool read_separator(SpecReader *reader, Spec *spec)
{
    char comma = take(reader, ","), underscore = take(reader, "_");
    if (underscore && (comma || peek(reader, 0) == ','))
        return raise_error(ValueError, "Cannot specify both ',' and '_'.");
    spec->separator = comma ? comma : underscore;
    return true;
}

static bool is_printable_ascii(uint32_t type)
{
    return type > 32 && type < 128;
}

static bool check_separator(Spec *spec)
{
    if (!spec->separator) return true;
    spec->group = 3;
    if (!spec->type || is_one_of(spec->type, "defgEG%F")) return true;
    spec->group = 4;
    if (spec->separator == '_' && is_one_of(spec->type, "boxX")) return true;
    if (is_printable_ascii(spec->type))
        return raise_error(ValueError, "Cannot specify '%c' with '%c'.", spec->separator,
                           (int)spec->type);
    return raise_error(ValueError, "Cannot specify '%c' with '\\x%x'.", spec->separator,
                       spec->type);
}

static bool parse(const Str *text, uint32_t default_type, char default_align, Spec *spec)
{
    SpecReader reader = {text, 0};
    *spec = (Spec){.fill = ' ', .align = default_align, .precision = -1, .type = default_type};
    read_alignment(&reader, spec);
    if (!read_number(&reader, &spec->width) || !read_separator(&reader, spec)) return false;
    if (take(&reader, ".")) {
        if (!read_number(&reader, &spec->precision)) return false;
        if (spec->precision < 0)
            return raise_error(ValueError, "Format specifier missing precision");
    }
    ssize_t left = reader.text->length - reader.at;
    if (left > 1) return raise_error(ValueError, "Invalid format specifier");
    if (left) spec->type = peek(&reader, 0);
    return check_separator(spec);
}

// What short specs mean, by their text: a program has few of them, and formats by each many times.
typedef struct KnownSpec {
    uint64_t text; // its ASCII characters
    ssize_t length;
    uint32_t default_type;
    char default_align;
    Spec spec;
} KnownSpec;
static KnownSpec known_specs[64];

static bool parse_spec(ValueRef text, uint32_t default_type, char default_align, Spec *spec)
{
    const Str *str = as_str(text);
    KnownSpec key = {0, str->length, default_type, default_align, {0}};
    if (!str->ascii || (size_t)str->length > sizeof key.text)
        return parse(str, default_type, default_align, spec);
    memcpy(&key.text, str->data, (size_t)str->length);
    KnownSpec *known = &known_specs[(key.text ^ default_type) * 0x9E3779B97F4A7C15ull >> 58];
    if (known->text != key.text || known->length != key.length ||
        known->default_type != default_type || known->default_align != default_align) {
        if (!parse(str, default_type, default_align, &key.spec)) return false;
        *known = key;
    }
    *spec = known->spec;
    return true;
}

static Value raise_unknown_code(const Spec *spec, ValueRef self)
{
    if (is_printable_ascii(spec->type))
        return raise_error(ValueError, "Unknown format code '%c' for object of type '%.200T'",
                           (int)spec->type, self);
    return raise_error(ValueError, "Unknown format code '\\x%x' for object of type '%.200T'",
                       spec->type, self);
}

// The start of every __format__: without a spec the result is str(self). True if *result is what
// __format__ returns: that text, or VALUE_ERROR with an exception of str() or TypeError pending.
static bool formats_as_str(ValueRef self, ValueRef spec, Value *result)
{
    *result = VALUE_ERROR;
    if (!str_check(spec)) {
        raise_error(TypeError, "__format__() argument must be str, not %G", spec);
        return true;
    }
    if (str_length(spec)) return false;
    *result = object_str(self);
    return true;
}

// ---- laying out

typedef struct Padding {
    ssize_t left, inner, right;
} Padding;

static Padding pad(const Spec *spec, ssize_t length)
{
    ssize_t missing = spec->width > length ? spec->width - length : 0;
    switch (spec->align) {
    case '<': return (Padding){.right = missing};
    case '^': return (Padding){missing / 2, 0, missing - missing / 2};
    case '=': return (Padding){.inner = missing};
    default: return (Padding){.left = missing};
    }
}

// A number as text in ASCII, taken apart. Nothing is owned.
typedef struct Parts {
    char sign; // 0 = none
    const char *prefix, *digits, *rest;
    ssize_t prefix_size, digit_count, rest_size;
    ssize_t least;   // the least number of digits and separators, filled up with zeros
    ssize_t grouped; // digits, zeros and separators
} Parts;

// How many characters the digits need with separators and zeros.
static ssize_t grouped_size(const Parts *parts, int group)
{
    if (!parts->digit_count) return 0;
    ssize_t digits = parts->digit_count, least = parts->least;
    if (!group) return digits > least ? digits : least;
    ssize_t plain = digits + (digits - 1) / group;
    if (plain >= least) return plain;
    // A separator never comes first: one more zero comes before it.
    return least % (group + 1) ? least : least + 1;
}

static void measure(const Spec *spec, Parts *parts)
{
    if (!parts->sign && is_one_of((uint32_t)spec->sign, "+ ")) parts->sign = spec->sign;
    ssize_t others = (parts->sign != 0) + parts->prefix_size + parts->rest_size;
    parts->least = spec->fill == '0' && spec->align == '=' ? spec->width - others : 0;
    parts->grouped = grouped_size(parts, spec->group);
}

static ssize_t parts_length(const Parts *parts)
{
    return (parts->sign != 0) + parts->prefix_size + parts->grouped + parts->rest_size;
}

static bool write_grouped(StrBuilder *out, const Parts *parts, const Spec *spec)
{
    ssize_t separators = spec->group ? (parts->grouped - 1) / (spec->group + 1) : 0;
    ssize_t places = parts->grouped - (parts->grouped ? separators : 0);
    for (; places > 0; places--) {
        ssize_t index = parts->digit_count - places;
        char digit = index < 0 ? '0' : parts->digits[index];
        if (!builder_char(out, (uint8_t)digit)) return false;
        bool ends_group = spec->group && places > 1 && (places - 1) % spec->group == 0;
        if (ends_group && !builder_char(out, (uint8_t)spec->separator)) return false;
    }
    return true;
}

static bool write_digits(StrBuilder *out, const Parts *parts, const Spec *spec)
{
    if (!spec->group && parts->grouped == parts->digit_count)
        return builder_ascii(out, parts->digits, (size_t)parts->digit_count);
    return write_grouped(out, parts, spec);
}

static bool write_parts(StrBuilder *out, const Parts *parts, const Spec *spec, ssize_t inner)
{
    return (!parts->sign || builder_char(out, (uint8_t)parts->sign)) &&
           builder_ascii(out, parts->prefix, (size_t)parts->prefix_size) &&
           builder_fill(out, spec->fill, inner) && write_digits(out, parts, spec) &&
           builder_ascii(out, parts->rest, (size_t)parts->rest_size);
}

// Finishes the builder, or abandons it after a failure.
static Value finish(StrBuilder *out, bool written)
{
    if (written) return builder_finish(out);
    builder_abandon(out);
    return VALUE_ERROR;
}

static Value lay_out(const Spec *spec, Parts *parts)
{
    measure(spec, parts);
    Padding padding = pad(spec, parts_length(parts));
    StrBuilder out;
    builder_begin(&out);
    bool written = builder_fill(&out, spec->fill, padding.left) &&
                   write_parts(&out, parts, spec, padding.inner) &&
                   builder_fill(&out, spec->fill, padding.right);
    return finish(&out, written);
}

// ---- str

Value str_format_spec(ValueRef self, ValueRef spec_text)
{
    Spec spec;
    Value text;
    if (formats_as_str(self, spec_text, &text)) return text;
    if (!parse_spec(spec_text, 's', '<', &spec)) return VALUE_ERROR;
    if (spec.type != 's') return raise_unknown_code(&spec, self);
    if (spec.sign)
        return raise_error(ValueError, "%s not allowed in string format specifier",
                           spec.sign == ' ' ? "Space" : "Sign");
    if (spec.alternate)
        return raise_error(ValueError, "Alternate form (#) not allowed in string format specifier");
    if (spec.align == '=')
        return raise_error(ValueError, "'=' alignment not allowed in string format specifier");
    ssize_t length = str_length(self);
    if (spec.precision >= 0 && spec.precision < length) length = spec.precision;
    Padding padding = pad(&spec, length);
    bool as_is = length == str_length(self) && !padding.left && !padding.right;
    if (as_is) return retain(self);
    StrBuilder out;
    builder_begin(&out);
    bool written = builder_fill(&out, spec.fill, padding.left) &&
                   builder_slice(&out, self, 0, length) &&
                   builder_fill(&out, spec.fill, padding.right);
    return finish(&out, written);
}

// ---- int

static Value format_character(ValueRef self, const Spec *spec)
{
    int64_t point;
    if (spec->sign)
        return raise_error(ValueError, "Sign not allowed with integer format specifier 'c'");
    if (spec->alternate)
        return raise_error(ValueError,
                           "Alternate form (#) not allowed with integer format specifier 'c'");
    if (!int_as_int64(self, &point)) return VALUE_ERROR;
    if (point < 0 || point > 0x10FFFF)
        return raise_error(OverflowError, "%%c arg not in range(0x110000)");
    Padding padding = pad(spec, 1);
    StrBuilder out;
    builder_begin(&out);
    bool written = builder_fill(&out, spec->fill, padding.left + padding.inner) &&
                   builder_char(&out, (uint32_t)point) &&
                   builder_fill(&out, spec->fill, padding.right);
    return finish(&out, written);
}

static int base_of(uint32_t type)
{
    return type == 'b' ? 2 : type == 'o' ? 8 : type == 'x' || type == 'X' ? 16 : 10;
}

// An upper-case copy of ASCII text, owned by memory_alloc.
static char *upper_copy(const char *text, size_t size)
{
    char *copy = memory_alloc(size + 1);
    if (!copy) {
        raise_memory_error();
        return NULL;
    }
    for (size_t i = 0; i < size; i++)
        copy[i] = text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 32) : text[i];
    return copy;
}

// `text` is [-][0x]digits.
static Value lay_out_int(const char *text, size_t size, int base, const Spec *spec)
{
    Parts parts = {.rest = ""};
    if (*text == '-') {
        parts.sign = '-';
        text++;
        size--;
    }
    parts.prefix = text;
    parts.prefix_size = spec->alternate && base != 10 ? 2 : 0;
    parts.digits = text + parts.prefix_size;
    parts.digit_count = (ssize_t)size - parts.prefix_size;
    return lay_out(spec, &parts);
}

static Value format_integer(ValueRef self, const Spec *spec)
{
    if (spec->precision >= 0)
        return raise_error(ValueError, "Precision not allowed in integer format specifier");
    if (spec->type == 'c') return format_character(self, spec);
    int base = base_of(spec->type);
    bool plain = spec->sign != '+' && spec->sign != ' ' && spec->width < 0 && !spec->separator;
    if (base == 10 && !plain && is_small(self)) {
        char digits[DECIMAL_MAX], *end = digits + sizeof digits;
        char *start = text_decimal(small_value(self), end);
        return lay_out_int(start, (size_t)(end - start), base, spec);
    }
    Value text = int_to_text(self, base, spec->alternate);
    if (!text) return VALUE_ERROR;
    if (plain && spec->type != 'X') return text;
    const char *data = as_str(text)->data;
    size_t size = (size_t)str_length(text);
    char *copy = spec->type == 'X' ? upper_copy(data, size) : NULL;
    Value result = VALUE_ERROR;
    if (copy || spec->type != 'X') result = lay_out_int(copy ? copy : data, size, base, spec);
    memory_free(copy);
    drop(text);
    return result;
}

// ---- float

// Text of a double, with the sign, the digits of the integral part and the rest told apart.
static void split_float(const char *text, Parts *parts)
{
    *parts = (Parts){.prefix = ""};
    if (*text == '-') parts->sign = *text++;
    parts->digits = text;
    while (*text >= '0' && *text <= '9') text++;
    parts->digit_count = text - parts->digits;
    parts->rest = text;
    parts->rest_size = (ssize_t)strlen(text);
}

static bool check_precision(const Spec *spec)
{
    if (spec->precision <= INT_MAX) return true;
    return raise_error(ValueError, "precision too big");
}

// How one double of the spec is written, as double_format() wants it.
typedef struct DoubleStyle {
    char kind;
    int precision;
    int flags;
} DoubleStyle;

static DoubleStyle style_of(const Spec *spec)
{
    DoubleStyle style = {.precision = (int)spec->precision};
    style.flags = spec->alternate ? DOUBLE_ALT : 0;
    style.kind = (char)spec->type;
    int usual = 6;
    if (!spec->type) {
        style.kind = 'r';
        usual = 0;
    } else if (spec->type == 'n') {
        style.kind = 'g';
    } else if (spec->type == '%') {
        style.kind = 'f';
    }
    if (style.precision < 0)
        style.precision = usual;
    else if (style.kind == 'r')
        style.kind = 'g';
    return style;
}

static Value format_double(double number, const Spec *spec)
{
    if (!check_precision(spec)) return VALUE_ERROR;
    DoubleStyle style = style_of(spec);
    if (!spec->type) style.flags |= DOUBLE_DOT_ZERO;
    if (spec->type == '%') number *= 100;
    char *text = double_format(number, style.kind, style.precision, style.flags);
    if (!text) return VALUE_ERROR;
    if (spec->type == '%') strcat(text, "%"); // double_format() leaves room for one more
    Value result;
    bool signed_style = spec->sign == '+' || spec->sign == ' ';
    if (!signed_style && spec->width < 0 && !spec->separator) {
        result = str_from_ascii(text, strlen(text));
    } else {
        Parts parts;
        split_float(text, &parts);
        result = lay_out(spec, &parts);
    }
    memory_free(text);
    return result;
}

Value float_format(ValueRef self, ValueRef spec_text)
{
    Spec spec;
    Value text;
    if (formats_as_str(self, spec_text, &text)) return text;
    if (!parse_spec(spec_text, 0, '>', &spec)) return VALUE_ERROR;
    if (spec.type && !is_one_of(spec.type, "eEfFgGn%")) return raise_unknown_code(&spec, self);
    return format_double(float_value(self), &spec);
}

Value int_format(ValueRef self, ValueRef spec_text)
{
    Spec spec;
    Value text;
    if (formats_as_str(self, spec_text, &text)) return text;
    if (!parse_spec(spec_text, 'd', '>', &spec)) return VALUE_ERROR;
    if (is_one_of(spec.type, "bcdoxXn")) return format_integer(self, &spec);
    if (!is_one_of(spec.type, "eEfFgG%")) return raise_unknown_code(&spec, self);
    double number;
    return float_from_value(self, &number) ? format_double(number, &spec) : VALUE_ERROR;
}

// ---- complex

// Both parts without padding, in parentheses where `whole` (no type was given), padded as one.
static Value lay_out_complex(const Spec *spec, Parts *real, Parts *imag, bool whole)
{
    Spec bare = *spec;
    bare.fill = ' ';
    bare.align = '<';
    bare.width = -1;
    ssize_t length = 1;
    if (real) {
        measure(&bare, real);
        bare.sign = '+';
        length += parts_length(real) + 2 * whole;
    }
    measure(&bare, imag);
    length += parts_length(imag);
    Padding padding = pad(spec, length);
    bool brackets = real && whole;
    StrBuilder out;
    builder_begin(&out);
    bool written =
        builder_fill(&out, spec->fill, padding.left) && (!brackets || builder_char(&out, '(')) &&
        (!real || write_parts(&out, real, &bare, 0)) && write_parts(&out, imag, &bare, 0) &&
        builder_char(&out, 'j') && (!brackets || builder_char(&out, ')')) &&
        builder_fill(&out, spec->fill, padding.right);
    return finish(&out, written);
}

static Value format_parts(const Complex *number, const Spec *spec)
{
    DoubleStyle style = style_of(spec);
    bool whole = !spec->type;
    bool alone = whole && number->real == 0.0 && !signbit(number->real);
    char *real_text = double_format(number->real, style.kind, style.precision, style.flags);
    char *imag_text = NULL;
    if (real_text)
        imag_text = double_format(number->imag, style.kind, style.precision, style.flags);
    Value result = VALUE_ERROR;
    if (imag_text) {
        Parts real, imag;
        split_float(real_text, &real);
        split_float(imag_text, &imag);
        result = lay_out_complex(spec, alone ? NULL : &real, &imag, whole);
    }
    memory_free(real_text);
    memory_free(imag_text);
    return result;
}

Value complex_format(ValueRef self, ValueRef spec_text)
{
    Spec spec;
    Value text;
    if (formats_as_str(self, spec_text, &text)) return text;
    if (!parse_spec(spec_text, 0, '>', &spec)) return VALUE_ERROR;
    if (spec.type && !is_one_of(spec.type, "eEfFgGn")) return raise_unknown_code(&spec, self);
    if (!check_precision(&spec)) return VALUE_ERROR;
    if (spec.fill == '0')
        return raise_error(ValueError, "Zero padding is not allowed in complex format specifier");
    if (spec.align == '=')
        return raise_error(ValueError,
                           "'=' alignment flag is not allowed in complex format specifier");
    return format_parts(as_complex(self), &spec);
}
