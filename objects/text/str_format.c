// str.format() and str.format_map().
//
// markup_read() splits the format string into literals and fields; name_begin() and name_step()
// split a field name. The value of a field is looked up, converted (!r !s !a) and formatted by its
// spec. The spec may contain fields of its own, one level deep. Numbering is automatic ("{}") or
// explicit ("{0}"), not both.
#include "objects/text/str_format.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str_methods.h"
#include "objects/text/text.h"
#include "objects/text/unicode.h"
#include "objects/upcalls.h"

#define NESTING_MAX 2

// ---- reading the markup

static bool no(const char *message)
{
    return raise_error(ValueError, "%s", message);
}

static uint32_t point_of(ValueRef text, ssize_t index)
{
    return str_at(as_str(text), index);
}

// The field name ends before '}', ':' or '!'; inside of [] these do not count.
static bool read_name(MarkupReader *reader, Markup *markup, uint32_t *end)
{
    markup->name.start = reader->at;
    *end = 0;
    while (reader->at < reader->end) {
        uint32_t point = point_of(reader->text, reader->at++);
        if (point == '{') return no("unexpected '{' in field name");
        if (point == '[') {
            while (reader->at < reader->end && point_of(reader->text, reader->at) != ']')
                reader->at++;
        } else if (point == '}' || point == ':' || point == '!') {
            *end = point;
            markup->name.end = reader->at - 1;
            return true;
        }
    }
    return no("expected '}' before end of string");
}

// The spec ends at the brace that closes the field.
static bool read_spec(MarkupReader *reader, Markup *markup)
{
    int open = 1;
    markup->spec.start = reader->at;
    while (reader->at < reader->end) {
        uint32_t point = point_of(reader->text, reader->at++);
        if (point == '{') {
            markup->nested = true;
            open++;
        } else if (point == '}' && --open == 0) {
            markup->spec.end = reader->at - 1;
            return true;
        }
    }
    return no("unmatched '{' in format spec");
}

static bool read_field(MarkupReader *reader, Markup *markup)
{
    uint32_t end;
    markup->has_field = true;
    if (!read_name(reader, markup, &end)) return false;
    if (end == '}') return true;
    if (end == '!') {
        if (reader->at >= reader->end)
            return no("end of string while looking for conversion specifier");
        markup->conversion = point_of(reader->text, reader->at++);
        if (reader->at < reader->end) {
            uint32_t point = point_of(reader->text, reader->at++);
            if (point == '}') return true;
            if (point != ':') return no("expected ':' after conversion specifier");
        }
    }
    return read_spec(reader, markup);
}

bool markup_read(MarkupReader *reader, Markup *markup, bool *done)
{
    *markup = (Markup){.literal = {reader->at, reader->at}};
    *done = reader->at >= reader->end;
    if (*done) return false;
    uint32_t brace = 0;
    while (reader->at < reader->end && !brace) {
        uint32_t point = point_of(reader->text, reader->at++);
        if (point == '{' || point == '}') brace = point;
    }
    markup->literal.end = reader->at;
    if (!brace) return true;
    bool at_end = reader->at >= reader->end;
    bool doubled = !at_end && point_of(reader->text, reader->at) == brace;
    if (brace == '}' && !doubled) return no("Single '}' encountered in format string");
    if (at_end) return no("Single '{' encountered in format string");
    if (doubled) {
        reader->at++; // one of the two belongs to the literal
        return true;
    }
    markup->literal.end--;
    return read_field(reader, markup);
}

// ---- reading a field name

// The text as a number, -1 = it is not one. False with ValueError pending.
static bool read_integer(ValueRef text, TextRange range, ssize_t *number)
{
    ssize_t value = 0;
    *number = -1;
    for (ssize_t i = range.start; i < range.end; i++) {
        int digit = unicode_decimal_value(point_of(text, i));
        if (digit < 0) return true;
        if (value > (SSIZE_MAX - digit) / 10) return no("Too many decimal digits in format string");
        value = value * 10 + digit;
    }
    if (range.start < range.end) *number = value;
    return true;
}

static ssize_t end_of_part(ValueRef text, ssize_t at, ssize_t end)
{
    while (at < end && point_of(text, at) != '[' && point_of(text, at) != '.') at++;
    return at;
}

