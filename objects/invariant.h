// Conditions on the data, checked where a wrong state first becomes visible.
//
//     invariant(dict->used <= dict->filled, "every key has an entry");
//
// The sentence describes the data and is true whenever the line is reached. If it is false, a build
// with DEBUG_INVARIANTS prints the file, line, function and sentence to stderr, and aborts. That is
// nearer to the fault than the crash, leak or wrong answer that would follow. Other builds compile
// the condition, so that it stays correct code, and never evaluate it.
//
// A condition has no side effects. A condition that needs a loop is a function named ..._is_sound,
// which states the parts by its own invariants and returns true. It is called at few points, since
// it reads all of the data.
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
