// What the exits of machine code mean: for --trace-jit and dis.machine().
#pragma once

#include "vm/jit/walk.h"

const char *jit_exit_name(ExitKind kind);
// Why a guard fails, of a stencil (reasons.def); "" = it is none.
const char *jit_reason(const char *guard);
