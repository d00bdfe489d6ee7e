// --trace: every instruction of the program in a line on what is standard error at the start.
#pragma once

// From now on.
void trace_text_start(void);
