// What a method of an argument does to the caller that waits for it, for the target `reentry`. It is C,
// for a program of the tree must not hold what brings another Python down.
#pragma once

#include <stdbool.h>

// Gives __main__ the function act(number, object): calls a method that changes the object, such as
// clear(), resize_() or close(), with nothing, a number or a list. What comes of it is forgotten.
bool acts_give(void);
