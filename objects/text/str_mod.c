// format % arguments, for str and for bytes.
//
//     %[(key)][flags][width][.precision][h|l|L]type
//
// One formatter serves both. It reads a bytes format as Latin-1 and makes code points below 256;
// only %s, %c, %r and the keys differ. For each directive it parses a Spec, takes the argument,
// makes the text, and lays it out.
#include "objects/bytes/bytes_parts.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/text.h"

typedef struct Spec {
    bool left, sign, blank, alternate, zero; // the flags - + space # 0
    ssize_t width;                           // -1 = none
    int precision;                           // -1 = none
    uint32_t type;
} Spec;

typedef struct Formatter {
    ValueRef format; // a str
    ssize_t at;      // the next code point of it
    bool bytes;
    ValueRef mapping; // for keys; VALUE_ERROR = none
    // The arguments: a tuple and the next index, or a single value that is used up once taken.
    ValueRef tuple, single;
    ssize_t index;
    Value keyed; // what the last key found, owned
    Value whole; // a str that began the text, owned: perhaps it is all of it. Then it may be that
                 // nothing was added to the text
    StrBuilder text;
} Formatter;

// ---- arguments

static ValueRef next_argument(Formatter *formatter)
{
    if (formatter->single) {
        ValueRef value = formatter->single;
        formatter->single = 0;
        return value;
    }
    if (formatter->tuple && formatter->index < tuple_size(formatter->tuple))
        return tuple_at(formatter->tuple, formatter->index++);
    return raise_error(TypeError, "not enough arguments for format string");
}

static bool all_converted(const Formatter *formatter)
{
    bool left =
        formatter->tuple ? formatter->index < tuple_size(formatter->tuple) : formatter->single != 0;
    if (!left || formatter->mapping) return true;
    return raise_error(TypeError, "not all arguments converted during %s formatting",
                       formatter->bytes ? "bytes" : "string");
}

// ---- parsing a directive

static bool at_end(const Formatter *formatter)
{
    return formatter->at >= str_length(formatter->format);
}

static uint32_t peek(const Formatter *formatter)
{
    return str_at(as_str(formatter->format), formatter->at);
}

// The key in parentheses, which may be nested; `at` moves past it.
static Value parse_key(Formatter *formatter)
{
    ssize_t start = ++formatter->at;
    int open = 1;
    for (; !at_end(formatter); formatter->at++) {
        uint32_t point = peek(formatter);
        open += point == '(' ? 1 : point == ')' ? -1 : 0;
        if (open > 0) continue;
        Value key = str_substring(formatter->format, start, formatter->at++);
        if (!key || !formatter->bytes) return key;
        Value bytes = bytes_new(as_str(key)->data, (size_t)str_length(key));
        drop(key);
        return bytes;
    }
    return raise_error(ValueError, "incomplete format key");
}

// Makes the value that the mapping has under the key the only argument from now on.
static bool take_key(Formatter *formatter)
{
    if (!formatter->mapping) return raise_error(TypeError, "format requires a mapping");
    Value key = parse_key(formatter);
    if (!key) return false;
    Value value = object_subscript(formatter->mapping, key);
    drop(key);
    if (!value) return false;
    replace_slot(&formatter->keyed, value);
    formatter->single = formatter->keyed;
    formatter->tuple = 0;
    return true;
}

static void parse_flags(Formatter *formatter, Spec *spec)
{
    for (; !at_end(formatter); formatter->at++) {
        switch (peek(formatter)) {
        case '-': spec->left = true; break;
        case '+': spec->sign = true; break;
        case ' ': spec->blank = true; break;
        case '#': spec->alternate = true; break;
        case '0': spec->zero = true; break;
        default: return;
        }
    }
}

