// Start-up and shutdown of the whole machine.
//
//     vm_init() -> run_...() (vm/run.h) -> vm_finish()
#pragma once

#include "vm/sys/sys.h"

// False after a message on stderr if there is no memory.
bool vm_init(const SysOptions *options);
// Shuts down as CPython does: clears the modules (which runs __del__), flushes the streams, frees
// everything. Returns the exit status: `status`, or 120 if a stream could not be flushed.
int vm_finish(int status);
