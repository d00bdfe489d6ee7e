// sys.settrace, sys.setprofile and what goes with them: the events of the observed loop, told to
// functions of the script in the order and with the values of CPython 3.9.
//
// A trace function hears of every call, and its answer, the frame's f_trace, of all that happens in
// that frame. While either runs, nothing is told (sys.call_tracing() aside). Before it runs
// f_locals is brought up to date, afterwards written back. One that raises is unset.
//
// The observer of the role OBSERVER_TRACE tells most of it. What follows is for the observed loop
// alone, where it does what has no event of a frame.
#pragma once

#include "frames/frame.h"

// Calls of functions written in C are to be made by the two below, which tell the profile function.
extern bool trace_wants_c_calls;
// Is it one of those? (CPython: a builtin, or the descriptor of a method with a self.)
bool trace_is_c_call(ValueRef callable, size_t nargs);
Value trace_c_call(ValueRef callable, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value trace_c_call_spread(ValueRef callable, ValueRef args, ValueRef kwargs);

// An iterator has ended, in `for` or `yield from`, without an exception leaving any frame: the
// pending StopIteration, or one of this value, is told to f_trace. What is pending afterwards is
// what was pending before, or what the trace function raised.
void trace_stop_iteration(Frame *frame);
bool trace_stop_value(Frame *frame, ValueRef value); // false = an exception is pending

void trace_finish(void);

#define SYS_TRACE                                                                                  \
    {"call_tracing", sys_call_tracing, ARGS(2, 2), NULL},                                          \
        {"getprofile", sys_getprofile, NO_ARGS, NULL}, {"gettrace", sys_gettrace, NO_ARGS, NULL},  \
        {"setprofile", sys_setprofile, ONE_ARG, NULL},                                             \
    {                                                                                              \
        "settrace", sys_settrace, ONE_ARG, NULL                                                    \
    }
Value sys_call_tracing(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value sys_getprofile(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value sys_gettrace(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value sys_setprofile(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value sys_settrace(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