// A number in digits, or '*' for an argument.
static bool parse_number(Formatter *formatter, int64_t most, const char *complaint, int64_t *number)
{
    if (peek(formatter) == '*') {
        formatter->at++;
        ValueRef value = next_argument(formatter);
        if (!value) return false;
        if (!int_check(value)) return raise_error(TypeError, "* wants int");
        if (int_as_int64_clamped(value, number) || *number > most || *number < -most)
            return raise_error(OverflowError, "Python int too large to convert to C %s",
                               most == INT_MAX ? "int" : "ssize_t");
        return true;
    }
    for (; !at_end(formatter) && peek(formatter) - '0' < 10; formatter->at++) {
        int64_t digit = peek(formatter) - '0';
        if (*number > (most - digit) / 10) return raise_error(ValueError, "%s", complaint);
        *number = *number * 10 + digit;
    }
    return true;
}

static bool is_number_start(const Formatter *formatter)
{
    return !at_end(formatter) && (peek(formatter) == '*' || peek(formatter) - '0' < 10);
}

static bool parse_width(Formatter *formatter, Spec *spec)
{
    int64_t width = 0;
    if (!is_number_start(formatter)) return true;
    if (!parse_number(formatter, SSIZE_MAX - 1, "width too big", &width)) return false;
    if (width < 0) {
        spec->left = true;
        width = -width;
    }
    spec->width = (ssize_t)width;
    return true;
}

static bool parse_precision(Formatter *formatter, Spec *spec)
{
    int64_t precision = 0;
    if (at_end(formatter) || peek(formatter) != '.') return true;
    formatter->at++;
    const char *complaint = formatter->bytes ? "prec too big" : "precision too big";
    if (is_number_start(formatter) && !parse_number(formatter, INT_MAX, complaint, &precision))
        return false;
    spec->precision = precision < 0 ? 0 : (int)precision;
    return true;
}

// Most directives are their type alone.
static bool takes_nothing_before(const Formatter *formatter)
{
    uint32_t point = at_end(formatter) ? 0 : peek(formatter);
    return point - 'a' < 26 && point != 'h' && point != 'l';
}

static bool parse_spec(Formatter *formatter, Spec *spec)
{
    *spec = (Spec){.width = -1, .precision = -1};
    if (takes_nothing_before(formatter)) {
        spec->type = str_at(as_str(formatter->format), formatter->at++);
        return true;
    }
    if (!at_end(formatter) && peek(formatter) == '(' && !take_key(formatter)) return false;
    parse_flags(formatter, spec);
    if (!parse_width(formatter, spec) || !parse_precision(formatter, spec)) return false;
    if (!at_end(formatter) &&
        (peek(formatter) == 'h' || peek(formatter) == 'l' || peek(formatter) == 'L'))
        formatter->at++;
    if (at_end(formatter)) return raise_error(ValueError, "incomplete format");
    spec->type = peek(formatter);
    formatter->at++;
    return true;
}

// ---- laying out

// `text` has a sign or none. With `prefix` the letters "0x" follow the sign. Zeros go between these
// and the digits.
static bool lay_out_number(StrBuilder *out, const Spec *spec, const char *text, size_t size,
                           size_t prefix)
{
    char sign = text[0] == '-' || text[0] == '+' ? text[0]
                : spec->sign                     ? '+'
                : spec->blank                    ? ' '
                                                 : 0;
    if (text[0] == '-' || text[0] == '+') {
        text++;
        size--;
    }
    ssize_t padding = spec->width - (ssize_t)size - (sign ? 1 : 0);
    bool zeros = spec->zero && !spec->left;
    if (!zeros && !spec->left && !builder_fill(out, ' ', padding)) return false;
    if (sign && !builder_char(out, (uint32_t)sign)) return false;
    if (!builder_ascii(out, text, prefix)) return false;
    if (zeros && !builder_fill(out, '0', padding)) return false;
    if (!builder_ascii(out, text + prefix, size - prefix)) return false;
    return !spec->left || builder_fill(out, ' ', padding);
}

static bool lay_out_text(StrBuilder *out, const Spec *spec, ValueRef text)
{
    ssize_t length = str_length(text);
    if (spec->precision >= 0 && spec->precision < length) length = spec->precision;
    ssize_t padding = spec->width - length;
    return (spec->left || builder_fill(out, ' ', padding)) && builder_slice(out, text, 0, length) &&
           (!spec->left || builder_fill(out, ' ', padding));
}

// ---- numbers

static bool is_number(ValueRef value)
{
    const Type *type = type_of(value);
    return type->index || type->int_ || type->float_;
}

