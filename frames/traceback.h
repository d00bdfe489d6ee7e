// Tracebacks: the frames an exception went through, the outermost first, and their printing.
//
// An exception's __traceback__ is a chain by `next` towards the place where it was raised. Every
// frame an exception reaches puts itself in front (traceback_here()).
#pragma once

#include "frames/frame.h"

typedef struct Traceback {
    Object base;
    Value next;  // Traceback, or 0
    Value frame; // FrameObject
    int lasti;
    int line; // -1 = not computed yet: traceback_line()
} Traceback;

extern Type traceback_type;

static inline bool traceback_check(ValueRef value)
{
    return is_exactly(value, &traceback_type);
}
static inline Traceback *as_traceback(ValueRef value)
{
    return (Traceback *)object_of(value);
}

int traceback_line(Traceback *traceback);
// Puts the frame in front of the pending exception's traceback. Where there is no memory for that,
// MemoryError is pending instead.
void traceback_here(Frame *frame);

// What follows return owned strs, or VALUE_ERROR with MemoryError (or what a str() raised that is
// no Exception) pending. No script code can make them fail otherwise: an exception that cannot be
// shown says so in its text.

// "Traceback (most recent call last):" and its lines: the last `limit` places (sys.tracebacklimit,
// TRACEBACK_LIMIT where that is not set); 0 or less = nothing.
#define TRACEBACK_LIMIT 1000
Value traceback_format(ValueRef traceback, ssize_t limit);
// All that is printed for an uncaught exception: its causes and contexts, traceback, and text.
Value exception_format(ValueRef exception, ssize_t limit);
// Only the last part: "TypeError: text\n", for a SyntaxError file, line and caret as well.
Value exception_format_only(ValueRef exception);
