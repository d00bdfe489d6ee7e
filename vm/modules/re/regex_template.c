// Parses the replacement template of sub() and expand(): literals, and groups as \1 to \99, \g<1>
// or \g<name>.
#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "vm/modules/re/regex_tree.h"

typedef struct Template {
    RegexSource source;
    uint32_t groups;
    ValueRef group_index;
    ValueRef parts; // list: literals (str) and groups (int)
    StrBuilder literal;
} Template;

static void check(const Template *template, bool ok)
{
    if (!ok) arena_fail(template->source.arena);
}

// Ends the literal, if there is one.
static void flush(Template *template)
{
    if (!template->literal.length) return;
    Value text = builder_finish(&template->literal);
    builder_begin(&template->literal);
    check(template, list_append_owned(template->parts, text));
}

static void add_character(Template *template, uint32_t point)
{
    check(template, builder_char(&template->literal, point));
}

static void add_group(Template *template, uint32_t group, ssize_t offset)
{
    if (group > template->groups)
        source_error(&template->source, offset, "invalid group reference %u", group);
    flush(template);
    check(template, list_append(template->parts, from_small(group)));
}

// \g<...>: the backslash and the g have been taken.
static void parse_group_reference(Template *template)
{
    RegexSource *source = &template->source;
    if (!source_match(source, '<')) source_error(source, 0, "missing <");
    ValueRef name = source_until(source, '>', "group name");
    ssize_t length = str_length(name) + 1;
    uint32_t group;
    if (str_is_identifier(name)) {
        ValueRef known = dict_peek(template->group_index, name);
        check(template, known || raise_error(IndexError, "unknown group name %R", name));
        group = (uint32_t)small_value(known);
    } else if (!source_number(source, name, &group)) {
        source_error(source, length, "bad character in group name %R", name);
    } else if (group >= RE_MAX_GROUPS) {
        source_error(source, length, "invalid group reference %S", name);
    }
    add_group(template, group, length);
}

// \1 to \99, or three octal digits.
static void parse_number(Template *template, uint32_t first, ssize_t start)
{
    RegexSource *source = &template->source;
    uint32_t number = first - '0', second = source->ahead;
    if (is_digit(second)) {
        source_take(source);
        if (is_octal(first) && is_octal(second) && is_octal(source->ahead)) {
            uint32_t value = number * 64 + (second - '0') * 8 + (source_take(source) - '0');
            if (value > 0377)
                source_error(source, source_position(source) - start,
                             "octal escape value %S outside of range 0-0o377",
                             source_slice(source, start, start + 4));
            add_character(template, value);
            return;
        }
        number = number * 10 + (second - '0');
    }
    add_group(template, number, source_position(source) - start - 1);
}

static void parse_escaped(Template *template, uint32_t escaped, ssize_t start)
{
    static const char letters[] = "abfnrtv\\", meanings[] = "\a\b\f\n\r\t\v\\";
    RegexSource *source = &template->source;
    const char *letter = escaped && escaped < 128 ? strchr(letters, (int)escaped) : NULL;
    int count;
    if (escaped == 'g') {
        parse_group_reference(template);
    } else if (escaped == '0') {
        add_character(template, source_digits(source, 8, 2, &count) & 0xFF);
    } else if (is_digit(escaped)) {
        parse_number(template, escaped, start);
    } else if (letter) {
        add_character(template, (uint32_t)meanings[letter - letters]);
    } else if (is_ascii_letter(escaped)) {
        source_error(source, source_position(source) - start, "bad escape \\%c", (int)escaped);
    } else {
        add_character(template, '\\');
        add_character(template, escaped);
    }
}

static void parse_template(Template *template)
{
    RegexSource *source = &template->source;
    while (source->ahead != TOKEN_END) {
        ssize_t start = source_position(source);
        uint32_t token = source_take(source);
        if (token & TOKEN_ESCAPE)
            parse_escaped(template, token & ~TOKEN_ESCAPE, start);
        else
            add_character(template, token);
    }
    flush(template);
}

// Literals of a template that was bytes become bytes again: all their characters are below 256.
static bool encode_literals(ValueRef parts)
{
    for (ssize_t i = 0; i < list_size(parts); i++) {
        ValueRef part = list_at(parts, i);
        if (!str_check(part)) continue;
        Value bytes = bytes_new(as_str(part)->data, (size_t)str_length(part));
        if (!bytes) return false;
        replace_slot(&as_list(parts)->items[i], bytes);
    }
    return true;
}

Value regex_template(ValueRef text, uint32_t groups, ValueRef group_index)
{
    Arena arena;
    Template template = {.groups = groups, .group_index = group_index};
    Value parts = list_new(0);
    if (!parts) return VALUE_ERROR;
    template.parts = parts;
    builder_begin(&template.literal);
    arena_begin(&arena);
    bool failed = setjmp(arena.failure);
    if (!failed) {
        source_begin(&template.source, &arena, text);
        parse_template(&template);
    }
    failed = failed || (!template.source.is_text && !encode_literals(parts));
    builder_abandon(&template.literal);
    arena_end(&arena);
    if (!failed) return parts;
    drop(parts);
    return VALUE_ERROR;
}
