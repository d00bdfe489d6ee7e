// What shutdown calls of the module atexit.
#pragma once

// Calls the registered functions and unregisters them. Errors are printed on stderr.
void atexit_run(void);