bool name_begin(NameReader *reader, ValueRef text, TextRange range, TextRange *first,
                ssize_t *index)
{
    *first = (TextRange){range.start, end_of_part(text, range.start, range.end)};
    *reader = (NameReader){text, first->end, range.end};
    return read_integer(text, *first, index);
}

bool name_step(NameReader *reader, NameStep *step, bool *done)
{
    *done = reader->at >= reader->end;
    if (*done) return false;
    uint32_t point = point_of(reader->text, reader->at++);
    *step = (NameStep){.attribute = point == '.', .name.start = reader->at, .index = -1};
    if (point == '.') {
        reader->at = step->name.end = end_of_part(reader->text, reader->at, reader->end);
    } else if (point == '[') {
        while (reader->at < reader->end && point_of(reader->text, reader->at) != ']') reader->at++;
        if (reader->at == reader->end) return no("Missing ']' in format string");
        step->name.end = reader->at++;
        if (!read_integer(reader->text, step->name, &step->index)) return false;
    } else {
        return no("Only '.' or '[' may follow ']' in format field specifier");
    }
    if (step->name.start == step->name.end) return no("Empty attribute in format string");
    return true;
}

// ---- fetching values

typedef enum Numbering { UNDECIDED, AUTOMATIC, MANUAL } Numbering;

typedef struct Formatting {
    const ValueRef *args; // positional ones, then those of kwnames
    size_t nargs;
    ValueRef kwnames;
    ValueRef mapping; // of format_map(); else VALUE_ERROR
    Numbering numbering;
    ssize_t next; // number of the next "{}"
    Value whole;  // the last field's text where it begins the result, owned: perhaps it is all
} Formatting;

static bool number_field(Formatting *formatting, bool empty, ssize_t *index)
{
    if (!empty && *index < 0) return true;
    Numbering wanted = empty ? AUTOMATIC : MANUAL;
    if (formatting->numbering == UNDECIDED) formatting->numbering = wanted;
    if (formatting->numbering != wanted)
        return no(empty ? "cannot switch from manual field specification to automatic field "
                          "numbering"
                        : "cannot switch from automatic field numbering to manual field "
                          "specification");
    if (empty) *index = formatting->next++;
    return true;
}

static Value positional_value(const Formatting *formatting, ssize_t index)
{
    if (formatting->mapping) {
        no("Format string contains positional fields");
        return VALUE_ERROR;
    }
    if ((size_t)index >= formatting->nargs)
        return raise_error(IndexError,
                           "Replacement index %zd out of range for positional args tuple", index);
    return retain(formatting->args[index]);
}

static Value named_value(const Formatting *formatting, ValueRef name)
{
    if (formatting->mapping) return object_subscript(formatting->mapping, name);
    ssize_t count = formatting->kwnames ? tuple_size(formatting->kwnames) : 0;
    for (ssize_t i = 0; i < count; i++) {
        ValueRef keyword = tuple_at(formatting->kwnames, i);
        if (str_check(keyword) && str_equal(keyword, name))
            return retain(formatting->args[formatting->nargs + (size_t)i]);
    }
    return raise_key_error(name);
}

static Value first_value(Formatting *formatting, ValueRef text, TextRange first, ssize_t index)
{
    if (!number_field(formatting, first.start == first.end, &index)) return VALUE_ERROR;
    if (index >= 0) return positional_value(formatting, index);
    Value name = str_substring(text, first.start, first.end);
    Value value = name ? named_value(formatting, name) : VALUE_ERROR;
    drop(name);
    return value;
}

static Value take_step(ValueRef value, ValueRef text, const NameStep *step)
{
    if (!step->attribute && step->index >= 0)
        return sequence_check(value) ? sequence_item(value, step->index)
                                     : object_subscript(value, from_small(step->index));
    Value name = str_substring(text, step->name.start, step->name.end);
    if (!name) return VALUE_ERROR;
    if (step->attribute) str_intern_in_place(&name);
    Value result = step->attribute ? object_get(value, name) : object_subscript(value, name);
    drop(name);
    return result;
}

