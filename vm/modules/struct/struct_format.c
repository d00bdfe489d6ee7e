// Reading a format: struct.h has what it becomes.
#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/modules/struct/struct.h"

#include <stdarg.h>

#define NATIVE(type) sizeof(type), _Alignof(type)
static const Letter letters[128] = {
    ['x'] = {'x', PAD, 1, 1, 1},
    ['c'] = {'c', CHARACTER, 1, 1, 1},
    ['s'] = {'s', TEXT, 1, 1, 1},
    ['p'] = {'p', PASCAL, 1, 1, 1},
    ['?'] = {'?', TRUTH, 1, NATIVE(bool)},
    ['b'] = {'b', SIGNED, 1, 1, 1},
    ['B'] = {'B', UNSIGNED, 1, 1, 1},
    ['h'] = {'h', SIGNED, 2, NATIVE(short)},
    ['H'] = {'H', UNSIGNED, 2, NATIVE(short)},
    ['i'] = {'i', SIGNED, 4, NATIVE(int)},
    ['I'] = {'I', UNSIGNED, 4, NATIVE(int)},
    ['l'] = {'l', SIGNED, 4, NATIVE(long)},
    ['L'] = {'L', UNSIGNED, 4, NATIVE(long)},
    ['q'] = {'q', SIGNED, 8, NATIVE(long long)},
    ['Q'] = {'Q', UNSIGNED, 8, NATIVE(long long)},
    ['n'] = {'n', SIGNED, 0, NATIVE(ssize_t)},
    ['N'] = {'N', UNSIGNED, 0, NATIVE(size_t)},
    ['P'] = {'P', UNSIGNED, 0, NATIVE(void *)},
    ['e'] = {'e', REAL, 2, 2, 2},
    ['f'] = {'f', REAL, 4, NATIVE(float)},
    ['d'] = {'d', REAL, 8, NATIVE(double)},
};

Value raise_struct(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    raise_of_module("_struct", "error", format, arguments);
    va_end(arguments);
    return VALUE_ERROR;
}

static const Letter *letter_of(char c, bool native)
{
    const Letter *letter = &letters[c & 127];
    return letter->letter == c && c && (native || letter->standard) ? letter : NULL;
}

static const char *read_order(Struct *self, const char *format)
{
    self->big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    self->native = false;
    switch (*format) {
    case '<': self->big = false; return format + 1;
    case '>':
    case '!': self->big = true; return format + 1;
    case '=': return format + 1;
    default: self->native = true; return *format == '@' ? format + 1 : format;
    }
}

// The number before a letter; 1 if there is none.
static bool read_count(const char **at, ssize_t *count)
{
    *count = 1;
    if (**at < '0' || **at > '9') return true;
    for (*count = 0; **at >= '0' && **at <= '9'; (*at)++)
        if (__builtin_mul_overflow(*count, 10, count) ||
            __builtin_add_overflow(*count, **at - '0', count))
            return raise_struct("total struct size too long");
    return **at || raise_struct("repeat count given without format specifier");
}

static bool add_field(Struct *self, const Letter *letter, ssize_t count)
{
    ssize_t width = self->native ? letter->native : letter->standard, bytes, end;
    ssize_t gap = self->native ? -self->size & (letter->alignment - 1) : 0;
    bool is_text = letter->kind == TEXT || letter->kind == PASCAL;
    if (__builtin_mul_overflow(count, width, &bytes) ||
        __builtin_add_overflow(self->size, gap, &self->size) ||
        __builtin_add_overflow(self->size, bytes, &end))
        return raise_struct("total struct size too long");
    ssize_t values = letter->kind == PAD ? 0 : is_text ? 1 : count;
    if (values)
        self->fields[self->field_count++] =
            (Field){letter, self->size, is_text ? count : width, values};
    self->size = end;
    self->items += values;
    return true;
}

static bool read_fields(Struct *self, const char *at)
{
    ssize_t count;
    while (*at) {
        if (*at == ' ' || (*at >= '\t' && *at <= '\r')) {
            at++;
            continue;
        }
        if (!read_count(&at, &count)) return false;
        const Letter *letter = letter_of(*at++, self->native);
        if (!letter) return raise_struct("bad char in struct format");
        if (!add_field(self, letter, count)) return false;
    }
    return true;
}

void forget_format(Object *object)
{
    Struct *self = (Struct *)object;
    drop_slot(&self->format);
    memory_free(self->fields);
    self->fields = NULL;
    self->field_count = 0;
}

bool read_format(Struct *self, Value format)
{
    forget_format(&self->base);
    self->format = format;
    self->size = self->items = 0;
    if (memchr(as_bytes(format)->data, 0, (size_t)as_bytes(format)->size))
        return raise_struct("embedded null character");
    self->fields = memory_alloc(((size_t)as_bytes(format)->size + 1) * sizeof(Field));
    if (!self->fields) return raise_memory_error();
    return read_fields(self, read_order(self, as_bytes(format)->data));
}
