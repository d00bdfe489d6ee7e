// The loop once more, for observers: see vm/eval.c.
#define OBSERVED 1
#define RUN run_observed
#include "vm/eval.c"