static Value field_value(Formatting *formatting, ValueRef text, TextRange name)
{
    NameReader reader;
    TextRange first;
    ssize_t index;
    if (!name_begin(&reader, text, name, &first, &index)) return VALUE_ERROR;
    Value value = first_value(formatting, text, first, index);
    NameStep step;
    bool done = false;
    while (value && name_step(&reader, &step, &done)) {
        Value next = take_step(value, text, &step);
        replace_slot(&value, next);
    }
    if (value && !done) drop_slot(&value);
    return value;
}

static Value convert(ValueRef value, uint32_t conversion)
{
    switch (conversion) {
    case 0: return retain(value);
    case 'r': return object_repr(value);
    case 's': return object_str(value);
    case 'a': return object_ascii(value);
    }
    if (conversion > 32 && conversion < 127)
        return raise_error(ValueError, "Unknown conversion specifier %c", (int)conversion);
    return raise_error(ValueError, "Unknown conversion specifier \\x%x", (unsigned)conversion);
}

// ---- building

static bool build(Formatting *formatting, StrBuilder *out, ValueRef text, TextRange range,
                  int depth);

// The spec as a str: VALUE_ERROR if there is none, and with *failed set after an error.
static Value spec_text(Formatting *formatting, ValueRef text, const Markup *markup, int depth,
                       bool *failed)
{
    *failed = false;
    if (markup->spec.start == markup->spec.end) return VALUE_ERROR;
    Value spec = VALUE_ERROR;
    StrBuilder builder;
    builder_begin(&builder);
    if (!markup->nested)
        spec = str_substring(text, markup->spec.start, markup->spec.end);
    else if (build(formatting, &builder, text, markup->spec, depth - 1))
        spec = builder_finish(&builder);
    builder_abandon(&builder);
    *failed = !spec;
    return spec;
}

static bool append_formatted(Formatting *formatting, StrBuilder *out, ValueRef value, ValueRef spec)
{
    if (!spec && is_small(value)) return builder_int(out, small_value(value));
    Value formatted = spec || !str_check_exact(value) ? object_format(value, spec) : retain(value);
    if (!formatted) return false;
    replace_slot(&formatting->whole, out->length ? VALUE_ERROR : retain(formatted));
    bool done = builder_str(out, formatted);
    drop(formatted);
    return done;
}

static bool append_field(Formatting *formatting, StrBuilder *out, ValueRef text,
                         const Markup *markup, int depth)
{
    Value value = field_value(formatting, text, markup->name);
    if (value) replace_slot(&value, convert(value, markup->conversion));
    if (!value) return false;
    bool failed;
    Value spec = spec_text(formatting, text, markup, depth, &failed);
    bool done = !failed && append_formatted(formatting, out, value, spec);
    drop(spec);
    drop(value);
    return done;
}

static bool build(Formatting *formatting, StrBuilder *out, ValueRef text, TextRange range,
                  int depth)
{
    if (depth <= 0) return no("Max string recursion exceeded");
    MarkupReader reader = {text, range.start, range.end};
    Markup markup;
    bool done;
    while (markup_read(&reader, &markup, &done)) {
        if (!builder_slice(out, text, markup.literal.start, markup.literal.end)) return false;
        if (markup.has_field && !append_field(formatting, out, text, &markup, depth)) return false;
        if (!poll_signals()) return false;
    }
    return done;
}

static bool has_brace(ValueRef text)
{
    ssize_t length = str_length(text);
    return str_find_char(text, '{', 0, length, 1) >= 0 ||
           str_find_char(text, '}', 0, length, 1) >= 0;
}

static Value format_text_with(Formatting *formatting, ValueRef text)
{
    if (!has_brace(text)) return str_length(text) ? retain(text) : str_empty();
    StrBuilder builder;
    builder_begin(&builder);
    Value result = VALUE_ERROR;
    if (build(formatting, &builder, text, (TextRange){0, str_length(text)}, NESTING_MAX))
        result = builder_finish(&builder);
    builder_abandon(&builder);
    result = str_or_same(result, formatting->whole ? formatting->whole : text);
    drop(formatting->whole);
    return result;
}

METHOD_HEAD(str, format)
{
    Formatting formatting = {.args = args, .nargs = nargs, .kwnames = kwnames};
    return format_text_with(&formatting, self);
}

METHOD_HEAD(str, format_map)
{
    Formatting formatting = {.mapping = args[0]};
    return format_text_with(&formatting, self);
}
