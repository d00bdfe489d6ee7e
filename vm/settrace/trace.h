// sys.settrace and sys.setprofile: calls the script's trace and profile functions for the events of
// the observed loop, in the order and with the values of CPython 3.9.
//
// The trace function is called for every call of a function. Its result, the frame's f_trace, is
// called for all other events of that frame. While one of them runs, no events are reported (except
// in sys.call_tracing()). Before it runs, f_locals is filled from the fast locals; afterwards they
// are written back. A trace function that raises is removed.
//
// Most events come through the observer of the role OBSERVER_TRACE. The functions below are for the
// observed loop only, for events that are not events of a frame.
#pragma once

#include "frames/frame.h"

// The observed loop calls functions written in C by these two, which report to the profile
// function.
extern bool trace_wants_c_calls;
// Is it one of those? (CPython: a builtin, or the descriptor of a method with a self.)
bool trace_is_c_call(ValueRef callable, size_t nargs);
Value trace_c_call(ValueRef callable, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value trace_c_call_spread(ValueRef callable, ValueRef args, ValueRef kwargs);

// An iterator has ended, in `for` or `yield from`, and no exception has left a frame: reports the
// pending StopIteration, or one with this value, to f_trace. Afterwards the same exception is
// pending as before, or the one that the trace function raised.
void trace_stop_iteration(Frame *frame);
bool trace_stop_value(Frame *frame, ValueRef value); // false = an exception is pending

// A profile function in C for this thread: `profiler`, which sys.getprofile() answers, is told of
// the event, the name that a profile function in Python is given, and of the function in C.
typedef void (*ProfilerFn)(ValueRef profiler, const Frame *frame, ValueRef event,
                           ValueRef function);
void trace_set_profiler(ValueRef profiler, ProfilerFn native); // 0 = none any more

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
