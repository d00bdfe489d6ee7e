// Tracebacks: the frames an exception went through, the outermost first, and their printing.
//
// An exception's __traceback__ is a list, linked by `next`, that ends at the frame which raised it.
// For every frame that an exception reaches, traceback_here() adds an item at the front.
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
    invariant(is_allocated(value) && is_exactly(value, &traceback_type),
              "what is read as a traceback is one");
    return (Traceback *)object_of(value);
}

int traceback_line(Traceback *traceback);
// Adds the frame at the front of the pending exception's traceback. Without memory for that,
// MemoryError is pending instead.
void traceback_here(Frame *frame);

// The following functions return owned strs, or VALUE_ERROR with MemoryError pending, or with what
// __str__ raised if that is no Exception. Other errors of script code do not make them fail: the
// text then says that the exception cannot be shown.

// "Traceback (most recent call last):" and its lines, for the last `limit` frames
// (sys.tracebacklimit; TRACEBACK_LIMIT if that is not set); 0 or less = nothing.
#define TRACEBACK_LIMIT 1000
Value traceback_format(ValueRef traceback, ssize_t limit);
// All that is printed for an uncaught exception: its causes and contexts, traceback, and text.
Value exception_format(ValueRef exception, ssize_t limit);
// Only the last part: "TypeError: text\n", for a SyntaxError file, line and caret as well.
Value exception_format_only(ValueRef exception);
