// What str.c, str_intern.c and str_type.c know of each other.
#pragma once

#include "objects/str.h"

// ---- str_intern.c
// An interned str dies: the table forgets it.
void intern_forget(Str *str);
// Frees the table; strs that still live are no longer interned.
void intern_finish(void);

// ---- str.c
void str_release(Object *self);

// ---- str_type.c, for the iterators of bytes and bytearray too
// (iter, (sequence,), index), or (iter, (empty,)) where there is no sequence any more. Steals
// `empty`, which may be VALUE_ERROR with the exception pending.
Value text_iterator_reduce(ValueRef sequence, ssize_t index, Value empty);
