// What the machine asks of the module _signal, which has the handlers of a program.
#pragma once

#include <stdbool.h>

bool signals_run(void); // calls the handlers of all signals that were noted; false: one has raised
