// Warnings that C code gives: through the module `warnings`, which decides whether they show.
#pragma once

#include "objects/object.h"

// warnings.warn() as from the running frame, or `stack_level` - 1 frames above. False where it
// became an exception.
bool warn_from_frame(Type *category, const char *message, int stack_level);
// warnings.warn_explicit(), for the compiler.
bool warn_at_line(Type *category, const char *message, ValueRef filename, int line);
// "coroutine 'f' was never awaited".
bool warn_unawaited_coroutine(ValueRef coroutine);
