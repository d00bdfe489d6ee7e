// The limits of a run: how many steps it may take, how long it may last, how much memory it may
// hold and how much it may print (--max-steps, --max-time, --max-memory, --max-output).
//
//     limits_begin(&limits, complete)     from now on the limits hold
//     limits_check()                      the program ends here if it has reached one
//
// A limit ends the process, with a line on standard error and an exit status of its own. No script
// can catch that: nothing is raised. No script can delay it by more than 0.2 seconds, and a long
// operation in C by one: a stream that takes no more, such as a full pipe, loses the rest. The line
// goes where standard error went when the program began, is short, and has no characters that a
// terminal would obey. The number of steps is exact, and the same on every machine.
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
    int64_t output; // bytes that the program writes, and the files, folders and links that it makes
} Limits;

// What is to be completed when a limit has ended the program, without running it any further.
typedef struct LimitsComplete {
    void (*own)(void);     // what minivm itself writes
    void (*streams)(void); // what the program has written so far; not where that is too much
} LimitsComplete;

// Under a limit no processes are started. False with errno set: the system has no timer.
bool limits_begin(const Limits *limits, const LimitsComplete *complete);

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
