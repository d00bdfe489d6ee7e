// `s += x`: a text that grows in its variable.
//
// An addition of texts looks at the store behind it. Where that would overwrite the variable that
// the left text came from, and nobody else holds this text, it grows there, in the variable: a
// loop of `s += x` is linear, as CPython's unicode_concatenate() makes it. The store then puts the
// text where it is already. Nothing can happen in between but that somebody observes:
//
//     LOAD_NAME s    LOAD_NAME x    INPLACE_ADD    STORE_NAME s
//                                                  `- here s should still be the old text
//
// The debugger looks from copies of the process: growing_undo() gives the variable its old text
// there. Where it looks in the program itself it asks growing_in_variable(). Others who observe see
// what they find, so while there are any no text grows.
#pragma once

#include "frames/frame.h"

// left + right for two texts, where `frame` stands at the addition and its stack has let go of
// left. Steals left.
Value add_texts(const Frame *frame, Value left, ValueRef right);

// The text that a variable has already, borrowed, where the frame that runs is between the addition
// and the end of the store; else 0.
ValueRef growing_in_variable(void);
// How long the text was before.
ssize_t growing_old_length(void);
// Gives the variable its old text back, and the store will replace it. False with MemoryError.
bool growing_undo(void);
// For who turns the ticks back: the last addition was in a stretch that does not count.
void growing_forget(void);
