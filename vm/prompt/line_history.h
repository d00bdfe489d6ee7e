// The lines that were typed, the oldest first, at most a thousand. In their file (UTF-8) each entry
// is a line; a newline in an entry is written as "\r\n" there, as Python 3.13 does.
#pragma once

#include <stddef.h>

// Adds a line, unless it is empty or the same as the last one. Without memory it is not kept.
void line_history_add(const char *bytes, size_t size);
int line_history_count(void);
const char *line_history_at(int index);
// The nearest entry after `from` (`step` 1) or before it (`step` -1) that contains `wanted`; -1 =
// none.
int line_history_find(const char *wanted, int from, int step);
void line_history_load(const char *path);
void line_history_save(const char *path);
void line_history_finish(void);
