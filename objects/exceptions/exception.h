// Exception objects: args, traceback, context and cause, and the attributes of the kinds that have
// more.
#pragma once

#include "objects/object.h"

typedef struct ExceptionObject { // `Exception` is the variable of error.h
    Object base;
    Value dict;
    Value args;      // tuple
    Value traceback; // a traceback (frames/traceback.h), or VALUE_ERROR
    Value context;   // an exception, or VALUE_ERROR
    Value cause;     // an exception, or VALUE_ERROR
    bool suppress_context;
    // The fields that the layouts of exceptions.def add (VALUE_ERROR = None to the script); see
    // exception_kinds.c.
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
            ssize_t written; // -1 = unknown
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
    invariant(is_allocated(value) && exception_check(value), "what is read as an exception is one");
    return (ExceptionObject *)object_of(value);
}

bool exceptions_init(void); // makes the types of exceptions.def
void exceptions_finish(void);

// type(*args); for a built-in type without object_call(). Owned.
Value exception_new(Type *type, const ValueRef *args, size_t nargs);
// A MemoryError that takes no memory: one made in advance if no new one can be made. Owned;
// VALUE_ERROR before the types are ready.
Value exception_out_of_memory(void);

void exception_set_context(ValueRef exception, ValueRef context);
void exception_set_cause(ValueRef exception, ValueRef cause);
// SyntaxError and its kinds, with filename, lineno, offset (1-based, in code points) and text.
// `text` may be VALUE_ERROR.
Value raise_syntax_error(Type *type, const char *message, ValueRef filename, int line, int offset,
                         ValueRef text);
// Raises UnicodeDecodeError / UnicodeEncodeError.
Value raise_decode_error(const char *encoding, const void *bytes, size_t size, ssize_t start,
                         ssize_t end, const char *reason);
Value raise_encode_error(const char *encoding, ValueRef text, ssize_t start, ssize_t end,
                         const char *reason);
// StopIteration(value), as a generator's return raises it.
Value raise_stop_iteration(ValueRef value);
// Takes the value of a pending StopIteration and clears it: NONE if it has none; ABSENT if another
// exception is pending.
Value stop_iteration_take(void);
