// Lines of source files, for tracebacks and warnings: what CPython's linecache keeps.
#pragma once

#include "objects/object.h"

// The text of a line (counted from 1) without its newline: an owned str, ABSENT where there is
// none.
Value source_line(ValueRef filename, int line);
// The door upcalls.program_line.
Value source_program_line(ValueRef filename, int line);
void source_lines_finish(void);
