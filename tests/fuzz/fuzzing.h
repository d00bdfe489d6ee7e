// What the fuzzers share: random numbers that are the same for the same seed, and a machine in which
// any code that the verifier accepts can run without harm.
//
//     fuzz_start()                    the machine: no builtin reaches outside, depth is limited
//     fuzz_limits(bytes)              from now on memory and time are limited; 0 = no longer
//     fuzz_run(program, changed)      runs a module, what functions it leaves, and `changed` alone
//     fuzz_run_observed(…, at)        the same in the observed loop, with a limit of instructions
//     fuzz_check_memory()             nothing may be left of what ran so far
//
// A fault that no sanitizer sees ends in fuzz_fail(), which aborts as the sanitizers do.
#pragma once

#include "objects/object.h"

#define FUZZ_STEPS 3000 // instructions of a run
#define FUZZ_MEMORY (8 << 20)

_Noreturn void fuzz_fail(const char *what);

// ---- random numbers (splitmix64)
extern uint64_t random_state;
uint64_t random_word(void);
uint32_t random_below(uint32_t bound); // 0 if the bound is 0

// ---- the machine
void fuzz_start(void);
void fuzz_confine(void); // takes away what reaches outside: print, open, import …
void fuzz_limits(size_t bytes);
bool fuzz_timed_out(void); // has a run been ended by its time since the last call?

// ---- running
// After every run the machine must be as it was: no frame, no exception handled, no depth.
void fuzz_run(ValueRef program, ValueRef changed);
// `at`: an exception is raised when so many instructions are left; -1 = none is. True = it ran out.
bool fuzz_run_observed(ValueRef program, ValueRef changed, long at);
void fuzz_check_machine(const Value *top);
// Aborts if more memory is held than after the first call.
void fuzz_check_memory(void);
