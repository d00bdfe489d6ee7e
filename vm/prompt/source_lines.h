// Lines of source files, for tracebacks and warnings, as CPython's linecache gives them.
#pragma once

#include "objects/object.h"

// The text of a line (counted from 1) without its newline: an owned str, ABSENT if there is none.
Value source_line(ValueRef filename, int line);
// The upcall program_line.
Value source_program_line(ValueRef filename, int line);
void source_lines_finish(void);
