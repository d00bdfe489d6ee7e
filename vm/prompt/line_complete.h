// Tab: completes the word before the cursor.
//
// A single match is inserted. Of several matches the longest common prefix is inserted, and a
// second Tab lists them in columns.
#pragma once

#include "vm/prompt/line_draw.h"

#include "objects/object.h"

// Returns (word, matches): the text before the cursor ends with the str `word`, and each str of the
// list `matches` may replace it. `context` is passed through.
typedef struct Completer {
    Value (*complete)(ValueRef before, ValueRef context); // NULL = nothing is completed
    ValueRef context;
    bool at_beginning; // complete even if only blanks are before the cursor; else Tab indents there
} Completer;

// `again`: the key before was Tab as well. False with MemoryError pending. Any other exception of
// the completer counts as no match; Ctrl-C interrupts it.
bool line_complete(const Completer *completer, Picture *picture, Text *line, bool again);