static Value wrong_number(const Spec *spec, ValueRef value)
{
    bool whole = spec->type == 'o' || spec->type == 'x' || spec->type == 'X';
    return raise_error(TypeError, "%%%c format: %s is required, not %.200T", (int)spec->type,
                       whole ? "an integer" : "a number", value);
}

// The argument of %d and its kin as an int.
static Value integer_argument(const Spec *spec, ValueRef value)
{
    if (int_check(value)) return retain(value);
    if (!is_number(value)) return wrong_number(spec, value);
    bool whole = spec->type == 'o' || spec->type == 'x' || spec->type == 'X';
    Value number = whole ? object_index(value) : object_int(value);
    if (!number && error_is(TypeError)) {
        error_clear();
        return wrong_number(spec, value);
    }
    return number;
}

// Digits of at least the precision; the sign and the prefix stay in front.
static char *digits_of(ValueRef number, const Spec *spec, size_t *size, size_t *prefix)
{
    int base = spec->type == 'o' ? 8 : spec->type == 'x' || spec->type == 'X' ? 16 : 10;
    bool prefixed = spec->alternate && base != 10;
    Value text = int_to_text(number, base, prefixed);
    if (!text) return NULL;
    const char *from = as_str(text)->data;
    size_t length = (size_t)str_length(text), head = (from[0] == '-') + (prefixed ? 2u : 0u);
    size_t zeros = 0;
    if (spec->precision > 0 && (size_t)spec->precision > length - head)
        zeros = (size_t)spec->precision - (length - head);
    char *digits = memory_alloc(length + zeros);
    if (digits) {
        memcpy(digits, from, head);
        memset(digits + head, '0', zeros);
        memcpy(digits + head + zeros, from + head, length - head);
    } else {
        raise_memory_error();
    }
    drop(text);
    *size = length + zeros;
    *prefix = prefixed ? 2 : 0;
    return digits;
}

static bool is_plain(const Spec *spec)
{
    return spec->width < 0 && spec->precision < 0 && !spec->sign && !spec->blank;
}

static bool format_integer(Formatter *formatter, const Spec *spec, ValueRef value)
{
    if (is_small(value) && is_plain(spec) && (spec->type == 'd' || spec->type == 'i'))
        return builder_int(&formatter->text, small_value(value));
    if (is_small(value) && is_plain(spec) && !spec->alternate && spec->type != 'X') {
        Value text = int_to_text(value, spec->type == 'o' ? 8 : spec->type == 'x' ? 16 : 10, false);
        bool done = text && builder_str(&formatter->text, text);
        drop(text);
        return done;
    }
    if (spec->precision > INT_MAX - 3) return raise_error(ValueError, "precision too large");
    size_t size, prefix;
    Value number = integer_argument(spec, value);
    if (!number) return false;
    char *digits = digits_of(number, spec, &size, &prefix);
    drop(number);
    if (!digits) return false;
    if (spec->type == 'X')
        for (size_t i = 0; i < size; i++)
            if (digits[i] >= 'a' && digits[i] <= 'z') digits[i] &= ~0x20;
    bool done = lay_out_number(&formatter->text, spec, digits, size, prefix);
    memory_free(digits);
    return done;
}

static bool format_real(Formatter *formatter, const Spec *spec, ValueRef value)
{
    double number;
    if (!float_from_value(value, &number)) {
        if (!formatter->bytes || !error_is(TypeError)) return false;
        error_clear();
        return raise_error(TypeError, "float argument required, not %.200T", value);
    }
    char kind = (char)(spec->type | 0x20);
    int precision = spec->precision < 0 ? 6 : spec->precision;
    char *text = double_format(number, kind, precision, spec->alternate ? DOUBLE_ALT : 0);
    if (!text) return false;
    size_t size = strlen(text);
    if (kind != (char)spec->type)
        for (size_t i = 0; i < size; i++)
            if (text[i] >= 'a' && text[i] <= 'z') text[i] &= ~0x20;
    bool done = lay_out_number(&formatter->text, spec, text, size, 0);
    memory_free(text);
    return done;
}

