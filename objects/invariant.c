// Ends a run in which an invariant is false.
#include "objects/invariant.h"

#include <stdio.h>
#include <stdlib.h>

void invariant_fails(const char *file, int line, const char *function, const char *sentence)
{
    fprintf(stderr, "%s:%d: %s: invariant: %s\n", file, line, function, sentence);
    abort();
}
