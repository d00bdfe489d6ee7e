// For the probes of lessons whose inputs are programs: the whole machine, with the student's
// functions in it, runs them.
#pragma once

#include <stddef.h>

// Called once, by probe_begin().
void machine_begin(void);
// Runs a program. Adds to the answer what it has printed and the exception that ended it, if any.
void answer_program(const char *text, size_t size);
// Runs it once more, without its output, and adds how many blocks of memory are more than before,
// with all garbage collected. What is made once for all, like the text of a name, was made by the
// first run.
void answer_left_over(const char *text, size_t size);