// ---- characters and texts

// The character of a number; ABSENT if the value turns out to be none.
static Value numbered_character(ValueRef value, int64_t most, const char *range)
{
    if (!int_check(value) && !type_of(value)->index) return ABSENT;
    Value number = object_index(value);
    if (!number) {
        if (!error_is(TypeError)) return VALUE_ERROR;
        error_clear();
        return ABSENT;
    }
    int64_t point;
    bool is_long = int_as_int64_clamped(number, &point) == 0;
    drop(number);
    if (!is_long && most > 0xFF) return ABSENT; // as 3.9 says of a str
    if (!is_long || point < 0 || point > most)
        return raise_error(OverflowError, "%%c arg not in range(%s)", range);
    return str_from_code_point((uint32_t)point);
}

// The character of %c in a str: a str of one, or a code point.
static Value str_character(ValueRef value)
{
    if (str_check(value) && str_length(value) == 1) return str_exact(value);
    Value character = str_check(value) ? ABSENT : numbered_character(value, 0x10FFFF, "0x110000");
    if (bits_of(character) != bits_of(ABSENT)) return character;
    return raise_error(TypeError, "%%c requires int or char");
}

// The same in bytes: bytes of one, or a byte.
static Value byte_character(ValueRef value)
{
    if (bytes_check(value) || bytearray_check(value)) {
        View view = view_of(value);
        if (view.size == 1) return str_from_latin1(view.data, 1);
    }
    Value character = numbered_character(value, 255, "256");
    if (bits_of(character) != bits_of(ABSENT)) return character;
    return raise_error(TypeError, "%%c requires an integer in range(256) or a single byte");
}

static Value latin1_of(ValueRef value)
{
    Buffer buffer;
    if (!buffer_get_strided(value, &buffer, false)) return VALUE_ERROR;
    char *copy = memory_alloc((size_t)buffer.size + 1);
    Value text = copy ? VALUE_ERROR : raise_memory_error();
    if (copy) {
        buffer_copy(&buffer, copy);
        text = str_from_latin1(copy, (size_t)buffer.size);
    }
    memory_free(copy);
    buffer_release(&buffer);
    return text;
}

// %b: the bytes of the argument, as Latin-1.
static Value bytes_argument(ValueRef value)
{
    if (bytes_check(value) || bytearray_check(value)) return latin1_of(value);
    Value method = object_special(value, NAME(__bytes__));
    if (!method) return VALUE_ERROR;
    if (bits_of(method) != bits_of(ABSENT)) {
        drop(method);
        Value bytes = bytes_from_value(value);
        Value text = bytes ? latin1_of(bytes) : VALUE_ERROR;
        drop(bytes);
        return text;
    }
    if (buffer_check(value)) return latin1_of(value);
    return raise_error(TypeError,
                       "%%b requires a bytes-like object, or an object that implements __bytes__, "
                       "not '%.100T'",
                       value);
}

// The text of %s, %r, %a, %b, %c.
static Value text_of(Formatter *formatter, uint32_t type, ValueRef value)
{
    switch (type) {
    case 'c': return formatter->bytes ? byte_character(value) : str_character(value);
    case 'a': return object_ascii(value);
    case 'r': return formatter->bytes ? object_ascii(value) : object_repr(value);
    default: return formatter->bytes ? bytes_argument(value) : object_str(value);
    }
}

static bool format_text_piece(Formatter *formatter, const Spec *spec, ValueRef value)
{
    if (spec->type == 's' && !formatter->bytes && is_plain(spec) && is_small(value))
        return builder_int(&formatter->text, small_value(value));
    Value text = text_of(formatter, spec->type, value);
    if (!text) return false;
    if (!formatter->text.length) formatter->whole = retain(text);
    if (formatter->whole && !formatter->bytes && is_plain(spec) && at_end(formatter)) {
        drop(text);
        return true;
    }
    Spec layout = *spec;
    if (spec->type == 'c') layout.precision = -1;
    bool done = lay_out_text(&formatter->text, &layout, text);
    drop(text);
    return done;
}

// ---- the whole

