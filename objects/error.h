// The pending exception, and the exception being handled.
//
// A function that fails leaves one exception pending and returns VALUE_ERROR or false. A caller
// that does not handle the exception returns failure in turn. raise_error() returns VALUE_ERROR,
// which is the word 0, so `return raise_error(TypeError, "...")` serves both kinds of function.
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

// Raises an exception with the formatted text as its only argument, or without arguments if
// `format` is NULL.
Value raise_error(Type *type, const char *format, ...);
// Raises an instance, or a class (which is called without arguments). Borrows.
Value raise_value(ValueRef exception);
// Raises type(argument).
Value raise_with(Type *type, ValueRef argument);
Value raise_memory_error(void);
Value raise_key_error(ValueRef key);
// OSError (or its subclass for errno) with errno, strerror and the file name (VALUE_ERROR = none).
Value raise_os_error(int error_number, ValueRef filename);
const char *os_error_text(int error_number); // what it says of the number
// SystemError for a wrong call inside minivm; `where` names the function.
Value raise_bad_call(const char *where);

// The pending exception: an instance, always normalised. The type is its type, the traceback its
// __traceback__.
bool error_pending(void);
ValueRef error_peek(void);           // borrowed, VALUE_ERROR = none pending
Value error_take(void);              // owned; nothing is pending afterwards
void error_restore(Value exception); // steals; VALUE_ERROR = nothing pending
bool error_is(Type *type);           // the pending one is an instance of the type
void error_clear(void);
// Raises a new exception of the type; the pending one becomes its __cause__ and __context__.
Value raise_from_pending(Type *type, const char *format, ...);

// The exception that an `except` or `finally` block is handling now (sys.exc_info), VALUE_ERROR if
// none. The eval loop pushes and pops; raising sets __context__ from it, as _PyErr_SetObject does.
ValueRef handled_exception(void);       // the innermost one of the current stack; borrowed
typedef struct HandledItem HandledItem; // one for the main program, one per running generator
struct HandledItem {
    Value exception; // VALUE_ERROR = none
    HandledItem *previous;
};
extern HandledItem *handled_top;

// Reports and clears an exception that no caller can handle (from __del__ or the callback of a weak
// reference): sys.unraisablehook writes "Exception ignored in: <repr>" and the traceback to stderr.
void report_unraisable(ValueRef where, const char *message);

// Text by the same formats: an owned str.
Value format_text(const char *format, ...);
Value format_text_v(const char *format, va_list arguments);

void error_finish(void);
