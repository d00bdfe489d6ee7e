// What is said where minivm itself crashes: a signal of a memory fault, or abort().
//
//     minivm: crashed by SIGSEGV
//     ... how to report it ...
//       File "NAME", line 3 in add
//         14 BINARY_ADD, 12 LOAD_FAST, 10 LOAD_FAST, and a jump before
//
// Nothing is recorded for it while a program runs. What the frames know is read backwards: `ip` is
// the last instruction that a frame has begun, and where no jump leads to an instruction, the one
// that stands before it ran before it. So at most 32 instructions are named, of each frame those
// that surely ran; of calls that have returned nothing is known. Values are not shown.
//
// It runs in the signal's handler, on a stack of its own: it allocates nothing, takes nothing for
// sound, and writes each line at once. A second fault on the way ends the process. Then the signal
// does what it would have done. Builds with sanitizers have their own reports.
#pragma once

void crash_init(void);
