// What the machine asks of the module _strands, which has the flows of control of a program.
#pragma once

#include "objects/value.h"

#include <stdbool.h>
#include <stdint.h>

// While eval_breaker.strands (there is more than one): waits, and lets the others run.
Value strands_sleep(int64_t nanoseconds);
// Where a read from the descriptor would wait: lets others run until it would not, or nobody else
// can go on. False with an exception pending.
bool strands_await_input(int descriptor);
bool strands_is_main(void); // does the first one run?
// The pending exception is raised in the first one, which goes on at once; true once this one does.
bool strands_interrupt_main(void);
// The contextvars.Context (PEP 567) of the one that runs: borrowed, VALUE_ERROR = it has none yet.
ValueRef strands_context(void);
// At the end of the program: waits for the threads that are no daemons (threading._shutdown).
void strands_shutdown(void);
// Ends all strands but the first, without running their handlers.
void strands_finish(void);
void strands_forget(void); // the first one too: no module is left
