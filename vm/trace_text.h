// --trace: every instruction of the program in a line on standard error.
#pragma once

// From now on.
void trace_text_start(void);
