// Lesson 10: the input is a program; the answer is what it prints in the student's machine, and how
// many objects still have a mark that the collector needs only while it runs.
#include "lessons/harness.h"

#include "lessons/program.h"
#include "objects/gc.h"

void probe_begin(void)
{
    machine_begin();
}

static int marks(void)
{
    int count = 0;
    for (int i = 0; i < GC_GENERATIONS; i++) {
        const GcHead *ring = &gc_generations[i].head;
        for (const GcHead *head = ring->next; head != ring; head = head->next)
            count += (head->flags & (GC_COLLECTING | GC_TENTATIVE)) != 0;
    }
    return count;
}

void probe(const char *input, size_t size)
{
    answer_program(input, size);
    answer("marks left over: %d\n", marks());
}
