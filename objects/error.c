// The pending exception, and text made from values.
//
// At most one exception is pending; the variable `pending` owns it. While an `except` or `finally`
// block runs, the list handled_top has the exception it handles. The list has one item for the main
// program and one for each running generator. An exception raised meanwhile gets the handled one as
// its __context__.
#include "objects/error.h"

#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/exceptions/exception.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static Value pending;
static HandledItem main_flow;
HandledItem *handled_top = &main_flow;

// ---- the pending exception

bool error_pending(void)
{
    return pending != VALUE_ERROR;
}

ValueRef error_peek(void)
{
    return pending;
}

Value error_take(void)
{
    Value exception = pending;
    pending = VALUE_ERROR;
    return exception;
}

void error_restore(Value exception)
{
    invariant(!exception || exception_check(exception), "what is pending is an exception");
    replace_slot(&pending, exception);
}

void error_clear(void)
{
    drop_slot(&pending);
}

bool error_is(Type *type)
{
    return pending && type_is_subtype(type_of(pending), type);
}

ValueRef handled_exception(void)
{
    const HandledItem *item = handled_top;
    invariant(item, "the main flow's item is below all others");
    while (!item->exception && item->previous) item = item->previous;
    invariant(!item->exception || is_alive(object_of(item->exception)),
              "the item of handled_top owns the exception being handled");
    return item->exception;
}

// ---- raising

// Removes `exception` from the __context__ chain of `chain`, so that `chain` can become its
// __context__. A script may have closed the chain to a ring that `exception` is not part of: the
// slow pointer detects that.
static void break_context_cycle(ValueRef chain, ValueRef exception)
{
    ValueRef slow = chain;
    bool step = false;
    for (ValueRef at = chain, next; (next = as_exception(at)->context); at = next) {
        if (next == exception) {
            drop_slot(&as_exception(at)->context);
            return;
        }
        if (step) slow = as_exception(slow)->context;
        if (next == slow) return;
        step = !step;
    }
}

// Makes an owned exception the pending one. One with a single reference is new: it is in no chain,
// and a chain may be long (RecursionError after RecursionError, each in the context of the last).
static Value set_pending(Value exception)
{
    invariant(exception_check(exception), "what is raised is an exception");
    ValueRef handled = handled_exception();
    if (handled && bits_of(handled) != bits_of(exception)) {
        Value held = retain(handled);
        if (object_of(exception)->refcount > 1) break_context_cycle(held, exception);
        replace_slot(&as_exception(exception)->context, held);
    }
    error_restore(exception);
    return VALUE_ERROR;
}

// Raises what a class has made, which a script may have written. Steals it.
static Value raise_made(ValueRef class, Value made)
{
    if (!made) return VALUE_ERROR;
    if (exception_check(made)) return set_pending(made);
    raise_error(TypeError, "calling %R should have returned an instance of BaseException, not %T",
                class, (ValueRef)made);
    drop(made);
    return VALUE_ERROR;
}

static Value raise_without_arguments(Type *type)
{
    return raise_made(ref_of(type), exception_new(type, NULL, 0));
}

Value raise_error(Type *type, const char *format, ...)
{
    error_clear();
    if (!format) return raise_without_arguments(type);
    va_list arguments;
    va_start(arguments, format);
    Value text = format_text_v(format, arguments);
    va_end(arguments);
    if (!text) return VALUE_ERROR;
    Value result = raise_with(type, text);
    drop(text);
    return result;
}

Value raise_with(Type *type, ValueRef argument)
{
    return raise_made(ref_of(type), exception_new(type, &argument, 1));
}

Value raise_value(ValueRef exception)
{
    if (exception_check(exception)) return set_pending(retain(exception));
    if (!exception_type_check(exception))
        return raise_error(TypeError, "exceptions must derive from BaseException");
    Value made = object_call_none(exception);
    if (!made) return VALUE_ERROR;
    if (exception_check(made)) return set_pending(made);
    raise_error(TypeError, "calling %R should have returned an instance of BaseException, not %R",
                exception, ref_of(type_of(made)));
    drop(made);
    return VALUE_ERROR;
}

