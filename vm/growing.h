// `s += x` for str: the string grows in place, in its variable.
//
// The addition looks at the store instruction after it. If the store will overwrite the variable
// that the left string came from, and there is no other reference to that string, the addition
// appends to it in place. So a loop of `s += x` takes linear time, as with CPython's
// unicode_concatenate(). The store then finds the string in the variable already. No script code
// can run in between, but an observer can look:
//
//     LOAD_NAME s    LOAD_NAME x    INPLACE_ADD    STORE_NAME s
//                                                  `- here s should still have its old value
//
// The debugger looks from copies of the process: there growing_undo() restores the old value. In
// the program itself it asks growing_in_variable(). Other observers do not ask; so while there is
// one, no string grows in place.
#pragma once

#include "frames/frame.h"

// left + right for two strings. `frame` is at the addition, and its stack does not refer to left
// any more. Steals left.
Value add_texts(const Frame *frame, Value left, ValueRef right);

// If the running frame is between the addition and the end of the store: the string that has grown,
// borrowed. Else 0.
ValueRef growing_in_variable(void);
// The length of the string before the addition.
ssize_t growing_old_length(void);
// Restores the variable's old value; the store will replace it. False with MemoryError pending.
bool growing_undo(void);
// After the ticks have been turned back: forgets the last addition, whose tick does not exist any
// more.
void growing_forget(void);