static bool format_directive(Formatter *formatter)
{
    Spec spec;
    if (!parse_spec(formatter, &spec)) return false;
    ssize_t index = formatter->at - 1;
    ValueRef value = next_argument(formatter);
    if (!value) return false;
    if (formatter->whole) drop_slot(&formatter->whole);
    switch (spec.type) {
    case 's':
    case 'r':
    case 'a':
    case 'c': return format_text_piece(formatter, &spec, value);
    case 'b':
        if (formatter->bytes) return format_text_piece(formatter, &spec, value);
        break;
    case 'i':
        if (formatter->bytes) spec.type = 'd';
        return format_integer(formatter, &spec, value);
    case 'd':
    case 'u':
    case 'o':
    case 'x':
    case 'X': return format_integer(formatter, &spec, value);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return format_real(formatter, &spec, value);
    }
    bool shown = formatter->bytes ? spec.type < 128 : spec.type > 30 && spec.type < 127;
    return raise_error(ValueError, "unsupported format character '%c' (0x%x) at index %zd",
                       shown ? (int)spec.type : '?', (unsigned)spec.type, index);
}

// Writes the text up to the next %, then formats that directive.
static bool format_next(Formatter *formatter)
{
    ssize_t start = formatter->at, length = str_length(formatter->format);
    ssize_t percent =
        peek(formatter) == '%' ? start : str_find_char(formatter->format, '%', start, length, 1);
    formatter->at = percent < 0 ? length : percent + 1;
    ssize_t end = percent < 0 ? length : percent;
    if (end > start && !builder_slice(&formatter->text, formatter->format, start, end))
        return false;
    if (percent < 0) return true;
    if (at_end(formatter)) return raise_error(ValueError, "incomplete format");
    if (peek(formatter) != '%') return format_directive(formatter);
    formatter->at++;
    return builder_char(&formatter->text, '%');
}

static bool format_all(Formatter *formatter, ValueRef arguments, bool maybe_mapping)
{
    builder_begin(&formatter->text);
    if (tuple_check(arguments))
        formatter->tuple = arguments;
    else
        formatter->single = arguments;
    if (maybe_mapping && mapping_check(arguments)) formatter->mapping = arguments;
    bool done = true;
    while (done && !at_end(formatter)) done = format_next(formatter);
    done = done && all_converted(formatter);
    drop(formatter->keyed);
    if (!done) builder_abandon(&formatter->text);
    return done;
}

// (To empty the builder's own room as well took a fifth of the time of a short text.)
static void formatter_begin(Formatter *formatter, ValueRef format, bool bytes)
{
    formatter->format = format;
    formatter->at = formatter->index = 0;
    formatter->bytes = bytes;
    formatter->mapping = formatter->tuple = formatter->single = 0;
    formatter->keyed = formatter->whole = VALUE_ERROR;
}

Value str_mod(ValueRef format, ValueRef arguments)
{
    Formatter formatter;
    formatter_begin(&formatter, format, false);
    bool maybe_mapping = !tuple_check(arguments) && !str_check(arguments);
    if (!format_all(&formatter, arguments, maybe_mapping)) {
        drop(formatter.whole);
        return VALUE_ERROR;
    }
    if (formatter.whole && !formatter.text.length) return formatter.whole;
    Value result = builder_finish(&formatter.text);
    result = str_or_same(result, formatter.whole ? formatter.whole : format);
    drop(formatter.whole);
    return result;
}

Value bytes_mod(ValueRef format, ValueRef arguments)
{
    View view = view_of(format);
    Value text = str_from_latin1(view.data, (size_t)view.size);
    if (!text) return VALUE_ERROR;
    Formatter formatter;
    formatter_begin(&formatter, text, true);
    bool maybe_mapping = !tuple_check(arguments) && !bytes_check(arguments) &&
                         !str_check(arguments) && !bytearray_check(arguments);
    Value result = VALUE_ERROR;
    if (format_all(&formatter, arguments, maybe_mapping)) {
        StrBuilder *made = &formatter.text;
        result = bytes_like(format, made->data ? made->data : "", made->length);
        builder_abandon(made);
    }
    drop(formatter.whole);
    drop(text);
    return result;
}