Value raise_memory_error(void)
{
    static bool raising;
    if (raising) return VALUE_ERROR; // making the instance has failed as well
    raising = true;
    Value exception = exception_out_of_memory();
    raising = false;
    error_clear();
    return exception ? set_pending(exception) : VALUE_ERROR;
}

Value raise_key_error(ValueRef key)
{
    return raise_with(KeyError, key);
}

// ENOSYS is vm/outside/'s answer for what cannot be recorded: a copy of the process, timers.
const char *os_error_text(int error_number)
{
    if (upcalls.recorder && error_number == ENOSYS)
        return "not while the program is recorded (--debug): it may be run again from any step";
    return strerror(error_number);
}

Value raise_os_error(int error_number, ValueRef filename)
{
    Value text = str_new(os_error_text(error_number));
    if (!text) return VALUE_ERROR;
    ValueRef arguments[] = {from_small(error_number), text, filename};
    Value exception = exception_new(OSError, arguments, filename ? 3 : 2);
    drop(text);
    return exception ? set_pending(exception) : VALUE_ERROR;
}

Value raise_bad_call(const char *where)
{
    return raise_error(SystemError, "%s: bad argument to internal function", where);
}

Value raise_from_pending(Type *type, const char *format, ...)
{
    Value old = error_take();
    va_list arguments;
    va_start(arguments, format);
    Value text = format_text_v(format, arguments);
    va_end(arguments);
    if (text) {
        raise_with(type, text);
        drop(text);
    }
    if (old && pending && bits_of(pending) != bits_of(old)) {
        exception_set_cause(pending, old);
        exception_set_context(pending, old);
    }
    drop(old);
    return VALUE_ERROR;
}

// ---- exceptions that no caller can handle

static void print_text(Value text)
{
    const char *utf8 = text ? str_utf8(text, NULL) : NULL;
    fputs(utf8 ? utf8 : "<text failed>", stderr);
    drop(text);
    error_clear();
}

static void print_unraisable(ValueRef exception, ValueRef where, const char *message)
{
    fputs(message ? message : "Exception ignored in", stderr);
    fputs(": ", stderr);
    if (where) print_text(object_repr(where));
    fprintf(stderr, "\n%s: ", type_of(exception)->name);
    print_text(object_str(exception));
    fputs("\n", stderr);
}

void report_unraisable(ValueRef where, const char *message)
{
    Value exception = error_take();
    if (!exception) return;
    if (upcalls.report_unraisable)
        upcalls.report_unraisable(exception, where, message);
    else
        print_unraisable(exception, where, message);
    drop(exception);
    error_clear();
}

void error_finish(void)
{
    invariant(handled_top == &main_flow, "no generator runs at the end");
    error_clear();
    drop_slot(&main_flow.exception);
    handled_top = &main_flow;
}

// ---- text

typedef struct FormatDirective {
    int width, precision; // -1 = not given
    bool zero, is_long_long, is_size;
    char kind;
} FormatDirective;

// Reads what follows a '%'; returns where it ends.
static const char *directive_parse(FormatDirective *directive, const char *at)
{
    *directive = (FormatDirective){.width = -1, .precision = -1};
    if (*at == '0') directive->zero = true, at++;
    if (*at >= '0' && *at <= '9')
        for (directive->width = 0; *at >= '0' && *at <= '9'; at++)
            directive->width = directive->width * 10 + (*at - '0');
    if (*at == '.')
        for (directive->precision = 0, at++; *at >= '0' && *at <= '9'; at++)
            directive->precision = directive->precision * 10 + (*at - '0');
    if (*at == 'z') directive->is_size = true, at++;
    if (strncmp(at, "ll", 2) == 0) directive->is_long_long = true, at += 2;
    directive->kind = *at;
    return *at ? at + 1 : at;
}

// Appends a text that may be no valid UTF-8: each byte beyond ASCII then becomes U+FFFD.
static bool add_utf8(StrBuilder *builder, const char *text, size_t size)
{
    size_t ascii = 0;
    while (ascii < size && (unsigned char)text[ascii] < 0x80) ascii++;
    if (ascii == size) return builder_ascii(builder, text, size);
    Value str = str_from_utf8(text, size);
    if (str) {
        bool done = builder_str(builder, str);
        drop(str);
        return done;
    }
    error_clear();
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (!builder_char(builder, byte < 0x80 ? byte : 0xFFFD)) return false;
    }
    return true;
}

