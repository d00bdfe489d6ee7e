// Failing and naming, for all passes behind the parser: see compilation.h.
//
// CPython takes the line that a SyntaxError shows from the file it names, cut into pieces as its
// buffer takes them. Here the text being compiled is at hand, and it is shown where the name can be
// that of a file.
#include "compiler/compilation.h"

#include "objects/codecs.h"
#include "objects/doors.h"
#include "objects/error.h"
#include "objects/exception.h"
#include "objects/stack.h"
#include "objects/str.h"

#define LINE_BUFFER 999 // as much of a line as 3.9 reads from a file at once

static bool names_a_file(ValueRef filename)
{
    return str_length(filename) == 0 || str_at(as_str(filename), 0) != '<';
}

// Where the line at `text` ends: at its \r, \n or \r\n, or at the end of all.
static const char *line_end(const char *text, const char *end)
{
    while (text < end && *text != '\n' && *text != '\r') text++;
    return text;
}

static const char *next_line(const char *text, const char *end)
{
    text = line_end(text, end);
    if (text + 1 < end && text[0] == '\r' && text[1] == '\n') return text + 2;
    return text < end ? text + 1 : end;
}

// The line of the source, with a \n where it has an end of its own; or NONE.
static Value source_line(Compilation *c, int line)
{
    if (!c->text || line < 1 || !names_a_file(c->options->filename)) return NONE;
    const char *text = c->text, *end = c->text + c->text_size;
    for (int i = 1; i < line; i++) text = next_line(text, end);
    if (text == end) return NONE;
    size_t size = (size_t)(line_end(text, end) - text);
    bool is_last = text + size == end;
    char *copy = arena_alloc(c->arena, size + 1);
    memcpy(copy, text, size);
    if (!is_last) copy[size++] = '\n';
    while (size > LINE_BUFFER) {
        copy += LINE_BUFFER;
        size -= LINE_BUFFER;
    }
    return text_decode(copy, size, "utf-8", "replace");
}

static ValueRef message_of(Compilation *c, const char *format, va_list arguments)
{
    return arena_hold(c->arena, format_text_v(format, arguments));
}

static _Noreturn void fail_at(Compilation *c, int line, int offset, ValueRef message)
{
    ValueRef text = arena_hold(c->arena, source_line(c, line));
    const char *words = str_utf8(message, NULL);
    if (words) raise_syntax_error(SyntaxError, words, c->options->filename, line, offset, text);
    arena_fail(c->arena);
}

void compile_error(Compilation *c, int line, int offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_at(c, line, offset, message_of(c, format, arguments));
}

void compile_error_located(Compilation *c, int line, int offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ValueRef message = message_of(c, format, arguments);
    ValueRef text = arena_hold(c->arena, source_line(c, line));
    raise_with(SyntaxError, message);
    ValueRef pending = error_peek();
    if (!pending || !error_is(SyntaxError)) arena_fail(c->arena);
    ExceptionObject *error = as_exception(pending);
    replace_slot(&error->syntax_error.filename, retain(c->options->filename));
    replace_slot(&error->syntax_error.lineno, from_small(line));
    replace_slot(&error->syntax_error.offset, from_small(offset));
    replace_slot(&error->syntax_error.text, retain(text));
    arena_fail(c->arena);
}

void compile_warning(Compilation *c, int line, int offset, const char *format, ...)
{
    if (!doors.warn_explicit) return;
    va_list arguments;
    va_start(arguments, format);
    ValueRef message = message_of(c, format, arguments);
    va_end(arguments);
    const char *words = str_utf8(message, NULL);
    if (words && doors.warn_explicit(SyntaxWarning, words, c->options->filename, line)) return;
    if (!error_is(SyntaxWarning)) arena_fail(c->arena);
    error_clear();
    fail_at(c, line, offset, message);
}

void compile_check_room(Compilation *c)
{
    if (stack_has_room()) return;
    raise_error(RecursionError, "maximum recursion depth exceeded during compilation");
    arena_fail(c->arena);
}

ValueRef compile_name(Compilation *c, const char *text)
{
    return arena_hold(c->arena, str_intern(text));
}

// ---- mangling

static bool is_private(const Str *name)
{
    ssize_t length = name->length;
    if (length < 3 || str_at(name, 0) != '_' || str_at(name, 1) != '_') return false;
    if (str_at(name, length - 1) == '_' && str_at(name, length - 2) == '_') return false;
    return str_find_char(ref_of(name), '.', 0, length, 1) < 0; // a dotted name of an import
}

ValueRef compile_mangle(Compilation *c, ValueRef private_name, ValueRef name)
{
    if (!private_name || !is_private(as_str(name))) return name;
    const Str *class_name = as_str(private_name);
    ssize_t start = 0;
    while (start < class_name->length && str_at(class_name, start) == '_') start++;
    if (start == class_name->length) return name;
    StrBuilder builder;
    builder_begin(&builder);
    bool built = builder_char(&builder, '_') &&
                 builder_slice(&builder, private_name, start, class_name->length) &&
                 builder_str(&builder, name);
    if (!built) {
        builder_abandon(&builder);
        arena_fail(c->arena);
    }
    Value mangled = builder_finish(&builder);
    if (mangled) str_intern_in_place(&mangled);
    return arena_hold(c->arena, mangled);
}
