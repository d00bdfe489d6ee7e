// The interactive loop: reads a statement at the prompts sys.ps1 and sys.ps2, runs it, and prints
// its value.
#pragma once

#include "objects/object.h"

// Runs until the end of input: true. False with an exception pending: SystemExit, or no memory.
bool repl_run(ValueRef globals);
