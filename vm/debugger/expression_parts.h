// Which instructions end a part of an expression: where `so` stops.
//
// Those that compute something: no constant, no name, no bookkeeping. A display is a part when it
// is whole: [1, 2, 3] is an empty list at first, which is extended. What a `with` calls at its end,
// and what `async` statements wait for, is written nowhere.
#pragma once

#include "frames/frame.h"

bool part_ends(const Code *code, int offset); // with the instruction there
