// Other code on the arguments of a frame (eval_custom_code of TorchDynamo, the last part of seed
// 001).
//
//     original   | a | b |   | cell |       | free |
//                  |   |        |             |            localsplus is taken over by index
//     new frame  | a | b |   | cell |       | free |       (locals may be added behind the others)
//
// The original's own code never runs, and whoever made the frame ends it. Where no script has seen
// it, its memory serves as the new frame.
#pragma once

#include "frames/frame.h"

// May this code run in the place of the original? Readies it to run. ValueError where it does not
// keep all variables, cells and free variables in their order, or where the original is a
// generator's; or what the verifier says of it.
bool code_fits(Code *code, const Code *original);

// Runs code that fits on the variables of a frame that has not begun, by `next`.
Value frame_run_code(ThreadState *thread, Frame *original, Code *code, EvalFrameFn next);
