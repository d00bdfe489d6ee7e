// --trace-html: the run of the program as a page that plays it, in one file that needs nothing
// else.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// From now on, for so many instructions. False where the file cannot be made: errno says why.
bool trace_page_start(const char *path, int64_t most_steps);
// Completes the page, after vm_finish(). False where something could not be written: errno.
bool trace_page_finish(void);
