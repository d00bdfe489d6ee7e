// Tab: what may stand where the cursor is.
//
// One match is put in. Of several the beginning that they share is put in, and a second Tab lists
// them in columns.
#pragma once

#include "vm/prompt/line_draw.h"

#include "objects/object.h"

// What the text before the cursor can go on with: (word, matches), where the text ends with the
// str `word`, and each str of the list `matches` may stand in its place. `context` is the one that
// came with it.
typedef struct Completer {
    Value (*complete)(ValueRef before, ValueRef context); // NULL = nothing is completed
    ValueRef context;
    bool at_beginning; // also where nothing but blanks is before the cursor; else Tab indents there
} Completer;

// `again`: the key before was Tab as well. False with MemoryError pending. What the completer
// raises means no match; it can be interrupted with Ctrl-C.
bool line_complete(const Completer *completer, Picture *picture, Text *line, bool again);
