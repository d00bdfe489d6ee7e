// For lessons whose holes are handlers of vm/eval.c: what the loop calls before each instruction.
//
// The lesson's probe.h includes this file, and is included before vm/eval.c; its probe.c defines
// probe_step(). To optimize a function of this size, with sanitizers, would take half a minute.
#pragma once
#pragma GCC optimize("O0")

#define OBSERVED 0
#define RUN run_plain
#include "vm/eval.h"
#include "vm/loop.h"

void probe_step(Frame *frame, const Instruction *ip, const Value *sp);

#undef BEGINS
#define BEGINS() probe_step(frame, ip, sp)

// How many values the frame's stack has, and how many the code was made for before this
// instruction. Where the two differ, a handler would take what is not there.
int stack_height(const Frame *frame, const Value *sp);
int stack_height_wanted(const Frame *frame, const Instruction *ip);
