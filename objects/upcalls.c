// The upcalls: all NULL until vm_init() sets them.
#include "objects/upcalls.h"

#include "objects/error.h"
#include "objects/text/str.h"

#include <stdarg.h>

Upcalls upcalls;
volatile EvalBreaker eval_breaker;

bool warn(Type *category, int stack_level, const char *format, ...)
{
    if (!upcalls.warn) return true;
    va_list arguments;
    va_start(arguments, format);
    Value text = format_text_v(format, arguments);
    va_end(arguments);
    if (!text) return false;
    const char *message = str_utf8(text, NULL);
    bool done = message && upcalls.warn(category, message, stack_level);
    drop(text);
    return done;
}

Value program_line(ValueRef filename, int line)
{
    return upcalls.program_line ? upcalls.program_line(filename, line) : ABSENT;
}
