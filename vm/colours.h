// Colours for what is read at a terminal: tracebacks, --dis, --trace and what the debugger says.
// CPython 3.13 colours its tracebacks alike; 3.9 has none. Where nobody sees a terminal the texts
// stay as they are.
#pragma once

#include "objects/value.h"

#include <stdbool.h>

// Is the descriptor a terminal that shows colours? Not with NO_COLOR (https://no-color.org) or with
// TERM=dumb.
bool colours_wanted(int descriptor);
// An owned text with the escape sequences. `text` is stolen, and may be VALUE_ERROR. False in
// `wanted`: the text itself.
Value coloured_traceback(Value text, bool wanted);
Value coloured_code(Value text, bool wanted);  // lines of bytecode
Value coloured_place(Value text, bool wanted); // where the debugger is, its errors, its prompt
// Likewise, with what a terminal would obey, but for newlines and tabs, by its number: \x1b.
Value without_controls(Value text, bool wanted);
