// The machine as a whole: brought up and taken down in one visible order.
//
//     vm_init() -> run_...() (vm/run.h) -> vm_finish()
#pragma once

#include "vm/sys/sys.h"

// False with a message on stderr where there is no memory for it.
bool vm_init(const SysOptions *options);
// What CPython does at its end: the modules are emptied (which runs __del__), the streams flushed,
// everything is given back. Returns the exit status: `status`, or 120 where a stream could not be
// flushed.
int vm_finish(int status);
