// --trace-html: writes the run of the program as one HTML file, a page that replays it. The page
// needs no other file.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Before the machine starts: takes the memory that a page needs. False with errno set.
bool trace_page_set_aside(void);
// Starts recording, for so many instructions. False with errno set if the file cannot be made.
bool trace_page_start(const char *path, int64_t most_steps);
// Completes the page, after vm_finish(). False with errno set if a write has failed.
bool trace_page_finish(void);
