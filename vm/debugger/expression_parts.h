// Which instructions complete a part of an expression: `so` stops after these.
//
// They are the instructions that compute something, not those that load a constant or a name or
// move values. A display counts once, when it is complete: [1, 2, 3] is compiled as an empty list
// that is then extended. Calls that the source does not show do not count: __exit__ at the end of a
// `with`, and what `async` statements await.
#pragma once

#include "frames/frame.h"

bool part_ends(const Code *code, int offset); // with the instruction at offset
