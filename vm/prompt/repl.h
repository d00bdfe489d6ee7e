// The interactive loop: reads a statement at the prompts sys.ps1 and sys.ps2, runs it, shows what
// it gives.
#pragma once

#include "objects/object.h"

// Until the end of input or SystemExit; the exit status.
int repl_run(ValueRef globals);
