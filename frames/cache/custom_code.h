// Runs other code on the variables of a frame: eval_custom_code of TorchDynamo. (Seed 001, last
// part.)
//
//     original   | a | b |   | cell |       | free |
//                  |   |        |             |            localsplus is copied by index
//     new frame  | a | b |   | cell |       | free |       (the new code may have more locals)
//
// The original's own code does not run. The caller who made the original ends it. If no script has
// seen the original, its memory is used as the new frame.
#pragma once

#include "frames/frame.h"

// Can this code run instead of the original? If so, makes it ready to run. ValueError if it does
// not have all variables, cells and free variables of the original, in their order, or if the
// original is a generator's; SystemError if the verifier refuses it.
bool code_fits(Code *code, const Code *original);

// Runs code that fits on the variables of a frame that has not begun. `evaluator` runs it.
Value frame_run_code(ThreadState *thread, Frame *original, Code *code, EvalFrameFn evaluator);
