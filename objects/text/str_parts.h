// What str.c, str_intern.c and str_type.c know of each other.
#pragma once

#include "objects/text/str.h"

// ---- str_intern.c
// An interned str dies: the table forgets it.
void intern_forget(Str *str);
// Frees the table; strs that still live are no longer interned.
void intern_finish(void);

// ---- str.c
void str_release(Object *self);
