// Watches: expressions whose value is looked at after every instruction, without running script
// code: a variable (local, cell or global), then attributes and items.
//
// A change is another value in the place, by identity; a list that grows is the same list. What was
// seen last is private to the process; nothing is allocated and no reference is taken.
#pragma once

#include "vm/session.h"

// Looks at all of them for the first time: nothing counts as a change. `frame` runs.
void watches_begin(const Frame *frame);
// At every event: the watch that has another value now, or NULL. It says so in note[SESSION_TEXT]:
// "1 -> 2".
const Watch *watch_changed(const Frame *frame, FrameEvent event, char *note);
