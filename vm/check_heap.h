// --check-heap=N: every N instructions the whole heap is looked at, in a build with invariants.
//
//     check_heap_start(n)     the observed loop runs from now on
//     check_heap()            looks once, between two instructions
//
// What is looked at: the lists of the collector, each dict, set and list in them, the frames that
// run, and where blocks have headers (MODE=debug) every count against the references that there
// are (objects/memory/reference_audit.h). What is wrong is an invariant that is false: it ends the
// process. The plain loop does not know of it. MINIVM_CHECK_HEAP=N in the environment does the same
// for a program that has no command line, such as the tests.
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool check_heap_start(int64_t every); // false: this build has no invariants
void check_heap_start_by_environment(void);
void check_heap(void);
