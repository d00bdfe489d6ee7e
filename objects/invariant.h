// What must be true of the data, said where a wrong state first becomes visible.
//
//     invariant(dict->used <= dict->filled, "every key has an entry");
//
// The sentence is about the data, and true whenever control comes by. Where it is not, a build with
// DEBUG_INVARIANTS prints file, line, function and the sentence to stderr, and aborts; that is
// nearer to the fault than the crash, the leak or the wrong answer that would follow. Any other
// build compiles the condition, so that it stays right, and throws it away.
//
// A condition has no effects. What takes a loop is a function named ..._is_sound, which states
// the parts itself and returns true; it is called at few places, since it reads all of the data.
#pragma once

#include "objects/config.h"

#include <stdbool.h>

// Never returns.
_Noreturn void invariant_fails(const char *file, int line, const char *function,
                               const char *sentence);

#if DEBUG_INVARIANTS
#define invariant(condition, sentence)                                                             \
    ((condition) ? (void)0 : invariant_fails(__FILE__, __LINE__, __func__, sentence))
#else
#define invariant(condition, sentence) ((void)(0 && (condition)))
#endif
