// Failing and naming, for all passes after the parser: see compilation.h.
#include "compiler/compilation.h"

#include "objects/bytes/codecs.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

// The line that CPython would show: that of the file that the source names, if there is one.
static Value source_line(const Compilation *c, int line)
{
    Value text = program_line(c->options->filename, line);
    return text == ABSENT ? NONE : text;
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
    if (!upcalls.warn_explicit) return;
    va_list arguments;
    va_start(arguments, format);
    ValueRef message = message_of(c, format, arguments);
    va_end(arguments);
    const char *words = str_utf8(message, NULL);
    if (words && upcalls.warn_explicit(SyntaxWarning, words, c->options->filename, line)) return;
    if (!error_is(SyntaxWarning)) arena_fail(c->arena);
    error_clear();
    fail_at(c, line, offset, message);
}

void compile_too_deep(Compilation *c)
{
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
