// The tokens of a regular expression or of a template, with one token of lookahead; and re.error.
//
// A backslash at the end is an error as soon as it is the lookahead, before any error of the token
// in front of it.
#include "objects/bytes/buffer.h"
#include "objects/call.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"
#include "vm/modules/re/regex_tree.h"

Value regex_raise(Value message, ValueRef pattern, ssize_t position)
{
    Value module = message ? upcalls.import("re") : VALUE_ERROR;
    Value name = module ? str_intern("error") : VALUE_ERROR;
    Value type = name ? object_get(module, name) : VALUE_ERROR;
    if (type) {
        ValueRef arguments[] = {message, pattern, from_small(position)};
        Value error = object_call(type, arguments, pattern ? 3 : 1, 0);
        if (error) raise_value(error);
        drop(error);
    }
    drop(type);
    drop(name);
    drop(module);
    drop(message);
    return VALUE_ERROR;
}

void source_error(RegexSource *source, ssize_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Value message = format_text_v(format, arguments);
    va_end(arguments);
    regex_raise(message, source->pattern, source_position(source) - offset);
    arena_fail(source->arena);
}

static void advance(RegexSource *source)
{
    const Str *text = as_str(source->text);
    if (source->index >= text->length) {
        source->ahead = TOKEN_END;
        return;
    }
    source->ahead = str_at(text, source->index++);
    if (source->ahead != '\\') return;
    if (source->index >= text->length) {
        regex_raise(str_new("bad escape (end of pattern)"), source->pattern, text->length - 1);
        arena_fail(source->arena);
    }
    source->ahead = ESCAPED(str_at(text, source->index++));
}

// str(pattern, "latin1") of what lends bytes.
static Value as_latin1(ValueRef pattern)
{
    if (!buffer_check(pattern))
        return raise_error(TypeError, "decoding to str: need a bytes-like object, %T found",
                           pattern);
    Buffer buffer;
    if (!buffer_get(pattern, &buffer, false)) return VALUE_ERROR;
    Value text = str_from_latin1(buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return text;
}

void source_begin(RegexSource *source, Arena *arena, ValueRef pattern)
{
    source->arena = arena;
    source->pattern = pattern;
    source->is_text = str_check(pattern);
    source->text = arena_hold(arena, source->is_text ? retain(pattern) : as_latin1(pattern));
    source_seek(source, 0);
}

void source_seek(RegexSource *source, ssize_t index)
{
    source->index = index;
    advance(source);
}

uint32_t source_take(RegexSource *source)
{
    uint32_t token = source->ahead;
    advance(source);
    return token;
}

bool source_match(RegexSource *source, uint32_t token)
{
    if (source->ahead != token) return false;
    advance(source);
    return true;
}

ssize_t source_position(const RegexSource *source)
{
    if (source->ahead == TOKEN_END) return source->index;
    return source->index - (source->ahead & TOKEN_ESCAPE ? 2 : 1);
}

ValueRef source_slice(RegexSource *source, ssize_t start, ssize_t end)
{
    return arena_hold(source->arena, str_substring(source->text, start, end));
}

ValueRef source_until(RegexSource *source, uint32_t terminator, const char *name)
{
    ssize_t start = source_position(source);
    for (;;) {
        ssize_t end = source_position(source);
        uint32_t token = source_take(source);
        if (token == TOKEN_END && start == end) source_error(source, 0, "missing %s", name);
        if (token == TOKEN_END)
            source_error(source, end - start, "missing %c, unterminated name", (int)terminator);
        if (token != terminator) continue;
        if (start == end) source_error(source, 1, "missing %s", name);
        return source_slice(source, start, end);
    }
}

static int digit_value(uint32_t token)
{
    if (is_digit(token)) return (int)token - '0';
    if (is_ascii_letter(token) && token < 128) return (int)(token | 0x20) - 'a' + 10;
    return 36;
}

uint32_t source_digits(RegexSource *source, int base, int most, int *count)
{
    uint32_t value = 0;
    for (*count = 0; *count < most; ++*count) {
        int digit = digit_value(source->ahead);
        if (digit >= base) break;
        value = value * (uint32_t)base + (uint32_t)digit;
        advance(source);
    }
    return value;
}

bool source_number(RegexSource *source, ValueRef name, uint32_t *number)
{
    Value value = int_from_text(name, 10);
    if (!value && !error_is(ValueError)) arena_fail(source->arena);
    if (!value) error_clear();
    if (!value) return false;
    int64_t result;
    int order = int_as_int64_clamped(value, &result);
    drop(value);
    if (order < 0 || result < 0) return false;
    *number = order || result > RE_MAX_GROUPS ? RE_MAX_GROUPS : (uint32_t)result;
    return true;
}
