// Exception objects: args, traceback, context and cause, and the attributes of the kinds that have
// more.
#pragma once

#include "objects/object.h"

typedef struct ExceptionObject { // `Exception` is the variable of error.h
    Object base;
    Value dict;
    Value args;      // tuple
    Value traceback; // a traceback (frames/traceback.h), or 0
    Value context;   // an exception, or 0
    Value cause;     // an exception, or 0
    bool suppress_context;
    // What the layouts of exceptions.def add (0 = None to the script); see exception.c for who uses
    // which.
    union {
        struct {
            Value value;
        } stop_iteration;
        struct {
            Value code;
        } system_exit;
        struct {
            Value msg, name, path;
        } import_error;
        struct {
            Value error_number, strerror, filename, filename2;
            ssize_t written;
        } os_error;
        struct {
            Value msg, filename, lineno, offset, text, print_file_and_line;
        } syntax_error;
        struct {
            Value encoding, object, reason;
            ssize_t start, end;
        } unicode_error;
        Value extra[6]; // the Values of any of them
    };
} ExceptionObject;

static inline bool exception_check(ValueRef value)
{
    return has_flag(value, TYPE_EXCEPTION);
}
static inline bool exception_type_check(ValueRef value)
{
    return has_flag(value, TYPE_TYPE) && (((const Type *)object_of(value))->flags & TYPE_EXCEPTION);
}
static inline ExceptionObject *as_exception(ValueRef value)
{
    return (ExceptionObject *)object_of(value);
}

bool exceptions_init(void); // makes the types of exceptions.def
void exceptions_finish(void);

// type(*args), without the detour through object_call() where the type is a built-in one. Owned.
Value exception_new(Type *type, const ValueRef *args, size_t nargs);
// A MemoryError that needs no memory: the one made in advance, where no other can be made. Owned; 0
// before there are types.
Value exception_out_of_memory(void);

void exception_set_context(ValueRef exception, ValueRef context);
void exception_set_cause(ValueRef exception, ValueRef cause);
// SyntaxError and its kinds, with filename, lineno, offset (1-based, in code points) and text.
// `text` may be 0.
Value raise_syntax_error(Type *type, const char *message, ValueRef filename, int line, int offset,
                         ValueRef text);
// Raises UnicodeDecodeError / UnicodeEncodeError.
Value raise_decode_error(const char *encoding, const void *bytes, size_t size, ssize_t start,
                         ssize_t end, const char *reason);
Value raise_encode_error(const char *encoding, ValueRef text, ssize_t start, ssize_t end,
                         const char *reason);
// StopIteration(value), as a generator's return raises it.
Value raise_stop_iteration(ValueRef value);
// The value of a pending StopIteration, taken: NONE where it has none; ABSENT where something else
// is pending.
Value stop_iteration_take(void);
