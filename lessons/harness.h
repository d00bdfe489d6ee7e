// What a probe sees of the harness (harness.c). A lesson in C has one probe.c, which feeds the
// student's function with an input and says what it did.
#pragma once

#include <stddef.h>

// The probe's part: called once, before all inputs; called for each input, which ends with NUL.
void probe_begin(void);
void probe(const char *input, size_t size);

// Adds to the answer for the input; its arguments are those of printf.
void answer(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Counts an entry of the student's code where that is no function but a handler of the loop.
void count_call(void);

// Where the probe keeps a part of the answer back: adds it, when a sanitizer ends the process.
extern void (*answer_rest)(void);
