// Warnings that C code gives: through the module `warnings`, which decides whether they show.
#pragma once

#include "objects/object.h"

// What a function of the module warnings gives; None where the module cannot be had now.
Value warn_call(const char *name, const ValueRef *args, size_t count);
// warnings.warn() as from the running frame, or `stack_level` - 1 frames above. False where it
// became an exception.
bool warn_from_frame(Type *category, const char *message, int stack_level);
// warnings.warn_explicit(), for the compiler.
bool warn_at_line(Type *category, const char *message, ValueRef filename, int line);
// "unclosed file ...", a ResourceWarning. It is ignored where nobody has imported `warnings`, and
// so not given then.
bool warn_unclosed(ValueRef stream);
// "coroutine 'f' was never awaited".
bool warn_unawaited_coroutine(ValueRef coroutine);
