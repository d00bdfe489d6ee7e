// What shutdown calls of the module atexit.
#pragma once

// Calls the registered functions and unregisters them. Errors are printed on stderr.
void atexit_run(void);
// Drops functions that were registered after that.
void atexit_finish(void);
