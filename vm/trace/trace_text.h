// --trace: prints a line for every instruction of the program, on the standard error that the
// process was started with.
#pragma once

// Starts tracing.
void trace_text_start(void);
