// What the module atexit does at the end of the program.
#pragma once

// Calls what was registered, and forgets it. Errors are shown on stderr.
void atexit_run(void);
// Drops what was registered later still.
void atexit_finish(void);