static bool add_c_string(StrBuilder *builder, const FormatDirective *directive, const char *text)
{
    size_t size =
        directive->precision >= 0 ? strnlen(text, (size_t)directive->precision) : strlen(text);
    return add_utf8(builder, text, size);
}

static bool add_value(StrBuilder *builder, const FormatDirective *directive, Value text)
{
    if (!text) return false;
    ssize_t length = str_length(text);
    if (directive->precision >= 0 && length > directive->precision) length = directive->precision;
    bool done = builder_slice(builder, text, 0, length);
    drop(text);
    return done;
}

static bool add_number(StrBuilder *builder, const FormatDirective *directive, bool negative,
                       unsigned long long magnitude)
{
    char digits[32];
    int count =
        snprintf(digits, sizeof digits, directive->kind == 'x' ? "%llx" : "%llu", magnitude);
    int padding = directive->width - count - negative;
    if (!directive->zero)
        for (; padding > 0; padding--)
            if (!builder_char(builder, ' ')) return false;
    if (negative && !builder_char(builder, '-')) return false;
    for (; padding > 0; padding--)
        if (!builder_char(builder, '0')) return false;
    return builder_ascii(builder, digits, (size_t)count);
}

static bool add_signed(StrBuilder *builder, const FormatDirective *directive, va_list *arguments)
{
    long long number;
    if (directive->is_size)
        number = va_arg(*arguments, ssize_t);
    else if (directive->is_long_long)
        number = va_arg(*arguments, long long);
    else
        number = va_arg(*arguments, int);
    unsigned long long bits = (unsigned long long)number;
    return add_number(builder, directive, number < 0, number < 0 ? 0 - bits : bits);
}

static bool add_unsigned(StrBuilder *builder, const FormatDirective *directive, va_list *arguments)
{
    unsigned long long number;
    if (directive->is_size)
        number = va_arg(*arguments, size_t);
    else if (directive->is_long_long)
        number = va_arg(*arguments, unsigned long long);
    else
        number = va_arg(*arguments, unsigned);
    return add_number(builder, directive, false, number);
}

// The type name in messages about arguments: "None" for None, not "NoneType".
static const char *given_name(ValueRef value)
{
    return value == NONE ? "None" : type_of(value)->name;
}

static bool add_directive(StrBuilder *builder, const FormatDirective *directive, va_list *arguments)
{
    switch (directive->kind) {
    case 's': return add_c_string(builder, directive, va_arg(*arguments, const char *));
    case 'd': return add_signed(builder, directive, arguments);
    case 'u':
    case 'x': return add_unsigned(builder, directive, arguments);
    case 'c': return builder_char(builder, (uint32_t)va_arg(*arguments, int));
    case 'S': return add_value(builder, directive, object_str(va_arg(*arguments, ValueRef)));
    case 'R': return add_value(builder, directive, object_repr(va_arg(*arguments, ValueRef)));
    case 'A': return add_value(builder, directive, object_ascii(va_arg(*arguments, ValueRef)));
    case 'T': return add_c_string(builder, directive, type_of(va_arg(*arguments, ValueRef))->name);
    case 'G': return add_c_string(builder, directive, given_name(va_arg(*arguments, ValueRef)));
    case 'N': return add_c_string(builder, directive, va_arg(*arguments, Type *)->name);
    case '%': return builder_char(builder, '%');
    default: raise_bad_call("format_text"); return false;
    }
}

static bool format_into(StrBuilder *builder, const char *format, va_list *arguments)
{
    const char *at = format;
    while (*at) {
        const char *stop = strchrnul(at, '%');
        if (stop > at && !add_utf8(builder, at, (size_t)(stop - at))) return false;
        if (!*stop) return true;
        FormatDirective directive;
        at = directive_parse(&directive, stop + 1);
        if (!add_directive(builder, &directive, arguments)) return false;
    }
    return true;
}

Value format_text_v(const char *format, va_list arguments)
{
    StrBuilder builder;
    va_list copy;
    builder_begin(&builder);
    va_copy(copy, arguments);
    bool done = format_into(&builder, format, &copy);
    va_end(copy);
    if (done) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

Value format_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Value text = format_text_v(format, arguments);
    va_end(arguments);
    return text;
}
