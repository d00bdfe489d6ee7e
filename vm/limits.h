// The limits of a run: how many steps it may take, how long it may last, how much memory it may
// hold and how much it may print (--max-steps, --max-time, --max-memory, --max-output).
//
//     limits_begin(&limits, last)         from now on the limits hold
//     limits_check()                      the program ends here if it has reached one
//
// A limit ends the process, with a line on standard error and an exit status of its own. No script
// can catch that: nothing is raised. The number of steps is exact, and the same on every machine.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// What each limit is reached with. (124 is also what timeout(1) returns.)
#define STATUS_MAX_STEPS 122
#define STATUS_MAX_OUTPUT 123
#define STATUS_MAX_TIME 124
#define STATUS_MAX_MEMORY 125

// 0 = no limit.
typedef struct Limits {
    int64_t steps;  // instructions of the program and of the library's modules: ticks (observe.h)
    int64_t time;   // nanoseconds of the wall clock
    int64_t memory; // bytes
    int64_t output; // bytes, of all that the program writes
} Limits;

// Under a limit no processes are started. last() is called just before the process ends; it may not
// run the program any further, nor write for it unless `may_write`. False with errno set: the
// system has no timer.
bool limits_begin(const Limits *limits, void (*last)(bool may_write));

// The argument of an option: a number; one that may end in K, M or G (powers of 1024); seconds,
// with or without a fraction. False: it is none of these, or not above 0.
bool limits_parse_count(const char *text, int64_t *count);
bool limits_parse_size(const char *text, int64_t *bytes);
bool limits_parse_time(const char *text, int64_t *nanoseconds);

extern bool limit_reached; // the process is to end at the next check

_Noreturn void limits_end(void);

// To be called where a program ends by itself: the MemoryError of a limit may have ended it.
static inline void limits_check(void)
{
    if (limit_reached) limits_end();
}
// To be called where signals are handled: one of them may say that the time is up.
void limits_check_time(void);
