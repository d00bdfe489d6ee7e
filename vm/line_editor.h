// A line read at the terminal, with the keys people expect: arrows, Home and End, word moves,
// history, search, paste. It draws on standard output and needs nothing but ANSI escapes; where
// TERM is "dumb" it reads the line plainly.
#pragma once

#include "objects/object.h"

// One line without its newline: an owned str, ABSENT at the end of input (Ctrl-D),
// KeyboardInterrupt for Ctrl-C. `remember` puts it into the history. `prompt` is UTF-8.
Value line_editor_read(const char *prompt, bool remember);
// The history, kept in a file (UTF-8, one entry a line): NULL = none.
void line_editor_load(const char *path);
void line_editor_save(const char *path);
void line_editor_finish(void);
