// The pending exception, and the exception being handled.
//
// A function that fails leaves one exception pending and returns VALUE_ERROR or false; whoever
// cannot deal with it returns failure in turn. raise_error() returns VALUE_ERROR, which is 0,
// so that `return raise_error(TypeError, "...")` serves both shapes.
//
// Formats of raise_error():
//
//     of C      %s char *   %d int   %u %x unsigned   %lld long long   %llx unsigned long long
//               %zd ssize_t   %zu size_t   %c int (a code point)   %%
//               (no %ld: a long has another width on another machine)
//     a Value   %S str() of it   %R repr() of it   %A ascii() of it   %T the name of its type
//               %G as %T, but None is "None", as in messages about arguments
//     a Type *  %N its name
//
// A precision cuts text: %.200s.
#pragma once

#include "objects/object.h"

#include <stdarg.h>

// extern Type *TypeError; ... : one variable for each row of exceptions.def, named as in Python.
#define EXCEPTION(name, base, layout, doc) extern Type *name;
#include "objects/exceptions/exceptions.def"
#undef EXCEPTION

// With the text as the only argument, or without arguments where `format` is NULL.
Value raise_error(Type *type, const char *format, ...);
// Raises an instance, or a class (which is called without arguments). Borrows.
Value raise_value(ValueRef exception);
// Raises type(*args) with the one argument as it is.
Value raise_with(Type *type, ValueRef argument);
Value raise_memory_error(void);
Value raise_key_error(ValueRef key);
// OSError (or its subclass for errno) with errno, strerror and the file name (0 = none).
Value raise_os_error(int error_number, ValueRef filename);
// SystemError for a broken inner contract; `where` names the function.
Value raise_bad_call(const char *where);

// The pending exception: an instance, always normalised. The type is its type, the traceback its
// __traceback__.
bool error_pending(void);
ValueRef error_peek(void);           // borrowed, 0 = none pending
Value error_take(void);              // owned; nothing is pending afterwards
void error_restore(Value exception); // steals; 0 = nothing pending
bool error_is(Type *type);           // the pending one is an instance of the type
void error_clear(void);
// Raises a new exception of the type whose __cause__ and __context__ are the pending one.
Value raise_from_pending(Type *type, const char *format, ...);

// The exception that an `except` or `finally` block is handling now (sys.exc_info), 0 = none. The
// eval loop pushes and pops; raising sets __context__ from it, as _PyErr_SetObject does.
ValueRef handled_exception(void);       // the innermost one of the current stack; borrowed
typedef struct HandledItem HandledItem; // one for the main flow, one per running generator
struct HandledItem {
    Value exception; // 0 = none
    HandledItem *previous;
};
extern HandledItem *handled_top;

// Reports an exception nobody can take (in __del__, a weak reference's callback): "Exception
// ignored in: <repr>" and its traceback on stderr, through sys.unraisablehook. Clears it.
void report_unraisable(ValueRef where, const char *message);

// Text by the same formats: an owned str.
Value format_text(const char *format, ...);
Value format_text_v(const char *format, va_list arguments);

void error_finish(void);
