// Warnings from C code. The module `warnings` decides whether they are shown.
#pragma once

#include "objects/object.h"

// Calls a function of the module warnings: its result; None if the module is not available now.
Value warn_call(const char *name, const ValueRef *args, size_t count);
// warnings.warn() for the running frame, or for a caller `stack_level` - 1 frames up. False if the
// warning became an exception.
bool warn_from_frame(Type *category, const char *message, int stack_level);
// warnings.warn_explicit(), for the compiler.
bool warn_at_line(Type *category, const char *message, ValueRef filename, int line);
// "unclosed file ...", a ResourceWarning. The default filter ignores it, so it is only given if
// `warnings` has been imported.
bool warn_unclosed(ValueRef stream);
// "coroutine 'f' was never awaited".
bool warn_unawaited_coroutine(ValueRef coroutine);
