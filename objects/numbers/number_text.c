// Converts the text that int(), float() and complex() read to plain ASCII.
#include "objects/numbers/number_text.h"

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/text/unicode.h"

static char ascii_of(uint32_t point)
{
    if (point < 127) return (char)point;
    if (unicode_is_space(point)) return ' ';
    int digit = unicode_decimal_value(point);
    return digit < 0 ? '?' : (char)('0' + digit);
}

static bool open_str(ValueRef value, NumberText *source)
{
    const Str *str = as_str(value);
    source->size = (size_t)str->length;
    if (str->ascii) {
        source->text = str->data;
        return true;
    }
    source->copy = memory_alloc(source->size + 1);
    if (!source->copy) return raise_memory_error();
    for (size_t i = 0; i < source->size; i++) {
        source->copy[i] = ascii_of(str_at(str, (ssize_t)i));
        if (source->copy[i] == '?') source->size = i + 1; // the rest is not read
    }
    source->text = source->copy;
    return true;
}

static bool open_buffer(ValueRef value, NumberText *source)
{
    Buffer buffer;
    if (!buffer_get(value, &buffer, false)) return false;
    source->size = (size_t)buffer.size;
    source->copy = memory_alloc(source->size + 1);
    if (source->copy) memcpy(source->copy, buffer.bytes, source->size);
    buffer_release(&buffer);
    source->text = source->copy;
    return source->copy || raise_memory_error();
}

bool number_text_open(ValueRef value, NumberText *source)
{
    source->copy = NULL;
    if (str_check(value)) return open_str(value, source);
    if (!bytes_check(value)) return open_buffer(value, source);
    source->text = as_bytes(value)->data;
    source->size = (size_t)as_bytes(value)->size;
    return true;
}

void number_text_close(NumberText *source)
{
    memory_free(source->copy);
}

bool number_text_check(ValueRef value)
{
    return str_check(value) || buffer_check(value);
}

Value number_text_shown(ValueRef value)
{
    if (str_check(value) || bytes_check_exact(value)) return retain(value);
    NumberText source;
    if (!number_text_open(value, &source)) return VALUE_ERROR;
    Value shown = bytes_new(source.text, source.size);
    number_text_close(&source);
    return shown;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool number_text_join(char *text, size_t *size)
{
    size_t kept = 0;
    char previous = 0;
    for (size_t i = 0; i < *size; i++) {
        char c = text[i];
        if (c == '_' ? !is_digit(previous) : previous == '_' && !is_digit(c)) return false;
        if (c != '_') text[kept++] = c;
        previous = c;
    }
    *size = kept;
    return previous != '_';
}
