// For the probes of lessons whose inputs are programs: the whole machine, with the student's
// functions in it, runs them.
#pragma once

#include <stddef.h>

// Called once, by probe_begin().
void machine_begin(void);
// Runs a program. Adds to the answer what it has printed and the exception that ended it, if any.
void answer_program(const char *text, size_t size);
