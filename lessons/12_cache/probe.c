// Lesson 12: the input is a program; the answer is what it prints in the student's machine, and
// what is left over in memory.
#include "lessons/harness.h"

#include "lessons/program.h"

void probe_begin(void)
{
    machine_begin();
}

void probe(const char *input, size_t size)
{
    answer_program(input, size);
    answer_left_over(input, size);
}
